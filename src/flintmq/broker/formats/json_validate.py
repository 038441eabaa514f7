"""Validation of JSON by a JSON schema: drafts 4 to 7 and the parts of them in 2019-09 and 2020-12.

    schema = JsonSchema(data, file, open_file)
    schema.violations(value)           violations, with the path of each
    validation_error(found, ...)       5902 -> 5705 -> 5393 -> one 5751 per finding

References are followed inside the document and to other files of the application; nothing is fetched. `format` is not
checked, as JSON schema allows. A schema that refers to itself without end, and values that are nested too deep, are
findings, not hangs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from flintmq.broker.errors import BrokerError

#: Findings that are listed. A document may break a rule at every place.
LISTED_MAX: Final = 50
DEPTH_MAX: Final = 200
#: Texts beyond this length are not held against a pattern: some patterns take time that grows without bound.
PATTERN_TEXT_MAX: Final = 100_000
_MESSAGE: Final = 5902
_PARSER: Final = 5705
_FINDINGS: Final = 5393
_FINDING: Final = 5751

_TYPES: Final[dict[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and value == value // 1,
    "number": lambda value: _is_number(value),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that a value breaks: its path (`/orders/0/id`) and the reason."""

    path: str
    text: str


class SchemaProblem(Exception):
    """A schema cannot be used. The text says which file and why."""


