"""The syntax tree of ESQL, part one: names, data types, paths, literals and expressions. See `syntax.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

#: Interval qualifiers, as the `qualifier` of DataType, IntervalLiteral and IntervalExpression holds them.
YEAR_MONTH_QUALIFIERS: Final = ("YEAR", "YEAR TO MONTH", "MONTH")
DAY_TIME_QUALIFIERS: Final = (
    "DAY",
    "DAY TO HOUR",
    "DAY TO MINUTE",
    "DAY TO SECOND",
    "HOUR",
    "HOUR TO MINUTE",
    "HOUR TO SECOND",
    "MINUTE",
    "MINUTE TO SECOND",
    "SECOND",
)

LiteralValue = None | bool | int | float | Decimal | str | bytes


@dataclass(slots=True)
class Node:
    """Anything in the tree. `line` and `column` are those of its first character, from 1."""

    line: int = field(compare=False, repr=False)
    column: int = field(compare=False, repr=False)


@dataclass(slots=True)
class Expression(Node):
    """Anything that has a value: scalar, row or list."""


# Names and types.


@dataclass(slots=True)
class Name(Node):
    """An identifier: of a variable, routine, label, namespace prefix or path element.

    `text` is without quotation marks; a doubled quotation mark inside is one. `quoted` tells that it was written in
    quotation marks, so it cannot be a keyword.
    """

    text: str
    quoted: bool = False

    @property
    def key(self) -> str:
        """Return the name in upper case: variables, routines, labels and correlation names ignore case."""
        return self.text.upper()


@dataclass(slots=True)
class DataType(Node):
    """A data type.

    `name` is one of BOOLEAN INTEGER FLOAT DECIMAL CHARACTER BLOB BIT DATE TIME GMTTIME TIMESTAMP GMTTIMESTAMP INTERVAL
    ROW LIST REFERENCE, or NAME or NAMESPACE in a declaration or parameter. DECIMAL(10, 2) has `precision` 10 and
    `scale` 2. INTERVAL has a `qualifier` such as "DAY TO SECOND", or None if none was written.
    """

    name: str
    precision: int | None = None
    scale: int | None = None
    qualifier: str | None = None


# Paths (field references).


@dataclass(slots=True)
class ComputedName(Node):
    """`{expression}` where a name or a namespace is expected: the value is the name."""

    expression: Expression


@dataclass(slots=True)
class AnyName(Node):
    """`*` where a name or a namespace is expected: any name, any namespace."""


@dataclass(slots=True)
class NoNamespace(Node):
    """The empty namespace of `:name`: elements that are in no namespace."""


@dataclass(slots=True)
class Index(Node):
    """The brackets after a path element.

    kind    written        meaning
    ALL     []             the list of all matching siblings
    AT      [expression]   the n-th match from the front
    FIRST   [> expression] the n-th match from the front; without an expression the first
    LAST    [< expression] the n-th match from the end; without an expression the last
    """

    kind: str
    expression: Expression | None = None


@dataclass(slots=True)
class PathElement(Node):
    """One step of a path: `(type) namespace : name [index]`, every part optional, at least one present.

    `namespace` is None if none was written, a Name for a prefix (`ns:a`), ComputedName (`{e}:a`), AnyName (`*:a`) or
    NoNamespace (`:a`). `name` is None if it was left out (`.[<]`, `.(XMLNSC.Attribute)[]`), a Name, ComputedName or
    AnyName (`*`).
    """

    type: Expression | None = None
    namespace: Name | ComputedName | AnyName | NoNamespace | None = None
    name: Name | ComputedName | AnyName | None = None
    index: Index | None = None

    @property
    def plain(self) -> Name | None:
        """Return the name if this step is nothing but a name, else None."""
        if self.type is None and self.namespace is None and self.index is None and type(self.name) is Name:
            return self.name
        return None


@dataclass(slots=True)
class Path(Expression):
    """A field reference: `elements` from the correlation name or variable to the field. Never empty.

    A name that stands alone (variable, constant, broker property, SQLCODE) is a Path of one element.
    """

    elements: list[PathElement]

    @property
    def identifier(self) -> Name | None:
        """Return the name if this path is one plain name (a variable, perhaps), else None."""
        return self.elements[0].plain if len(self.elements) == 1 else None

    @property
    def is_list(self) -> bool:
        """Tell whether the last element carries `[]`, so that this path is a list."""
        index = self.elements[-1].index
        return index is not None and index.kind == "ALL"


# Literals.


@dataclass(slots=True)
class Literal(Expression):
    """A literal.

    kind          value
    NULL          None
    UNKNOWN       None (the NULL of BOOLEAN)
    BOOLEAN       bool
    INTEGER       int, 0 .. 2**63 - 1; a sign is a UnaryOperation. Only -9223372036854775808 is one negative literal
    DECIMAL       Decimal, also an integer that does not fit in 64 bits
    FLOAT         float (written with an exponent)
    CHARACTER     str
    BLOB          bytes
    BIT           str of the digits 0 and 1
    DATE, TIME, GMTTIME, TIMESTAMP, GMTTIMESTAMP   str: the text between the quotes, not yet checked
    """

    kind: str
    value: LiteralValue
    #: An integer literal that was written in hexadecimal; the printer keeps the form.
    hexadecimal: bool = field(default=False, compare=False, repr=False)


@dataclass(slots=True)
class IntervalLiteral(Expression):
    """`INTERVAL '1-6' YEAR TO MONTH`, `INTERVAL -'5' DAY`. `text` is between the quotes, not yet checked."""

    text: str
    qualifier: str
    negative: bool = False


# Operators.


@dataclass(slots=True)
class UnaryOperation(Expression):
    """`operator` is `+`, `-` or `NOT`. All three bind tighter than any binary operator."""

    operator: str
    operand: Expression


@dataclass(slots=True)
class BinaryOperation(Expression):
    """`operator` is one of `+ - * /` or of the comparisons `= <> < <= > >=`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(slots=True)
