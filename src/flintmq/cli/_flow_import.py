"""flint flow import-copybook: turn a COBOL copybook or a C header into a message set of YAML.

    flint flow import-copybook ORDER.cpy
    flint flow import-copybook ORDER.cpy -o Orders.mset.yaml --encoding cp037
    flint flow import-copybook order.h --c -o Orders.mset.yaml

The message set has the format CWF1 for the bytes and XML1 for XML. What the importer does not use is printed with its
line; the exit code is 0 all the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flintmq.cli._failure import CommandFailed

NAME = "import-copybook"
FILE_BYTES_MAX = 8 << 20


def add(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the actions of `flint flow`."""
    parser = actions.add_parser(NAME, help="turn a COBOL copybook or C header into a message set", allow_abbrev=False)
    parser.add_argument("file", type=Path, help="the copybook, or the header with --c")
    parser.add_argument("-o", dest="out", type=Path, metavar="OUT", help="write the YAML here instead of printing it")
    parser.add_argument("--c", dest="is_c", action="store_true", help="the file is a C header")
    parser.add_argument("--encoding", default="utf-8", metavar="NAME", help="character set of the file: cp037, latin-1")
    parser.add_argument("--form", choices=("auto", "fixed", "free"), default="auto", help="form of COBOL source")
    parser.add_argument("--hide-fillers", action="store_true", help="FILLER items are not in the tree")
    parser.add_argument("--blank-numbers", action="store_true", help="numbers of blanks or X'00' are NULL")
    parser.add_argument("--name", default="", metavar="SET", help="the name of the message set; else that of the file")


def run(options: argparse.Namespace) -> int:
    """Import the file and write the message set."""
    from flintmq.broker.errors import BrokerError
    from flintmq.broker.formats.c_header import import_c_header
    from flintmq.broker.formats.copybook import CopybookOptions, import_copybook
    from flintmq.broker.formats.model_yaml import to_yaml

    file: Path = options.file
    if file.stat().st_size > FILE_BYTES_MAX:
        raise CommandFailed(f"{file} is larger than {FILE_BYTES_MAX} bytes: this is no copybook")
    try:
        text = file.read_bytes().decode(options.encoding)
    except LookupError:
        raise CommandFailed(f"there is no character set {options.encoding}", exit_code=2) from None
    except UnicodeError as error:
        hint = "name its character set with --encoding"
        raise CommandFailed(f"{file} is not text of {options.encoding}: {error.reason}; {hint}") from None  # type: ignore[attr-defined]
    name = options.name or file.name.partition(".")[0]
    try:
        if options.is_c:
            message_set = import_c_header(text, name)
        else:
            chosen = CopybookOptions(
                form=options.form,
                fillers="hidden" if options.hide_fillers else "named",
                blank_numbers="null" if options.blank_numbers else "error",
            )
            message_set = import_copybook(text, name, chosen)
    except BrokerError as error:
        place = f"{file}:{error.line}" if error.line else str(file)
        raise CommandFailed(f"{place}: {error.text}") from None
    for note in message_set.notes:
        sys.stderr.write(f"{file}: {note}\n")
    made = to_yaml(message_set)
    if options.out is None:
        sys.stdout.write(made)
    else:
        options.out.write_text(made, encoding="utf-8")
    return 0
