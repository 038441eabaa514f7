"""COBOL copybooks as message sets (MF 4.7).

    import_copybook(text, ...)     a message for every record, with a CWF and an XML format

Every item of level 01 or 77 is a record; items of other levels that stand alone are one record together. The message
of record ORDER is `msg_ORDER`; a hyphen in a name becomes an underscore. Group items are structures, elementary items
are fields, OCCURS gives occurrences and OCCURS DEPENDING ON a repeat reference, items that redefine each other are a
choice. `FILLER` items get names of their own (`filler_1`), so no byte is lost, or are hidden.

    COBOL                                logical                        CWF
    PIC X, A, edited pictures            string                         fixed length string
    PIC N, G; USAGE NATIONAL, DISPLAY-1  string                         the same, UTF-16
    PIC 9 DISPLAY                        int, long, integer, decimal    external decimal
    COMP, COMP-4, BINARY, COMP-5 ...     short, int, long, integer,     integer
                                         decimal; unsigned ones
    COMP-3                               as DISPLAY                     packed decimal
    COMP-3U, COMP-6                      as DISPLAY                     bcd
    COMP-1, COMP-2                       float, double                  float
    pointers, COMP-X of PIC X            hexBinary                      binary

A number with digits behind V is a decimal, one with P is scaled. Defaults come from VALUE, else they are blanks and
zeros, as in a record that no program has filled.

Level 66, COPY statements and clauses that are not known are notes of the message set, with their lines. A text without
items, a malformed picture or a REDEFINES of nothing is a ParserException.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from flintmq.broker.errors import BrokerError
from flintmq.broker.formats.copybook_items import BINARY, PACKED, Item, parse_items
from flintmq.broker.formats.copybook_picture import Category
from flintmq.broker.formats.message_set import (
    Field,
    FormatKind,
    Group,
    Member,
    MessageSet,
    PhysicalFormat,
    Properties,
    definition_error,
    expanded_size,
)
from flintmq.broker.formats.model.schema import Facets, Logical

_DECIMAL: Final = re.compile(r"[+-]?(?:\d{1,60}(?:\.\d{0,60})?|\.\d{1,60})")
_ZEROS: Final = ("ZERO", "ZEROS", "ZEROES")


@dataclass(slots=True)
class CopybookOptions:
    """How a copybook is read; see `import_copybook`."""

    format: str = "CWF1"
    form: Literal["auto", "fixed", "free"] = "auto"
    fillers: Literal["named", "hidden"] = "named"
    occurs_depending: Literal["exact", "maximum"] = "exact"
    blank_numbers: Literal["error", "null"] = "error"
    enumerations: bool = False
    ignore_trailing_bytes: bool = False
    pointer_size: int = 4
    decimal_comma: bool = False
    comp5_byte_order: Literal["message", "bigEndian", "littleEndian"] = "message"
    ascii_signs: Literal["standard", "ebcdic"] = "standard"
    prefix: str = "msg_"


def import_copybook(text: str, name: str = "COPYBOOK", options: CopybookOptions | None = None) -> MessageSet:
    """Return the message set of a copybook. Raises a ParserException that names the line of an error.

    `form` is the form of the source text. `fillers`: FILLER items are fields with generated names, or `hidden`: read
    and written, never in the tree. `occurs_depending`: OCCURS DEPENDING ON takes as many bytes as it has occurrences,
    or always its `maximum`, as in records of fixed length. `blank_numbers`: DISPLAY and packed numbers that are all
    blanks or all X'00' are an error, or NULL. `enumerations`: values of level 88 become enumerations.
    `ignore_trailing_bytes`: bytes behind a record are no error. `pointer_size` is 4 or 8. `comp5_byte_order` is that of
    COMP-5 if it differs from the other binary numbers. `ascii_signs`: overpunched signs in ASCII text are p to y, or
    the letters that EBCDIC has.
    """
    chosen = options or CopybookOptions()
    try:
        copybook = parse_items(text, chosen.form, chosen.pointer_size, chosen.decimal_comma)
        return _Importer(name, chosen).message_set(copybook.records, copybook.notes)
    except RecursionError:
        raise definition_error("items are nested too deep") from None


@dataclass(slots=True)
class _Unit:
    """A member of a group under construction: the items it holds, where they start and how long they are."""

    member: Member
    items: list[Item] = field(default_factory=list)


class _Importer:
    """Makes the message set of one copybook."""

    def __init__(self, name: str, options: CopybookOptions) -> None:
        self.options = options
        self.format = options.format
        self.set = MessageSet(name)
        self.fillers = 0
        #: The chain of items from the record to each item, by the item's identity.
        self.chains: dict[int, list[Item]] = {}
        #: Items of the record in the order of the text.
        self.order: list[Item] = []

    def message_set(self, records: list[Item], notes: list[str]) -> MessageSet:
        result = self.set
        result.notes = notes
        properties: Properties = {}
        if self.options.ignore_trailing_bytes:
            properties["ignoreTrailingBytes"] = "true"
        result.formats[self.format] = PhysicalFormat(self.format, FormatKind.CWF, properties)
        result.formats["XML1"] = PhysicalFormat("XML1", FormatKind.XML)
        result.default_format = self.format
        loose = [record for record in records if record.level not in (1, 77)]
        if loose:
            whole = Item(1, result.name, loose[0].line, children=loose)
            records = [whole, *(record for record in records if record.level in (1, 77))]
        for record in records:
            message = self.record(record)
            expanded_size(message)
            if message.name in result.messages:
                result.notes.append(
                    f"line {record.line}: record {record.path_name()} is defined twice; the first is used"
                )
            else:
                result.add(message)
        return result

    def record(self, record: Item) -> Field:
        """Return the message of a record."""
        self.fillers = 0
        self.chains = {}
        self.order = []
        items = record.children or [record]
        self.note_chains(items, [record] if record.children else [])
        name = valid_name(record.path_name())
        group = Group(name=name, members=self.members(items), place=f"line {record.line}")
        return Field(name=f"{self.options.prefix}{name}", group=group, place=f"line {record.line}")

    def note_chains(self, items: list[Item], chain: list[Item]) -> None:
        for item in items:
            self.order.append(item)
            self.chains[id(item)] = [*chain, item]
            self.note_chains(item.children, [*chain, item])

    # Groups.

    def members(self, items: list[Item]) -> list[Member]:
        """Return the members of a group; items that redefine each other are one choice."""
        units: list[_Unit] = []
        for item in items:
            made = self.item(item)
            if not item.redefines:
                units.append(_Unit(made, [item]))
                continue
            index = self.redefined(item, units)
            if index < len(units) - 1:
                # The redefined item has others behind it: all of them are overlaid.
                behind = units[index:]
                sequence = Group(members=[unit.member for unit in behind], place=made.place)
                units[index:] = [_Unit(sequence, [one for unit in behind for one in unit.items])]
            unit = units[index]
            if not (isinstance(unit.member, Group) and unit.member.choice):
                unit.member = Group(members=[unit.member], choice=True, place=made.place)
            unit.member.members.append(made)
            unit.items.append(item)
        for unit in units:
            if isinstance(unit.member, Group) and unit.member.choice and len(unit.items) > 1:
                self.set_length(unit)
        return [unit.member for unit in units]

    def redefined(self, item: Item, units: list[_Unit]) -> int:
        """Return the index of the unit that starts with the item that another redefines."""
        wanted = item.redefines.upper()
        for index in range(len(units) - 1, -1, -1):
            for other in units[index].items:
                if other.name.upper() == wanted:
                    return index
        raise definition_error(
            f"{item.path_name()} redefines {item.redefines}, which is no item before it", line=item.line
        )

    def set_length(self, unit: _Unit) -> None:
        """Give a choice the length of its longest member, if that is fixed."""
        if self.options.occurs_depending == "exact" and any(depends(item) for item in unit.items):
            return
        start = min(item.offset for item in unit.items)
        length = max(item.offset + item.total for item in unit.items) - start
        if length:
            unit.member.physical[self.format] = {"length": str(length)}

    def item(self, item: Item) -> Field | Group:
        """Return the field or structure of an item; a group where occurrences take a fixed place."""
        made = self.structure(item) if item.children else self.elementary(item)
        made.place = f"line {item.line}"
        if item.occurs:
            made.min_occurs, made.max_occurs = item.occurs_max, item.occurs_max
            if item.depending:
                return self.depending(item, made)
        return made

    def depending(self, item: Item, made: Field) -> Field | Group:
        """Give a field as many occurrences as another field says."""
        reference = self.reference(item)
        if not reference:
            self.set.notes.append(
                f"line {item.line}: {item.depending}, on which {item.path_name()} depends, is no item before it;"
                f" {item.occurs_max} occurrences are taken"
            )
            return made
        made.min_occurs = item.occurs_min
        made.physical.setdefault(self.format, {})["repeatReference"] = reference
        if self.options.occurs_depending == "exact":
            return made
        place = Group(members=[made], choice=True, place=made.place)
        place.physical[self.format] = {"length": str(item.total)}
        return place

    def reference(self, item: Item) -> str:
        """Return the path from an item to the item on which its occurrences depend; '' if there is none."""
        wanted = item.depending.upper()
        chain = self.chains[id(item)]
        best: list[Item] = []
        shared = -1
        for other in self.order:
            if other is item:
                break
            if other.name.upper() != wanted or other.children:
                continue
            path = self.chains[id(other)]
            common = 0
            while common < min(len(path), len(chain)) and path[common] is chain[common]:
                common += 1
            if common >= shared:
                best, shared = path, common
        if not best:
            return ""
        up = len(chain) - 1 - shared
        return "../" * up + "/".join(valid_name(one.name) for one in best[shared:])

    def structure(self, item: Item) -> Field:
        """Return the structure of a group item."""
        made = Field(name=self.name(item))
        made.group = Group(name=made.name, members=self.members(item.children), place=f"line {item.line}")
        if item.filling:
            made.physical[self.format] = {"skipCountTrailing": str(item.filling)}
        return made

    def name(self, item: Item) -> str:
        """Return the name of a field. Fillers are numbered in the order of the text."""
        if item.is_filler:
            self.fillers += 1
            return f"filler_{self.fillers}"
        return valid_name(item.name)

    # Elementary items.

    def elementary(self, item: Item) -> Field:
        """Return the field of an elementary item."""
        made = Field(name=self.name(item), logical=Logical.STRING)
        made.hidden = item.is_filler and self.options.fillers == "hidden"
        properties: Properties = {}
        usage = item.usage
        picture = item.picture
        if usage in ("computational-1", "computational-2"):
            made.logical = Logical.FLOAT if item.size == 4 else Logical.DOUBLE
            properties["physicalType"] = "float"
            made.default = "0"
        elif usage.startswith("binary-") or usage == "index":
            self.integer(made, item, properties, not item.unsigned, 0)
        elif usage.endswith("pointer") or usage == "pointer-32":
            self.binary(made, item, properties)
        elif picture is None:
            # A group item without items: nothing of it is in the record.
            made.group = Group(name=made.name)
            made.logical = None
            return made
        elif usage == "computational-x" and picture.category is not Category.NUMERIC:
            self.binary(made, item, properties)
        elif picture.category is Category.NUMERIC and usage not in ("display-1",):
            self.numeric(made, item, properties)
        else:
            self.string(made, item, properties)
        if not item.size:
            raise definition_error(f"{item.path_name()} has no size", line=item.line)
        properties.setdefault("length", str(item.size))
        if item.sync and item.alignment > 1:
            properties["byteAlignment"] = str(item.alignment)
        made.physical[self.format] = properties
        if self.options.enumerations:
            self.enumeration(made, item)
        return made

    def binary(self, made: Field, item: Item, properties: Properties) -> None:
        made.logical = Logical.HEX_BINARY
        made.facets = Facets(max_length=item.size)
        made.default = "00" * item.size if item.size < 10_000 else None
        properties["physicalType"] = "binary"

    def string(self, made: Field, item: Item, properties: Properties) -> None:
        picture = item.picture
        assert picture is not None
        properties["physicalType"] = "fixedLengthString"
        properties["paddingCharacter"] = "SPACE"
        wide = picture.category in (Category.NATIONAL, Category.DBCS) or item.usage in ("national", "display-1")
        if wide:
            properties["charset"] = "UTF-16BE"
        if item.justified:
            properties["justification"] = "right"
        made.facets = Facets(max_length=item.size // 2 if wide else item.size)
        made.default = " "
        value = item.value
        if value is not None and not item.figurative and item.value_prefix not in ("X", "NX", "G", "B"):
            if _is_text(value) and value.strip():
                made.default = value.rstrip()[: made.facets.max_length]
        elif item.figurative and value in _ZEROS:
            made.default = "0" * min(made.facets.max_length, 1000)

    def numeric(self, made: Field, item: Item, properties: Properties) -> None:
        """Set a number by its usage."""
        picture = item.picture
        assert picture is not None
        usage = item.usage
        if usage in BINARY or usage == "computational-x":
            self.integer(made, item, properties, picture.signed, picture.scale)
            return
        signed = picture.signed or item.sign_separate
        if picture.scale > 0:
            made.logical = Logical.DECIMAL
        else:
            made.logical = whole_type(picture.digits - picture.scale)
        made.facets = Facets(total_digits=picture.digits - min(picture.scale, 0))
        properties["signed"] = "true" if signed else "false"
        if picture.scale:
            properties["virtualDecimalPoint"] = str(picture.scale)
        if usage in PACKED:
            bcd = usage == "computational-3u" or usage == "computational-6" and not picture.signed
            properties["physicalType"] = "bcd" if bcd else "packedDecimal"
        else:
            properties["physicalType"] = "externalDecimal"
            if usage == "national":
                properties |= {"charset": "UTF-16BE", "lengthUnits": "characters", "length": str(item.size // 2)}
            if signed:
                orientation = "leading" if item.sign_leading else "trailing"
                properties["signOrientation"] = orientation + ("Separate" if item.sign_separate else "")
                if self.options.ascii_signs == "ebcdic":
                    properties["signEBCDICCustom"] = "true"
        if self.options.blank_numbers == "null" or item.blank_when_zero:
            made.nillable = True
            properties["encodingNull"] = "NULLLiteralFill"
            properties["encodingNullValue"] = "<SP><NUL>"
        made.default = number_default(item)

    def integer(self, made: Field, item: Item, properties: Properties, signed: bool, scale: int) -> None:
        """Set a two's complement number."""
        properties["physicalType"] = "integer"
        properties["signed"] = "true" if signed else "false"
        if scale:
            properties["virtualDecimalPoint"] = str(scale)
        if item.usage == "computational-9":
            properties["byteOrder"] = "littleEndian"
        elif item.usage == "computational-5" and self.options.comp5_byte_order != "message":
            properties["byteOrder"] = self.options.comp5_byte_order
        if scale > 0:
            made.logical = Logical.DECIMAL
        elif scale < 0:
            digits = item.picture.digits if item.picture is not None else 18
            made.logical = whole_type(digits - scale)
        else:
            made.logical = binary_type(item.size, signed, item.usage == "computational-5")
        made.default = number_default(item)

    def enumeration(self, made: Field, item: Item) -> None:
        """Turn the values of condition names into an enumeration, if they are no ranges."""
        values: list[str] = []
        for condition in item.conditions:
            for value, upper in condition.values:
                if upper or value.upper() in ("SPACE", "SPACES", "LOW-VALUES", "HIGH-VALUES", *_ZEROS):
                    return
                values.append(value)
        if values and all(_is_text(value) for value in values):
            made.facets = Facets(
                max_length=made.facets.max_length,
                total_digits=made.facets.total_digits,
                enumeration=tuple(dict.fromkeys(values)),
            )


