"""The syntax tree back to text: canonical ESQL.

    print_file(parsed)            a whole file
    print_statement(statement)    one statement with its semicolon
    print_expression(node)        one expression, also a path
    print_element(element)        one path element

Canonical means keywords in upper case, one statement per line, four blanks of indentation, parentheses only where they
are needed. Comments are not in the tree and so are not printed. Parsing the printed text gives an equal tree; the tests
hold the printer to that.

The text of the user is better for messages: `ParsedFile.text[statement.start:statement.end]`. This module is for trees
that were made or changed by a program, for `--show`, and for comparing two sources without their layout.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lexer import INTEGER_MAX
from flintmq.broker.esql.parser_core import RESERVED
from flintmq.broker.esql.parser_expressions import STRUCTURAL

_WORD: Final = re.compile(r"(?:[^\W\d]|\$)[\w$]*\Z")
_INDENT: Final = "    "
_KEYWORDS: Final = RESERVED | STRUCTURAL | {"SELECT"}

# Levels of binding, as in parser_expressions.py. An operand of a lower level goes in parentheses.
_OR, _AND, _COMPARISON, _SUM, _CONCATENATION, _PRODUCT, _UNARY, _PRIMARY = range(1, 9)
_BINARY_LEVELS: Final = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}


# Names and paths.


def _name(name: s.Name) -> str:
    """Return a name, quoted if it was or must be."""
    if name.quoted or not _WORD.match(name.text):
        return '"' + name.text.replace('"', '""') + '"'
    return name.text


def _part(part: s.Name | s.ComputedName | s.AnyName | s.NoNamespace | None) -> str:
    """Return the name or the namespace of a path element."""
    if isinstance(part, s.Name):
        return _name(part)
    if isinstance(part, s.ComputedName):
        return "{" + print_expression(part.expression) + "}"
    return "*" if isinstance(part, s.AnyName) else ""


def _index(index: s.Index) -> str:
    """Return the brackets of a path element."""
    sign = {"FIRST": ">", "LAST": "<"}.get(index.kind, "")
    return f"[{sign}{print_expression(index.expression) if index.expression is not None else ''}]"


def print_element(element: s.PathElement) -> str:
    """Return the text of one path element."""
    text = f"({print_expression(element.type)})" if element.type is not None else ""
    if element.namespace is not None:
        text += _part(element.namespace) + ":"
    text += _part(element.name)
    return text + _index(element.index) if element.index is not None else text


def _path(path: s.Path) -> str:
    """Return the text of a path."""
    return ".".join(print_element(element) for element in path.elements)


def _path_expression(path: s.Path) -> str:
    """Return a path as an expression: a variable that is called like a keyword stands in parentheses."""
    name = path.identifier
    if name is not None and not name.quoted and name.key in _KEYWORDS:
        return f"({name.text})"
    return _path(path)


def _path_clause(word: str, path: s.Path | None) -> str:
    """Return ` WORD path`, or nothing if there is no path. Only a path may stand here, no expression."""
    return "" if path is None else f" {word} {_path(path)}"


def _type(data_type: s.DataType) -> str:
    """Return the text of a data type."""
    if data_type.precision is not None:
        scale = f", {data_type.scale}" if data_type.scale is not None else ""
        return f"{data_type.name}({data_type.precision}{scale})"
    return f"{data_type.name} {data_type.qualifier}" if data_type.qualifier else data_type.name


def _quoted(text: str) -> str:
    """Return a character literal."""
    return "'" + text.replace("'", "''") + "'"


# Expressions.


def print_expression(node: s.Expression) -> str:
    """Return the text of an expression."""
    return _EXPRESSIONS[type(node)](node)


def _level(node: s.Expression) -> int:
    """Return how tight the outermost operator of an expression binds."""
    kind = type(node)
    if kind is s.BinaryOperation:
        assert isinstance(node, s.BinaryOperation)
        return _BINARY_LEVELS.get(node.operator, _COMPARISON)
    if kind is s.Literal:
        assert isinstance(node, s.Literal)
        negative = node.kind == "INTEGER" and isinstance(node.value, int) and node.value < 0 and not node.hexadecimal
        return _UNARY if negative else _PRIMARY
    return _LEVELS.get(kind, _PRIMARY)


def _operand(node: s.Expression, level: int) -> str:
    """Return an operand, in parentheses if its operator binds less tight than `level`."""
    text = print_expression(node)
    return text if _level(node) >= level else f"({text})"


def _list(nodes: list[s.Expression]) -> str:
    """Return expressions with commas between them."""
    return ", ".join(print_expression(node) for node in nodes)


def _clause(word: str, node: s.Expression | s.AnyName | None) -> str:
    """Return ` WORD expression`, or nothing if there is no expression."""
    if node is None:
        return ""
    return f" {word} {'*' if isinstance(node, s.AnyName) else print_expression(node)}"


def _literal(node: s.Literal) -> str:
    """Return a literal that the lexer reads as the same kind and value."""
    value = node.value
    if node.kind == "CHARACTER":
        return _quoted(str(value))
    if value is None:
        return node.kind
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return f"0x{value & (2**64 - 1):X}" if node.hexadecimal else str(value)
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return text if "." in text or value > INTEGER_MAX else text + ".0"
    if isinstance(value, float):
        text = repr(value).upper()
        return text if "E" in text else text + "E0"
    if isinstance(value, bytes):
        return f"X'{value.hex().upper()}'"
    return f"B'{value}'" if node.kind == "BIT" else f"{node.kind} {_quoted(value)}"


def _interval(node: s.IntervalLiteral) -> str:
    return f"INTERVAL {'-' if node.negative else ''}{_quoted(node.text)} {node.qualifier}"


def _unary(node: s.UnaryOperation) -> str:
    operand = _operand(node.operand, _UNARY)
    if node.operator == "NOT":
        return f"NOT {operand}"
    if operand[:1] in "+-":  # Two minus signs would begin a comment.
        return f"{node.operator}({operand})"
    return node.operator + operand


def _binary(node: s.BinaryOperation) -> str:
    level = _level(node)
    return f"{_operand(node.left, level)} {node.operator} {_operand(node.right, level + 1)}"


def _chain(nodes: list[s.Expression], operator: str, level: int) -> str:
    """Return operands with the same operator between all of them; a looser or equal one inside is parenthesised."""
    return operator.join(_operand(node, level + 1) for node in nodes)


def _between(node: s.Between) -> str:
    word = f"{'NOT ' if node.negated else ''}BETWEEN{' SYMMETRIC' if node.symmetric else ''}"
    return f"{_operand(node.operand, _COMPARISON)} {word} {_operand(node.low, _SUM)} AND {_operand(node.high, _SUM)}"


def _in(node: s.In) -> str:
    return f"{_operand(node.operand, _COMPARISON)} {'NOT ' if node.negated else ''}IN ({_list(node.items)})"


def _like(node: s.Like) -> str:
    escape = f" ESCAPE {_operand(node.escape, _SUM)}" if node.escape is not None else ""
    word = "NOT LIKE" if node.negated else "LIKE"
    return f"{_operand(node.operand, _COMPARISON)} {word} {_operand(node.pattern, _SUM)}{escape}"


def _is(node: s.Is) -> str:
    return f"{_operand(node.operand, _COMPARISON)} IS {'NOT ' if node.negated else ''}{node.test}"


def _quantified(node: s.QuantifiedComparison) -> str:
    return f"{_operand(node.left, _COMPARISON)} {node.operator} {node.quantifier} ({_list(node.items)})"


def _call(node: s.FunctionCall) -> str:
    name = ".".join(_name(name) for name in [*node.schema, node.name])
    return f"{name}({_list(node.arguments)})" if node.parentheses else name


def _cast(node: s.Cast) -> str:
    clauses = _clause("CCSID", node.ccsid) + _clause("ENCODING", node.encoding)
    clauses += _clause("FORMAT", node.format) + _clause("DEFAULT", node.default)
    return f"CAST({_list(node.operands)} AS {_type(node.type)}{clauses})"


def _case(node: s.CaseExpression) -> str:
    text = "CASE" if node.operand is None else f"CASE {print_expression(node.operand)}"
    for when in node.whens:
        text += f" WHEN {print_expression(when.condition)} THEN {print_expression(when.result)}"
    return text + _clause("ELSE", node.otherwise) + " END"


def _trim(node: s.Trim) -> str:
    source = print_expression(node.source)
    if node.characters is not None:
        return f"TRIM({node.mode} {print_expression(node.characters)} FROM {source})"
    return f"TRIM({source})" if node.mode == "BOTH" else f"TRIM({node.mode} FROM {source})"


def _substring(node: s.Substring) -> str:
    start = print_expression(node.start)
    return f"SUBSTRING({print_expression(node.source)} {node.mode} {start}{_clause('FOR', node.length)})"


def _overlay(node: s.Overlay) -> str:
    text = f"{print_expression(node.source)} PLACING {print_expression(node.replacement)}"
    return f"OVERLAY({text} FROM {print_expression(node.start)}{_clause('FOR', node.length)})"


def _position(node: s.Position) -> str:
    clauses = _clause("FROM", node.start) + _clause("REPEAT", node.repeat)
    return f"POSITION({_operand(node.search, _SUM)} IN {print_expression(node.source)}{clauses})"


def _round(node: s.Round) -> str:
    mode = f" MODE {node.mode}" if node.mode else ""
    return f"ROUND({print_expression(node.value)}, {print_expression(node.digits)}{mode})"


def _options(options: s.ParseOptions) -> str:
    """Return the options of PARSE or ASBITSTREAM by keyword."""
    return (
        _clause("ENCODING", options.encoding)
        + _clause("CCSID", options.ccsid)
        + _clause("SET", options.set)
        + _clause("TYPE", options.type)
        + _clause("FORMAT", options.format)
        + _clause("OPTIONS", options.options)
    )


def _passthru(node: s.Passthru | s.PassthruStatement) -> str:
    """Return the text between the parentheses of PASSTHRU."""
    values = f" VALUES ({_list(node.values)})" if node.values is not None else ""
    return print_expression(node.sql) + _path_clause("TO", node.database) + values


def _for_function(node: s.ForFunction) -> str:
    name = f" AS {_name(node.name)}" if node.name is not None else ""
    return f"FOR {node.quantifier} {_path(node.source)}{name} ({print_expression(node.condition)})"


def _row(node: s.RowConstructor) -> str:
    fields = (print_expression(field.expression) + _path_clause("AS", field.name) for field in node.fields)
    return f"ROW({', '.join(fields)})"


def _context(node: s.ContextReference) -> str:
    parts: list[str] = []
    if node.node is not None:
        parts.append(f"NODENAME {print_expression(node.node)}" if node.level else print_expression(node.node))
    if node.level is not None:
        parts.append(f"LEVELNAME {print_expression(node.level)}")
    if node.section is not None:
        parts.append(node.section)
    return f"{node.function}({' '.join(parts)})"


def _function_path(node: s.FunctionPath) -> str:
    return ".".join([print_expression(node.source), *(print_element(element) for element in node.elements)])


def _select(node: s.Select) -> str:
    if node.item is not None:
        clause = f"ITEM {print_expression(node.item)}"
    else:
        clause = ", ".join(_column(column) for column in node.columns)
    sources = ", ".join(
        _operand(source.source, _UNARY) + (f" AS {_name(source.name)}" if source.name is not None else "")
        for source in node.sources
    )
    return f"(SELECT {clause} FROM {sources}{_clause('WHERE', node.where)})"


def _column(column: s.SelectColumn) -> str:
    """Return one column of a SELECT."""
    if column.expression is None:
        return "*"
    return print_expression(column.expression) + _path_clause("AS", column.name) + (" INSERT" if column.insert else "")


_LEVELS: Final[dict[type, int]] = {
    s.Or: _OR,
    s.And: _AND,
    s.Between: _COMPARISON,
    s.In: _COMPARISON,
    s.Is: _COMPARISON,
    s.Like: _COMPARISON,
    s.QuantifiedComparison: _COMPARISON,
    s.Concatenation: _CONCATENATION,
    s.UnaryOperation: _UNARY,
}
_EXPRESSIONS: Final[dict[type, Callable[[Any], str]]] = {
    s.Aggregate: lambda node: f"{node.function}({_list([node.argument]) if node.argument is not None else '*'})",
    s.And: lambda node: _chain(node.operands, " AND ", _AND),
    s.AsBitStream: lambda node: f"ASBITSTREAM({print_expression(node.source)}{_options(node.options)})",
    s.Between: _between,
    s.BinaryOperation: _binary,
    s.CaseExpression: _case,
    s.Cast: _cast,
    s.Concatenation: lambda node: _chain(node.operands, " || ", _CONCATENATION),
    s.ContextReference: _context,
    s.Extract: lambda node: f"EXTRACT({node.field} FROM {print_expression(node.source)})",
    s.ForFunction: _for_function,
    s.FunctionCall: _call,
    s.FunctionPath: _function_path,
    s.In: _in,
    s.IntervalExpression: lambda node: f"({print_expression(node.expression)}) {node.qualifier}",
    s.IntervalLiteral: _interval,
    s.Is: _is,
    s.Like: _like,
    s.ListConstructor: lambda node: "LIST{" + _list(node.items) + "}",
    s.Literal: _literal,
    s.Or: lambda node: _chain(node.operands, " OR ", _OR),
    s.Overlay: _overlay,
    s.Passthru: lambda node: f"PASSTHRU({_passthru(node)})",
    s.Path: _path_expression,
    s.Position: _position,
    s.QuantifiedComparison: _quantified,
    s.Round: _round,
    s.RowConstructor: _row,
    s.Select: _select,
    s.Substring: _substring,
    s.Trim: _trim,
    s.UnaryOperation: _unary,
}


# Statements. Each function returns lines without indentation of their own.


def print_statement(statement: s.Statement) -> str:
    """Return the text of a statement with its semicolon; a compound statement has several lines."""
    return "\n".join(_lines(statement))


def _lines(statement: s.Statement) -> list[str]:
    """Return the lines of a statement."""
    return _STATEMENTS[type(statement)](statement)


def _body(statements: list[s.Statement]) -> list[str]:
    """Return the lines of statements, indented by one level."""
    return [_indented(line) for statement in statements for line in _lines(statement)]


def _indented(line: str) -> str:
    """Return a line indented by one level. A string literal of several lines is not touched: it is one line here."""
    return _INDENT + line


def _label(label: s.Name | None) -> str:
    return "" if label is None else f"{_name(label)}: "


def _end_label(label: s.Name | None) -> str:
    return ";" if label is None else f" {_name(label)};"


def _block(node: s.Block) -> list[str]:
    atomic = {None: "", True: " ATOMIC", False: " NOT ATOMIC"}[node.atomic]
    return [f"{_label(node.label)}BEGIN{atomic}", *_body(node.statements), f"END{_end_label(node.label)}"]


def _declare(node: s.Declare) -> list[str]:
    text = f"DECLARE {', '.join(_name(name) for name in node.names)}"
    if node.storage is not None:
        text += f" {node.storage}"
    text += f"{' CONSTANT' if node.constant else ''} {_type(node.type)}"
    if node.initial is not None:
        text += (" TO " if node.type.name == "REFERENCE" else " ") + print_expression(node.initial)
    return [text + ";"]


def _handler(node: s.DeclareHandler) -> list[str]:
    states: list[str] = []
    for state in node.states:
        escape = f" ESCAPE {_quoted(state.escape)}" if state.escape is not None else ""
        states.append(f"SQLSTATE {'LIKE ' if state.like else ''}{_quoted(state.value)}{escape}")
    return [f"DECLARE {node.action} HANDLER FOR {', '.join(states)}", *_lines(node.statement)]


def _set(node: s.Set) -> list[str]:
    attribute = f" {node.attribute}" if node.attribute else ""
    return [f"SET {_path(node.target)}{attribute} = {print_expression(node.value)};"]


def _call_statement(node: s.Call) -> list[str]:
    name = ".".join(_name(name) for name in [*node.schema, node.name])
    text = f"CALL {name}({_list(node.arguments)})" + _path_clause("IN", node.database)
    return [text + _clause("EXTERNAL SCHEMA", node.external_schema) + _path_clause("INTO", node.into) + ";"]


def _if(node: s.If) -> list[str]:
    lines: list[str] = []
    for branch in node.branches:
        lines.append(f"{'ELSEIF' if lines else 'IF'} {print_expression(branch.condition)} THEN")
        lines.extend(_body(branch.statements))
    return [*lines, *_else(node.otherwise), "END IF;"]


def _else(statements: list[s.Statement] | None) -> list[str]:
    """Return ELSE with its statements, or nothing."""
    return [] if statements is None else ["ELSE", *_body(statements)]


def _case_statement(node: s.CaseStatement) -> list[str]:
    lines = ["CASE" if node.operand is None else f"CASE {print_expression(node.operand)}"]
    for when in node.whens:
        lines.append(f"WHEN {print_expression(when.condition)} THEN")
        lines.extend(_body(when.statements))
    return [*lines, *_else(node.otherwise), "END CASE;"]


def _while(node: s.While) -> list[str]:
    head = f"{_label(node.label)}WHILE {print_expression(node.condition)} DO"
    return [head, *_body(node.statements), f"END WHILE{_end_label(node.label)}"]


def _repeat(node: s.Repeat) -> list[str]:
    until = f"UNTIL {print_expression(node.condition)}"
    return [f"{_label(node.label)}REPEAT", *_body(node.statements), until, f"END REPEAT{_end_label(node.label)}"]


def _loop(node: s.Loop) -> list[str]:
    return [f"{_label(node.label)}LOOP", *_body(node.statements), f"END LOOP{_end_label(node.label)}"]


def _for(node: s.For) -> list[str]:
    head = f"{_label(node.label)}FOR {_name(node.name)} AS {print_expression(node.source)} DO"
    return [head, *_body(node.statements), f"END FOR{_end_label(node.label)}"]


def _where(position: str, target: s.Path) -> str:
    """Return `FIELD target` or `position OF target`."""
    return f"{position} {_path(target)}" if position == "FIELD" else f"{position} OF {_path(target)}"


def _create(node: s.Create) -> list[str]:
    text = f"CREATE {_where(node.position, node.target)}" + _path_clause("AS", node.reference)
    text += _clause("DOMAIN", node.domain)
    if node.identity is not None:
        text += f" IDENTITY {print_element(node.identity)}"
    text += _clause("TYPE", node.type) + _clause("NAMESPACE", node.namespace) + _clause("NAME", node.name)
    text += (" REPEAT" if node.repeat else "") + _clause("VALUE", node.value) + _clause("FROM", node.source)
    if node.parse is not None:
        text += f" PARSE({print_expression(node.parse.source)}{_options(node.parse.options)})"
    return [text + ";"]


def _move(node: s.Move) -> list[str]:
    text = f"MOVE {_path(node.reference)} {node.position}"
    if node.target is not None:
        text += f" {print_expression(node.target)}"
    if node.identity is not None:
        text += f" IDENTITY {print_element(node.identity)}"
    text += _clause("TYPE", node.type) + _clause("NAMESPACE", node.namespace) + _clause("NAME", node.name)
    if node.repeat:
        text += f" REPEAT{' TYPE' if node.repeat_type else ''}{' NAME' if node.repeat_name else ''}"
    return [text + ";"]


def _propagate(node: s.Propagate) -> list[str]:
    text = "PROPAGATE" + _clause("TO TERMINAL", node.terminal) + _clause("TO LABEL", node.label)
    text += _clause("ENVIRONMENT", node.environment) + _clause("MESSAGE", node.message)
    text += _clause("EXCEPTION", node.exception)
    text += f" FINALIZE {node.finalize}" if node.finalize else ""
    return [text + (f" DELETE {node.delete};" if node.delete else ";")]


def _insert(node: s.Insert) -> list[str]:
    columns = f" ({', '.join(_name(column) for column in node.columns)})" if node.columns is not None else ""
    return [f"INSERT INTO {_path(node.table)}{columns} VALUES ({_list(node.values)});"]


def _correlation(name: s.Name | None) -> str:
    return "" if name is None else f" AS {_name(name)}"


def _update(node: s.Update) -> list[str]:
    assignments = ", ".join(f"{_path(item.target)} = {print_expression(item.value)}" for item in node.assignments)
    where = _clause("WHERE", node.where)
    return [f"UPDATE {_path(node.table)}{_correlation(node.name)} SET {assignments}{where};"]


def _delete_from(node: s.DeleteFrom) -> list[str]:
    return [f"DELETE FROM {_path(node.table)}{_correlation(node.name)}{_clause('WHERE', node.where)};"]


def _exception(head: str, node: s.Throw | s.Log) -> list[str]:
    """Return THROW or LOG with its clauses."""
    clauses = _clause("SEVERITY", node.severity) + _clause("CATALOG", node.catalog) + _clause("MESSAGE", node.message)
    values = f" VALUES ({_list(node.values)})" if node.values is not None else ""
    return [f"{head}{clauses}{values};"]


def _throw(node: s.Throw) -> list[str]:
    return _exception("THROW USER EXCEPTION" if node.user else "THROW EXCEPTION", node)


def _log(node: s.Log) -> list[str]:
    return _exception(f"LOG {node.destination}{' ' + node.exception if node.exception else ''}", node)


def _return(node: s.Return) -> list[str]:
    return ["RETURN;" if node.value is None else f"RETURN {print_expression(node.value)};"]


def _attach(node: s.Attach) -> list[str]:
    return [f"ATTACH {_path(node.reference)} TO {_path(node.target)} AS {node.position};"]


_STATEMENTS: Final[dict[type, Callable[[Any], list[str]]]] = {
    s.Attach: _attach,
    s.Block: _block,
    s.Call: _call_statement,
    s.CaseStatement: _case_statement,
    s.Commit: lambda node: [f"COMMIT{' ' + _path(node.database) if node.database else ''};"],
    s.Create: _create,
    s.Declare: _declare,
    s.DeclareHandler: _handler,
    s.DeleteField: lambda node: [f"DELETE {_where(node.position, node.target)};"],
    s.DeleteFrom: _delete_from,
    s.Detach: lambda node: [f"DETACH {_path(node.reference)};"],
    s.Eval: lambda node: [f"EVAL({print_expression(node.source)});"],
    s.For: _for,
    s.If: _if,
    s.Insert: _insert,
    s.Iterate: lambda node: [f"ITERATE {_name(node.label)};"],
    s.Leave: lambda node: [f"LEAVE {_name(node.label)};"],
    s.Log: _log,
    s.Loop: _loop,
    s.Move: _move,
    s.PassthruStatement: lambda node: [f"PASSTHRU ({_passthru(node)});"],
    s.Propagate: _propagate,
    s.Repeat: _repeat,
    s.Resignal: lambda node: ["RESIGNAL;"],
    s.Return: _return,
    s.Rollback: lambda node: [f"ROLLBACK{' ' + _path(node.database) if node.database else ''};"],
    s.Set: _set,
    s.Throw: _throw,
    s.Update: _update,
    s.While: _while,
}


# Routines, modules and files.


def print_file(parsed: s.ParsedFile) -> str:
    """Return the text of a file."""
    lines: list[str] = []
    if parsed.schema:
        lines.append(f"BROKER SCHEMA {_schema(parsed.schema)}")
    if parsed.path:
        lines.append(f"PATH {', '.join(_schema(schema) for schema in parsed.path)};")
    for item in parsed.items:
        if lines:
            lines.append("")
        lines.extend(_item(item))
    return "\n".join(lines) + "\n" if lines else ""


def _schema(schema: str) -> str:
    """Return the name of a broker schema, its words quoted where they must be."""
    return ".".join(word if _WORD.match(word) else f'"{word}"' for word in schema.split("."))


def _item(item: s.Item) -> list[str]:
    """Return the lines of a declaration, routine or module."""
    if isinstance(item, s.Module):
        lines = [f"CREATE {item.kind} MODULE {_name(item.name)}"]
        for inner in item.items:
            lines.extend(_indented(line) for line in _item(inner))
        return [*lines, "END MODULE;"]
    return _routine(item) if isinstance(item, s.Routine) else _lines(item)


def _routine(routine: s.Routine) -> list[str]:
    """Return the lines of a function or procedure."""
    parameters = ", ".join(_parameter(parameter) for parameter in routine.parameters)
    head = f"CREATE {routine.kind} {_name(routine.name)}({parameters})"
    if routine.returns is not None:
        head += f" RETURNS {_type(routine.returns)}{_nullable(routine.returns_nullable)}"
    if routine.language is not None:
        head += f" LANGUAGE {routine.language}"
    if routine.result_sets is not None:
        head += f" DYNAMIC RESULT SETS {routine.result_sets}"
    if routine.sql_access is not None:
        head += f" {routine.sql_access}"
    if routine.external is not None:
        options = "".join(f" {option} {_external(value)}" for option, value in routine.external.options)
        return [f"{head} EXTERNAL NAME {_external(routine.external.name)}{options};"]
    return [head] if routine.body is None else [head, *_lines(routine.body)]


def _external(name: str) -> str:
    """Return an external name in quotation marks."""
    return '"' + name.replace('"', '""') + '"'


def _parameter(parameter: s.Parameter) -> str:
    """Return one parameter."""
    text = f"{parameter.direction} " if parameter.direction else ""
    text += _name(parameter.name) + (" CONSTANT" if parameter.constant else "")
    return text + (f" {_type(parameter.type)}" if parameter.type else "") + _nullable(parameter.nullable)


def _nullable(nullable: bool | None) -> str:
    return {None: "", True: " NULLABLE", False: " NOT NULL"}[nullable]
