"""Reading, fields: lengths, padding, nil values, escapes, and conversion of simple fields.

The module is compiled by mypyc.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr

from flintmq.broker.formats.model.expression_values import (
    text_of,
)
from flintmq.broker.formats.model.nodes import (
    BITS,
    CHARACTERS,
    COMPUTED,
    DELIMITED,
    END_OF_PARENT,
    FIXED,
    LEFT,
    NIL_CHARACTER,
    NIL_LOGICAL,
    PATTERN,
    PREFIXED,
    RIGHT,
    WITH_INITIATOR,
    WITH_TERMINATOR,
    ElementNode,
)
from flintmq.broker.formats.model.read_state import (
    BAD_LENGTH,
    BAD_VALUE,
    EXPRESSION,
    NO_MARKUP,
    TOO_LONG,
    TOO_SHORT,
    ReaderState,
)
from flintmq.broker.formats.model.text import (
    WIDE,
    Scope,
    characters_span,
    read_block,
    read_escaped,
)
from flintmq.broker.tree.element import Element


@mypyc_attr(allow_interpreted_subclasses=False)
class FieldReader(ReaderState):
    """Reads fields."""

    # Lengths.

    def region(self, node: ElementNode, parent: Element, element: Element, scope: Scope) -> int:
        """Return where the content of an element ends, or -1. Only for content that is whole bytes."""
        kind = node.length_kind
        if kind == FIXED:
            return self.span(node, node.length, parent)
        if kind == DELIMITED:
            stop = self.find_markup(scope, self.pos)
            return self.end if stop < 0 else stop
        if kind == COMPUTED:
            try:
                length = self.number_of(node.length_expression, node.length_path, element, parent)
            except ValueError as error:
                self.fail(EXPRESSION, node, parent, str(error))
                return -1
            if length < 0:
                self.fail(BAD_LENGTH, node, parent, f"its length is {length}")
                return -1
            return self.span(node, length, parent)
        if kind == PREFIXED:
            return self.prefixed(node, parent, scope)
        if kind == PATTERN:
            pattern = node.length_pattern
            assert pattern is not None
            charset = node.charset
            assert charset is not None
            text, at = self.text_from(self.pos, charset, node.window)
            found = pattern.match(text, at, at + node.window)
            if found is None:
                return self.pos
            length = found.end() - at
            if self.text is not None and charset is self.plan.charset:
                return self.pos + length
            matched = text[at : at + length]
            size = len(matched.encode(charset.codec, "replace" if charset.kind == WIDE else "surrogateescape"))
            return min(self.pos + size, self.end)
        if kind == END_OF_PARENT:
            return self.end
        return self.end

    def span(self, node: ElementNode, length: int, parent: Element) -> int:
        """Return where so many units end, or -1 if there are fewer."""
        if node.units == CHARACTERS:
            charset = node.charset
            assert charset is not None
            if length > self.end - self.pos:
                stop = -1
            else:
                stop = characters_span(self.data, self.pos, self.end, length, charset)
        else:
            if node.units == BITS:
                length = (length + 7) // 8
            stop = self.pos + length
            if stop > self.end:
                stop = -1
        if stop == self.size and self.spare:
            stop = -1
        if stop < 0:
            unit = "characters" if node.units == CHARACTERS else "bytes"
            self.fail(TOO_SHORT, node, parent, f"it has {length} {unit} and only {self.end - self.pos} bytes are left")
        return stop

    def prefixed(self, node: ElementNode, parent: Element, scope: Scope) -> int:
        """Read the prefix of an element and return where its content ends, or -1."""
        prefix = node.prefix
        assert prefix is not None
        start = 8 * self.pos + self.bit
        holder = Element("")
        holder.parent = parent
        if not self.read_simple(prefix, holder, self.plan.scope):
            return -1
        made = holder.last
        value = None if made is None else made.value
        number = text_of(value) if value is not None else ""
        if not number.isdigit() or len(number) > 18:
            self.fail(BAD_LENGTH, node, parent, f"its length prefix is {number[:40] or 'empty'}")
            return -1
        length = int(number)
        if prefix.facets is not None:
            problem = prefix.facets.problem(value)
            if problem is not None:
                self.fail(BAD_LENGTH, node, parent, f"its length prefix: {problem}")
                return -1
        if node.includes_prefix:
            used = 8 * self.pos + self.bit - start
            if node.units != BITS:
                used = used // 8
            length -= used
            if length < 0:
                self.fail(BAD_LENGTH, node, parent, f"its length prefix {number} is less than its own length")
                return -1
        self.bits_left = length
        self.content_start = self.pos
        return self.span(node, length, parent)

    #: Units of the last prefixed length, for fields in bits.
    bits_left: int = 0
    #: Where the content of the element that is being read starts, behind its prefix.
    content_start: int = 0

    # Fields.

    def read_simple(self, node: ElementNode, parent: Element, scope: Scope) -> bool:
        """Read one occurrence of a field and append it."""
        start = self.pos
        initiated = True
        if node.initiator is not None:
            if self.read_mark(node.initiator, scope):
                self.found_initiator(node)
            elif self.may_lack_initiator(node):
                initiated = False
            else:
                return self.fail(NO_MARKUP, node, parent, f"initiator '{node.initiator.text}' not found")
        element = Element(node.name, None, node.type, node.namespace)
        element.changed = False
        element.parent = parent
        self.was_empty = False
        self.was_nil = False
        self.content_start = self.pos
        if node.text or node.units != BITS and not self.bit:
            if self.bit:
                self.align_byte()
            if not self.read_content(node, parent, element, scope.extended(node.terminator)):
                return False
        elif not self.read_bits_field(node, parent, element):
            return False
        if node.initiator is not None and not self.fits_initiator(node, parent, initiated, start):
            return False
        if self.uses_lengths:
            self.kept.append(element)
            self.env.lengths[id(element)] = (self.pos - self.content_start, self.value_length)
        if node.terminator is not None and not self.read_terminator_of_field(node, parent):
            return False
        parent.append_built(element)
        return True

    def fits_initiator(self, node: ElementNode, parent: Element, initiated: bool, start: int) -> bool:
        """Return whether a field may have its representation with or without its initiator; note a failure."""
        assert node.initiator is not None
        if initiated:
            if self.was_nil and not node.nil_policy & WITH_INITIATOR:
                return self.fail(BAD_VALUE, node, parent, "a nil value has an initiator")
            return True
        # Without an initiator only a nil or an empty representation is valid.
        policy = node.nil_policy if self.was_nil else node.empty_policy
        if (self.was_nil or self.was_empty) and not policy & WITH_INITIATOR:
            return True
        self.pos = start
        return self.fail(NO_MARKUP, node, parent, f"initiator '{node.initiator.text}' not found")

    def read_terminator_of_field(self, node: ElementNode, parent: Element) -> bool:
        """Read the terminator, unless a nil or an empty representation has none."""
        if self.was_nil and not node.nil_policy & WITH_TERMINATOR:
            return True
        if self.was_empty and not self.was_nil and not node.empty_policy & WITH_TERMINATOR:
            return True
        return self.read_terminator(node, parent)

    #: Bytes of the value of the last field, without padding.
    value_length: int = 0

    def may_lack_initiator(self, node: ElementNode) -> bool:
        """Return whether a nil or empty representation of a field has no initiator."""
        if node.nillable and not node.nil_policy & WITH_INITIATOR:
            return True
        return not node.empty_policy & WITH_INITIATOR

    def read_content(self, node: ElementNode, parent: Element, element: Element, scope: Scope) -> bool:
        """Read the content of a field that is whole bytes, and set the value of its element."""
        escape = node.escape
        if escape is not None and node.length_kind == DELIMITED:
            return self.read_with_escapes(node, parent, element, scope)
        stop = self.region(node, parent, element, scope)
        if stop < 0:
            return False
        start = self.pos
        if node.length_max and stop - start > node.length_max:
            return self.fail(TOO_LONG, node, parent, f"it has {stop - start} characters, at most {node.length_max}")
        if not node.text:
            return self.read_binary(node, parent, element, stop)
        if self.text is not None and node.shared_charset:
            text = self.text[start:stop]
        else:
            charset = node.charset
            assert charset is not None
            try:
                text = self.data[start:stop].decode(charset.codec, node.errors)
            except UnicodeError:
                return self.fail(
                    BAD_VALUE,
                    node,
                    parent,
                    f"X'{self.data[start : min(stop, start + 20)].hex()}' is not {charset.codec}",
                )
        if not self.set_text(node, parent, element, text, True):
            return False
        self.pos = stop
        return True

    def read_with_escapes(self, node: ElementNode, parent: Element, element: Element, scope: Scope) -> bool:
        """Read a delimited field with an escape scheme."""
        escape = node.escape
        charset = node.charset
        assert escape is not None and charset is not None
        data = self.data
        start = self.pos
        end = self.end
        trim = True
        try:
            scope.escaped_regex(escape)
        except ValueError as error:
            return self.fail(EXPRESSION, node, parent, str(error))
        if escape.by_block:
            at = start
            if node.trims and node.justification != LEFT and node.pad_bytes:
                while data.startswith(node.pad_bytes, at, end):
                    at += len(node.pad_bytes)
            if escape.start and data.startswith(escape.start, at, end):
                pad = node.pad_bytes if node.trims and node.justification != RIGHT else b""
                stop, content = read_block(scope, escape, data, at, end, pad)
                if stop < 0:
                    return self.fail(NO_MARKUP, node, parent, f"no end of the block that starts at offset {at}")
                trim = False
            elif escape.by_character and escape.escape:
                stop, content = read_escaped(scope, escape, data, start, end)
            else:
                stop = self.find_markup(scope, start)
                if stop < 0:
                    stop = end
                content = data[start:stop]
        else:
            stop, content = read_escaped(scope, escape, data, start, end)
        try:
            text = content.decode(charset.codec, node.errors)
        except UnicodeError:
            return self.fail(BAD_VALUE, node, parent, f"X'{content[:20].hex()}' is not {charset.codec}")
        if not self.set_text(node, parent, element, text, trim):
            return False
        self.pos = stop
        return True

    def set_text(self, node: ElementNode, parent: Element, element: Element, text: str, trim: bool) -> bool:
        """Set the value of an element from characters: nil, default, padding, conversion."""
        if node.nul_ends:
            at = text.find("\0")
            if at >= 0:
                text = text[:at]
        whole = text
        if trim and node.trims and node.pad:
            text = trimmed(node, text)
        if self.uses_lengths:
            charset = node.charset
            assert charset is not None
            self.value_length = len(text.encode(charset.codec, "replace"))
        if node.nillable and node.nil_kind != NIL_LOGICAL and is_nil_text(node, whole, text):
            self.was_nil = True
            self.was_empty = not whole
            return True
        if not text:
            return self.set_empty_text(node, parent, element, whole)
        if node.is_string:
            element.value = text
            return not node.nillable or self.set_nil(node, element)
        return self.set_converted(node, parent, element, text)

    def set_empty_text(self, node: ElementNode, parent: Element, element: Element, whole: str) -> bool:
        """Set the value of an element without characters: a default, an empty string, or zeros taken for padding."""
        self.was_empty = not whole
        if node.has_default and self.use_default and self.empty_is_default:
            element.value = None if node.nil_for_default else node.default
            return True
        if node.is_string:
            element.value = ""
            return True
        if whole and node.pad == "0" and node.is_number:
            return self.set_converted(node, parent, element, "0")
        return self.fail(BAD_VALUE, node, parent, f"a {node.logical} is empty")

    def set_converted(self, node: ElementNode, parent: Element, element: Element, text: str) -> bool:
        """Decode `text` with the codec of an element, and set the element's value."""
        codec = node.codec
        assert codec is not None
        try:
            element.value = codec.read_text(text)
        except (ValueError, ArithmeticError) as error:
            return self.fail(BAD_VALUE, node, parent, str(error))
        return self.set_nil(node, element)

    #: Whether an empty field gets its default: for required occurrences.
    use_default: bool = True

    def set_nil(self, node: ElementNode, element: Element) -> bool:
        """Turn a logical value that means nil into NULL."""
        if node.nillable and node.nil_kind == NIL_LOGICAL and element.value in node.nil_values:
            element.value = None
            self.was_nil = True
        return True

    def read_binary(self, node: ElementNode, parent: Element, element: Element, stop: int) -> bool:
        """Set the value of an element from bytes."""
        start = self.pos
        content = self.data[start:stop]
        self.value_length = stop - start
        if node.nillable and node.nil_kind != NIL_LOGICAL and is_nil_bytes(node, content):
            self.was_nil = True
            self.was_empty = not content
            self.pos = stop
            return True
        codec = node.codec
        assert codec is not None
        if not content:
            self.was_empty = True
            if node.has_default and self.use_default and self.empty_is_default:
                element.value = None if node.nil_for_default else node.default
                return True
            if node.logical != "hexBinary":
                return self.fail(BAD_VALUE, node, parent, f"a {node.logical} is empty")
        try:
            element.value = codec.read_bytes(content)
        except (ValueError, ArithmeticError) as error:
            return self.fail(BAD_VALUE, node, parent, str(error))
        self.pos = stop
        return self.set_nil(node, element)

    def read_bits_field(self, node: ElementNode, parent: Element, element: Element) -> bool:
        """Read a binary field with a length in bits, or that does not start at a byte."""
        kind = node.length_kind
        if kind == FIXED:
            bits = node.length
        elif kind == COMPUTED:
            try:
                bits = self.number_of(node.length_expression, node.length_path, element, parent)
            except ValueError as error:
                return self.fail(EXPRESSION, node, parent, str(error))
        elif kind == PREFIXED:
            if self.prefixed(node, parent, self.plan.scope) < 0:
                return False
            bits = self.bits_left
        elif kind == END_OF_PARENT:
            bits = 8 * (self.end - self.pos) - self.bit
        else:
            self.align_byte()
            return self.read_content(node, parent, element, self.plan.scope)
        if node.units != BITS and kind != END_OF_PARENT:
            bits *= 8
        first = self.bit
        start = self.pos
        if bits < 0 or not self.skip_bits(bits):
            return self.fail(TOO_SHORT, node, parent, f"it has {bits} bits and fewer are left")
        last = 8 * self.pos + self.bit
        size = (first + bits + 7) // 8
        number = int.from_bytes(self.data[start : start + size], "big")
        number = (number >> (8 * size - first - bits)) & ((1 << bits) - 1)
        codec = node.codec
        assert codec is not None
        if not bits:
            self.was_empty = True
            if node.logical != "hexBinary":
                return self.fail(BAD_VALUE, node, parent, f"a {node.logical} has no bits")
        try:
            if node.nillable and node.nil_kind != NIL_LOGICAL and bits % 8 == 0:
                if is_nil_bytes(node, number.to_bytes(bits // 8, "big")):
                    self.was_nil = True
                    return True
            if node.units == BITS:
                element.value = codec.read_bits(number, bits)
            else:
                element.value = codec.read_bytes(number.to_bytes(bits // 8, "big"))
        except (ValueError, ArithmeticError) as error:
            self.pos = start
            self.bit = first
            return self.fail(BAD_VALUE, node, parent, str(error))
        assert last == 8 * self.pos + self.bit
        return self.set_nil(node, element)


def trimmed(node: ElementNode, text: str) -> str:
    """Return a text without its padding; a number that is all padding zeros keeps one."""
    pad = node.pad
    sides = node.trim_sides or node.justification
    if sides == LEFT:
        result = text.rstrip(pad)
    elif sides == RIGHT:
        result = text.lstrip(pad)
    else:
        result = text.strip(pad)
    return result


def is_nil_text(node: ElementNode, whole: str, text: str) -> bool:
    """Return whether the characters of a field are its nil representation."""
    if node.nil_kind == NIL_CHARACTER:
        if not whole:
            return False
        for nil in node.nil_texts:
            if nil and (
                whole == nil * len(whole) or node.nil_ignore_case and whole.lower() == nil.lower() * len(whole)
            ):
                return True
        return False
    if text in node.nil_texts or whole in node.nil_texts:
        return True
    for pattern in node.nil_patterns:
        if pattern.fullmatch(text) is not None or pattern.fullmatch(whole) is not None:
            return True
    return False


def is_nil_bytes(node: ElementNode, content: bytes) -> bool:
    """Return whether the bytes of a field are its nil representation."""
    if node.nil_kind == NIL_CHARACTER:
        for nil in node.nil_bytes:
            if nil and content and content == (nil * (len(content) // len(nil) + 1))[: len(content)]:
                return True
        return False
    return content in node.nil_bytes
