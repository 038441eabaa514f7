"""Connecting: who is refused, why, and what the error says."""

from __future__ import annotations

import asyncio
import os
import socket
import threading

import pytest

import flintmq
from flintmq.client.remote.definition import Address, addresses
from flintmq.mqi import reason as rc
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.terms import Gatekeeper, Terms
from tests.client.remote.serving import CHANNEL, QUEUE, Serving
from tests.waiting import PATIENCE, until


class Password(Gatekeeper):
    """Lets in who knows the word."""

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        if (identity.claimed_user, identity.password) == ("app", "a long enough password"):
            return 0, "app"
        return rc.MQRC_NOT_AUTHORIZED, ""


@pytest.mark.parametrize("written", ["localhost:1415", "localhost(1415)", " localhost:1415 ", "[localhost]:1415"])
def test_an_address_with_a_colon_is_understood(written: str) -> None:
    """Issue 14, item 26."""
    assert addresses(written) == (Address("localhost", 1415),)
    assert addresses("[::1]:1416,::1,[::1]") == (Address("::1", 1416), Address("::1", 1414), Address("::1", 1414))
    for wrong in ("host:", "host:http", ":1414", "[::1:1414"):
        with pytest.raises(flintmq.MQError, match="host\\(port\\)"):
            addresses(wrong)


def test_addresses_are_written_as_mq_writes_them() -> None:
    assert addresses("a(1), b ,fe80::1(1415)") == (Address("a", 1), Address("b", 1414), Address("fe80::1", 1415))
    for wrong in ("", "a(", "a(x)", "a(0)", "a(70000)", ",a", "(1414)"):
        with pytest.raises(flintmq.NotConnected) as refused:
            addresses(wrong)
        assert refused.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR


def test_a_name_that_cannot_be_one_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(flintmq.NotConnected):
        flintmq.connect("QM1", channel="A.NAME.OF.A.CHANNEL.THAT.IS.TOO.LONG", conn="127.0.0.1(1)")
    with pytest.raises(flintmq.NotConnected):
        flintmq.connect("Q" * 49, channel="C", conn="127.0.0.1(1)")


@pytest.mark.parametrize("host", ["no..host", "h" * 64, "h" * 300])
def test_a_name_that_no_host_can_have_is_like_a_host_that_is_not_there(serving: Serving, host: str) -> None:
    with pytest.raises(flintmq.NotConnected) as refused:
        serving.connect(conn=f"{host}(1414)")
    assert refused.value.reason == rc.MQRC_HOST_NOT_AVAILABLE
    serving.connect(conn=f"{host}(1414),{serving.conn}").close()

    async def test() -> None:
        with pytest.raises(flintmq.NotConnected) as refused:
            await flintmq.aconnect("QM1", channel=CHANNEL, conn=f"{host}(1414)")
        assert refused.value.reason == rc.MQRC_HOST_NOT_AVAILABLE
        async with flintmq.aconnect("QM1", channel=CHANNEL, conn=f"{host}(1414),{serving.conn}") as qm:
            assert qm.name == "QM1"

    asyncio.run(test())


def test_nobody_answers() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # Not listening.
        conn = f"127.0.0.1({taken.getsockname()[1]})"
        with pytest.raises(flintmq.NotConnected) as refused:
            flintmq.connect("QM1", channel="C", conn=conn, timeout=PATIENCE)
    assert refused.value.reason == rc.MQRC_HOST_NOT_AVAILABLE
    assert conn in str(refused.value) and "listener" in str(refused.value)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"channel": "NO.SUCH"}, rc.MQRC_UNKNOWN_CHANNEL_NAME),
        ({"name": "QM2"}, rc.MQRC_Q_MGR_NAME_ERROR),
    ],
)
def test_what_is_not_there_is_told_by_reason(serving: Serving, options: dict[str, str], reason: int) -> None:
    with pytest.raises(flintmq.NotConnected) as refused:
        serving.connect(**options)
    assert refused.value.reason == reason
    assert serving.conn in str(refused.value) and options.get("channel", "DEV.APP.SVRCONN") in str(refused.value)


@pytest.mark.parametrize("name", ["", "*", "*GROUP", "QM1"])
def test_a_name_may_be_left_open(serving: Serving, name: str) -> None:
    with serving.connect(name=name) as qm:
        assert qm.name == "QM1"


def test_user_and_password_are_sent_and_never_told() -> None:
    serving = Serving(Password())
    try:
        serving.connect(user="app", password="a long enough password").close()
        with pytest.raises(flintmq.NotAuthorized) as refused:
            serving.connect(user="app", password="an unknown word")
        assert "user app" in str(refused.value) and "unknown word" not in str(refused.value)
        with pytest.raises(flintmq.NotAuthorized):
            serving.connect()
    finally:
        serving.close()


def test_the_first_address_that_answers_is_taken(serving: Serving) -> None:
    with socket.socket() as strange:
        strange.bind(("127.0.0.1", 0))
        strange.listen()

        def answer() -> None:
            other, _ = strange.accept()
            with other:
                other.recv(10)
                other.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        conn = f"127.0.0.1({strange.getsockname()[1]}),{serving.conn}"
        with serving.connect(conn=conn) as qm:
            assert qm.name == "QM1"
        thread.join()


def test_a_closed_connection_refuses_calls(serving: Serving) -> None:
    qm = serving.connect()
    mqi = qm.mqi
    qm.close()
    qm.close()
    assert qm.closed
    with pytest.raises(flintmq.NotConnected):
        _ = qm.mqi
    with pytest.raises(flintmq.NotConnected):
        mqi.cmit()


def test_after_a_fork_the_child_is_refused_and_the_parent_goes_on(serving: Serving) -> None:
    with serving.connect() as qm:
        mqi = qm.mqi
        child = os.fork()
        if child == 0:
            code = 1
            try:
                mqi.cmit()
            except flintmq.UsedAfterFork:
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        mqi.cmit()


def test_what_a_lost_connection_did_not_commit_is_backed_out(serving: Serving) -> None:
    from flintmq.mqi.constants import MQPMO_SYNCPOINT
    from flintmq.mqi.md import MQMD
    from flintmq.mqi.od import MQOD
    from flintmq.mqi.pmo import MQPMO

    qm = serving.connect()
    od, pmo = MQOD(), MQPMO()
    od.object_name, pmo.options = QUEUE, MQPMO_SYNCPOINT
    qm.mqi.put1(od, MQMD(), pmo, b"gone")
    assert serving.qm.queue(QUEUE).depth == 1
    qm.mqi.wire.interrupt()
    with pytest.raises(flintmq.NotConnected) as broken:
        qm.mqi.cmit()
    assert broken.value.reason == rc.MQRC_CONNECTION_BROKEN
    until(lambda: serving.qm.queue(QUEUE).depth == 0, "what was not committed is backed out")


def test_a_client_that_hangs_up_is_no_error(serving: Serving, caplog: pytest.LogCaptureFixture) -> None:
    qm = serving.connect()
    (session,) = serving.channels.sessions
    qm.mqi.wire.drop()
    until(lambda: session not in serving.channels.sessions, "the session of the one that hung up ends")
    assert not [record for record in caplog.records if record.name == "asyncio"]
