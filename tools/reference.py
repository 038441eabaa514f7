"""Makes reference pages from the tables that the programs themselves run on.

    python tools/reference.py mqsc > docs/reference/mqsc.md
    python tools/reference.py reasons > docs/reference/reasons.md
    python tools/reference.py log-format > docs/internals/log-format.md
    python tools/reference.py page-set-format > docs/internals/page-set-format.md
    python tools/reference.py smf-fields > docs/reference/smf-fields.md
    python tools/reference.py smf-tables > docs/reference/smf-tables.md

The page of MQSC comes from command/model.py and catalogue/kinds/, with a sentence for each keyword from
reference_texts.py. Its examples are run against a queue manager in a temporary directory, and what each answers is on
the page. The pages of formats are the docstrings of the files that own the formats: tables of bytes are written once.
tests/house/test_reference.py fails when a page is not what this makes.
"""

from __future__ import annotations

import ast
import re
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")] if __name__ == "__main__" else []

import flintmq  # noqa: E402
from flintmq.catalogue.attribute import FLAG, HEX, INT, INTERVAL, LIST, NAME, STRING, Attribute, Value  # noqa: E402
from flintmq.catalogue.attributes import ATTRIBUTES, KIND_OF  # noqa: E402
from flintmq.catalogue.limits import COMMAND_LEVEL  # noqa: E402
from flintmq.command import messages, status  # noqa: E402
from flintmq.command.form import (  # noqa: E402
    CHANNEL_PROFILE,
    CONNECTION_ID,
    GENERIC_CONNECTION_ID,
    GENERIC_NAME,
    GENERIC_SUBSCRIPTION_NAME,
    GENERIC_TRACE_TYPE,
    NO_NAME,
    OBJECT_NAME,
    OPTIONAL_NAME,
    SUBSCRIPTION_NAME,
    TOPIC_STRING,
    TRACE_TYPE,
    USER_NAME,
    Form,
)
from flintmq.command.model import FORMS, VERBS  # noqa: E402
from flintmq.command.parser import NOUN_SYNONYMS, VERB_SYNONYMS  # noqa: E402
from flintmq.log import LogConfig  # noqa: E402
from flintmq.mqi.reason import completion, reason_name, reason_names  # noqa: E402
from flintmq.mqi.reason_text import TEXTS as REASON_TEXTS  # noqa: E402
from flintmq.qmgr.channel_control import ChannelControl, Row  # noqa: E402
from tools import reference_texts as texts  # noqa: E402
from tools import smf_fields, smf_tables  # noqa: E402

#: Lines of text are no longer; rows of tables are.
WIDTH = 120

MQSC_HEAD = """\
# MQSC

Every command, with its parameters, an example and its answer. This page is made from the command model by
`python tools/reference.py mqsc`. Commands, keywords and message numbers are MQ's (command level {level}); the wording
of messages is ours. How to run commands: [control commands](../control-commands.md). Missing features:
[limits](../limits.md).

    runmqsc QM1                                a queue manager that nobody else has open
    qm.mqsc("DISPLAY QLOCAL(*) CURDEPTH")      in a Python program that has it open

## How a command is written

    DEFINE QLOCAL(ORDERS.IN) MAXDEPTH(50000) +
           DESCR('orders from the shops')

- A command ends with its line, or with `;`. A line that ends with `+` goes on at the first character of the next line
  that is not blank; one that ends with `-` goes on at column 1.
- `*` in column 1 makes the line a comment.
- Words are converted to upper case. Text in single quotes is not converted; `''` is one quote.
- A line has at most 2048 characters, a command 32762.
- A name has at most 48 letters, digits and `. / _ %`. A storage class has 8, in upper case, and begins with no digit.
  Page sets and buffer pools are numbers from 0 to 99.
- A generic name is the beginning of a name and `*`. DISPLAY and RESET QSTATS take it.
{short}
- `END` ends the session.

## WHERE

`WHERE(keyword operator value)` filters the rows of DISPLAY. An object that does not have the attribute does not pass.

| operators | for |
|---|---|
| `LT` `GT` `EQ` `NE` `LE` `GE` | numbers and texts; words such as `ENABLED` with `EQ` and `NE` only |
| `LK` `NL` | texts: like, not like a generic value |
| `CT` `EX` | lists: contains, excludes the value |
| `CTG` `EXG` | lists: contains, excludes an element like the generic value |

## The commands
"""

MESSAGES_HEAD = """\

## Messages

The last letter is the severity: I information, W warning, E error, S severe. Scripts may look for the number. AMQ
numbers are those of MQ on Unix, CSQ numbers those of objects that only z/OS has.

| message | text | for the reasons |
|---|---|---|
"""

