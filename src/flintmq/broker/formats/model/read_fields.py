"""Reading, lower half: the state of a reader, framing, lengths, asserts and simple fields.

Every method that reads returns whether it succeeded, and leaves `pos` behind what it read. A failure is noted, not
raised: the reader may be trying one member of a choice. `fail` keeps the failure that got furthest in the data, which
is the one a person wants to see. Only what no other member could cure is raised at once: the limits below.

`scope` is the markup that can end a field here (`text.py`). `end` is the end of the innermost element whose length is
known, or of the message.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.model.expression import Environment, Node, evaluate, text_of, truth
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
    Check,
    ElementNode,
    Path,
    Term,
)
from flintmq.broker.formats.model.plan import Plan, convert
from flintmq.broker.formats.model.text import (
    SINGLE,
    UTF8,
    WIDE,
    Charset,
    Mark,
    Scope,
    characters_span,
    read_block,
    read_escaped,
)
from flintmq.broker.tree.element import Element

#: Attempts to read a field or structure: choices inside choices can multiply. A message may need this many, and more
#: in proportion to its length.
STEPS_MIN: Final = 200_000
STEPS_PER_BYTE: Final = 50
#: Structures and groups inside each other.
DEPTH_MAX: Final = 150
#: Bytes that one match of a data pattern may look at.
PATTERN_WINDOW: Final = 1 << 20

#: What went wrong, for the number of the error.
TOO_SHORT: Final = 0
NO_MARKUP: Final = 1
BAD_VALUE: Final = 2
BAD_TAG: Final = 3
NO_BRANCH: Final = 4
TOO_LONG: Final = 5
BAD_LENGTH: Final = 6
ASSERTION: Final = 7
EXPRESSION: Final = 8
LIMIT: Final = 9
OCCURRENCES: Final = 10

#: Numbers by family. The families are documented (MF 2.13); which number means what inside them is our choice.
NUMBERS: Final[dict[str, list[int]]] = {
    "MRM": [5346, 5421, 5505, 5423, 5493, 5420, 5347, 5374, 5375, 5399, 5373],
    "DFDL": [5810, 5811, 5812, 5813, 5814, 5815, 5816, 5817, 5818, 5819, 5820],
}
WRAPPERS: Final[dict[str, int]] = {"MRM": 5285, "DFDL": 5806}

#: Results of reading a field.
READ: Final = 1
EMPTY: Final = 2


@final
class Box:
    """The values of variables, kept while an attempt is made."""

    def __init__(self, values: dict[str, object], read: set[str], set_: set[str]) -> None:
        self.values: dict[str, object] = values
        self.read: set[str] = read
        self.set: set[str] = set_


@mypyc_attr(allow_interpreted_subclasses=False)
class FieldReader:
    """The state of reading one message, and its fields."""

    def __init__(self, plan: Plan, data: bytes) -> None:
        self.plan: Plan = plan
        self.data: bytes = data
        self.size: int = len(data)
        self.pos: int = 0
        #: Bits of the byte at `pos` that were read already.
        self.bit: int = 0
        self.end: int = len(data)
        #: Bits of the last byte that do not belong to the message.
        self.spare: int = 0
        self.depth: int = 0
        self.steps: int = STEPS_MIN + STEPS_PER_BYTE * len(data)
        self.uses_lengths: bool = plan.uses_lengths
        self.has_variables: bool = plan.has_variables
        #: The message as one text, if its characters are bytes: fields are then slices of it.
        self.text: str | None = None
        charset = plan.charset
        if charset.kind == SINGLE:
            try:
                self.text = data.decode(charset.codec)
            except UnicodeError:
                self.text = None
        elif charset.kind == UTF8 and data.isascii():
            self.text = data.decode("ascii")
        #: Points of uncertainty that are open; a discriminator takes the last away.
        self.points: list[int] = []
        self.next_point: int = 0
        #: The point that the initiator of the term that is about to be read resolves; 0 = none.
        self.armed: int = 0
        self.env: Environment = Environment()
        self.set_variables: set[str] = set()
        #: Keeps elements alive whose lengths are known by their id.
        self.kept: list[Element] = []
        self.entries: int = 0
        #: Whether the field that was read last was empty, or nil.
        self.was_empty: bool = False
        self.was_nil: bool = False
        self.recoverable: list[str] = []

        self.failed_pos: int = -1
        self.failed_kind: int = 0
        self.failed_text: str = ""
        self.failed_at: Element | None = None
        self.failed_name: str = ""

    # Failures.

    def fail(self, kind: int, term: Term | None, parent: Element | None, text: str) -> bool:
        """Note a failure at the current place, and return False."""
        if self.pos >= self.failed_pos:
            self.failed_pos = self.pos
            self.failed_kind = kind
            self.failed_text = text
            self.failed_at = parent
            self.failed_name = term.name if isinstance(term, ElementNode) else ""
        return False

    def error(self) -> BrokerError:
        """Return the error for the failure that got furthest."""
        return self.error_of(self.failed_kind, self.failed_pos, self.failed_text, self.failed_at, self.failed_name)

    def error_of(self, kind: int, pos: int, text: str, parent: Element | None, name: str) -> BrokerError:
        """Return the error for a failure: what, where in the message, where in the data."""
        path = path_of(parent, name)
        family = self.plan.family
        message = self.plan.message.element.name
        around = self.data[max(pos - 8, 0) : pos + 16].hex()
        cause = parser_error(
            NUMBERS[family][kind],
            path,
            pos,
            text,
            text=f"{path}, offset {pos}: {text}; bytes from offset {max(pos - 8, 0)}: X'{around}'",
        )
        return parser_error(
            WRAPPERS[family],
            message,
            text=f"message {message} could not be read at offset {pos} of {self.size}",
            cause=cause,
        )

    def spend(self, parent: Element, term: Term) -> None:
        """Count one attempt. Raises if there were too many."""
        self.steps -= 1
        if self.steps < 0:
            raise self.error_of(
                LIMIT,
                self.pos,
                "the model needs too many attempts to read this message; make its choices depend on less data",
                parent,
                "",
            )

    def enter(self, parent: Element) -> None:
        """Count one structure more. Raises if they are nested too deep."""
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise self.error_of(LIMIT, self.pos, f"structures are nested deeper than {DEPTH_MAX}", parent, "")

    # Variables and expressions.

    def save_variables(self) -> Box | None:
        """Return what variables are now, to be put back if an attempt fails."""
        if not self.has_variables:
            return None
        env = self.env
        return Box(dict(env.variables), set(env.read), set(self.set_variables))

    def restore_variables(self, saved: Box | None) -> None:
        """Put variables back."""
        if saved is not None:
            self.env.variables = saved.values
            self.env.read = saved.read
            self.set_variables = saved.set

    def truncate(self, parent: Element, last: Element | None) -> None:
        """Take all children behind `last` away."""
        if last is None:
            parent.first = None
        else:
            last.next = None
        parent.last = last

    def value_of(self, node: Node, element: Element) -> object:
        """Return the value of an expression of an element. Raises ValueError."""
        env = self.env
        env.element = element
        return evaluate(node, env)

    def resolved(self, term: Term, element: Element) -> Term | None:
        """Return the node for what the expressions of a term say; None if that failed."""
        variants = term.variants
        assert variants is not None
        self.env.element = element
        try:
            return variants.resolve(self.env)
        except ValueError as error:
            self.fail(EXPRESSION, term, element, str(error))
            return None

    def path_value(self, path: Path, parent: Element) -> object:
        """Return the value of an earlier field. Raises ValueError."""
        element: Element | None = parent
        if path.up < 0:
            element = self.env.root
        else:
            up = path.up
            while up > 1 and element is not None:
                element = element.parent
                up -= 1
        for name in path.names:
            if element is None:
                break
            child = element.last
            while child is not None and child.name != name:
                child = child.previous
            element = child
        if element is None:
            raise ValueError(f"the field {'.'.join(path.names)} that is referred to has not been read")
        return element.value

    def number_of(self, node: Node | None, path: Path | None, element: Element, parent: Element) -> int:
        """Return a length or count that is computed. Raises ValueError."""
        value = self.path_value(path, parent) if path is not None else None
        if node is not None:
            value = self.value_of(node, element)
        if isinstance(value, bool) or value is None:
            raise ValueError(f"{value} is not a length or a count")
        if isinstance(value, int):
            return value
        text = text_of(value)
        if not text.isdigit() or len(text) > 18:
            raise ValueError(f"{text[:40]} is not a length or a count")
        return int(text)

    def set_variable(self, check: Check, element: Element) -> bool:
        """Give a variable its value."""
        name = check.variable
        env = self.env
        assert check.expression is not None
        if name in self.set_variables:
            raise ValueError(f"the variable {name} has a value already")
        if name in env.read:
            raise ValueError(f"the variable {name} was read before it is set")
        value = self.value_of(check.expression, element)
        if name in self.plan.variables:
            value = convert(value, self.plan.variables[name].value)
        env.variables[name] = value
        self.set_variables.add(name)
        return True

    def set_first(self, term: Term, parent: Element) -> bool:
        """Set the variables that a group sets before its content."""
        for check in term.first:
            try:
                self.set_variable(check, parent)
            except ValueError as error:
                return self.fail(EXPRESSION, term, parent, str(error))
        return True

    def start_variables(self) -> None:
        """Give variables their values at the start. A default may depend on a variable that is defined later."""
        env = self.env
        waiting: list[tuple[str, Node]] = []
        for name, expression, value in self.plan.initial:
            if expression is None:
                env.variables[name] = value
            else:
                waiting.append((name, expression))
        problem = ""
        while waiting:
            left: list[tuple[str, Node]] = []
            for name, expression in waiting:
                try:
                    env.variables[name] = convert(evaluate(expression, env), self.plan.variables[name].value)
                except ValueError as error:
                    problem = str(error)
                    left.append((name, expression))
            if len(left) == len(waiting):
                raise ValueError(problem)
            waiting = left
        env.read.clear()

    def default_of(self, name: str) -> object:
        """Return the value that a variable has at the start; None if it has none."""
        for known, expression, value in self.plan.initial:
            if known == name:
                return value if expression is None else evaluate(expression, self.env)
        return None

    def run_checks(self, term: Term, element: Element, parent: Element) -> bool:
        """Evaluate discriminators, variables and asserts of a term that was read."""
        env = self.env
        for check in term.after:
            env.element = element
            if isinstance(term, ElementNode):
                env.facets = term.facets
            expression = check.expression
            assert expression is not None
            try:
                if check.variable:
                    self.set_variable(check, element)
                    continue
                passed = truth(expression.evaluate(env))
            except ValueError as error:
                return self.fail(EXPRESSION, term, parent, str(error))
            if not passed:
                text = self.message_of(check, element)
                if check.recoverable:
                    self.recoverable.append(text)
                    continue
                return self.fail(ASSERTION, term, parent, text)
            if check.discriminator:
                self.resolve_point()
        return True

    def run_discriminators(self, term: Term, element: Element) -> None:
        """Evaluate the discriminators of a term that could not be read: they may say that the attempt was right."""
        for check in term.after:
            if check.discriminator and check.expression is not None:
                self.env.element = element
                try:
                    if truth(check.expression.evaluate(self.env)):
                        self.resolve_point()
                except ValueError:
                    pass

    def message_of(self, check: Check, element: Element) -> str:
        """Return what an assert that failed says."""
        text = check.message
        if check.message_expression is not None:
            try:
                text = text_of(self.value_of(check.message_expression, element))
            except ValueError:
                text = ""
        kind = "discriminator" if check.discriminator else "assert"
        return f"{kind} failed: {text}" if text else f"{kind} failed ({check.place})"

    def run_patterns(self, term: Term, parent: Element, charset: Charset | None) -> bool:
        """Test the patterns of a term before it is read."""
        for check in term.before:
            pattern = check.pattern
            assert pattern is not None
            text, at = self.text_from(self.pos, charset)
            found = pattern.match(text, at)
            if found is None:
                message = self.message_of(check, parent)
                if check.recoverable:
                    self.recoverable.append(message)
                    continue
                return self.fail(ASSERTION, term, parent, message)
            if check.discriminator:
                self.resolve_point()
        return True

    def text_from(self, pos: int, charset: Charset | None) -> tuple[str, int]:
        """Return text that begins at a place and reaches as far as a pattern may look, and where in it to start."""
        if charset is None:
            charset = self.plan.charset
        if self.text is not None and charset is self.plan.charset:
            if self.end == self.size:
                return self.text, pos
            return self.text[pos : self.end], 0
        data = self.data[pos : min(self.end, pos + PATTERN_WINDOW)]
        # Bytes that are no characters stand for themselves, so that a match can be counted in bytes.
        return data.decode(charset.codec, "replace" if charset.kind == WIDE else "surrogateescape"), 0

    # Points of uncertainty.

    def open_point(self, term: Term) -> int:
        """Open the point of uncertainty of a term and return its number."""
        self.next_point += 1
        self.points.append(self.next_point)
        self.armed = self.next_point if term.initiated else 0
        return self.next_point

    def close_point(self, point: int) -> bool:
        """Close a point of uncertainty, and return whether a discriminator resolved it."""
        if self.points and self.points[-1] == point:
            self.points.pop()
            return False
        return True

    def resolve_point(self) -> None:
        """Resolve the innermost point of uncertainty."""
        if self.points:
            self.points.pop()

    # Framing.

    def place(self, term: Term, parent: Element) -> bool:
        """Skip and align before a term."""
        if term.leading_skip:
            if not self.skip_bits(term.leading_skip):
                return self.fail(TOO_SHORT, term, parent, "the data ends in the bytes that are skipped before it")
        alignment = term.alignment
        if alignment > 1:
            over = (8 * self.pos + self.bit) % alignment
            if over and not self.skip_bits(alignment - over):
                return self.fail(TOO_SHORT, term, parent, "the data ends in the bytes that align it")
        return True

    def skip_bits(self, bits: int) -> bool:
        """Move on by so many bits; return False at the end of the data."""
        total = self.bit + bits
        if 8 * self.pos + total > 8 * self.end - (self.spare if self.end == self.size else 0):
            return False
        self.pos += total >> 3
        self.bit = total & 7
        return True

    def align_byte(self) -> None:
        """Move to the next whole byte."""
        if self.bit:
            self.bit = 0
            self.pos += 1

    def read_mark(self, mark: Mark, scope: Scope) -> bool:
        """Read markup, if it is there and no longer markup in scope is."""
        if self.bit:
            self.align_byte()
        length = scope.matches(mark, self.data, self.pos, self.end)
        if length < 0:
            return False
        self.pos += length
        return True

    def read_initiator(self, term: Term, parent: Element, scope: Scope) -> bool:
        """Read the initiator of a term."""
        initiator = term.initiator
        assert initiator is not None
        if not self.read_mark(initiator, scope):
            return self.fail(NO_MARKUP, term, parent, f"initiator '{initiator.text}' not found")
        self.found_initiator(term)
        return True

    def found_initiator(self, term: Term) -> None:
        """Resolve the point of uncertainty of a term with initiated content, now that its initiator is found."""
        if term.initiated and self.armed and self.points and self.points[-1] == self.armed:
            self.points.pop()
        self.armed = 0

    def read_terminator(self, term: Term, parent: Element) -> bool:
        """Read the terminator of a term. Only its own terminator counts, not longer markup of others."""
        terminator = term.terminator
        assert terminator is not None
        if self.bit:
            self.align_byte()
        length = terminator.match(self.data, self.pos, self.end)
        if length < 0:
            if term.final_terminator_may_be_missing and self.pos == self.size:
                return True
            return self.fail(NO_MARKUP, term, parent, f"terminator '{terminator.text}' not found")
        self.pos += length
        return True

    # Lengths.

    def region(self, node: ElementNode, parent: Element, element: Element, scope: Scope) -> int:
        """Return where the content of an element ends, or -1. Only for content that is whole bytes."""
        kind = node.length_kind
        if kind == FIXED:
            return self.span(node, node.length, parent)
        if kind == DELIMITED:
            stop = scope.search(self.data, self.pos, self.end)
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
            text, at = self.text_from(self.pos, charset)
            found = pattern.match(text, at)
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
            if not self.read_mark(node.initiator, scope):
                if not self.may_lack_initiator(node):
                    return self.fail(NO_MARKUP, node, parent, f"initiator '{node.initiator.text}' not found")
                initiated = False
            else:
                self.found_initiator(node)
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
        if not initiated:
            # Without an initiator only a nil or an empty representation is valid.
            policy = node.nil_policy if self.was_nil else node.empty_policy
            if not (self.was_nil or self.was_empty) or policy & WITH_INITIATOR:
                self.pos = start
                assert node.initiator is not None
                return self.fail(NO_MARKUP, node, parent, f"initiator '{node.initiator.text}' not found")
        elif node.initiator is not None and self.was_nil and not node.nil_policy & WITH_INITIATOR:
            return self.fail(BAD_VALUE, node, parent, "a nil value has an initiator")
        if self.uses_lengths:
            self.kept.append(element)
            self.env.lengths[id(element)] = (self.pos - self.content_start, self.value_length)
        if node.terminator is not None:
            lacks = self.was_nil and not node.nil_policy & WITH_TERMINATOR
            lacks = lacks or self.was_empty and not self.was_nil and not node.empty_policy & WITH_TERMINATOR
            if not lacks and not self.read_terminator(node, parent):
                return False
        parent.append_built(element)
        return True

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
        self.pos = stop
        if not self.set_text(node, parent, element, text, True):
            self.pos = start
            return False
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
                stop = scope.search(data, start, end)
                if stop < 0:
                    stop = end
                content = data[start:stop]
        else:
            stop, content = read_escaped(scope, escape, data, start, end)
        try:
            text = content.decode(charset.codec, node.errors)
        except UnicodeError:
            return self.fail(BAD_VALUE, node, parent, f"X'{content[:20].hex()}' is not {charset.codec}")
        self.pos = stop
        if not self.set_text(node, parent, element, text, trim):
            self.pos = start
            return False
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
            self.was_empty = not whole
            if node.has_default and self.use_default:
                element.value = None if node.nil_for_default else node.default
                return True
            if node.is_string:
                element.value = ""
                return True
            if whole and node.pad == "0" and node.is_number:
                text = "0"
            else:
                return self.fail(BAD_VALUE, node, parent, f"a {node.logical} is empty")
        if node.is_string:
            element.value = text
            return True
        codec = node.codec
        assert codec is not None
        try:
            element.value = codec.read_text(text)
        except ValueError as error:
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
            if node.has_default and self.use_default:
                element.value = None if node.nil_for_default else node.default
                return True
            if node.logical != "hexBinary":
                return self.fail(BAD_VALUE, node, parent, f"a {node.logical} is empty")
        try:
            element.value = codec.read_bytes(content)
        except ValueError as error:
            return self.fail(BAD_VALUE, node, parent, str(error))
        self.pos = stop
        return self.set_nil(node, element)

    def read_bits_field(self, node: ElementNode, parent: Element, element: Element) -> bool:
        """Read a binary field whose length is in bits, or that does not start at a byte."""
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
        except ValueError as error:
            self.pos = start
            self.bit = first
            return self.fail(BAD_VALUE, node, parent, str(error))
        assert last == 8 * self.pos + self.bit
        return self.set_nil(node, element)


def trimmed(node: ElementNode, text: str) -> str:
    """Return a text without its padding; a number that is all padding zeros keeps one."""
    pad = node.pad
    if node.justification == LEFT:
        result = text.rstrip(pad)
    elif node.justification == RIGHT:
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


def path_of(parent: Element | None, name: str) -> str:
    """Return the path of an element for messages: names with dots, indexes of repeated ones."""
    parts: list[str] = [name] if name else []
    element = parent
    while element is not None:
        if element.name:
            same = 0
            before = element.previous
            while before is not None and same < 100_000:
                if before.name == element.name:
                    same += 1
                before = before.previous
            parts.append(f"{element.name}[{same + 1}]" if same else element.name)
        element = element.parent
    parts.reverse()
    return ".".join(parts) or "the message"
