"""Facts of a schema before it is bound: sizes, separator positions, computed properties, data patterns.

Functions of `plan.py` that need no plan. They raise ValueError for a schema that cannot work.
"""

from __future__ import annotations

from dataclasses import replace

from flintmq.broker.formats.model import literals, nodes
from flintmq.broker.formats.model.codecs import implicit_size, is_text
from flintmq.broker.formats.model.schema import (
    ByteOrder,
    CharacterClass,
    Choice,
    Delimiter,
    Element,
    Expression,
    LengthKind,
    Member,
    Number,
    OccursKind,
    Separation,
    SeparatorSuppression,
    Sequence,
)

#: Separations of MRM where a position may be empty whatever minOccurs says.
EMPTY_POSITIONS = (Separation.ALL_ELEMENTS_DELIMITED, Separation.VARIABLE_LENGTH_ELEMENTS_DELIMITED)
#: Nested groups and structures of a schema.
DEPTH_MAX = 180


def with_values(term: Member, values: dict[str, str]) -> Member:
    """Return a term with the values of its expressions in their place. Raises ValueError."""
    markup = term.markup
    if "initiator" in values:
        markup = replace(markup, initiator=literals.delimiters(values["initiator"]))
    if "terminator" in values:
        markup = replace(markup, terminator=literals.delimiters(values["terminator"]))
    made = replace(term, markup=markup)
    text = made.text
    if "encoding" in values:
        text = replace(text, encoding=values["encoding"])
    if "output_new_line" in values:
        text = replace(text, output_new_line=literals.text(values["output_new_line"]))
    scheme = text.escape
    if scheme is not None:
        if "escape_character" in values:
            scheme = replace(scheme, escape_character=literals.text(values["escape_character"]))
        if "escape_escape" in values:
            scheme = replace(scheme, escape_escape=literals.text(values["escape_escape"]))
        text = replace(text, escape=scheme)
    made.text = text
    if isinstance(made, Sequence) and "separator" in values:
        made.separator = literals.delimiters(values["separator"])
    if isinstance(made, Element):
        number = made.number
        if "byte_order" in values:
            number = replace(number, byte_order=ByteOrder(values["byte_order"]))
        if "decimal_separators" in values:
            number = replace(number, decimal_separators=literals.texts(values["decimal_separators"]))
        if "grouping_separator" in values:
            number = replace(number, grouping_separator=literals.text(values["grouping_separator"]))
        if "exponent" in values:
            number = replace(number, exponent=literals.text(values["exponent"]))
        _check_separators(number)
        made.number = number
        boolean = made.boolean
        if "true" in values:
            boolean = replace(boolean, true=literals.texts(values["true"]))
        if "false" in values:
            boolean = replace(boolean, false=literals.texts(values["false"]))
        made.boolean = boolean
        if "language" in values:
            made.calendar = replace(made.calendar, language=values["language"])
    return made


def _check_separators(number: Number) -> None:
    """Raise ValueError if computed separators of a number cannot be told apart."""
    decimal, grouping, exponent = number.decimal_separators, number.grouping_separator, number.exponent
    if isinstance(grouping, str) and len(grouping) != 1:
        raise ValueError(f"the grouping separator '{grouping}' is not one character")
    if isinstance(decimal, tuple):
        if any(len(one) != 1 for one in decimal):
            raise ValueError(f"the decimal separator '{' '.join(decimal)}' is not one character")
        if grouping in decimal or exponent in decimal or grouping == exponent:
            raise ValueError(
                f"decimal, grouping separator and exponent ({' '.join(decimal)} {grouping} {exponent}) are not distinct"
            )


def new_line_of(term: Member) -> str:
    """Return the output for %NL;. A computed one is set in the variant of the term."""
    text = term.text.output_new_line
    return "\n" if isinstance(text, Expression) else text


def computed_properties(term: Member) -> list[tuple[str, Expression]]:
    """Return the properties of a term that are expressions and decide how its node is made."""
    found: list[tuple[str, object]] = [
        ("initiator", term.markup.initiator),
        ("terminator", term.markup.terminator),
        ("encoding", term.text.encoding),
        ("output_new_line", term.text.output_new_line),
    ]
    scheme = term.text.escape
    if scheme is not None:
        found.append(("escape_character", scheme.escape_character))
        found.append(("escape_escape", scheme.escape_escape))
    if isinstance(term, Sequence):
        found.append(("separator", term.separator))
    elif isinstance(term, Element) and term.logical is not None:
        found.append(("byte_order", term.number.byte_order))
        found.append(("decimal_separators", term.number.decimal_separators))
        found.append(("grouping_separator", term.number.grouping_separator))
        found.append(("exponent", term.number.exponent))
        found.append(("true", term.boolean.true))
        found.append(("false", term.boolean.false))
        found.append(("language", term.calendar.language))
    return [(name, value) for name, value in found if isinstance(value, Expression)]


def fixed_size(member: Member, known: dict[int, int], depth: int = 0) -> int:
    """Return the bytes of a term of fixed length, one byte per character, without alignment; -1 if it varies.

    `known` keeps results by id: a type that is used in many places is looked at once.
    """
    found = known.get(id(member))
    if found is None:
        # A type that contains itself has no fixed length.
        known[id(member)] = -1
        found = _fixed_size(member, known, depth) if depth <= DEPTH_MAX else -1
        known[id(member)] = found
    return found


