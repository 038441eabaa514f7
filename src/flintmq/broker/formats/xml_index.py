"""The index of an XML document: where its elements start and end, found only as far as navigation goes.

The text is well-formed: `xml_text.prove` has seen to that. The index therefore looks for `<` and `>` and nothing else.
It steps over comments, CDATA sections, processing instructions and `>` inside attribute values. Elements are numbered
from 1 in the order of their start tags; such a number is an *entry*. Entry 0 is the document.

    opened[entry]     offset behind the start tag << 31 | offset of its '<' << 1 | whether the tag has attributes
    closed[entry]     entry of the next element that is not inside << 31 | offset of the end tag; 0 = not reached yet.
                      An empty-element tag ends where it starts: the offset is the one behind it
    scopes[entry]     the namespace declarations in force

The frontier only moves forward: each character is scanned once, whatever the order of navigation, and a field near the
front of a long document costs only the front.

Offsets and entries have 30 bits, so the packed numbers are small integers for mypyc. The module is compiled.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from flintmq.broker.formats.xml_text import malformed, skip_prolog
from flintmq.broker.tree.element import DEPTH_MAX

XML_NAMESPACE: Final = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE: Final = "http://www.w3.org/2000/xmlns/"

#: The code points that the scanner compares with.
_SLASH: Final = 0x2F
_BANG: Final = 0x21
_QUESTION: Final = 0x3F
_QUOTE: Final = 0x22
_APOSTROPHE: Final = 0x27
_GREATER: Final = 0x3E
_EQUALS: Final = 0x3D
_SPACE: Final = 0x20

_PREDEFINED: Final[dict[str, str]] = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@final
class QName:
    """A name with its namespace."""

    __slots__ = ("local", "namespace")

    def __init__(self, local: str, namespace: str) -> None:
        self.local: str = local
        self.namespace: str = namespace


@final
class Scope:
    """The namespace declarations in force at an element: its own, and those of the scope around it."""

    __slots__ = ("around", "attribute_names", "bindings", "entry", "names")

    def __init__(self, around: Scope | None, entry: int) -> None:
        self.around: Scope | None = around
        #: The element that declares the bindings.
        self.entry: int = entry
        #: Prefix to namespace; '' is the default namespace.
        self.bindings: dict[str, str] = {}
        self.names: dict[str, QName] = {}
        self.attribute_names: dict[str, QName] = {}

    def uri(self, prefix: str) -> str | None:
        """Return the namespace of a prefix; None if it is not declared."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.bindings.get(prefix)
            if found is not None:
                return found
            scope = scope.around
        return None

    def element_name(self, raw: str) -> QName:
        """Return the name of an element that is written `raw`."""
        found = self.names.get(raw)
        if found is None:
            found = self._resolved(raw, True)
            self.names[found.local if found.local == raw else raw] = found
        return found

    def attribute_name(self, raw: str) -> QName:
        """Return the name of an attribute that is written `raw`. Without prefix it is in no namespace."""
        found = self.attribute_names.get(raw)
        if found is None:
            found = self._resolved(raw, False)
            self.attribute_names[raw] = found
        return found

    def _resolved(self, raw: str, is_element: bool) -> QName:
        colon = raw.find(":")
        if colon < 0:
            default = self.uri("") if is_element else None
            return QName(raw, "" if default is None else default)
        namespace = self.uri(raw[:colon])
        if namespace is None:
            # Only in a document that was read without namespaces.
            return QName(raw, "")
        return QName(raw[colon + 1 :], namespace)

    def effective(self) -> dict[str, str]:
        """Return all declarations in force, without the prefix xml."""
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.around
        found: dict[str, str] = {}
        while chain:
            found.update(chain.pop().bindings)
        found.pop("xml", None)
        return found


