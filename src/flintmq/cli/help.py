"""flint help: list the commands, or explain one.

    flint help
    flint help version
    flint help --markdown > docs/reference/cli.md

`--markdown` prints the reference page of all commands.
"""

from __future__ import annotations

import argparse

from flintmq.cli import _failure, main

NAME = "help"
SUMMARY = "list the commands, or explain one"

_REFERENCE_HEAD = """\
# Commands

`./flint NAME` in a working copy, `flint NAME` after `pip install`. This page is made from the commands themselves by
`./flint help --markdown`. The classic names (`crtmqm`, `runmqsc` ...) are installed as commands of their own as well.
`./flint test` belongs to the launcher: see [the test-suite](../getting-started.md#the-test-suite).
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("command", nargs="?", help="the command to explain")
    parser.add_argument("--markdown", action="store_true", help="print the reference page of all commands")


def run(options: argparse.Namespace) -> int:
    if options.markdown:
        print(reference(), end="")
    elif options.command is None:
        print("FlintMQ, an MQ-compatible queue manager.\n\nusage: flint COMMAND [options]\n")
        names = main.command_names()
        width = max(len(name) for name in names)
        for name in names:
            print(f"  {name:<{width}}  {main.load(name).SUMMARY}")
        print(f"\n  {'test':<{width}}  run the test-suite (in a working copy: ./flint test)")
        print("\n`flint help COMMAND` explains one.")
    elif options.command in main.command_names():
        main.parser_of(main.load(options.command), f"flint {options.command}").print_help()
    else:
        raise _failure.CommandFailed(f"there is no command {options.command!r}; `flint help` lists them", exit_code=2)
    return 0


def reference() -> str:
    """The text of docs/reference/cli.md. Options are left to `--help`, whose layout depends on Python's version."""
    commands = [main.load(name) for name in main.command_names()]
    lines = [_REFERENCE_HEAD, "| command | what it does |", "|---|---|"]
    lines += [f"| [`flint {command.NAME}`](#flint-{command.NAME}) | {command.SUMMARY} |" for command in commands]
    for command in commands:
        _, _, text = command.__doc__.strip().partition("\n")
        lines += ["", f"## flint {command.NAME}", "", command.SUMMARY[0].upper() + command.SUMMARY[1:] + "."]
        lines += ["", text.strip("\n")]
    return "\n".join(lines) + "\n"
