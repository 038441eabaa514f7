"""Tokens to a tree: precedence climbing, with checks of the parts that are known on the way (S6).

    level   operators                           right side
    1       OR                                  level 2
    2       AND                                 level 3
    3       NOT in front                        level 4
    4       = <> < <= > >= BETWEEN IN LIKE IS   level 5; one such operator, no second
    5       + -                                 level 6
    6       * /                                 level 7
    7       + - in front, literal, name, ( )

Each pair of parentheses, NOT and sign goes one level deeper, of NESTING_MAX.
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.md_properties import FIELDS
from flintmq.mqi.property_names import DESCRIPTOR_PREFIX
from flintmq.mqi.reason import MQRC_SELECTION_NOT_AVAILABLE
from flintmq.selector import node as nodes
from flintmq.selector.errors import SelectorError
from flintmq.selector.lexer import APPROXIMATE, BYTES, END, EXACT, EXACT_MAX, NAME, STRING, Token, tokens
from flintmq.selector.like import Pattern, ends_in_escape
from flintmq.selector.node import ANY, BOOLEAN, BYTE_STRING, FALSE, KIND_NAMES, NUMBER, TEXT, TRUE, Literal, Node

NESTING_MAX: Final = 100

_OR: Final = 1
_AND: Final = 2
_NOT: Final = 3
_PREDICATE: Final = 4
_SUM: Final = 5
_PRODUCT: Final = 6
_SIGN: Final = 7

_LEVELS: Final = {
    "OR": _OR,
    "AND": _AND,
    "=": _PREDICATE,
    "<>": _PREDICATE,
    "<": _PREDICATE,
    "<=": _PREDICATE,
    ">": _PREDICATE,
    ">=": _PREDICATE,
    "NOT": _PREDICATE,
    "BETWEEN": _PREDICATE,
    "IN": _PREDICATE,
    "LIKE": _PREDICATE,
    "IS": _PREDICATE,
    "+": _SUM,
    "-": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
}
_RFH2_PREFIX: Final = "Root.MQRFH2."
#: JMS ids are compared as text: the digits of one that is written in full are made those that a source gives.
_ID_NAMES: Final = ("JMSMessageID", "JMSCorrelationID")
ID_LENGTH: Final = 51  # "ID:" and 48 hexadecimal digits.


def parse(text: str) -> tuple[Node, list[str]]:
    """The tree of a selection string, and the names in it in the order in which they were met. Raises SelectorError."""
    parser = _Parser(text)
    tree = parser.whole()
    return tree, parser.names


class _Parser:
    """The state of one parse."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.next = 0
        self.token: Token = self.tokens[0]
        self.depth = 0
        self.names: list[str] = []

    def whole(self) -> Node:
        """The selector: one condition, and nothing behind it."""
        start = self.token
        tree = self._expression(_OR)
        if self.token.kind != END:
            raise self._expected("AND, OR or the end")
        self._must_be(tree, BOOLEAN, start, "a condition")
        return tree

    # -- tokens ------------------------------------------------------------------------------------------------

    def _advance(self) -> Token:
        """Go on to the next token; returns the one that was current."""
        token = self.token
        self.next += 1
        if token.kind != END:
            self.token = self.tokens[self.next]
        return token

    def _take(self, kind: str) -> Token:
        if self.token.kind != kind:
            raise self._expected("a string" if kind == STRING else kind)
        return self._advance()

    def _expected(self, what: str) -> SelectorError:
        return self._error(self.token, f"expected {what}, found {self.token.shown()}")

    def _error(self, token: Token, what: str) -> SelectorError:
        return SelectorError(self.text, token.start + 1, what)

    def _must_be(self, part: Node, kind: int, start: Token, what: str) -> None:
        """S6: `part`, which begins with `start`, must be able to be of this kind."""
        if part.kind != ANY and part.kind != kind:
            raise self._error(start, f"expected {what}, found {KIND_NAMES[part.kind]}")

    def _deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > NESTING_MAX:
            raise self._error(token, f"nested more than {NESTING_MAX} levels deep")

    # -- expressions -------------------------------------------------------------------------------------------

    def _expression(self, level: int) -> Node:
        """Take the expression here, with all operators of this level and of those that bind more tightly."""
        start = self.token
        left = self._operand(level)
        # One predicate is enough: a = b = c is an error, not (a = b) = c. NOT has had its predicate already.
        highest = _AND if start.kind == "NOT" else _PRODUCT
        while True:
            operator = self.token.kind
            found = _LEVELS.get(operator, 0)
            if found < level or found > highest or found == 0:
                return left
            if found == _OR:
                left = self._or(left, start)
            elif found == _AND:
                left = self._and(left, start)
            elif found == _PREDICATE:
                left = self._predicate(left, start)
                highest = _AND
            else:
                left = self._arithmetic(left, start, found)

    def _operand(self, level: int) -> Node:
        token = self.token
        if token.kind == "NOT" and level <= _NOT:
            self._advance()
            self._deeper(token)
            start = self.token
            part = self._expression(_NOT)
            self._must_be(part, BOOLEAN, start, "a condition")
            self.depth -= 1
            return nodes.Not(part)
        if token.kind == "+" or token.kind == "-":
            return self._signed()
        if token.kind == "(":
            self._advance()
            self._deeper(token)
            inside = self._expression(_OR)
            if self.token.kind != ")":
                raise self._expected("an operator or )")
            self._advance()
            self.depth -= 1
            return inside
        return self._literal_or_name()

    def _signed(self) -> Node:
        """Take a sign and its operand. The least exact number can only be read together with its sign."""
        sign = self._advance()
        start = self.token
        if start.kind == EXACT and sign.kind == "-":
            self._advance()
            number = start.value
            assert isinstance(number, int)
            return Literal(-number, NUMBER)
        self._deeper(sign)
        part = self._operand(_SIGN)
        self.depth -= 1
        self._must_be(part, NUMBER, start, "a number")
        return nodes.Negative(part) if sign.kind == "-" else nodes.Positive(part)

    def _literal_or_name(self) -> Node:
        token = self.token
        kind = token.kind
        if kind == NAME:
            self._advance()
            return self._name(token)
        if kind == STRING:
            self._advance()
            return Literal(token.value, TEXT)
        if kind == EXACT:
            self._advance()
            number = token.value
            assert isinstance(number, int)
            if number > EXACT_MAX:
                raise self._error(token, f"an exact number is at most {EXACT_MAX}")
            return Literal(number, NUMBER)
        if kind == APPROXIMATE:
            self._advance()
            return Literal(token.value, NUMBER)
        if kind == "TRUE" or kind == "FALSE":
            self._advance()
            return Literal(kind == "TRUE", BOOLEAN)
        if kind == BYTES:
            self._advance()
            return Literal(token.value, BYTE_STRING)
        raise self._expected("a name or a value")

    def _name(self, token: Token) -> Node:
        name = known_name(token.text)
        if not name:
            raise self._error(token, f"the message descriptor has no field {token.text}")
        if name.startswith(("Root.", "Body.")) and not name.startswith(DESCRIPTOR_PREFIX):
            what = f"{token.text} is inside the message data, which selectors do not see"
            raise SelectorError(self.text, token.start + 1, what, MQRC_SELECTION_NOT_AVAILABLE)
        if name not in self.names:
            self.names.append(name)
        return nodes.Name(name)

    def _or(self, left: Node, start: Token) -> Node:
        self._must_be(left, BOOLEAN, start, "a condition")
        self._advance()
        begin = self.token
        right = self._expression(_AND)
        self._must_be(right, BOOLEAN, begin, "a condition")
        chain = left if isinstance(left, nodes.Or) else nodes.Or(left)
        chain.parts.append(right)
        return chain

    def _and(self, left: Node, start: Token) -> Node:
        self._must_be(left, BOOLEAN, start, "a condition")
        self._advance()
        begin = self.token
        right = self._expression(_NOT)
        self._must_be(right, BOOLEAN, begin, "a condition")
        chain = left if isinstance(left, nodes.And) else nodes.And(left)
        chain.parts.append(right)
        return chain

    def _arithmetic(self, left: Node, start: Token, level: int) -> Node:
        self._must_be(left, NUMBER, start, "a number")
        operator = self._advance().kind
        begin = self.token
        right = self._expression(level + 1)
        self._must_be(right, NUMBER, begin, "a number")
        chain: nodes.Chain
        if level == _SUM:
            chain = left if isinstance(left, nodes.Sum) else nodes.Sum(left)
        else:
            chain = left if isinstance(left, nodes.Product) else nodes.Product(left)
        chain.operators.append(operator)
        chain.parts.append(right)
        return chain

    # -- predicates --------------------------------------------------------------------------------------------

    def _predicate(self, left: Node, start: Token) -> Node:
        operator = self._advance()
        kind = operator.kind
        if kind == "IS":
            wanted = TRUE
            if self.token.kind == "NOT":
                self._advance()
                wanted = FALSE
            self._take("NULL")
            return nodes.IsNull(left, wanted)
        if kind == "NOT":
            operator = self.token
            kind = operator.kind
            if kind != "BETWEEN" and kind != "IN" and kind != "LIKE":
                raise self._expected("BETWEEN, IN or LIKE")
            self._advance()
            return nodes.Not(self._containment(left, start, kind))
        if kind == "BETWEEN" or kind == "IN" or kind == "LIKE":
            return self._containment(left, start, kind)
        begin = self.token
        right = self._expression(_SUM)
        if kind == "=" or kind == "<>":
            _spell(left, right)
            _spell(right, left)
            return nodes.Equal(left, right) if kind == "=" else nodes.NotEqual(left, right)
        self._must_have_order(left, start)
        self._must_have_order(right, begin)
        if kind == "<" or kind == "<=":
            return nodes.Less(left, right, kind == "<=")
        return nodes.Less(right, left, kind == ">=")

    def _containment(self, left: Node, start: Token, kind: str) -> Node:
        if kind == "BETWEEN":
            return self._between(left, start)
        if kind == "IN":
            return self._in(left)
        return self._like(left, start)

    def _must_have_order(self, part: Node, start: Token) -> None:
        if part.kind == BOOLEAN:
            raise self._error(start, "a condition is neither less nor greater than anything")

    def _between(self, left: Node, start: Token) -> Node:
        self._must_have_order(left, start)
        begin = self.token
        low = self._expression(_SUM)
        self._must_have_order(low, begin)
        self._take("AND")
        begin = self.token
        high = self._expression(_SUM)
        self._must_have_order(high, begin)
        return nodes.Between(left, low, high)

    def _in(self, left: Node) -> Node:
        self._take("(")
        choices: list[Node] = []
        strings: list[str] = []
        while True:
            choice = self._expression(_SUM)
            _spell(left, choice)
            choices.append(choice)
            if isinstance(choice, Literal) and isinstance(choice.literal, str):
                strings.append(choice.literal)
            if self.token.kind != ",":
                break
            self._advance()
        if self.token.kind != ")":
            raise self._expected(", or )")
        self._advance()
        if len(strings) == len(choices):
            return nodes.InStrings(left, frozenset(strings))
        return nodes.In(left, choices)

    def _like(self, left: Node, start: Token) -> Node:
        if left.kind == NUMBER or left.kind == BOOLEAN or left.kind == BYTE_STRING:
            raise self._error(start, f"expected a string, found {KIND_NAMES[left.kind]}")
        token = self._take(STRING)
        pattern = token.value
        assert isinstance(pattern, str)
        escape = ""
        if self.token.kind == "ESCAPE":
            self._advance()
            begin = self.token
            character = self._take(STRING).value
            assert isinstance(character, str)
            if len(character) != 1:
                raise self._error(begin, "an escape character is one character")
            escape = character
            if ends_in_escape(pattern, escape):
                raise self._error(token, "the pattern ends in its escape character")
        return nodes.Like(left, Pattern(pattern, escape))


