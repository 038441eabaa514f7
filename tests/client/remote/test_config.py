"""What a client is not told by the program: MQSERVER, mqclient.ini, and the channel definition table."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

import flintmq
from flintmq.client.remote import ccdt, config, tls
from flintmq.client.remote.connect import Options, definitions_of
from flintmq.client.remote.definition import Address
from flintmq.mqi import reason as rc
from tests.client.remote.serving import CHANNEL, Serving
from tests.waiting import PATIENCE


@pytest.fixture(autouse=True)
def nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB", "MQCLNTCF", "MQSSLKEYR", "MQCERTLABL", "MQAPPLNAME",
                 "MQOUTBOUND_SNI"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def table(path: Path, *channels: dict[str, object]) -> Path:
    path.write_text(json.dumps({"channel": list(channels)}))
    return path


def channel(name: str, q_mgr: str, *conn: tuple[str, int], **management: object) -> dict[str, object]:
    places = [{"host": host, "port": port} for host, port in conn]
    return {
        "name": name,
        "type": "clientConnection",
        "clientConnection": {"connection": places, "queueManager": q_mgr},
        "connectionManagement": management,
        "transmissionSecurity": {},
    }


def test_mqserver_says_where(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", f"{CHANNEL}/TCP/{serving.conn}")
    monkeypatch.setenv("MQAPPLNAME", "from outside")
    with flintmq.connect("QM1") as qm:
        queue = qm.queue("DEV.QUEUE.1")
        queue.put(b"")
        assert queue.get().application == "from outside"


@pytest.mark.parametrize("text", ["", "C", "C/TCP", "C/TCP/", "C/SNA/h", "/TCP/h(1)", "C/TCP/h(x)"])
def test_mqserver_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(flintmq.NotConnected) as wrong:
        config.read_server(text)
    assert wrong.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR


def test_what_the_program_says_counts_more_than_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", "OTHER/TCP/elsewhere(1)")
    (definition,) = definitions_of("QM1", Options(channel="C", conn="h(2)"))
    assert (definition.channel, definition.addresses) == ("C", (Address("h", 2),))
    with pytest.raises(flintmq.NotConnected, match="belong together"):
        definitions_of("QM1", Options(channel="C"))


@pytest.mark.parametrize(
    ("stanza", "environment", "name"),
    [
        ("", "", "CHANNEL"),
        ("OutboundSNI=HOSTNAME", "", "HOSTNAME"),
        ("outboundsni = hostname", "", "HOSTNAME"),
        ("OutboundSNI=HOSTNAME", "CHANNEL", "CHANNEL"),
        ("OutboundSNI=nonsense", "*", "CHANNEL"),
        ("AllowOutboundSNI=NO", "", ""),
        ("AllowOutboundSNI=NO\n   OutboundSNI=CHANNEL", "", "CHANNEL"),
        ("AllowOutboundSNI=YES", "HOSTNAME", "HOSTNAME"),
    ],
)
def test_what_a_handshake_names_is_said_by_outboundsni(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stanza: str, environment: str, name: str
) -> None:
    """What is no value of it is the default, without a word, as in MQ."""
    (tmp_path / "mqclient.ini").write_text(f"SSL:\n   {stanza}\n" if stanza else "")
    monkeypatch.setenv("MQOUTBOUND_SNI", environment)
    (definition,) = definitions_of("QM1", Options(channel="A.B", conn="h(2)"))
    assert definition.protection.outbound_name == name
    named = {"CHANNEL": "a2e-b.chl.mq.ibm.com", "HOSTNAME": "h", "": ""}[name]
    assert tls.server_name(definition.protection, "A.B", "h") == named
    monkeypatch.setenv("MQCCDTURL", str(table(tmp_path / "ccdt.json", channel("A.B", "QM1", ("h", 2)))))
    (definition,) = definitions_of("QM1", Options())
    assert definition.protection.outbound_name == name


def test_mqclient_ini_is_read_where_it_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mqclient.ini").write_text(
        "# a comment\nCHANNELS:\n   ServerConnectionParms=C/TCP/h(2),i(3)\n   DefRecon=YES\n"
        "   ReconDelay=(1000,200)(2000)\n   MQReconnectTimeout=60\nTCP:\n   Connect_Timeout=7\n"
        "SSL:\n   SSLKeyRepository=/keys/mine\n   CertificateLabel=app\n"
    )
    said = config.settings()
    assert (said.reconnect, said.delays, said.reconnect_timeout_s) == ("yes", ((1000, 200), (2000, 0)), 60)
    (definition,) = definitions_of("QM1", Options())
    assert definition.addresses == (Address("h", 2), Address("i", 3)) and definition.timeout == 7
    assert definition.protection.key_repository == "/keys/mine" and definition.protection.certificate_label == "app"
    other = tmp_path / "other.ini"
    other.write_text("CHANNELS:\n   ServerConnectionParms=D/TCP/h(2)\n")
    monkeypatch.setenv("MQCLNTCF", str(other))
    assert definitions_of("QM1", Options())[0].channel == "D"


@pytest.mark.parametrize(
    "text",
    ["no stanza", "CHANNELS:\n DefRecon=MAYBE", "CHANNELS:\n ReconDelay=soon", "CHANNELS:\n MQReconnectTimeout=x"],
)
def test_mqclient_ini_that_cannot_be_read_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "mqclient.ini").write_text(text)
    with pytest.raises(flintmq.NotConnected) as wrong:
        config.settings()
    assert wrong.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR


def test_a_table_leads_to_the_queue_manager_by_its_name(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(
        tmp_path / "ccdt.json",
        channel("WRONG", "QM2", ("127.0.0.1", 1)),
        channel("NOT.THERE", "QM1", ("127.0.0.1", 1)),
        channel(CHANNEL, "QM1", ("127.0.0.1", 1), ("127.0.0.1", serving.port), clientWeight=5),
    )
    monkeypatch.setenv("MQCCDTURL", f"file://{path}")
    with flintmq.connect("QM1", timeout=PATIENCE) as qm:
        assert qm.name == "QM1"
    with pytest.raises(flintmq.NotConnected) as nobody:
        flintmq.connect("QM3")
    assert nobody.value.reason == rc.MQRC_Q_MGR_NAME_ERROR and str(path) in str(nobody.value)
    monkeypatch.delenv("MQCCDTURL")
    monkeypatch.setenv("MQCHLLIB", str(tmp_path))
    monkeypatch.setenv("MQCHLTAB", "ccdt.json")
    assert [each.channel for each in definitions_of("QM1", Options())] == ["NOT.THERE", CHANNEL]


def test_a_group_takes_any_queue_manager_and_a_name_only_its_own(
    serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = table(tmp_path / "ccdt.json", channel(CHANNEL, "GROUP", ("127.0.0.1", serving.port)))
    monkeypatch.setenv("MQCCDTURL", path.as_uri())
    with flintmq.connect("*GROUP") as qm:
        assert qm.name == "QM1"
    with pytest.raises(flintmq.NotConnected) as other:
        flintmq.connect("GROUP")
    assert other.value.reason == rc.MQRC_Q_MGR_NAME_ERROR


def test_weights_decide_how_often_a_channel_is_first() -> None:
    place = (Address("h"),)
    entries = [
        ccdt.Entry("HEAVY", "Q", place, 30, False),
        ccdt.Entry("LIGHT", "Q", place, 10, False),
        ccdt.Entry("B", "Q", place),
        ccdt.Entry("A", "Q", place),
        ccdt.Entry("OTHER", "P", place),
    ]
    chosen = [[each.name for each in ccdt.choose(entries, "Q")] for _ in range(400)]
    assert all(names[:2] == ["A", "B"] and sorted(names[2:]) == ["HEAVY", "LIGHT"] for names in chosen)
    first = Counter(names[2] for names in chosen)
    assert 220 < first["HEAVY"] < 380
    fixed = [ccdt.Entry(str(n), "Q", place, 5, True) for n in range(6)]
    assert len({tuple(each.name for each in ccdt.choose(fixed, "Q")) for _ in range(20)}) == 1


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"channel": 5}', '{"channel": [{"name": "C", "clientConnection": {}}]}',
     '{"channel": [{"name": "C", "clientConnection": {"connection": []}}]}',
     '{"channel": [{"name": "C", "clientConnection": {"connection": [{"host": "h", "port": "x"}]}}]}'],
)  # fmt: skip
def test_a_table_that_cannot_be_read_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ccdt.json"
    path.write_text(text)
    with pytest.raises(flintmq.NotConnected, match="ccdt.json") as wrong:
        ccdt.read(path)
    assert wrong.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR
    with pytest.raises(flintmq.NotConnected):
        ccdt.read(tmp_path / "not there")


def test_a_place_that_is_not_there_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user has no home, and a working directory may be removed under a program."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    with pytest.raises(RuntimeError):
        Path.home()

    assert config.ini_path() is None


@pytest.mark.parametrize("port", [0, -1, 65536, 2**40, "x", None])
def test_a_port_that_cannot_be_one_is_told_with_its_channel(tmp_path: Path, port: object) -> None:
    table = tmp_path / "ccdt.json"
    connection = {"connection": [{"host": "h", "port": port}]}
    table.write_text(json.dumps({"channel": [{"name": "A.B", "clientConnection": connection}]}))
    with pytest.raises(flintmq.MQError, match="channel 1 'A.B'") as refused:
        ccdt.read(table)
    assert refused.value.reason == rc.MQRC_CHANNEL_CONFIG_ERROR
