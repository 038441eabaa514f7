"""Makes the plan of a message: nodes with marks, codecs and lengths, for one character set and numeric encoding.

    plan_of(message, ccsid, encoding)     the plan, made at the first message with these values and then kept

Everything that a schema leaves to expressions and that decides how nodes are made (delimiters, character sets, byte
order, decimal separators) becomes `Variants`: the expressions are evaluated for each message, and the node for each
set of values is made once. Raises ValueError for a schema that cannot work.
"""

from __future__ import annotations

from typing import TypeVar

from flintmq.broker.formats.model import nodes
from flintmq.broker.formats.model.charsets import charset_of
from flintmq.broker.formats.model.codecs import (
    converted,
    implicit_size,
    is_number,
    is_text,
    literal_regex,
    logical_value,
    make_codec,
    natural_alignment,
)
from flintmq.broker.formats.model.expression import Environment, Node, compile_expression, evaluate, text_of
from flintmq.broker.formats.model.facets import FacetCheck
from flintmq.broker.formats.model.layout import (
    DEPTH_MAX,
    EMPTY_POSITIONS,
    computed_properties,
    fixed_size,
    new_line_of,
    plain_text,
    separator_behaviours,
    with_values,
)
from flintmq.broker.formats.model.nodes import Check, ElementNode, GroupNode, Path, Slot, Term, Variants
from flintmq.broker.formats.model.patterns import data_regex, window
from flintmq.broker.formats.model.schema import (
    Alignment,
    Assertion,
    CharacterClass,
    Choice,
    Composition,
    Computed,
    Delimiters,
    Element,
    EscapeScheme,
    Expression,
    Facets,
    Justification,
    LengthKind,
    LengthUnits,
    Logical,
    Member,
    Message,
    MissingPolicy,
    NilKind,
    OccursKind,
    Reference,
    Separation,
    SeparatorPosition,
    SeparatorSuppression,
    Sequence,
    Unresolved,
    field_names,
)
from flintmq.broker.formats.model.schema import Term as SchemaTerm
from flintmq.broker.formats.model.text import MIXED, SINGLE, WIDE, Charset, Escape, Mark, Scope, make_escape, make_mark

_Term = TypeVar("_Term", bound=SchemaTerm)

_POLICIES = {
    "none": 0,
    "initiator": nodes.WITH_INITIATOR,
    "terminator": nodes.WITH_TERMINATOR,
    "both": nodes.WITH_INITIATOR | nodes.WITH_TERMINATOR,
}
_POSITIONS = {
    SeparatorPosition.INFIX: nodes.INFIX,
    SeparatorPosition.PREFIX: nodes.PREFIX,
    SeparatorPosition.POSTFIX: nodes.POSTFIX,
}
_SUPPRESSIONS = {
    SeparatorSuppression.NEVER: nodes.NEVER,
    SeparatorSuppression.TRAILING_EMPTY: nodes.TRAILING,
    SeparatorSuppression.TRAILING_EMPTY_STRICT: nodes.TRAILING,
    SeparatorSuppression.ANY_EMPTY: nodes.ANY,
}
_JUSTIFICATIONS = {
    Justification.LEFT: nodes.LEFT,
    Justification.RIGHT: nodes.RIGHT,
    Justification.CENTER: nodes.CENTER,
}
_NIL_KINDS = {
    NilKind.LITERAL_VALUE: nodes.NIL_VALUE,
    NilKind.LITERAL_CHARACTER: nodes.NIL_CHARACTER,
    NilKind.LOGICAL_VALUE: nodes.NIL_LOGICAL,
}
_MISSING = {
    MissingPolicy.ERROR: nodes.MISSING_ERROR,
    MissingPolicy.DEFAULT: nodes.MISSING_DEFAULT,
    MissingPolicy.NULL: nodes.MISSING_NULL,
    MissingPolicy.ABSENT: nodes.MISSING_ABSENT,
}
_TAGGED = (Separation.TAGGED_DELIMITED, Separation.TAGGED_FIXED_LENGTH, Separation.TAGGED_ENCODED_LENGTH)
_UNITS = {
    LengthUnits.BYTES: nodes.BYTES,
    LengthUnits.CHARACTERS: nodes.CHARACTERS,
    LengthUnits.BITS: nodes.BITS,
}
DFDL_NAMESPACE = "http://www.ogf.org/dfdl/dfdl-1.0/"


