"""The sample programs: what they print, on a queue manager that runs."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from benchmarks.server.ports import free_port
from flintmq.cli import _samples
from flintmq.cli.amqsbcg import descriptor_lines, message_lines
from flintmq.cli.main import main
from flintmq.client.remote.connect import RemoteQueueManager
from flintmq.host import instance
from flintmq.mqi.md import MQMD
from flintmq.mqi.tmc2 import MQTMC2
from flintmq.server import process


class Shell:
    """Runs a command with standard input; what it printed."""

    def __init__(self, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch = patch
        self._capsys = capsys
        self.code = 0
        self.errors = ""

    def __call__(self, *words: str, given: str = "") -> list[str]:
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        self._capsys.readouterr()
        self.code = main(list(words))
        said = self._capsys.readouterr()
        self.errors = said.err
        return said.out.splitlines()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the queue manager that runs: another one if tests of this module come here once more."""
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def running(place: Path) -> Iterator[int]:
    """A queue manager that runs, and its port."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLINTMQ_DATA", str(place))
        port = free_port()
        assert main(["crtmqm", "--dev", "-q", "-p", str(port), "QM1"]) == 0
        process.start(instance.by_name("QM1"))
        yield port
        assert main(["endmqm", "-i", "QM1"]) == 0


@pytest.fixture
def shell(
    running: int,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Shell]:
    monkeypatch.setenv("FLINTMQ_DATA", str(place))
    monkeypatch.delenv("MQSERVER", raising=False)
    monkeypatch.delenv("MQSAMP_USER_ID", raising=False)
    yield Shell(monkeypatch, capsys)
    for number in (1, 2):
        main(["amqsget", "--wait", "0", f"DEV.QUEUE.{number}", "QM1"])


def connected(port: int, application: str = "") -> RemoteQueueManager:
    conn = f"127.0.0.1({port})"
    return flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn=conn, application=application)


def test_amqsput_puts_lines_and_amqsget_gets_them(shell: Shell) -> None:
    assert shell("amqsput", "DEV.QUEUE.1", "QM1", given="one\ntwo\n\nnot this\n") == [
        "Sample AMQSPUT0 start",
        "target queue is DEV.QUEUE.1",
        "Sample AMQSPUT0 end",
    ]
    assert shell("amqsget", "--wait", "0", "DEV.QUEUE.1") == [
        "Sample AMQSGET0 start",
        "message <one>",
        "message <two>",
        "no more messages",
        "Sample AMQSGET0 end",
    ]
    assert shell.code == 0


def test_options_as_numbers_are_told(shell: Shell) -> None:
    said = shell("amqsput", "DEV.QUEUE.1", "QM1", "8208", "0", "QM1", given="x\n")
    assert said[2:4] == ["open  options are 8208", "close options are 0"]
    assert shell("amqsget", "--wait", "0", "DEV.QUEUE.1", "QM1", "8196", "0")[1] == "open  options are 8196"


def test_a_queue_that_is_not_there_is_told_with_its_reason(shell: Shell) -> None:
    assert shell("amqsput", "NO.SUCH", "QM1")[2:] == [
        "MQOPEN ended with reason code 2085",
        "unable to open queue for output",
        "Sample AMQSPUT0 end",
    ]
    assert shell("amqsget", "NO.SUCH")[1:3] == ["MQOPEN ended with reason code 2085", "unable to open queue for input"]
    assert shell("amqsbcg", "NO.SUCH")[6] == " MQOPEN failed with CompCode:2, Reason:2085"
    assert shell.code == 1


def test_amqsgbr_shows_messages_and_leaves_them(shell: Shell) -> None:
    shell("amqsput", "DEV.QUEUE.1", given="one\n")
    for _ in range(2):
        assert [line.rstrip() for line in shell("amqsgbr", "DEV.QUEUE.1", "QM1")] == [
            "Sample AMQSGBR0 (browse) start",
            "QM1",
            "Messages for DEV.QUEUE.1",
            "1 <one>",
            "no more messages",
            "Sample AMQSGBR0 (browse) end",
        ]


def test_amqsbcg_shows_descriptor_and_data(shell: Shell, running: int) -> None:
    with connected(running, "the application") as qm:
        md = qm.queue("DEV.QUEUE.1").put(b"Browse me\x00\x01, please", priority=3, correlation_id=b"C" * 24)
        assert isinstance(md, bytes)
    said = shell("amqsbcg", "DEV.QUEUE.1", "QM1")
    assert said[:9] == [
        "",
        "AMQSBCG0 - starts here",
        "**********************",
        " ",
        " MQOPEN - 'DEV.QUEUE.1'",
        " ",
        " ",
        " MQGET of message number 1, CompCode:0 Reason:0",
        "****Message descriptor****",
    ]
    assert said[10] == "  StrucId  : 'MD  '  Version : 2"
    assert "  Priority : 3  Persistence : 0" in said
    assert f"  CorrelId : X'{'43' * 24}'" in said
    assert f"  PutApplName    : '{'the application':<28}'" in said
    assert f"  MsgId : X'{md.hex().upper()}'" in said
    start = said.index("****   Message      ****")
    assert said[start:] == [
        "****   Message      ****",
        " ",
        " length - 19 of 19 bytes",
        " ",
        "00000000:  4272 6F77 7365 206D 6500 012C 2070 6C65           'Browse me.., ple'",
        "00000010:  6173 65                                           'ase             '",
        " ",
        " ",
        " ",
        " No more messages ",
        " MQCLOSE",
        " MQDISC",
    ]


def test_amqsbcg_shows_properties_when_asked(shell: Shell, running: int) -> None:
    with connected(running) as qm:
        qm.queue("DEV.QUEUE.1").put(b"x", properties={"colour": "red", "number": 7})
    said = shell("amqsbcg", "DEV.QUEUE.1", "QM1", "1")
    start = said.index("****Message properties****")
    assert set(said[start + 2 : start + 4]) == {"  colour : 'red'", "  number : 7"}
    assert not any("Message properties" in line for line in shell("amqsbcg", "DEV.QUEUE.1", "QM1", "2"))


def test_amqsreq_asks_and_amqsech_answers(shell: Shell) -> None:
    asked = shell("amqsreq", "DEV.QUEUE.1", "QM1", "DEV.QUEUE.2", "--wait", "0", "0", given="hello\n")
    assert asked[:3] == ["Sample AMQSREQ0 start", "server queue is DEV.QUEUE.1", "replies to DEV.QUEUE.2".ljust(59)]
    assert asked[3:] == ["no more replies", "Sample AMQSREQ0 end"]
    trigger = MQTMC2()
    trigger.q_name, trigger.q_mgr_name = "DEV.QUEUE.1", "QM1"
    assert shell("amqsech", "--wait", "0", trigger.pack().decode()) == [
        "Sample AMQSECHA start",
        "hello",
        "MQGET ended with reason code 2033",
        "Sample AMQSECHA end",
    ]
    assert shell("amqsreq", "DEV.QUEUE.1", "QM1", "DEV.QUEUE.2", "--wait", "0", "0")[3] == "response <hello>"
    by_model = shell("amqsreq", "DEV.QUEUE.1", "QM1", "--wait", "0", "0")
    assert by_model[2].startswith("replies to ") and by_model[-1] == "Sample AMQSREQ0 end"


def test_amqspub_and_amqssub_say_what_they_do(shell: Shell) -> None:
    assert shell("amqspub", "dev/orders", "QM1", given="one\n")[1] == "target topic is dev/orders"
    assert shell("amqssub", "--wait", "0", "dev/orders") == [
        "Sample AMQSSUBA start",
        "Calling MQGET : 0 seconds wait time",
        "no more messages",
        "Sample AMQSSUBA end",
    ]


@pytest.mark.parametrize(
    "name", ["amqsput", "amqsget", "amqsgbr", "amqsbcg", "amqsreq", "amqsech", "amqspub", "amqssub"]
)
def test_without_arguments_a_sample_ends_with_99(shell: Shell, name: str) -> None:
    assert "arameter missing" in shell(name)[-1] or "Missing parameter" in shell(name)[-1]
    assert shell.code == 99


def test_a_queue_manager_that_is_not_there_is_told(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shell("amqsput", "Q", "NO.SUCH")[1] == "MQCONNX ended with reason code 2058"
    assert "NO.SUCH" in shell.errors
    monkeypatch.setenv("MQSERVER", "nonsense")
    shell("amqsput", "Q")
    assert "CHANNEL/TCP/host(port)" in shell.errors


def test_one_that_does_not_run_is_told(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is put into a queue manager that would end with the program: a non-persistent message would be lost."""
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    assert main(["crtmqm", "QM2"]) == 0
    assert shell("amqsput", "SYSTEM.DEAD.LETTER.QUEUE", "QM2", given="x\n")[1] == "MQCONNX ended with reason code 2059"
    assert shell.code == 2059 % 256
    assert "`strmqm` starts it" in shell.errors


