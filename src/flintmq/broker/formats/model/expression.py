"""DFDL expressions: the subset of XPath 2.0 that schemas use.

    { ../length - 4 }                        a path from the element that has the expression, and arithmetic
    { /message/header/count }                a path from the message
    { if (../kind eq 'A') then 1 else 2 }
    { $ex:count * fn:count(../item) }

Grammar: if-then-else, or, and, comparisons (eq ne lt le gt ge = != < <= > >=), + - * div idiv mod, unary minus, paths
of child, parent and self steps with an index or an expression in brackets, variables, strings, numbers, function
calls and parentheses. Functions: see FUNCTIONS. Whatever else an expression has is refused when it is compiled, with
`Unsupported`; a syntax error is a `ValueError`.

Values are those of the tree (`broker/values.py`). A path is a list of elements until something needs its value; then
it must be exactly one. A path to an element that is not there is an error, except as argument of `fn:exists`,
`fn:empty` and `fn:count`. Evaluation raises ValueError; `NotYet` if an element exists but has no value yet, which the
writer answers with another pass.

The module is not compiled: expressions are rare, and `Reference` serves the lengths and counts of MRM.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from flintmq.broker.formats.model.expression_functions import DFDL, FN, FUNCTIONS, MATH, XS
from flintmq.broker.formats.model.expression_nodes import (
    Arithmetic,
    Call,
    Comparison,
    Constraints,
    Environment,
    If,
    Literal,
    Logic,
    Negative,
    Node,
    Path,
    Step,
    VariableNode,
)
from flintmq.broker.formats.model.expression_values import NotYet, Unsupported, Value, atom, text_of, truth

__all__ = [
    "Constraints",
    "Environment",
    "Literal",
    "Node",
    "NotYet",
    "Unsupported",
    "compile_expression",
    "evaluate",
    "is_true",
    "text_of",
    "truth",
]

_TOKEN: Final = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<string>"(?:[^"]|"")*"|'(?:[^']|'')*')
  | (?P<variable>\$[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?)
  | (?P<name>[A-Za-z_][\w.\-]*(?::[A-Za-z_][\w.\-]*)?)
  | (?P<symbol>::|!=|<=|>=|//|\.\.|[-+*/=<>()\[\],.@|])
    )""",
    re.VERBOSE,
)
#: Nesting of parentheses, ifs and calls.
DEPTH_MAX: Final = 60
LENGTH_MAX: Final = 20_000
#: Prefixes that schemas use without declaring them.
_PREFIXES: Final[dict[str, str]] = {"fn": FN, "xs": XS, "xsd": XS, "dfdl": DFDL, "math": MATH}
_COMPARISONS: Final = ("eq", "ne", "lt", "le", "gt", "ge", "=", "!=", "<", "<=", ">", ">=")