def known_name(name: str) -> str:
    """The name that a source is asked for: folder usr and Root.MQRFH2 left away. Empty for an unknown field of MQMD."""
    if name.startswith(_RFH2_PREFIX):
        name = name[len(_RFH2_PREFIX) :]
    elif name.startswith(DESCRIPTOR_PREFIX) and name[len(DESCRIPTOR_PREFIX) :] not in FIELDS:
        return ""
    return name[4:] if name.startswith("usr.") else name


def _spell(part: Node, other: Node) -> None:
    """A text that is compared with a name is spelled as a source spells it.

    An id in full that is compared with a JMS id gets the small digits that JMS writes. A field of the message
    descriptor has no blanks behind it, so neither has the operand of its comparison.
    """
    if isinstance(part, nodes.Name) and isinstance(other, Literal):
        text = other.literal
        if isinstance(text, str):
            if part.name in _ID_NAMES and id_bytes(text):
                other.literal = "ID:" + text[3:].lower()
            elif part.name.startswith(DESCRIPTOR_PREFIX):
                other.literal = text.rstrip(" ")


def id_bytes(text: str) -> bytes:
    """The id that is written ID: and 48 hexadecimal digits; empty for any other text, also a longer one (B219)."""
    if len(text) != ID_LENGTH or not text.startswith("ID:") or not text[3:].isalnum():
        return b""
    try:
        return bytes.fromhex(text[3:])
    except ValueError:
        return b""
