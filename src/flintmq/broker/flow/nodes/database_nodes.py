"""DatabaseRetrieve and DatabaseRoute: a query in the properties of a node, its values from the message.

`queryElements` are rows of table, column, operator and value. A value is a literal, which stands in the query, an XPath
(`valueType` Element), or none, for columns that are only selected or ordered. DatabaseRetrieve writes columns to places
in the trees; DatabaseRoute sets them as variables of XPath (`$TABLE_COLUMN`) for its filters, as the product does.
"""

from __future__ import annotations

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import Expression, Location, namespaces_of, trees_of
from flintmq.broker.flow.patterns import Xpath
from flintmq.broker.tree.assembly import Assembly
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.types import NAME


class QueryNode(RuntimeNode):
    """The base of both nodes: the query and its parameters."""

    def prepare(self) -> None:
        name = self.text("dataSourceName")
        self.data_source_name = name.rpartition(":")[2] or name
        self.sql = self.text("sqlQuery")
        if not self.sql:
            raise NodeProblem(f"{self.label}: the property sqlQuery is empty")
        self.namespaces = namespaces_of(self.tables.get("nsMappingTable", []))
        self.parameters: list[Expression] = []
        for row in self.tables.get("queryElements", []):
            if row.get("valueType") == "Element":
                text = str(row.get("value", ""))
                try:
                    self.parameters.append(Expression(text, self.namespaces))
                except ValueError as error:
                    raise NodeProblem(f"{self.label}: the value {text!r} is no path: {error}") from None
        if self.sql.count("?") != len(self.parameters):
            raise NodeProblem(
                f"{self.label}: sqlQuery has {self.sql.count('?')} markers, and {len(self.parameters)} values are given"
            )

    def data_sources(self) -> list[str]:
        return [self.data_source_name] if self.data_source_name else []

    def query(self, invocation: Invocation, assembly: Assembly) -> tuple[list[str], list[tuple[object, ...]]]:
        """Run the query; return names of columns and rows."""
        values = [parameter.value(assembly) for parameter in self.parameters]
        source = invocation.services.data_source(self.data_source_name)
        found = source.execute(self.sql, values)
        return found.columns, [tuple(row) for row in found.rows]


@runs
class DatabaseRetrieve(QueryNode):
    """DatabaseRetrieve: writes columns of a query to places in the message or the environments."""

    types = ("ComIbmDatabaseRetrieve.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.targets: list[tuple[str, Location]] = []
        for row in self.tables.get("dataElements", []):
            text = str(row.get("messageElement", ""))
            try:
                self.targets.append((str(row.get("columnName", "")), Location(text, self.namespaces)))
            except ValueError as error:
                raise NodeProblem(f"{self.label}: {text!r} is no place in a tree: {error}") from None
        self.all_rows = self.flag("allRows") or self.flag("multipleRows")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        columns, rows = self.query(invocation, assembly)
        if not rows:
            self.send("keyNotFound", invocation, assembly)
            return
        outgoing = assembly.replace(copy_element(assembly.message), copy_element(assembly.local_environment))
        trees = trees_of(assembly, outgoing)
        positions = {name.upper(): number for number, name in enumerate(columns)}
        for number, row in enumerate(rows if self.all_rows else rows[:1]):
            for column, target in self.targets:
                place = positions.get(column.upper(), positions.get(column.rpartition(".")[2].upper()))
                if place is None:
                    raise BrokerError(
                        2321, f"the query gives no column {column}", inserts=(column,), kind="DatabaseException"
                    )
                element = target.create(trees)
                if number:
                    parent = element.parent
                    assert parent is not None
                    element = parent.append(Element(element.name, None, element.type, element.namespace))
                element.set_value(row[place])
        self.send("out", invocation, outgoing)


@runs
class DatabaseRoute(QueryNode):
    """DatabaseRoute: chooses terminals by XPath over the columns of a query."""

    types = ("ComIbmDatabaseRoute.msgnode",)

    def prepare(self) -> None:
        super().prepare()
        self.first_only = self.text("distributionMode", "all") == "first"
        self.rules: list[tuple[str, str]] = []
        for row in self.tables.get("filterTable", []):
            self.rules.append((str(row.get("filterPattern", "")), str(row.get("routingOutputTerminal", ""))))
        self._compiled: dict[str, Xpath] = {}

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        columns, rows = self.query(invocation, assembly)
        if not rows:
            self.send("keyNotFound", invocation, assembly)
            return
        row = dict(zip((column.upper() for column in columns), rows[0], strict=True))
        matched = False
        for pattern, target in self.rules:
            if self._rule(pattern).holds(self._with_columns(assembly, row)):
                matched = True
                self.send(target, invocation, assembly)
                if self.first_only:
                    return
        if not matched:
            self.send("default", invocation, assembly)

    def _rule(self, pattern: str) -> Xpath:
        """Return a filter: `$TABLE_COLUMN` becomes a path to the column below the environment copy."""
        found = self._compiled.get(pattern)
        if found is None:
            text = pattern
            for table_row in self.tables.get("queryElements", []):
                table, column = str(table_row.get("tableName", "")), str(table_row.get("columnName", ""))
                if table and column:
                    text = text.replace(f"${table}_{column}", f"$Environment/__columns/{column.upper()}")
            try:
                found = self._compiled[pattern] = Xpath(text, self.namespaces)
            except ValueError as error:
                raise BrokerError(3003, f"the filter {pattern!r} is not XPath: {error}", inserts=(pattern,)) from None
        return found

    def _with_columns(self, assembly: Assembly, row: dict[str, object]) -> Assembly:
        environment = copy_element(assembly.environment)
        folder = environment.append(Element("__columns", None, NAME))
        for name, value in row.items():
            folder.append(Element(name, value))
        return Assembly(assembly.message, assembly.local_environment, environment, assembly.exception_list)
