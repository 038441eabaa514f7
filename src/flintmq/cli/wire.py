"""flint wire: see the data flows between clients and a queue manager.

    flint wire record --port 1415 --to 127.0.0.1:1414 day.wire
    flint wire show day.wire
    flint wire show --hex --socket 1 day.wire

`record` listens on 127.0.0.1, forwards what arrives to the queue manager and back, and writes each segment to the file
and, in words, to the screen; point the client at its port. It ends with Ctrl-C. Passwords are masked in both; the data
of messages is not. Data in TLS is forwarded, and cannot be read. `show` prints a recording again.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal

from flintmq.cli._failure import CommandFailed
from flintmq.host.private import opener
from flintmq.mqi.printable import printable
from flintmq.server.recorder import Line, NotARecording, Recorder, read, to_file, words

NAME = "wire"
SUMMARY = "record what clients and a queue manager say, and show it"

LOOPBACK = "127.0.0.1"


def arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(dest="what", required=True, metavar="record|show")
    record = what.add_parser("record", help="stand between clients and a queue manager")
    record.add_argument("--port", type=int, default=1415, help="where to listen (1415)")
    record.add_argument("--address", default=LOOPBACK, help="on which address (127.0.0.1)")
    record.add_argument("--to", default=f"{LOOPBACK}:1414", metavar="HOST:PORT", help="the queue manager")
    record.add_argument("--quiet", action="store_true", help="write to the file only")
    record.add_argument("file", help="where the recording goes; it must not exist")
    show = what.add_parser("show", help="print a recording")
    show.add_argument("--hex", action="store_true", help="with the bytes of each segment")
    show.add_argument("--socket", type=int, help="only this socket")
    show.add_argument("file", help="a recording")


def run(options: argparse.Namespace) -> int:
    return _record(options) if options.what == "record" else _show(options)


def _record(options: argparse.Namespace) -> int:
    host, _, port = options.to.rpartition(":")
    if not host or not port.isdigit():
        raise CommandFailed(f"--to {options.to}: HOST:PORT is expected", exit_code=2)
    with open(options.file, "x", encoding="utf-8", opener=opener) as file, contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options, (host, int(port)), file))
    return 0


async def _serve(options: argparse.Namespace, target: tuple[str, int], file: object) -> None:
    to_disk = to_file(file)  # type: ignore[arg-type]

    def write(line: Line) -> None:
        to_disk(line)
        if not options.quiet:
            print(*map(printable, words(line)), sep="\n", flush=True)

    server = await Recorder(target, write).listen(options.address, options.port)
    address, port = server.sockets[0].getsockname()[:2]
    print(f"Recording: clients of {address}({port}) are served by {target[0]}({target[1]}).", flush=True)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    server.close()


def _show(options: argparse.Namespace) -> int:
    try:
        with open(options.file, encoding="utf-8") as file:
            for line in read(file):
                if options.socket is None or line["socket"] == options.socket:
                    print(*map(printable, words(line, options.hex)), sep="\n")
    except (NotARecording, UnicodeDecodeError) as error:
        raise CommandFailed(f"{options.file}: {error}") from None
    return 0
