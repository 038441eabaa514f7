"""`flint`: finds the command's file, parses its arguments, runs it, and turns every ending into an exit code.

    ending                                   printed on standard error                 exit code
    run() returns n                          nothing                                   n
    wrong arguments                          usage, and what is wrong                  2
    CommandFailed, an error of FlintMQ's     flint NAME: the error's own text          the error's, or 1
    OSError                                  flint NAME: what and which file           1
    Ctrl-C                                   nothing                                   130
    the reader of our output went away       nothing                                   141
    anything else: a bug                     flint NAME: what and where; FLINT_DEBUG   71, MQ's "unexpected error"

With FLINT_DEBUG=1 each of these errors comes with its traceback. Only the file of the command that is run is imported.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import pkgutil
import sys
import traceback
from pathlib import PurePath
from typing import Protocol, cast

import flintmq.cli

EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
EXIT_UNEXPECTED = 71


class Command(Protocol):
    """The interface of a module of a command."""

    #: Its help: what it does and an example. Shown by `--help` and in the reference.
    __doc__: str
    #: What the user types: the file's name, with `-` for `_`.
    NAME: str
    #: One line for the list of commands.
    SUMMARY: str

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Called once before parsing: declare options. Classic ones are spelled as in MQ (`-m`, `-lc`)."""

    def run(self, options: argparse.Namespace) -> int:
        """Called once with the parsed options. Prints its result, returns the exit code, raises on failure."""


def command_names() -> list[str]:
    """Every command there is, by the files in this room."""
    files = [module.name for module in pkgutil.iter_modules(flintmq.cli.__path__)]
    return sorted(name.replace("_", "-") for name in files if name != "main" and not name.startswith("_"))


def load(name: str) -> Command:
    return cast(Command, importlib.import_module(f"flintmq.cli.{name.replace('-', '_')}"))


def parser_of(command: Command, called: str) -> argparse.ArgumentParser:
    """The command's own parser. No abbreviations: `-lc` and `-l` are two options."""
    parser = argparse.ArgumentParser(
        prog=called,
        description=command.__doc__.strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.arguments(parser)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """The entry point of `flint`. Always returns an exit code, except for argparse's own exits."""
    words = sys.argv[1:] if arguments is None else arguments
    name = words[0] if words else "help"
    rest = words[1:]
    if name in ("-h", "--help"):
        name = "help"
    elif name in ("-V", "--version"):
        name = "version"
    return run_command(name, rest, f"flint {name}")


def classic() -> int:
    """The entry point of the classic names: `crtmqm QM1` is `flint crtmqm QM1`."""
    name = PurePath(sys.argv[0]).stem
    return run_command(name, sys.argv[1:], name)


def run_command(name: str, words: list[str], called: str) -> int:
    if name not in command_names():
        print(f"flint: there is no command {name!r}; `flint help` lists them", file=sys.stderr)
        return 2
    # Commands print what a user should see; the error log has the rest. Without this Python would print it, too.
    logging.getLogger("flintmq").addHandler(logging.NullHandler())
    try:
        command = load(name)
        options = parser_of(command, called).parse_args(words)
        code = command.run(options)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Standard output is gone; the interpreter must not try to flush it again on the way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE
    except Exception as error:
        return report(error, called)


def report(error: Exception, called: str) -> int:
    """Print one line about `error`; its exit code."""
    if os.environ.get("FLINT_DEBUG") == "1":
        traceback.print_exception(error)
    ours = type(error).__module__.partition(".")[0] == "flintmq"
    if ours:
        text = str(error)
        code = int(getattr(error, "exit_code", 1))
    elif isinstance(error, OSError):
        what = error.strerror or type(error).__name__
        text = f"{what}: {error.filename}" if error.filename else str(error) or what
        code = 1
    else:
        text = f"unexpected {type(error).__name__}: {error}{place_of(error)}; FLINT_DEBUG=1 shows more"
        code = EXIT_UNEXPECTED
    print(f"{called}: {' '.join(text.split())}", file=sys.stderr)
    return code


def place_of(error: Exception) -> str:
    """Where in our own source the error came from, for a bug report."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "flintmq" in frame.filename]
    if not inside:
        return ""
    return f" in {PurePath(inside[-1].filename).name}:{inside[-1].lineno} ({inside[-1].name})"