class _Parser:
    """A recursive descent parser of one expression."""

    def __init__(self, text: str, namespaces: dict[str, str]) -> None:
        self.text = text
        self.namespaces = namespaces
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        self.depth = 0
        position = 0
        while position < len(text):
            if not text[position:].strip():
                break
            found = _TOKEN.match(text, position)
            if found is None:
                raise ValueError(f"the expression {{{text}}} has '{text[position:].strip()[:10]}', which means nothing")
            kind = found.lastgroup
            assert kind is not None
            self.tokens.append((kind, found.group(kind)))
            position = found.end()
        self.tokens.append(("end", ""))

    def fail(self, what: str) -> ValueError:
        return ValueError(f"the expression {{{self.text}}} has {self.tokens[self.at][1]!r} where {what} is expected")

    def peek(self, *values: str) -> bool:
        kind, value = self.tokens[self.at]
        return kind in ("symbol", "name") and value in values

    def take(self, *values: str) -> str:
        if not self.peek(*values):
            raise self.fail(" or ".join(values))
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > DEPTH_MAX:
            raise ValueError(f"the expression {{{self.text[:50]}...}} is nested too deep")
        if self.peek("if") and self.tokens[self.at + 1] == ("symbol", "("):
            self.at += 2
            test = self.expression()
            self.take(")")
            self.take("then")
            then = self.expression()
            self.take("else")
            result: Node = If(test, then, self.expression())
        else:
            result = self.disjunction()
        self.depth -= 1
        return result

    def disjunction(self) -> Node:
        left = self.conjunction()
        while self.peek("or"):
            self.at += 1
            left = Logic("or", left, self.conjunction())
        return left

    def conjunction(self) -> Node:
        left = self.comparison()
        while self.peek("and"):
            self.at += 1
            left = Logic("and", left, self.comparison())
        return left

    def comparison(self) -> Node:
        left = self.sum()
        if self.peek(*_COMPARISONS):
            operator = self.take(*_COMPARISONS)
            return Comparison(operator, left, self.sum())
        return left

    def sum(self) -> Node:
        left = self.product()
        while self.peek("+", "-"):
            operator = self.take("+", "-")
            left = Arithmetic(operator, left, self.product())
        return left

    def product(self) -> Node:
        left = self.unary()
        while self.peek("*", "div", "idiv", "mod"):
            operator = self.take("*", "div", "idiv", "mod")
            left = Arithmetic(operator, left, self.unary())
        return left

    def unary(self) -> Node:
        if self.peek("-"):
            self.at += 1
            self.depth += 1
            if self.depth > DEPTH_MAX:
                raise ValueError(f"the expression {{{self.text[:50]}...}} is nested too deep")
            operand = self.unary()
            self.depth -= 1
            return Negative(operand)
        if self.peek("+"):
            self.at += 1
        return self.primary()

    def primary(self) -> Node:
        kind, value = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            if "e" in value or "E" in value:
                return Literal(float(value))
            return Literal(Decimal(value) if "." in value else int(value))
        if kind == "string":
            self.at += 1
            quote = value[0]
            return Literal(value[1:-1].replace(quote + quote, quote))
        if kind == "variable":
            self.at += 1
            if self.peek("/"):
                raise ValueError(f"the expression {{{self.text}}} has a path behind a variable")
            return VariableNode(self.qualified(value[1:], self.namespaces.get("", "")), value)
        if self.peek("("):
            self.at += 1
            if self.peek(")"):
                raise Unsupported(f"the empty sequence in the expression {{{self.text}}}")
            inner = self.expression()
            if self.peek(","):
                raise Unsupported(f"a sequence of values in the expression {{{self.text}}}")
            self.take(")")
            if self.peek("/", "["):
                raise Unsupported(f"a path behind parentheses in the expression {{{self.text}}}")
            return inner
        if kind == "name" and self.tokens[self.at + 1] == ("symbol", "("):
            return self.call()
        return self.path()

    def qualified(self, name: str, default: str) -> str:
        """Return `{namespace}local` of a name with or without prefix."""
        prefix, colon, local = name.rpartition(":")
        if not colon:
            return f"{{{default}}}{local}"
        namespace = self.namespaces.get(prefix, _PREFIXES.get(prefix))
        if namespace is None:
            raise ValueError(f"the expression {{{self.text}}} has the prefix {prefix}, which is not declared")
        return f"{{{namespace}}}{local}"

    def call(self) -> Node:
        shown = self.tokens[self.at][1]
        namespace, _, local = self.qualified(shown, FN)[1:].partition("}")
        self.at += 2
        arguments: list[Node] = []
        if not self.peek(")"):
            arguments.append(self.expression())
            while self.peek(","):
                self.at += 1
                arguments.append(self.expression())
        self.take(")")
        found = FUNCTIONS.get((namespace, local))
        if found is None:
            if namespace in (FN, XS, DFDL, MATH) or "daffodil" in namespace or "dfdl" in namespace:
                raise Unsupported(f"the function {shown} in the expression {{{self.text}}}")
            raise ValueError(f"the expression {{{self.text}}} has the function {shown}, which does not exist")
        function, least, most, raw = found
        if not least <= len(arguments) <= most:
            raise ValueError(f"the expression {{{self.text}}} has {len(arguments)} arguments of {shown}")
        if self.peek("/", "["):
            raise Unsupported(f"a path behind a function in the expression {{{self.text}}}")
        return Call(shown, arguments, function, raw)

    def path(self) -> Node:
        start = self.at
        absolute = False
        if self.peek("/"):
            absolute = True
            self.at += 1
        steps = [self.step()]
        while self.peek("/"):
            self.at += 1
            steps.append(self.step())
        if self.peek("//", "@", "|", "::"):
            raise Unsupported(f"'{self.tokens[self.at][1]}' in the expression {{{self.text}}}")
        return Path(absolute, steps, "".join(token for _, token in self.tokens[start : self.at]))

    def step(self) -> Step:
        kind, value = self.tokens[self.at]
        if kind == "name":
            if self.tokens[self.at + 1] == ("symbol", "::"):
                axis = value
                self.at += 2
                kind, value = self.tokens[self.at]
                if axis not in ("child", "self", "parent"):
                    raise Unsupported(f"the axis {axis} in the expression {{{self.text}}}")
                if axis != "child" or kind != "name":
                    raise Unsupported(f"the axis {axis} in the expression {{{self.text}}}")
            if self.tokens[self.at + 1] == ("symbol", "("):
                raise Unsupported(f"a function as a step in the expression {{{self.text}}}")
            self.at += 1
            namespace, _, local = self.qualified(value, "")[1:].partition("}")
            index: Node | None = None
            if self.peek("["):
                self.at += 1
                index = self.expression()
                self.take("]")
            return Step(local, namespace if ":" in value else None, index)
        if self.peek(".", ".."):
            self.at += 1
            if self.peek("["):
                raise Unsupported(f"a predicate of '{value}' in the expression {{{self.text}}}")
            return Step(value, None, None)
        if self.peek("*", "@", "//"):
            raise Unsupported(f"'{value}' in the expression {{{self.text}}}")
        raise self.fail("a value or a path")


def compile_expression(text: str, namespaces: tuple[tuple[str, str], ...] = ()) -> Node:
    """Return the compiled form of an expression, with or without its braces. Raises ValueError and Unsupported."""
    body = text.strip()
    if len(body) > LENGTH_MAX:
        raise ValueError(f"an expression of {len(body)} characters")
    if body.startswith("{"):
        if not body.endswith("}"):
            raise ValueError(f"the expression {body} has no closing brace")
        body = body[1:-1]
    body = body.strip()
    if not body:
        raise ValueError("an expression is empty")
    parser = _Parser(body, dict(namespaces))
    result = parser.expression()
    if parser.tokens[parser.at][0] != "end":
        raise parser.fail("the end")
    return result


def evaluate(node: Node, env: Environment) -> Value:
    """Return the value of an expression. Raises ValueError, NotYet if an element or its value is missing."""
    try:
        return atom(node.evaluate(env))
    except ArithmeticError as error:
        raise ValueError(f"a number is out of range: {type(error).__name__}") from None


def is_true(node: Node, env: Environment) -> bool:
    """Return whether an expression is true. Raises ValueError."""
    try:
        return truth(node.evaluate(env))
    except ArithmeticError as error:
        raise ValueError(f"a number is out of range: {type(error).__name__}") from None
