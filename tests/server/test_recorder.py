"""The recording proxy: it forwards every byte, writes every segment, and no password."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.server.recorder import Line, NotARecording, Recorder, read, words
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.describe import describe, name_of
from tests.interop.test_tshark import Recorded
from tests.wire.mq.peer import World

PASSWORD = "s3cret-word"


def a_talk() -> tuple[bytes, bytes]:
    """What a client says, and what the queue manager answers."""
    peer = Recorded(World())
    peer.agree()
    peer.connect(password=PASSWORD)
    peer.put(peer.opened("DEV.QUEUE.1", 0x10), b"x" * 70_000)
    peer.disconnect()
    said = b"".join(data for client, data in peer.traffic if client)
    return said, b"".join(data for client, data in peer.traffic if not client)


def proxied(said: bytes, answered: bytes, step: int = 1000) -> tuple[bytes, bytes, list[Line]]:
    """What arrived on either side of a recorder, and what it wrote."""
    lines: list[Line] = []

    async def go() -> tuple[bytes, bytes]:
        heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def queue_manager(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            heard.set_result(await reader.read(-1))
            writer.write(answered)
            writer.close()

        behind = await asyncio.start_server(queue_manager, "127.0.0.1", 0)
        server = await Recorder(behind.sockets[0].getsockname(), lines.append).listen("127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for start in range(0, len(said), step):
            writer.write(said[start : start + step])
            await writer.drain()
        writer.write_eof()
        got = await heard, await reader.read(-1)
        writer.close()
        server.close()
        behind.close()
        return got

    return *asyncio.run(go()), lines


def test_every_byte_is_forwarded_and_every_segment_written() -> None:
    said, answered = a_talk()
    there, back, lines = proxied(said, answered)
    assert (there, back) == (said, answered)
    for who, data in (("client", said), ("server", answered)):
        kinds = [seg.read(bytes.fromhex(line["raw"])).kind for line in lines if line.get("from") == who]
        assert kinds == [segment.kind for segment in seg.Splitter().feed(data)]


def test_no_password_is_written() -> None:
    said, answered = a_talk()
    assert PASSWORD.encode() in said
    *_, lines = proxied(said, answered)
    for line in lines:
        assert PASSWORD.encode().hex() not in line.get("raw", "")
    (given,) = [line for line in lines if "raw" in line and seg.read(bytes.fromhex(line["raw"])).kind == 0x0A]
    assert given["raw"].endswith("2a" * len("app" + PASSWORD))


def test_what_is_no_segment_is_forwarded_and_counted() -> None:
    handshake = bytes([0x16, 3, 1, 2, 0]) + bytes(500)
    there, _, lines = proxied(handshake, b"")
    assert there == handshake
    assert sum(line.get("unread", 0) for line in lines) == len(handshake)
    assert not any("raw" in line for line in lines)


def test_a_segment_is_told_in_words() -> None:
    said, answered = a_talk()
    told = [describe(segment) for segment in seg.Splitter().feed(said)]
    assert "INITIAL_DATA" in told[0] and "channel DEV.APP.SVRCONN" in told[0] and "sharing 10" in told[0]
    assert any("MQPUT " in line and "first" in line and "conversation 1" in line for line in told)
    assert sum("MQPUT " in line for line in told) == 3
    assert any("MQOPEN_REPLY" in describe(segment) for segment in seg.Splitter().feed(answered))


def test_every_type_has_a_name() -> None:
    assert name_of(0x81) == "MQCONN" and name_of(0x9F) == "MQSUBRQ_REPLY" and name_of(0xBA) == "XA_COMPLETE_REPLY"
    assert name_of(0x77) == "type 0x77" and name_of(0x11) == "type 0x11"


@pytest.mark.parametrize("length", [0, 3, 12, 27])
def test_a_segment_that_breaks_off_is_told_as_far_as_it_goes(length: int) -> None:
    for kind in range(256):
        for order in (1, 2):
            header = b"TSH " + (28 + length).to_bytes(4, "big") + bytes([order, kind, 0x30, 0]) + bytes(16)
            assert describe(seg.read(header + bytes(length)))


def test_a_recording_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said, answered = a_talk()
    *_, lines = proxied(said, answered)
    path = tmp_path / "day.wire"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert main(["wire", "show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "connected from 127.0.0.1" in shown and "-> TSHM MQPUT " in shown and "<- TSHM MQPUT_REPLY" in shown
    assert main(["wire", "show", "--hex", str(path)]) == 0
    assert "TSHM" in capsys.readouterr().out.partition("54534")[2]
    assert main(["wire", "show", "--socket", "9", str(path)]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("text", ["", "{}", "nonsense", '{"time": 1, "socket": 1, "from": "client", "raw": "00"}'])
def test_a_file_that_is_no_recording_is_refused(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other"
    path.write_text(text + "\n")
    assert main(["wire", "show", str(path)]) == 1
    assert "line 1 is not a line of a recording" in capsys.readouterr().err
    with pytest.raises(NotARecording):
        list(read(io.StringIO(text + "\n")))


def test_a_recording_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "there"
    path.write_text("kept")
    assert main(["wire", "record", str(path)]) == 1
    assert path.read_text() == "kept" and "there" in capsys.readouterr().err
    assert main(["wire", "record", "--to", "nowhere", str(tmp_path / "new")]) == 2


def test_words_of_an_event() -> None:
    assert words({"time": 1.5, "socket": 2, "event": "closed"}) == ["    1.5000   2    closed"]
