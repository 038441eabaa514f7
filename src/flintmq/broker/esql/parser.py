"""The parser of ESQL: from text to the syntax tree of `syntax.py`.

    parse(text, file)         a whole file: schema, PATH, declarations, routines, modules
    parse_statements(text)    bare statements: a V2.1 node, EVAL
    parse_expression(text)    one expression: a V2.1 Filter, a pattern of a Trace node
    parse_path(text)          one field reference

`parse()` and `parse_statements()` never raise: they return the part that could be understood and the list of errors, at
most ERRORS_MAX. `parse_expression()` and `parse_path()` raise the first EsqlSyntaxError.

The work is spread over `parser_core.py` (tokens, names, types, limits), `parser_expressions.py` and
`parser_statements.py` (with the rules by which the parser resumes after an error). Time is proportional to the length
of the text, nesting is limited: no text makes the parser hang or exhaust the stack.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql import lexer
from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.lexer import Source, Token, decode_source, normalise
from flintmq.broker.esql.parser_core import TooManyErrors
from flintmq.broker.esql.parser_statements import StatementParser

__all__ = ["decode_source", "parse", "parse_expression", "parse_path", "parse_statements"]

_LANGUAGES: Final = ("ESQL", "DATABASE", "JAVA", "CLR")
_SQL_ACCESS: Final = ("READS", "MODIFIES", "CONTAINS", "NO")
_DIRECTIONS: Final = ("IN", "OUT", "INOUT")
_EXTERNAL_OPTIONS: Final = ("CLASSLOADER", "ASSEMBLY", "APPDOMAIN", "VERSION", "CULTURE", "PUBLICKEYTOKEN")
_TOO_DEEP: Final = "less deep nesting: Python's stack is exhausted"


def parse(text: str, file: str | None = None) -> s.ParsedFile:
    """Parse the text of an ESQL file. Never raises: errors are in the result. `file` is only named in errors."""
    parser = _FileParser(Source(normalise(text), file))
    try:
        parser.take_file()
    except TooManyErrors:
        pass
    except RecursionError:
        parser.errors.append(parser.failure(_TOO_DEEP))
    result = s.ParsedFile(file, parser.source.text, parser.schema, parser.schema_path, parser.items, [])
    result.errors = parser.all_errors()
    return result


def parse_statements(text: str, file: str | None = None) -> s.ParsedStatements:
    """Parse bare statements. Never raises: errors are in the result. The last semicolon may be missing."""
    parser = _FileParser(Source(normalise(text), file))
    parser.last_semicolon_optional = True
    statements: list[s.Statement] = []
    try:
        parser.take_statements(statements)
    except TooManyErrors:
        pass
    except RecursionError:
        parser.errors.append(parser.failure(_TOO_DEEP))
    return s.ParsedStatements(parser.source.text, statements, parser.all_errors())


def parse_expression(text: str, file: str | None = None) -> s.Expression:
    """Parse one expression; a semicolon may follow it. Raise EsqlSyntaxError if it is not one."""
    parser = _FileParser(Source(normalise(text), file))
    if parser.source.errors:
        raise parser.source.errors[0]
    try:
        result = parser.expression()
    except RecursionError:
        raise parser.failure(_TOO_DEEP) from None
    parser.accept(";")
    if parser.token.kind != lexer.END:
        raise parser.failure("an operator or the end of the expression")
    return result


def parse_path(text: str, file: str | None = None) -> s.Path:
    """Parse one field reference. Raise EsqlSyntaxError if it is not one."""
    parser = _FileParser(Source(normalise(text), file))
    if parser.source.errors:
        raise parser.source.errors[0]
    try:
        result = parser.path()
    except RecursionError:
        raise parser.failure(_TOO_DEEP) from None
    if parser.token.kind != lexer.END:
        raise parser.failure("a dot or the end of the field reference")
    return result


class _FileParser(StatementParser):
    """Methods for text outside statements: schema, PATH, routines, modules."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.open = []
        self.schema = ""
        self.schema_path: list[str] = []
        self.items: list[s.Item] = []

    # The file.

    def take_file(self) -> None:
        """Take the whole file into `schema`, `schema_path` and `items`."""
        self._take_head()
        while self.token.kind != lexer.END:
            if self.accept(";"):
                continue
            start = self.position
            try:
                self.items.append(self._item())
            except EsqlSyntaxError as error:
                self.resume_at(0, 0)
                self.keep(error)
                self._skip_item(start)

    def take_statements(self, statements: list[s.Statement]) -> None:
        """Take statements to the end of the text into `statements`."""
        while self.token.kind != lexer.END:
            statements.extend(self.statements(""))
            if self.token.kind != lexer.END:
                # Only CREATE FUNCTION and its like stop a list that nothing encloses.
                start = self.position
                self.keep(self.failure("a statement; routines and modules stand in a file of their own"))
                self._skip_item(start)

    def _take_head(self) -> None:
        """Take `[BROKER SCHEMA name] [PATH name {, name}]` with or without semicolons."""
        start = self.position
        try:
            if self.token.symbol == "BROKER":
                self.advance()
                self.expect("SCHEMA", " after BROKER")
                if not self.at_routine() and self.token.kind in (lexer.WORD, lexer.QUOTED):
                    self.schema = self._schema_name()
                self.accept(";")
            while self.token.symbol == "PATH":
                self.advance()
                self.schema_path.append(self._schema_name())
                while self.accept(","):
                    self.schema_path.append(self._schema_name())
                self.accept(";")
        except EsqlSyntaxError as error:
            self.keep(error)
            self._skip_item(start)

    def _schema_name(self) -> str:
        """Take `word {. word}` and return it with dots."""
        words = [self.name("the name of a broker schema").text]
        while self.accept("."):
            words.append(self.name("a word after the dot").text)
        return ".".join(words)

    def _skip_item(self, start: int) -> None:
        """Go to the next CREATE, DECLARE or END MODULE, at least one token after `start`."""
        if self.position == start:
            self.advance()
        while self.token.kind != lexer.END:
            if self.at_routine() or (self.token.symbol == "DECLARE" and self._at_line_start()):
                return
            if self.token.symbol == "END" and self.ahead().symbol == "MODULE":
                if self.open:
                    return
                self.advance()
                self.advance()
                self.accept(";")
                return
            self.advance()

    def _at_line_start(self) -> bool:
        """Tell whether the current token is the first on its line."""
        return self.tokens[self.position - 1].line < self.token.line

    def _item(self) -> s.Item:
        """Take a declaration, a routine or a module."""
        token = self.token
        if token.symbol == "DECLARE":
            return self.declare(token)
        if not self.at_routine():
            raise self.failure("CREATE FUNCTION, PROCEDURE or MODULE, or DECLARE")
        if self.ahead().symbol in ("FUNCTION", "PROCEDURE"):
            return self._routine()
        return self._module()

    # Modules.

    def _module(self) -> s.Module:
        """Take a module."""
        token = self.advance()
        kind = self.advance().symbol
        self.advance()
        name = self.name("the name of the module")
        module = s.Module(token.line, token.column, token.start, 0, kind, name, [])
        self.open.append("MODULE")
        while True:
            if self.token.kind == lexer.END or (self.token.symbol == "CREATE" and self.ahead(2).symbol == "MODULE"):
                self.keep(self.failure(f"END MODULE of the module {name.text} on line {token.line}"))
                break
            if self.token.symbol == "END" and self.ahead().symbol == "MODULE":
                self.advance()
                self.advance()
                self._module_semicolon()
                break
            if not self.accept(";"):
                self._module_item(module)
        self.open.clear()
        module.end = self.previous_end()
        return module

    def _module_semicolon(self) -> None:
        """Take the semicolon after END MODULE, or report that it is missing."""
        if not self.accept(";"):
            self.keep(self.failure("; after END MODULE"))

    def _module_item(self, module: s.Module) -> None:
        """Take a declaration or a routine of a module; after an error resume at the next."""
        start = self.position
        depth = self.depth
        try:
            token = self.token
            if token.symbol == "DECLARE":
                module.items.append(self.declare(token))
            elif token.symbol == "CREATE" and self.ahead().symbol in ("FUNCTION", "PROCEDURE"):
                module.items.append(self._routine())
            else:
                raise self.failure("CREATE FUNCTION, CREATE PROCEDURE, DECLARE or END MODULE")
        except EsqlSyntaxError as error:
            self.resume_at(depth, 1)
            self.keep(error)
            self._skip_item(start)

    # Routines.

    def _routine(self) -> s.Routine:
        """Take a function or a procedure."""
        token = self.advance()
        kind = self.advance().symbol
        name = self.name(f"the name of the {kind.lower()}")
        self.expect("(", " after the name of the routine")
        routine = s.Routine(token.line, token.column, token.start, 0, kind, name, [])
        if not self.accept(")"):
            routine.parameters.append(self._parameter())
            while self.accept(","):
                routine.parameters.append(self._parameter())
            self.expect(")", " after the parameters")
        self._routine_clauses(routine)
        if routine.external is None:
            routine.body = self.statement()
        routine.end = self.previous_end()
        return routine

    def _routine_clauses(self, routine: s.Routine) -> None:
        """Take RETURNS, LANGUAGE, DYNAMIC RESULT SETS, READS SQL DATA and EXTERNAL, in any order."""
        while True:
            symbol = self.token.symbol
            if symbol == "RETURNS":
                self.advance()
                routine.returns = self.data_type("a data type after RETURNS")
                routine.returns_nullable = self._nullable()
            elif symbol == "LANGUAGE":
                self.advance()
                if self.accept("."):
                    self.expect("NET", " after the dot")
                    routine.language = ".NET"
                else:
                    routine.language = self.expect_one(_LANGUAGES, "ESQL, DATABASE, JAVA, CLR or .NET after LANGUAGE")
            elif symbol == "DYNAMIC":
                self.advance()
                self.expect("RESULT", " after DYNAMIC")
                self.expect("SETS", " after RESULT")
                routine.result_sets = self.integer("the number of result sets")
            elif symbol in _SQL_ACCESS and self.ahead().symbol == "SQL":
                self.advance()
                self.advance()
                routine.sql_access = f"{symbol} SQL DATA" if self.accept("DATA") else f"{symbol} SQL"
            elif symbol == "EXTERNAL":
                routine.external = self._external()
                return
            else:
                return

    def _external(self) -> s.External:
        """Take `EXTERNAL [NAME] "name" {option value};`."""
        token = self.advance()
        self.accept("NAME")
        external = s.External(token.line, token.column, self._external_value("the external name"), [])
        while self.token.symbol in _EXTERNAL_OPTIONS:
            option = self.advance().symbol
            external.options.append((option, self._external_value(f"a name after {option}")))
        self.semicolon(" after the external name")
        return external

    def _external_value(self, expected: str) -> str:
        """Take a quoted identifier, a string or plain words with dots."""
        token = self.token
        if token.kind in (lexer.QUOTED, lexer.STRING):
            self.advance()
            return str(token.value)
        words = [self.name(expected).text]
        while self.accept("."):
            words.append(self.name("a word after the dot").text)
        return ".".join(words)

    def _parameter(self) -> s.Parameter:
        """Take one parameter."""
        token = self.token
        direction = None
        if token.symbol in _DIRECTIONS and not self._ends_parameter(self.ahead()):
            direction = self.advance().symbol
        name = self.name("the name of a parameter")
        constant = self.accept("CONSTANT")
        parameter = s.Parameter(token.line, token.column, direction, name, constant, None)
        type_token = self.token
        if type_token.symbol in ("NAME", "NAMESPACE"):
            self.advance()
            parameter.type = s.DataType(type_token.line, type_token.column, type_token.symbol)
        elif not self._ends_parameter(type_token):
            parameter.type = self.data_type("a data type of the parameter")
            if parameter.type.name == "REFERENCE":
                self.accept("TO")
        parameter.nullable = self._nullable()
        return parameter

    def _ends_parameter(self, token: Token) -> bool:
        """Tell whether a parameter ends before this token."""
        return token.symbol in (",", ")")

    def _nullable(self) -> bool | None:
        """Take `NOT NULL` (False) or `NULLABLE` (True), or nothing (None)."""
        if self.token.symbol == "NOT" and self.ahead().symbol == "NULL":
            self.advance()
            self.advance()
            return False
        return True if self.accept("NULLABLE") else None
