"""The ring of trace records, and what it looks like in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.mqi.trace_words import CALL_NAMES, MQCTL, MQGET, MQPUT
from flintmq.telemetry.trace_file import DATA_MAX, ENTRY, EXIT, RECEIVED, NotATrace, TraceFile, read
from flintmq.telemetry.trace_format import lines

#: 2023-11-14 22:13:20 UTC.
NOW = 1_700_000_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace" / "QM1.TRC"


def test_what_is_written_is_read_also_while_the_file_is_open(path: Path) -> None:
    file = TraceFile(path, "QM1", 8)
    file.add(NOW, 3, EXIT, MQPUT, 2, 2053, 2, 120, 4, "ORDERS.IN", "orders", b"abc")
    (event,) = read(path)
    assert (event.sequence, event.time_us, event.task, event.event, event.call) == (1, NOW, 3, EXIT, MQPUT)
    assert (event.completion, event.reason, event.handle, event.length, event.spent_us) == (2, 2053, 2, 120, 4)
    assert (event.name, event.application, event.data, event.more) == ("ORDERS.IN", "orders", b"abc", False)
    file.close()
    assert len(list(read(path))) == 1


def test_a_full_file_is_written_over_from_its_beginning(path: Path) -> None:
    file = TraceFile(path, "QM1", 4)
    for number in range(10):
        file.add(NOW, number, ENTRY)
    assert [(event.sequence, event.task) for event in read(path)] == [(7, 6), (8, 7), (9, 8), (10, 9)]
    assert path.stat().st_size == 64 + 4 * 256
    file.close()


def test_what_is_too_long_is_cut(path: Path) -> None:
    file = TraceFile(path, "QM1", 2)
    file.add(NOW, 2**40, EXIT, length=2**40, name="x" * 100, application="é" * 40, data=bytes(1000))
    (event,) = read(path)
    assert (len(event.name), len(event.data), event.more, event.length) == (48, DATA_MAX, True, 2**32 - 1)
    file.close()


@pytest.mark.parametrize("content", [b"", b"FLINTTRC", b"something else".ljust(64), b"FLINTTRC\0\x02".ljust(64, b"\0")])
def test_what_is_no_trace_file_is_named(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(NotATrace, match=r"QM1\.TRC"):
        list(read(path))


def test_a_file_that_is_cut_off_says_where(path: Path) -> None:
    TraceFile(path, "QM1", 4).add(NOW, 1, ENTRY)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(NotATrace, match="cut off at record 1"):
        list(read(path))


def test_every_call_has_its_name() -> None:
    assert (CALL_NAMES[MQPUT], CALL_NAMES[MQGET], CALL_NAMES[MQCTL]) == ("MQPUT", "MQGET", "MQCTL")


def test_a_record_is_a_line_and_data_follows(path: Path) -> None:
    file = TraceFile(path, "QM1", 8)
    file.add(NOW + 123, 3, ENTRY, MQPUT, handle=2, name="ORDERS.IN", application="orders")
    file.add(NOW + 127, 3, EXIT, MQPUT, 2, 2053, 2, 5, 4, "ORDERS.IN", "orders", b"hello")
    file.add(NOW + 130, 3, EXIT, MQGET, 0, -1, 2, name="ORDERS.IN", application="orders")
    file.add(NOW + 140, 1, RECEIVED, length=64, name="127.0.0.1(50123)", data=b"TSHM MQPUT 652")
    said = list(lines(read(path)))
    file.close()
    assert said[0].split() == "22:13:20.000123 task 3 orders MQPUT > hobj 2 ORDERS.IN".split()
    assert (
        said[1].split()
        == "22:13:20.000127 task 3 orders MQPUT < hobj 2 ORDERS.IN 5 bytes 2053 MQRC_Q_FULL 4 us".split()
    )
    assert said[2].split() == ["0000", "68", "65", "6c", "6c", "6f", "hello"]
    assert said[3].endswith("ORDERS.IN  waits")
    assert said[4].split() == "22:13:20.000140 socket 1 127.0.0.1(50123) segment > TSHM MQPUT 652".split()
