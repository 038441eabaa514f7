"""cb2xml's copybooks with the XML that it makes of them: levels, names, pictures, usages, positions and lengths.

Checked out as DIR/cb2xml (bmTas/cb2xml). A case is a copybook and one XML of it; every item must agree in level, name,
picture, usage, scale, sign, occurrences, what it depends on and redefines, SYNC, JUSTIFIED, BLANK WHEN ZERO, position
and length, and every condition name in its values. The subset is every XML whose copybook is in the checkout.

`MISSES` names the cases in which we differ, each with its reason. A case that is not named fails the test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.copybook import import_copybook
from flintmq.broker.formats.copybook_items import Item, parse_items
from flintmq.broker.formats.copybook_picture import Category
from flintmq.broker.formats.model_yaml import from_yaml, to_yaml
from flintmq.broker.formats.mrm_cwf import cwf_message

etree = pytest.importorskip("lxml.etree", reason="lxml reads the expected XML")

COMMON = "src/test/resources/net/sf/cb2xml/zTests/common"
#: Why a case differs. In each of them IBM Enterprise COBOL agrees with us.
MISSES = {
    "cb2xml_Output101.xml": "cb2xml gives no position to the currency sign of $ZZZZ9999",
    "xmlCpyBitOfEverything.Xml": "cb2xml gives no position to the currency sign of $ZZZZ9999",
    "cb2xml_Output109.xml": "cb2xml stores the digits that P(4) stands for (but not those of PPP)",
    "cb2xml_Output201.xml": "full stops are missing: we begin an item at a level number, cb2xml reads on",
}


def cases(root: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the XML files with their copybooks."""
    for directory in ("xmlCopybook", "xmlCopybookClassic", "xmlCopybookFormated", "xmlCopybookClassicFormated"):
        for expected in sorted((root / COMMON / directory).iterdir()):
            name = document(expected).get("filename", "")
            copybook = root / COMMON / "cobolCopybook" / Path(name).name
            if copybook.is_file():
                yield expected, copybook
    for copybook in sorted((root / COMMON / "ebcdicCopybook").iterdir()):
        # The same copybooks in EBCDIC.
        yield root / COMMON / "xmlCopybookClassic" / f"xml{copybook.stem[:1].upper()}{copybook.stem[1:]}.Xml", copybook
    for expected in sorted((root / "examples").rglob("*.cbl.xml")):
        copybook = expected.with_suffix("")
        if copybook.is_file() and document(expected).tag == "copybook":
            yield expected, copybook


def document(path: Path) -> Any:
    """Return the root element; some files are EBCDIC, which no XML parser here knows."""
    data = path.read_bytes()
    if data.startswith(b"\x4c\x6f"):
        data = data.decode("cp037").replace("\x85", "").replace("cp037", "utf-8").encode()
    return etree.fromstring(data)


