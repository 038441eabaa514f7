"""Runs TDML files: test cases of DFDL processors, each with a schema, data and the expected infoset or error.

    python tools/tdml.py DIR|FILE...          one line per file: passed, failed, out of the declared subset
    python tools/tdml.py --failures FILE...   and each failure with its reason
    python tools/tdml.py --outside FILE...    and why cases are outside of the subset

A case is outside of the declared subset if loading its schema gives a notice "not supported", or if it tests something
that is not reading or writing (external variables, tunables). Everything else counts: a case passes if the
tree is equal to the expected infoset (parser cases), if the bytes are equal (unparser cases and round trips), or if the
error that is expected is raised (negative cases): when the schema is loaded for a schema definition error, else when
the data is read or written. Texts of errors are another processor's and are not compared.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from lxml import etree

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.dfdl_properties import DefinitionError
from flintmq.broker.formats.dfdl_schema import SchemaReader
from flintmq.broker.formats.model import literals
from flintmq.broker.formats.model.calendars import DATE, DATE_TIME, TIME, CalendarPattern
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.expression import text_of
from flintmq.broker.formats.model.plan import Plan, plan_of
from flintmq.broker.formats.model.read import read_message
from flintmq.broker.formats.model.schema import CharacterClass, Message
from flintmq.broker.formats.model.validate import problems
from flintmq.broker.formats.model.write import write_message
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import NAME, NAME_VALUE
from flintmq.broker.values import Date, Time, Timestamp

TDML = "http://www.ibm.com/xmlns/dfdl/testData"
XS = "http://www.w3.org/2001/XMLSchema"
DFDL = "http://www.ogf.org/dfdl/dfdl-1.0/"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
EXAMPLE = "http://example.com"
Node = Any


@dataclass
class Outcome:
    """How one case ended."""

    file: str
    name: str
    #: passed, failed, outside
    result: str
    reason: str = ""
    kind: str = "parse"


@dataclass
class Suite:
    """One TDML file."""

    path: Path
    root: Node
    #: Directories where resources are looked for, after that of the file.
    search: list[Path]
    schemas: dict[str, bytes] = field(default_factory=dict)
    messages: dict[tuple[str, str, str | None], tuple[Message, list[str]] | DefinitionError] = field(
        default_factory=dict
    )
    readers: dict[str, SchemaReader] = field(default_factory=dict)

    def open(self, path: str) -> bytes | None:
        """Return a document by path: an embedded schema, or a file below the search path."""
        if path in self.schemas:
            return self.schemas[path]
        found = self.find(path)
        return found.read_bytes() if found is not None else None

    def find(self, path: str) -> Path | None:
        """Return a resource, relative to the file or from the top of the search path."""
        for candidate in (self.path.parent / path, *(root / path.lstrip("/") for root in self.search)):
            try:
                if candidate.is_file():
                    return candidate
            except OSError:
                continue
        if path.startswith("./"):
            # IBM's files name another directory than the one they are in.
            return self.find(Path(path).name)
        base = Path(path)
        if base.is_absolute() and base.is_file():
            return base
        return None

    def message(self, model: str, root: str, namespace: str | None) -> tuple[Message, list[str]]:
        """Return the message of a case. Raises DefinitionError."""
        key = (model, root, namespace)
        known = self.messages.get(key)
        if known is None:
            try:
                reader = self.readers.setdefault(model, SchemaReader(self._opener(model)))
                known = reader.message(model, root, namespace)
            except DefinitionError as error:
                known = error
            self.messages[key] = known
        if isinstance(known, DefinitionError):
            raise known
        return known

    def _opener(self, model: str) -> Any:
        base = Path(model).parent if model not in self.schemas else Path()

        def open_document(path: str) -> bytes | None:
            data = self.open(path)
            if data is None and path.startswith(str(base) + "/"):
                data = self.open(path[len(str(base)) + 1 :])
            return data

        return open_document


def load_suite(path: Path, search: list[Path]) -> Suite:
    """Read a TDML file and the schemas in it."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False)
    root = etree.parse(str(path), parser).getroot()
    suite = Suite(path, root, search)
    for node in root.findall(f"{{{TDML}}}defineSchema"):
        suite.schemas[node.get("name")] = embedded_schema(node)
    return suite