def depends(item: Item) -> bool:
    """Return whether the size of an item depends on the number of occurrences in it."""
    return bool(item.depending) or any(depends(child) for child in item.children)


def whole_type(digits: int) -> Logical:
    """Return the type of a whole number of so many digits."""
    if digits <= 9:
        return Logical.INT
    return Logical.LONG if digits <= 18 else Logical.INTEGER


def binary_type(size: int, signed: bool, full_range: bool) -> Logical:
    """Return the type of a two's complement number; an unsigned one of 8 bytes is a long unless it uses all bits."""
    if size > 8:
        return Logical.INTEGER
    if signed:
        return {1: Logical.BYTE, 2: Logical.SHORT}.get(size, Logical.INT if size <= 4 else Logical.LONG)
    if size <= 4:
        return {1: Logical.UNSIGNED_BYTE, 2: Logical.UNSIGNED_SHORT}.get(size, Logical.UNSIGNED_INT)
    return Logical.UNSIGNED_LONG if full_range else Logical.LONG


def number_default(item: Item) -> str:
    """Return the default of a number: its VALUE, or zero."""
    value = item.value
    if value is None or item.figurative or not _DECIMAL.fullmatch(value.strip()):
        return "0"
    text = value.strip().rstrip(".") if not value.strip().startswith(".") else value.strip()
    picture = item.picture
    if "." in text and (picture is None or picture.scale <= 0):
        return "0"
    if picture is not None and len(text.strip("+-").replace(".", "")) > picture.digits:
        return "0"
    if text.startswith("-") and (picture is None or not picture.signed):
        return "0"
    return text.removeprefix("+") or "0"


def valid_name(name: str) -> str:
    """Return the name of an item as a name of the model: letters, digits, underscores."""
    text = re.sub(r"[^\w.]", "_", name, flags=re.ASCII) if name.isascii() else re.sub(r"[^\w.]", "_", name)
    if not text or not (text[0].isalpha() or text[0] == "_"):
        text = f"_{text}"
    return text[:200]


def _is_text(value: str) -> bool:
    """Return whether a text can stand in a model: no control characters."""
    return value.isprintable()


__all__ = ["BrokerError", "CopybookOptions", "import_copybook"]