class Concatenation(Expression):
    """`a || b || ...`: two operands or more."""

    operands: list[Expression]


@dataclass(slots=True)
class And(Expression):
    """`a AND b AND ...`: two operands or more."""

    operands: list[Expression]


@dataclass(slots=True)
class Or(Expression):
    """`a OR b OR ...`: two operands or more."""

    operands: list[Expression]


@dataclass(slots=True)
class Between(Expression):
    """`operand [NOT] BETWEEN [ASYMMETRIC | SYMMETRIC] low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    symmetric: bool = False
    negated: bool = False


@dataclass(slots=True)
class In(Expression):
    """`operand [NOT] IN (items)`.

    A single item may be a list: a Path with `[]`, a Select or a ListConstructor. `IN path[]` without parentheses is the
    same node.
    """

    operand: Expression
    items: list[Expression]
    negated: bool = False


@dataclass(slots=True)
class Like(Expression):
    """`operand [NOT] LIKE pattern [ESCAPE escape]`."""

    operand: Expression
    pattern: Expression
    escape: Expression | None = None
    negated: bool = False


@dataclass(slots=True)
class Is(Expression):
    """`operand IS [NOT] test`; `test` is NULL, TRUE, FALSE, UNKNOWN, INF, +INF, -INF, NAN or NUM."""

    operand: Expression
    test: str
    negated: bool = False


@dataclass(slots=True)
class QuantifiedComparison(Expression):
    """`left operator ANY|SOME|ALL (list)`. `quantifier` is ANY, SOME or ALL; `items` as in `In`."""

    operator: str
    left: Expression
    quantifier: str
    items: list[Expression]


@dataclass(slots=True)
class IntervalExpression(Expression):
    """`(a - b) SECOND`: the difference of two dates or times, as an interval with this qualifier."""

    expression: Expression
    qualifier: str


# Functions with an ordinary list of arguments.


@dataclass(slots=True)
class FunctionCall(Expression):
    """A call of a built-in function or of a routine, by its name.

    `schema` holds the broker schema that was written before the name, one Name per word, mostly empty. `parentheses` is
    False for the functions that may stand without them: CURRENT_DATE and its family, LOCAL_TIMEZONE, UUIDASCHAR,
    UUIDASBLOB, SQLCODE and its family are still FunctionCalls then, with no arguments. CARDINALITY, EXISTS, SINGULAR,
    THE, COALESCE, FIELDNAME, EVAL and the rest of MF 2.11 without syntax of their own come here, too.
    """

    schema: list[Name]
    name: Name
    arguments: list[Expression]
    parentheses: bool = True


# Functions with syntax of their own.


@dataclass(slots=True)
class Cast(Expression):
    """`CAST(operands AS type [CCSID e] [ENCODING e] [FORMAT e] [DEFAULT e])`."""

    operands: list[Expression]
    type: DataType
    ccsid: Expression | None = None
    encoding: Expression | None = None
    format: Expression | None = None
    default: Expression | None = None


@dataclass(slots=True)
class WhenExpression(Node):
    """`WHEN condition THEN result` of a CASE expression. With an operand, it is compared with `condition`."""

    condition: Expression
    result: Expression


@dataclass(slots=True)
class CaseExpression(Expression):
    """`CASE [operand] WHEN ... THEN ... [ELSE otherwise] END`."""

    operand: Expression | None
    whens: list[WhenExpression]
    otherwise: Expression | None = None


@dataclass(slots=True)
class Extract(Expression):
    """`EXTRACT(field FROM source)`; `field` is YEAR, MONTH, ... ISLEAPYEAR in upper case."""

    field: str
    source: Expression


@dataclass(slots=True)
class Trim(Expression):
    """`TRIM([BOTH | LEADING | TRAILING] [characters] FROM source)` or `TRIM(source)`. `mode` defaults to BOTH."""

    mode: str
    characters: Expression | None
    source: Expression


@dataclass(slots=True)
class Substring(Expression):
    """`SUBSTRING(source FROM start [FOR length])`, `(source BEFORE s [FOR length])` or `(source AFTER s ...)`.

    `mode` is FROM, BEFORE or AFTER; `start` is the expression after that word.
    """

    source: Expression
    mode: str
    start: Expression
    length: Expression | None = None


@dataclass(slots=True)
class Overlay(Expression):
    """`OVERLAY(source PLACING replacement FROM start [FOR length])`."""

    source: Expression
    replacement: Expression
    start: Expression
    length: Expression | None = None


@dataclass(slots=True)
class Position(Expression):
    """`POSITION(search IN source [FROM start] [REPEAT repeat])`."""

    search: Expression
    source: Expression
    start: Expression | None = None
    repeat: Expression | None = None


@dataclass(slots=True)
class Round(Expression):
    """`ROUND(value, digits [MODE mode])`; `mode` is ROUND_UP, ROUND_DOWN, ... ROUND_HALF_DOWN, or None."""

    value: Expression
    digits: Expression
    mode: str | None = None


@dataclass(slots=True)
class ParseOptions(Node):
    """Options of PARSE and ASBITSTREAM, by keyword or by position (encoding, ccsid, set, type, format, options)."""

    encoding: Expression | None = None
    ccsid: Expression | None = None
    set: Expression | None = None
    type: Expression | None = None
    format: Expression | None = None
    options: Expression | None = None


@dataclass(slots=True)
class AsBitStream(Expression):
    """`ASBITSTREAM(source options)`."""

    source: Expression
    options: ParseOptions


@dataclass(slots=True)
class Passthru(Expression):
    """`PASSTHRU(sql TO Database.x VALUES(values))` or `PASSTHRU(sql, values...)` as a function that returns rows.

    `values` is None if neither VALUES nor positional values were written.
    """

    sql: Expression
    database: Path | None = None
    values: list[Expression] | None = None


@dataclass(slots=True)
class ForFunction(Expression):
    """`FOR [ALL | ANY | SOME] source [AS name] (condition)`: test the items of a list. `quantifier` defaults to ALL."""

    quantifier: str
    source: Path
    name: Name | None
    condition: Expression


@dataclass(slots=True)
class RowField(Node):
    """One field of a ROW constructor: `expression [AS name]`. `name` is a path and may carry types and namespaces."""

    expression: Expression
    name: Path | None = None


@dataclass(slots=True)
class RowConstructor(Expression):
    """`ROW(e [AS name], ...)`."""

    fields: list[RowField]


@dataclass(slots=True)
class ListConstructor(Expression):
    """`LIST{e, ...}`; also `(e, e, ...)` where a parenthesised list stands as a value."""

    items: list[Expression]


@dataclass(slots=True)
class ContextReference(Expression):
    """`CONTEXTREFERENCE([NODENAME] node [LEVELNAME level] [section])` or `CONTEXTINVOCATIONNODE([section])`.

    `function` is the name in upper case; `section` is PAYLOAD, PAYLOADDETAILS, HEADERS, METADATA or None.
    """

    function: str
    node: Expression | None = None
    level: Expression | None = None
    section: str | None = None


@dataclass(slots=True)
class FunctionPath(Expression):
    """`f(...).a.b`: a path that begins at the result of a function. `elements` are those after the function."""

    source: Expression
    elements: list[PathElement]


# SELECT.


@dataclass(slots=True)
class Aggregate(Expression):
    """`COUNT(e)`, `COUNT(*)`, `SUM(e)`, `MAX(e)` or `MIN(e)` in a select clause; `argument` is None for `*`."""

    function: str
    argument: Expression | None


@dataclass(slots=True)
class SelectColumn(Node):
    """One column of a select clause: `*` (`expression` is None), `expression [AS name]` or `expression INSERT`."""

    expression: Expression | None
    name: Path | None = None
    insert: bool = False


@dataclass(slots=True)
class SelectSource(Node):
    """One source of a FROM clause: `source [AS name]`. A path with `[]` gives one row per item, else one row."""

    source: Expression
    name: Name | None = None


@dataclass(slots=True)
class Select(Expression):
    """`SELECT ... FROM ... [WHERE ...]`.

    `item` is the expression of `SELECT ITEM e`; `columns` is empty then. Otherwise `columns` has one entry or more. If
    the only column is an Aggregate without AS, the result is a scalar.
    """

    columns: list[SelectColumn]
    item: Expression | None
    sources: list[SelectSource]
    where: Expression | None = None
