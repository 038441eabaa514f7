"""Channel events of a queue manager process, read by PCF."""

from __future__ import annotations

import flintmq
from flintmq.client.remote.connect import RemoteQueueManager
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import PCFMessage, parse
from tests.server.test_process import Manager, manager
from tests.waiting import PATIENCE

__all__ = ["manager"]

EVENTS = "SYSTEM.ADMIN.CHANNEL.EVENT"
SCRIPT = """
ALTER QMGR CHLEV({}) SSLEV(ENABLED)
DEFINE CHANNEL(TLS.SVRCONN) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS12_OR_HIGHER) MCAUSER('app')
DEFINE CHANNEL(BLOCKED.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('app')
SET CHLAUTH(BLOCKED.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS)
SET AUTHREC PROFILE(SYSTEM.ADMIN.CHANNEL.EVENT) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI)
"""


def test_a_client_that_a_rule_blocks_is_told(manager: Manager) -> None:
    started(manager, "EXCEPTION")
    with connect(manager) as qm:
        try:
            connect(manager, "BLOCKED.SVRCONN").close()
        except flintmq.NotAuthorized:
            (told,) = events(qm, 1)
            assert told.header.reason == 2577
            assert told.string(pcf.MQCACH_CHANNEL_NAME) == "BLOCKED.SVRCONN"
            assert told.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_CHANNEL_BLOCKED_NOACCESS
        else:
            raise AssertionError("it was let in")


def started(manager: Manager, channel_events: str) -> None:
    with flintmq.open(manager.place.directory) as qm:
        qm.mqsc(SCRIPT.format(channel_events))
    manager.start()


def connect(manager: Manager, channel: str = "DEV.APP.SVRCONN") -> RemoteQueueManager:
    return flintmq.connect("QM1", channel=channel, conn=f"127.0.0.1({manager.port})")


def events(qm: RemoteQueueManager, count: int) -> list[PCFMessage]:
    """The next events; another socket may still be on its way out."""
    return [parse(qm.queue(EVENTS).get(wait=PATIENCE).data) for _ in range(count)]


def test_instances_that_start_and_stop_are_told(manager: Manager) -> None:
    started(manager, "ENABLED")
    with connect(manager) as qm:
        connect(manager).close()
        first, second, stopped = events(qm, 3)
        assert [first.header.reason, second.header.reason, stopped.header.reason] == [2282, 2282, 2283]
        assert first.header.command == pcf.MQCMD_CHANNEL_EVENT
        assert first.string(pcf.MQCACH_CHANNEL_NAME) == "DEV.APP.SVRCONN"
        assert (first.string(pcf.MQCACH_CONNECTION_NAME) or "").startswith("127.0.0.1")
        assert stopped.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_CHANNEL_STOPPED_OK


def test_exceptions_only_leave_out_what_is_ordinary_and_tls_has_events_of_its_own(manager: Manager) -> None:
    started(manager, "EXCEPTION")
    with connect(manager) as qm:
        connect(manager).close()
        try:
            connect(manager, "TLS.SVRCONN").close()
        except flintmq.MQError as error:
            assert error.reason in (2393, 2397, 2059, 2009, 2539)
        (refused,) = events(qm, 1)
        assert refused.header.reason == 2371
        assert refused.string(pcf.MQCACH_CHANNEL_NAME) == "TLS.SVRCONN"
        assert refused.integer(pcf.MQIACF_REASON_QUALIFIER) == pcf.MQRQ_SSL_CIPHER_SPEC_ERROR
