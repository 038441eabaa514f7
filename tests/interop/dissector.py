"""Wireshark's dissector: a capture file of what was said on sockets, and what tshark reads in it."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PORT = 1414
#: It takes the offsets of strings from the start of the segment, and shows the format id of an xid as text.
KNOWN = "Trailing stray characters"
#: (number of the socket, from the client, bytes)
Said = tuple[int, bool, bytes]
_PART = 1400
_FIRST_PORT = 50000
_PUSH_ACK = 0x18


def capture(said: Iterable[Said]) -> bytes:
    """A capture file: link type raw IP, checksums left out. The client's ports are 50000 and the socket's number."""
    return b"".join([struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 20, 101), *_packets(said)])


def _packets(said: Iterable[Said]) -> Iterator[bytes]:
    positions: dict[tuple[int, bool], int] = {}
    moment = 0
    for number, client, whole in said:
        ports = (_FIRST_PORT + number, PORT) if client else (PORT, _FIRST_PORT + number)
        addresses = bytes([10, 0, 0, 1, 10, 0, 0, 2]) if client else bytes([10, 0, 0, 2, 10, 0, 0, 1])
        for start in range(0, len(whole), _PART):
            data = whole[start : start + _PART]
            moment += 1
            at, heard = positions.get((number, client), 1), positions.get((number, not client), 1)
            positions[number, client] = at + len(data)
            tcp = struct.pack(">HHIIBBHHH", *ports, at, heard, 0x50, _PUSH_ACK, 65535, 0, 0)
            ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(data), moment & 0xFFFF, 0, 64, 6, 0) + addresses
            yield struct.pack("<IIII", moment, 0, 40 + len(data), 40 + len(data)) + ip + tcp + data


class Frame(NamedTuple):
    """What is read in one packet."""

    number: int
    #: The types of the segments that end in it.
    kinds: list[int]
    #: One line on the segments.
    summary: str
    #: What is not right with it; empty if nothing is.
    complaint: str


def dissected(path: Path, reassembly: bool = True) -> list[Frame]:
    """All packets of a capture file.

    With reassembly a call that is spread over several segments is read, and listed, once more as a whole; without,
    each segment is listed once.
    """
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (apt install tshark): nobody else reads what we send")
    command = [tshark, "-r", str(path), "-d", f"tcp.port=={PORT},mq", "-o", f"mq.reassembly:{str(reassembly).upper()}"]
    fields = ["frame.number", "mq.tsh.type", "_ws.col.Info", "_ws.malformed", "_ws.expert.message"]
    command += ["-T", "fields", *(word for field in fields for word in ("-e", field))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return [_frame(*line.split("\t")) for line in ran.stdout.splitlines()]


def _frame(number: str, kinds: str, summary: str, malformed: str, experts: str) -> Frame:
    said = [words for words in experts.split(",") if words and words != KNOWN]
    if malformed:
        said.append("malformed")
    if kinds and "Unknown" in summary:
        said.append("a segment of a type that it does not know")
    return Frame(int(number), [int(kind, 16) for kind in kinds.split(",") if kind], summary, "; ".join(said))
