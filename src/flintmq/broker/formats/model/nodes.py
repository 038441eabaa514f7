"""Nodes of a plan: a schema bound to a character set and a numeric encoding.

`plan.py` makes them, `read.py` and `write.py` run them. A node has everything that is known before a message comes:
marks, codecs, lengths in bytes, meanings of separator positions. Choices that an expression makes for each message are
in `variants`: it returns another node, made once for each set of values.

The module is compiled by mypyc. Nodes never change after the plan is made.
"""

from __future__ import annotations

import re
from typing import Final, final

from mypy_extensions import mypyc_attr

from flintmq.broker.formats.model.expression import Environment, Node
from flintmq.broker.formats.model.facets import FacetCheck
from flintmq.broker.formats.model.fields import Codec
from flintmq.broker.formats.model.text import Charset, Escape, Mark
from flintmq.broker.tree.types import NAME, NAME_VALUE

#: Kinds of term.
ELEMENT: Final = 1
SEQUENCE: Final = 2
CHOICE: Final = 3

#: Length kinds.
FIXED: Final = 1
COMPUTED: Final = 2
IMPLICIT: Final = 3
DELIMITED: Final = 4
PREFIXED: Final = 5
PATTERN: Final = 6
END_OF_PARENT: Final = 7

#: Units of lengths.
BYTES: Final = 1
CHARACTERS: Final = 2
BITS: Final = 3

#: Occurs kinds.
ONCE: Final = 0
OCCURS_FIXED: Final = 1
OCCURS_IMPLICIT: Final = 2
OCCURS_PARSED: Final = 3
OCCURS_COMPUTED: Final = 4
OCCURS_STOP: Final = 5

#: Separator positions.
INFIX: Final = 1
PREFIX: Final = 2
POSTFIX: Final = 3

#: What an absent member means for separators: see SeparatorSuppression.
POSITIONAL: Final = 1
POSITIONAL_NEVER: Final = 2
TRAILING_LAX: Final = 3
TRAILING_STRICT: Final = 4
NON_POSITIONAL: Final = 5

#: Suppression policies, for writers.
NEVER: Final = 1
TRAILING: Final = 2
ANY: Final = 3

#: Justification.
LEFT: Final = 1
RIGHT: Final = 2
CENTER: Final = 3

#: Nil kinds.
NIL_VALUE: Final = 1
NIL_CHARACTER: Final = 2
NIL_LOGICAL: Final = 3

#: How the members of a sequence are found in the data.
ORDERED: Final = 1
UNORDERED: Final = 2
TAGGED: Final = 3
EMBEDDED: Final = 4

#: A bit in the type of an element that is only in the tree while it is read: hidden groups and fillers.
HIDDEN: Final = 0x00800000

#: Missing-element policies.
MISSING_ERROR: Final = 1
MISSING_DEFAULT: Final = 2
MISSING_NULL: Final = 3
MISSING_ABSENT: Final = 4

#: Which of initiator and terminator an empty or nil value has.
WITH_INITIATOR: Final = 1
WITH_TERMINATOR: Final = 2


@mypyc_attr(allow_interpreted_subclasses=True)
class Variants:
    """Makes the node that fits the values of the expressions of a term."""

    def resolve(self, env: Environment) -> Term:
        """Return the node for this message. Raises ValueError."""
        raise NotImplementedError


@final
class Path:
    """A reference to an earlier field: climb `up` structures, then take the last child of each name."""

    def __init__(self, names: list[str], up: int) -> None:
        self.names: list[str] = names
        self.up: int = up


@final
class Check:
    """An assert, a discriminator or the value of a variable."""

    def __init__(self) -> None:
        self.expression: Node | None = None
        self.pattern: re.Pattern[str] | None = None
        #: Characters that a match may look at.
        self.window: int = 0
        self.discriminator: bool = False
        self.recoverable: bool = False
        self.message: str = ""
        self.message_expression: Node | None = None
        #: The variable to set; '' = a test.
        self.variable: str = ""
        self.place: str = ""


@mypyc_attr(allow_interpreted_subclasses=False)
class Term:
    """The base of elements and groups."""

    def __init__(self, kind: int, index: int) -> None:
        self.kind: int = kind
        self.index: int = index
        self.place: str = ""
        self.variants: Variants | None = None
        self.initiator: Mark | None = None
        self.terminator: Mark | None = None
        self.final_terminator_may_be_missing: bool = False
        #: In bits; 8 = the next byte, 1 = anywhere.
        self.alignment: int = 8
        self.leading_skip: int = 0
        self.trailing_skip: int = 0
        self.skip_first_only: bool = False
        self.fill: int = 0
        #: Whether any of the above but the initiator and terminator is not the default.
        self.placed: bool = False
        #: Patterns to test before, expressions to evaluate after the term.
        self.before: list[Check] = []
        self.after: list[Check] = []
        #: Variables that groups set before their content.
        self.first: list[Check] = []
        #: Variables with a value of their own inside the term: name, expression or None, literal.
        self.new_variables: list[tuple[str, Node | None, object]] = []
        self.branch_keys: list[str] = []
        #: Finding the initiator resolves the point of uncertainty.
        self.initiated: bool = False
        #: Names that the first child of this term in a tree can have; `optional`: it may have no child at all.
        self.starts: set[tuple[str, str]] = set()
        self.optional: bool = False
        self.hidden: bool = False
        #: Whether a writer can write the term if the tree has nothing of it: defaults, computed values, optional ones.
        self.writable: bool = False


