"""Results of a flow as files: names, writing, comparing with expectations.

    out/QUEUE.xml           the body of a message that was put; a second one to the same queue is QUEUE#2.xml
    published/TOPIC.json    a publication
    reply/200.json          the answer to an HTTP request, with its status
    requests/NODE.http      a request that an HTTP or SOAP node sent: method and URL, an empty line, the body
    files/NAME              a file that was written
    emails/NODE.txt         an e-mail: addresses and subject, an empty line, the text
    failure.txt             the entries of the exception that the flow did not handle, outermost first
    nothing.txt             nothing of all this

The suffix says how a body is compared: `.xml` and `.json` as trees (white space between elements and the order of
attributes do not matter), `.mxml` as a recorded message with its headers, all others byte by byte. A character that may
not stand in a file name is written as %XX. Nothing is ever written outside of the directory that is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.function import FlowResult
from flintmq.broker.formats.registry import Context, format_of
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.difference import compare_trees
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.mxml import differences, read_mxml, write_mxml

#: Directories of outputs, in the order in which they are shown.
FOLDERS: Final = ("out", "published", "reply", "files", "emails", "requests")
FAILURE: Final = "failure.txt"
NOTHING: Final = "nothing.txt"
_DOMAINS: Final = {".xml": "XMLNSC", ".json": "JSON"}
_NAME_MAX: Final = 120
_SHOWN_MAX: Final = 60
#: An expected file that is larger is refused: it was not recorded by us.
BYTES_MAX: Final = 256 << 20


@dataclass(slots=True)
class Output:
    """One thing that left a flow. `name` is that of its file without the suffix; of `files`, the whole name."""

    folder: str
    name: str
    data: bytes
    #: The message tree, where there is one.
    root: Element | None = None
    node: str = ""

    @property
    def file_name(self) -> str:
        """Return the name that a new file gets."""
        return self.name if self.folder == "files" else self.name + suffix_of(self.data, self.folder)


def suffix_of(data: bytes, folder: str = "out") -> str:
    """Return the suffix for a body, by its first characters."""
    if folder == "requests":
        return ".http"
    if folder == "emails":
        return ".txt"
    start = data.lstrip()[:1]
    if start == b"<":
        return ".xml"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ".bin"
    if start in (b"{", b"["):
        return ".json"
    return ".txt" if all(letter.isprintable() or letter in "\r\n\t" for letter in text) else ".bin"


def safe_name(name: str) -> str:
    """Return a name that stays within its directory."""
    made = quote(name, safe=" ._-()+,=@~")[:_NAME_MAX]
    return "%2E" + made[1:] if made.startswith(".") else made or "%20"


def outputs_of(result: FlowResult) -> list[Output]:
    """Return everything that left a flow, with names that are unique within their directory."""
    found: list[Output] = []
    for put, message in zip(result.recorder.puts, result.messages, strict=True):
        found.append(Output("out", put.queue, message.body, put.root, put.node))
    for publication, message in zip(result.recorder.publications, result.published, strict=True):
        for topic in publication.topics:
            found.append(Output("published", topic, message.body, publication.root, publication.node))
    for reply in result.recorder.replies:
        found.append(Output("reply", str(reply.status), reply.body, reply.root, reply.node))
    for request in result.recorder.requests:
        head = f"{request.method} {request.url}\n\n".encode()
        found.append(Output("requests", request.node.rpartition(".")[2], head + request.body, None, request.node))
    for name, data in result.files.items():
        found.append(Output("files", name, data))
    for email in result.emails:
        lines = [("To", ", ".join(email.to)), ("Cc", ", ".join(email.cc)), ("Bcc", ", ".join(email.bcc))]
        lines += [("From", email.sender), ("Subject", email.subject)]
        text = "".join(f"{key}: {value}\n" for key, value in lines if value) + "\n"
        found.append(
            Output("emails", email.node.rpartition(".")[2], text.encode() + email.text, email.root, email.node)
        )
    taken: dict[tuple[str, str], int] = {}
    for output in found:
        output.name = safe_name(output.name)
        number = taken[output.folder, output.name] = taken.get((output.folder, output.name), 0) + 1
        if number > 1:
            output.name += f"#{number}"
    return found


def failure_text(error: BrokerError) -> str:
    """Return the entries of an exception, one line each: number and node, then the text of the cause."""
    lines = [f"BIP{entry.number} {entry.node_label}".rstrip() for entry in error.chain()]
    lines[-1] += f": {error.root_cause().text}"
    return "\n".join(lines) + "\n"


# Writing.


def write_outputs(
    place: Path, outputs: Sequence[Output], failure: BrokerError | None = None, nothing: bool = True
) -> list[Path]:
    """Write outputs below a directory and return the files. Expectations of an earlier run are replaced.

    Without outputs, `nothing` says whether to write that down. Where a file of the same name with another suffix is
    there, its form is kept: a `.mxml` stays a `.mxml`.
    """
    before = {path for folder in FOLDERS for path in expected_files(place, folder)}
    written: list[Path] = []
    for output in outputs:
        folder = place / output.folder
        there = next((path for path in before if path.parent == folder and _stem(path) == output.name), None)
        path = folder / output.file_name
        data = output.data
        if there is not None and there.suffix == ".mxml" and output.root is not None:
            path, data = there, write_mxml(Assembly(output.root))
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written.append(path)
    if failure is not None:
        place.mkdir(parents=True, exist_ok=True)
        path = place / FAILURE
        path.write_text(failure_text(failure), encoding="utf-8")
        written.append(path)
    else:
        (place / FAILURE).unlink(missing_ok=True)
    if written or not nothing:
        (place / NOTHING).unlink(missing_ok=True)
    else:
        place.mkdir(parents=True, exist_ok=True)
        (place / NOTHING).write_text("Nothing leaves the flow.\n", encoding="utf-8")
        written.append(place / NOTHING)
    for path in before - set(written):
        path.unlink()
        if not any(path.parent.iterdir()):
            path.parent.rmdir()
    return written


def has_expectations(place: Path) -> bool:
    """Return whether a directory has expectations of outputs."""
    return any((place / name).exists() for name in (*FOLDERS, FAILURE, NOTHING))


def expected_files(place: Path, folder: str) -> Iterator[Path]:
    """Yield the files of one directory of expectations, in order."""
    directory = place / folder
    if directory.is_dir():
        for path in sorted(directory.iterdir()):
            if path.is_file() and not path.name.startswith("."):
                yield path


def _stem(path: Path) -> str:
    return path.name if path.parent.name == "files" else path.name[: -len(path.suffix)] if path.suffix else path.name


# Comparing.


def compare_outputs(
    place: Path, outputs: Sequence[Output], failure: BrokerError | None, ignore: Sequence[str] = ()
) -> list[str]:
    """Return the differences from the expectations below a directory, one line each; [] if nothing does.

    Requests are compared only if there is a directory `requests`: they often hold values that change from run to run.
    """
    lines = _compare_failures(place / FAILURE, failure)
    for folder in FOLDERS:
        if folder == "requests" and not (place / folder).is_dir():
            continue
        found = {output.name: output for output in outputs if output.folder == folder}
        for path in expected_files(place, folder):
            output = found.pop(_stem(path), None)
            if output is None:
                lines.append(f"{folder}/{path.name}: missing; there is {_told(outputs, folder)}")
            else:
                lines += [f"{folder}/{path.name}: {line}" for line in compare_output(path, output, ignore)]
        for output in found.values():
            lines.append(f"{folder}/{output.file_name}: not expected ({len(output.data)} bytes)")
    return lines


def _told(outputs: Sequence[Output], folder: str) -> str:
    names = [output.name for output in outputs if output.folder == folder]
    return ", ".join(names[:10]) or f"nothing in {folder}"


def _compare_failures(path: Path, failure: BrokerError | None) -> list[str]:
    if not path.is_file():
        return [] if failure is None else [f"the flow failed: {failure}"]
    expected = _read(path).decode("utf-8", "replace").split()
    if failure is None:
        return [f"{FAILURE}: the flow did not fail; expected {' '.join(expected[:1])}"]
    found = failure_text(failure)
    return [] if found.split() == expected else [f"{FAILURE}: {line}" for line in _lines(path, found.encode())]


def compare_output(path: Path, output: Output, ignore: Sequence[str] = ()) -> list[str]:
    """Return the differences between an expected file and an output."""
    data = _read(path)
    if path.suffix == ".mxml":
        if output.root is None:
            return ["there is no message tree to compare; use another suffix"]
        return differences(read_mxml(data), Assembly(output.root), list(ignore), ("message",))
    if data == output.data:
        return []
    domain = _DOMAINS.get(path.suffix)
    if domain is not None:
        return _compare_trees(domain, data, output.data, ignore)
    return _lines(path, output.data)


def _compare_trees(domain: str, expected: bytes, found: bytes, ignore: Sequence[str]) -> list[str]:
    trees = []
    for data, whose in ((expected, "the expected file"), (found, "the message")):
        try:
            trees.append(format_of(domain).parse(data, Context()))
            _build(trees[-1])
        except BrokerError as error:
            return [f"{whose} cannot be read as {domain}: {error}"]
    return compare_trees(trees[0], trees[1], domain, ignore)


def _build(element: Element) -> None:
    """Build all elements, so that a malformed body shows here."""
    work = [element]
    while work:
        work.extend(work.pop().children())


def _lines(path: Path, found: bytes) -> list[str]:
    """Return the first difference of two texts by line, of other bytes by position."""
    expected = _read(path)
    if expected == found:
        return []
    try:
        left, right = expected.decode("utf-8").splitlines(), found.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        pairs = zip(expected, found, strict=False)
        at = next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(expected), len(found)))
        one, other = found[at : at + 1].hex() or "the end", expected[at : at + 1].hex() or "the end"
        return [f"byte {at + 1}: {one}, expected {other}; {len(found)} bytes, expected {len(expected)}"]
    for number in range(max(len(left), len(right))):
        a = left[number] if number < len(left) else None
        b = right[number] if number < len(right) else None
        if a != b:
            return [f"line {number + 1}: {_shown(b)}, expected {_shown(a)}"]
    return ["the ends of lines differ"]


def _shown(line: str | None) -> str:
    if line is None:
        return "nothing"
    return repr(line if len(line) <= _SHOWN_MAX else line[: _SHOWN_MAX - 3] + "...")


def _read(path: Path) -> bytes:
    if path.stat().st_size > BYTES_MAX:
        raise OSError(0, f"the file is larger than {BYTES_MAX} bytes", str(path))
    return path.read_bytes()
