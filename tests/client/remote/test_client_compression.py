"""COMPHDR and COMPMSG, from the client's side: what is offered, what is agreed on, and what goes over the wire."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

import flintmq
from flintmq.client.remote.connect import Options, definitions_of
from flintmq.client.remote.session import AGREED, ClientSession
from flintmq.wire.mq import compression as comp
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq.errors import ChannelError
from flintmq.wire.mq.initial_data import InitialData
from tests.client.remote.serving import CHANNEL, QUEUE, Serving

TEXT = b"the same words again and again " * 8_000
NOISE = bytes((n * n * 7919 + n // 251) % 256 for n in range(50_000))


def allow(serving: Serving, headers: str, messages: str, sharing: int = 10) -> None:
    serving.qm.mqsc(
        f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) COMPHDR({headers}) COMPMSG({messages}) SHARECNV({sharing})"
    )


@pytest.mark.parametrize("sharing", [0, 1])
@pytest.mark.parametrize("technique", ["RLE", "ZLIBFAST", "ZLIBHIGH", "LZ4FAST", "LZ4HIGH"])
def test_messages_are_compressed_both_ways(serving: Serving, technique: str, sharing: int) -> None:
    allow(serving, "SYSTEM", "ANY", sharing)
    with serving.connect(message_compression=technique, header_compression="SYSTEM") as qm:
        agreed = qm.mqi.wire.session.compression
        assert agreed is not None
        assert (comp.NAMES[agreed.message], comp.NAMES[agreed.header]) == (technique, "SYSTEM")
        (session,) = serving.channels.sessions
        before = session.bytes_received
        queue = qm.queue(QUEUE)
        for data in (TEXT, b"", b"\xab" * 100, NOISE, bytes(200_000)):
            queue.put(data, wait=False, properties={"color": "red"})
        qm.flush()
        shorter = 60_000 if technique != "RLE" else 350_000
        assert session.bytes_received - before < shorter + len(NOISE)
        seen = [message.data for message in queue.browse(read_ahead=True)]
        assert seen == [TEXT, b"", b"\xab" * 100, NOISE, bytes(200_000)]
        assert [queue.get(wait=5.0).data for _ in range(5)] == seen


@pytest.mark.parametrize(
    ("headers", "messages", "offered", "agreed"),
    [
        ("NONE", "NONE", "ZLIBFAST", None),
        ("NONE", "RLE,ZLIBHIGH", "ZLIBFAST, ZLIBHIGH, RLE", "ZLIBHIGH"),
        ("SYSTEM", "ANY", "", None),
        ("SYSTEM", "ANY", "NONE", None),
    ],
)
def test_the_first_technique_that_the_channel_allows_is_taken(
    serving: Serving, headers: str, messages: str, offered: str, agreed: str | None
) -> None:
    allow(serving, headers, messages)
    with serving.connect(message_compression=offered) as qm:
        made = qm.mqi.wire.session.compression
        assert (None if made is None else comp.NAMES[made.message]) == agreed
        qm.queue(QUEUE).put(TEXT)
        assert qm.queue(QUEUE).get().data == TEXT


def test_tasks_compress_too(serving: Serving) -> None:
    allow(serving, "SYSTEM", "ANY")

    async def main() -> bytes:
        async with flintmq.aconnect(
            "QM1", channel=CHANNEL, conn=serving.conn, message_compression="ZLIBFAST", header_compression="SYSTEM"
        ) as qm:
            queue = await qm.queue(QUEUE)
            await queue.put(TEXT)
            return (await queue.get(wait=5.0)).data

    assert asyncio.run(main()) == TEXT


def test_a_table_says_what_is_compressed_and_how_conversations_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MQSERVER", raising=False)
    channel = {
        "name": CHANNEL,
        "clientConnection": {"connection": [{"host": "h"}], "queueManager": "QM1"},
        "connectionManagement": {"sharingConversations": 0},
        "compression": {"header": ["system"], "message": ["zlibfast", "rle"]},
    }
    path = tmp_path / "ccdt.json"
    path.write_text(json.dumps({"channel": [channel]}))
    (made,) = definitions_of("QM1", Options(ccdt=str(path)))
    assert (made.sharing, made.header_compression) == (0, (comp.SYSTEM,))
    assert made.message_compression == (comp.ZLIBFAST, comp.RLE)
    (made,) = definitions_of("QM1", Options(ccdt=str(path), sharing=1, message_compression="LZ4FAST"))
    assert (made.sharing, made.message_compression) == (1, (comp.LZ4FAST,))
    channel["compression"] = {"message": ["gzip"]}
    path.write_text(json.dumps({"channel": [channel]}))
    with pytest.raises(flintmq.NotConnected, match="GZIP is no technique"):
        definitions_of("QM1", Options(ccdt=str(path)))


@pytest.mark.parametrize(
    "options",
    [{"message_compression": "SYSTEM"}, {"header_compression": "RLE"}, {"message_compression": "X"}, {"sharing": -1}],
)
def test_what_cannot_be_is_refused_before_anything_is_sent(options: Options) -> None:
    with pytest.raises(ValueError):
        definitions_of("QM1", Options(channel=CHANNEL, conn="h", **options))


def agreed(header: int, message: int) -> ClientSession:
    """A session whose server has chosen."""
    session = ClientSession(CHANNEL, "QM1", 1, 1, (comp.SYSTEM,), (comp.ZLIBFAST, comp.RLE))
    session.offer()
    answer = InitialData()
    answer.fap_level, answer.cap_flags_1, answer.conversations_per_socket = 12, 0x26, 1
    answer.max_transmission_size, answer.max_message_size = 32748, 4 * 1024 * 1024
    answer.header_compression = bytes([header]).ljust(2, b"\xff")
    answer.message_compression = bytes([message]).ljust(16, b"\xff")
    session.received(seg.write(seg.INITIAL_DATA, 0, False, seg.tail(False, 1208), answer.pack(False, 1208)))
    return session


def test_a_technique_that_was_not_offered_is_not_the_protocol() -> None:
    assert agreed(comp.SYSTEM, comp.RLE).state == AGREED
    with pytest.raises(ChannelError, match="was not offered"):
        agreed(comp.SYSTEM, comp.LZ4HIGH)


def test_what_is_compressed_has_zeros_up_to_a_multiple_of_four() -> None:
    """As IBM's client for Java sends it."""
    session = agreed(comp.SYSTEM, comp.ZLIBFAST)
    for length in range(20):
        segment = seg.read(session.request(seg.MQOPEN, 0, b" " * 200 + bytes(range(length))))
        assert segment.flags_2 == comp.HDRCOMP | comp.CSH and len(segment.body) % 4 == 0


@pytest.mark.parametrize("body", [b"", bytes(23), bytes(24), bytes(30), bytes(24) + b"\xff\xff\0\x02" + bytes(50)])
@pytest.mark.parametrize("flags", [comp.MSGCOMP, comp.MSGCOMP | comp.CSH, comp.HDRCOMP, comp.HDRCOMP | comp.CSH])
def test_a_pushed_segment_that_cannot_be_expanded_ends_the_connection(body: bytes, flags: int) -> None:
    session = agreed(comp.SYSTEM, comp.ZLIBFAST)
    tail = seg.tail(False, 1208)
    data = seg.write_m(seg.ASYNC_MESSAGE, seg.ONLY, 1, 1, False, tail, body, flags)
    with pytest.raises(ChannelError):
        session.received(data)
