"""Compiles SELECT over trees and databases, and the statements that change tables.

A SELECT over trees is a list comprehension over the rows of its sources. Sources that are tables become one SQL query:
the columns that the SELECT uses, and the conditions of WHERE that a database can test; values of messages are bound as
parameters, never written into the text. The rest of WHERE is tested on the rows that come back, so any expression may
stand there.

Names of data sources, schemas and tables may be computed (`Database.{dsn}.{schema}.T`). A name goes into the text
only if it is an identifier; another one is quoted. The text itself is written into the Python code with `repr`: no name
of ESQL can end the literal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.compile_expressions import ExpressionCompiler
from flintmq.broker.esql.compile_paths import CompileError
from flintmq.broker.esql.names import Scope, Symbol
from flintmq.broker.esql.trees import Column
from flintmq.broker.tree.element import Step

_SQL_OPERATORS = {"=", "<>", "<", "<=", ">", ">=", "+", "-", "*"}
#: Functions that mean the same in SQL and in ESQL, for any database.
_SQL_FUNCTIONS = {"UPPER": "UPPER", "UCASE": "UPPER", "LOWER": "LOWER", "LCASE": "LOWER", "COALESCE": "COALESCE"}
_SQL_FUNCTIONS |= {"ABS": "ABS", "LENGTH": "LENGTH", "NULLIF": "NULLIF", "LTRIM": "LTRIM", "RTRIM": "RTRIM"}


@dataclass(slots=True)
class Table:
    """A table in a FROM clause or a statement: code of the data source's name and of the table's text."""

    data_source: str
    text: str
    alias: str
    columns: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Sql:
    """A piece of SQL: text with `?` markers, and the code of the values that they stand for."""

    text: str
    values: list[str] = field(default_factory=list)


def walk_nodes(node: object) -> Iterator[s.Node]:
    """Yield a node and all nodes below it, in the order of the text."""
    work = [node]
    while work:
        each = work.pop()
        if isinstance(each, list):
            work.extend(reversed(each))
        elif isinstance(each, s.Node):
            yield each
            work.extend(getattr(each, slot.name) for slot in reversed(fields(each)))


class SqlCompiler(ExpressionCompiler):
    """Compiles SELECT and database statements."""

    #: Data sources that the text names; '' for that of the node. Computed names are not among them.
    data_sources: set[str]

    def is_table(self, node: s.Expression) -> bool:
        """Return whether a path names a table: it starts with `Database`, and no variable has that name."""
        if not isinstance(node, s.Path):
            return False
        first = node.elements[0].plain
        return first is not None and first.key == "DATABASE" and self.scope.find(first.text) is None

    def table(self, node: s.Path, alias: s.Name | None) -> Table:
        """Return the table that a path means: `Database[.dsn][.schema].table`."""
        parts = node.elements[1:]
        if not 1 <= len(parts) <= 3:
            raise CompileError(2401, "a table is Database.[data source.][schema.]table", node)
        codes = [self._sql_name(part) for part in parts]
        data_source = self._data_source(parts[0] if len(codes) == 3 else None)
        if len(codes) == 3:
            codes = codes[1:]
        last = parts[-1].name
        name = alias.text if alias is not None else last.text if isinstance(last, s.Name) else "Row"
        return Table(data_source, " + '.' + ".join(codes), name)

    def database_name(self, node: s.Path | None) -> str:
        """Return code of the name of the data source that `TO Database.x` or `IN Database.x` means."""
        parts = [] if node is None else node.elements[1:] if self.is_table(node) else node.elements
        return self._data_source(parts[0] if parts else None)

    def _data_source(self, part: s.PathElement | None) -> str:
        if part is None:
            self.data_sources.add("")
            return "None"
        if isinstance(part.name, s.Name) and not self._is_name_variable(part.name):
            self.data_sources.add(part.name.text)
        return self._plain_name(part)

    def _is_name_variable(self, name: s.Name) -> bool:
        symbol = self.scope.find(name.text)
        return symbol is not None and symbol.kind == "NAME"

    def _plain_name(self, part: s.PathElement) -> str:
        if isinstance(part.name, s.ComputedName):
            return f"name_value({self.scalar(part.name.expression)})"
        if isinstance(part.name, s.Name):
            symbol = self.scope.find(part.name.text)
            if symbol is not None and symbol.kind == "NAME":
                return symbol.code
            return repr(part.name.text)
        raise CompileError(2401, "a name of a data source, schema or table is missing", part)

    def _sql_name(self, part: s.PathElement) -> str:
        if isinstance(part.name, s.Name):
            return f"sql_name({part.name.text!r})"
        return f"sql_name({self._plain_name(part)})"

    # SELECT.

    def select(self, node: s.Select) -> str:
        """Return code that gives the result: a list of rows or items, or the value of an aggregate."""
        outer = self.scope
        scope = Scope(outer)
        loops: list[str] = []
        tables: list[Table] = []
        names: list[str] = []
        for source in node.sources:
            if self.is_table(source.source):
                assert isinstance(source.source, s.Path)
                table = self.table(source.source, source.name)
                tables.append(table)
                names.append(self._bind(scope, table.alias, source))
        table_names = list(names)
        where = node.where
        self.scope = scope
        try:
            pushed: list[s.Expression] = []
            if tables:
                aggregate = self._sql_aggregate(node, tables)
                if aggregate:
                    return aggregate
                pushed, rest = self._split(where, tables)
                where = _joined(rest, where)
                with self.without_assignments():
                    query = self._query(node, tables, pushed, where)
                loops.append(f"for {_unpacked(table_names)} in {query}")
            for source in node.sources:
                if not self.is_table(source.source):
                    # A later source may start at the row of an earlier one.
                    with self.without_assignments():
                        rows = f"rows_of({self.source(source.source)})"
                    name = self._bind(scope, _source_name(source), source)
                    names.append(name)
                    loops.append(f"for {name} in {rows}")
            test = "" if where is None else f" if {self.condition(where)}"
            result = self._result(node, names)
            code = f"[{result} {' '.join(loops)}{test}]"
            only = node.columns[0] if len(node.columns) == 1 and node.item is None else None
            if only is not None and isinstance(only.expression, s.Aggregate):
                return f"aggregate_{only.expression.function.lower()}({code})"
            if all(isinstance(source.source, s.Path) and not source.source.is_list for source in node.sources):
                if not tables:
                    return f"the({code})"
            return code
        finally:
            self.scope = outer

    def _bind(self, scope: Scope, name: str, source: s.SelectSource) -> str:
        """Declare the row of a source and return its Python name."""
        code = self.temporary()
        kind = s.DataType(source.line, source.column, "REFERENCE")
        scope.declare(Symbol(name, "REFERENCE", kind, code, local=False))
        return code

    def _result(self, node: s.Select, names: list[str]) -> str:
        if node.item is not None:
            return f"item_of({self.source(node.item)})"
        only = node.columns[0] if len(node.columns) == 1 else None
        if only is not None and isinstance(only.expression, s.Aggregate):
            argument = only.expression.argument
            return "1" if argument is None else self.scalar(argument)
        if only is not None and only.expression is None:
            return f"all_columns([{', '.join(names)}])"
        columns: list[tuple[str, object]] = []
        codes: list[str] = []
        for number, column in enumerate(node.columns, 1):
            if column.expression is None:
                columns.append(("INSERT", Column([], insert=True)))
                codes.append(f"all_columns([{', '.join(names)}])")
            elif column.insert:
                columns.append(("INSERT", Column([], insert=True)))
                codes.append(self.source(column.expression))
            else:
                columns.append(self.column(column.expression, column.name, number))
                codes.append(self.source(column.expression))
        name = self.constants.add("R", f"[{', '.join(shown for shown, _ in columns)}]", [made for _, made in columns])
        return f"build_row({name}, [{', '.join(codes)}])"

    def column(self, expression: s.Expression, name: s.Path | None, number: int) -> tuple[str, object]:
        """Return how a column is shown, and the Column that puts it into a result row."""
        if name is None:
            text = f"Column{number}"
            namespace = ""
            if isinstance(expression, s.Path):
                last = self._step(expression.elements[-1]).step
                if last is not None and last.name is not None:
                    text = last.name
                    namespace = last.namespace or ""
            return f"{text!r}, {namespace!r}", Column([Step(text, namespace)])
        steps: list[Step] = []
        shown: list[str] = []
        for element in name.elements:
            made = self._step(element)
            if made.step is None:
                raise CompileError(2401, "a name after AS must not be computed", name)
            steps.append(made.step)
            shown.append(made.shown)
        return f"{' / '.join(shown)}{'[]' if name.is_list else ''}", Column(steps, many=name.is_list)

    # Queries.

    def _query(self, node: s.Select, tables: list[Table], pushed: list[s.Expression], rest: s.Expression | None) -> str:
        """Return code that runs the query of the tables and gives tuples of rows."""
        columns = self._columns(node, tables, pushed, rest)
        aliases = ", ".join(repr(table.alias) for table in tables)
        wanted = [f"{_quoted(alias)}.{_identifier(name)}" for alias, names in columns.items() for name in names]
        whole = any(not names for names in columns.values())
        chosen = "*" if whole else ", ".join(wanted)
        keys = [] if whole else [(alias, name.text) for alias, names in columns.items() for name in names]
        sql, parameters = self._where(pushed, tables)
        text = f"{f'SELECT {chosen} FROM '!r} + {_from_code(tables)} + {sql!r}"
        return f"c.query({tables[0].data_source}, {text}, [{', '.join(parameters)}], [{aliases}], {keys!r})"

    def _columns(
        self, node: s.Select, tables: list[Table], pushed: list[s.Expression], rest: s.Expression | None
    ) -> dict[str, list[s.Name]]:
        """Return the columns that the SELECT uses, by alias; a table that is used whole has none."""
        used: dict[str, list[s.Name]] = {table.alias: [] for table in tables}
        by_key = {table.alias.upper(): table.alias for table in tables}
        whole = any(column.expression is None for column in node.columns)
        looked_at: list[object] = [[column.expression for column in node.columns], node.item, rest]
        looked_at += [source.source for source in node.sources if not self.is_table(source.source)]
        for each in walk_nodes(looked_at):
            if not isinstance(each, s.Path):
                continue
            name = each.elements[0].plain
            alias = by_key.get(name.key) if name is not None else None
            if alias is None:
                continue
            column = each.elements[1].plain if len(each.elements) > 1 else None
            if column is None:
                whole = True
            elif all(column.text != name.text for name in used[alias]):
                used[alias].append(column)
        if whole or not any(used.values()):
            return {alias: [] for alias in used}
        # A table without columns only takes part in WHERE.
        return {alias: names for alias, names in used.items() if names}

    def _split(self, where: s.Expression | None, tables: list[Table]) -> tuple[list[s.Expression], list[s.Expression]]:
        """Part WHERE into the conditions that the database tests and the rest."""
        if where is None:
            return [], []
        parts = where.operands if isinstance(where, s.And) else [where]
        pushed = [part for part in parts if self.sql(part, tables) is not None]
        return pushed, [part for part in parts if not any(part is each for each in pushed)]

    def _where(self, pushed: list[s.Expression], tables: list[Table]) -> tuple[str, list[str]]:
        texts: list[str] = []
        parameters: list[str] = []
        for part in pushed:
            piece = self.sql(part, tables)
            assert piece is not None
            texts.append(f"({piece.text})")
            parameters += piece.values
        return (f" WHERE {' AND '.join(texts)}" if texts else ""), parameters

    def _sql_aggregate(self, node: s.Select, tables: list[Table]) -> str:
        """Return code of a query for an aggregate that the database computes; '' if it cannot."""
        only = node.columns[0] if len(node.columns) == 1 and node.item is None else None
        if only is None or not isinstance(only.expression, s.Aggregate) or len(tables) != len(node.sources):
            return ""
        pushed, rest = self._split(node.where, tables)
        argument = only.expression.argument
        piece = Sql("*") if argument is None else self.sql(argument, tables)
        if rest or piece is None or piece.values:
            return ""
        sql, parameters = self._where(pushed, tables)
        text = f"{f'SELECT {only.expression.function}({piece.text}) FROM '!r} + {_from_code(tables)} + {sql!r}"
        return f"c.query_value({tables[0].data_source}, {text}, [{', '.join(parameters)}])"

    def sql(self, node: s.Expression, tables: list[Table]) -> Sql | None:
        """Return an expression as SQL; None if the database cannot evaluate it."""
        aliases = {table.alias.upper() for table in tables}
        if not any(self._uses(each, aliases) for each in walk_nodes(node)):
            return Sql("?", [self.scalar(node)])
        translate = _SQL.get(type(node))
        return None if translate is None else translate(self, node, tables)

    def _sql_path(self, node: s.Path, tables: list[Table]) -> Sql | None:
        if len(node.elements) != 2:
            return None
        table, column = node.elements[0].plain, node.elements[1].plain
        if table is None or column is None:
            return None
        alias = next(each.alias for each in reversed(tables) if each.alias.upper() == table.key)
        return Sql(f"{_quoted(alias)}.{_identifier(column)}")

    def _sql_binary(self, node: s.BinaryOperation, tables: list[Table]) -> Sql | None:
        if node.operator not in _SQL_OPERATORS:
            return None
        return self._joined_sql([node.left, node.right], f" {node.operator} ", tables)

    def _sql_and(self, node: s.And, tables: list[Table]) -> Sql | None:
        return self._joined_sql(node.operands, " AND ", tables)

    def _sql_or(self, node: s.Or, tables: list[Table]) -> Sql | None:
        return self._joined_sql(node.operands, " OR ", tables)

    def _sql_concatenation(self, node: s.Concatenation, tables: list[Table]) -> Sql | None:
        return self._joined_sql(node.operands, " || ", tables)

    def _sql_unary(self, node: s.UnaryOperation, tables: list[Table]) -> Sql | None:
        inner = self.sql(node.operand, tables)
        return None if inner is None else Sql(f"{node.operator} ({inner.text})", inner.values)

    def _sql_is(self, node: s.Is, tables: list[Table]) -> Sql | None:
        if node.test != "NULL":
            return None
        inner = self.sql(node.operand, tables)
        return None if inner is None else Sql(f"{inner.text} IS {'NOT ' if node.negated else ''}NULL", inner.values)

    def _sql_like(self, node: s.Like, tables: list[Table]) -> Sql | None:
        if node.escape is not None:
            return None
        return self._joined_sql([node.operand, node.pattern], " NOT LIKE " if node.negated else " LIKE ", tables)

    def _sql_between(self, node: s.Between, tables: list[Table]) -> Sql | None:
        if node.symmetric:
            return None
        joined = self._joined_sql([node.operand, node.low], " BETWEEN ", tables)
        high = self.sql(node.high, tables)
        if joined is None or high is None:
            return None
        text = f"{joined.text} AND {high.text}"
        return Sql(f"NOT ({text})" if node.negated else text, joined.values + high.values)

    def _sql_in(self, node: s.In, tables: list[Table]) -> Sql | None:
        if any(self._gives_list(item) for item in node.items):
            return None
        operand = self.sql(node.operand, tables)
        listed = self._joined_sql(node.items, ", ", tables)
        if operand is None or listed is None:
            return None
        word = "NOT IN" if node.negated else "IN"
        return Sql(f"{operand.text} {word} ({listed.text})", operand.values + listed.values)

    def _sql_call(self, node: s.FunctionCall, tables: list[Table]) -> Sql | None:
        if node.schema or node.name.key not in _SQL_FUNCTIONS:
            return None
        arguments = self._joined_sql(node.arguments, ", ", tables)
        return (
            None if arguments is None else Sql(f"{_SQL_FUNCTIONS[node.name.key]}({arguments.text})", arguments.values)
        )

    def _joined_sql(self, nodes: list[s.Expression], separator: str, tables: list[Table]) -> Sql | None:
        texts: list[str] = []
        parameters: list[str] = []
        for node in nodes:
            piece = self.sql(node, tables)
            if piece is None:
                return None
            simple = piece.text == "?" or isinstance(node, s.Path | s.FunctionCall)
            texts.append(piece.text if simple or separator == ", " else f"({piece.text})")
            parameters += piece.values
        return Sql(separator.join(texts), parameters)

    def _uses(self, node: s.Node, aliases: set[str]) -> bool:
        if not isinstance(node, s.Path):
            return False
        name = node.elements[0].plain
        return name is not None and name.key in aliases

    # Statements.

    def passthru(self, sql: s.Expression, database: s.Path | None, arguments: list[s.Expression] | None) -> str:
        """Return code that runs SQL text and gives its rows."""
        codes = ", ".join(self.scalar(each) for each in arguments or [])
        return f"c.passthru({self.database_name(database)}, {self.scalar(sql)}, [{codes}])"

    def insert_code(self, node: s.Insert) -> str:
        """Return code of an INSERT."""
        table = self.table(node.table, None)
        columns = "" if node.columns is None else f" ({', '.join(_identifier(name) for name in node.columns)})"
        markers = ", ".join("?" for _ in node.values)
        text = f"'INSERT INTO ' + {table.text} + {f'{columns} VALUES ({markers})'!r}"
        return f"c.execute_sql({table.data_source}, {text}, [{', '.join(self.scalar(each) for each in node.values)}])"

    def update_code(self, node: s.Update) -> str:
        """Return code of an UPDATE. Values and conditions must be such that the database can evaluate them."""
        table = self.table(node.table, node.name)
        assignments: list[str] = []
        parameters: list[str] = []
        for assignment in node.assignments:
            column = assignment.target.elements[-1].plain
            piece = self._statement_sql(assignment.value, table)
            if column is None:
                raise CompileError(2401, "a column of an UPDATE must be a name", assignment)
            assignments.append(f"{_identifier(column)} = {piece.text}")
            parameters += piece.values
        text = f" SET {', '.join(assignments)}"
        if node.where is not None:
            piece = self._statement_sql(node.where, table)
            text += f" WHERE {piece.text}"
            parameters += piece.values
        named = f" + {f' AS {_quoted(table.alias)}'!r}" if node.name is not None else ""
        return (
            f"c.execute_sql({table.data_source}, 'UPDATE ' + {table.text}{named} + {text!r}, [{', '.join(parameters)}])"
        )

    def delete_code(self, node: s.DeleteFrom) -> str:
        """Return code of a DELETE FROM."""
        table = self.table(node.table, node.name)
        text = ""
        parameters: list[str] = []
        if node.where is not None:
            piece = self._statement_sql(node.where, table)
            text = f" WHERE {piece.text}"
            parameters = piece.values
        named = f" + {f' AS {_quoted(table.alias)}'!r}" if node.name is not None else ""
        sql = f"'DELETE FROM ' + {table.text}{named} + {text!r}"
        return f"c.execute_sql({table.data_source}, {sql}, [{', '.join(parameters)}])"

    def _statement_sql(self, node: s.Expression, table: Table) -> Sql:
        piece = self.sql(node, [table])
        if piece is None:
            raise CompileError(
                2401, "the database cannot evaluate this expression; compute it into a variable first", node
            )
        return piece


#: By class of expression: the method that translates it to SQL. Expressions of other classes are not pushed down.
_SQL: Mapping[type[s.Node], Callable[[SqlCompiler, Any, list[Table]], Sql | None]] = {
    s.Path: SqlCompiler._sql_path,
    s.BinaryOperation: SqlCompiler._sql_binary,
    s.And: SqlCompiler._sql_and,
    s.Or: SqlCompiler._sql_or,
    s.Concatenation: SqlCompiler._sql_concatenation,
    s.UnaryOperation: SqlCompiler._sql_unary,
    s.Is: SqlCompiler._sql_is,
    s.Like: SqlCompiler._sql_like,
    s.Between: SqlCompiler._sql_between,
    s.In: SqlCompiler._sql_in,
    s.FunctionCall: SqlCompiler._sql_call,
}


def _identifier(name: s.Name) -> str:
    """Return a name as SQL takes it: quoted if it was, or if it is no plain identifier."""
    return _quoted(name.text, name.quoted)


def _quoted(text: str, always: bool = False) -> str:
    """Return a name as SQL takes it: in quotation marks if it is no plain identifier."""
    if always or not text.replace("_", "a").replace("$", "a").isalnum():
        return '"' + text.replace('"', '""') + '"'
    return text


def _from_code(tables: list[Table]) -> str:
    """Return code of the text behind FROM: tables and their correlation names."""
    return " + ', ' + ".join(f"{table.text} + {f' {_quoted(table.alias)}'!r}" for table in tables)


def _source_name(source: s.SelectSource) -> str:
    """Return the correlation name of a source: after AS, or the last name of its path."""
    if source.name is not None:
        return source.name.text
    if isinstance(source.source, s.Path):
        last = source.source.elements[-1].name
        if isinstance(last, s.Name):
            return last.text
    return "Row"


def _unpacked(names: list[str]) -> str:
    return f"({names[0]},)" if len(names) == 1 else f"({', '.join(names)})"


def _joined(parts: list[s.Expression], where: s.Expression | None) -> s.Expression | None:
    """Return conditions that must all hold as one expression."""
    if not parts or where is None:
        return None
    return parts[0] if len(parts) == 1 else s.And(where.line, where.column, parts)
