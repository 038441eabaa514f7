"""Places in the trees of a node, and values of expressions, that properties name.

    InputRoot.XMLNSC.Order.Item[2]            ESQL
    Environment.Replies[CARDINALITY(Environment.Replies[]) + 1]
    $LocalEnvironment/Destination/File/Name   XPath; `ns:name`, `@name`, `*`, `[2]` and `[last()]` in a step
    $OutputRoot/JSON/Data

A `Location` can be found, and created where it is missing. It has the steps that both languages can say; any other
XPath or ESQL expression has a value, but is no place (`Expression`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import syntax_expressions as s
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.evaluate import compiled_expression
from flintmq.broker.esql.names import ALL_TREES
from flintmq.broker.esql.parser import parse_path
from flintmq.broker.esql.printer import print_expression
from flintmq.broker.esql.run import Run
from flintmq.broker.esql.support import namespace
from flintmq.broker.flow.model import Row
from flintmq.broker.flow.patterns import Xpath, run_over
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, Step, ensure_child, find_child
from flintmq.broker.tree.types import ATTRIBUTE, CONSTANTS, family
from flintmq.broker.values import plain_text

#: Names of trees in upper case to the trees.
Trees = Mapping[str, Element | None]

_XPATH_STEP: Final = re.compile(
    r"/(?P<attribute>@)?(?:(?P<prefix>[\w.-]+|\*):)?(?P<name>[^\s/@\[\]()='\"<>:|+,$*]+|\*)"
    r"(?:\[(?P<index>\d{1,9}|last\(\))\])?"
)
_XPATH_START: Final = re.compile(r"\$([A-Za-z]+)")


def trees_of(assembly: Assembly, output: Assembly | None = None) -> dict[str, Element | None]:
    """Return the trees of a node by name; those of the output are the input trees if there is no output."""
    output = output or assembly
    trees: dict[str, Element | None] = {
        "ENVIRONMENT": assembly.environment,
        "OUTPUTROOT": output.message,
        "OUTPUTLOCALENVIRONMENT": output.local_environment,
        "OUTPUTDESTINATIONLIST": output.local_environment,
        "OUTPUTEXCEPTIONLIST": output.exception_list,
    }
    for prefix in ("", "INPUT"):
        trees[prefix + "ROOT"] = assembly.message
        trees[prefix + "BODY"] = assembly.body()
        trees[prefix + "PROPERTIES"] = assembly.properties()
        trees[prefix + "LOCALENVIRONMENT"] = assembly.local_environment
        trees[prefix + "DESTINATIONLIST"] = assembly.local_environment
        trees[prefix + "EXCEPTIONLIST"] = assembly.exception_list
    return trees


def namespaces_of(rows: list[Row]) -> dict[str, str]:
    """Return the prefixes that a node's table nsMappingTable declares."""
    return {str(row.get("nsPrefix", "")): str(row.get("namespace", "")) for row in rows}


class _At:
    """A step, and its index if that is an expression."""

    __slots__ = ("index", "step")

    def __init__(self, step: Step, index: Callable[[Run], object] | None = None) -> None:
        self.step = step
        self.index = index

    def number(self, run: Callable[[], Run]) -> int:
        """Return the index of this step for the trees of a run."""
        if self.index is None:
            return self.step.index
        value = self.index(run())
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BrokerError(2497, f"the index of {self.step.name} is {value!r}; a number from 1 is needed")
        return value


