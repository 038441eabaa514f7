"""Request and reply: what `queue.request()` puts, and how it finds the answer.

A request names a reply queue and is found again by its message id: who answers puts a message there with that id as its
CorrelId, which is what MQ's samples, JMS and CICS do. The reply queue is a temporary dynamic one that belongs to a
connection; it is made with the first request and gone with the connection, and with it answers that came too late.
A request that has no expiry of its own expires when nobody waits for its answer any more.
"""

from __future__ import annotations

from flintmq.client.message import seconds, wait_interval
from flintmq.mqi.constants import (
    MQEI_UNLIMITED,
    MQGMO_CONVERT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_MATCH_CORREL_ID,
    MQMT_REQUEST,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_EXCLUSIVE,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD

#: In front of a topic string, where names of queues and topics stand beside each other.
SCHEME = "topic://"
MODEL_QUEUE = "SYSTEM.DEFAULT.MODEL.QUEUE"
#: What applications of the developer defaults may use in its place; they have authority for what is called DEV.
DEVELOPER_MODEL_QUEUE = "DEV.APP.MODEL.QUEUE"
OPTIONS = MQOO_INPUT_EXCLUSIVE | MQOO_FAIL_IF_QUIESCING


def reply_queue_descriptor(developer: bool = False) -> MQOD:
    """What a reply queue is opened with."""
    od = MQOD()
    od.object_name, od.dynamic_q_name = MODEL_QUEUE, "FLINTMQ.REPLY.*"
    if developer:
        od.object_name, od.dynamic_q_name = DEVELOPER_MODEL_QUEUE, "DEV.FLINTMQ.REPLY.*"
    return od


def ask(md: MQMD, reply_to: str, timeout: object) -> None:
    """Make a message a request whose answer comes to `reply_to` in `timeout` seconds, or not."""
    limit_s = seconds(timeout, "timeout")
    if limit_s <= 0:
        raise ValueError(f"timeout is a number of seconds greater than 0, not {timeout}")
    md.msg_type, md.reply_to_q = MQMT_REQUEST, reply_to
    if md.expiry == MQEI_UNLIMITED:
        md.expiry = max(1, round(limit_s * 10))


def answer_to(md: MQMD, timeout: object, convert: object) -> tuple[MQMD, MQGMO]:
    """The get that waits for the answer to a request that was put."""
    wanted, gmo = MQMD(), MQGMO()
    wanted.correl_id = md.msg_id
    gmo.version, gmo.match_options, gmo.wait_interval = 2, MQMO_MATCH_CORREL_ID, wait_interval(timeout)
    gmo.options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING | (MQGMO_CONVERT if convert else 0)
    return wanted, gmo
