"""The names that compiled ESQL uses: operators, casts, functions, trees.

`namespace` gives them as a dict for one set of switches. Functions that depend on a switch are bound to it;
with the defaults they are the compiled functions themselves. `functions.SWITCHED` lists those of other modules; a
function of this module that calls one of them takes the keyword argument `switches` and is in `_SWITCHED_HERE`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import casts, failures, functions, operators, trees, variables
from flintmq.broker.esql.functions import BUILTINS
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.tree import element
from flintmq.broker.values import esql_type


class Missing:
    """The value of an EXTERNAL declaration without an initial value."""


MISSING: Final = Missing()

_TYPES: Final = (
    "BOOLEAN INTEGER FLOAT DECIMAL CHARACTER BLOB BIT DATE TIME GMTTIME TIMESTAMP GMTTIMESTAMP INTERVAL".split()
)


# Operators on lists, and chains too long to nest.


def concat_all(parts: list[object]) -> object:
    """Join more than two operands of `||`."""
    if all(type(part) is str for part in parts):
        return "".join(parts)  # type: ignore[arg-type]
    result = parts[0]
    for part in parts[1:]:
        result = operators.concat(result, part)
    return result


def and_all(operands: list[Callable[[], object]]) -> object:
    """Return AND of many operands; those behind a FALSE one are not evaluated."""
    result: object = True
    for operand in operands:
        result = operators.and_(result, operand())
        if result is False:
            return False
    return result


def or_all(operands: list[Callable[[], object]]) -> object:
    """Return OR of many operands; those behind a TRUE one are not evaluated."""
    result: object = False
    for operand in operands:
        result = operators.or_(result, operand())
        if result is True:
            return True
    return result


def coalesce_lazy(operands: list[Callable[[], object]]) -> object:
    """Return the first operand that is not NULL; those behind it are not evaluated."""
    for operand in operands:
        value = operand()
        if value is not None:
            return value
    return None


def case_of(value: object, table: dict[object, object], otherwise: object, switches: Switches = DEFAULTS) -> object:
    """Return the result of a CASE with literals as conditions and results."""
    if type(value) in (str, int):
        if type(value) is type(next(iter(table))):
            return table.get(value, otherwise)
    if value is None:
        return otherwise
    for condition, result in table.items():
        if operators.equal(value, condition, switches):
            return result
    return otherwise


def case_else(
    value: object,
    table: dict[object, object],
    otherwise: Callable[[], object],
    switches: Switches = DEFAULTS,
) -> object:
    """Return the result of such a CASE with a computed ELSE, which is evaluated only if no condition fits."""
    found = case_of(value, table, MISSING, switches)
    return otherwise() if found is MISSING else found


def case_long(
    value: object,
    compared: bool,
    whens: list[tuple[Callable[[], object], Callable[[], object]]],
    otherwise: Callable[[], object],
    switches: Switches = DEFAULTS,
) -> object:
    """Return the result of a CASE with many branches."""
    for condition, result in whens:
        if operators.equal(value, condition(), switches) if compared else condition():
            return result()
    return otherwise()


def quantify(results: list[object], every: bool) -> object:
    """Return the result of FOR ALL or FOR ANY over the tests of the items."""
    result: object = every
    for each in results:
        result = operators.and_(result, each) if every else operators.or_(result, each)
    return result


def is_special(value: object, test: str) -> bool:
    """Return whether a number is INF, +INF, -INF, NAN or NUM."""
    if test == "NAN":
        return operators.is_nan(value)
    if test == "NUM":
        return operators.is_num(value)
    return operators.is_infinite(value, {"INF": 0, "+INF": 1, "-INF": -1}[test])


def quantified(
    compare: Callable[..., bool | None],
    value: object,
    items: list[object],
    every: bool,
    switches: Switches = DEFAULTS,
) -> object:
    """Return `value op ALL (items)` if `every`, else `value op ANY (items)`."""
    # A comparison that is bound to switches already would get them twice.
    plain = compare.func if isinstance(compare, functools.partial) else compare
    return operators.quantified(plain, value, items, every, switches)


def qualify(value: object, qualifier: str, switches: Switches = DEFAULTS) -> object:
    """Return an interval with another qualifier; a number counts its units."""
    return casts.to_interval(value, qualifier, switches)


# Aggregates of SELECT: NULL does not count.


def aggregate_count(values: list[object]) -> int:
    """Return how many values are not NULL."""
    return sum(value is not None for value in values)


def aggregate_sum(values: list[object], switches: Switches = DEFAULTS) -> object:
    """Return the sum of the values that are not NULL; NULL if there is none."""
    result: object = None
    for value in values:
        if value is not None:
            number = _number(value, switches)
            result = number if result is None else operators.add(result, number, switches)
    return result


def _number(value: object, switches: Switches) -> object:
    """Return the number that a CHARACTER says: fields of XML have no other type."""
    return casts.cast_like(value, 0, switches) if isinstance(value, str) else value


def aggregate_max(values: list[object], switches: Switches = DEFAULTS) -> object:
    """Return the largest value; NULL if there is none."""
    result: object = None
    for value in values:
        if value is not None and (result is None or operators.greater(value, result, switches)):
            result = value
    return result


def aggregate_min(values: list[object], switches: Switches = DEFAULTS) -> object:
    """Return the smallest value; NULL if there is none."""
    result: object = None
    for value in values:
        if value is not None and (result is None or operators.less(value, result, switches)):
            result = value
    return result


# Errors and handlers.


def handles(error: BrokerError, states: list[tuple[str, bool, str | None]]) -> bool:
    """Return whether a handler takes an error: one of its states fits."""
    state = ""
    for entry in error.chain():
        state = entry.sqlstate or state
    for wanted, pattern, escape in states:
        if pattern:
            if operators.like(state, wanted, escape or "\\"):
                return True
        elif state == wanted:
            return True
    return False


def user_exception(severity: object, catalog: object, message: object, values: list[object]) -> BrokerError:
    """Return the exception of THROW. Its SQLSTATE is `U` and the number of the message."""
    number = message if isinstance(message, int) and not isinstance(message, bool) else 2951
    text = ", ".join("NULL" if value is None else str(value) for value in values) or "THROW raised an exception"
    return BrokerError(
        number,
        text,
        inserts=tuple(values),
        kind="UserException",
        sqlstate=f"U{message}" if isinstance(message, str) else f"U{number:05d}",
        severity=severity if isinstance(severity, int) else 1,
        catalog=str(catalog) if catalog is not None else "BIPmsgs",
    )


def missing_routine(name: str) -> BrokerError:
    """Return the error of a call that leads nowhere."""
    return BrokerError(2492, f"the routine {name} does not exist or could not be compiled", inserts=(name,))


def call_missing(name: str) -> object:
    """Raise the error of a call that leads nowhere."""
    raise missing_routine(name)


def bad_literal(kind: str, text: str) -> object:
    """Raise the error of a literal that means no value of its type."""
    raise failures.cast_failed(text, kind)


def missing_name(name: str) -> element.Element:
    """Raise the error of a name in a schema that is not here."""
    raise BrokerError(
        2432, f"{name} is not declared; the schema that has it is not part of this program", inserts=(name,)
    )


# SQL.

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$#]*\Z")


def sql_name(name: str) -> str:
    """Return a name as SQL text takes it; a text that is no identifier is quoted, so it cannot end the name."""
    if _IDENTIFIER.match(name):
        return name
    if not name or "\0" in name:
        raise BrokerError(2321, f"{name!r} is no name of a table", kind="DatabaseException", sqlstate="D42000")
    return '"' + name.replace('"', '""') + '"'


def convert_text(value: object, kind: str, switches: Switches) -> object:
    """Return a user-defined property, which is text, as a value of a type."""
    if kind in ("NAME", "NAMESPACE"):
        return value
    if kind == "BOOLEAN" and isinstance(value, str):
        return value.strip().lower() in ("true", "yes", "1")
    return casts.assign(value, casts.cast_type(kind), switches)


_OWN: Final = (
    concat_all,
    and_all,
    or_all,
    coalesce_lazy,
    case_of,
    case_else,
    case_long,
    quantify,
    quantified,
    is_special,
    qualify,
    aggregate_count,
    aggregate_sum,
    aggregate_max,
    aggregate_min,
    handles,
    user_exception,
    missing_routine,
    bad_literal,
    call_missing,
    missing_name,
    sql_name,
)
#: Functions of this module and of variables.py that take the keyword argument `switches`.
_SWITCHED_HERE: Final[frozenset[Callable[..., object]]] = frozenset(
    [case_of, case_else, case_long, quantified, qualify, aggregate_sum, aggregate_max, aggregate_min, variables.convert]
)
_OPERATORS: Final = {
    "eq": operators.equal,
    "ne": operators.not_equal,
    "lt": operators.less,
    "le": operators.less_equal,
    "gt": operators.greater,
    "ge": operators.greater_equal,
}
_PLAIN: Final = (
    "add subtract multiply divide concat negate subtract_qualified and_ or_ not_ condition between in_list like"
)
_TREES: Final = (
    "at value value_at value_of items scalar the body_of cardinality field_value field_name field_namespace field_type "
    "same_field set_scalar set_field_value assign assign_element assign_root assign_list set_name set_namespace "
    "set_type new_element place neighbour delete delete_all detach attach move like_reference new_row shared_row "
    "copy_as_tree build_row all_columns rows_of item_of computed name_value"
)
_VARIABLES: Final = (
    "convert as_list scalars as_element as_reference refer target_of assign_reference set_reference_value shape "
    "fill_from parent_or_self rows_compare referred"
)
#: Functions with a syntax of their own, as the compiler calls them.
_SPECIAL: Final = "extract trim substring substring_before substring_after overlay position round_".split()


@functools.cache
def _all() -> dict[str, object]:
    names: dict[str, object] = {
        "BrokerError": BrokerError,
        "Decimal": Decimal,
        "Step": element.Step,
        "MISSING": MISSING,
    }
    names["walk"] = element.walk
    names["count"] = element.count
    for function in _OWN:
        names[function.__name__] = function
    names.update(_OPERATORS)
    names.update({name: getattr(operators, name) for name in _PLAIN.split()})
    names["cast"] = casts.cast
    names.update({name: casts.cast_type(name) for name in _TYPES})
    names.update({name: getattr(trees, name) for name in _TREES.split()})
    names.update({name: getattr(variables, name) for name in _VARIABLES.split()})
    names.update({name: getattr(functions, name) for name in _SPECIAL})
    for key, builtin in BUILTINS.items():
        names[f"{key.lower()}_"] = builtin.function
    names["hit"] = _no_hit
    return names


def _no_hit(routine: str, line: int) -> None:
    """Stand for the profile when none is taken."""


def namespace(switches: Switches = DEFAULTS) -> dict[str, object]:
    """Return the globals of compiled code."""
    names = dict(_all())
    names["GAPS"] = switches.index_gaps == "create"
    names["KEEP"] = switches.scalar_keeps_children
    if switches.settings() != DEFAULTS.settings():
        for name in switched_names():
            function = names[name]
            assert callable(function)
            names[name] = functools.partial(function, switches=switches)
    return names


@functools.cache
def switched_names() -> frozenset[str]:
    """Return the names of functions that are bound to the switches of an application."""
    # By table: the signature of a compiled function cannot be asked for.
    switched = functions.SWITCHED | _SWITCHED_HERE
    switched |= {builtin.function for builtin in BUILTINS.values() if builtin.switched}
    return frozenset(name for name, each in _all().items() if callable(each) and each in switched)


#: Names that variables of ESQL must not take.
NAMES: Final = frozenset(
    {*_all(), "GAPS", "KEEP", "c", "result", "values", "evaluated", "float", "_", "True", "False", "None"}
)
#: For messages: the ESQL type of a value.
type_name: Final = esql_type