class JsonSchema:
    """A JSON schema. `open_file` returns another file of the application by name, or None."""

    def __init__(
        self, data: bytes, file: str = "", open_file: Callable[[str], bytes | None] = lambda name: None
    ) -> None:
        self.file = file
        self._open = open_file
        self._documents: dict[str, Any] = {"": _document(data, file)}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def violations(self, value: Any) -> list[Violation]:
        """Return the violations, at most LISTED_MAX."""
        found: list[Violation] = []
        self._check(self._documents[""], "", value, "", found, 0)
        return found[:LISTED_MAX]

    # Checks. A schema is checked together with the name of the document that it stands in.

    def _check(self, schema: Any, document: str, value: Any, path: str, found: list[Violation], depth: int) -> None:
        if len(found) >= LISTED_MAX or schema is True:
            return
        if schema is False:
            found.append(Violation(path, "no value is allowed here"))
            return
        if not isinstance(schema, dict):
            raise SchemaProblem(f"{self.file}: a schema is an object or a boolean, not {type(schema).__name__}")
        if depth > DEPTH_MAX:
            found.append(Violation(path, f"the value or its schema is nested more than {DEPTH_MAX} deep"))
            return
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target, where = self._follow(reference, document)
            self._check(target, where, value, path, found, depth + 1)
            return
        self._check_value(schema, value, path, found)
        if isinstance(value, str):
            self._check_text(schema, value, path, found)
        elif isinstance(value, list):
            self._check_array(schema, document, value, path, found, depth)
        elif isinstance(value, dict):
            self._check_object(schema, document, value, path, found, depth)
        elif _is_number(value):
            _check_number(schema, value, path, found)
        self._check_combined(schema, document, value, path, found, depth)

    def _check_value(self, schema: dict[str, Any], value: Any, path: str, found: list[Violation]) -> None:
        kinds = schema.get("type")
        if kinds is not None:
            names = kinds if isinstance(kinds, list) else [kinds]
            if not any(_TYPES.get(str(name), lambda value: True)(value) for name in names):
                found.append(Violation(path, f"{_shown(value)} is not of type {' or '.join(map(str, names))}"))
        if "enum" in schema and not any(_equal(value, each) for each in _list(schema["enum"])):
            found.append(Violation(path, f"{_shown(value)} is none of {_shown(schema['enum'])}"))
        if "const" in schema and not _equal(value, schema["const"]):
            found.append(Violation(path, f"{_shown(value)} is not {_shown(schema['const'])}"))

    def _check_text(self, schema: dict[str, Any], value: str, path: str, found: list[Violation]) -> None:
        if len(value) < _number(schema, "minLength", 0):
            found.append(Violation(path, f"the text is shorter than {schema['minLength']} characters"))
        if len(value) > _number(schema, "maxLength", len(value)):
            found.append(Violation(path, f"the text is longer than {schema['maxLength']} characters"))
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            if len(value) > PATTERN_TEXT_MAX:
                found.append(Violation(path, f"the text is too long to be held against the pattern {pattern!r}"))
            elif self._pattern(pattern).search(value) is None:
                found.append(Violation(path, f"{_shown(value)} does not fit the pattern {pattern!r}"))

    def _pattern(self, text: str) -> re.Pattern[str]:
        made = self._patterns.get(text)
        if made is None:
            try:
                made = self._patterns[text] = re.compile(text)
            except (re.error, RecursionError, OverflowError) as error:
                raise SchemaProblem(f"{self.file}: the pattern {text!r} cannot be used: {error}") from None
        return made

    def _check_array(
        self, schema: dict[str, Any], document: str, value: list[Any], path: str, found: list[Violation], depth: int
    ) -> None:
        if len(value) < _number(schema, "minItems", 0):
            found.append(Violation(path, f"the array has less than {schema['minItems']} items"))
        if len(value) > _number(schema, "maxItems", len(value)):
            found.append(Violation(path, f"the array has more than {schema['maxItems']} items"))
        if schema.get("uniqueItems") is True:
            seen = {json.dumps(each, sort_keys=True) for each in value}
            if len(seen) < len(value):
                found.append(Violation(path, "the items of the array are not unique"))
        items = schema.get("items")
        first = schema.get("prefixItems")
        rest: Any = items if first is not None else schema.get("additionalItems")
        fixed = _list(first) if first is not None else items if isinstance(items, list) else []
        if first is None and not isinstance(items, list):
            rest = items
        for number, each in enumerate(value):
            inner = fixed[number] if number < len(fixed) else rest
            if inner is not None:
                self._check(inner, document, each, f"{path}/{number}", found, depth + 1)
        if "contains" in schema and not any(
            self._holds(schema["contains"], document, each, depth + 1) for each in value
        ):
            found.append(Violation(path, "no item of the array is the one that it must contain"))

    def _check_object(
        self,
        schema: dict[str, Any],
        document: str,
        value: dict[str, Any],
        path: str,
        found: list[Violation],
        depth: int,
    ) -> None:
        for name in _list(schema.get("required", [])):
            if name not in value:
                found.append(Violation(path, f"the property {name!r} is missing"))
        if len(value) < _number(schema, "minProperties", 0):
            found.append(Violation(path, f"the object has less than {schema['minProperties']} properties"))
        if len(value) > _number(schema, "maxProperties", len(value)):
            found.append(Violation(path, f"the object has more than {schema['maxProperties']} properties"))
        properties, patterns = _dict(schema.get("properties")), _dict(schema.get("patternProperties"))
        others = schema.get("additionalProperties")
        for name, each in value.items():
            inner = [properties[name]] if name in properties else []
            inner += [each_schema for text, each_schema in patterns.items() if self._pattern(text).search(name)]
            if not inner and others is False:
                found.append(Violation(f"{path}/{name}", "the property is not allowed"))
            elif not inner and others is not None:
                inner = [others]
            for each_schema in inner:
                self._check(each_schema, document, each, f"{path}/{name}", found, depth + 1)
            if "propertyNames" in schema:
                self._check(schema["propertyNames"], document, name, f"{path}/{name}", found, depth + 1)
        for name, needed in {
            **_dict(schema.get("dependencies")),
            **_dict(schema.get("dependentRequired")),
            **_dict(schema.get("dependentSchemas")),
        }.items():
            if name not in value:
                continue
            if isinstance(needed, list):
                for other in needed:
                    if other not in value:
                        found.append(Violation(path, f"the property {other!r} is missing, which {name!r} needs"))
            else:
                self._check(needed, document, value, path, found, depth + 1)

    def _check_combined(
        self, schema: dict[str, Any], document: str, value: Any, path: str, found: list[Violation], depth: int
    ) -> None:
        for each in _list(schema.get("allOf", [])):
            self._check(each, document, value, path, found, depth + 1)
        choices = _list(schema.get("anyOf", []))
        if choices and not any(self._holds(each, document, value, depth + 1) for each in choices):
            found.append(Violation(path, f"{_shown(value)} fits none of the {len(choices)} schemas of anyOf"))
        choices = _list(schema.get("oneOf", []))
        if choices:
            fitting = sum(self._holds(each, document, value, depth + 1) for each in choices)
            if fitting != 1:
                found.append(Violation(path, f"{_shown(value)} fits {fitting} schemas of oneOf, and must fit one"))
        if "not" in schema and self._holds(schema["not"], document, value, depth + 1):
            found.append(Violation(path, f"{_shown(value)} fits the schema of `not`"))
        if "if" in schema:
            branch = "then" if self._holds(schema["if"], document, value, depth + 1) else "else"
            if branch in schema:
                self._check(schema[branch], document, value, path, found, depth + 1)

    def _holds(self, schema: Any, document: str, value: Any, depth: int) -> bool:
        found: list[Violation] = []
        self._check(schema, document, value, "", found, depth)
        return not found

    def _follow(self, reference: str, document: str) -> tuple[Any, str]:
        """Return the schema that a reference means, and the document that it stands in."""
        name, _, pointer = reference.partition("#")
        file = name.rpartition("/")[2]
        where = file if file and file != self.file.rpartition("/")[2] else document if not file else ""
        if where not in self._documents:
            data = self._open(where)
            if data is None:
                raise SchemaProblem(f"{self.file}: {reference} refers to a file that the application does not have")
            self._documents[where] = _document(data, where)
        target = self._documents[where]
        if pointer and not pointer.startswith("/"):
            for each in _dict(_dict(target).get("definitions")) | _dict(_dict(target).get("$defs")):
                inner = (_dict(target.get("definitions")) | _dict(target.get("$defs")))[each]
                if (
                    _dict(inner).get("$anchor") == pointer
                    or _dict(inner).get("$id", _dict(inner).get("id")) == f"#{pointer}"
                ):
                    return inner, where
            raise SchemaProblem(f"{self.file}: {reference} refers to nothing")
        for part in pointer.split("/")[1:]:
            part = unquote(part).replace("~1", "/").replace("~0", "~")
            try:
                target = target[int(part)] if isinstance(target, list) else target[part]
            except (KeyError, IndexError, ValueError, TypeError):
                raise SchemaProblem(f"{self.file}: {reference} refers to nothing") from None
        return target, where


