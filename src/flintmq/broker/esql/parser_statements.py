"""Statements of ESQL, and how the parser resumes after an error.

A list of statements ends at the word that its owner waits for (END, ELSE, UNTIL ...). An error inside a statement is
kept, and the parser resumes

* after the next semicolon, or
* at the next keyword that begins a statement and stands first on its line, or
* at END, ELSE, ELSEIF, WHEN or UNTIL of an open construct, or
* at CREATE FUNCTION, CREATE PROCEDURE, CREATE ... MODULE: there every open block ends.

In the head of IF, WHILE, CASE and FOR it resumes behind THEN or DO, so that the body is still read and its END matches.
`END IF` where no IF is open is reported and skipped; `END IF` while a WHILE inside that IF is open closes both, and
the WHILE is reported.

Resuming always consumes a token, so the parser ends for every text.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql import lexer
from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.lexer import Token
from flintmq.broker.esql.parser_expressions import ExpressionParser

_COMPOUND: Final = frozenset(("IF", "CASE", "WHILE", "REPEAT", "LOOP", "FOR", "MODULE"))
_LABELLED: Final = ("BEGIN", "WHILE", "REPEAT", "LOOP", "FOR")
_POSITIONS: Final = ("PREVIOUSSIBLING", "NEXTSIBLING", "FIRSTCHILD", "LASTCHILD")
_LIST_ENDS: Final = frozenset(("END", "ELSE", "ELSEIF", "WHEN", "UNTIL"))
_MODULE_KINDS: Final = ("COMPUTE", "FILTER", "DATABASE", "DATABASEEVENT")


class StatementParser(ExpressionParser):
    """Methods that take one statement each and return its node."""

    #: Whether the last statement of the text may lack its semicolon, as in the text of EVAL.
    last_semicolon_optional = False
    #: Constructs that are open, outermost first: BEGIN, IF, CASE, WHILE, REPEAT, LOOP, FOR, MODULE.
    open: list[str]

    # Lists of statements and recovery.

    def statements(self, owner: str, ends: tuple[str, ...] = ()) -> list[s.Statement]:
        """Take statements up to END or one of `ends`, which stays current. `owner` is the construct they stand in."""
        self.open.append(owner)
        result: list[s.Statement] = []
        while True:
            token = self.token
            symbol = token.symbol
            if symbol == ";":
                self.advance()
            elif token.kind == lexer.END or self.at_routine():
                break
            elif symbol == "END" and self._at_end_of_open(owner):
                break
            elif symbol in ends:
                break
            elif symbol in ("ELSE", "ELSEIF", "WHEN", "UNTIL") and self._belongs_to_open(symbol):
                break
            else:
                statement = self.statement_or_error()
                if statement is not None:
                    result.append(statement)
        self.open.pop()
        return result

    def statement_or_error(self) -> s.Statement | None:
        """Take one statement; after an error keep it, resume and return None."""
        start = self.position
        depth, opened = self.depth, len(self.open)
        try:
            return self.statement()
        except EsqlSyntaxError as error:
            self.resume_at(depth, opened)
            self.keep(error)
            self._skip_statement(start)
            return None

    def resume_at(self, depth: int, opened: int) -> None:
        """Restore the nesting that was in force before an error."""
        self.depth = depth
        self.expressions = 0
        del self.open[opened:]

    def _skip_statement(self, start: int) -> None:
        """Go to a place where a statement may begin, at least one token after `start`."""
        if self.position == start:
            self.advance()
        while self.token.kind != lexer.END:
            symbol = self.token.symbol
            if symbol == ";":
                self.advance()
                return
            if symbol in _LIST_ENDS and self._closes_open(symbol):
                return
            if (symbol in _STATEMENTS and self._first_on_line()) or self.at_routine():
                return
            self.advance()

    def _closes_open(self, symbol: str) -> bool:
        """Tell whether END, ELSE and so on belong to a construct that is open, rather than to an expression."""
        if symbol == "END":
            following = self.ahead().symbol
            return following in _COMPOUND or following == ";" or self._first_on_line()
        return self._first_on_line() and self._belongs_to_open(symbol)

    def _first_on_line(self) -> bool:
        """Tell whether the current token is the first on its line."""
        return self.position == 0 or self.tokens[self.position - 1].line < self.token.line

    def at_routine(self) -> bool:
        """Tell whether a routine or a module begins here: CREATE FUNCTION, CREATE COMPUTE MODULE ..."""
        if self.token.symbol != "CREATE":
            return False
        symbol = self.ahead().symbol
        if symbol in ("FUNCTION", "PROCEDURE"):
            return True
        return symbol in _MODULE_KINDS and self.ahead(2).symbol == "MODULE"

    def _end_kind(self) -> str:
        """Return the construct that the END at the current token ends: IF, WHILE, ... or BEGIN."""
        symbol = self.ahead().symbol
        return symbol if symbol in _COMPOUND else "BEGIN"

    def _at_end_of_open(self, owner: str) -> bool:
        """Tell whether END here ends `owner` or a construct around it. If it ends nothing, report and skip it."""
        kind = self._end_kind()
        if kind in self.open:
            return True
        end = self.token
        found = "END" if kind == "BEGIN" else f"END {kind}"
        expected = {"": "a statement", "BEGIN": "END"}.get(owner, f"END {owner}")
        self.keep(self.source.error(f"{found} without its beginning", expected, end.line, end.column))
        self._skip_statement(self.position)
        return False

    def _belongs_to_open(self, symbol: str) -> bool:
        """Tell whether ELSE, ELSEIF, WHEN or UNTIL belongs to a construct that is open."""
        if symbol == "UNTIL":
            return "REPEAT" in self.open
        if symbol == "WHEN":
            return "CASE" in self.open
        return "IF" in self.open or (symbol == "ELSE" and "CASE" in self.open)

    def close(self, kind: str, begin: Token, label: s.Name | None = None) -> None:
        """Take `END kind [label];`. Report, but go on, if something else stands here."""
        if self.token.symbol != "END" or self._end_kind() != kind:
            what = "END" if kind == "BEGIN" else f"END {kind}"
            self.keep(self.failure(f"{what} of the {kind} on line {begin.line}"))
            return
        self.advance()
        if kind != "BEGIN":
            self.advance()
        token = self.token
        if token.kind in (lexer.WORD, lexer.QUOTED) and self.ahead().symbol == ";":
            name = self.name("a label")
            if label is None or label.key != name.key:
                wanted = f"the label {label.text}" if label else ";"
                self.keep(self.source.error(name.text, wanted, name.line, name.column))
        self.semicolon(f" after END {kind}" if kind != "BEGIN" else " after END")

    def semicolon(self, context: str = "") -> None:
        """Take the semicolon. If it is missing before the next statement, report that and go on."""
        if self.token.symbol == ";":
            self.advance()
            return
        if self.token.kind == lexer.END and self.last_semicolon_optional:
            return
        error = self.failure(f";{context}")
        symbol = self.token.symbol
        if self.token.kind == lexer.END or symbol in _STATEMENTS or symbol == "END":
            self.keep(error)
            return
        if symbol in _LIST_ENDS and self._belongs_to_open(symbol):
            self.keep(error)
            return
        raise error

    def condition(self, word: str, context: str) -> s.Expression:
        """Take the expression in the head of a statement and `word` after it; after an error resume behind `word`."""
        start = self.token
        depth, opened = self.depth, len(self.open)
        try:
            result = self.expression()
            self.expect(word, context)
            return result
        except EsqlSyntaxError as error:
            self.resume_at(depth, opened)
            self.keep(error)
        while self.token.kind != lexer.END and self.token.symbol != ";":
            if self.accept(word) or (self.token.symbol in _STATEMENTS and self._first_on_line()):
                break
            if self.token.symbol in _LIST_ENDS and self._first_on_line():
                break
            self.advance()
        return s.Literal(start.line, start.column, "NULL", None)

    # One statement.

    def statement(self) -> s.Statement:
        """Take one statement, with its label if it has one."""
        token = self.token
        self.enter()
        if self.ahead().symbol == ":" and token.kind in (lexer.WORD, lexer.QUOTED):
            label = self.name("a label")
            self.advance()
            symbol = self.token.symbol
            if symbol not in _LABELLED:
                raise self.failure("BEGIN, WHILE, REPEAT, LOOP or FOR after a label")
            result = _LABELLED_STATEMENTS[symbol](self, token, label)
        else:
            method = _STATEMENTS.get(token.symbol)
            if method is None:
                raise self.failure("a statement")
            result = method(self, token)
        self.depth -= 1
        result.end = self.previous_end()
        return result

    # Blocks and control.

    def _begin(self, token: Token, label: s.Name | None = None) -> s.Statement:
        begin = self.advance()
        atomic: bool | None = None
        if self.token.symbol == "NOT" and self.ahead().symbol == "ATOMIC":
            self.advance()
            self.advance()
            atomic = False
        elif self.accept("ATOMIC"):
            atomic = True
        block = s.Block(token.line, token.column, token.start, 0, label, atomic, self.statements("BEGIN"))
        self.close("BEGIN", begin, label)
        return block

    def _if(self, token: Token) -> s.Statement:
        result = s.If(token.line, token.column, token.start, 0, [])
        word = self.advance()
        while True:
            condition = self.condition("THEN", f" of {word.symbol}")
            body = self.statements("IF", ("ELSE", "ELSEIF"))
            result.branches.append(s.Branch(word.line, word.column, condition, body))
            if self.token.symbol != "ELSEIF":
                break
            word = self.advance()
        if self.accept("ELSE"):
            result.otherwise = self.statements("IF")
        self.close("IF", token)
        return result

    def _case_statement(self, token: Token) -> s.Statement:
        self.advance()
        result = s.CaseStatement(token.line, token.column, token.start, 0, None, [])
        if self.token.symbol != "WHEN":
            result.operand = self.expression()
        if self.token.symbol != "WHEN":
            raise self.failure("WHEN of CASE")
        while self.token.symbol == "WHEN":
            when = self.advance()
            condition = self.condition("THEN", " of WHEN")
            body = self.statements("CASE", ("WHEN", "ELSE"))
            result.whens.append(s.Branch(when.line, when.column, condition, body))
        if self.accept("ELSE"):
            result.otherwise = self.statements("CASE")
        self.close("CASE", token)
        return result

    def _while(self, token: Token, label: s.Name | None = None) -> s.Statement:
        begin = self.advance()
        condition = self.condition("DO", " of WHILE")
        body = self.statements("WHILE")
        self.close("WHILE", begin, label)
        return s.While(token.line, token.column, token.start, 0, label, condition, body)

    def _repeat(self, token: Token, label: s.Name | None = None) -> s.Statement:
        begin = self.advance()
        body = self.statements("REPEAT", ("UNTIL",))
        self.expect("UNTIL", f" of the REPEAT on line {begin.line}")
        condition = self.expression()
        self.close("REPEAT", begin, label)
        return s.Repeat(token.line, token.column, token.start, 0, label, body, condition)

    def _loop(self, token: Token, label: s.Name | None = None) -> s.Statement:
        begin = self.advance()
        body = self.statements("LOOP")
        self.close("LOOP", begin, label)
        return s.Loop(token.line, token.column, token.start, 0, label, body)

    def _for(self, token: Token, label: s.Name | None = None) -> s.Statement:
        begin = self.advance()
        name = self.name("a name after FOR")
        self.expect("AS", " of FOR")
        source = self.condition("DO", " of FOR")
        body = self.statements("FOR")
        self.close("FOR", begin, label)
        return s.For(token.line, token.column, token.start, 0, label, name, source, body)

    def _iterate(self, token: Token) -> s.Statement:
        self.advance()
        label = self.name("a label after ITERATE")
        self.semicolon(" after ITERATE")
        return s.Iterate(token.line, token.column, token.start, 0, label)

    def _leave(self, token: Token) -> s.Statement:
        self.advance()
        label = self.name("a label after LEAVE")
        self.semicolon(" after LEAVE")
        return s.Leave(token.line, token.column, token.start, 0, label)

    def _return(self, token: Token) -> s.Statement:
        self.advance()
        value = None
        if self.token.symbol != ";" and self.token.kind != lexer.END:
            value = self.expression()
        self.semicolon(" after RETURN")
        return s.Return(token.line, token.column, token.start, 0, value)

    def _set(self, token: Token) -> s.Statement:
        self.advance()
        target = self.path("a variable or field reference after SET")
        attribute = None
        if self.token.symbol in ("TYPE", "NAMESPACE", "NAME", "VALUE"):
            attribute = self.advance().symbol
        self.expect("=", " of SET")
        value = self.expression()
        self.semicolon(" after SET")
        return s.Set(token.line, token.column, token.start, 0, target, attribute, value)

    def _call(self, token: Token) -> s.Statement:
        self.advance()
        names = [self.name("the name of a routine after CALL")]
        while self.accept("."):
            names.append(self.name("a name after the dot"))
        self.expect("(", " after the name of the routine")
        arguments = [] if self.accept(")") else self.expressions_until(")")
        call = s.Call(token.line, token.column, token.start, 0, names[:-1], names[-1], arguments)
        while True:
            if self.accept("IN"):
                call.database = self.path("a database after IN")
            elif self.token.symbol == "EXTERNAL":
                self.advance()
                self.expect("SCHEMA", " after EXTERNAL")
                call.external_schema = self.expression()
            elif self.accept("INTO"):
                call.into = self.path("a variable or field reference after INTO")
            else:
                break
        self.semicolon(" after CALL")
        return call

    # Declarations.

    def declare(self, token: Token) -> s.Declare | s.DeclareHandler:
        """Take DECLARE: variables, or a handler."""
        self.advance()
        symbol = self.token.symbol
        if symbol in ("CONTINUE", "EXIT") and self.ahead().symbol == "HANDLER":
            self.advance()
            return self._handler(token, symbol)
        if symbol == "HANDLER" and self.ahead().symbol == "FOR":
            return self._handler(token, "EXIT")
        names = [self.name("the name of a variable after DECLARE")]
        while self.accept(","):
            names.append(self.name("the name of a variable"))
        storage = self.advance().symbol if self.token.symbol in ("SHARED", "EXTERNAL") else None
        constant = self.accept("CONSTANT")
        type_token = self.token
        if type_token.symbol in ("NAME", "NAMESPACE") and not constant:
            self.advance()
            data_type = s.DataType(type_token.line, type_token.column, type_token.symbol)
        else:
            data_type = self.data_type("a data type of the variable")
        if data_type.name == "REFERENCE":
            self.accept("TO")
        initial = None
        if self.token.symbol != ";" and not self._at_statement_after_line():
            initial = self.expression()
        self.semicolon(" after DECLARE")
        return s.Declare(
            token.line, token.column, token.start, self.previous_end(), names, storage, constant, data_type, initial
        )

    def _at_statement_after_line(self) -> bool:
        """Tell whether a statement begins here on a new line: the statement before it lacks its semicolon."""
        if self.token.kind == lexer.END:
            return True
        return self.token.symbol in _STATEMENTS and self._first_on_line()

    def _handler(self, token: Token, action: str) -> s.DeclareHandler:
        """Take the rest of `DECLARE [CONTINUE | EXIT]`."""
        self.expect("HANDLER")
        self.expect("FOR", " of the HANDLER")
        states = [self._sql_state()]
        while self.accept(","):
            states.append(self._sql_state())
        body = self.statement()
        return s.DeclareHandler(token.line, token.column, token.start, self.previous_end(), action, states, body)

    def _sql_state(self) -> s.SqlState:
        """Take `SQLSTATE [VALUE] 'x'` or `SQLSTATE LIKE 'x' [ESCAPE 'c']`."""
        token = self.expect("SQLSTATE", " of the HANDLER")
        if self.accept("LIKE"):
            pattern = self.string("a string after LIKE")
            escape = self.string("a string after ESCAPE") if self.accept("ESCAPE") else None
            return s.SqlState(token.line, token.column, pattern, True, escape)
        self.accept("VALUE")
        return s.SqlState(token.line, token.column, self.string("VALUE, LIKE or a string after SQLSTATE"))

    # Message trees.

    def _create(self, token: Token) -> s.Statement:
        self.advance()
        position = self.expect_one(("FIELD", *_POSITIONS))
        if position != "FIELD":
            self.expect("OF", f" after {position}")
        create = s.Create(token.line, token.column, token.start, 0, position, self.path())
        while self.token.symbol != ";":
            symbol = self.token.symbol
            if symbol == "AS":
                self.advance()
                create.reference = self.path("a reference variable after AS")
            elif symbol == "DOMAIN":
                self.advance()
                create.domain = self.expression()
            elif symbol == "IDENTITY":
                self.advance()
                create.identity = self.path_element()
            elif symbol == "TYPE":
                self.advance()
                create.type = self.expression()
            elif symbol == "NAMESPACE":
                self.advance()
                create.namespace = self.expression()
            elif symbol == "NAME":
                self.advance()
                create.name = self.expression()
            elif symbol == "REPEAT":
                self.advance()
                create.repeat = True
            elif symbol == "VALUE":
                self.advance()
                create.value = self.expression()
            elif symbol == "FROM":
                self.advance()
                create.source = self.expression()
            elif symbol == "PARSE":
                parse = self.advance()
                self.expect("(", " after PARSE")
                source = self.expression()
                create.parse = s.Parse(parse.line, parse.column, source, self.parse_options())
            else:
                break
        self.semicolon(" or a clause of CREATE")
        return create

    def _delete(self, token: Token) -> s.Statement:
        self.advance()
        if self.accept("FROM"):
            table = self.path("a table after DELETE FROM")
            name = self.name("a correlation name after AS") if self.accept("AS") else None
            where = self.expression() if self.accept("WHERE") else None
            self.semicolon(" after DELETE FROM")
            return s.DeleteFrom(token.line, token.column, token.start, 0, table, name, where)
        position = self.expect_one(("FIELD", "FROM", *_POSITIONS))
        if position != "FIELD":
            self.expect("OF", f" after {position}")
        target = self.path()
        self.semicolon(" after DELETE")
        return s.DeleteField(token.line, token.column, token.start, 0, position, target)

    def _move(self, token: Token) -> s.Statement:
        self.advance()
        reference = self.path("a reference variable after MOVE")
        position = self.expect_one(("TO", "PARENT", *_POSITIONS))
        move = s.Move(token.line, token.column, token.start, 0, reference, position)
        if position == "TO":
            move.target = self.expression()
        else:
            self._move_clauses(move)
        self.semicolon(" after MOVE")
        return move

    def _move_clauses(self, move: s.Move) -> None:
        """Take `REPEAT [TYPE] [NAME]`, `IDENTITY element` or `[TYPE e] [NAMESPACE e] [NAME e]`."""
        if self.accept("REPEAT"):
            move.repeat = True
            while self.token.symbol in ("TYPE", "NAME"):
                if self.advance().symbol == "TYPE":
                    move.repeat_type = True
                else:
                    move.repeat_name = True
        elif self.accept("IDENTITY"):
            move.identity = self.path_element()
        else:
            while self.token.symbol in ("TYPE", "NAMESPACE", "NAME"):
                clause = self.advance().symbol
                if clause == "TYPE":
                    move.type = self.expression()
                elif clause == "NAMESPACE":
                    move.namespace = self._any_or_expression()
                else:
                    move.name = self._any_or_expression()

    def _any_or_expression(self) -> s.Expression | s.AnyName:
        """Take `*` or an expression."""
        if self.token.symbol == "*" and self.ahead().symbol != ":":
            token = self.advance()
            return s.AnyName(token.line, token.column)
        return self.expression()

    def _attach(self, token: Token) -> s.Statement:
        self.advance()
        reference = self.path("a reference variable after ATTACH")
        self.expect("TO", " of ATTACH")
        target = self.path()
        self.expect("AS", " of ATTACH")
        position = self.expect_one(_POSITIONS)
        self.semicolon(" after ATTACH")
        return s.Attach(token.line, token.column, token.start, 0, reference, target, position)

    def _detach(self, token: Token) -> s.Statement:
        self.advance()
        reference = self.path("a reference variable after DETACH")
        self.semicolon(" after DETACH")
        return s.Detach(token.line, token.column, token.start, 0, reference)

    def _propagate(self, token: Token) -> s.Statement:
        self.advance()
        propagate = s.Propagate(token.line, token.column, token.start, 0)
        while True:
            symbol = self.token.symbol
            if symbol == "TO":
                self.advance()
                if self.expect_one(("TERMINAL", "LABEL")) == "TERMINAL":
                    propagate.terminal = self.expression()
                else:
                    propagate.label = self.expression()
            elif symbol == "ENVIRONMENT":
                self.advance()
                propagate.environment = self.expression()
            elif symbol == "MESSAGE":
                self.advance()
                propagate.message = self.expression()
            elif symbol == "EXCEPTION":
                self.advance()
                propagate.exception = self.expression()
            elif symbol == "FINALIZE":
                self.advance()
                propagate.finalize = self.expect_one(("DEFAULT", "NONE"))
            elif symbol == "DELETE" and self.ahead().symbol in ("DEFAULT", "NONE"):
                self.advance()
                propagate.delete = self.advance().symbol
            else:
                break
        self.semicolon(" or a clause of PROPAGATE")
        return propagate

    # Databases.

    def _insert(self, token: Token) -> s.Statement:
        self.advance()
        self.expect("INTO", " after INSERT")
        table = self.path("a table after INSERT INTO")
        columns: list[s.Name] | None = None
        if self.accept("("):
            columns = [self.name("the name of a column")]
            while self.accept(","):
                columns.append(self.name("the name of a column"))
            self.expect(")", " after the columns")
        self.expect("VALUES", " of INSERT")
        self.expect("(", " after VALUES")
        values = self.expressions_until(")")
        self.semicolon(" after INSERT")
        return s.Insert(token.line, token.column, token.start, 0, table, columns, values)

    def _update(self, token: Token) -> s.Statement:
        self.advance()
        table = self.path("a table after UPDATE")
        name = self.name("a correlation name after AS") if self.accept("AS") else None
        self.expect("SET", " of UPDATE")
        assignments: list[s.Assignment] = []
        while True:
            column = self.path("the name of a column")
            self.expect("=", " after the column")
            assignments.append(s.Assignment(column.line, column.column, column, self.expression()))
            if not self.accept(","):
                break
        where = self.expression() if self.accept("WHERE") else None
        self.semicolon(" after UPDATE")
        return s.Update(token.line, token.column, token.start, 0, table, name, assignments, where)

    def _passthru_statement(self, token: Token) -> s.Statement:
        self.advance()
        database: s.Path | None = None
        values: list[s.Expression] | None = None
        if self.accept("("):
            sql = self.expression()
            if self.token.symbol in (",", "TO", "VALUES"):
                # `PASSTHRU(sql, values...)`: as the function.
                function = self.passthru_after(token, sql)
                database, values = function.database, function.values
            else:
                self.expect(")")
                sql = self.binary_after(sql, 1)
        else:
            sql = self.expression()
        if self.accept("TO"):
            database = self.path("a database after TO")
        if self.accept("VALUES"):
            values = self.value_list()
        self.semicolon(" after PASSTHRU")
        return s.PassthruStatement(token.line, token.column, token.start, 0, sql, database, values)

    def _commit(self, token: Token) -> s.Statement:
        self.advance()
        database = None if self.token.symbol == ";" else self.path("a database or ; after COMMIT")
        self.semicolon(" after COMMIT")
        return s.Commit(token.line, token.column, token.start, 0, database)

    def _rollback(self, token: Token) -> s.Statement:
        self.advance()
        database = None if self.token.symbol == ";" else self.path("a database or ; after ROLLBACK")
        self.semicolon(" after ROLLBACK")
        return s.Rollback(token.line, token.column, token.start, 0, database)

    # Others.

    def _eval(self, token: Token) -> s.Statement:
        self.advance()
        self.expect("(", " after EVAL")
        source = self.expression()
        self.expect(")")
        self.semicolon(" after EVAL")
        return s.Eval(token.line, token.column, token.start, 0, source)

    def _throw(self, token: Token) -> s.Statement:
        self.advance()
        user = self.accept("USER")
        self.expect("EXCEPTION", " after THROW")
        throw = s.Throw(token.line, token.column, token.start, 0, user)
        self._exception_clauses(throw)
        self.semicolon(" or a clause of THROW")
        return throw

    def _log(self, token: Token) -> s.Statement:
        self.advance()
        destination = self.expect_one(("EVENT", "USER"), "EVENT or USER TRACE after LOG")
        if destination == "USER":
            self.expect("TRACE", " after USER")
            destination = "USER TRACE"
        log = s.Log(token.line, token.column, token.start, 0, destination)
        if self.token.symbol == "FULL" and self.ahead().symbol == "EXCEPTION":
            self.advance()
            self.advance()
            log.exception = "FULL EXCEPTION"
        elif self.accept("EXCEPTION"):
            log.exception = "EXCEPTION"
        self._exception_clauses(log)
        self.semicolon(" or a clause of LOG")
        return log

    def _exception_clauses(self, statement: s.Throw | s.Log) -> None:
        """Take `[SEVERITY e] [CATALOG e] [MESSAGE e] [VALUES (...)]` in any order."""
        while True:
            symbol = self.token.symbol
            if symbol == "SEVERITY":
                self.advance()
                statement.severity = self.expression()
            elif symbol == "CATALOG":
                self.advance()
                statement.catalog = self.expression()
            elif symbol == "MESSAGE":
                self.advance()
                statement.message = self.expression()
            elif symbol == "VALUES":
                self.advance()
                statement.values = self.value_list()
            else:
                return

    def _resignal(self, token: Token) -> s.Statement:
        self.advance()
        self.semicolon(" after RESIGNAL")
        return s.Resignal(token.line, token.column, token.start, 0)


_LABELLED_STATEMENTS: Final = {
    "BEGIN": StatementParser._begin,
    "FOR": StatementParser._for,
    "LOOP": StatementParser._loop,
    "REPEAT": StatementParser._repeat,
    "WHILE": StatementParser._while,
}
_STATEMENTS: Final = {
    "ATTACH": StatementParser._attach,
    "BEGIN": StatementParser._begin,
    "CALL": StatementParser._call,
    "CASE": StatementParser._case_statement,
    "COMMIT": StatementParser._commit,
    "CREATE": StatementParser._create,
    "DECLARE": StatementParser.declare,
    "DELETE": StatementParser._delete,
    "DETACH": StatementParser._detach,
    "EVAL": StatementParser._eval,
    "FOR": StatementParser._for,
    "IF": StatementParser._if,
    "INSERT": StatementParser._insert,
    "ITERATE": StatementParser._iterate,
    "LEAVE": StatementParser._leave,
    "LOG": StatementParser._log,
    "LOOP": StatementParser._loop,
    "MOVE": StatementParser._move,
    "PASSTHRU": StatementParser._passthru_statement,
    "PROPAGATE": StatementParser._propagate,
    "REPEAT": StatementParser._repeat,
    "RESIGNAL": StatementParser._resignal,
    "RETURN": StatementParser._return,
    "ROLLBACK": StatementParser._rollback,
    "SET": StatementParser._set,
    "THROW": StatementParser._throw,
    "UPDATE": StatementParser._update,
    "WHILE": StatementParser._while,
}
