"""The syntax tree of ESQL: one small class per construct, named as the language names it.

`parser.py` builds these nodes, `printer.py` writes them back as text, the compiler turns them into Python source.

    ParsedFile ── items ── Declare | DeclareHandler | Routine | Module
    Module     ── items ── Declare | DeclareHandler | Routine
    Routine    ── body  ── Statement (nearly always a Block), or an External

Conventions

* Every node has `line` and `column` of its first character, both counted from 1. A tab is one column.
* A statement, a routine and a module also have `start` and `end`: offsets into `ParsedFile.text`, so that
  `text[node.start:node.end]` is the statement as it was written, with its semicolon.
* `==` compares the structure and ignores positions. Nodes are not hashable; use `id(node)` as a key.
* Keywords are stored in upper case (`"NEXTSIBLING"`), in the long form where there are two (`INT` is `"INTEGER"`).
  Names are stored as written, without quotation marks; `Name.key` is the form to compare without case.
* Parentheses leave no trace: the shape of the tree says what binds to what.
* Optional parts are None. A list is never None except where None means "this clause was not written".
* `||`, AND and OR take any number of operands in one node (a chain of 500 concatenations is one node, not a tree that
  is 500 levels deep). All other operators are binary and associate to the left.

The parser checks the form only. It does not resolve names: a `Path` of one plain name may be a variable, a constant, a
broker property or a correlation name; a `FunctionCall` may be built-in or a routine. It does not check that a `[]`
index stands last or that a target can be assigned. Those are the compiler's.

What this module never does: evaluate, resolve, print.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flintmq.broker.esql.errors import EsqlSyntaxError

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


@dataclass(slots=True)
class Statement(Node):
    """Anything that is executed. `ParsedFile.text[start:end]` is its text with the semicolon."""

    start: int = field(compare=False, repr=False)
    end: int = field(compare=False, repr=False)


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
    """`WHEN condition THEN result` of a CASE expression. If the CASE has an operand, it is compared with `condition`."""

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
    source: Expression
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


# Blocks, declarations and basic statements.


@dataclass(slots=True)
class Block(Statement):
    """`[label:] BEGIN [[NOT] ATOMIC] statements END [label];`. `atomic` is None if the clause was not written."""

    label: Name | None
    atomic: bool | None
    statements: list[Statement]


@dataclass(slots=True)
class Declare(Statement):
    """`DECLARE names [SHARED | EXTERNAL] [CONSTANT] type [initial];`

    `storage` is SHARED, EXTERNAL or None. `type.name` is NAME or NAMESPACE for these constants, REFERENCE for
    `REFERENCE TO path`; then `initial` is the path.
    """

    names: list[Name]
    storage: str | None
    constant: bool
    type: DataType
    initial: Expression | None = None


@dataclass(slots=True)
class SqlState(Node):
    """`SQLSTATE [VALUE] 'x'` or `SQLSTATE LIKE 'pattern' [ESCAPE 'c']` of a handler."""

    value: str
    like: bool = False
    escape: str | None = None


@dataclass(slots=True)
class DeclareHandler(Statement):
    """`DECLARE CONTINUE | EXIT HANDLER FOR states statement`. `action` is CONTINUE or EXIT (EXIT if left out)."""

    action: str
    states: list[SqlState]
    statement: Statement


@dataclass(slots=True)
class Set(Statement):
    """`SET target [TYPE | NAMESPACE | NAME | VALUE] = value;`. `attribute` is that word or None."""

    target: Path
    attribute: str | None
    value: Expression


@dataclass(slots=True)
class Call(Statement):
    """`CALL [schema.]name(arguments) [IN database] [EXTERNAL SCHEMA external_schema] [INTO into];`"""

    schema: list[Name]
    name: Name
    arguments: list[Expression]
    database: Path | None = None
    external_schema: Expression | None = None
    into: Path | None = None


@dataclass(slots=True)
class Branch(Node):
    """`condition THEN statements`: one branch of IF or of a CASE statement."""

    condition: Expression
    statements: list[Statement]


@dataclass(slots=True)
class If(Statement):
    """`IF ... THEN ... {ELSEIF ... THEN ...} [ELSE ...] END IF;`. `otherwise` is None if there is no ELSE."""

    branches: list[Branch]
    otherwise: list[Statement] | None = None


@dataclass(slots=True)
class CaseStatement(Statement):
    """`CASE [operand] WHEN ... THEN ... [ELSE ...] END CASE;`"""

    operand: Expression | None
    whens: list[Branch]
    otherwise: list[Statement] | None = None


@dataclass(slots=True)
class While(Statement):
    """`[label:] WHILE condition DO statements END WHILE [label];`"""

    label: Name | None
    condition: Expression
    statements: list[Statement]


@dataclass(slots=True)
class Repeat(Statement):
    """`[label:] REPEAT statements UNTIL condition END REPEAT [label];`"""

    label: Name | None
    statements: list[Statement]
    condition: Expression


@dataclass(slots=True)
class Loop(Statement):
    """`[label:] LOOP statements END LOOP [label];`"""

    label: Name | None
    statements: list[Statement]


@dataclass(slots=True)
class For(Statement):
    """`[label:] FOR name AS source DO statements END FOR [label];`"""

    label: Name | None
    name: Name
    source: Expression
    statements: list[Statement]


@dataclass(slots=True)
class Iterate(Statement):
    """`ITERATE label;`"""

    label: Name


@dataclass(slots=True)
class Leave(Statement):
    """`LEAVE label;`"""

    label: Name


@dataclass(slots=True)
class Return(Statement):
    """`RETURN [value];`"""

    value: Expression | None = None


# Statements on message trees.


@dataclass(slots=True)
class Parse(Node):
    """`PARSE(source options)` of a CREATE statement."""

    source: Expression
    options: ParseOptions


@dataclass(slots=True)
class Create(Statement):
    """`CREATE FIELD target ...;` or `CREATE position OF target ...;`

    `position` is FIELD, PREVIOUSSIBLING, NEXTSIBLING, FIRSTCHILD or LASTCHILD. `reference` is the variable after AS.
    `identity` excludes `type`, `namespace` and `name`. At most one of `value`, `repeat`, `source` (FROM) and `parse`
    is given, but `repeat` may come with `value`.
    """

    position: str
    target: Path
    reference: Path | None = None
    domain: Expression | None = None
    identity: PathElement | None = None
    type: Expression | None = None
    namespace: Expression | None = None
    name: Expression | None = None
    repeat: bool = False
    value: Expression | None = None
    source: Expression | None = None
    parse: Parse | None = None


@dataclass(slots=True)
class DeleteField(Statement):
    """`DELETE FIELD target;` or `DELETE position OF target;`. `position` as in Create."""

    position: str
    target: Path


@dataclass(slots=True)
class Move(Statement):
    """`MOVE reference TO target;` or `MOVE reference position [clauses];`

    `position` is TO, PARENT, PREVIOUSSIBLING, NEXTSIBLING, FIRSTCHILD or LASTCHILD; `target` belongs to TO.
    `namespace` and `name` may be AnyName (`*`). With `repeat`, `repeat_type` and `repeat_name` tell which of the words
    TYPE and NAME follow REPEAT.
    """

    reference: Path
    position: str
    target: Expression | None = None
    identity: PathElement | None = None
    type: Expression | None = None
    namespace: Expression | AnyName | None = None
    name: Expression | AnyName | None = None
    repeat: bool = False
    repeat_type: bool = False
    repeat_name: bool = False


@dataclass(slots=True)
class Attach(Statement):
    """`ATTACH reference TO target AS position;`"""

    reference: Path
    target: Path
    position: str


@dataclass(slots=True)
class Detach(Statement):
    """`DETACH reference;`"""

    reference: Path


@dataclass(slots=True)
class Propagate(Statement):
    """`PROPAGATE [TO TERMINAL e | TO LABEL e] [ENVIRONMENT e] [MESSAGE e] [EXCEPTION e] [FINALIZE x] [DELETE x];`

    `finalize` and `delete` are DEFAULT, NONE or None (not written, which means DEFAULT).
    """

    terminal: Expression | None = None
    label: Expression | None = None
    environment: Expression | None = None
    message: Expression | None = None
    exception: Expression | None = None
    finalize: str | None = None
    delete: str | None = None


# Database statements.


@dataclass(slots=True)
class Insert(Statement):
    """`INSERT INTO table [(columns)] VALUES (values);`. `columns` is None if there is no list."""

    table: Path
    columns: list[Name] | None
    values: list[Expression]


@dataclass(slots=True)
class Assignment(Node):
    """`target = value` of an UPDATE; `target` names a column."""

    target: Path
    value: Expression


@dataclass(slots=True)
class Update(Statement):
    """`UPDATE table [AS name] SET assignments [WHERE where];`"""

    table: Path
    name: Name | None
    assignments: list[Assignment]
    where: Expression | None = None


@dataclass(slots=True)
class DeleteFrom(Statement):
    """`DELETE FROM table [AS name] [WHERE where];`"""

    table: Path
    name: Name | None = None
    where: Expression | None = None


@dataclass(slots=True)
class PassthruStatement(Statement):
    """`PASSTHRU sql [TO database] [VALUES (values)];` or `PASSTHRU(sql, values...);`"""

    sql: Expression
    database: Path | None = None
    values: list[Expression] | None = None


@dataclass(slots=True)
class Commit(Statement):
    """`COMMIT [database];`"""

    database: Path | None = None


@dataclass(slots=True)
class Rollback(Statement):
    """`ROLLBACK [database];`"""

    database: Path | None = None


# Other statements.


@dataclass(slots=True)
class Eval(Statement):
    """`EVAL(source);`"""

    source: Expression


@dataclass(slots=True)
class Throw(Statement):
    """`THROW [USER] EXCEPTION [SEVERITY e] [CATALOG e] [MESSAGE e] [VALUES (...)];`"""

    user: bool
    severity: Expression | None = None
    catalog: Expression | None = None
    message: Expression | None = None
    values: list[Expression] | None = None


@dataclass(slots=True)
class Log(Statement):
    """`LOG EVENT | USER TRACE [[FULL] EXCEPTION] [SEVERITY e] [CATALOG e] [MESSAGE e] [VALUES (...)];`

    `destination` is "EVENT" or "USER TRACE"; `exception` is "EXCEPTION", "FULL EXCEPTION" or None.
    """

    destination: str
    exception: str | None = None
    severity: Expression | None = None
    catalog: Expression | None = None
    message: Expression | None = None
    values: list[Expression] | None = None


@dataclass(slots=True)
class Resignal(Statement):
    """`RESIGNAL;`"""


# Routines, modules, files.


@dataclass(slots=True)
class Parameter(Node):
    """A parameter: `[IN | OUT | INOUT] name [CONSTANT] type`. `direction` is None if none was written (IN).

    `type` is None only for a parameter without a type, which an external routine may have.
    """

    direction: str | None
    name: Name
    constant: bool
    type: DataType | None
    nullable: bool | None = None


@dataclass(slots=True)
class External(Node):
    """`EXTERNAL NAME "name" {option value}`: the body of a routine in another language or in a database.

    `options` holds what follows the name, in order: ("CLASSLOADER", "x"), ("ASSEMBLY", "y"), ("VERSION", "1.0") ...
    """

    name: str
    options: list[tuple[str, str]]


@dataclass(slots=True)
class Routine(Node):
    """`CREATE FUNCTION | PROCEDURE name(parameters) [RETURNS type] ... body`

    `kind` is FUNCTION or PROCEDURE. `language` is ESQL, DATABASE, JAVA, CLR, .NET or None. `result_sets` is the number
    of DYNAMIC RESULT SETS. `sql_access` is such as "READS SQL DATA". Either `body` or `external` is given; both are
    None after a syntax error.
    """

    start: int = field(compare=False, repr=False)
    end: int = field(compare=False, repr=False)
    kind: str
    name: Name
    parameters: list[Parameter]
    returns: DataType | None = None
    returns_nullable: bool | None = None
    language: str | None = None
    result_sets: int | None = None
    sql_access: str | None = None
    body: Statement | None = None
    external: External | None = None


@dataclass(slots=True)
class Module(Node):
    """`CREATE COMPUTE | FILTER | DATABASE | DATABASEEVENT MODULE name ... END MODULE;`"""

    start: int = field(compare=False, repr=False)
    end: int = field(compare=False, repr=False)
    kind: str
    name: Name
    items: list[Declare | DeclareHandler | Routine]

    @property
    def routines(self) -> list[Routine]:
        """Return the routines of the module in their order."""
        return [item for item in self.items if isinstance(item, Routine)]

    @property
    def declarations(self) -> list[Declare]:
        """Return the declarations of the module in their order."""
        return [item for item in self.items if isinstance(item, Declare)]


Item = Declare | DeclareHandler | Routine | Module


@dataclass(slots=True)
class ParsedFile:
    """A source file: what was understood, and what was not.

    `text` is the source that positions refer to: without byte order mark, XML escapes resolved. `schema` is the broker
    schema, "" for the default one. `path` lists the schemas of the PATH clause. `items` are the declarations, routines
    and modules in their order. A file with `errors` must not be run; its tree holds all that could be understood.
    """

    file: str | None
    text: str = field(compare=False, repr=False)
    schema: str
    path: list[str]
    items: list[Item]
    errors: list[EsqlSyntaxError] = field(compare=False)

    @property
    def modules(self) -> list[Module]:
        """Return the modules of the file in their order."""
        return [item for item in self.items if isinstance(item, Module)]

    @property
    def routines(self) -> list[Routine]:
        """Return the routines at schema level in their order."""
        return [item for item in self.items if isinstance(item, Routine)]

    @property
    def declarations(self) -> list[Declare]:
        """Return the declarations at schema level in their order."""
        return [item for item in self.items if isinstance(item, Declare)]


@dataclass(slots=True)
class ParsedStatements:
    """Bare statements, as V2.1 kept them inside a node and as EVAL runs them. Fields as in ParsedFile."""

    text: str = field(compare=False, repr=False)
    statements: list[Statement]
    errors: list[EsqlSyntaxError] = field(compare=False)
