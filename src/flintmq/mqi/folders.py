"""Folders of an MQRFH2 as trees: a small reader and writer for the XML of one folder.

    <usr><color>red</color><size dt='i4'>42</size></usr>

Read: elements, attributes in single or double quotes, the five named entities and character references, CDATA, comments
and processing instructions (skipped). Not read: document types, so there is nothing to expand and nothing to fetch.
Written: no white space between elements, attributes in single quotes, & < > " ' as entities. What was written so is
read and written again byte for byte.

Text that is not a folder gives StructureError (MQRC_RFH_FORMAT_ERROR) with the place in the text.
"""

import re
from typing import Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.reason import MQRC_RFH_FORMAT_ERROR

DEPTH_MAX: Final = 64
#: Character references (&#65;) in one text. A folder with more is refused: each is replaced by itself.
REFERENCES_MAX: Final = 10_000
#: A name is read one character at a time up to this length, which is faster for short ones.
_SHORT_NAME: Final = 64
_SPACE: Final = " \t\r\n"
_NAME_END: Final = " \t\r\n/>=<'\"&"
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
#: What ends a name, and an & that does not begin one of the five entities.
_AFTER_NAME: Final = re.compile("[ \t\r\n/>=<'\"&]")
_OTHER_ENTITY: Final = re.compile("&(?!(?:amp|lt|gt|quot|apos);)")
_TEXT_ESCAPES: Final = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&apos;"}


class Element:
    """One element: its children or its text. `attributes` keep their order."""

    __slots__ = ("name", "attributes", "children", "text")

    def __init__(self, name: str) -> None:
        self.name: str = name
        self.attributes: dict[str, str] = {}
        self.children: list[Element] = []
        self.text: str = ""

    def __repr__(self) -> str:
        return f"Element({write_element(self)!r})"


def escape(text: str) -> str:
    """`text` as it stands between tags or in an attribute."""
    return text.translate(_TEXT_ESCAPES)


def write_element(element: Element) -> str:
    """The text of an element with all that is in it."""
    attributes = "".join([f" {name}='{escape(value)}'" for name, value in element.attributes.items()])
    if element.children:
        content = "".join([write_element(child) for child in element.children])
    else:
        content = escape(element.text)
    return f"<{element.name}{attributes}>{content}</{element.name}>"


def read_root(text: str) -> Element:
    """Return the element of a folder, without its content: name and attributes. Raises StructureError.

    Only the first tag is read, and whether the last one closes it.
    """
    reader = Reader(text)
    reader.skip_between()
    root = reader.opening()
    if not reader.closed and not text.rstrip().endswith(f"</{root.name}>"):
        raise reader.error(f"<{root.name}> is not closed at the end")
    return root


def read_folder(text: str) -> Element:
    """The one element a folder is. Raises StructureError (MQRC_RFH_FORMAT_ERROR)."""
    return Reader(text).folder()


