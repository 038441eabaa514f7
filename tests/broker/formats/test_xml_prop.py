"""Random XML documents: our trees equal lxml's, however they are navigated, and what is written is read alike."""

from __future__ import annotations

import random
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats import Context, format_of
from flintmq.broker.tree.element import Element, check_tree, copy_content, copy_element
from flintmq.broker.tree.types import CONTENT, NAME
from tests.broker.formats.xml_judge import is_attribute, lxml_document, our_document, read

etree = pytest.importorskip("lxml.etree", reason="lxml is the judge")

NAMES = st.sampled_from(["a", "b", "Order", "p:a", "q:item", "é", "x.y-z", "xmlnsx"])
TEXTS = st.text(alphabet=st.sampled_from("ab <>&\"'\t\n\r]é\u2028\U0001f600-?"), max_size=12)
DAMAGE = ["", "<", ">", "&", '"', "</a>", "<b>", "-->", "]]>", "\0"]
SPACES = st.sampled_from(["", " ", "\n  "])


@st.composite
def nodes(draw: st.DrawFn, depth: int = 3) -> str:
    """Return the text of one element."""
    name = draw(NAMES)
    attributes = draw(st.dictionaries(st.sampled_from(["x", "y", "p:z", "xml:lang"]), TEXTS, max_size=3))
    tag = name + "".join(draw(SPACES) + f" {key}={quoteattr(value)}" for key, value in attributes.items())
    if draw(st.integers(0, 3)) == 0:
        tag += f' xmlns:{draw(st.sampled_from("pq"))}="urn:{draw(st.integers(1, 3))}"'
    if draw(st.integers(0, 4)) == 0:
        tag += f' xmlns="{draw(st.sampled_from(["", "urn:default"]))}"'
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return f"<{tag}{draw(SPACES)}/>"
    if kind <= 2 or depth == 0:
        return f"<{tag}>{escape(draw(TEXTS))}</{name}{draw(SPACES)}>"
    parts = draw(
        st.lists(
            st.one_of(
                nodes(depth=depth - 1),
                nodes(depth=depth - 1),
                TEXTS.map(escape),
                SPACES,
                st.sampled_from(["<!-- c > < -->", "<?pi x > y?>", "<?pi?>", "<![CDATA[<a>&amp;]]]>", "&#65;&#x42;"]),
            ),
            max_size=5,
        )
    )
    return f"<{tag}>{''.join(parts)}</{name}>"


@st.composite
def documents(draw: st.DrawFn) -> str:
    declaration = draw(st.sampled_from(["", '<?xml version="1.0"?>', "<?xml version='1.0' standalone='yes' ?>\n"]))
    before = draw(st.sampled_from(["", "<!-- before -->", "\n<?pi?>\n"]))
    root = draw(nodes())
    # Long enough that expat sees the document in several pieces.
    padding = draw(st.sampled_from(["", "", "<pad>0123456789</pad>" * 30]))
    # The prefixes of the inside are declared on a root of ours.
    return f'{declaration}{before}<p:root xmlns:p="urn:p" xmlns:q="urn:q">{padding}{root}</p:root>{draw(SPACES)}'


@settings(max_examples=120)
@given(documents())
def test_the_tree_of_a_document_equals_that_of_lxml(document: str) -> None:
    body = document.encode()
    folder = read(body, "XMLNS")
    check_tree(folder)
    assert our_document(folder) == lxml_document(etree.fromstring(body))


def compact_rows(element: Element) -> list[object]:
    return [(child.type, child.namespace, child.name, child.value, compact_rows(child)) for child in element.children()]


def wander(element: Element, chance: random.Random) -> None:
    """Navigate here and there, so that parts are built in an order that no document has."""
    for _ in range(12):
        step = chance.choice([Element.first_child, Element.next_sibling, Element.last_child])
        found = step(element)
        element = found if found is not None else chance.choice([element, element.root()])


@settings(max_examples=80)
@given(documents(), st.randoms(use_true_random=False), st.sampled_from(["XMLNSC", "XMLNS", "XML"]))
def test_the_order_of_navigation_does_not_matter(document: str, chance: random.Random, domain: str) -> None:
    body = document.encode()
    first = read(body, domain)
    second = format_of(domain).parse(body, Context())
    wander(second, chance)
    copied = copy_element(second)
    wander(copied, chance)
    assert compact_rows(second) == compact_rows(first)
    assert compact_rows(copied) == compact_rows(first)
    check_tree(second)


def rebuilt(element: Element) -> Element:
    """Return a copy that no longer knows its source."""
    new = Element(element.name, element.value, element.type, element.namespace)
    new.domain = element.domain
    for child in element.children():
        new.append(rebuilt(child))
    return new


@settings(max_examples=120)
@given(documents(), st.randoms(use_true_random=False), st.sampled_from(["XMLNS", "XML"]))
def test_what_is_written_is_read_as_the_same_tree(document: str, chance: random.Random, domain: str) -> None:
    """Once element by element, once with slices of the source around a change."""
    folder = read(document.encode(), domain)
    rows = compact_rows(folder)
    written = format_of(domain).write(rebuilt(folder), Context())
    assert compact_rows(read(written, domain)) == rows

    changed = format_of(domain).parse(document.encode(), Context())
    wander(changed, chance)
    element = changed.last_child()
    while element is not None and element.previous is not None and element.type != NAME:
        element = element.previous
    assert element is not None
    element.append(Element("added", None, NAME))
    written = format_of(domain).write(changed, Context())
    again = read(written, domain)
    root = again.last_child()
    while root is not None and root.type != NAME:
        root = root.previous
    assert root is not None
    added = root.last_child()
    assert added is not None and added.name == "added"
    added.detach()
    assert our_document(again) == our_document(folder)