def walk(items: list[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from walk(item.children)


def number(text: str | None) -> int:
    return int(text or "0")


def difference(item: Item, expected: Any) -> str:
    """Return how an item differs from its XML; '' if it does not."""
    picture = item.picture
    usage = item.own_usage or (item.usage if expected.get("inherited-usage") else "")
    pairs: list[tuple[str, object, object]] = [
        ("level", item.level, number(expected.get("level"))),
        ("name", item.name.upper(), (expected.get("name") or "").upper()),
        ("picture", picture.text.upper() if picture else "", (expected.get("picture") or "").upper()),
        ("position", item.offset + 1, number(expected.get("position"))),
        ("length", item.size, number(expected.get("storage-length"))),
        ("occurs", item.occurs_max if item.occurs else 0, number(expected.get("occurs"))),
        ("depending", item.depending.upper(), (expected.get("depending-on") or "").upper()),
        ("redefines", item.redefines.upper(), (expected.get("redefines") or "").upper()),
        ("sync", item.sync, expected.get("sync") == "true"),
        ("blank when zero", item.blank_when_zero, expected.get("blank-when-zero") == "true"),
        ("justified", item.justified, expected.get("justified") is not None),
        ("usage", usage if usage != "display" else "", expected.get("usage") or ""),
    ]
    if expected.get("occurs-min"):
        pairs.append(("least", item.occurs_min, number(expected.get("occurs-min"))))
    if picture is not None and picture.category in (Category.NUMERIC, Category.NUMERIC_EDITED):
        pairs.append(("scale", picture.scale, number(expected.get("scale"))))
    if expected.get("sign-separate") or (expected.get("sign-clause") or "").endswith("separate"):
        pairs.append(("separate sign", item.sign_separate, True))
        leading = (expected.get("sign-position") or expected.get("sign-clause") or "").startswith("leading")
        pairs.append(("leading sign", bool(item.sign_leading), leading))
    conditions = [condition.get("name") for condition in expected.iterchildren("condition")]
    pairs.append(("condition names", [condition.name for condition in item.conditions], conditions))
    values = [
        (inner.get("value", "").strip("'\""), inner.get("through", "").strip("'\""))
        for condition in expected.iterchildren("condition")
        for inner in condition.iterchildren("condition")
    ]
    ours = [pair for condition in item.conditions for pair in condition.values]
    if not any(value.upper().startswith(("X'", "SPACE", "ZERO")) for value, _ in values):
        pairs.append(("condition values", ours, values))
    for what, mine, theirs in pairs:
        if mine != theirs:
            return f"{item.path_name()}: {what} is {mine!r}, cb2xml has {theirs!r}"
    return ""


def judge(expected: Path, copybook: Path) -> tuple[int, str]:
    """Return how many items were compared, and the first difference."""
    root = document(expected)
    text = copybook.read_bytes().decode("cp037" if "ebcdic" in copybook.parent.name else "utf-8", "replace")
    pointer_size = 8 if "64" in (root.get("dialect") or "") else 4
    try:
        ours = list(walk(parse_items(text, pointer_size=pointer_size).records))
    except BrokerError as error:
        return 0, str(error)
    theirs = list(root.iter("item"))
    if len(ours) != len(theirs):
        return 0, f"{len(ours)} items, cb2xml has {len(theirs)}"
    for item, item_expected in zip(ours, theirs, strict=True):
        found = difference(item, item_expected)
        if found:
            return len(ours), found
    return len(ours), ""


def test_items_are_laid_out_as_cb2xml_says(foreign: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    root = foreign("cb2xml")
    total = items = 0
    misses: dict[str, str] = {}
    for expected, copybook in cases(root):
        total += 1
        compared, found = judge(expected, copybook)
        items += compared
        if found:
            misses[str(expected.relative_to(root))] = found
    with capsys.disabled():
        print(f"\ncb2xml: {total - len(misses)} of {total} cases agree, {items} items")
        for name, found in misses.items():
            print(f"  {name}: {found}")
    assert total >= 100, "the checkout is not complete"
    unnamed = {name: found for name, found in misses.items() if Path(name).name not in MISSES}
    assert unnamed == {}
    assert len(misses) <= 0.05 * total


def test_every_copybook_becomes_a_message_set_with_the_same_lengths(foreign: Callable[[str], Path]) -> None:
    """The lengths that the reader of CWF uses are those of the layout."""
    from flintmq.broker.formats.model.layout import fixed_size

    checked = 0
    for copybook in sorted((foreign("cb2xml") / COMMON / "cobolCopybook").iterdir()):
        text = copybook.read_bytes().decode("utf-8", "replace")
        if "PIC" not in text.upper():
            continue  # Only COPY statements.
        message_set = import_copybook(text, "S")
        again = from_yaml(to_yaml(message_set))
        assert to_yaml(again) == to_yaml(message_set)
        for record in parse_items(text).records:
            if record.level != 1 or any(item.depending or item.sync for item in walk([record])):
                continue
            message = message_set.find(f"msg_{record.name.replace('-', '_')}")
            if message is None or not record.name[0].isalpha():
                continue
            made = cwf_message(message, message_set.formats["CWF1"])
            assert made.element.content is not None
            assert fixed_size(made.element.content, {}) == record.total, f"{copybook.name}: {record.name}"
            checked += 1
    assert checked >= 30