class Reader:
    """A cursor over the text. Every method starts at `place` and leaves it behind the text that it has read."""

    OPENING: Final = 0
    CLOSING: Final = 1
    CDATA: Final = 2
    COMMENT: Final = 3
    INSTRUCTION: Final = 4

    def __init__(self, text: str) -> None:
        self.text: str = text
        self.place: int = 0
        #: The tag that `opening` has read is that of an empty element.
        self.closed: bool = False

    def opening(self) -> Element:
        """The first tag of a folder."""
        if not self.text.startswith("<", self.place):
            raise self.error("a folder must begin with a tag")
        return self.tag()

    def tag(self) -> Element:
        """An opening tag. `closed` says whether the element is empty."""
        self.place += 1
        element = Element(self.name())
        self.closed = self.attributes(element)
        return element

    def folder(self) -> Element:
        self.skip_between()
        if not self.text.startswith("<", self.place):
            raise self.error("a folder must begin with a tag")
        element = self.element(1)
        self.at_end()
        return element

    def at_end(self) -> None:
        """Behind the folder there is nothing but space and comments."""
        self.skip_between()
        if self.place != len(self.text):
            raise self.error("there is text behind the folder")

    def element(self, depth: int) -> Element:
        if depth > DEPTH_MAX:
            raise self.error(f"elements are nested more than {DEPTH_MAX} deep")
        element = self.tag()
        if self.closed:
            return element
        parts: list[str] = []
        while True:
            text = self.text_before_tag(element.name)
            if text:
                parts.append(text)
            what = self.kind_of_tag()
            if what == Reader.CLOSING:
                self.closing(element.name)
                break
            if what == Reader.CDATA:
                parts.append(self.up_to("]]>", 9))
            elif what == Reader.COMMENT:
                self.up_to("-->", 4)
            elif what == Reader.INSTRUCTION:
                self.up_to("?>", 2)
            else:
                element.children.append(self.element(depth + 1))
        element.text = "".join(parts)
        return element

    def text_before_tag(self, inside: str) -> str:
        """The text up to the next tag, which is the place then. `inside` is the element that is open."""
        end = self.text.find("<", self.place)
        if end < 0:
            raise self.error(f"<{inside}> is not closed")
        text = self.text[self.place : end]
        if text:
            text = self.unescaped(text)
            self.place = end
        return text

    def kind_of_tag(self) -> int:
        """Return the kind of item at the place."""
        following = self.text[self.place + 1 : self.place + 2]
        if following == "/":
            return Reader.CLOSING
        if following == "?":
            return Reader.INSTRUCTION
        if following == "!":
            if self.text.startswith("<![CDATA[", self.place):
                return Reader.CDATA
            if self.text.startswith("<!--", self.place):
                return Reader.COMMENT
        return Reader.OPENING

    def attributes(self, element: Element) -> bool:
        """Read up to the end of the opening tag; true if the element is empty and so is closed already."""
        while True:
            self.skip_space()
            if self.text.startswith("/>", self.place):
                self.place += 2
                return True
            if self.text.startswith(">", self.place):
                self.place += 1
                return False
            name = self.name()
            self.skip_space()
            if not self.text.startswith("=", self.place):
                raise self.error(f"attribute {name} has no value")
            self.place += 1
            self.skip_space()
            quote = self.text[self.place : self.place + 1]
            if quote != "'" and quote != '"':
                raise self.error(f"the value of attribute {name} is not in quotes")
            if name in element.attributes:
                raise self.error(f"attribute {name} stands twice")
            element.attributes[name] = self.unescaped(self.up_to(quote, 1))

    def closing(self, name: str) -> None:
        self.place += 2
        if self.name() != name:
            raise self.error(f"<{name}> is closed by another tag")
        self.skip_space()
        if not self.text.startswith(">", self.place):
            raise self.error(f"</{name} does not end with >")
        self.place += 1

    def name(self) -> str:
        start = self.place
        end = min(len(self.text), start + _SHORT_NAME)
        while self.place < end and self.text[self.place] not in _NAME_END:
            self.place += 1
        if self.place == start + _SHORT_NAME:
            found = _AFTER_NAME.search(self.text, self.place)
            self.place = len(self.text) if found is None else found.start()
        name = self.text[start : self.place]
        if not name or name[0] in "!?-." or name[0].isdigit():
            raise self.error("a name is missing or begins with a character that cannot begin one")
        return name

    def up_to(self, end: str, opening: int) -> str:
        """Return the text between an opening of this length and `end`."""
        start = self.place + opening
        found = self.text.find(end, start)
        if found < 0:
            raise self.error(f"{end!r} is missing")
        self.place = found + len(end)
        return self.text[start:found]

    def unescaped(self, text: str) -> str:
        if "&" not in text:
            return text
        if _OTHER_ENTITY.search(text) is None:
            for name, character in _ENTITIES.items():
                if character != "&":
                    text = text.replace(f"&{name};", character)
            return text.replace("&amp;", "&")
        parts = text.split("&")
        if len(parts) > REFERENCES_MAX:
            raise self.error(f"there are more than {REFERENCES_MAX} character references")
        plain = [parts[0]]
        for part in parts[1:]:
            entity, semicolon, rest = part.partition(";")
            if not semicolon:
                raise self.error("an entity does not end with a semicolon")
            plain.append(self.entity(entity) + rest)
        return "".join(plain)

    def entity(self, name: str) -> str:
        if name in _ENTITIES:
            return _ENTITIES[name]
        digits = name[2:] if name[:2] in ("#x", "#X") else name[1:]
        try:
            code = int(digits, 16 if name[:2] in ("#x", "#X") else 10) if name.startswith("#") else -1
        except ValueError:
            code = -1
        if not 0 < code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF or not digits.isalnum():
            raise self.error(f"&{name[:20]}; is not an entity known here")
        return chr(code)

    def skip_space(self) -> None:
        while self.place < len(self.text) and self.text[self.place] in _SPACE:
            self.place += 1

    def skip_between(self) -> None:
        """Skip white space, comments and processing instructions outside the folder."""
        while True:
            self.skip_space()
            if self.text.startswith("<!--", self.place):
                self.up_to("-->", 4)
            elif self.text.startswith("<?", self.place):
                self.up_to("?>", 2)
            else:
                return

    def error(self, what: str) -> StructureError:
        near = self.text[max(0, self.place - 10) : self.place + 10]
        return StructureError(
            f"an MQRFH2 folder is not well formed at character {self.place} (near {near!r}): {what}",
            MQRC_RFH_FORMAT_ERROR,
        )