def some_element(folder: Element, chance: random.Random) -> Element:
    """Return an element inside the root, or the root."""
    element = next(child for child in folder.children() if child.type == NAME)
    for _ in range(chance.randrange(6)):
        child = element.first_child()
        while child is not None and (child.type != NAME or chance.random() < 0.4):
            child = child.next_sibling()
        if child is None:
            break
        element = child
    return element


def change(folder: Element, chance: random.Random) -> None:
    """Change something somewhere, without building more of the tree than that needs."""
    element = some_element(folder, chance)
    way = chance.randrange(7)
    parent = element.parent
    assert parent is not None
    if way == 0:
        element.name = "renamed"
        element.mark_changed()
    elif way == 1:
        element.set_value("new <value>")
    elif way == 2 and not parent.domain:
        element.insert_before(Element("added", "1", NAME))
    elif way == 3 and not parent.domain:
        element.detach()
    elif way == 4:
        other = some_element(folder, chance)
        copy_content(element, other)
    elif way == 5:
        first = element.first_child()
        if first is not None and is_attribute(first):
            first.set_value("urn:new")
    else:
        first = element.first_child()
        if first is not None:
            first.insert_after(Element("added", "2", NAME, chance.choice(["", "urn:p", "urn:other"])))


@settings(max_examples=150)
@given(documents(), st.randoms(use_true_random=False), st.sampled_from(["XMLNS", "XML"]))
def test_slices_of_the_source_say_what_the_tree_says(document: str, chance: random.Random, domain: str) -> None:
    """A changed tree is written like one that knows no source."""
    folder = format_of(domain).parse(document.encode(), Context())
    for _ in range(chance.randrange(1, 4)):
        change(folder, chance)
    try:
        written = format_of(domain).write(folder, Context())
    except BrokerError:
        # Two attributes of one name, say. Then both ways fail.
        with pytest.raises(BrokerError):
            format_of(domain).write(rebuilt(folder), Context())
        return
    plain = format_of(domain).write(rebuilt(folder), Context())
    assert our_document(read(written, domain)) == our_document(read(plain, domain))


@settings(max_examples=80)
@given(documents())
def test_xmlnsc_says_what_xmlns_says_of_fields_and_attributes(document: str) -> None:
    def compact(element: Element) -> object:
        content = [child for child in element.children() if not is_attribute(child)]
        elements = [child for child in content if child.type == NAME]
        text = "".join(str(child.value) for child in content if child.type & 0xFFFFFFF0 == CONTENT)
        attributes = [(child.namespace, child.name, child.value) for child in element.children() if is_attribute(child)]
        value = None if elements else text
        return (element.namespace, element.name, value, attributes, [compact(child) for child in elements])

    def ours(element: Element) -> object:
        children = [child for child in element.children() if not is_attribute(child)]
        attributes = [(child.namespace, child.name, child.value) for child in element.children() if is_attribute(child)]
        return (element.namespace, element.name, element.value, attributes, [ours(child) for child in children])

    body = document.encode()
    faithful = next(child for child in read(body, "XMLNS").children() if child.type == NAME)
    built = read(body, "XMLNSC").last_child()
    assert built is not None
    assert ours(built) == compact(faithful)


@settings(max_examples=200)
@given(
    documents(), st.integers(0, 1 << 30), st.sampled_from(["", "<", ">", "&", '"', "</a>", "<b>", "-->", "]]>", "\0"])
)
def test_damaged_documents_are_refused_exactly_if_lxml_refuses_them(document: str, place: int, piece: str) -> None:
    """The damage is one character replaced. Nothing but a BrokerError may come out, wherever the damage is."""
    # Not in the XML declaration: expat follows the edition that allows any version number.
    begin = document.index("?>") + 2 if document.startswith("<?xml ") else 0
    place = begin + place % (len(document) - begin)
    body = (document[:place] + piece + document[place + 1 :]).encode()
    try:
        read(body, "XMLNS")
        is_accepted = True
    except BrokerError as error:
        assert [entry.number for entry in error.chain()] == [5009, 5004]
        is_accepted = False
    # Step by step the same error comes, at the latest at the end.
    folder = format_of("XMLNS").parse(body, Context())
    try:
        compact_rows(folder)
        assert is_accepted
    except BrokerError:
        assert not is_accepted
    try:
        etree.fromstring(body)
        assert is_accepted
    except etree.XMLSyntaxError as refusal:
        # libxml2 also wants the names of namespaces to be URIs, which the standard does not make an error.
        assert not is_accepted or "URI" in str(refusal)


@settings(max_examples=60)
@given(documents(), st.sampled_from(["XMLNSC", "XMLNS", ""]))
def test_a_body_copied_to_another_parser_has_the_same_names_and_values(document: str, into: str) -> None:
    body = format_of("XMLNSC").parse(document.encode(), Context())
    target = Element("Copy", None, NAME)
    target.domain = into
    copy_content(target, body)
    root = target.last_child()
    original = body.last_child()
    assert root is not None and original is not None

    def names(element: Element) -> list[object]:
        return [
            (child.namespace, child.name, child.value, names(child))
            for child in element.children()
            if child.type & 0xFF000000 != CONTENT
        ]

    if into != "XMLNS":
        assert names(root) == names(original)
    if not into:
        assert all(child.type in (0x01000000, 0x03000000) for child in root.children())
