"""The built-in functions of ESQL that need no tree, by name, and those that belong to no larger group.

`BUILTINS` is for the compiler: it checks the number of arguments when ESQL is compiled and binds the call to the Python
function. Functions with keywords of their own (TRIM, SUBSTRING, OVERLAY, POSITION, ROUND MODE, EXTRACT) are in the
table with their plain arguments; the compiler calls the functions behind the other forms directly:

    EXTRACT(f FROM x)                          functions_datetime.extract(f, x)
    TRIM(LEADING c FROM x)                     functions_string.trim(x, "LEADING", c)
    SUBSTRING(x FROM n FOR l)                  functions_string.substring(x, n, l)
    SUBSTRING(x BEFORE y), (x AFTER y)         functions_string.substring_before(x, y), substring_after(x, y)
    OVERLAY(x PLACING y FROM n FOR l)          functions_string.overlay(x, y, n, l)
    POSITION(y IN x FROM n REPEAT k)           functions_string.position(y, x, n, k)
    ROUND(x, n MODE ROUND_UP)                  functions_numeric.round_(x, n, "ROUND_UP")

The functions in `SWITCHED`, and those with `switched` set, take the keyword argument `switches`. (A function that
mypyc compiled has no signature to ask.) CURRENT_... are methods of `clock.Clock`.
CASE, COALESCE, CAST and functions of fields, lists and databases are the compiler's own.
"""

from __future__ import annotations

import base64
import binascii
import time
import uuid
from collections.abc import Callable
from typing import Final, final

from flintmq.broker.esql import casts, operators
from flintmq.broker.esql import functions_numeric as numeric
from flintmq.broker.esql import functions_string as strings
from flintmq.broker.esql.failures import argument_type_error, argument_value_error
from flintmq.broker.esql.functions_datetime import extract
from flintmq.broker.esql.functions_numeric import round_
from flintmq.broker.esql.functions_string import (
    overlay,
    position,
    substring,
    substring_after,
    substring_before,
    trim,
)
from flintmq.broker.esql.operators import equal
from flintmq.broker.esql.switches import DEFAULTS, Switches
from flintmq.broker.values import Bit

__all__ = [
    "BUILTINS",
    "Builtin",
    "SWITCHED",
    "base64decode",
    "base64encode",
    "coalesce",
    "extract",
    "nullif",
    "overlay",
    "position",
    "round_",
    "set_wait",
    "sleep",
    "substring",
    "substring_after",
    "substring_before",
    "trim",
    "uuidasblob",
    "uuidaschar",
]

#: The longest SLEEP. A longer one is an error in the flow: it would hold its thread and its unit of work.
SLEEP_MS_MAX: Final = 3_600_000
#: The most arguments of functions that take any number.
ARGUMENTS_MAX: Final = 255


def coalesce(*values: object) -> object:
    """Return the first value that is not NULL. Compiled ESQL evaluates the arguments one by one instead."""
    for value in values:
        if value is not None:
            return value
    return None


def nullif(value: object, other: object, switches: Switches = DEFAULTS) -> object:
    """Return NULLIF(value, other): NULL if both are equal, else the value."""
    return None if equal(value, other, switches) is True else value


_wait: Callable[[float], None] = time.sleep


def set_wait(wait: Callable[[float], None] | None) -> None:
    """Let SLEEP call `wait` with seconds instead of waiting, for tests; None goes back to waiting."""
    global _wait
    _wait = time.sleep if wait is None else wait


def sleep(milliseconds: object) -> bool | None:
    """Wait for SLEEP(milliseconds) and return TRUE."""
    if milliseconds is None:
        return None
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int):
        raise argument_type_error("SLEEP", 1, milliseconds, "INTEGER")
    if milliseconds > SLEEP_MS_MAX:
        raise argument_value_error("SLEEP", milliseconds, f"at most {SLEEP_MS_MAX} milliseconds are allowed")
    if milliseconds > 0:
        _wait(milliseconds / 1000)
    return True