REASONS_HEAD = """\
# Reason codes

The most common reasons, with their remedies. This page is made by `python tools/reference.py reasons`. `mqrc 2053` or
`mqrc Q_FULL` explains one at the command line, and knows all {count} of the MQI and of commands. In Python a reason is
`error.reason` of [flintmq.MQError](../embedded.md). W marks reasons that come as a warning: the call was done.

| number | name | | meaning |
|---|---|---|---|
"""

LOG_FORMAT_HEAD = """\
# The log on disk

This page is made by `python tools/reference.py log-format` from the docstrings of the files that own the formats.
`flint inspect QM1/log` shows the content of a log. How a queue manager uses it:
[storage and recovery](../storage-and-recovery.md).

| structure | where | magic | version |
|---|---|---|---|
| a log file | `S0000000.LOG` ... | `FLINTLOG` | 1 |
| the control file | `control.lfh` | `FLINTCTL` | 1 |
| a record | in a log file | `FLR1` | in the magic |
| a message | in a record, and in a chunk of a page set | | 1 |
| a definition | in a record, and in page set 0 | | 1 |

Everything is little-endian. CRCs are CRC32C. A file with an unknown version is refused. A number is never reused for
another purpose.
"""

PAGE_SET_FORMAT_HEAD = """\
# A page set on disk

This page is made by `python tools/reference.py page-set-format` from the docstrings of the files that own the formats.
`flint inspect QM1/pageset/psid04` shows the content of a page set. Its purpose: [storage](../concepts/storage.md).

| structure | where | magic | version |
|---|---|---|---|
| where chunks are, counts, meta data | `data.mdb`, an LMDB environment | LMDB's, and `FLPS` | 3; 1 and 2 are read |
| chunks of messages, index buckets | `pages.dat` | `FLPF` | 1 |
| a chunk | in `pages.dat` | `FLCH` | 2; 1 is read |
| an index bucket | in `pages.dat` | `FLIX` | 1 |
| the seal | `data.seal` | `FLSEAL` | 1 |

A message in a chunk has the record that is described with [the log](log-format.md#a-message).
"""

#: Heading -> the file whose docstring follows it.
LOG_FORMAT = {
    "Positions and files": "log/segments.py",
    "Records": "log/record.py",
    "Compressed payloads": "log/compress.py",
    "Control file": "log/control.py",
    "Records of the queue manager": "qmgr/records.py",
    "A message": "qmgr/message.py",
    "A definition": "qmgr/catalogue.py",
    "Reading the log": "log/reader.py",
    "Replaying the log": "qmgr/restart.py",
    "The life of a log file, and invariants": "log/__init__.py",
}
PAGE_SET_FORMAT = {
    "Files": "store/lmdb_pageset.py",
    "One environment": "store/lmdb_part.py",
    "Span": "store/span.py",
    "Page file": "store/pagefile.py",
    "Chunk": "store/chunk.py",
    "Chunks by expiry": "store/expiry.py",
    "Index": "store/index.py",
    "Index directory": "store/lmdb_index.py",
    "Integrity of a file": "store/datafile.py",
    "Invariants": "store/__init__.py",
}

_NAMES = {
    NO_NAME: "",
    OBJECT_NAME: "(name)",
    GENERIC_NAME: "(name or generic name)",
    CONNECTION_ID: "(connection id)",
    GENERIC_CONNECTION_ID: "(connection id or generic id)",
    SUBSCRIPTION_NAME: "(any name)",
    GENERIC_SUBSCRIPTION_NAME: "(any name or generic name)",
    TOPIC_STRING: "(topic string)",
    USER_NAME: "(user)",
    OPTIONAL_NAME: "",
    CHANNEL_PROFILE: "(channel or generic channel)",
    TRACE_TYPE: "(type)",
    GENERIC_TRACE_TYPE: "(type or *)",
}

