"""The W3C XML conformance test-suite, as a non-validating processor that reads no external entities must pass it.

    type           must be                    judged
    valid          accepted                   every case
    invalid        accepted: nothing is validated
    not-wf         refused                    every case whose ENTITIES is none: the error is in the document itself
    error          either

A case whose error is in an external entity or DTD (ENTITIES general, parameter or both) is outside: nothing is fetched.
Outside are, too, XML 1.1, namespaces 1.1, and what only the fifth edition of XML 1.0 allows (names of later Unicode
versions: expat follows the fourth edition). Where the suite has the canonical output of a valid case that needs no
external entity, our tree must give it.

Checked out as DIR/xmlconf. Cases of namespaces are read in the domain XMLNS, all others in the domain XML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from flintmq.broker.errors import BrokerError
from tests.broker.formats.xml_judge import canonical, lxml_document, our_document, read

etree = pytest.importorskip("lxml.etree", reason="lxml reads the list of cases")

BASE = "{http://www.w3.org/XML/1998/namespace}base"


class Case(NamedTuple):
    name: str
    path: Path
    type: str
    entities: str
    domain: str
    output: Path | None
    #: Why it is not judged; '' if it is.
    outside: str


def cases(root: Path) -> Iterator[Case]:
    """Yield the cases of all suites that the main file includes."""
    parser = etree.XMLParser(load_dtd=True, resolve_entities=True, no_network=True)
    for test in etree.parse(str(root / "xmlconf.xml"), parser).iter("TEST"):
        parts = [node.get(BASE) for node in test.iterancestors() if node.get(BASE)]
        directory = root.joinpath(*parts[::-1])
        standard = test.get("RECOMMENDATION") or "XML1.0"
        edition = (test.get("EDITION") or "1").split()
        outside = ""
        if "1.1" in standard or test.get("VERSION") == "1.1":
            outside = "XML 1.1"
        elif not set(edition) & {"1", "2", "3", "4"}:
            outside = "only the fifth edition"
        yield Case(
            test.get("ID"),
            directory / test.get("URI"),
            test.get("TYPE"),
            test.get("ENTITIES") or "none",
            "XMLNS" if standard.startswith("NS") else "XML",
            directory / test.get("OUTPUT") if test.get("OUTPUT") else None,
            outside,
        )


def error_of(case: Case) -> str:
    """Return what our reader says against a document; '' if it accepts it."""
    try:
        # CCSID 0 is no character set: the document itself says which it is in.
        read(case.path.read_bytes(), case.domain, ccsid=0)
    except BrokerError as error:
        return str(error.root_cause())
    return ""


def test_every_case_is_judged_as_w3c_says(foreign: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    counts: Counter[str] = Counter()
    missed: list[str] = []
    for case in cases(foreign("xmlconf")):
        if case.outside:
            counts[f"not judged: {case.outside}"] += 1
            continue
        if not case.path.exists():
            counts["not judged: the checkout lacks the file"] += 1
            continue
        if case.type == "error" or (case.type == "not-wf" and case.entities != "none"):
            counts[f"not judged: {case.type}, external entities: {case.entities}"] += 1
            assert error_of(case) is not None
            continue
        counts[case.type] += 1
        error = error_of(case)
        if (case.type == "not-wf") != bool(error):
            missed.append(f"{case.name} ({case.type}): {error or 'accepted'}")
    with capsys.disabled():
        print(f"\nW3C XML conformance: {len(missed)} missed")
        for what, count in sorted(counts.items()):
            print(f"  {count:5d} {what}")
    assert not missed, "\n".join(missed)
    assert counts["not-wf"] > 900 and counts["valid"] > 300


def test_trees_of_valid_cases_have_the_canonical_output_of_the_suite(foreign: Callable[[str], Path]) -> None:
    compared = 0
    for case in cases(foreign("xmlconf")):
        if case.type != "valid" or case.output is None or case.outside or case.entities != "none":
            continue
        if case.domain != "XML" or not case.path.exists() or not case.output.exists():
            continue
        expected = case.output.read_text(encoding="utf-8")
        if "<!DOCTYPE" in expected:
            # The second form lists notations and instructions of the DTD, which our tree keeps as text.
            expected = expected[expected.index("]>") + 2 :].lstrip()
        assert canonical(read(case.path.read_bytes(), "XML", ccsid=0)) == expected.rstrip("\n"), case.name
        compared += 1
    assert compared > 150


def test_trees_of_valid_cases_equal_those_of_lxml(foreign: Callable[[str], Path]) -> None:
    compared = 0
    different: list[str] = []
    parser = etree.XMLParser(resolve_entities="internal", no_network=True, attribute_defaults=True)
    for case in cases(foreign("xmlconf")):
        if case.type != "valid" or case.outside or case.entities != "none" or not case.path.exists():
            continue
        body = case.path.read_bytes()
        try:
            theirs = etree.fromstring(body, parser)
            ours = read(body, "XMLNS", ccsid=0)
        except (etree.XMLSyntaxError, BrokerError):
            # Names with colons that are no namespaces, or an encoding that one of the two does not know.
            continue
        compared += 1
        if our_document(ours) != lxml_document(theirs):
            different.append(case.name)
    # A carriage return or line feed that an entity holds as a reference: the canonical output agrees with us.
    assert set(different) <= {"valid-sa-068", "valid-sa-108"}
    assert compared > 200