def test_mqserver_leads_over_the_network(shell: Shell, running: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("amqsput", "DEV.QUEUE.1", "QM1", given="one\n")
    monkeypatch.setenv("MQSERVER", f"DEV.APP.SVRCONN/TCP/127.0.0.1({running})")
    assert shell("amqsget", "--wait", "0", "DEV.QUEUE.1", "QM1")[1] == "message <one>"
    monkeypatch.setenv("MQSERVER", f"NO.SUCH/TCP/127.0.0.1({running})")
    assert shell("amqsget", "DEV.QUEUE.1", "QM1")[1] == "MQCONNX ended with reason code 2540"
    assert shell.code == 2540 % 256


def test_a_user_gives_a_password(shell: Shell, running: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQSERVER", f"DEV.APP.SVRCONN/TCP/127.0.0.1({running})")
    monkeypatch.setenv("MQSAMP_USER_ID", "nobody")
    said = shell("amqsget", "--wait", "0", "DEV.QUEUE.1", "QM1", given="wrong\n")
    assert said[1:3] == ["Enter password: ", "MQCONNX ended with reason code 2035"]


def test_the_descriptor_is_shown_whatever_is_in_it() -> None:
    md = MQMD()
    md.format = "MQSTR"
    assert "  Format : 'MQSTR   '" in descriptor_lines(md)
    assert message_lines(b"", 0)[5] == f"00000000:  {'':<50}'{'':<16}'"


def test_a_message_moves_no_cursor_at_a_terminal_and_is_as_it_is_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 14, item 6."""
    assert _samples.text(b"a\x1b[2J\n") == "a\x1b[2J\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert _samples.text(b"a\x1b[2J\n") == "a\\x1b[2J\\n"