class Plan:
    """A message in one character set and numeric encoding."""

    def __init__(self, message: Message, charset: Charset, encoding: int) -> None:
        self.message = message
        self.charset = charset
        self.encoding = encoding
        self.family = message.family
        self.strict_end = message.strict_end
        #: What the reader must keep track of.
        self.has_variables = bool(message.variables)
        self.has_expressions = False
        self.uses_lengths = False
        self.has_hidden = False
        self.variables: dict[str, Logical] = {}
        #: Variables with a value from the start, in the order of their definition: name, expression or None, value.
        self.initial: list[tuple[str, Node | None, object]] = []
        self.scope = Scope([], charset)
        self._next = 0
        builder = Builder(self)
        self.root = builder.element(message.element, False, 0)
        predefined = (
            ("encoding", charset.codec.upper()),
            ("byteOrder", "littleEndian" if encoding & 0xF == 2 else "bigEndian"),
            ("binaryFloatRep", "ibm390Hex" if encoding >> 8 & 0xF == 3 else "ieee"),
            ("outputNewLine", "%LF;"),
        )
        for known, value in predefined:
            self.initial.append((f"{{{DFDL_NAMESPACE}}}{known}", None, value))
        for variable in message.variables:
            name = f"{{{variable.namespace}}}{variable.name}"
            self.variables[name] = variable.logical
            if isinstance(variable.default, Expression):
                self.initial.append((name, builder.expression(variable.default), None))
            elif variable.default is not None:
                self.initial.append((name, None, logical_value(variable.default, variable.logical)))

    def next_index(self) -> int:
        """Return a number that no mark and no node of this plan has."""
        self._next += 1
        return self._next


def plan_of(message: Message, ccsid: int | str, encoding: int) -> Plan:
    """Return the plan of a message for a character set and numeric encoding. Raises ValueError."""
    key = (ccsid, encoding)
    found = message.plans.get(key)
    if found is None:
        name = str(ccsid) if ccsid else message.default_encoding or "1208"
        found = Plan(message, charset_of(name, encoding & 0xF != 2), encoding)
        if len(message.plans) > 50:
            message.plans.clear()
        message.plans[key] = found
    assert isinstance(found, Plan)
    return found


class TermVariants(Variants):
    """The nodes of a term with expressions as properties."""

    def __init__(
        self,
        builder: Builder,
        node: Term,
        term: Member,
        properties: list[tuple[str, Node]],
        hidden: bool,
        depth: int,
    ) -> None:
        self.builder = builder
        self.node = node
        self.term = term
        self.properties = properties
        self.hidden = hidden
        self.depth = depth
        self.made: dict[tuple[str, ...], Term] = {}

    def resolve(self, env: Environment) -> Term:
        """Return the node for the values that the expressions have now. Raises ValueError."""
        values = tuple(text_of(evaluate(node, env)) for _, node in self.properties)
        found = self.made.get(values)
        if found is None:
            if len(self.made) > 1000:
                self.made.clear()
            known = dict(zip((name for name, _ in self.properties), values, strict=True))
            found = self.builder.term(with_values(self.term, known), self.hidden, self.depth)
            found.initiated = self.node.initiated
            self.made[values] = found
        return found


