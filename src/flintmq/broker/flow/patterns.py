"""Texts in node properties that are evaluated over an assembly: Trace patterns, and XPath of Route nodes.

A Trace pattern is text with `${path}` in it, where the path is ESQL with the correlation names of a Filter node. A
folder is printed as an indented tree, a leaf with its type, a value as it is.

XPath 1.0 is evaluated by lxml over the trees as XML elements: `$Root`, `$Body`, `$Properties`, `$LocalEnvironment`,
`$Environment` and `$ExceptionList` are the roots, attributes of XML bodies are attributes. The elements are made only
for the roots that the expression names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from flintmq.broker.errors import BrokerError, internal_error
from flintmq.broker.esql.evaluate import compiled_expression
from flintmq.broker.esql.names import ALL_TREES
from flintmq.broker.esql.program import Program
from flintmq.broker.esql.run import Deployment, Run
from flintmq.broker.esql.support import namespace
from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import ATTRIBUTE, KIND, NAME, NAMESPACE_DECL, VALUE
from flintmq.broker.values import esql_type, literal_text, plain_text

if TYPE_CHECKING:
    from flintmq.broker.tree.assembly import Assembly

#: A trace shows at most this many characters; a message may have any size.
TEXT_MAX: Final = 1_000_000
#: Elements nested deeper than this are not shown, and not seen by XPath.
DEPTH_MAX: Final = 500

_FIELD: Final = re.compile(r"\$\{((?:[^{}]|\{[^{}]*\})*)\}")
_VARIABLE: Final = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")


@cache
def _empty_program() -> Program:
    program = Program()
    program.compile()
    return program


class _NoNode:
    """Stands for the node where an expression has none: no database, no way to send."""

    def __getattr__(self, name: str) -> Any:
        raise BrokerError(2439, f"an expression in a pattern or filter cannot use {name.replace('_', ' ')}")


def run_over(assembly: Assembly) -> Run:
    """Return a Run over an assembly, for expressions outside modules."""
    node: Any = _NoNode()
    return Run(
        _empty_program(),
        Deployment(),
        node,
        assembly.message,
        assembly.local_environment,
        assembly.exception_list,
        assembly.environment,
    )


class TracePattern:
    """The pattern of a Trace node."""

    def __init__(self, pattern: str) -> None:
        self.parts: list[str | Callable[[Run], object]] = []
        end = 0
        names = namespace()
        for found in _FIELD.finditer(pattern):
            self.parts.append(pattern[end : found.start()])
            self.parts.append(compiled_expression(found.group(1).strip(), ALL_TREES, names))
            end = found.end()
        self.parts.append(pattern[end:])

    def render(self, assembly: Assembly) -> str:
        """Return the text for an assembly. A path that fails shows its error: a trace never fails a flow."""
        run = run_over(assembly)
        texts: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            try:
                texts.append(shown(part(run)))
            except Exception as error:
                texts.append(f"<{error if isinstance(error, BrokerError) else internal_error(error)}>")
        text = "".join(texts)
        return text if len(text) <= TEXT_MAX else text[:TEXT_MAX] + f" ... ({len(text)} characters)"


def shown(source: object) -> str:
    """Return a value, element or list as a trace shows it."""
    if isinstance(source, Element):
        if source.first_child() is None:
            return _value_text(source.value)
        lines = ["("]
        _show_children(source, lines, 1)
        lines.append(")")
        return "\n".join(lines)
    if isinstance(source, list):
        return ", ".join(shown(item) for item in source)
    return _value_text(source)


def _value_text(value: object) -> str:
    if value is None:
        return "NULL"
    return value if isinstance(value, str) else plain_text(value)  # type: ignore[arg-type]


def _show_children(parent: Element, lines: list[str], depth: int) -> None:
    margin = "  " * depth
    size = 0
    for child in parent.children():
        name = f"{child.namespace}:{child.name}" if child.namespace else child.name
        head = f"{margin}({child.type:#010x}:{_kind_name(child.type)}):{name}"
        inner = child.first_child() is not None
        value = "" if child.value is None and inner else f" = {_literal(child.value)} ({esql_type(child.value)})"
        lines.append(head + value + (" (" if inner else ""))
        size += len(lines[-1])
        if size > TEXT_MAX or len(lines) > 50_000:
            lines.append(f"{margin}...")
            return
        if inner:
            if depth < DEPTH_MAX:
                _show_children(child, lines, depth + 1)
            else:
                lines.append(f"{margin}  ...")
            lines.append(f"{margin})")


def _literal(value: object) -> str:
    return "NULL" if value is None else literal_text(value)  # type: ignore[arg-type]


def _kind_name(type_value: int) -> str:
    return {NAME: "Name", VALUE: "Value"}.get(type_value & KIND, "NameValue")


class Xpath:
    """An XPath 1.0 expression over an assembly."""

    def __init__(self, text: str, namespaces: dict[str, str] | None = None) -> None:
        self.source = text
        self.variables = set(_VARIABLE.findall(text))
        known = {prefix: uri for prefix, uri in (namespaces or {}).items() if prefix and uri}
        unknown = self.variables - set(_ROOTS)
        if unknown:
            raise ValueError(f"${sorted(unknown)[0]} is not known; use {', '.join('$' + name for name in _ROOTS)}")
        try:
            self.expression = etree.XPath(text, namespaces=known or None)
        except etree.XPathSyntaxError as error:
            raise ValueError(str(error)) from None

    def evaluate(self, assembly: Assembly) -> Any:
        """Return the result of lxml: a list of elements, a text, a number or a truth value."""
        roots = {name: _as_xml(_ROOTS[name](assembly)) for name in self.variables}
        context = next(iter(roots.values()), None)
        if context is None:
            context = _as_xml(assembly.message)
        try:
            return self.expression(context, **{name: [root] for name, root in roots.items()})
        except etree.XPathError as error:
            raise BrokerError(3003, f"XPath failed: {error}", inserts=(str(self.expression),)) from None

    def holds(self, assembly: Assembly) -> bool:
        """Return whether the expression is true, as `boolean()` of XPath says."""
        return bool(self.evaluate(assembly))

    def text(self, assembly: Assembly) -> str | None:
        """Return the text that the expression gives; None if it finds nothing."""
        found = self.evaluate(assembly)
        if isinstance(found, list):
            if not found:
                return None
            first = found[0]
            return "".join(first.itertext()) if hasattr(first, "itertext") else str(first)
        if isinstance(found, bool):
            return "true" if found else "false"
        if isinstance(found, float) and found.is_integer():
            return str(int(found))
        return str(found)


_ROOTS: Final[dict[str, Callable[[Assembly], Element | None]]] = {
    "Root": lambda assembly: assembly.message,
    "InputRoot": lambda assembly: assembly.message,
    "Body": lambda assembly: assembly.message.last_child(),
    "Properties": lambda assembly: assembly.message.child("Properties"),
    "LocalEnvironment": lambda assembly: assembly.local_environment,
    "InputLocalEnvironment": lambda assembly: assembly.local_environment,
    "OutputLocalEnvironment": lambda assembly: assembly.local_environment,
    "DestinationList": lambda assembly: assembly.local_environment,
    "Environment": lambda assembly: assembly.environment,
    "ExceptionList": lambda assembly: assembly.exception_list,
    "InputExceptionList": lambda assembly: assembly.exception_list,
}
_BAD_NAME: Final = re.compile(r"[^\w.-]|^[^\w]|^[\d.-]")
#: What XML cannot say, and lxml refuses.
_NOT_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _xml_name(element: Element) -> str:
    name = _BAD_NAME.sub("_", element.name) or "item"
    qualified = f"{{{element.namespace}}}{name}" if element.namespace else name
    try:
        etree.QName(qualified)
    except ValueError:
        # A letter that Python knows and XML does not, or a namespace that is no URI.
        return re.sub(r"[^\w.-]", "_", name, flags=re.ASCII)
    return qualified


def _xml_text(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else plain_text(value)  # type: ignore[arg-type]
    return _NOT_XML.sub(" ", text)


def _as_xml(root: Element | None) -> Any:
    """Return a tree as lxml elements."""
    if root is None:
        return etree.Element("empty")
    top = etree.Element(_xml_name(root))
    top.text = _xml_text(root.value) or None
    work: list[tuple[Element, Any, int]] = [(root, top, 0)]
    while work:
        parent, made, depth = work.pop()
        child = parent.first_child()
        while child is not None:
            detail = child.type & ~1
            if detail == ATTRIBUTE:
                made.set(_xml_name(child), _xml_text(child.value))
            elif child.type & KIND == VALUE:
                if made.text is None and len(made) == 0:
                    made.text = _xml_text(child.value)
            elif detail != NAMESPACE_DECL & ~1:
                below = etree.SubElement(made, _xml_name(child))
                below.text = _xml_text(child.value) or None
                if depth < DEPTH_MAX:
                    work.append((child, below, depth + 1))
            child = child.next_sibling()
    return top
