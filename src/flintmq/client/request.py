"""Request and reply: the request of `queue.request()`, and the get that finds its reply.

A request names a reply queue. The responding application puts its reply there with the message id of the request as
CorrelId; MQ's samples, JMS and CICS do so. The reply queue is a temporary dynamic one that belongs to a connection; it
is made with the first request and deleted with the connection, and with it replies that came too late. A request that
has no expiry of its own expires when the wait for its reply is over.
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

#: Prefix of a topic string, where a name may be that of a queue or a topic.
SCHEME = "topic://"
MODEL_QUEUE = "SYSTEM.DEFAULT.MODEL.QUEUE"
#: The model queue for users of the developer defaults, who have authority for names that begin with DEV.
DEVELOPER_MODEL_QUEUE = "DEV.APP.MODEL.QUEUE"
OPTIONS = MQOO_INPUT_EXCLUSIVE | MQOO_FAIL_IF_QUIESCING


def reply_queue_descriptor(developer: bool = False) -> MQOD:
    """Return the object descriptor to open a reply queue with."""
    od = MQOD()
    od.object_name, od.dynamic_q_name = MODEL_QUEUE, "FLINTMQ.REPLY.*"
    if developer:
        od.object_name, od.dynamic_q_name = DEVELOPER_MODEL_QUEUE, "DEV.FLINTMQ.REPLY.*"
    return od


def ask(md: MQMD, reply_to: str, timeout: object) -> None:
    """Make a message a request, with its reply to `reply_to` within `timeout` seconds."""
    limit_s = seconds(timeout, "timeout")
    if limit_s <= 0:
        raise ValueError(f"timeout is a number of seconds greater than 0, not {timeout}")
    md.msg_type, md.reply_to_q = MQMT_REQUEST, reply_to
    if md.expiry == MQEI_UNLIMITED:
        md.expiry = max(1, round(limit_s * 10))


def answer_to(md: MQMD, timeout: object, convert: object) -> tuple[MQMD, MQGMO]:
    """Return descriptor and options of the get that waits for the reply to a request."""
    wanted, gmo = MQMD(), MQGMO()
    wanted.correl_id = md.msg_id
    gmo.version, gmo.match_options, gmo.wait_interval = 2, MQMO_MATCH_CORREL_ID, wait_interval(timeout)
    gmo.options = MQGMO_WAIT | MQGMO_NO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING | (MQGMO_CONVERT if convert else 0)
    return wanted, gmo