@final
class XmlIndex:
    """The index of one document. Sources of several domains may share it."""

    __slots__ = ("base", "closed", "domain", "frontier", "opened", "root_start", "scopes", "stack", "text")

    def __init__(self, text: str, domain: str) -> None:
        self.text: str = text
        self.domain: str = domain
        self.root_start: int = skip_prolog(text)
        self.frontier: int = self.root_start
        self.opened: list[int] = [self.root_start << 31]
        self.closed: list[int] = [0]
        self.base: Scope = Scope(None, 0)
        self.base.bindings["xml"] = XML_NAMESPACE
        self.scopes: list[Scope] = [self.base]
        #: Entries that are open at the frontier, outermost first.
        self.stack: list[int] = [0]

    def start_of(self, entry: int) -> int:
        """Return the offset of the '<' of an element."""
        packed: i64 = self.opened[entry]
        return (packed >> 1) & 0x3FFFFFFF

    def content_of(self, entry: int) -> int:
        """Return the offset behind the start tag of an element."""
        packed: i64 = self.opened[entry]
        return packed >> 31

    def end_of(self, entry: int) -> int:
        """Return the offset of the end tag of an element; that behind the tag if it has none."""
        if self.closed[entry] == 0:
            self.scan(entry, -1)
        packed: i64 = self.closed[entry]
        return packed & 0x7FFFFFFF

    def next_of(self, entry: int) -> int:
        """Return the entry of the first element behind an element, which may be outside its parent."""
        if self.closed[entry] == 0:
            self.scan(entry, -1)
        packed: i64 = self.closed[entry]
        return packed >> 31

    def is_empty_tag(self, entry: int) -> bool:
        """Return whether an element is written as an empty-element tag."""
        opened: i64 = self.opened[entry]
        return ord(self.text[(opened >> 31) - 2]) == _SLASH

    def behind(self, entry: int) -> int:
        """Return the offset behind the whole element."""
        end = self.end_of(entry)
        opened: i64 = self.opened[entry]
        if ord(self.text[(opened >> 31) - 2]) == _SLASH:
            return end
        return self.text.find(">", end) + 1

    def outer_scope(self, entry: int) -> Scope:
        """Return the namespace declarations in force around an element, without its own."""
        scope = self.scopes[entry]
        around = scope.around
        return around if scope.entry == entry and around is not None else scope

    def child_at(self, entry: int, parent: int) -> bool:
        """Return whether there is an element `entry` and it starts inside `parent`.

        `entry` is the first child of the parent, or follows one of its children.
        """
        if self.closed[parent] == 0 and len(self.opened) <= entry:
            self.scan(parent, entry)
        packed: i64 = self.closed[parent]
        return packed == 0 or packed >> 31 > entry

    def has_elements(self, entry: int) -> bool:
        """Return whether there are elements inside an element."""
        if self.closed[entry] == 0 and len(self.opened) <= entry + 1:
            self.scan(entry, entry + 1)
        packed: i64 = self.closed[entry]
        return packed == 0 or packed >> 31 > entry + 1

    def scan(self, until_closed: int, until_opened: int) -> None:
        """Move the frontier until an entry is closed or another one is opened, whichever is first."""
        text = self.text
        opened = self.opened
        closed = self.closed
        scopes = self.scopes
        stack = self.stack
        position = self.frontier
        current: int = stack[-1]
        scope = scopes[current]
        while True:
            start = text.find("<", position)
            if start < 0:
                # Behind the root element: the document ends.
                closed[0] = len(opened) << 31 | len(text)
                position = len(text)
                break
            mark = ord(text[start + 1])
            if mark == _SLASH:
                position = text.find(">", start) + 1
                closed[current] = len(opened) << 31 | start
                done = current
                stack.pop()
                current = stack[-1]
                scope = scopes[current]
                if done == until_closed:
                    break
            elif mark == _BANG:
                if ord(text[start + 2]) == 0x2D:
                    position = text.find("-->", start + 4) + 3
                else:
                    position = text.find("]]>", start) + 3
            elif mark == _QUESTION:
                position = text.find("?>", start) + 2
            else:
                end = text.find(">", start)
                has_attributes = text.find("=", start, end) >= 0
                entry = len(opened)
                if len(stack) > DEPTH_MAX:
                    # The next scan meets the same tag and raises the same error.
                    self.frontier = start
                    raise malformed(f"elements are nested deeper than {DEPTH_MAX}", 0, 0, self.domain)
                if has_attributes:
                    end = self._tag_end(start)
                    if text.find("xmlns", start, end) >= 0:
                        scopes.append(self._declared(start, scope))
                    else:
                        scopes.append(scope)
                    opened.append((end + 1) << 31 | start << 1 | 1)
                else:
                    scopes.append(scope)
                    opened.append((end + 1) << 31 | start << 1)
                position = end + 1
                if ord(text[end - 1]) == _SLASH:
                    closed.append((entry + 1) << 31 | position)
                else:
                    closed.append(0)
                    stack.append(entry)
                    current = entry
                    scope = scopes[entry]
                if entry == until_opened or (entry == until_closed and current != entry):
                    break
        self.frontier = position

    def _tag_end(self, start: int) -> int:
        """Return the offset of the '>' of a start tag with attributes."""
        text = self.text
        position = text.find("=", start)
        while True:
            # Behind '=': white space, then the value between quotation marks.
            position += 1
            mark = ord(text[position])
            while mark != _QUOTE and mark != _APOSTROPHE:
                position += 1
                mark = ord(text[position])
            position = text.find('"' if mark == _QUOTE else "'", position + 1) + 1
            mark = ord(text[position])
            while mark != _EQUALS and mark != _GREATER:
                position += 1
                mark = ord(text[position])
            if mark == _GREATER:
                return position

    def _declared(self, start: int, around: Scope) -> Scope:
        """Return the scope of an element whose start tag may declare namespaces."""
        attributes = self.attributes(start)
        scope = around
        for number in range(0, len(attributes), 3):
            raw = attributes[number]
            if raw == "xmlns" or raw.startswith("xmlns:"):
                if scope is around:
                    scope = Scope(around, len(self.opened))
                scope.bindings[raw[6:]] = attributes[number + 1]
        return scope

    def name_end(self, start: int) -> int:
        """Return the offset behind the name of the start tag at `start`."""
        text = self.text
        position: i64 = start + 1
        mark = ord(text[position])
        while mark > _SPACE and mark != _GREATER and mark != _SLASH:
            position += 1
            mark = ord(text[position])
        return position

    def attributes(self, start: int) -> list[str]:
        """Return the attributes of a start tag: name as written, value, quotation mark; for each in turn."""
        text = self.text
        found: list[str] = []
        position: i64 = self.name_end(start)
        while True:
            mark = ord(text[position])
            while mark <= _SPACE:
                position += 1
                mark = ord(text[position])
            if mark == _GREATER or mark == _SLASH or mark == _QUESTION:
                return found
            begin = position
            while mark > _SPACE and mark != _EQUALS:
                position += 1
                mark = ord(text[position])
            found.append(text[begin:position])
            while mark != _QUOTE and mark != _APOSTROPHE:
                position += 1
                mark = ord(text[position])
            quote = '"' if mark == _QUOTE else "'"
            begin = position + 1
            position = text.find(quote, begin)
            value = text[begin:position]
            position += 1
            if "&" in value or "\n" in value or "\t" in value:
                value = attribute_value(value)
            found.append(value)
            found.append(quote)


def attribute_value(raw: str) -> str:
    """Return the value of an attribute that is written `raw`: white space is blanks, references are replaced."""
    if "\n" in raw:
        raw = raw.replace("\n", " ")
    if "\t" in raw:
        raw = raw.replace("\t", " ")
    return unescaped(raw) if "&" in raw else raw


def unescaped(raw: str) -> str:
    """Return text with its references replaced. An entity that only an external DTD could define has no value."""
    parts = raw.split("&")
    pieces: list[str] = [parts[0]]
    for number in range(1, len(parts)):
        part = parts[number]
        end = part.find(";")
        name = part[:end]
        known = _PREDEFINED.get(name)
        if known is not None:
            pieces.append(known)
        elif name.startswith("#x"):
            pieces.append(chr(int(name[2:], 16)))
        elif name.startswith("#"):
            # Zeros in front may be many, and Python refuses to read thousands of digits.
            pieces.append(chr(int(name[1:].lstrip("0"))))
        pieces.append(part[end + 1 :])
    return "".join(pieces)