class Location:
    """A path to a place in one of the trees. Raise ValueError with the reason if a text is none."""

    def __init__(self, text: str, namespaces: Mapping[str, str] | None = None) -> None:
        self.text = text.strip()
        self._namespaces = namespaces or {}
        self.tree = ""
        self.steps: list[_At] = []
        if self.text.startswith("$"):
            self._read_xpath()
        else:
            self._read_esql()
        if self.tree not in KNOWN_TREES:
            raise ValueError(f"{self.tree} is not the name of a tree")

    # Reading.

    def _read_xpath(self) -> None:
        start = _XPATH_START.match(self.text)
        if start is None:
            raise ValueError("a name follows $")
        self.tree = start[1].upper()
        place = start.end()
        while place < len(self.text):
            found = _XPATH_STEP.match(self.text, place)
            if found is None:
                raise ValueError(f"{self.text[place:]!r} is not a step of plain names")
            place = found.end()
            name = None if found["name"] == "*" else found["name"]
            index = 0 if found["index"] is None else -1 if found["index"] == "last()" else int(found["index"])
            if found["attribute"]:
                mask, kind = family(ATTRIBUTE)
                step = Step(name, self._namespace(found["prefix"]), index, mask, kind, ATTRIBUTE)
            else:
                step = Step(name, self._namespace(found["prefix"]), index)
            self.steps.append(_At(step))

    def _namespace(self, prefix: str | None) -> str | None:
        if prefix is None:
            return ""
        if prefix == "*":
            return None
        if prefix not in self._namespaces:
            raise ValueError(f"the prefix {prefix} is not declared in the namespaces of the node")
        return self._namespaces[prefix]

    def _read_esql(self) -> None:
        try:
            path = parse_path(self.text.rstrip("."))
        except EsqlSyntaxError as error:
            raise ValueError(f"{error.message} (column {error.column})") from None
        first = path.elements[0].plain
        if first is None:
            raise ValueError("it does not begin with the name of a tree")
        self.tree = first.text.upper()
        for element in path.elements[1:]:
            self.steps.append(self._esql_step(element))

    def _esql_step(self, element: s.PathElement) -> _At:
        if isinstance(element.name, s.ComputedName) or isinstance(element.namespace, s.ComputedName):
            raise ValueError("computed names cannot be used in a property")
        name = element.name.text if isinstance(element.name, s.Name) else None
        space: str | None = ""
        if isinstance(element.namespace, s.Name):
            space = self._namespace(element.namespace.text)
        elif isinstance(element.namespace, s.AnyName):
            space = None
        step = Step(name, space)
        if element.type is not None:
            domain, _, kind = print_expression(element.type).partition(".")
            number = CONSTANTS.get(domain, {}).get(kind)
            if number is None:
                raise ValueError(f"({domain}.{kind}) is not a known field type")
            step.mask, step.kind = family(number)
            step.create_type = number
        index = element.index
        if index is None:
            return _At(step)
        if index.kind == "ALL":
            raise ValueError("a list, [], is not one place")
        if index.kind == "LAST":
            step.index = -1
        if index.expression is None:
            return _At(step)
        if isinstance(index.expression, s.Literal) and isinstance(index.expression.value, int):
            step.index = -index.expression.value if index.kind == "LAST" else index.expression.value
            return _At(step)
        return _At(step, compiled_expression(print_expression(index.expression), ALL_TREES, namespace()))

    # Use.

    def find(self, trees: Trees, run: Callable[[], Run] | None = None) -> Element | None:
        """Return the element at this place; None if it is missing."""
        element = trees.get(self.tree)
        for each in self.steps:
            if element is None:
                return None
            element = find_child(element, each.step, each.number(run or _no_run))
        return element

    def value(self, trees: Trees, run: Callable[[], Run] | None = None) -> object:
        """Return the value at this place; None if it is missing."""
        found = self.find(trees, run)
        return None if found is None else found.value

    def create(self, trees: Trees, run: Callable[[], Run] | None = None) -> Element:
        """Return the element at this place; missing elements of the path are created."""
        element = trees.get(self.tree)
        if element is None:
            raise BrokerError(2497, f"there is no tree for {self.text}; {self.tree} is missing", inserts=(self.text,))
        for left, each in enumerate(self.steps, 1 - len(self.steps)):
            element = ensure_child(element, each.step, each.number(run or _no_run), left == 0, True)
        return element


def _no_run() -> Run:
    raise BrokerError(2497, "an index that is an expression cannot be used here")


#: Every name that a path may begin with.
KNOWN_TREES: Final = frozenset((*trees_of(Assembly()), "RESULTROOT"))


class Expression:
    """A property that gives a value: a path, XPath 1.0 or ESQL. Raise ValueError with the reason if it is none."""

    def __init__(self, text: str, namespaces: Mapping[str, str] | None = None) -> None:
        self.text = text.strip()
        self._location: Location | None = None
        self._xpath: Xpath | None = None
        self._esql: Callable[[Run], object] | None = None
        try:
            self._location = Location(self.text, namespaces)
            return
        except ValueError as error:
            reason = error
        if "$" in self.text or "/" in self.text:
            # The output of a node that has not run yet is what came in.
            self._xpath = Xpath(self.text.replace("$OutputRoot", "$Root"), dict(namespaces or {}))
            return
        try:
            self._esql = compiled_expression(self.text, ALL_TREES, namespace())
        except ValueError:
            raise reason from None

    def value(self, assembly: Assembly, output: Assembly | None = None) -> object:
        """Return the value; None if the path leads nowhere."""
        if self._location is not None:
            return self._location.value(trees_of(assembly, output), lambda: run_over(assembly))
        if self._xpath is not None:
            return self._xpath.text(output or assembly)
        assert self._esql is not None
        found = self._esql(run_over(assembly))
        return found.value if isinstance(found, Element) else found

    def text_value(self, assembly: Assembly) -> str | None:
        """Return the value as XPath gives it, as text: a BLOB is hexadecimal."""
        found = self.value(assembly)
        return None if found is None else text_of(found)


def text_of(value: object) -> str:
    """Return a value as the text that XPath gives: a BLOB is hexadecimal, TRUE is `true`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.hex()
    return plain_text(value)  # type: ignore[arg-type]