class Builder:
    """Makes nodes. Terms that occur several times in a schema share their node, and recursive types are allowed."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.made: dict[tuple[int, bool], Term] = {}
        self.sizes: dict[int, int] = {}
        #: Keeps what `made` knows by id alive.
        self.kept: list[object] = []

    def term(self, member: Member, hidden: bool, depth: int) -> Term:
        """Return the node of an element or group."""
        if isinstance(member, Element):
            return self.element(member, hidden, depth)
        return self.group(member, hidden, depth)

    def expression(self, expression: Expression) -> Node:
        """Return a compiled expression. Raises ValueError."""
        plan = self.plan
        plan.has_expressions = True
        if "Length(" in expression.text:
            plan.uses_lengths = True
        try:
            return compile_expression(expression.text, expression.namespaces)
        except ValueError as error:
            raise ValueError(f"{expression.place}: {error}" if expression.place else str(error)) from None

    def mark(
        self, delimiters: Delimiters, charset: Charset, ignore_case: bool, new_line: str, what: str
    ) -> Mark | None:
        """Return the mark of delimiters; None if there are none or they are computed."""
        if isinstance(delimiters, Expression) or not delimiters:
            return None
        try:
            mark = make_mark(self.plan.next_index(), delimiters, charset, ignore_case, new_line)
        except UnicodeError:
            raise ValueError(
                f"{what} '{' '.join(str(one) for one in delimiters)}' is not in character set {charset.codec}"
            ) from None
        if not mark.literals and not mark.patterns:
            return None
        return mark

    def charset(self, encoding: str | Expression) -> Charset:
        """Return the character set of a term."""
        if not encoding or isinstance(encoding, Expression):
            return self.plan.charset
        return charset_of(encoding, self.plan.encoding & 0xF != 2)

    # What all terms have.

    def common(self, term: Term, schema: SchemaTerm, charset: Charset, new_line: str) -> None:
        """Set marks, alignment, asserts and variables of a node."""
        term.place = schema.place
        markup = schema.markup
        term.initiator = self.mark(markup.initiator, charset, markup.ignore_case, new_line, "initiator")
        term.terminator = self.mark(markup.terminator, charset, markup.ignore_case, new_line, "terminator")
        term.final_terminator_may_be_missing = markup.final_terminator_may_be_missing
        term.branch_keys = list(schema.branch_keys)
        for assertion in schema.assertions:
            check = self.check(assertion, schema.place)
            (term.before if assertion.pattern else term.after).append(check)
        for name, expression in schema.set_variables:
            check = Check()
            check.variable = name
            check.expression = self.expression(expression)
            check.place = schema.place
            self.plan.has_variables = True
            (term.after if isinstance(schema, Element) else term.first).append(check)
        # Discriminators first, then variables, then asserts: an assert may depend on both. Groups set variables before
        # their content.
        term.after.sort(key=lambda check: 0 if check.discriminator else 1 if check.variable else 2)
        for name, value in schema.new_variables:
            self.plan.has_variables = True
            node = self.expression(value) if isinstance(value, Expression) else None
            term.new_variables.append((name, node, None if isinstance(value, Expression) else value))

    def check(self, assertion: Assertion, place: str) -> Check:
        """Return the check of an assert or discriminator."""
        check = Check()
        check.discriminator = assertion.discriminator
        check.recoverable = assertion.recoverable
        check.place = place
        if assertion.test is not None:
            check.expression = self.expression(assertion.test)
        else:
            check.pattern = data_regex(assertion.pattern)
            check.window = window(check.pattern)
        if isinstance(assertion.message, Expression):
            check.message_expression = self.expression(assertion.message)
        else:
            check.message = assertion.message
        return check

    def placement(self, term: Term, alignment: Alignment, natural: int, charset: Charset) -> None:
        """Set alignment and skips, in bits."""
        unit = {LengthUnits.BITS: 1, LengthUnits.BYTES: 8, LengthUnits.CHARACTERS: 8 * charset.unit}[alignment.units]
        term.alignment = alignment.alignment * unit or natural
        term.leading_skip = alignment.leading_skip * unit
        term.trailing_skip = alignment.trailing_skip * unit
        term.skip_first_only = alignment.skip_first_only
        fill = alignment.fill
        data = fill if isinstance(fill, bytes) else fill.encode(charset.codec)
        if charset.kind == WIDE and isinstance(fill, str) and fill.isascii():
            data = fill.encode("ascii")
        if len(data) != 1:
            raise ValueError(f"the fill byte {fill!r} is not one byte")
        term.fill = data[0]
        term.placed = term.alignment not in (1, 8) or bool(term.leading_skip) or bool(term.trailing_skip)

    # Elements.

    def element(self, schema: Element, hidden: bool, depth: int) -> ElementNode:
        """Return the node of an element. Raises ValueError."""
        if depth > DEPTH_MAX:
            raise ValueError(f"{schema.name}: structures are nested deeper than {DEPTH_MAX}")
        hidden = hidden or schema.hidden
        key = (id(schema), hidden)
        found = self.made.get(key)
        if found is not None:
            assert isinstance(found, ElementNode)
            return found
        node = ElementNode(self.plan.next_index(), schema.name, schema.namespace)
        self.made[key] = node
        self.kept.append(schema)
        node.hidden = hidden
        if hidden:
            self.plan.has_hidden = True
        properties = computed_properties(schema)
        if properties:
            compiled = [(name, self.expression(expression)) for name, expression in properties]
            node.variants = TermVariants(self, node, schema, compiled, hidden, depth)
        charset = self.charset(schema.text.encoding)
        node.charset = charset
        node.shared_charset = charset is self.plan.charset
        new_line = new_line_of(schema)
        self.common(node, schema, charset, new_line)
        node.nil_policy = _POLICIES[schema.markup.nil_policy]
        node.empty_policy = _POLICIES[schema.markup.empty_policy]
        node.empty_is_absent = schema.empty_is_absent
        node.nillable = schema.nillable
        node.tag = schema.tag
        if schema.tag:
            node.tag_bytes = schema.tag.encode(charset.codec)
        self.occurs(node, schema, charset, new_line)
        node.starts = {(schema.namespace, schema.name)}
        if schema.input_value is not None:
            self.calculated(node, schema, schema.input_value)
            return node
        self.length(node, schema, charset, depth)
        self.placement(node, schema.alignment, natural_alignment(schema), charset)
        if schema.output_value is not None:
            node.output_value = self.expression(schema.output_value)
        if schema.content is not None:
            node.nil_empty = any(CharacterClass.EMPTY in value.parts for value in schema.nil.values)
            node.content = self.group(schema.content, hidden, depth + 1)
        else:
            self.simple(node, schema, charset)
        node.type = node.tree_type()
        node.writable = _is_writable(node)
        node.optional = hidden or _may_be_absent(node)
        return node

    def calculated(self, node: ElementNode, schema: Element, value: Expression) -> None:
        """Set value and type of an element that is computed. It has no bytes, so neither a length nor a codec."""
        assert schema.logical is not None
        node.input_value = self.expression(value)
        node.logical = schema.logical.value
        node.type = node.tree_type()
        node.optional = True
        node.writable = True
        if schema.facets != Facets():
            node.facets = FacetCheck(schema.facets, schema.logical)

    def occurs(self, node: ElementNode, schema: Element, charset: Charset, new_line: str) -> None:
        """Set how often an element occurs."""
        node.min_occurs = schema.min_occurs
        node.max_occurs = schema.max_occurs
        kind = schema.occurs_kind
        if kind is OccursKind.EXPRESSION:
            node.occurs = nodes.OCCURS_COMPUTED
            assert schema.occurs_count is not None
            node.count, node.count_path = self.computed(schema.occurs_count)
        elif schema.min_occurs == 1 and schema.max_occurs == 1:
            node.occurs = nodes.ONCE
        elif kind is OccursKind.FIXED:
            node.occurs = nodes.OCCURS_FIXED
        elif kind is OccursKind.PARSED:
            node.occurs = nodes.OCCURS_PARSED
        elif kind is OccursKind.STOP_VALUE:
            node.occurs = nodes.OCCURS_STOP
            assert schema.logical is not None
            node.stop_values = [logical_value(text, schema.logical) for text in schema.stop_values]
        else:
            node.occurs = nodes.OCCURS_IMPLICIT
        if schema.repeat_separator is not None:
            node.repeat_separator = self.mark(schema.repeat_separator, charset, False, new_line, "repeating delimiter")

    def computed(self, value: Computed) -> tuple[Node | None, Path | None]:
        """Return an expression or a path."""
        if isinstance(value, Reference):
            return None, Path(list(value.names), value.up)
        return self.expression(value), None

    def length(self, node: ElementNode, schema: Element, charset: Charset, depth: int) -> None:
        """Set how the end of an element is found."""
        length = schema.length
        kind = length.kind
        node.units = _UNITS[length.units]
        text = schema.logical is not None and is_text(schema)
        if kind is LengthKind.EXPLICIT:
            if isinstance(length.value, int):
                if length.value < 0:
                    raise ValueError(f"{schema.name}: the length {length.value} is negative")
                node.length_kind = nodes.FIXED
                node.length = length.value
                self.in_bytes(node, charset)
            else:
                node.length_kind = nodes.COMPUTED
                node.length_expression, node.length_path = self.computed(length.value)
        elif kind is LengthKind.IMPLICIT:
            if schema.content is not None:
                node.length_kind = nodes.IMPLICIT
            elif text:
                self.implicit_text(node, schema, charset)
            elif schema.logical is Logical.HEX_BINARY and node.units == nodes.CHARACTERS:
                raise ValueError(f"{schema.name}: a hexBinary has no length in characters")
            else:
                node.length_kind = nodes.FIXED
                node.length = implicit_size(schema)
                node.units = nodes.BYTES
        elif kind is LengthKind.DELIMITED:
            node.length_kind = nodes.DELIMITED
            node.length_max = length.maximum
        elif kind is LengthKind.PATTERN:
            node.length_kind = nodes.PATTERN
            node.length_pattern = data_regex(length.pattern)
            node.window = window(node.length_pattern)
        elif kind is LengthKind.PREFIXED:
            if length.prefix is None:
                raise ValueError(f"{schema.name}: there is no field for its prefixed length")
            node.length_kind = nodes.PREFIXED
            node.prefix = self.element(length.prefix, False, depth + 1)
            node.includes_prefix = length.includes_prefix
        else:
            node.length_kind = nodes.END_OF_PARENT

    def in_bytes(self, node: ElementNode, charset: Charset) -> None:
        """Turn a length in characters into bytes where every character has as many."""
        if node.units == nodes.CHARACTERS and charset.kind in (SINGLE, WIDE):
            node.length *= charset.unit
            node.units = nodes.BYTES

    def implicit_text(self, node: ElementNode, schema: Element, charset: Charset) -> None:
        """Set the length of text with implicit length: facets of strings, representations of booleans."""
        if schema.logical is Logical.STRING:
            if schema.facets.max_length < 0:
                raise ValueError(f"{schema.name}: a string of implicit length needs maxLength")
            node.length = schema.facets.max_length
        elif schema.logical is Logical.BOOLEAN:
            true, false = schema.boolean.true, schema.boolean.false
            if isinstance(true, Expression) or isinstance(false, Expression):
                raise ValueError(f"{schema.name}: a boolean of implicit length has computed representations")
            if len({len(text) for text in (*true, *false)}) != 1:
                raise ValueError(f"{schema.name}: a boolean of implicit length needs equally long representations")
            node.length = len(true[0])
            node.units = nodes.CHARACTERS
        else:
            assert schema.logical is not None
            raise ValueError(f"{schema.name}: a {schema.logical.value} as text has no implicit length")
        node.length_kind = nodes.FIXED
        self.in_bytes(node, charset)

    def simple(self, node: ElementNode, schema: Element, charset: Charset) -> None:
        """Set codec, padding, nil and default of a field."""
        logical = schema.logical
        assert logical is not None
        node.logical = logical.value
        node.text = is_text(schema)
        if node.variants is None:
            node.codec = make_codec(schema, charset, self.plan.encoding)
        text = schema.text
        node.errors = "replace" if text.replace_errors else "strict"
        node.justification = _JUSTIFICATIONS[text.justification]
        node.is_string = logical is Logical.STRING
        node.is_number = is_number(logical)
        node.pads = text.pads
        node.trims = text.trims
        node.trim_sides = {"": 0, "leading": nodes.RIGHT, "trailing": nodes.LEFT, "both": nodes.CENTER}[text.trim_sides]
        self.padding(node, schema, charset)
        node.output_minimum = text.output_minimum
        if node.is_string and schema.facets.min_length > node.output_minimum and text.pads:
            node.output_minimum = schema.facets.min_length
        if logical is Logical.HEX_BINARY:
            node.output_minimum = schema.facets.min_length
        node.truncate = text.truncate
        node.nul_ends = text.nul_ends
        if text.escape is not None:
            node.escape = self.escape(text.escape, charset)
        if schema.nillable:
            self.nil(node, schema, charset, logical)
        if schema.default is not None:
            node.has_default = True
            node.default = logical_value(schema.default, logical)
        node.nil_for_default = schema.nil_for_default and schema.nillable
        if schema.facets != Facets():
            node.facets = FacetCheck(schema.facets, logical)

    def padding(self, node: ElementNode, schema: Element, charset: Charset) -> None:
        """Set the padding of a field, as character and as bytes."""
        pad = schema.text.pad
        if isinstance(pad, bytes):
            node.pad_bytes = pad
            node.pad = pad.decode(charset.codec, "replace") if charset.kind != WIDE else ""
        elif pad:
            encoded = charset.encode_or_empty(pad)
            if not encoded:
                raise ValueError(f"{schema.name}: the padding character {pad!r} is not in {charset.codec}")
            node.pad = pad
            node.pad_bytes = encoded
        if node.units == nodes.BYTES and len(node.pad_bytes) > charset.unit and charset.kind != MIXED and node.pads:
            if node.length_kind == nodes.FIXED and charset.kind not in (SINGLE, WIDE):
                raise ValueError(f"{schema.name}: the padding character {pad!r} has more than one byte")

    def escape(self, scheme: EscapeScheme, charset: Charset) -> Escape | None:
        """Return an escape scheme; None if it is computed."""
        character, double = scheme.escape_character, scheme.escape_escape
        if isinstance(character, Expression) or isinstance(double, Expression):
            return None
        return make_escape(self.plan.next_index(), scheme, (character, double), charset)

    def nil(self, node: ElementNode, schema: Element, charset: Charset, logical: Logical) -> None:
        """Set the nil representations of a field."""
        nil = schema.nil
        node.nil_kind = _NIL_KINDS[nil.kind]
        if nil.kind is NilKind.LOGICAL_VALUE:
            node.nil_values = [logical_value(plain_text(value), logical) for value in nil.values]
            return
        for value in nil.values:
            if value.parts == (CharacterClass.EMPTY,) or not value.parts:
                node.nil_empty = True
                node.nil_texts.append("")
                node.nil_bytes.append(b"")
                continue
            if nil.kind is NilKind.LITERAL_CHARACTER:
                node.nil_ignore_case = nil.ignore_case
            elif any(isinstance(part, CharacterClass) for part in value.parts) or nil.ignore_case:
                pattern = literal_regex(value, nil.ignore_case)
                node.nil_patterns.append(pattern)
                if pattern.fullmatch("") is not None:
                    node.nil_empty = True
                continue
            data = b"".join(part if isinstance(part, bytes) else part.encode(charset.codec) for part in value.parts)
            node.nil_bytes.append(data)
            if all(isinstance(part, str) for part in value.parts):
                node.nil_texts.append("".join(part for part in value.parts if isinstance(part, str)))
            elif charset.kind == SINGLE:
                node.nil_texts.append(data.decode(charset.codec, "replace"))
        if nil.values:
            mark = self.mark(nil.values[:1], charset, False, new_line_of(schema), "nil value")
            node.nil_output = mark.output if mark is not None else b""

    # Groups.

    def group(self, schema: Sequence | Choice, hidden: bool, depth: int) -> GroupNode:
        """Return the node of a sequence or choice. Raises ValueError."""
        if depth > DEPTH_MAX:
            raise ValueError(f"{schema.place}: groups are nested deeper than {DEPTH_MAX}")
        hidden = hidden or schema.hidden
        key = (id(schema), hidden)
        found = self.made.get(key)
        if found is not None:
            assert isinstance(found, GroupNode)
            return found
        node = GroupNode(nodes.SEQUENCE if isinstance(schema, Sequence) else nodes.CHOICE, self.plan.next_index())
        self.made[key] = node
        self.kept.append(schema)
        node.hidden = hidden
        properties = computed_properties(schema)
        if properties:
            compiled = [(name, self.expression(expression)) for name, expression in properties]
            node.variants = TermVariants(self, node, schema, compiled, hidden, depth)
        charset = self.charset(schema.text.encoding)
        node.charset = charset
        new_line = new_line_of(schema)
        self.common(node, schema, charset, new_line)
        self.placement(node, schema.alignment, 1, charset)
        if isinstance(schema, Sequence):
            self.sequence(node, schema, charset, hidden, depth)
        else:
            self.choice(node, schema, charset, hidden, depth)
        return node

    def sequence(self, node: GroupNode, schema: Sequence, charset: Charset, hidden: bool, depth: int) -> None:
        """Set separators and members of a sequence."""
        new_line = new_line_of(schema)
        separation = schema.separation
        node.separator = self.mark(schema.separator, charset, schema.markup.ignore_case, new_line, "separator")
        node.separator_position = _POSITIONS[schema.separator_position]
        node.suppression = _SUPPRESSIONS[schema.separator_suppression]
        node.final_separator_may_be_missing = schema.final_separator_may_be_missing
        node.open_content = schema.open_content
        node.missing = _MISSING[schema.missing]
        node.may_end_early = separation is Separation.FIXED_LENGTH_AL3
        if separation in _TAGGED:
            self.tagged(node, schema, charset, new_line)
        elif separation is Separation.UNDEFINED or schema.composition is Composition.MESSAGE:
            node.order = nodes.EMBEDDED
        elif schema.composition is Composition.UNORDERED_SET and separation is Separation.NONE:
            node.order = nodes.UNORDERED
        node.reorder = node.order != nodes.TAGGED and schema.composition in (
            Composition.UNORDERED_SET,
            Composition.SIMPLE_UNORDERED_SET,
            Composition.ALL,
        )
        node.only_variable_separated = separation is Separation.VARIABLE_LENGTH_ELEMENTS_DELIMITED
        for member, behaviour in zip(schema.members, separator_behaviours(schema), strict=True):
            term = self.term(member, hidden, depth + 1)
            if schema.initiated_content:
                term.initiated = True
            if node.order == nodes.TAGGED:
                self.tag(node, term, schema.place)
            node.slots.append(self.slot(node, schema, member, term, behaviour))

    def tagged(self, node: GroupNode, schema: Sequence, charset: Charset, new_line: str) -> None:
        """Set tag length, tag data separator and encoded length of a tagged sequence."""
        node.order = nodes.TAGGED
        node.tag_length = schema.tag_length
        node.tag_delimited = schema.separation is Separation.TAGGED_DELIMITED
        if not node.tag_delimited:
            node.separator = None
        node.tag_separator = self.mark(schema.tag_data_separator, charset, False, new_line, "tag data separator")
        if schema.separation is Separation.TAGGED_ENCODED_LENGTH:
            if schema.encoded_length <= 0:
                raise ValueError(f"{schema.place}: the length of the encoded length is missing")
            node.encoded_length = schema.encoded_length
            node.encoded_length_extra = schema.encoded_length_extra

    def slot(self, node: GroupNode, schema: Sequence, member: Member, term: Term, behaviour: int) -> Slot:
        """Return a member of a sequence with the meaning of its position."""
        slot = Slot(term, behaviour)
        slot.represented = not isinstance(member, Element) or member.input_value is None
        slot.empty_allowed = schema.separation in EMPTY_POSITIONS
        if isinstance(member, Element):
            slot.simple_delimited = member.logical is not None and member.length.kind is LengthKind.DELIMITED
            if node.only_variable_separated:
                slot.fixed_length = fixed_size(member, self.sizes) >= 0
        else:
            slot.group_may_be_missing = behaviour in (nodes.TRAILING_LAX, nodes.TRAILING_STRICT)
        return slot

    def tag(self, node: GroupNode, term: Term, place: str) -> None:
        """Make the tags of a member of a tagged sequence known, also those inside a choice or a group."""
        if isinstance(term, ElementNode):
            if not term.tag_bytes:
                raise ValueError(f"{place}: {term.name} has no tag in a tagged structure")
            if term.tag_bytes in node.tags:
                raise ValueError(f"{place}: two elements have the tag {term.tag}")
            node.tags[term.tag_bytes] = term
            return
        assert isinstance(term, GroupNode)
        for slot in term.slots:
            self.tag(node, slot.term, place)

    def choice(self, node: GroupNode, schema: Choice, charset: Charset, hidden: bool, depth: int) -> None:
        """Set members and dispatch of a choice."""
        if schema.dispatch is not None:
            node.dispatch, node.dispatch_path = self.computed(schema.dispatch)
        node.unresolved = schema.unresolved is not Unresolved.NO
        node.only_first = schema.unresolved is Unresolved.FIRST
        node.length = schema.length
        new_line = new_line_of(schema)
        if schema.separation in _TAGGED:
            node.order = nodes.TAGGED
            node.tag_length = schema.tag_length
            node.tag_separator = self.mark(schema.tag_data_separator, charset, False, new_line, "tag data separator")
        for member in schema.members:
            term = self.term(member, hidden, depth + 1)
            if schema.initiated_content:
                term.initiated = True
            node.slots.append(Slot(term, nodes.POSITIONAL))
            node.starts |= term.starts
            node.optional = node.optional or term.optional
            node.writable = node.writable or term.writable
            for key in member.branch_keys:
                if key in node.branches:
                    raise ValueError(f"{schema.place}: two branches have the key {key}")
                node.branches[key] = term
            if node.order == nodes.TAGGED:
                self.tag(node, term, schema.place)
            if node.unresolved:
                names = {member.name} if isinstance(member, Element) else set(field_names(member))
                node.branch_names[term.index] = names
                node.branch_sizes[term.index] = fixed_size(member, self.sizes)
                node.names |= names
        if not node.length and schema.pad_to_longest:
            sizes = [fixed_size(member, self.sizes) for member in schema.members]
            if all(size >= 0 for size in sizes):
                node.length = max(sizes, default=0)
        if hidden:
            node.starts = set()
            node.optional = True


def convert(value: object, logical: str) -> object:
    """Return the value of an expression as the logical type of a field. Raises ValueError."""
    return converted(value, Logical(logical))


def _is_writable(node: ElementNode) -> bool:
    """Return whether a writer can write an element that the tree does not have."""
    return (
        node.has_default
        or node.output_value is not None
        or (node.occurs != nodes.ONCE and node.min_occurs == 0)
        or (node.content is not None and node.content.writable)
    )


def _may_be_absent(node: ElementNode) -> bool:
    """Return whether a message may have no occurrence of an element."""
    if node.occurs == nodes.ONCE:
        return False
    return node.min_occurs == 0 or node.occurs in (nodes.OCCURS_PARSED, nodes.OCCURS_STOP, nodes.OCCURS_COMPUTED)