@mypyc_attr(allow_interpreted_subclasses=False)
class Representation(Term):
    """The bytes of an element: length, character set, padding."""

    def __init__(self, index: int) -> None:
        super().__init__(ELEMENT, index)
        self.length_kind: int = IMPLICIT
        self.length: int = 0
        self.units: int = BYTES
        self.length_expression: Node | None = None
        self.length_path: Path | None = None
        self.length_pattern: re.Pattern[str] | None = None
        self.window: int = 0
        self.prefix: ElementNode | None = None
        self.includes_prefix: bool = False
        self.length_max: int = 0

        self.text: bool = True
        self.codec: Codec | None = None
        self.charset: Charset | None = None
        #: Whether the charset is that of the message: text then comes from the one decoded string.
        self.shared_charset: bool = True
        self.errors: str = "replace"
        self.justification: int = LEFT
        self.pad: str = ""
        self.pad_bytes: bytes = b""
        self.trims: bool = False
        #: Which side is trimmed: as justification has its values, 0 = by justification.
        self.trim_sides: int = 0
        self.pads: bool = False
        self.is_string: bool = False
        self.is_number: bool = False
        self.output_minimum: int = 0
        self.truncate: bool = False
        self.nul_ends: bool = False
        self.escape: Escape | None = None


@final
class ElementNode(Representation):
    """A field or a structure."""

    def __init__(self, index: int, name: str, namespace: str) -> None:
        super().__init__(index)
        self.name: str = name
        self.namespace: str = namespace
        self.type: int = NAME_VALUE
        self.content: GroupNode | None = None

        self.occurs: int = ONCE
        self.min_occurs: int = 1
        #: -1 = no bound.
        self.max_occurs: int = 1
        self.count: Node | None = None
        self.count_path: Path | None = None
        self.stop_values: list[object] = []
        self.repeat_separator: Mark | None = None

        self.nillable: bool = False
        self.nil_kind: int = NIL_VALUE
        self.nil_texts: list[str] = []
        self.nil_patterns: list[re.Pattern[str]] = []
        self.nil_bytes: list[bytes] = []
        self.nil_values: list[object] = []
        self.nil_output: bytes = b""
        self.nil_empty: bool = False
        self.nil_ignore_case: bool = False
        self.nil_policy: int = WITH_INITIATOR | WITH_TERMINATOR
        self.empty_policy: int = WITH_INITIATOR | WITH_TERMINATOR
        self.empty_is_absent: bool = False

        self.has_default: bool = False
        self.default: object = None
        self.nil_for_default: bool = False

        self.tag: str = ""
        self.tag_bytes: bytes = b""
        self.input_value: Node | None = None
        self.output_value: Node | None = None
        #: Converts the result of input_value and default texts to the type of the field.
        self.logical: str = ""
        self.facets: FacetCheck | None = None

    def tree_type(self) -> int:
        """Return the type that an element gets in the tree."""
        kind = NAME if self.content is not None else NAME_VALUE
        return kind | HIDDEN if self.hidden else kind


@final
class Slot:
    """A member of a sequence: the term and the meaning of its position."""

    def __init__(self, term: Term, behaviour: int) -> None:
        self.term: Term = term
        self.behaviour: int = behaviour
        #: Whether the term has bytes: an inputValueCalc element has none.
        self.represented: bool = True
        #: Whether an empty group may be missing together with its separator.
        self.group_may_be_missing: bool = False
        #: A simple element of lengthKind delimited: a postfix separator is then found behind nothing.
        self.simple_delimited: bool = False
        #: VariableLengthElementsDelimited: a member of fixed length has no delimiter behind it.
        self.fixed_length: bool = False
        #: MRM: the position may be empty whatever minOccurs says.
        self.empty_allowed: bool = False


@final
class GroupNode(Term):
    """A sequence or a choice."""

    def __init__(self, kind: int, index: int) -> None:
        super().__init__(kind, index)
        self.slots: list[Slot] = []
        self.order: int = ORDERED
        self.charset: Charset | None = None

        self.separator: Mark | None = None
        self.separator_position: int = INFIX
        self.suppression: int = TRAILING
        self.final_separator_may_be_missing: bool = False
        #: VariableLengthElementsDelimited.
        self.only_variable_separated: bool = False

        # Tagged sequences and choices of MRM.
        self.tags: dict[bytes, ElementNode] = {}
        self.tag_separator: Mark | None = None
        self.tag_length: int = 0
        self.tag_delimited: bool = False
        self.encoded_length: int = 0
        self.encoded_length_extra: int = 0
        self.open_content: bool = False
        self.missing: int = MISSING_ABSENT
        self.may_end_early: bool = False

        # Choices.
        self.dispatch: Node | None = None
        self.dispatch_path: Path | None = None
        self.branches: dict[str, Term] = {}
        #: A choice that the bytes cannot tell: show all members that can be read, or only the first.
        self.unresolved: bool = False
        self.only_first: bool = False
        self.length: int = 0
        #: Names of all elements of an unresolved choice, and of each branch by the index of its term.
        self.names: set[str] = set()
        self.branch_names: dict[int, set[str]] = {}
        #: Bytes of each branch, -1 if that varies.
        self.branch_sizes: dict[int, int] = {}
        #: Members may stand in the tree in any order; the writer writes them in the order of the model.
        self.reorder: bool = False