def _check_number(schema: dict[str, Any], value: float, path: str, found: list[Violation]) -> None:
    for name, exclusive, sign in (("minimum", "exclusiveMinimum", 1), ("maximum", "exclusiveMaximum", -1)):
        limit: Any = schema.get(name)
        strict: Any = schema.get(exclusive)
        if _is_number(limit) and ((value - limit) * sign < 0 or strict is True and value == limit):
            found.append(Violation(path, f"{value} is beyond the {name} {limit}"))
        if _is_number(strict) and (value - strict) * sign <= 0:
            found.append(Violation(path, f"{value} is not within the {exclusive} {strict}"))
    step = schema.get("multipleOf")
    if isinstance(step, int | float) and step > 0:
        quotient = value / step
        if abs(quotient - round(quotient)) > 1e-9:
            found.append(Violation(path, f"{value} is no multiple of {step}"))


def _document(data: bytes, file: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaProblem(f"{file}: the schema is not JSON: {error}") from None


def _equal(one: Any, other: Any) -> bool:
    """Compare as JSON does: 1 equals 1.0, but TRUE is no number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return (
        type(one) is type(other) and bool(one == other) or _is_number(one) and _is_number(other) and bool(one == other)
    )


def _number(schema: dict[str, Any], name: str, default: int) -> float:
    value = schema.get(name)
    return value if isinstance(value, int | float) else default


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def validation_error(found: list[Violation], first_only: bool = False) -> BrokerError:
    """Return the exception for violations: one entry 5751 per finding, the last one as the cause."""
    listed = found[:1] if first_only else found
    entries = [
        BrokerError(
            _FINDING,
            f"{each.path or '/'}: {each.text}",
            inserts=(each.path or "/", each.text),
            kind="ParserException",
            sqlstate="S22000",
        )
        for each in listed
    ]
    several = BrokerError(
        _FINDINGS,
        f"the document breaks {len(found)} rules of its JSON schema",
        inserts=(len(found),),
        kind="ParserException",
        cause=entries[-1],
        sqlstate="S22000",
    )
    several.beside = entries[:-1]
    parser = BrokerError(
        _PARSER, "the JSON document is not valid", kind="ParserException", cause=several, sqlstate="S22000"
    )
    return BrokerError(
        _MESSAGE, "validation of the message failed", kind="ParserException", cause=parser, sqlstate="S22000"
    )