#: The tables of what DISPLAY shows beside definitions: title, attributes, the commands that show it.
STATUS_TABLES: list[tuple[str, Sequence[Attribute], str]] = [
    ("queue status", status.QUEUE_STATUS, "DISPLAY QSTATUS"),
    ("handles", status.QUEUE_HANDLE, "DISPLAY QSTATUS TYPE(HANDLE)"),
    ("queue statistics", status.QUEUE_STATISTICS, "RESET QSTATS"),
    ("connections", status.CONNECTION, "DISPLAY CONN"),
    ("handles of connections", status.CONNECTION_HANDLE, "DISPLAY CONN TYPE(HANDLE)"),
    ("channel status", status.CHANNEL_STATUS, "DISPLAY CHSTATUS"),
    ("listeners", status.LISTENER_STATUS, "DISPLAY LSSTATUS"),
    ("services", status.SERVICE_STATUS, "DISPLAY SVSTATUS"),
    ("queue manager status", status.Q_MGR_STATUS, "DISPLAY QMSTATUS"),
    ("subscription status", status.SUBSCRIPTION_STATUS, "DISPLAY SBSTATUS"),
    ("topic status", status.TOPIC_STATUS, "DISPLAY TPSTATUS"),
    ("subscribers of a topic", status.TOPIC_SUBSCRIPTION, "DISPLAY TPSTATUS TYPE(SUB)"),
    ("publishers to a topic", status.TOPIC_PUBLISHER, "DISPLAY TPSTATUS TYPE(PUB)"),
    ("publish and subscribe", status.PUBSUB_STATUS, "DISPLAY PUBSUB"),
    ("page sets", status.PAGE_SET_USAGE, "DISPLAY USAGE TYPE(PAGESET)"),
    ("buffer pools", status.BUFFER_POOL_USAGE, "DISPLAY USAGE TYPE(BUFFPOOL)"),
    ("log", status.LOG_STATE, "DISPLAY LOG, DISPLAY USAGE TYPE(DATASET)"),
]


# -- answers ----------------------------------------------------------------------------------------------------------


class Serving(ChannelControl):
    """A process that serves a client, as far as its commands are concerned."""

    def channel_status(self) -> list[Row]:
        return [{"CHANNEL": "ORDERS.SVRCONN", "CONNAME": "10.0.0.7", "STATUS": "RUNNING"}]

    def listener_status(self) -> list[Row]:
        return [{"LISTENER": "TCP.1", "STATUS": "RUNNING"}]

    def service_status(self) -> list[Row]:
        return [{"SERVICE": "ORDERS.MONITOR", "STATUS": "RUNNING", "PID": 4711}]

    def start_channel(self, name: str) -> int:
        return 0

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        return 0

    def start_listener(self, name: str) -> int:
        return 0

    def stop_listener(self, name: str) -> int:
        return 0

    def start_service(self, name: str) -> int:
        return 0

    def stop_service(self, name: str) -> int:
        return 0


def answers() -> dict[tuple[str, str], str]:
    """The first line that each command's example answers, run against a queue manager with a linear log."""
    found: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory(prefix="flint-reference-") as directory:
        log = LogConfig(file_pages=64, linear=True)
        with flintmq.open(Path(directory) / "QM1", log=log, application="orders") as qm:
            qm.queue("ORDERS.OLD", create=True)
            qm.queue("ORDERS.OUT", create=True).put(b"one")
            browser = iter(qm.queue("ORDERS.OUT").browse())
            qm._host.admin.channels = Serving()
            for form in _in_running_order():
                text = form.example
                if form.name == CONNECTION_ID:
                    row = qm.mqsc("DISPLAY CONN(*) WHERE(APPLTAG EQ 'stop me')").rows[0]
                    text = f"{form.verb} {form.noun}({row['CONN']})"
                if form.verb == "DISPLAY" and "TYPE(HANDLE)" in text:
                    text = text.replace("ORDERS.IN", "ORDERS.OUT")
                    next(browser)
                if form.noun == "CONN" and form.verb == "DISPLAY":
                    qm.connect("stop me")
                found[(form.verb, form.noun)] = str(qm.mqsc(text)).partition("\n")[0]
            browser.close()
    return found


def _in_running_order() -> list[Form]:
    """What is defined first can be shown and altered, and is deleted at the end, what leads to another object first."""
    verbs = "DEFINE ALTER SET DISPLAY PING REFRESH RESET ARCHIVE MOVE CLEAR START STOP RVERIFY DELETE".split()
    nouns = ["BUFFPOOL", "PSID", "STGCLASS"]

    def order(form: Form) -> tuple[int, int]:
        place = nouns.index(form.noun) if form.noun in nouns else len(nouns)
        return verbs.index(form.verb), -place if form.verb == "DELETE" else place

    return sorted(FORMS.values(), key=order)


# -- the page of MQSC -------------------------------------------------------------------------------------------------


def mqsc() -> str:
    """The text of docs/reference/mqsc.md."""
    answered = answers()
    lines = [MQSC_HEAD.format(level=COMMAND_LEVEL, short=_short_forms()), "| command | purpose |", "|---|---|"]
    for form in FORMS.values():
        lines.append(f"| [{title(form)}](#{anchor(title(form))}) | {form.summary} |")
    for form in FORMS.values():
        lines += ["", *command(form, answered[(form.verb, form.noun)])]
    for kind, attributes in ATTRIBUTES.items():
        lines += ["", *attribute_table(kind, attributes)]
    for name, shown, commands in STATUS_TABLES:
        lines += ["", *status_table(name, shown, commands)]
    lines.append(MESSAGES_HEAD.rstrip("\n"))
    lines += message_rows()
    return "\n".join(lines) + "\n"


