"""C headers as message sets (MF 4.7).

    import_c_header(text, ...)     a message for every struct and union with a name, with a CWF and an XML format

    C                                    logical                     CWF
    char a[n]                            string                      fixed length n, or up to X'00' in it
    char                                 string or byte              1 byte
    short, int, long, long long, ...     short, int, long; unsigned  integer of 2, 4, 8 bytes
    float, double                        float, double               float of 4, 8 bytes
    enum                                 integer                     1, 2 or 4 bytes
    arrays                               occurrences; of several dimensions, all of them in a row
    struct, union                        structure; choice           aligned and filled as the compiler does
    unsigned char a[n], pointers         hexBinary                   bytes

Alignment is that of the types, at most the packing (`#pragma pack`, `__attribute__((packed))`, the option). Byte order
is not: it comes from the encoding of the message. The types of cmqc.h (MQLONG, MQCHAR8, MQBYTE24 ...) are known.

Bit fields, flexible arrays and `long double` have no place in the model: the struct is noted and left out. Functions,
variables and text that is no declaration are skipped. A text without a single struct is a ParserException.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, Literal

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.c_source import Header, Token, evaluate, read_header
from flintmq.broker.formats.copybook import binary_type, valid_name
from flintmq.broker.formats.message_set import (
    Field,
    FormatKind,
    Group,
    MessageSet,
    PhysicalFormat,
    Properties,
    definition_error,
    expanded_size,
)
from flintmq.broker.formats.model.schema import Facets, Logical

SIZE_MAX: Final = 1 << 31
COUNT_MAX: Final = 10_000_000
DEPTH_MAX: Final = 40
_WORDS: Final = frozenset("void signed unsigned char short int long float double _Bool bool".split())
_QUALIFIERS: Final = frozenset(
    "const volatile static extern inline register restrict _Atomic __const __extension__ MQPOINTER".split()
)
_FIXED: Final = {
    f"{prefix}int{bits}_t": (bits // 8, prefix == "") for bits in (8, 16, 32, 64) for prefix in ("", "u")
} | {
    "MQLONG": (4, True),
    "MQULONG": (4, False),
    "MQINT8": (1, True),
    "MQUINT8": (1, False),
    "MQINT16": (2, True),
    "MQUINT16": (2, False),
    "MQINT32": (4, True),
    "MQUINT32": (4, False),
    "MQINT64": (8, True),
    "MQUINT64": (8, False),
    "wchar_t": (2, False),
}
_MQ_CHARS: Final = (4, 8, 12, 20, 28, 32, 48, 64, 128, 256, 264)
_MQ_BYTES: Final = (4, 8, 12, 16, 24, 32, 36, 40, 48, 128)


@dataclass(slots=True)
class CHeaderOptions:
    """How a header is read."""

    format: str = "CWF1"
    #: A single `char` is a string of one character, or a number.
    char: Literal["string", "integer"] = "string"
    #: Strings fill their arrays, or end at X'00' in them.
    strings: Literal["fixed", "nul"] = "fixed"
    long_size: int = 4
    enum_size: int = 4
    pointer_size: int = 4
    #: The largest alignment of a member.
    packing: int = 8
    prefix: str = "msg_"


@dataclass(slots=True, eq=False)
class CType:
    """A type: a scalar, or a struct or union with members."""

    kind: Literal["char", "byte", "integer", "float", "pointer", "struct", "union"]
    size: int
    alignment: int
    signed: bool = True
    name: str = ""
    members: list[CMember] = field(default_factory=list)
    #: Bytes behind the last member.
    filling: int = 0


@dataclass(slots=True)
class CMember:
    """A member of a struct or union."""

    name: str
    type: CType
    #: Dimensions; for strings the last is the length.
    dimensions: tuple[int, ...]
    line: int
    offset: int = 0
    alignment: int = 1


class _Unsupported(Exception):
    """A struct has a member that the model cannot express."""


def import_c_header(text: str, name: str = "HEADER", options: CHeaderOptions | None = None) -> MessageSet:
    """Return the message set of a C header. Raises a ParserException if it has no struct that can be used."""
    chosen = options or CHeaderOptions()
    for key, allowed in (("long_size", (4, 8)), ("enum_size", (1, 2, 4)), ("pointer_size", (4, 8))):
        if getattr(chosen, key) not in allowed:
            raise definition_error(f"{key} is {getattr(chosen, key)}, not one of {allowed}")
    if chosen.packing not in (1, 2, 4, 8, 16):
        raise definition_error(f"packing is {chosen.packing}, not 1, 2, 4, 8 or 16")
    header = read_header(text)
    parser = _Parser(header, chosen)
    try:
        structs = parser.structs()
    except RecursionError:
        raise definition_error("declarations are nested too deep") from None
    if not structs:
        found = f" ({header.notes[0]})" if header.notes else ""
        raise definition_error(f"the header has no struct or union that can be used{found}")
    result = MessageSet(name, notes=header.notes, default_format=chosen.format)
    result.formats[chosen.format] = PhysicalFormat(chosen.format, FormatKind.CWF)
    result.formats["XML1"] = PhysicalFormat("XML1", FormatKind.XML)
    builder = _Builder(chosen)
    for struct_name, struct in structs.items():
        message = Field(name=f"{chosen.prefix}{valid_name(struct_name)}", group=builder.group(struct))
        if struct.filling and struct.kind == "struct":
            message.physical[chosen.format] = {"skipCountTrailing": str(struct.filling)}
        expanded_size(message)
        result.add(message)
    return result


class _Parser:
    """Reads declarations."""

    def __init__(self, header: Header, options: CHeaderOptions) -> None:
        self.header = header
        self.tokens = header.tokens
        self.options = options
        self.at = 0
        self.depth = 0
        self.packing = options.packing
        self.stack: list[int] = []
        self.constants: dict[str, int] = {}
        self.typedefs: dict[str, tuple[CType, tuple[int, ...]]] = {}
        self.tags: dict[str, CType] = {}
        self.found: dict[str, CType] = {}
        self._builtin()

    def _builtin(self) -> None:
        for name, (size, signed) in _FIXED.items():
            self.typedefs[name] = (self.integer(size, signed), ())
        char = CType("char", 1, 1)
        byte = CType("byte", 1, 1, False)
        self.typedefs["MQCHAR"] = (char, ())
        self.typedefs["MQBYTE"] = (byte, ())
        for length in _MQ_CHARS:
            self.typedefs[f"MQCHAR{length}"] = (char, (length,))
        for length in _MQ_BYTES:
            self.typedefs[f"MQBYTE{length}"] = (byte, (length,))
        self.typedefs["size_t"] = (self.integer(self.options.pointer_size, False), ())

    def integer(self, size: int, signed: bool) -> CType:
        return CType("integer", size, size, signed)

    # Tokens.

    def peek(self, ahead: int = 0) -> Token | None:
        index = self.at + ahead
        while index < len(self.tokens) and self.tokens[index].kind == "#pack":
            if ahead:
                break
            self._pack(self.tokens[index])
            self.at += 1
            index = self.at
        return self.tokens[index] if index < len(self.tokens) else None

    def text(self, ahead: int = 0) -> str:
        token = self.peek(ahead)
        return "" if token is None else token.text

    def line(self) -> int:
        token = self.peek()
        return self.tokens[-1].line if token is None and self.tokens else 0 if token is None else token.line

    def skip(self, text: str) -> bool:
        if self.text() == text:
            self.at += 1
            return True
        return False

    def _pack(self, token: Token) -> None:
        parts = [part.strip() for part in token.text.split(",") if part.strip()]
        if "push" in parts:
            self.stack.append(self.packing)
        if "pop" in parts and self.stack:
            self.packing = self.stack.pop()
        for part in parts:
            if part in ("1", "2", "4", "8", "16"):
                self.packing = int(part)
        if not parts:
            self.packing = self.options.packing

    def rest_of(self, opening: str, closing: str) -> list[Token]:
        """Return the tokens up to the mark that closes one that was read."""
        found: list[Token] = []
        open_marks = 1
        while True:
            token = self.peek()
            if token is None:
                return found
            self.at += 1
            if token.text == opening:
                open_marks += 1
            elif token.text == closing:
                open_marks -= 1
                if not open_marks:
                    return found
            found.append(token)

    def skip_declaration(self) -> None:
        """Move behind a declaration that is not used."""
        while (token := self.peek()) is not None:
            self.at += 1
            if token.text == ";":
                return
            if token.text == "{":
                self.rest_of("{", "}")
                if self.text() != ";":
                    return

    # Declarations.

    def structs(self) -> dict[str, CType]:
        """Return structs and unions by name."""
        while (token := self.peek()) is not None:
            start = self.at
            try:
                self.declaration()
            except _Unsupported as error:
                self.header.note(token.line, f"{error}; the declaration is not used")
                self.at = start
                self.skip_declaration()
            if self.at == start:
                self.at += 1
        for tag, struct in self.tags.items():
            if struct.members and not any(known is struct for known in self.found.values()):
                self.found[tag] = struct
        return self.found

    def declaration(self) -> None:
        """Read one declaration outside of a struct."""
        if self.skip(";") or self.skip("}"):
            return
        if self.text() == "extern" and (second := self.peek(1)) is not None and second.kind == "text":
            self.at += 2
            self.skip("{")
            return
        is_typedef = self.skip("typedef")
        base = self.base_type()
        if base is None:
            self.skip_declaration()
            return
        while True:
            if self.skip(";"):
                return
            declared = self.declarator(base)
            if declared is None:
                self.skip_declaration()
                return
            name, type, dimensions = declared
            if is_typedef:
                self.typedefs[name] = (type, dimensions)
                if type.kind in ("struct", "union") and not dimensions:
                    type.name = type.name or name
                    if not any(known is type for known in self.found.values()):
                        self.found[name] = type
            if not self.skip(","):
                if not self.skip(";"):
                    self.skip_declaration()
                return

    def base_type(self) -> CType | None:
        """Read the type at the start of a declaration; None if there is none."""
        self.qualifiers()
        text = self.text()
        if text in ("struct", "union"):
            return self.struct()
        if text == "enum":
            return self.enum()
        words: list[str] = []
        while self.text() in _WORDS or self.text() in _QUALIFIERS:
            if self.text() in _WORDS:
                words.append(self.text())
            self.at += 1
        if words:
            return self.scalar(words)
        known = self.typedefs.get(text)
        if known is None:
            return None
        self.at += 1
        self.qualifiers()
        type, dimensions = known
        if dimensions:
            return _Array(type, dimensions)
        return type

    def qualifiers(self) -> None:
        """Move over qualifiers and attributes."""
        while True:
            if self.text() in _QUALIFIERS:
                self.at += 1
            elif self.text() in ("__attribute__", "__declspec", "_Alignas", "alignas"):
                self.at += 1
                if self.skip("("):
                    self.rest_of("(", ")")
            else:
                return

    def scalar(self, words: list[str]) -> CType:
        signed = "unsigned" not in words
        if "void" in words:
            # Only pointers to it can be declared, as to a struct that is not defined.
            return CType("struct", 0, 1, name="void")
        if "char" in words:
            if "signed" in words:
                return self.integer(1, True)
            return CType("byte", 1, 1, False) if not signed else CType("char", 1, 1)
        if "double" in words:
            if "long" in words:
                raise _Unsupported("a long double has no place in the model")
            return CType("float", 8, 8)
        if "float" in words:
            return CType("float", 4, 4)
        if "_Bool" in words or "bool" in words:
            return self.integer(1, False)
        if "short" in words:
            return self.integer(2, signed)
        if words.count("long") >= 2:
            return self.integer(8, signed)
        if "long" in words:
            return self.integer(self.options.long_size, signed)
        return self.integer(4, signed)

    def enum(self) -> CType:
        """Read an enumeration and keep its constants."""
        self.at += 1
        if (token := self.peek()) is not None and token.kind == "name":
            self.at += 1
        if self.skip("{"):
            number = 0
            body = self.rest_of("{", "}")
            part: list[Token] = []
            for token in [*body, Token(",", "other", 0)]:
                if token.text != ",":
                    part.append(token)
                    continue
                if part and part[0].kind == "name":
                    if len(part) > 2 and part[1].text == "=":
                        number = self.constant(part[2:])
                    self.constants[part[0].text] = number
                    number += 1
                part = []
        return self.integer(self.options.enum_size, True)

    def constant(self, tokens: list[Token]) -> int:
        """Return the value of a constant expression."""
        text = " ".join(token.text for token in tokens)
        try:
            return evaluate(text, self.header.macros, self.constants)
        except ValueError as error:
            raise _Unsupported(f"'{text[:60]}' is no constant: {error}") from None

    def struct(self) -> CType:
        """Read a struct or union, or a reference to one."""
        union = self.text() == "union"
        self.at += 1
        packed = self.packed_attribute()
        tag = ""
        if (token := self.peek()) is not None and token.kind == "name":
            tag = token.text
            self.at += 1
        if not self.skip("{"):
            known = self.tags.get(tag)
            if known is None:
                # Only pointers to it can be declared.
                known = CType("union" if union else "struct", 0, 1, name=tag)
                self.tags[tag] = known
            return known
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise _Unsupported(f"structs are nested deeper than {DEPTH_MAX}")
        members: list[CMember] = []
        packing = self.packing
        try:
            while not self.skip("}"):
                if self.peek() is None:
                    raise _Unsupported(f"struct {tag} is not closed")
                self.members(members)
        finally:
            self.depth -= 1
        packed = self.packed_attribute() or packed
        made = self.tags.get(tag) if tag else None
        if made is None or made.members:
            made = CType("union" if union else "struct", 0, 1, name=tag)
        made.kind = "union" if union else "struct"
        made.members = members
        _lay_out(made, 1 if packed else packing)
        if tag:
            self.tags[tag] = made
        return made

    def packed_attribute(self) -> bool:
        """Move over attributes and return whether one says packed."""
        packed = False
        while self.text() in ("__attribute__", "__declspec"):
            self.at += 1
            if self.skip("("):
                packed = packed or any("packed" in token.text for token in self.rest_of("(", ")"))
        return packed

    def members(self, members: list[CMember]) -> None:
        """Read one declaration in a struct."""
        if self.skip(";"):
            return
        line = self.line()
        base = self.base_type()
        if base is None:
            raise _Unsupported(f"type '{self.text()[:40]}' is not known")
        if self.text() == ";" and base.kind in ("struct", "union"):
            # A struct without a name: its members are members of this one.
            self.at += 1
            if base.members and not base.name:
                members.append(CMember("", base, (), line))
            return
        while True:
            declared = self.declarator(base)
            if declared is None:
                raise _Unsupported(f"'{self.text()[:40]}' is no member")
            name, type, dimensions = declared
            if self.text() == ":":
                raise _Unsupported(f"bit field {name} has no place in the model")
            if type.kind in ("struct", "union") and not type.members:
                raise _Unsupported(f"struct {type.name} of member {name} is not defined")
            members.append(CMember(name, type, dimensions, line))
            if self.skip(","):
                continue
            if not self.skip(";"):
                raise _Unsupported(f"'{self.text()[:40]}' behind member {name} is not expected")
            return

    def declarator(self, base: CType) -> tuple[str, CType, tuple[int, ...]] | None:
        """Read a name with its array brackets; None if there is no name."""
        type = base
        dimensions: tuple[int, ...] = ()
        if isinstance(base, _Array):
            type, dimensions = base.element, base.dimensions
        pointer = False
        while self.skip("*"):
            pointer = True
            self.qualifiers()
        if self.skip("("):
            # A pointer to a function or to an array.
            inner = self.rest_of("(", ")")
            names = [token.text for token in inner if token.kind == "name"]
            if self.skip("("):
                self.rest_of("(", ")")
            size = self.options.pointer_size
            return (names[0], CType("pointer", size, size), ()) if names else None
        token = self.peek()
        if token is None or token.kind != "name":
            return None
        self.at += 1
        own: list[int] = []
        while self.skip("["):
            inside = self.rest_of("[", "]")
            if not inside:
                raise _Unsupported(f"array {token.text} has no size")
            size = self.constant(inside)
            if not 1 <= size <= COUNT_MAX:
                raise _Unsupported(f"array {token.text} has {size} elements")
            own.append(size)
        self.qualifiers()
        if pointer:
            size = self.options.pointer_size
            return token.text, CType("pointer", size, size), tuple(own)
        return token.text, type, (*own, *dimensions)


class _Array(CType):
    """A typedef that is an array: MQCHAR8."""

    def __init__(self, element: CType, dimensions: tuple[int, ...]) -> None:
        super().__init__(element.kind, element.size, element.alignment, element.signed)
        self.element = element
        self.dimensions = dimensions


def _lay_out(struct: CType, packing: int) -> None:
    """Set offsets, alignment and size of a struct or union."""
    offset = 0
    largest = 1
    end = 0
    for member in struct.members:
        member.alignment = min(member.type.alignment, packing)
        largest = max(largest, member.alignment)
        size = member.type.size
        for count in member.dimensions:
            size *= count
            if size > SIZE_MAX:
                raise _Unsupported(f"member {member.name} is larger than {SIZE_MAX} bytes")
        start = 0 if struct.kind == "union" else offset + -offset % member.alignment
        member.offset = start
        offset = start + size
        end = max(end, offset)
        if end > SIZE_MAX:
            raise _Unsupported(f"struct {struct.name} is larger than {SIZE_MAX} bytes")
    struct.alignment = largest
    struct.filling = -end % largest
    struct.size = end + struct.filling


class _Builder:
    """Makes groups and fields of structs."""

    def __init__(self, options: CHeaderOptions) -> None:
        self.options = options
        self.format = options.format
        self.groups: dict[int, Group] = {}

    def group(self, struct: CType) -> Group:
        """Return the group of a struct or union; one that is used again is the same object."""
        found = self.groups.get(id(struct))
        if found is not None:
            return found
        made = Group(name=valid_name(struct.name) if struct.name else "", choice=struct.kind == "union")
        self.groups[id(struct)] = made
        if made.choice:
            made.physical[self.format] = {"length": str(struct.size)}
        for member in struct.members:
            if member.name:
                made.members.append(self.field(member))
            else:
                inner = self.group(member.type)
                if member.alignment > 1:
                    inner.physical.setdefault(self.format, {})["byteAlignment"] = str(member.alignment)
                if member.type.filling and not inner.choice:
                    inner.physical.setdefault(self.format, {})["skipCountTrailing"] = str(member.type.filling)
                made.members.append(inner)
        return made

    def field(self, member: CMember) -> Field:
        """Return the field of a member."""
        type = member.type
        made = Field(name=valid_name(member.name), place=f"line {member.line}")
        properties: Properties = {}
        dimensions = member.dimensions
        if type.kind in ("struct", "union"):
            made.group = self.group(type)
            if type.filling and type.kind == "struct":
                properties["skipCountTrailing"] = str(type.filling)
        elif type.kind == "char" and (dimensions or self.options.char == "string"):
            self.string(made, dimensions[-1] if dimensions else 1, properties)
            dimensions = dimensions[:-1]
        elif type.kind == "pointer":
            _set_bytes(made, type.size, properties)
        elif type.kind == "byte" and dimensions:
            _set_bytes(made, dimensions[-1], properties)
            dimensions = dimensions[:-1]
        else:
            _set_number(made, type, properties)
        if member.alignment > 1:
            properties["byteAlignment"] = str(member.alignment)
        if properties:
            made.physical[self.format] = properties
        if dimensions:
            made.min_occurs = made.max_occurs = math.prod(dimensions)
        return made

    def string(self, made: Field, length: int, properties: Properties) -> None:
        made.logical = Logical.STRING
        made.facets = Facets(max_length=length)
        made.default = " "
        properties |= {"physicalType": "fixedLengthString", "length": str(length)}
        if self.options.strings == "nul":
            made.default = ""
            properties |= {"paddingCharacter": "NUL", "endsAtNul": "true"}
        else:
            properties["paddingCharacter"] = "SPACE"


__all__ = ["BrokerError", "CHeaderOptions", "import_c_header"]


def _set_bytes(made: Field, length: int, properties: Properties) -> None:
    """Make a field of plain bytes."""
    made.logical = Logical.HEX_BINARY
    made.facets = Facets(max_length=length)
    made.default = "00" * length if length < 10_000 else None
    properties |= {"physicalType": "binary", "length": str(length)}


def _set_number(made: Field, type: CType, properties: Properties) -> None:
    """Make a field of a binary or floating-point number."""
    made.default = "0"
    if type.kind == "float":
        made.logical = Logical.FLOAT if type.size == 4 else Logical.DOUBLE
        properties |= {"physicalType": "float", "length": str(type.size)}
        return
    signed = type.signed and type.kind != "byte"
    made.logical = binary_type(type.size, signed, True)
    properties |= {"physicalType": "integer", "length": str(type.size), "signed": "true" if signed else "false"}
