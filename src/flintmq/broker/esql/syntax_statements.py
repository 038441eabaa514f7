"""The syntax tree of ESQL, part two: statements, routines, modules and files. See `syntax.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flintmq.broker.esql.syntax_expressions import (
    AnyName,
    DataType,
    Expression,
    Name,
    Node,
    ParseOptions,
    Path,
    PathElement,
)

if TYPE_CHECKING:
    from flintmq.broker.esql.errors import EsqlSyntaxError


@dataclass(slots=True)
class Statement(Node):
    """Anything that is executed. `ParsedFile.text[start:end]` is its text with the semicolon."""

    start: int = field(compare=False, repr=False)
    end: int = field(compare=False, repr=False)


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

    `options` holds the words behind the name, in order: ("CLASSLOADER", "x"), ("ASSEMBLY", "y"), ("VERSION", "1.0") ...
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
    """A source file: its statements, and its errors.

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
