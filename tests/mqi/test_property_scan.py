"""Properties that are read in slices are those that are read at once."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from flintmq.mqi.errors import StructureError
from flintmq.mqi.folders import read_folder, read_root
from flintmq.mqi.properties import LONG_FOLDER, MessageProperties, outline
from flintmq.mqi.property_scan import PropertyScan
from flintmq.mqi.property_values import Value

NAMES = st.sampled_from(["a", "b", "c.d", "JMSx", "Pri", "x" * 70, "AND", "é"])
ATTRIBUTES = st.sampled_from(["", " dt='i4'", " dt='boolean'", " dt='odd'", " xsi:nil='true'", ' copy="all"', " bad"])
TEXTS = st.sampled_from(
    ["", "1", "red &amp; &lt;b&gt;", "&#65;", "&bad;", " x ", "<!-- c -->", "<![CDATA[<z>]]>", "<?p?>"]
)


def leaf(name: str, attributes: str, text: str) -> str:
    return f"<{name}{attributes}>{text}</{name}>" if text != " x " else f"<{name}{attributes}/>"


ELEMENTS = st.recursive(
    st.builds(leaf, NAMES, ATTRIBUTES, TEXTS),
    lambda inner: st.builds(
        lambda name, children: f"<{name}>{''.join(children)}</{name}>", NAMES, st.lists(inner, max_size=4)
    ),
    max_leaves=8,
)
ROOTS = st.sampled_from(
    ["<usr>|</usr>", "<jms>|</jms>", "<shop content='properties'>|</shop>", "<psc>|</psc>", "<usr>|"]
)
FOLDERS = st.builds(lambda root, inside: root.replace("|", "".join(inside)), ROOTS, st.lists(ELEMENTS, max_size=5))


def at_once(folders: list[str]) -> dict[str, Value]:
    try:
        found, _ = MessageProperties.from_folders(folders)
    except StructureError:
        return {}
    values: dict[str, Value] = {}
    for item in found.items:
        if item.hidden is None:
            values.setdefault(item.name, item.value)
    return values


@settings(max_examples=150, deadline=None)
@given(st.lists(FOLDERS, max_size=3), st.integers(1, 5))
@example(["<usr><a dt='i4'>1</a><a>2</a></usr>", "  ", "<jms><Pri>4</Pri></jms> <!-- end -->"], 1)
@example(["<usr><a>1</a></usr>x"], 1)
def test_slices_give_what_reading_at_once_gives(folders: list[str], budget: int) -> None:
    """(issue 14, item 3b)"""
    scan = PropertyScan(folders)
    while not scan.done:
        scan.step(budget)
    assert scan.values == at_once(folders)
    assert scan.failed == (not _is_well_formed(folders))


def _is_well_formed(folders: list[str]) -> bool:
    try:
        MessageProperties.from_folders(folders)
    except StructureError:
        return False
    return True


def test_a_hundred_thousand_properties_are_read_in_bounded_slices() -> None:
    """100,000 properties took half a second in one turn. (issue 14, item 3b)"""
    folder = "<usr>" + "".join(f"<p{i} dt='i4'>{i}</p{i}>" for i in range(10_000)) + "</usr>"
    scan, slices = PropertyScan([folder]), 0
    while not scan.done:
        before = len(scan.values)
        scan.step(1000)
        slices += 1
        assert len(scan.values) - before <= 500  # An element is an opening and a closing tag.
    assert slices >= 20 and len(scan.values) == 10_000 and scan.values["p9999"] == 9999


def test_of_a_long_folder_only_its_tags_are_read_for_an_outline() -> None:
    text = "x" * LONG_FOLDER
    long, other = f"<usr a='1'><p>{text}</p></usr> ", f"<psc><p>{text}</p></psc>"
    found, others = outline([long, other, "<jms><Pri>4</Pri></jms>"])
    assert [item.folder() for item in found.items] == ["usr", "jms"] and others == [other]
    assert read_root(long).attributes == {"a": "1"} and read_root("<e/>").name == "e"
    for bad in ("<usr>", "usr", "<usr></us>"):
        try:
            read_root(bad)
        except StructureError:
            continue
        raise AssertionError(bad)


def test_names_and_entities_of_any_length_are_read() -> None:
    name = "n" * 5000
    assert read_folder(f"<{name}>&lt;&amp;lt;&gt;</{name}>").text == "<&lt;>"
    assert read_folder("<a>&#65;&amp;&apos;</a>").text == "A&'"