def _short_forms() -> str:
    forms = [(short, word) for short, word in VERB_SYNONYMS.items() if word in VERBS] + list(NOUN_SYNONYMS.items())
    told = ", ".join(f"`{short}` {word}" for short, word in forms)
    return "\n  ".join(wrapped(f"- Short forms: {told}.", WIDTH - 2))


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """A paragraph in lines."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def title(form: Form) -> str:
    return f"{form.verb} {form.noun}"


def anchor(heading: str) -> str:
    """The anchor that Markdown viewers make of a heading."""
    return heading.lower().replace(" ", "-")


def command(form: Form, answer: str) -> list[str]:
    """The section of one command."""
    lines = [f"## {title(form)}", "", form.summary, "", f"    {form.example}", f"    {answer}", ""]
    lines += wrapped(f"Written `{title(form)}{_NAMES[form.name]}`." + _defaults(form))
    remark = texts.REMARKS.get(title(form))
    if remark:
        lines += ["", *wrapped(remark)]
    if form.options:
        lines += ["", "| parameter | values | default | |", "|---|---|---|---|"]
        for option in form.options:
            lines.append(_option(form, option))
    if form.settable:
        lines += ["", f"To set: {_attribute_link(form)}."]
    if form.shown:
        lines += ["", f"To show, each by its bare keyword: {_shown_links(form)}."]
    return lines


def _defaults(form: Form) -> str:
    if form.verb != "DEFINE":
        return ""
    default = KIND_OF[form.noun].default_object
    named = f" are those of `{default}`, which can be altered" if default else " are those of the table"
    return f" Omitted attributes have the defaults; these{named}."


def _option(form: Form, option: Attribute) -> str:
    values = "a filter" if option.keyword == "WHERE" else values_of(option)
    default = "needed" if option.keyword in form.required else _default(option)
    text = texts.OPTIONS[option.keyword]
    return f"| `{option.keyword}` | {values} | {default} | {text} |"


def _attribute_link(form: Form) -> str:
    kind = form.kind or form.noun
    also = "; those marked *DEFINE only* stay as they are" if any(each.fixed for each in ATTRIBUTES[kind]) else ""
    also = also if form.verb == "ALTER" else ""
    return f"[attributes of {kind}](#{anchor(_attribute_title(kind))}){also}"


def _shown_links(form: Form) -> str:
    if form.kind == "QUEUE":
        kinds = ["QLOCAL", "QALIAS", "QREMOTE", "QMODEL"]
        return "the attributes of " + ", ".join(f"[{kind}](#{anchor(_attribute_title(kind))})" for kind in kinds)
    shown = {id(attribute) for attribute in form.shown}
    links = [
        f"[{name}](#{anchor(_status_title(name))})"
        for name, attributes, _ in STATUS_TABLES
        if shown & {id(attribute) for attribute in attributes}
    ]
    kind = form.kind or form.noun
    if kind in ATTRIBUTES and shown & {id(attribute) for attribute in ATTRIBUTES[kind]}:
        links.insert(0, f"[attributes of {kind}](#{anchor(_attribute_title(kind))})")
    return ", ".join(links)


def values_of(attribute: Attribute) -> str:
    """What may stand between the parentheses, or the bare words."""
    parts = [f"`{word}`" for word in attribute.words]
    if attribute.kind == INT:
        parts.append(f"{attribute.low} to {attribute.high}")
    elif attribute.kind == INTERVAL:
        parts.append("minutes, or minutes.seconds, or 0" + (", or -1" if attribute.low < 0 else ""))
    elif attribute.kind == LIST:
        parts.append(f"up to {attribute.count_max} names")
    elif attribute.kind == NAME:
        parts.append(f"a name of up to {attribute.length}")
    elif attribute.kind == HEX:
        parts.append(f"{2 * attribute.length} hexadecimal digits")
    elif attribute.kind == STRING:
        parts.append(f"a text of up to {attribute.length} bytes")
    return (", or " if attribute.kind == INT else ", ").join(parts) + (", bare" if attribute.kind == FLAG else "")


def _default(attribute: Attribute) -> str:
    value: Value = attribute.default
    if attribute.kind == FLAG and value not in attribute.words:
        return ""
    return f"`{value}`" if value not in ("", []) else "blank"


def _attribute_title(kind: str) -> str:
    return f"Attributes of {kind}"


def _status_title(name: str) -> str:
    return f"Shown of {name}"


def attribute_table(kind: str, attributes: Sequence[Attribute]) -> list[str]:
    """All attributes of one kind of object."""
    lines = [f"## {_attribute_title(kind)}", ""]
    if kind in ("LOG", "SYSTEM"):
        lines += [f"`SET {kind}` changes them for the running queue manager; the next start has the defaults.", ""]
    lines += ["| keyword | values | default | |", "|---|---|---|---|"]
    for attribute in attributes:
        remarks = [texts.text_of(kind, attribute.keyword)]
        if attribute.synonyms:
            remarks.append("also written " + ", ".join(f"`{synonym}`" for synonym in attribute.synonyms))
        if attribute.word_synonyms:
            remarks.append(", ".join(f"`{one}` is `{other}`" for one, other in attribute.word_synonyms.items()))
        if attribute.fixed:
            remarks.append("*DEFINE only*")
        if attribute.read_only:
            remarks.append("*shown only*")
        elif texts.is_kept_only(kind, attribute.keyword):
            remarks.append("*kept; nothing acts on it yet*")
        values, default = values_of(attribute), _default(attribute)
        if attribute.read_only:
            values, default = ", ".join(f"`{word}`" for word in attribute.words), ""
        lines.append(f"| `{attribute.keyword}` | {values} | {default} | {'; '.join(remarks)} |")
    return lines


def status_table(name: str, attributes: Sequence[Attribute], commands: str) -> list[str]:
    """What a status display shows."""
    lines = [
        f"## {_status_title(name)}",
        "",
        f"By {commands}. A keyword for which there is nothing to say is left out.",
        "",
    ]
    lines += ["| keyword | |", "|---|---|"]
    for attribute in attributes:
        lines.append(f"| `{attribute.keyword}` | {texts.text_of(name, attribute.keyword)} |")
    return lines


def message_rows() -> list[str]:
    """Every message, in order of number, with the reasons that lead to it."""
    rows = []
    for number, text in sorted(messages.MESSAGES.items()):
        reasons = [reason for reason, each in messages.REASON_MESSAGES.items() if each == number]
        told = ", ".join(f"{reason} {reason_name(reason)}" for reason in reasons)
        if number == "AMQ8101S":
            told = "any other"
        shown = re.sub(r"\{(\w+)\}", lambda insert: f"*{insert[1]}*", text)
        rows.append(f"| {number} | {shown} | {told} |")
    return rows


# -- the page of reason codes -----------------------------------------------------------------------------------------


def reasons() -> str:
    """The text of docs/reference/reasons.md."""
    lines = [REASONS_HEAD.format(count=len(reason_names())).rstrip("\n")]
    for code in sorted(REASON_TEXTS):
        warning = "W" if completion(code) == 1 else ""
        lines.append(f"| {code} | {reason_name(code)} | {warning} | {REASON_TEXTS[code]} |")
    return "\n".join(lines) + "\n"


# -- formats ----------------------------------------------------------------------------------------------------------


def formats(head: str, files: dict[str, str]) -> str:
    """A page that consists of docstrings. Their tables are indented, which is what Markdown wants."""
    lines = [head.rstrip("\n")]
    for heading, name in files.items():
        text = ast.get_docstring(ast.parse((ROOT / "src" / "flintmq" / name).read_text()), clean=False)
        assert text is not None, name
        lines += ["", f"## {heading}", "", f"`{name}`: " + text.strip("\n")]
    return "\n".join(lines) + "\n"


def log_format() -> str:
    """The text of docs/internals/log-format.md."""
    return formats(LOG_FORMAT_HEAD, LOG_FORMAT)


def page_set_format() -> str:
    """The text of docs/internals/page-set-format.md."""
    return formats(PAGE_SET_FORMAT_HEAD, PAGE_SET_FORMAT)


#: Name -> directory in docs, and the function that makes the page.
PAGES: dict[str, tuple[str, Callable[[], str]]] = {
    "mqsc": ("reference", mqsc),
    "reasons": ("reference", reasons),
    "log-format": ("internals", log_format),
    "page-set-format": ("internals", page_set_format),
    "smf-fields": ("reference", smf_fields.page),
    "smf-tables": ("reference", smf_tables.page),
}


def main(arguments: list[str]) -> int:
    """Print the page that is named."""
    if len(arguments) != 1 or arguments[0] not in PAGES:
        print(f"usage: python tools/reference.py {'|'.join(PAGES)}", file=sys.stderr)
        return 2
    print(PAGES[arguments[0]][1](), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
