"""A read-only Python face of a message tree, for tests and programs that call a flow.

    tree.XMLNSC.Order.Total                 the first child of each name
    tree.XMLNSC.Order.Item[1]               the second Item (Python counts from 0, ESQL from 1)
    tree.JSON.Data.lines[0].price           of an array of JSON, [n] is the n-th item
    tree["HTTPInputHeader"]["Content-Type"] names that are no Python names, or that TreeView uses itself
    tree["{http://a}Order"]                 with a namespace; without one, any namespace fits
    tree.get("XMLNSC.Order.Total", "0")     by a dotted path, with a default

    == and in       compare the value with plain Python values: `tree.MQMD.Priority == 5`
    .value          the value, dates and times as those of `datetime`; None for NULL and for missing elements
    bool()          False for a missing element, NULL and FALSE, so `if tree.JSON.Data.flag:` reads as it should
    for, len()      the children
    to_dict()       the whole subtree: dicts, lists and values

A missing element is no error: it is a view that is false, has no value and no children, and knows its path. A view
never changes the tree; navigation may build elements that were still pending.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, final

from flintmq.broker.tree.element import Element
from flintmq.broker.tree.types import ATTRIBUTE, JSON_ARRAY, KIND, NAME
from flintmq.broker.values import (
    Bit,
    Date,
    Interval,
    Time,
    Timestamp,
    literal_text,
    plain_text,
)

_SCALARS = (str, bytes, bool, int, float, Decimal, Bit, Date, Time, Timestamp, Interval)
#: `str()` of a folder stops after this many lines.
LINES_MAX = 2000


@final
class TreeView:
    """One element of a tree, or the place where one is missing."""

    __slots__ = ("_element", "_path")

    _element: Element | None
    _path: str

    def __init__(self, element: Element | None, path: str = "") -> None:
        object.__setattr__(self, "_element", element)
        object.__setattr__(self, "_path", path or ("" if element is None else element.name))

    # Navigation.

    def __getattr__(self, name: str) -> TreeView:
        if name.startswith("__") or name in TreeView.__slots__:
            # Python asks for methods such as __deepcopy__, which no message has.
            raise AttributeError(name)
        return self._child(name)

    def __getitem__(self, key: str | int) -> TreeView:
        if isinstance(key, str):
            return self._child(key)
        if isinstance(key, bool) or not isinstance(key, int):
            raise TypeError(f"{self._path}[...] takes a name or a number, not {key!r}")
        path = f"{self._path}[{key}]"
        if self._element is None:
            return TreeView(None, path)
        siblings = self._items()
        try:
            return TreeView(siblings[key], path)
        except IndexError:
            return TreeView(None, path)

    def _child(self, name: str) -> TreeView:
        """Return the first child of this name; a missing one if there is none."""
        path = f"{self._path}.{name}" if self._path else name
        if self._element is None:
            return TreeView(None, path)
        namespace: str | None = None
        if name.startswith("{") and "}" in name:
            namespace, _, name = name[1:].partition("}")
        found: Element | None = None
        child = self._element.first_child()
        while child is not None:
            if child.name == name and (namespace is None or child.namespace == namespace):
                if namespace is not None or not child.namespace:
                    return TreeView(child, path)
                found = found or child
            child = child.next_sibling()
        return TreeView(found, path)

    def _items(self) -> list[Element]:
        """Return the elements that [n] counts: the items of an array, or the siblings of the same name."""
        element = self._element
        assert element is not None
        if element.type == JSON_ARRAY:
            return element.children()
        parent = element.parent
        if parent is None:
            return [element]
        return [
            child for child in parent.children() if child.name == element.name and child.namespace == element.namespace
        ]

    def get(self, path: str, default: object = None) -> Any:
        """Return the value at a dotted path of names; `default` if it is missing."""
        view = self
        for name in path.split("."):
            view = view._child(name)
        return default if view._element is None else view.value

    def __iter__(self) -> Iterator[TreeView]:
        if self._element is not None:
            for child in self._element.children():
                yield TreeView(child, f"{self._path}.{child.name}")

    def __len__(self) -> int:
        return 0 if self._element is None else len(self._element.children())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._child(name)._element is not None

    def __dir__(self) -> list[str]:
        names = [] if self._element is None else [child.name for child in self._element.children()]
        return sorted({*object.__dir__(self), *[name for name in names if name.isidentifier()]})

    # What it is.

    @property
    def value(self) -> Any:
        """Return the value as plain Python; None for NULL and for a missing element."""
        return None if self._element is None else python_value(self._element.value)

    @property
    def name(self) -> str:
        """Return the name of the element; '' if it is missing."""
        return "" if self._element is None else self._element.name

    @property
    def namespace(self) -> str:
        """Return the namespace of the element; '' if it has none."""
        return "" if self._element is None else self._element.namespace

    @property
    def exists(self) -> bool:
        """Return whether there is such an element."""
        return self._element is not None

    @property
    def element(self) -> Element | None:
        """Return the element itself, for code that works on trees."""
        return self._element

    def __bool__(self) -> bool:
        element = self._element
        if element is None:
            return False
        if element.value is None:
            return element.first_child() is not None
        return element.value is not False

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TreeView):
            return bool(self.to_dict() == other.to_dict())
        if isinstance(other, (dict, list)):
            return bool(self.to_dict() == other)
        value = None if self._element is None else self._element.value
        if isinstance(value, bool) or isinstance(other, bool):
            return value is other
        return bool(value == other or python_value(value) == other)

    __hash__ = None  # type: ignore[assignment]

    def __int__(self) -> int:
        return int(self._number())

    def __float__(self) -> float:
        return float(self._number())

    def _number(self) -> Any:
        """Return the value for a conversion to a number. Raises KeyError if the element is missing."""
        if self._element is None:
            raise KeyError(f"there is no {self._path}")
        return self._element.value

    def __str__(self) -> str:
        element = self._element
        if element is None:
            return ""
        if element.first_child() is None:
            return _value_text(element.value)
        return _tree_text(element)

    def __repr__(self) -> str:
        element = self._element
        if element is None:
            return f"<TreeView {self._path}: missing>"
        if element.first_child() is not None:
            return f"<TreeView {self._path}: {len(self)} children>"
        return f"<TreeView {self._path} = {self.value!r}>"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self._path}.{name} cannot be assigned: a TreeView is read-only")

    def __reduce__(self) -> tuple[object, ...]:
        return TreeView, (self._element, self._path)

    def to_dict(self) -> Any:
        """Return the subtree as plain Python.

        A leaf is its value. A folder is a dict by name; names that repeat have a list. An array of JSON is a list.
        Attributes have @ before their name; the value of an element with children is under ''.
        """
        return None if self._element is None else _plain(self._element)


def python_value(value: object) -> Any:
    """Return an ESQL value as plain Python: dates and times as those of `datetime`."""
    if isinstance(value, (Date, Time, Timestamp)):
        return value.to_python()
    return value


def _value_text(value: object) -> str:
    """Return a value as text without quotes."""
    if value is None or isinstance(value, _SCALARS):
        return plain_text(value)
    return str(value)


def _plain(top: Element) -> Any:
    """Return an element as dicts, lists and values, without recursion."""
    holder: list[Any] = []
    work: list[tuple[Element, Any]] = [(top, holder)]
    while work:
        element, target = work.pop()
        made: Any = _shell(element)
        _put(target, element, made)
        if isinstance(made, (dict, list)):
            # The last child is pushed first, so that children are put in order.
            work.extend((child, made) for child in reversed(element.children()))
    return holder[0]


def _shell(element: Element) -> Any:
    """Return the value of a leaf, or the container for the children of a folder."""
    if element.type == JSON_ARRAY:
        return []
    if element.first_child() is not None:
        return {} if element.value is None else {"": python_value(element.value)}
    if element.value is None and element.type & KIND == NAME:
        return {}
    return python_value(element.value)


#: Marks a list that stands for a name which repeats, as opposed to an array of JSON.
class _Repeated(list[Any]):
    pass


def _put(target: Any, element: Element, made: Any) -> None:
    """Put the value of an element into the container of its parent."""
    if isinstance(target, list):
        target.append(made)
        return
    key = "@" + element.name if element.type & 0xFFFFFF00 == ATTRIBUTE else element.name
    if key not in target:
        target[key] = made
    elif isinstance(target[key], _Repeated):
        target[key].append(made)
    else:
        target[key] = _Repeated([target[key], made])


def _tree_text(top: Element) -> str:
    """Return a subtree as indented lines: name, type and value."""
    lines: list[str] = []
    work: list[tuple[Element, int]] = [(top, 0)]
    while work:
        element, depth = work.pop()
        if len(lines) == LINES_MAX:
            lines.append("...")
            break
        name = f"{{{element.namespace}}}{element.name}" if element.namespace else element.name
        line = "  " * depth + ("@" if element.type & 0xFFFFFF00 == ATTRIBUTE else "") + name
        value = element.value
        if isinstance(value, _SCALARS) or (value is None and element.type & KIND != NAME):
            line += f" = {literal_text(value)}"
        elif value is not None:
            line += f" = {value}"
        lines.append(line + (" []" if element.type == JSON_ARRAY else ""))
        work.extend((child, depth + 1) for child in reversed(element.children()))
    return "\n".join(lines)