def embedded_schema(node: Node) -> bytes:
    """Return the document of a tdml:defineSchema."""
    scope: dict[str | None, str] = {prefix: uri for prefix, uri in node.nsmap.items() if uri != TDML}
    scope.setdefault("xs", XS)
    scope.setdefault("dfdl", DFDL)
    scope.setdefault("fn", "http://www.w3.org/2005/xpath-functions")
    if node.get("useDefaultNamespace", "true") == "true":
        scope[None] = EXAMPLE
    else:
        scope.pop(None, None)
    scope.setdefault("tns", EXAMPLE)
    scope.setdefault("ex", EXAMPLE)
    schema = etree.Element(f"{{{XS}}}schema", nsmap=scope)
    schema.set("targetNamespace", EXAMPLE)
    schema.set("elementFormDefault", node.get("elementFormDefault", "qualified"))
    imports, tops, others = [], [], []
    for child in node:
        if not isinstance(child.tag, str):
            continue
        name = etree.QName(child)
        if name.namespace == XS and name.localname in ("include", "import"):
            imports.append(child)
        elif name.namespace == DFDL:
            tops.append(child)
        else:
            others.append(child)
    for child in imports:
        schema.append(_copied(child, schema))
    annotation = etree.SubElement(schema, f"{{{XS}}}annotation")
    appinfo = etree.SubElement(annotation, f"{{{XS}}}appinfo", source="http://www.ogf.org/dfdl/")
    for child in tops:
        appinfo.append(_copied(child, schema))
    for child in others:
        schema.append(_copied(child, schema))
    # Written and read again, so that names without prefix take the default namespace of the schema.
    return bytes(etree.tostring(schema))


def _copied(child: Node, schema: Node) -> Node:
    """Return a copy of a component with the prefixes of the schema."""
    text = etree.tostring(child, with_tail=False).decode()
    head, _, rest = text.partition(child.tag.rpartition("}")[2])
    declared = "".join(
        f' xmlns{":" + prefix if prefix else ""}="{uri}"'
        for prefix, uri in schema.nsmap.items()
        if not re.search(rf"\sxmlns{':' + prefix if prefix else ''}=", rest.split(">")[0])
    )
    local = child.tag.rpartition("}")[2]
    return etree.fromstring(f"{head}{local}{declared}{rest}")


# Data.


def document_of(suite: Suite, case: Node) -> tuple[bytes, int] | None:
    """Return the data of a case and its length in bits; None if it has none or an order of bits we have not."""
    document = case.find(f"{{{TDML}}}document")
    if document is None:
        return None
    parts = document.findall(f"{{{TDML}}}documentPart")
    if not parts:
        text = "".join(document.itertext())
        return _bits("".join(f"{byte:08b}" for byte in text.encode("utf-8")))
    if document.get("bitOrder") == "LSBFirst" or any(part.get("bitOrder") == "LSBFirst" for part in parts):
        return None
    bits = ""
    for part in parts:
        kind = part.get("type")
        text = "".join(part.itertext())
        if kind == "byte":
            bits += "".join(f"{int(digit, 16):04b}" for digit in re.findall(r"[0-9a-fA-F]", text))
            continue
        elif kind == "bits":
            bits += "".join(re.findall(r"[01]", re.sub(r"//.*", "", text)))
            continue
        elif kind == "file":
            found = suite.find(text.strip())
            if found is None:
                return None
            data = found.read_bytes()
        else:
            if part.get("replaceDFDLEntities") == "true":
                text = _replaced(text)
            name = part.get("encoding", "utf-8")
            if name.upper().startswith("X-DFDL"):
                return None
            data = text.encode(charset_of(name).codec)
        bits += "".join(f"{byte:08b}" for byte in data)
    return _bits(bits)


def _replaced(text: str) -> str:
    """Replace DFDL entities in a text."""
    result = ""
    for part in literals.delimiter(text).parts:
        if isinstance(part, CharacterClass):
            result += "\n" if part is CharacterClass.NEW_LINE else " "
        else:
            result += part.decode("latin-1") if isinstance(part, bytes) else part
    return result


