"""flint inspect: show the content of a log file, a control file, a page set, or a directory of them.

    flint inspect QM1/log/S0000000.LOG
    flint inspect QM1/pageset/psid00 --hex
    flint inspect QM1 | less

Nothing is changed, and nothing has to be in order: parts that do not validate are named with their places, and the rest
is still shown. A log that is in use can be looked at. The exit code is 1 if something is damaged.
"""

from __future__ import annotations

import argparse
import struct
from collections.abc import Iterator
from pathlib import Path

from flintmq.cli._failure import CommandFailed
from flintmq.log.errors import LogError
from flintmq.log.files import RealFiles
from flintmq.log.inspect import inspect_file, recognises
from flintmq.mqi.printable import printable
from flintmq.qmgr.calls import BadLogRecord
from flintmq.qmgr.calls import describe as describe_record
from flintmq.store.errors import PageSetError
from flintmq.store.inspect import is_page_set, page_set_lines

NAME = "inspect"
SUMMARY = "show what is in a log file, a control file or a page set"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, help="a file, or a directory that holds such files")
    parser.add_argument("--hex", action="store_true", help="show the bytes of log records and messages too")


def run(options: argparse.Namespace) -> int:
    path: Path = options.path
    if not path.exists():
        raise CommandFailed(f"{path}: there is no such file or directory")
    known = [path] if path.is_file() else list(known_files(path))
    if not known:
        raise CommandFailed(f"{path}: there is no log file, control file or page set in it")
    damaged = False
    for number, file in enumerate(known):
        print(f"{chr(10) if number else ''}{file}")
        try:
            for line in lines_of(file, options.hex):
                print(printable(line))
                damaged = damaged or "DAMAGED" in line
        except (LogError, PageSetError) as error:
            print(f"DAMAGED: {error}")
            damaged = True
    return 1 if damaged else 0


def known_files(directory: Path) -> Iterator[Path]:
    """The files below a directory that can be shown, in order."""
    for path in sorted(directory.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                start = file.read(8)
            if recognises(start) or is_page_set(str(path)):
                yield path


def lines_of(path: Path, hex_dump: bool) -> Iterator[str]:
    if is_page_set(str(path)):
        return page_set_lines(str(path), hex_lines if hex_dump else None, thorough=True)

    def describe(kind: int, payload: bytes) -> str:
        try:
            text = describe_record(kind, payload)
        except (BadLogRecord, struct.error) as error:
            text = f"cannot be explained: {error}"
        return text + hex_lines(payload) if hex_dump else text

    return inspect_file(RealFiles(), str(path), describe)


def hex_lines(data: bytes) -> str:
    """Sixteen bytes a line, as numbers and as characters, each line after a line break."""
    lines = [""]
    for start in range(0, len(data), 16):
        part = data[start : start + 16]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in part)
        lines.append(f"      {start:08x}  {part.hex(' '):<47}  {shown}")
    return "\n".join(lines)