def _fixed_size(member: Member, known: dict[int, int], depth: int) -> int:
    if isinstance(member, Choice):
        if member.length:
            return member.length
        sizes = [fixed_size(branch, known, depth + 1) for branch in member.members]
        return max(sizes, default=0) if member.pad_to_longest and min(sizes, default=0) >= 0 else -1
    if isinstance(member, Sequence):
        if member.separator:
            return -1
        sizes = [fixed_size(inner, known, depth + 1) for inner in member.members]
        return sum(sizes) if min(sizes, default=0) >= 0 else -1
    if member.min_occurs != member.max_occurs or member.occurs_kind is OccursKind.EXPRESSION:
        return -1
    size = _size_of_element(member, known, depth)
    if size < 0 or member.markup.initiator or member.markup.terminator:
        return -1
    skips = member.alignment.leading_skip + member.alignment.trailing_skip
    return (size + skips) * member.max_occurs


def _size_of_element(member: Element, known: dict[int, int], depth: int) -> int:
    """Return the bytes of the content of an element; -1 if it varies."""
    if member.length.kind is LengthKind.EXPLICIT and isinstance(member.length.value, int):
        return member.length.value
    if member.length.kind is not LengthKind.IMPLICIT:
        return -1
    if member.content is not None:
        return fixed_size(member.content, known, depth + 1)
    if member.logical is None:
        return -1
    try:
        return member.facets.max_length if is_text(member) else implicit_size(member)
    except ValueError:
        return -1


def separator_behaviours(schema: Sequence) -> list[int]:
    """Return the meaning of an absent member for separators, member by member."""
    members = schema.members
    if not schema.separator:
        return [nodes.POSITIONAL] * len(members)
    policy = schema.separator_suppression
    represented = [not isinstance(member, Element) or member.input_value is None for member in members]
    trailing = [False] * len(members)
    later = True
    last_represented = True
    for at in range(len(members) - 1, -1, -1):
        if not represented[at]:
            continue
        trailing[at] = later and _could_trail(members[at], last_represented)
        later = trailing[at]
        last_represented = False
    result: list[int] = []
    for at, member in enumerate(members):
        mrm = schema.separation in EMPTY_POSITIONS
        if mrm:
            behaviour = nodes.POSITIONAL_NEVER if policy is SeparatorSuppression.NEVER else nodes.TRAILING_LAX
        elif isinstance(member, Element) and (member.min_occurs != 1 or member.max_occurs != 1):
            behaviour = _array_behaviour(member, trailing[at], policy)
        elif not trailing[at] or policy is SeparatorSuppression.NEVER:
            behaviour = nodes.POSITIONAL
        else:
            behaviour = _by_policy(policy)
        result.append(behaviour)
    return result


def _by_policy(policy: SeparatorSuppression) -> int:
    return {
        SeparatorSuppression.NEVER: nodes.POSITIONAL_NEVER,
        SeparatorSuppression.ANY_EMPTY: nodes.NON_POSITIONAL,
        SeparatorSuppression.TRAILING_EMPTY: nodes.TRAILING_LAX,
        SeparatorSuppression.TRAILING_EMPTY_STRICT: nodes.TRAILING_STRICT,
    }[policy]


def _array_behaviour(member: Element, trailing: bool, policy: SeparatorSuppression) -> int:
    kind = member.occurs_kind
    if kind in (OccursKind.FIXED, OccursKind.EXPRESSION):
        return nodes.POSITIONAL
    if kind in (OccursKind.PARSED, OccursKind.STOP_VALUE):
        return nodes.NON_POSITIONAL
    if policy is SeparatorSuppression.ANY_EMPTY:
        return nodes.NON_POSITIONAL
    if not trailing:
        return nodes.POSITIONAL
    return _by_policy(policy)


def _could_trail(member: Member, last: bool) -> bool:
    """Return whether a member may be missing at the end of a separated sequence, together with its separator."""
    if isinstance(member, Element):
        array = member.min_occurs != 1 or member.max_occurs != 1
        return (
            (member.min_occurs == 0 or array and last)
            and member.occurs_kind in (OccursKind.IMPLICIT, OccursKind.PARSED)
            and member.length.kind is LengthKind.DELIMITED
            and not any(assertion.discriminator for assertion in member.assertions)
        )
    alignment = member.alignment
    framed = member.markup.initiator or member.markup.terminator or alignment.leading_skip or alignment.trailing_skip
    if member.assertions or member.set_variables or framed or alignment.alignment > 1:
        return False
    if isinstance(member, Sequence) and (
        not member.separator or member.separator_suppression is SeparatorSuppression.NEVER
    ):
        return False
    return all(_could_trail(inner, False) for inner in member.members)


def plain_text(value: Delimiter) -> str:
    """Return the characters of a literal value."""
    text = ""
    for part in value.parts:
        if isinstance(part, bytes) or isinstance(part, CharacterClass) and part is not CharacterClass.EMPTY:
            raise ValueError(f"the nil value {value} is no logical value")
        if not isinstance(part, CharacterClass):
            text += part
    return text
