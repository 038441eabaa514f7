"""Read YAML and JSON from strangers.

PyYAML's safe loaders build only dictionaries, lists and scalars. This module sets the limits that they lack: the size
of the text, the depth of nesting, and aliases. An alias costs nothing in memory, but a program that walks the document
meets its contents again each time: nine levels of nine aliases are 400 million nodes. So the nodes are counted as a
walk meets them.

    load_yaml     scalars become numbers, booleans, dates and null, as YAML says (OpenAPI definitions)
    load_strings  every scalar stays text: `no`, `007` and `1e3` stay as the author wrote them (flows)
"""

from __future__ import annotations

import json
from typing import Any, Final

import yaml

from flintmq.broker.flow.model import FlowFileError

TEXT_BYTES_MAX: Final = 32 << 20
NODES_MAX: Final = 1_000_000
DEPTH_MAX: Final = 200


class _Refused(Exception):
    """A limit is exceeded, or an alias stands inside its own anchor; the text says which."""


class _Bounded:
    """Counts nodes as a walk meets them. Mixed into a loader, before the loader's own composer."""

    check_event: Any

    def compose_node(self, parent: Any, index: Any) -> Any:
        depth = getattr(self, "_depth", 0) + 1
        if depth > DEPTH_MAX:
            raise _Refused(f"is nested more than {DEPTH_MAX} deep")
        self._depth = depth
        is_alias = self.check_event(yaml.AliasEvent)
        node = super().compose_node(parent, index)  # type: ignore[misc]
        self._depth = depth - 1
        sizes: dict[int, int] = self.__dict__.setdefault("_sizes", {})
        if id(node) not in sizes:
            if is_alias:
                raise _Refused("has a value that contains itself")
            children = node.value if isinstance(node, yaml.CollectionNode) else []
            flat = [part for child in children for part in (child if isinstance(child, tuple) else (child,))]
            sizes[id(node)] = 1 + sum(sizes.get(id(child), 1) for child in flat)
        if sizes[id(node)] > NODES_MAX:
            raise _Refused(f"has more than {NODES_MAX} values when its aliases are followed")
        return node


class _SafeLoader(_Bounded, yaml.SafeLoader):  # type: ignore[misc]
    pass


class _StringLoader(_Bounded, yaml.BaseLoader):  # type: ignore[misc]
    pass


def load_yaml(data: bytes, file: str = "") -> Any:
    """Return a YAML document. Raise FlowFileError with the line."""
    return _load(data, file, _SafeLoader)


def load_strings(data: bytes, file: str = "") -> Any:
    """Return a YAML document in which every scalar is text. Raise FlowFileError with the line."""
    return _load(data, file, _StringLoader)


def load_json(data: bytes, file: str = "") -> Any:
    """Return a JSON document. Raise FlowFileError with the line."""
    text = _text(data, file)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FlowFileError(file, f"not valid JSON: {error.msg}", error.lineno) from None
    except (RecursionError, ValueError) as error:  # A number with thousands of digits is a ValueError.
        raise FlowFileError(file, f"cannot be read as JSON: {error or 'it is nested too deep'}") from None


def _load(data: bytes, file: str, loader: Any) -> Any:
    text = _text(data, file)
    try:
        return yaml.load(text, Loader=loader)
    except _Refused as error:
        raise FlowFileError(file, f"the document {error}") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        problem = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise FlowFileError(file, f"not valid YAML: {problem}", line) from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, OverflowError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FlowFileError(file, f"not valid YAML: {reason}") from None


def _text(data: bytes, file: str) -> str:
    if len(data) > TEXT_BYTES_MAX:
        raise FlowFileError(file, f"the document is larger than {TEXT_BYTES_MAX} bytes")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise FlowFileError(file, f"is not {encoding} text: {error.reason} at byte {error.start}") from None
