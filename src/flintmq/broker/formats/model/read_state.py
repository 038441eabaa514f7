"""Reading, the state: place in the data, failures, variables, expressions, points of uncertainty, markup.

Every method that reads returns whether it succeeded, and leaves `pos` behind the bytes that it read. A failure is
noted, not raised: the reader may be trying one member of a choice. `fail` keeps the failure that got furthest in the
data, which is the one a person wants to see. Only failures that no other member could cure are raised at once: the
limits below.

`scope` is the markup that can end a field here (`text.py`). `end` is the end of the innermost element whose length is
known, or of the message.

The module is compiled by mypyc.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.model.expression import Environment, Node, evaluate, is_true, text_of
from flintmq.broker.formats.model.nodes import ONCE, Check, ElementNode, Path, Term
from flintmq.broker.formats.model.plan import Plan, convert
from flintmq.broker.formats.model.text import SINGLE, UTF8, WIDE, Charset, Finder, Mark, Scope
from flintmq.broker.tree.element import Element

#: Attempts to read a field or structure: choices inside choices can multiply. A message may need this many, and more
#: in proportion to its length.
STEPS_MIN: Final = 200_000
STEPS_PER_BYTE: Final = 50
#: Structures and groups inside each other.
DEPTH_MAX: Final = 150

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


@final
class Box:
    """The values of variables, kept while an attempt is made."""

    def __init__(self, values: dict[str, object], read: set[str], set_: set[str]) -> None:
        self.values: dict[str, object] = values
        self.read: set[str] = read
        self.set: set[str] = set_


@mypyc_attr(allow_interpreted_subclasses=False)
class ReaderState:
    """The state of reading one message."""

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
        #: An empty field gets its default in DFDL. In MRM it is empty: defaults are for what is missing on output.
        self.empty_is_default: bool = plan.family == "DFDL"
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
        self.finder: Finder = Finder(data)
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
        """Return the error for a failure: text, place in the message, place in the data."""
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
        """Return a snapshot of the variables, for an attempt that may fail."""
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
        """Return the node that the expressions of a term select; None if they failed."""
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
                passed = is_true(expression, env)
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
                    if is_true(check.expression, self.env):
                        self.resolve_point()
                except ValueError:
                    pass

    def message_of(self, check: Check, element: Element) -> str:
        """Return the message of an assert that failed."""
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
            text, at = self.text_from(self.pos, charset, check.window)
            found = pattern.match(text, at, at + check.window)
            if found is None:
                message = self.message_of(check, parent)
                if check.recoverable:
                    self.recoverable.append(message)
                    continue
                return self.fail(ASSERTION, term, parent, message)
            if check.discriminator:
                self.resolve_point()
        return True

    def text_from(self, pos: int, charset: Charset | None, window: int) -> tuple[str, int]:
        """Return text that begins at a place and reaches as far as a pattern may look, and where in it to start."""
        if charset is None:
            charset = self.plan.charset
        if self.text is not None and charset is self.plan.charset:
            if self.end == self.size:
                return self.text, pos
            return self.text[pos : self.end], 0
        data = self.data[pos : min(self.end, pos + window * charset.unit)]
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
        if term.leading_skip and not (term.skip_first_only and self.is_repeated(term)):
            if not self.skip_bits(term.leading_skip):
                return self.fail(TOO_SHORT, term, parent, "the data ends in the bytes that are skipped before it")
        alignment = term.alignment
        if alignment > 1:
            over = (8 * self.pos + self.bit) % alignment
            if over and not self.skip_bits(alignment - over):
                return self.fail(TOO_SHORT, term, parent, "the data ends in the bytes that align it")
        return True

    def is_repeated(self, term: Term) -> bool:
        """Return whether an occurrence of a term is not its first."""
        return isinstance(term, ElementNode) and term.occurs != ONCE and self.env.occurs_index > 1

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

    def find_markup(self, scope: Scope, pos: int) -> int:
        """Return the first place where markup in scope stands, -1 if there is none before the end."""
        if scope.plain:
            return self.finder.search(scope, pos, self.end)
        return scope.search(self.data, pos, self.end)

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