def _bits(bits: str) -> tuple[bytes, int]:
    length = len(bits)
    bits += "0" * (-length % 8)
    return int("1" + bits, 2).to_bytes(length // 8 + 2, "big")[-((length + 7) // 8) :] if length else b"", length


# Infosets.


def infoset_of(suite: Suite, case: Node) -> Node | None:
    """Return the expected infoset of a case."""
    node = case.find(f"{{{TDML}}}infoset")
    if node is None:
        return None
    inner = node.find(f"{{{TDML}}}dfdlInfoset")
    if inner is None:
        return None
    if inner.get("type") == "file":
        found = suite.find("".join(inner.itertext()).strip())
        return None if found is None else etree.parse(str(found)).getroot()
    elements = [child for child in inner if isinstance(child.tag, str)]
    return elements[0] if elements else None


def shown_text(text: str) -> str:
    """Return a string as an infoset in XML shows it: no carriage returns, control characters in the private area."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        character
        if character >= " " and not "\ufffe" <= character <= "\uffff" or character in "\t\n"
        else chr(ord(character) + 0xE000)
        if character < " "
        else "\uf0fe"
        for character in text
    )


def data_text(text: str) -> str:
    """Return what a text of an infoset stands for: the reverse of `shown_text`."""
    return "".join(
        chr(ord(character) - 0xE000) if "\ue000" <= character <= "\ue01f" else character for character in text
    )


def difference(expected: Node, found: Element, path: str = "") -> str:
    """Return where a tree differs from an infoset; '' if it does not."""
    work: list[tuple[Node, Element, str]] = [(expected, found, path)]
    while work:
        node, element, where = work.pop()
        name = etree.QName(node)
        where = f"{where}/{name.localname}"
        if name.localname != element.name:
            return f"{where}: element {element.name}"
        children = [child for child in node if isinstance(child.tag, str)]
        made = element.children()
        if node.get(f"{{{XSI}}}nil") in ("true", "1"):
            if element.value is not None or made:
                return f"{where}: {element.value!r} instead of nil"
            continue
        if not children and not made:
            text = "".join(node.itertext())
            if element.type & 0xFF000000 == NAME:
                if text.strip():
                    return f"{where}: no value instead of {text!r}"
                continue
            if element.value is None:
                return f"{where}: nil instead of {text!r}"
            if not _same(text, element.value):
                return f"{where}: {element.value!r} instead of {text!r}"
            continue
        if len(children) != len(made):
            names = [etree.QName(child).localname for child in children]
            return f"{where}: children {[child.name for child in made][:12]} instead of {names[:12]}"
        for child, one in zip(reversed(children), reversed(made), strict=True):
            work.append((child, one, where))
    return ""


def _same(text: str, value: object) -> bool:
    if isinstance(value, str):
        return value == text or shown_text(value).strip() == text.strip()
    text = text.strip()
    try:
        if isinstance(value, bool):
            return text == ("true" if value else "false")
        if isinstance(value, float):
            expected = float(text.replace("INF", "inf"))
            if value != value:
                return expected != expected
            return value == expected or abs(value - expected) <= abs(expected) * 1e-6
        if isinstance(value, (int, Decimal)):
            return Decimal(text) == Decimal(value)
        if isinstance(value, bytes):
            return text.upper() == value.hex().upper()
        if isinstance(value, Date):
            return CalendarPattern("I", DATE).parse(text) == value
        if isinstance(value, Time):
            return _same_clock(CalendarPattern("I", TIME).parse(text), value)
        if isinstance(value, Timestamp):
            return _same_clock(CalendarPattern("I", DATE_TIME).parse(text), value)
    except (ValueError, ArithmeticError):
        return False
    return text_of(value) == text


def _same_clock(expected: Any, value: Any) -> bool:
    """Compare times; an infoset without a zone means UTC, as Daffodil compares them."""
    if value.gmt and not expected.gmt:
        return str(expected) == str(value)
    return bool(expected == value)


def tree_of(node: Node) -> Element:
    """Return the tree of an infoset; values are texts."""
    name = etree.QName(node)
    top = Element(name.localname, None, NAME_VALUE, name.namespace or "")
    work: list[tuple[Node, Element]] = [(node, top)]
    while work:
        source, element = work.pop()
        children = [child for child in source if isinstance(child.tag, str)]
        if children:
            element.type = NAME
            for child in children:
                inner = etree.QName(child)
                made = Element(inner.localname, None, NAME_VALUE, inner.namespace or "")
                element.append(made)
                work.append((child, made))
        elif source.get(f"{{{XSI}}}nil") not in ("true", "1"):
            element.value = data_text("".join(source.itertext()))
    return top


# Cases.


def run_file(path: Path, search: list[Path], ignored: Set[str] = frozenset()) -> list[Outcome]:
    """Run all cases of a TDML file, but for those that are ignored."""
    try:
        suite = load_suite(path, search)
    except etree.XMLSyntaxError as error:
        names = re.findall(r"<\w*:?(?:un)?parserTestCase\b[^>]*?\bname=\"([^\"]*)\"", path.read_text("utf-8"))
        return [Outcome(path.name, name, "outside", f"the file is not well-formed: {error.msg}") for name in names]
    outcomes = []
    for node in suite.root:
        if not isinstance(node.tag, str):
            continue
        kind = etree.QName(node).localname
        if kind not in ("parserTestCase", "unparserTestCase", "serializerTestCase"):
            continue
        outcome = Outcome(path.name, node.get("name", "?"), "failed", "", "parse" if kind[0] == "p" else "unparse")
        if outcome.name in ignored:
            outcome.result, outcome.reason = "outside", "Daffodil's own tests ignore it"
            outcomes.append(outcome)
            continue
        try:
            outcome.result, outcome.reason = run_case(suite, node, kind == "parserTestCase")
        except RecursionError as error:
            outcome.reason = f"RecursionError: {error}"
        outcomes.append(outcome)
    return outcomes


def run_case(suite: Suite, case: Node, parsing: bool) -> tuple[str, str]:
    """Run one case: the result and its reason."""
    errors = case.find(f"{{{TDML}}}errors")
    texts = [] if errors is None else ["".join(error.itertext()).lower() for error in errors.iter(f"{{{TDML}}}error")]
    config = case.get("config")
    if config:
        return "outside", "a configuration with external variables or tunables"
    model = case.get("model") or ""
    if model not in suite.schemas and suite.open(model) is None:
        return "outside", f"there is no schema {model}"
    root = case.get("root")
    if root is None:
        infoset = infoset_of(suite, case)
        root = etree.QName(infoset).localname if infoset is not None else None
    if root is None:
        return "outside", "no root"
    prefix, colon, local = root.rpartition(":")
    namespace = case.nsmap.get(prefix) if colon else None
    data = document_of(suite, case)
    try:
        message, notices = suite.message(model, local, namespace)
        if notices:
            return "outside", notices[0].split(": ", 1)[-1]
        if data is None and (parsing or errors is None):
            return "outside", "data with the least significant bit first, or in a character set of Daffodil"
        message.strict_end = False
        plan = plan_of(message, 1208, 273)
    except (DefinitionError, ValueError) as error:
        if errors is not None:
            return "passed", ""
        return "failed", f"the schema is refused: {error}"
    if parsing:
        assert data is not None
        return run_parse(suite, case, plan, data, errors is not None, texts)
    return run_unparse(suite, case, plan, data, errors is not None)


def run_parse(
    suite: Suite, case: Node, plan: Plan, data: tuple[bytes, int], negative: bool, texts: list[str]
) -> tuple[str, str]:
    """Run a parser case, and its round trip."""
    holder = Element("")
    try:
        reader = read_message(plan, data[0], holder, 8 * len(data[0]) - data[1])
    except BrokerError as error:
        return ("passed", "") if negative else ("failed", str(error.root_cause().text))
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    left = data[1] - (8 * reader.pos + reader.bit)
    if negative:
        if left > 0:
            # Data that is left over is an error of the case, too.
            return "passed", ""
        return "failed", f"an error is expected: {' / '.join(texts)[:150]}"
    if left > 0:
        return "failed", f"{left} bits are left over"
    expected = infoset_of(suite, case)
    if expected is None:
        return "outside", "no expected infoset"
    top = holder.first
    assert top is not None
    found = difference(expected, top)
    if found:
        return "failed", found
    if case.find(f"{{{TDML}}}validationErrors") is not None:
        # The tree is right, and validation finds fault with it.
        found_faults = problems(plan, top) or reader.recoverable
        return ("passed", "") if found_faults else ("failed", "validation errors are expected")
    trip = case.get("roundTrip") or suite.root.get("defaultRoundTrip") or "false"
    if trip in ("false", "none"):
        return "passed", ""
    return round_trip(plan, top, data, trip, expected)


def round_trip(plan: Plan, top: Element, data: tuple[bytes, int], trip: str, expected: Node) -> tuple[str, str]:
    """Write what was read: the same bytes (one pass), or bytes that are read as the same tree (two passes)."""
    top.detach()
    try:
        written = write_message(plan, top)
        if trip in ("true", "onePass"):
            if written != data[0]:
                return "failed", f"round trip: {written[:60]!r} instead of {data[0][:60]!r}"
            return "passed", ""
        holder = Element("")
        read_message(plan, written, holder)
    except BrokerError as error:
        return "failed", f"round trip: {error.root_cause().text}"
    except Exception as error:
        return "failed", f"round trip: {type(error).__name__}: {error}"
    assert holder.first is not None
    if trip == "threePass":
        return "passed", ""
    found = difference(expected, holder.first)
    return ("failed", f"round trip: {found}") if found else ("passed", "")


def run_unparse(
    suite: Suite, case: Node, plan: Plan, data: tuple[bytes, int] | None, negative: bool
) -> tuple[str, str]:
    """Run an unparser case."""
    infoset = infoset_of(suite, case)
    if infoset is None:
        return "outside", "no infoset"
    try:
        written = write_message(plan, tree_of(infoset))
    except BrokerError as error:
        return ("passed", "") if negative else ("failed", str(error.root_cause().text))
    except Exception as error:
        return "failed", f"{type(error).__name__}: {error}"
    if negative:
        return "failed", f"an error is expected; written: {written[:60]!r}"
    assert data is not None
    if written != data[0]:
        return "failed", f"{written[:80]!r} instead of {data[0][:80]!r}"
    return "passed", ""


def search_path(directory: Path) -> list[Path]:
    """Return the directories of a checkout of Daffodil where schemas are looked for."""
    return [
        directory / part
        for part in (
            "daffodil-test/src/test/resources",
            "daffodil-test-ibm1/src/test/resources",
            "daffodil-core/src/main/resources",
            "daffodil-core/src/test/resources",
            "daffodil-test/src/test/resources/org/apache/daffodil",
            "daffodil-test-ibm1/src/test/resources/test-suite/tresys-contributed",
            "daffodil-test-ibm1/src/test/resources/test-suite/ibm-contributed",
        )
    ]


def schema_directories(path: Path) -> list[Path]:
    """Return the directories with schemas of the repository that a TDML file belongs to."""
    root = path.resolve().parent.parent
    return sorted({file.parent for file in root.rglob("*.xsd")})


def judged_files(directory: Path) -> list[Path]:
    """Return the TDML files of Daffodil that judge: IBM's and sections 05, 07, 12 to 16."""
    top = directory / "daffodil-test/src/test/resources/org/apache/daffodil"
    files = sorted((directory / "daffodil-test-ibm1/src/test/resources").rglob("*.tdml"))
    for section in ("05", "07", "12", "13", "14", "15", "16"):
        files.extend(sorted((top / f"section{section}").rglob("*.tdml")))
    return files


def ignored_cases(directory: Path) -> set[str]:
    """Return the names of cases that Daffodil's own tests ignore, because it does not pass them or they are wrong."""
    ignored: set[str] = set()
    run: set[str] = set()
    for part in ("daffodil-test", "daffodil-test-ibm1"):
        for file in sorted((directory / part / "src/test/scala").rglob("*.scala")):
            for line in file.read_text("utf-8").splitlines():
                found = re.search(r"@Test def (\w+)", line)
                if found is not None:
                    (ignored if "@Ignore" in line or line.strip().startswith("//") else run).add(found.group(1))
    return ignored - run


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Run TDML files.")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--outside", action="store_true")
    parser.add_argument("--case", default="")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in options.paths:
        directory = (
            path
            if path.is_dir()
            else next((parent for parent in path.resolve().parents if (parent / "daffodil-core").is_dir()), path.parent)
        )
        files = judged_files(path) if path.is_dir() else [path]
        ignored = ignored_cases(directory)
        for file in files:
            outcomes = run_file(
                file, search_path(directory) + (schema_directories(file) if file is path else []), ignored
            )
            if options.case:
                outcomes = [outcome for outcome in outcomes if options.case in outcome.name]
            counts = Counter(outcome.result for outcome in outcomes)
            total += counts
            print(f"{file.name:45} {counts['passed']:5} {counts['failed']:5} {counts['outside']:5}")
            for outcome in outcomes:
                if outcome.result == "failed" and options.failures:
                    print(f"    {outcome.kind} {outcome.name}: {outcome.reason[:250]}")
                if outcome.result == "outside":
                    reasons[outcome.reason[:80]] += 1
    judged = total["passed"] + total["failed"]
    share = 100 * total["passed"] / judged if judged else 0.0
    print(f"passed {total['passed']}, failed {total['failed']}, outside {total['outside']}: {share:.1f} %")
    if options.outside:
        for reason, count in reasons.most_common(60):
            print(f"    {count:5} {reason}")


if __name__ == "__main__":
    sys.path.insert(0, "src")
    main()
