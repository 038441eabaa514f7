"""What ibmmq has beyond pymqi: connecting, inquiry, MQSTAT, callbacks, MQSUBRQ, properties, commands."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from flintmq import ibmmq
from flintmq.ibmmq import CMQC, CMQCFC
from tests.client.remote.serving import CHANNEL, Serving
from tests.ibmmq.conftest import QUEUE
from tests.waiting import PATIENCE, until

BOTH = CMQC.MQOO_INPUT_AS_Q_DEF | CMQC.MQOO_OUTPUT
WAIT_MS = int(PATIENCE * 1000)
WAIT = ibmmq.GMO(Options=CMQC.MQGMO_WAIT | CMQC.MQGMO_NO_SYNCPOINT, WaitInterval=WAIT_MS)


def test_a_message_goes_and_comes(qmgr: ibmmq.QueueManager) -> None:
    queue = ibmmq.Queue(qmgr, QUEUE, BOTH)
    md = ibmmq.MD(ReplyToQ="REPLY")
    queue.put("grün", md)
    got = ibmmq.MD()
    assert queue.get(None, got) == "grün".encode()
    assert (got.MsgId, got.to_string().ReplyToQ, got.Format) == (md.MsgId, "REPLY", "MQSTR")
    assert queue.get_name() == QUEUE and queue.get_queue_manager() is qmgr
    with pytest.raises(TypeError, match="must be an instance of MD"):
        queue.put(b"1", ibmmq.PMO())
    with pytest.raises(TypeError, match="must be an instance of PMO or GMO"):
        queue.get(None, ibmmq.MD(), ibmmq.MD())


def test_many_attributes_are_inquired_and_set_at_once(qmgr: ibmmq.QueueManager) -> None:
    found = qmgr.inquire([CMQC.MQCA_Q_MGR_NAME, CMQC.MQIA_COMMAND_LEVEL])
    assert ibmmq.to_string(found[CMQC.MQCA_Q_MGR_NAME]) in ("QM1", "MEMORY") and found[CMQC.MQIA_COMMAND_LEVEL] >= 800
    assert qmgr.inq(CMQC.MQIA_COMMAND_LEVEL) == found[CMQC.MQIA_COMMAND_LEVEL]
    queue = ibmmq.Queue(qmgr, QUEUE, CMQC.MQOO_INQUIRE | CMQC.MQOO_SET)
    queue.set({CMQC.MQIA_INHIBIT_PUT: 1, CMQC.MQCA_TRIGGER_DATA: "data", CMQC.MQIA_INHIBIT_GET: 1})
    found = queue.inq([CMQC.MQIA_INHIBIT_GET, CMQC.MQCA_TRIGGER_DATA, CMQC.MQIA_INHIBIT_PUT])
    assert found == {CMQC.MQIA_INHIBIT_GET: 1, CMQC.MQCA_TRIGGER_DATA: b"data".ljust(64), CMQC.MQIA_INHIBIT_PUT: 1}
    queue.set(CMQC.MQIA_INHIBIT_PUT, 0)
    with pytest.raises(ibmmq.MQMIError, match="MQRC_CHAR_ATTR_LENGTH_ERROR"):
        queue.set({CMQC.MQCA_TRIGGER_DATA: "x" * 65})


def test_asynchronous_puts_are_counted(local: ibmmq.QueueManager) -> None:
    queue = ibmmq.Queue(local, QUEUE, CMQC.MQOO_OUTPUT)
    for _ in range(3):
        queue.put(b"1", ibmmq.MD(), ibmmq.PMO(Options=CMQC.MQPMO_ASYNC_RESPONSE))
    sts = local.stat(CMQC.MQSTAT_TYPE_ASYNC_ERROR)
    assert (sts.PutSuccessCount, sts.PutFailureCount, sts.CompCode) == (3, 0, CMQC.MQCC_OK)


def test_who_connects_is_said_in_a_csp(serving: Serving) -> None:
    csp = ibmmq.CSP()
    csp.CSPUserId, csp.CSPPassword = "app", "secret"
    cno = ibmmq.CNO(ApplName="orders")
    qmgr = ibmmq.connect("QM1", CHANNEL, serving.conn, csp=csp, cno=cno)
    md = ibmmq.MD()
    qmgr.put1(QUEUE, b"1", md)
    assert md.to_string().PutApplName == "orders" and qmgr.is_connected and qmgr.get_name() == "QM1"
    qmgr.disconnect()
    assert not qmgr.is_connected


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"csp": 1}, TypeError, "csp must be an instance of CSP"),
        ({"cno": 1}, TypeError, "cno must be an instance of CNO"),
        ({"sco": 1}, TypeError, "sco must be an instance of SCO"),
        ({"user": "app"}, ValueError, "Password must not be None"),
        ({"user": 5, "password": 5}, ValueError, "must be instances of str or bytes"),
    ],
)
def test_what_cannot_connect_is_refused(options: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ibmmq.connect("QM1", CHANNEL, "127.0.0.1(1)", **options)


def test_a_wrong_name_in_a_csp_is_told() -> None:
    csp = ibmmq.CSP()
    csp.UserId = "app"
    with pytest.raises(ibmmq.PYIFError, match="UserId field in CSP class is called CSPUserId"):
        ibmmq.connect("QM1", CHANNEL, "127.0.0.1(1)", csp=csp)
    with pytest.raises(TypeError, match="Invalid arguments"):
        ibmmq.connect(None)


def test_a_callback_is_called_for_each_message(qmgr: ibmmq.QueueManager) -> None:
    queue = ibmmq.Queue(qmgr, QUEUE, BOTH)
    for text in (b"1", b"2"):
        queue.put(text)
    seen: list[Any] = []
    done = threading.Event()

    def arrived(**given: Any) -> None:
        seen.append(given)
        if len(seen) == 2:
            done.set()

    cbd = ibmmq.CBD(CallbackFunction=arrived, CallbackArea={"mine": 1})
    queue.cb(operation=CMQC.MQOP_REGISTER, cbd=cbd, md=ibmmq.MD(), gmo=WAIT)
    ctlo = ibmmq.CTLO(ConnectionArea="area")
    qmgr.ctl(CMQC.MQOP_START, ctlo)
    assert done.wait(PATIENCE)
    qmgr.ctl(CMQC.MQOP_STOP, ctlo)
    queue.cb(operation=CMQC.MQOP_DEREGISTER)
    first = seen[0]
    assert [each["msg"] for each in seen] == [b"1", b"2"]
    assert first["queue"] is queue and first["queue_manager"] is qmgr and first["md"].MsgId != bytes(24)
    assert (first["cbc"].CallType, first["cbc"].CallbackArea) == (CMQC.MQCBCT_MSG_REMOVED, {"mine": 1})
    assert (first["cbc"].ConnectionArea, first["cbc"].DataLength) == ("area", 1)


def test_a_callback_that_is_none_is_refused(qmgr: ibmmq.QueueManager) -> None:
    queue = ibmmq.Queue(qmgr, QUEUE, BOTH)
    with pytest.raises(ibmmq.MQMIError, match="MQRC_CALLBACK_ROUTINE_ERROR"):
        queue.cb(operation=CMQC.MQOP_REGISTER, cbd=ibmmq.CBD())
    with pytest.raises(TypeError, match="cbd must be an instance of CBD"):
        queue.cb(cbd=ibmmq.MD())
    with pytest.raises(TypeError, match="ctlo must be an instance of CTLO"):
        qmgr.ctl(CMQC.MQOP_START, None)  # type: ignore[arg-type]


def test_retained_publications_are_asked_for_again(qmgr: ibmmq.QueueManager) -> None:
    topic = ibmmq.Topic(qmgr, topic_string="a/b")
    topic.put("kept", ibmmq.MD(), ibmmq.PMO(Options=CMQC.MQPMO_RETAIN))
    options = CMQC.MQSO_CREATE + CMQC.MQSO_NON_DURABLE + CMQC.MQSO_MANAGED + CMQC.MQSO_PUBLICATIONS_ON_REQUEST
    subscription = ibmmq.Subscription(qmgr)
    subscription.sub(topic_string="a/b", sub_opts=options)
    sro = ibmmq.SRO()
    subscription.subrq(CMQC.MQSR_ACTION_PUBLICATION, sro)
    assert (subscription.get(None, ibmmq.MD(), WAIT), sro.NumPubs) == (b"kept", 1)
    subscription.close(close_sub_queue=True)
    with pytest.raises(ibmmq.PYIFError, match="Subscription not open"):
        subscription.subrq()


def test_properties_are_found_by_pattern_and_deleted(qmgr: ibmmq.QueueManager) -> None:
    handle = ibmmq.MessageHandle(qmgr)
    handle.properties["color"] = "red"
    handle.properties.set("size", 5, CMQC.MQTYPE_INT32, 4)
    found = [handle.properties.get("usr.%"), handle.properties.get("usr.%", impo_options=CMQC.MQIMPO_INQ_NEXT)]
    assert {name.removeprefix("usr."): value for value, name in found} == {"color": "red", "size": 5}
    handle.properties.dlt("color")
    with pytest.raises(ibmmq.MQMIError, match="MQRC_PROPERTY_NOT_AVAILABLE"):
        handle.properties.get("color")
    second = ibmmq.MessageHandle(qmgr, dup_handle=handle.get_handle())
    assert second.properties["size"] == 5
    with pytest.raises(ibmmq.MQMIError, match="MQRC_HMSG_ERROR"):
        second.dlt()
    handle.dlt()
    with pytest.raises(ibmmq.MQMIError):
        handle.properties.get("size")


def test_commands_return_strings_without_what_fills_them_up(qmgr: ibmmq.QueueManager) -> None:
    pcf = ibmmq.PCFExecute(qmgr, response_wait_interval=WAIT_MS)
    (found,) = pcf.MQCMD_INQUIRE_Q([ibmmq.CFST(Parameter=CMQC.MQCA_Q_NAME, String="DEV.QUEUE.1")])
    assert ibmmq.to_string(found[CMQC.MQCA_Q_NAME]) == "DEV.QUEUE.1"
    assert ibmmq.PCFExecute.stringify_keys(found)["MQIA_Q_TYPE"] == CMQC.MQQT_LOCAL
    pcf.disconnect()


def test_responses_are_collected_also_when_a_command_fails(qmgr: ibmmq.QueueManager) -> None:
    pcf = ibmmq.PCFExecute(qmgr, response_wait_interval=WAIT_MS, command_timeout=2 * WAIT_MS)
    responses: list[Any] = []
    with pytest.raises(ibmmq.MQMIError, match="MQRC_UNKNOWN_OBJECT_NAME"):
        pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: "NO.SUCH.QUEUE"}, responses=responses)
    assert all(header.Command == CMQCFC.MQCMD_INQUIRE_Q for _, header in responses)
    pcf.MQCMD_INQUIRE_Q({CMQC.MQCA_Q_NAME: "DEV.QUEUE.*"}, responses=responses)
    assert len(responses) == 3 and pcf.command_timeout == 2 * WAIT_MS
    with pytest.raises(TypeError, match="responses must be a list"):
        pcf.MQCMD_INQUIRE_Q({}, responses=())
    with pytest.raises(ibmmq.PYIFError, match="Do not specify both"):
        ibmmq.PCFExecute(qmgr, reply_queue_name="DEV.QUEUE.1")


def test_filters_on_byte_strings_are_made() -> None:
    made = ibmmq.Filter(CMQCFC.MQBACF_CONNECTION_ID).equal(b"1234")
    assert isinstance(made, ibmmq.ByteStringFilter)
    assert made.structure().pack() == ibmmq.CFBF(Parameter=made.selector, Operator=2, FilterValue="1234").pack()
    with pytest.raises(ibmmq.Error, match="unsupported type"):
        ibmmq.Filter(-1).equal(b"1")


def test_versions_are_told() -> None:
    assert ibmmq.get_versions() == {"module": ibmmq.__version__, "MQ": ibmmq.__cmdlevel__}


def test_a_disconnect_says_that_work_could_not_be_committed(serving: Serving) -> None:
    qmgr = ibmmq.connect("QM1", CHANNEL, serving.conn)
    queue = ibmmq.Queue(qmgr, QUEUE, CMQC.MQOO_OUTPUT)
    pmo = ibmmq.PMO(Options=CMQC.MQPMO_SYNCPOINT)
    queue.put(b"1", ibmmq.MD(), pmo)
    serving.cut()

    with pytest.raises(ibmmq.MQMIError, match="MQRC_CONNECTION_BROKEN"):
        qmgr.disconnect()

    assert qmgr._handle is None
    until(lambda: serving.qm.queue(QUEUE).depth == 0)


def test_a_table_of_channels_is_named_in_the_options(serving: Serving, tmp_path: Path) -> None:
    table = tmp_path / "ccdt.json"
    connection = {"connection": [{"host": "127.0.0.1", "port": serving.port}], "queueManager": "QM1"}
    table.write_text(json.dumps({"channel": [{"name": CHANNEL, "clientConnection": connection}]}))
    cno = ibmmq.CNO()
    cno.CCDTUrl = table.as_uri()

    qmgr = ibmmq.connect("QM1", cno=cno)
    assert ibmmq.to_string(qmgr.inquire(CMQC.MQCA_Q_MGR_NAME)) == "QM1"
    qmgr.disconnect()

    cno.CCDTUrl = "https://example.com/ccdt.json"
    with pytest.raises(ibmmq.MQMIError, match="MQRC_CHANNEL_CONFIG_ERROR"):
        ibmmq.connect("QM1", cno=cno)


def test_arguments_have_the_names_of_ibmmq(qmgr: ibmmq.QueueManager) -> None:
    qmgr.put1(q_desc=QUEUE, msg=b"1")
    queue = ibmmq.Queue(qmgr=qmgr)
    queue.open(q_desc=QUEUE)
    assert queue.get() == b"1"
    assert ibmmq.PCFExecute.stringify_keys(raw_dict={CMQC.MQIA_Q_TYPE: 1}) == {"MQIA_Q_TYPE": 1}


def test_a_byte_string_may_be_given_as_text(qmgr: ibmmq.QueueManager) -> None:
    """All connections: the generic connection identifier is empty."""
    commands = ibmmq.PCFExecute(qmgr, response_wait_interval=WAIT_MS)
    found = commands.MQCMD_INQUIRE_CONNECTION({CMQCFC.MQBACF_GENERIC_CONNECTION_ID: ibmmq.ByteString("")})
    assert found and all(CMQCFC.MQBACF_CONNECTION_ID in each for each in found)
