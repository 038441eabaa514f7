"""Writing, lower half: the state of a writer, framing, padding, nil values and simple fields.

A writer raises at the first value that does not fit: there is nothing to try instead. The error names the element, its
value and the limits of its field.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.model.expression import Environment, NotYet, evaluate, text_of
from flintmq.broker.formats.model.nodes import (
    BITS,
    CENTER,
    CHARACTERS,
    COMPUTED,
    FIXED,
    LEFT,
    NIL_CHARACTER,
    NIL_LOGICAL,
    PREFIXED,
    RIGHT,
    WITH_INITIATOR,
    WITH_TERMINATOR,
    ElementNode,
    Path,
    Term,
)
from flintmq.broker.formats.model.plan import Plan, convert
from flintmq.broker.formats.model.read_state import path_of
from flintmq.broker.formats.model.text import UTF8, WIDE, Charset, Scope, escape_text
from flintmq.broker.tree.element import Element

#: What went wrong, for the number of the error.
BAD_VALUE: Final = 0
MISSING: Final = 1
UNEXPECTED: Final = 2
TOO_LONG: Final = 3
EXPRESSION: Final = 4
NOT_NILLABLE: Final = 5
NO_BRANCH: Final = 6
LIMIT: Final = 7

#: Numbers by family; see `read_fields.NUMBERS`.
NUMBERS: Final[dict[str, list[int]]] = {
    "MRM": [5505, 5359, 5372, 5507, 5375, 5508, 5494, 5399],
    "DFDL": [5830, 5831, 5832, 5833, 5834, 5835, 5836, 5837],
}
WRAPPERS: Final[dict[str, int]] = {"MRM": 5286, "DFDL": 5807}
DEPTH_MAX: Final = 150
#: Bytes that alignment, skips and fixed lengths may fill at once.
FILL_MAX: Final = 100_000_000


@mypyc_attr(allow_interpreted_subclasses=False)
class FieldWriter:
    """The state of writing one message, and its fields."""

    def __init__(self, plan: Plan) -> None:
        self.plan: Plan = plan
        self.out: bytearray = bytearray()
        #: Bytes before `out`: a part may be written apart, because its length comes first.
        self.base: int = 0
        #: Bits behind `out` that are no whole byte yet.
        self.bits: int = 0
        self.bit_count: int = 0
        self.depth: int = 0
        self.env: Environment = Environment()
        self.env.writing = True
        self.uses_lengths: bool = plan.uses_lengths
        #: Whether something was not known in this pass, and whether something is different from the last.
        self.unknown: str = ""
        self.different: bool = False
        self.kept: list[Element] = []
        #: Bytes of the value of the last field, without padding.
        self.value_length: int = 0

    # Errors.

    def error(self, kind: int, node: Term | None, element: Element | None, text: str) -> BrokerError:
        """Return the error for an element that cannot be written."""
        name = ""
        if isinstance(node, ElementNode) and (element is None or element.name != node.name):
            name = node.name
        path = path_of(element, name)
        family = self.plan.family
        message = self.plan.message.element.name
        cause = parser_error(NUMBERS[family][kind], path, text, text=f"{path}: {text}")
        return parser_error(WRAPPERS[family], message, text=f"message {message} could not be written", cause=cause)

    def enter(self, element: Element | None) -> None:
        """Count one structure more. Raises if they are nested too deep."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.error(LIMIT, None, element, f"structures are nested deeper than {DEPTH_MAX}")

    # Bits, alignment, markup.

    def position(self) -> int:
        """Return how many bits are written."""
        return 8 * (self.base + len(self.out)) + self.bit_count

    def put_bits(self, number: int, count: int) -> None:
        """Write so many bits of a number."""
        value = self.bits << count | number
        total = self.bit_count + count
        rest = total & 7
        if total >= 8:
            self.out += (value >> rest).to_bytes(total >> 3, "big")
        self.bits = value & ((1 << rest) - 1)
        self.bit_count = rest

    def flush_bits(self, fill: int) -> None:
        """Fill the last byte."""
        if self.bit_count:
            missing = 8 - self.bit_count
            self.put_bits(fill & ((1 << missing) - 1), missing)

    def put(self, data: bytes) -> None:
        """Write bytes."""
        if self.bit_count:
            self.put_bits(int.from_bytes(data, "big"), 8 * len(data))
        else:
            self.out += data

    def put_mark(self, data: bytes, fill: int) -> None:
        """Write markup, which starts at a byte."""
        if self.bit_count:
            self.flush_bits(fill)
        self.out += data

    def fill_bits(self, count: int, fill: int) -> None:
        """Write filling."""
        if count > 8 * FILL_MAX:
            raise self.error(LIMIT, None, None, f"{count // 8} bytes of filling")
        while count and self.bit_count:
            size = min(8 - self.bit_count, count)
            self.put_bits(fill >> (8 - size), size)
            count -= size
        if count >= 8:
            self.out += bytes((fill,)) * (count >> 3)
            count &= 7
        if count:
            self.put_bits(fill >> (8 - count), count)

    def place(self, term: Term, first: bool) -> None:
        """Write skips and alignment before a term."""
        if term.leading_skip and (first or not term.skip_first_only):
            self.fill_bits(term.leading_skip, term.fill)
        alignment = term.alignment
        if alignment > 1:
            over = self.position() % alignment
            if over:
                self.fill_bits(alignment - over, term.fill)

    # Expressions.

    def value_of_path(self, path: Path, element: Element) -> object:
        """Return the value of another field. Raises ValueError."""
        found: Element | None = element
        if path.up < 0:
            found = self.env.root
        else:
            up = path.up
            while up > 0 and found is not None:
                found = found.parent
                up -= 1
        for name in path.names:
            if found is None:
                break
            child = found.last_child()
            while child is not None and child.name != name:
                child = child.previous
            found = child
        if found is None:
            raise NotYet(f"the field {'.'.join(path.names)} that is referred to is missing")
        return found.value

    def known_length(self, node: ElementNode, element: Element) -> int:
        """Return the length of a field that is computed; -1 if it is not known yet."""
        try:
            if node.length_path is not None:
                value = self.value_of_path(node.length_path, element)
            else:
                assert node.length_expression is not None
                self.env.element = element
                value = evaluate(node.length_expression, self.env)
        except NotYet as error:
            self.unknown = str(error)
            return -1
        except ValueError as error:
            raise self.error(EXPRESSION, node, element, str(error)) from None
        text = "" if value is None else text_of(value)
        if not text.isdigit() or len(text) > 18:
            if value is None or self.different or self.unknown:
                return -1
            raise self.error(EXPRESSION, node, element, f"its length is {text[:40] or 'NULL'}")
        return int(text)

    # Fields.

    def write_simple(self, node: ElementNode, element: Element, scope: Scope) -> None:
        """Write one occurrence of a field."""
        value = element.value
        nil = value is None
        if nil and not self.has_null(node) and not node.nillable:
            raise self.error(NOT_NILLABLE, node, element, "it is NULL and its field has no null representation")
        if not node.text and (node.units == BITS or self.bit_count):
            if node.initiator is not None:
                self.put_mark(node.initiator.output, node.fill)
            self.write_bits_field(node, element)
            if node.terminator is not None:
                self.put_mark(node.terminator.output, node.fill)
            return
        if self.bit_count:
            self.flush_bits(node.fill)
        content = self.nil_content(node, element) if nil else self.content(node, element, scope)
        policy = WITH_INITIATOR | WITH_TERMINATOR
        if nil:
            policy = node.nil_policy
        elif not content:
            policy = node.empty_policy
        if node.initiator is not None and policy & WITH_INITIATOR:
            self.out += node.initiator.output
        if node.prefix is not None and node.length_kind == PREFIXED:
            self.write_prefix(node, element, content)
        self.out += content
        if self.uses_lengths:
            self.note_lengths(element, len(content), self.value_length)
        if node.terminator is not None and policy & WITH_TERMINATOR:
            self.out += node.terminator.output

    def has_null(self, node: ElementNode) -> bool:
        """Return whether a codec has a null representation of its own: MRM booleans."""
        return node.logical == "boolean" and not node.text

    def note_lengths(self, element: Element, content: int, value: int) -> None:
        """Keep the lengths of an element for expressions."""
        lengths = (content, value)
        key = id(element)
        if self.env.lengths.get(key) != lengths:
            self.env.lengths[key] = lengths
            self.different = True
            self.kept.append(element)

    def content(self, node: ElementNode, element: Element, scope: Scope) -> bytes:
        """Return the bytes of a value in the length of its field."""
        codec = node.codec
        assert codec is not None
        try:
            if not node.text:
                return self.binary_content(node, element)
            text = element.value if isinstance(element.value, str) and node.is_string else None
            if text is None:
                text = codec.write_text(element.value)
        except (ValueError, ArithmeticError) as error:
            raise self.error(BAD_VALUE, node, element, str(error)) from None
        charset = node.charset
        assert charset is not None
        data = self.encoded(node, element, text, charset)
        self.value_length = len(data)
        kind = node.length_kind
        if kind == FIXED:
            return self.fitted(node, element, text, data, node.length, charset)
        if kind == COMPUTED:
            length = self.known_length(node, element)
            return data if length < 0 else self.fitted(node, element, text, data, length, charset)
        if node.escape is not None:
            try:
                data = escape_text(data, scope.extended(node.terminator), node.escape)
            except ValueError as error:
                raise self.error(EXPRESSION, node, element, str(error)) from None
            self.value_length = len(data)
        if node.length_max and len(text) > node.length_max:
            raise self.error(TOO_LONG, node, element, f"'{text[:50]}' has more than {node.length_max} characters")
        if node.output_minimum and node.pads:
            short = node.output_minimum - (len(text) if node.units == CHARACTERS else len(data))
            if short > 0:
                return padded(node, data, node.pad_bytes * (short // self.pad_size(node)), short)
        return data

    def pad_size(self, node: ElementNode) -> int:
        """Return how much of a length one padding character is."""
        return 1 if node.units == CHARACTERS else max(len(node.pad_bytes), 1)

    def encoded(self, node: ElementNode, element: Element, text: str, charset: Charset) -> bytes:
        """Return the bytes of characters."""
        try:
            return text.encode(charset.codec)
        except UnicodeError:
            pass
        if node.errors == "replace":
            return text.encode(charset.codec, "replace")
        raise self.error(BAD_VALUE, node, element, f"'{text[:50]}' has characters that {charset.codec} has not")

    def fitted(
        self, node: ElementNode, element: Element, text: str, data: bytes, length: int, charset: Charset
    ) -> bytes:
        """Return text in a field of known length: padded, or cut where that is allowed."""
        in_characters = node.units == CHARACTERS
        if node.units == BITS:
            length //= 8
        size = len(text) if in_characters else len(data)
        if charset.kind == WIDE and in_characters:
            # Characters of UTF-16 are counted as units.
            size = len(data) // charset.unit
        if size > length:
            if not node.truncate or not node.is_string:
                unit = "characters" if in_characters else "bytes"
                raise self.error(TOO_LONG, node, element, f"'{text[:50]}' has {size} {unit} and its field {length}")
            return cut(node, text, data, length, charset, in_characters)
        missing = length - size
        if not missing:
            return data
        if missing > FILL_MAX:
            raise self.error(LIMIT, node, element, f"its field has {length} bytes")
        if not node.pads or not node.pad_bytes:
            # Without padding, what is left is filled.
            return data + bytes((node.fill,)) * missing
        if in_characters:
            return padded(node, data, node.pad_bytes * missing, missing)
        count, rest = divmod(missing, len(node.pad_bytes))
        return padded(node, data, node.pad_bytes * count, count) + bytes((node.fill,)) * rest

    def binary_content(self, node: ElementNode, element: Element) -> bytes:
        """Return the bytes of a binary field. Raises ValueError."""
        codec = node.codec
        assert codec is not None
        kind = node.length_kind
        length = 0
        if kind == FIXED:
            length = node.length
        elif kind == COMPUTED:
            length = max(self.known_length(node, element), 0)
        if length > FILL_MAX:
            raise ValueError(f"its field has {length} bytes")
        data = codec.write_bytes(element.value, length)
        self.value_length = len(data)
        if length and len(data) != length:
            if len(data) > length:
                raise ValueError(f"X'{data[:20].hex()}' has {len(data)} bytes and its field {length}")
            data += bytes((node.fill,)) * (length - len(data))
        elif not length and len(data) < node.output_minimum <= FILL_MAX:
            data += bytes((node.fill,)) * (node.output_minimum - len(data))
        return data

    def nil_content(self, node: ElementNode, element: Element) -> bytes:
        """Return the bytes of the null representation of a field."""
        charset = node.charset
        assert charset is not None
        kind = node.nil_kind
        if not node.nillable or kind == NIL_LOGICAL:
            if node.nillable and node.nil_values:
                stand_in = Element(node.name, node.nil_values[0], node.type)
                stand_in.parent = element.parent
                return self.content(node, stand_in, self.plan.scope)
            return self.content(node, element, self.plan.scope)
        length = -1
        if node.length_kind == FIXED:
            length = node.length * (charset.unit if node.units == CHARACTERS else 1)
        elif node.length_kind == COMPUTED:
            length = self.known_length(node, element)
        if length > FILL_MAX:
            raise self.error(LIMIT, node, element, f"its field has {length} bytes")
        nil = node.nil_output
        if kind == NIL_CHARACTER:
            if length < 0 or not nil:
                return nil
            return (nil * (length // len(nil) + 1))[:length]
        if length < 0:
            return nil
        self.value_length = len(nil)
        if len(nil) > length:
            raise self.error(TOO_LONG, node, element, f"its null value has {len(nil)} bytes and its field {length}")
        if node.text and node.pads and node.pad_bytes:
            missing = length - len(nil)
            return padded(node, nil, node.pad_bytes * (missing // len(node.pad_bytes)), missing)
        return nil + bytes((node.fill,)) * (length - len(nil))

    def write_prefix(self, node: ElementNode, element: Element, content: bytes) -> None:
        """Write the length that stands before a field or structure."""
        prefix = node.prefix
        assert prefix is not None
        length = len(content)
        if node.units == CHARACTERS:
            charset = node.charset
            assert charset is not None
            if charset.kind == WIDE:
                length //= charset.unit
            elif charset.kind == UTF8 or charset.kind > UTF8:
                length = len(content.decode(charset.codec, "replace"))
        elif node.units == BITS:
            length *= 8
        if node.includes_prefix:
            length += self.prefix_size(node, prefix, element, length)
        self.write_prefix_value(prefix, element, length)

    def write_prefix_value(self, prefix: ElementNode, element: Element, length: int) -> None:
        """Write the value of a prefix, which is no element of the tree."""
        if prefix.facets is not None:
            problem = prefix.facets.problem(length)
            if problem is not None:
                raise self.error(TOO_LONG, prefix, element, f"its length prefix: {problem}")
        holder = Element(prefix.name, length, prefix.type)
        holder.parent = element.parent
        outer = self.uses_lengths
        self.uses_lengths = False
        self.write_simple(prefix, holder, self.plan.scope)
        self.uses_lengths = outer

    def prefix_size(self, node: ElementNode, prefix: ElementNode, element: Element, length: int) -> int:
        """Return how long a prefix is, in the units of the length it holds."""
        apart = self.out
        base = self.base
        self.base += len(apart)
        self.out = bytearray()
        self.write_prefix_value(prefix, element, length)
        size = len(self.out)
        self.out = apart
        self.base = base
        return 8 * size if node.units == BITS else size

    def write_bits_field(self, node: ElementNode, element: Element) -> None:
        """Write a binary field with a length in bits, or that does not start at a byte."""
        codec = node.codec
        assert codec is not None
        kind = node.length_kind
        bits = node.length
        if kind == COMPUTED:
            bits = max(self.known_length(node, element), 0)
        try:
            if node.units != BITS or kind != FIXED and kind != COMPUTED:
                data = codec.write_bytes(element.value, bits if node.units != BITS else 0)
                if kind == PREFIXED:
                    self.write_prefix(node, element, data)
                self.put(data)
                bits = 8 * len(data)
            elif element.value is None:
                self.put_bits(int.from_bytes(node.nil_output, "big"), bits)
            else:
                self.put_bits(codec.write_bits(element.value, bits), bits)
        except (ValueError, ArithmeticError) as error:
            raise self.error(BAD_VALUE, node, element, str(error)) from None
        if self.uses_lengths:
            self.note_lengths(element, bits // 8, bits // 8)

    def computed_value(self, node: ElementNode, element: Element) -> None:
        """Set the value of an element that is computed on output."""
        expression = node.output_value
        assert expression is not None
        self.env.element = element
        try:
            value = convert(evaluate(expression, self.env), node.logical)
        except NotYet as error:
            self.unknown = str(error)
            # What the tree has for a computed element does not count.
            element.value = None
            return
        except ValueError as error:
            raise self.error(EXPRESSION, node, element, str(error)) from None
        if element.value != value or type(element.value) is not type(value):
            element.value = value
            self.different = True


def padded(node: ElementNode, data: bytes, padding: bytes, count: int) -> bytes:
    """Return bytes with padding on the side that justification says."""
    if node.justification == LEFT:
        return data + padding
    if node.justification == RIGHT:
        return padding + data
    assert node.justification == CENTER
    half = (count + 1) // 2 * max(len(node.pad_bytes), 1)
    return padding[:half] + data + padding[half:]


def cut(node: ElementNode, text: str, data: bytes, length: int, charset: Charset, in_characters: bool) -> bytes:
    """Return text cut to a length: on the right, or on the left if it is right-justified."""
    if in_characters:
        shorter = text[len(text) - length :] if node.justification == RIGHT else text[:length]
        return shorter.encode(charset.codec, "replace")
    if node.justification == RIGHT:
        return data[len(data) - length :]
    return data[:length]
