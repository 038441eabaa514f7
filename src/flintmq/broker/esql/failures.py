"""The errors of operators, casts and functions of ESQL, each made in one place.

    number  SQLSTATE  when                                                       inserts
    2420    S22000    types do not fit a binary operator                         operator, left type, right type
    2421    S22000    type does not fit a unary operator or a function argument  operator or function, argument, type
    2450    S22012    division by zero                                           `100 / 0`
    2450    S22003    result does not fit its type                               the operation
    2450    S22008    a date arithmetic leaves the calendar                      the operation
    2521    S22018    a CAST failed                                              value, target type
    2439    S22023    an argument has a value that the function does not take    function, value

MF 2.13 names 2420, 2421, 2439, 2450 and 2521. No public source gives the numbers for overflow and for bad arguments, so
overflow takes the number of the other arithmetic error, and a bad argument that of an expression that failed. Values in
inserts are cut at `INSERT_LENGTH_MAX` characters, so a large message does not travel in an exception.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from flintmq.broker.errors import BrokerError, esql_error
from flintmq.broker.values import Bit, Date, Interval, Time, Timestamp, esql_type, literal_text, plain_text

BINARY_TYPES: Final = 2420
UNARY_TYPE: Final = 2421
ARITHMETIC: Final = 2450
CAST_FAILED: Final = 2521
BAD_ARGUMENT: Final = 2439

INSERT_LENGTH_MAX: Final = 256


def binary_type_error(operator: str, left: object, right: object) -> BrokerError:
    """Return the error of a binary operator that does not take these types."""
    left_type, right_type = esql_type(left), esql_type(right)
    return esql_error(
        BINARY_TYPES,
        operator,
        left_type,
        right_type,
        text=f"operator {operator} does not take {left_type} and {right_type}; use CAST",
        sqlstate="S22000",
    )


def unary_type_error(operator: str, operand: object) -> BrokerError:
    """Return the error of a unary operator that does not take this type."""
    name = esql_type(operand)
    text = f"operator {operator} does not take {name}; use CAST"
    return esql_error(UNARY_TYPE, operator, name, text=text, sqlstate="S22000")


def argument_type_error(function: str, argument: int, value: object, wanted: str) -> BrokerError:
    """Return the error of a function with an argument (counted from 1) of a type that it does not take."""
    name = esql_type(value)
    text = f"argument {argument} of {function} is {name}, where {wanted} is needed; use CAST"
    return esql_error(UNARY_TYPE, function, argument, name, text=text, sqlstate="S22000")


def argument_value_error(function: str, value: object, text: str) -> BrokerError:
    """Return the error of a function that takes the type of an argument but not its value."""
    return esql_error(BAD_ARGUMENT, function, shown(value), text=f"{function}: {text}", sqlstate="S22023")


def division_by_zero(left: object, right: object) -> BrokerError:
    """Return the error of a division by zero."""
    operation = f"{shown(left)} / {shown(right)}"
    return esql_error(ARITHMETIC, operation, text=f"division by zero: {operation}", sqlstate="S22012")


def overflow(operation: str, target: str) -> BrokerError:
    """Return the error of a result that its type cannot hold."""
    return esql_error(
        ARITHMETIC, operation, text=f"the result of {operation} does not fit into {target}", sqlstate="S22003"
    )


def date_overflow(operation: str, reason: str) -> BrokerError:
    """Return the error of a date arithmetic that has no result."""
    return esql_error(ARITHMETIC, operation, text=f"{operation} has no result: {reason}", sqlstate="S22008")


def cast_failed(value: object, target: str, reason: str = "") -> BrokerError:
    """Return the error of a CAST."""
    text = f"cannot cast {esql_type(value)} {shown(value)} to {target}"
    return esql_error(
        CAST_FAILED, shown_plain(value), target, text=f"{text}: {reason}" if reason else text, sqlstate="S22018"
    )


def shown(value: object) -> str:
    """Return a value as ESQL source for an insert, cut to a bounded length."""
    if isinstance(value, str):
        return literal_text(value) if len(value) <= INSERT_LENGTH_MAX else f"'{value[:INSERT_LENGTH_MAX]}...'"
    if isinstance(value, bytes):
        if len(value) <= INSERT_LENGTH_MAX:
            return literal_text(value)
        return f"X'{value[:INSERT_LENGTH_MAX].hex()}...'"
    if isinstance(value, Bit) and value.length > INSERT_LENGTH_MAX:
        return f"BIT of {value.length} bits"
    if value is None or isinstance(value, (bool, int, float, Decimal, Bit, Date, Time, Timestamp, Interval)):
        return literal_text(value)
    return esql_type(value)


def shown_plain(value: object) -> str:
    """Return the plain text of a value for an insert, cut to a bounded length."""
    if isinstance(value, str):
        return value[:INSERT_LENGTH_MAX]
    if isinstance(value, (bool, int, float, Decimal, Date, Time, Timestamp)):
        return plain_text(value)
    return shown(value)