def uuidaschar(*values: object) -> str | None:
    """Return UUIDASCHAR: a new UUID, or that of the 16 bytes of a BLOB, as 36 characters."""
    if not values:
        return str(uuid.uuid4())
    value = values[0]
    if value is None:
        return None
    if not isinstance(value, bytes):
        raise argument_type_error("UUIDASCHAR", 1, value, "BLOB")
    if len(value) != 16:
        raise argument_value_error("UUIDASCHAR", value, f"a UUID has 16 bytes, not {len(value)}")
    return str(uuid.UUID(bytes=value))


def uuidasblob(*values: object) -> bytes | None:
    """Return UUIDASBLOB: a new UUID, or that of 36 characters, as 16 bytes."""
    if not values:
        return uuid.uuid4().bytes
    value = values[0]
    if value is None:
        return None
    if not isinstance(value, str):
        raise argument_type_error("UUIDASBLOB", 1, value, "CHARACTER")
    text = value.strip(" ")
    if len(text) != 36 or text[8] != "-" or text[13] != "-" or text[18] != "-" or text[23] != "-":
        raise argument_value_error("UUIDASBLOB", value, "a UUID has the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
    try:
        return bytes.fromhex(text.replace("-", ""))
    except ValueError:
        raise argument_value_error("UUIDASBLOB", value, "a UUID has only hex digits") from None


def base64encode(value: object) -> str | None:
    """Return BASE64ENCODE(value) of a BLOB, of whole bytes of BIT, or of CHARACTER in UTF-8."""
    if value is None:
        return None
    if isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, bytes):
        data = value
    elif isinstance(value, Bit) and value.length % 8 == 0:
        data = value.value.to_bytes(value.length // 8, "big")
    else:
        raise argument_type_error("BASE64ENCODE", 1, value, "BLOB, BIT of whole bytes or CHARACTER")
    return base64.b64encode(data).decode("ascii")


def base64decode(value: object) -> bytes | None:
    """Return BASE64DECODE(value), a BLOB. Line ends and blanks in the text are passed over."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise argument_type_error("BASE64DECODE", 1, value, "CHARACTER")
    try:
        return base64.b64decode("".join(value.split()).encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise argument_value_error("BASE64DECODE", value, "the text is not base64") from None


@final
class Builtin:
    """A built-in function: its name in upper case, number of arguments, Python function."""

    def __init__(
        self, name: str, least: int, most: int, function: Callable[..., object], switched: bool = False
    ) -> None:
        self.name: str = name
        self.least: int = least
        self.most: int = most
        self.function: Callable[..., object] = function
        #: Whether the function takes the keyword argument `switches`.
        self.switched: bool = switched

    def __call__(self, *arguments: object) -> object:
        """Call the function with default switches."""
        return self.function(*arguments)


_TABLE: Final[list[Builtin]] = [
    # String.
    Builtin("LENGTH", 1, 1, strings.length, True),
    Builtin("LEFT", 2, 2, strings.left, True),
    Builtin("RIGHT", 2, 2, strings.right, True),
    Builtin("SUBSTRING", 2, 3, strings.substring, True),
    Builtin("OVERLAY", 3, 4, strings.overlay, True),
    Builtin("POSITION", 2, 4, strings.position, True),
    Builtin("TRIM", 1, 1, strings.trim_both),
    Builtin("LTRIM", 1, 1, strings.ltrim),
    Builtin("RTRIM", 1, 1, strings.rtrim),
    Builtin("LOWER", 1, 1, strings.lower),
    Builtin("LCASE", 1, 1, strings.lower),
    Builtin("UPPER", 1, 1, strings.upper),
    Builtin("UCASE", 1, 1, strings.upper),
    Builtin("REPLACE", 2, 3, strings.replace),
    Builtin("TRANSLATE", 2, 3, strings.translate),
    Builtin("REPLICATE", 2, 2, strings.replicate),
    Builtin("SPACE", 1, 1, strings.space),
    Builtin("CONTAINS", 2, 2, strings.contains),
    Builtin("STARTSWITH", 2, 2, strings.startswith),
    Builtin("ENDSWITH", 2, 2, strings.endswith),
    # Numeric.
    Builtin("ABS", 1, 1, numeric.absolute),
    Builtin("ABSVAL", 1, 1, numeric.absolute),
    Builtin("ACOS", 1, 1, numeric.acos),
    Builtin("ASIN", 1, 1, numeric.asin),
    Builtin("ATAN", 1, 1, numeric.atan),
    Builtin("ATAN2", 2, 2, numeric.atan2),
    Builtin("BITAND", 2, ARGUMENTS_MAX, numeric.bitand),
    Builtin("BITNOT", 1, 1, numeric.bitnot),
    Builtin("BITOR", 2, ARGUMENTS_MAX, numeric.bitor),
    Builtin("BITXOR", 2, ARGUMENTS_MAX, numeric.bitxor),
    Builtin("CEIL", 1, 1, numeric.ceil),
    Builtin("CEILING", 1, 1, numeric.ceil),
    Builtin("COS", 1, 1, numeric.cos),
    Builtin("COSH", 1, 1, numeric.cosh),
    Builtin("COT", 1, 1, numeric.cot),
    Builtin("DEGREES", 1, 1, numeric.degrees),
    Builtin("EXP", 1, 1, numeric.exp),
    Builtin("FLOOR", 1, 1, numeric.floor),
    Builtin("LN", 1, 1, numeric.ln),
    Builtin("LOG", 1, 1, numeric.ln),
    Builtin("LOG10", 1, 1, numeric.log10),
    Builtin("MOD", 2, 2, numeric.mod),
    Builtin("POWER", 2, 2, numeric.power),
    Builtin("RADIANS", 1, 1, numeric.radians),
    Builtin("RAND", 0, 1, numeric.rand),
    Builtin("ROUND", 2, 2, numeric.round_),
    Builtin("SIGN", 1, 1, numeric.sign),
    Builtin("SIN", 1, 1, numeric.sin),
    Builtin("SINH", 1, 1, numeric.sinh),
    Builtin("SQRT", 1, 1, numeric.sqrt),
    Builtin("TAN", 1, 1, numeric.tan),
    Builtin("TANH", 1, 1, numeric.tanh),
    Builtin("TRUNCATE", 2, 2, numeric.truncate),
    # Miscellaneous.
    Builtin("COALESCE", 1, ARGUMENTS_MAX, coalesce),
    Builtin("NULLIF", 2, 2, nullif, True),
    Builtin("SLEEP", 1, 1, sleep),
    Builtin("UUIDASBLOB", 0, 1, uuidasblob),
    Builtin("UUIDASCHAR", 0, 1, uuidaschar),
    Builtin("BASE64ENCODE", 1, 1, base64encode),
    Builtin("BASE64DECODE", 1, 1, base64decode),
]

#: All built-in functions that need no tree, by name in upper case.
BUILTINS: Final[dict[str, Builtin]] = {builtin.name: builtin for builtin in _TABLE}

#: The functions on values that take the keyword argument `switches`, for binding them to the settings of an
#: application.
SWITCHED: Final[frozenset[Callable[..., object]]] = frozenset(
    [
        casts.assign,
        casts.cast,
        casts.cast_like,
        casts.to_bit,
        casts.to_blob,
        casts.to_boolean,
        casts.to_character,
        casts.to_date,
        casts.to_decimal,
        casts.to_float,
        casts.to_integer,
        casts.to_interval,
        casts.to_time,
        casts.to_timestamp,
        nullif,
        operators.add,
        operators.between,
        operators.divide,
        operators.equal,
        operators.greater,
        operators.greater_equal,
        operators.in_list,
        operators.less,
        operators.less_equal,
        operators.not_equal,
        operators.quantified,
        operators.subtract,
        strings.left,
        strings.length,
        strings.overlay,
        strings.position,
        strings.right,
        strings.substring,
        strings.substring_after,
        strings.substring_before,
    ]
)
