"""Nodes of DFDL expressions: paths, variables, literals, operators, and how they are evaluated.

`Environment` has the state that an expression can read; a reader or writer keeps it up to date. `expression.py` makes
the nodes, `expression_functions.py` has the functions.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable

from flintmq.broker.formats.model.expression_values import (
    NotYet,
    Value,
    atom,
    calculate,
    comparable,
    integer_of,
    number_of,
    shown,
    truth,
)
from flintmq.broker.tree.element import Element


class Constraints:
    """The facets of a simple type."""

    def problem(self, value: object) -> str | None:
        """Return the violation of a value; None = no violation."""
        raise NotImplementedError


class Environment:
    """The state that an expression can read. A reader or writer makes one and keeps it up to date."""

    def __init__(self) -> None:
        #: The element that has the expression.
        self.element: Element | None = None
        #: The message element.
        self.root: Element | None = None
        #: Values by `{namespace}name`; a missing key is a variable without value.
        self.variables: dict[str, object] = {}
        self.occurs_index: int = 1
        #: Content and value length in bytes, by element.
        self.lengths: dict[int, tuple[int, int]] = {}
        #: The facets of `element`: what `dfdl:checkConstraints` asks.
        self.facets: Constraints | None = None
        #: Whether a value that is missing may come later: while writing.
        self.writing: bool = False
        #: The variables that were read, if somebody wants to know (a variable that was read cannot be set any more).
        self.read: set[str] = set()


class Node:
    """A part of an expression."""

    #: Whether the result does not depend on the message.
    constant: bool = False

    def evaluate(self, env: Environment) -> Value:
        """Return a value, or a list of elements for a path. Raises ValueError."""
        raise NotImplementedError


class Literal(Node):
    """A number or a string."""

    constant = True

    def __init__(self, value: Value) -> None:
        self.value = value

    def evaluate(self, env: Environment) -> Value:
        return self.value


class VariableNode(Node):
    """`$name`."""

    def __init__(self, name: str, shown: str) -> None:
        self.name = name
        self.shown = shown

    def evaluate(self, env: Environment) -> Value:
        if self.name not in env.variables:
            raise NotYet(f"the variable {self.shown} has no value")
        env.read.add(self.name)
        return env.variables[self.name]


class Step:
    """One step of a path: a child name, `..` or `.`; with an index, or an expression that gives one."""

    def __init__(self, name: str, namespace: str | None, index: Node | None) -> None:
        self.name = name
        self.namespace = namespace
        self.index = index

    def matches(self, element: Element) -> bool:
        return element.name == self.name and (self.namespace is None or element.namespace == self.namespace)


class Path(Node):
    """A path: a list of elements."""

    def __init__(self, absolute: bool, steps: list[Step], shown: str) -> None:
        self.absolute = absolute
        self.steps = steps
        self.shown = shown

    def evaluate(self, env: Environment) -> Value:
        start = env.root if self.absolute else env.element
        if start is None:
            raise ValueError(f"the path {self.shown} has no element to start from")
        found = [start]
        for number, step in enumerate(self.steps):
            if step.name == ".":
                continue
            if step.name == "..":
                parents: list[Element] = []
                for element in found:
                    if element.parent is None or element is env.root:
                        raise ValueError(f"the path {self.shown} leaves the message")
                    if element.parent not in parents:
                        parents.append(element.parent)
                found = parents
                continue
            if self.absolute and number == 0:
                # The first step of an absolute path names the message itself.
                found = [element for element in found if step.matches(element)]
                if not found:
                    raise ValueError(f"the path {self.shown} does not start with the message {start.name}")
                continue
            children: list[Element] = []
            for element in found:
                matched: list[Element] = []
                child = element.first
                while child is not None:
                    if step.matches(child):
                        matched.append(child)
                    child = child.next
                if step.index is not None:
                    index = integer_of(atom(step.index.evaluate(env)))
                    if not 1 <= index <= len(matched):
                        if env.writing:
                            raise NotYet(f"{step.name}[{index}] of the path {self.shown} is not there")
                        raise ValueError(f"{step.name}[{index}] of the path {self.shown} is not there")
                    matched = [matched[index - 1]]
                children.extend(matched)
            found = children
        return found


class Call(Node):
    """A function call."""

    def __init__(self, name: str, arguments: list[Node], function: Callable[..., Value], raw: bool) -> None:
        self.name = name
        self.arguments = arguments
        self.function = function
        self.raw = raw
        self.constant = not raw and all(argument.constant for argument in arguments)

    def evaluate(self, env: Environment) -> Value:
        if self.raw:
            return self.function(env, *self.arguments)
        return self.function(*[atom(argument.evaluate(env), self.name) for argument in self.arguments])


class If(Node):
    """if (test) then one else another."""

    def __init__(self, test: Node, then: Node, otherwise: Node) -> None:
        self.test = test
        self.then = then
        self.otherwise = otherwise
        self.constant = test.constant and then.constant and otherwise.constant

    def evaluate(self, env: Environment) -> Value:
        return (self.then if truth(self.test.evaluate(env)) else self.otherwise).evaluate(env)


class Logic(Node):
    """and, or."""

    def __init__(self, operator: str, left: Node, right: Node) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.constant = left.constant and right.constant

    def evaluate(self, env: Environment) -> Value:
        left = truth(self.left.evaluate(env))
        if left == (self.operator == "or"):
            return left
        return truth(self.right.evaluate(env))


class Comparison(Node):
    """eq, ne, lt, le, gt, ge and their general forms."""

    def __init__(self, operator: str, left: Node, right: Node) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.constant = left.constant and right.constant

    def evaluate(self, env: Environment) -> Value:
        left = atom(self.left.evaluate(env))
        right = atom(self.right.evaluate(env))
        left, right = comparable(left, right)
        if self.operator in ("eq", "="):
            return left == right
        if self.operator in ("ne", "!="):
            return left != right
        try:
            if self.operator in ("lt", "<"):
                return left < right  # type: ignore[operator]
            if self.operator in ("le", "<="):
                return left <= right  # type: ignore[operator]
            if self.operator in ("gt", ">"):
                return left > right  # type: ignore[operator]
            return left >= right  # type: ignore[operator]
        except TypeError:
            raise ValueError(f"{shown(left)} and {shown(right)} have no order") from None


class Arithmetic(Node):
    """+ - * div idiv mod."""

    def __init__(self, operator: str, left: Node, right: Node) -> None:
        self.operator = operator
        self.left = left
        self.right = right
        self.constant = left.constant and right.constant

    def evaluate(self, env: Environment) -> Value:
        left = number_of(atom(self.left.evaluate(env)))
        right = number_of(atom(self.right.evaluate(env)))
        try:
            return calculate(self.operator, left, right)
        except (ZeroDivisionError, decimal.DivisionByZero, decimal.InvalidOperation):
            raise ValueError(f"{left} {self.operator} {right} divides by zero") from None
        except (OverflowError, decimal.Overflow):
            raise ValueError(f"{left} {self.operator} {right} is out of range") from None


class Negative(Node):
    """Unary minus."""

    def __init__(self, operand: Node) -> None:
        self.operand = operand
        self.constant = operand.constant

    def evaluate(self, env: Environment) -> Value:
        return -number_of(atom(self.operand.evaluate(env)))
