"""Expressions and paths of ESQL: precedence climbing over the tokens.

    level   operators                                        right side
    1       OR                                               level 2
    2       AND                                              level 3
    3       = <> < <= > >= IS IN LIKE BETWEEN                level 4
    4       + -                                              level 5
    5       ||                                               level 6
    6       * /                                              level 7
    7       + - NOT in front; literal, path, call, ( )       level 7

Two things differ from other languages: `||` binds tighter than `+`, and NOT binds as tight as a sign, so that
`NOT a = b` is `(NOT a) = b`.

Words are decided by context. A word is a keyword here only if the following text fits: CAST, TRIM and the like before
`(`, DATE before a string, LIST before `{`. Otherwise it begins a path, so that nearly any word can be a variable.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from flintmq.broker.esql import lexer
from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lexer import INTEGER_MAX, Token
from flintmq.broker.esql.parser_core import DEPTH_MAX, RESERVED, ParserCore

_OR: Final = 1
_AND: Final = 2
_COMPARISON: Final = 3
_SUM: Final = 4
_CONCATENATION: Final = 5
_PRODUCT: Final = 6
_UNARY: Final = 7

_LEVELS: Final = {
    "OR": _OR,
    "AND": _AND,
    "=": _COMPARISON,
    "<>": _COMPARISON,
    "<": _COMPARISON,
    "<=": _COMPARISON,
    ">": _COMPARISON,
    ">=": _COMPARISON,
    "IS": _COMPARISON,
    "IN": _COMPARISON,
    "LIKE": _COMPARISON,
    "BETWEEN": _COMPARISON,
    "NOT": _COMPARISON,
    "+": _SUM,
    "-": _SUM,
    "||": _CONCATENATION,
    "*": _PRODUCT,
    "/": _PRODUCT,
}
_COMPARISONS: Final = frozenset(("=", "<>", "<", "<=", ">", ">="))
_QUANTIFIERS: Final = ("ANY", "SOME", "ALL")

#: Keywords that end an expression. One is a name only if what follows could follow a name.
STRUCTURAL: Final = frozenset(
    "AND AS BETWEEN DO ELSE ELSEIF END FOR IN INTO IS LIKE OR SET THEN UNTIL VALUES WHERE".split()
)
_AFTER_NAME: Final = frozenset(
    (".", "[", ")", "]", "}", ",", ";", "=", "<>", "<", "<=", ">", ">=", "||", "+", "-", "*", "/")
)
_WORD_LITERALS: Final[dict[str, tuple[str, bool | None]]] = {
    "NULL": ("NULL", None),
    "UNKNOWN": ("UNKNOWN", None),
    "TRUE": ("BOOLEAN", True),
    "FALSE": ("BOOLEAN", False),
}
_DATE_LITERALS: Final = frozenset(("DATE", "TIME", "GMTTIME", "TIMESTAMP", "GMTTIMESTAMP"))
#: Words that start a literal or a list if a text, a sign or a brace follows.
_PREFIXES: Final = _DATE_LITERALS | {"INTERVAL", "LIST"}
#: Functions that may stand without parentheses.
BARE_FUNCTIONS: Final = frozenset(
    "CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_GMTDATE CURRENT_GMTTIME CURRENT_GMTTIMESTAMP LOCAL_TIMEZONE"
    " SQLCODE SQLERRORTEXT SQLNATIVEERROR SQLSTATE UUIDASBLOB UUIDASCHAR".split()
)
_EXTRACT_FIELDS: Final = (
    "YEAR MONTH DAY HOUR MINUTE SECOND DAYS DAYOFYEAR DAYOFWEEK MONTHS QUARTEROFYEAR QUARTERS WEEKS WEEKOFYEAR"
    " WEEKOFMONTH ISLEAPYEAR".split()
)
_ROUND_MODES: Final = (
    "ROUND_UP ROUND_DOWN ROUND_CEILING ROUND_FLOOR ROUND_HALF_UP ROUND_HALF_EVEN ROUND_HALF_DOWN".split()
)
_IS_TESTS: Final = {
    "NULL": "NULL",
    "TRUE": "TRUE",
    "FALSE": "FALSE",
    "UNKNOWN": "UNKNOWN",
    "INF": "INF",
    "INFINITY": "INF",
    "NAN": "NAN",
    "NUM": "NUM",
    "NUMBER": "NUM",
}
_AGGREGATES: Final = frozenset(("COUNT", "SUM", "MAX", "MIN"))
_CONTEXT_SECTIONS: Final = ("PAYLOAD", "PAYLOADDETAILS", "HEADERS", "METADATA")
_CAST_CLAUSES: Final = ("CCSID", "ENCODING", "FORMAT", "DEFAULT")
_PARSE_OPTIONS: Final = ("ENCODING", "CCSID", "SET", "TYPE", "FORMAT", "OPTIONS")  # In positional order.


class ExpressionParser(ParserCore):
    """Methods that take one construct each and return its node."""

    # Expressions.

    def expression(self) -> s.Expression:
        """Take an expression of any kind."""
        self.enter()
        if self.expressions:
            result = self.binary(_OR)
        else:
            start = self.position
            self.expressions = 1
            result = self.binary(_OR)
            self.expressions = 0
            if self.position - start > DEPTH_MAX:
                self.check_depth(result)
        self.depth -= 1
        return result

    def binary(self, level: int) -> s.Expression:
        """Take an expression with binary operators of `level` or tighter."""
        return self.binary_after(self.unary(), level)

    def binary_after(self, left: s.Expression, level: int) -> s.Expression:
        """Take operators of `level` or tighter and their right sides; `left` was taken before."""
        while True:
            token = self.token
            symbol = token.symbol
            found = _LEVELS.get(symbol, 0)
            if found < level:
                return left
            if found == _COMPARISON:
                self.enter()
                left = self._comparison(left)
                self.depth -= 1
            elif found in (_OR, _AND, _CONCATENATION):
                operands = [left]
                self.enter()
                while self.token.symbol == symbol:
                    self.advance()
                    operands.append(self.binary(found + 1))
                self.depth -= 1
                if found == _OR:
                    left = s.Or(left.line, left.column, operands)
                elif found == _AND:
                    left = s.And(left.line, left.column, operands)
                else:
                    left = s.Concatenation(left.line, left.column, operands)
            else:
                self.advance()
                self.enter()
                right = self.binary(found + 1)
                self.depth -= 1
                left = s.BinaryOperation(left.line, left.column, symbol, left, right)

    def _comparison(self, left: s.Expression) -> s.Expression:
        """Take one comparison, IS, IN, LIKE or BETWEEN with its right side."""
        symbol = self.token.symbol
        line, column = left.line, left.column
        self.advance()
        if symbol in _COMPARISONS:
            quantifier = self.token.symbol
            if quantifier in _QUANTIFIERS and self.ahead().symbol == "(":
                self.advance()
                self.advance()
                items = self.expressions_until(")")
                return s.QuantifiedComparison(line, column, symbol, left, quantifier, items)
            return s.BinaryOperation(line, column, symbol, left, self.binary(_SUM))
        if symbol == "IS":
            return self._is(left)
        negated = symbol == "NOT"
        if negated:
            symbol = self.expect_one(("IN", "LIKE", "BETWEEN"), "IN, LIKE or BETWEEN after NOT")
        if symbol == "IN":
            if self.token.symbol == "(":
                self.advance()
                return s.In(line, column, left, self.expressions_until(")"), negated)
            return s.In(line, column, left, [self.unary()], negated)
        if symbol == "LIKE":
            pattern = self.binary(_SUM)
            escape = self.binary(_SUM) if self.accept("ESCAPE") else None
            return s.Like(line, column, left, pattern, escape, negated)
        symmetric = False
        if self.token.symbol in ("SYMMETRIC", "ASYMMETRIC"):
            symmetric = self.advance().symbol == "SYMMETRIC"
        low = self.binary(_SUM)
        self.expect("AND", " of BETWEEN")
        return s.Between(line, column, left, low, self.binary(_SUM), symmetric, negated)

    def _is(self, left: s.Expression) -> s.Expression:
        """Take the operands of IS."""
        negated = self.accept("NOT")
        sign = self.advance().symbol if self.token.symbol in ("+", "-") else ""
        test = _IS_TESTS.get(self.token.symbol)
        if test is None or (sign and test != "INF"):
            raise self.failure("INF" if sign else "NULL, TRUE, FALSE, UNKNOWN, INF, NAN or NUM after IS")
        self.advance()
        return s.Is(left.line, left.column, left, sign + test, negated)

    def expressions_until(self, closing: str) -> list[s.Expression]:
        """Take expressions with commas between them, one at least, and the closing symbol."""
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        if self.token.symbol != closing:
            raise self.failure(f", or {closing}")
        self.advance()
        return items

    def unary(self) -> s.Expression:
        """Take signs and NOT, then a primary expression."""
        token = self.token
        if token.symbol not in ("-", "+", "NOT"):
            return self._primary()
        self.enter()
        self.advance()
        operand = self.unary()
        self.depth -= 1
        if token.symbol == "-" and _is_minimum(operand):
            return s.Literal(token.line, token.column, "INTEGER", -INTEGER_MAX - 1)
        return s.UnaryOperation(token.line, token.column, token.symbol, operand)

    # Primary expressions.

    def _primary(self) -> s.Expression:
        """Take a literal, a path, a call, or anything in parentheses."""
        token = self.token
        kind = token.kind
        if kind == lexer.WORD:
            return self._word(token)
        if kind == lexer.QUOTED:
            return self._path_or_call()
        if kind == lexer.OPERATOR:
            if token.symbol == "(":
                return self._parenthesised(token)
            if token.symbol == "{" or (token.symbol == "*" and self.ahead().symbol == ":"):
                return self.path()
            raise self.failure("an expression")
        if kind == lexer.END:
            raise self.failure("an expression")
        self.advance()
        return _literal(token)

    def _parenthesised(self, token: Token) -> s.Expression:
        """Take `(expression)`, `(SELECT ...)`, `(a, b, ...)`, and an interval qualifier after it."""
        self.advance()
        items = self.expressions_until(")")
        inner = items[0] if len(items) == 1 else s.ListConstructor(token.line, token.column, items)
        if self.at_qualifier():
            return s.IntervalExpression(token.line, token.column, inner, self.qualifier())
        return inner

    def _word(self, token: Token) -> s.Expression:
        """Take an expression that begins with an unquoted word: decide on the meaning of the word here."""
        symbol = token.symbol
        following = self.ahead()
        after = following.symbol
        if after == "(" and symbol in _SPECIAL:
            self.advance()
            self.advance()
            return self._continued(_SPECIAL[symbol](self, token))
        if symbol in _WORD_LITERALS and after not in (".", "[", "(", ":"):
            self.advance()
            kind, value = _WORD_LITERALS[symbol]
            return s.Literal(token.line, token.column, kind, value)
        if symbol in BARE_FUNCTIONS and after not in (".", "[", "(", ":"):
            self.advance()
            return s.FunctionCall(token.line, token.column, [], _name(token), [], False)
        if symbol in _PREFIXES:
            prefixed = self._prefixed(token, following)
            if prefixed is not None:
                return prefixed
        if symbol == "SELECT" and (after not in _AFTER_NAME or after == "*"):
            return self._select(token)
        if symbol == "CASE":
            return self._case(token)
        if symbol == "FOR" and (after in _QUANTIFIERS or (following.kind in (lexer.WORD, lexer.QUOTED))):
            return self._for_function(token)
        if (symbol in RESERVED or symbol in STRUCTURAL) and not _can_be_name(symbol, after):
            raise self.failure("an expression")
        return self._path_or_call()

    def _prefixed(self, token: Token, following: Token) -> s.Expression | None:
        """Take a literal or list that begins with DATE, INTERVAL, LIST and the like; None if the word is a name."""
        symbol = token.symbol
        if following.kind == lexer.STRING and symbol in _DATE_LITERALS:
            self.advance()
            self.advance()
            return s.Literal(token.line, token.column, symbol, str(following.value))
        if symbol == "INTERVAL":
            if following.kind == lexer.STRING:
                return self._interval(token, False)
            if following.symbol in ("-", "+") and self.ahead(2).kind == lexer.STRING:
                self.advance()
                return self._interval(token, following.symbol == "-")
        if symbol == "LIST" and following.symbol == "{":
            self.advance()
            self.advance()
            return s.ListConstructor(token.line, token.column, self.expressions_until("}"))
        return None

    def _interval(self, token: Token, negative: bool) -> s.Expression:
        """Take the string and the qualifier of an INTERVAL literal; the current token stands before the string."""
        self.advance()
        text = self.string("the value of the interval, a string")
        return s.IntervalLiteral(token.line, token.column, text, self.qualifier(), negative)

    def _path_or_call(self) -> s.Expression:
        """Take a path, or a call if parentheses follow a path of plain names."""
        path = self.path()
        if self.token.symbol != "(":
            return path
        names: list[s.Name] = []
        for element in path.elements:
            plain = element.plain
            if plain is None:
                return path
            names.append(plain)
        self.advance()
        arguments = [] if self.accept(")") else self.expressions_until(")")
        return self._continued(s.FunctionCall(path.line, path.column, names[:-1], names[-1], arguments))

    def _continued(self, call: s.Expression) -> s.Expression:
        """Take path elements that follow the call of a function."""
        if self.token.symbol != ".":
            return call
        elements: list[s.PathElement] = []
        while self.accept("."):
            elements.append(self._path_element("a path element after the dot"))
        return s.FunctionPath(call.line, call.column, call, elements)

    def _case(self, token: Token) -> s.Expression:
        """Take a CASE expression."""
        self.advance()
        operand = None if self.token.symbol == "WHEN" else self.expression()
        whens: list[s.WhenExpression] = []
        while self.token.symbol == "WHEN":
            when = self.advance()
            condition = self.expression()
            self.expect("THEN", " of the CASE expression")
            whens.append(s.WhenExpression(when.line, when.column, condition, self.expression()))
        if not whens:
            raise self.failure("WHEN of the CASE expression")
        otherwise = self.expression() if self.accept("ELSE") else None
        if not self.accept("END"):
            raise self.failure(
                "END of the CASE expression" if otherwise else "WHEN, ELSE or END of the CASE expression"
            )
        return s.CaseExpression(token.line, token.column, operand, whens, otherwise)

    def _for_function(self, token: Token) -> s.Expression:
        """Take `FOR [ALL | ANY | SOME] path [AS name] (condition)`."""
        self.advance()
        quantifier = self.advance().symbol if self.token.symbol in _QUANTIFIERS else "ALL"
        source = self.path()
        name = self.name("a name after AS") if self.accept("AS") else None
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        return s.ForFunction(token.line, token.column, quantifier, source, name, condition)

    # Paths.

    def path(self, expected: str = "a field reference") -> s.Path:
        """Take a path: elements with dots between them."""
        token = self.token
        first = self._path_element(expected)
        path = s.Path(token.line, token.column, [first])
        while self.token.symbol == ".":
            self.advance()
            path.elements.append(self._path_element("a path element after the dot"))
        return path

    def path_element(self) -> s.PathElement:
        """Take one path element that stands by itself, as after IDENTITY."""
        return self._path_element("a path element")

    def _path_element(self, expected: str) -> s.PathElement:
        """Take `(type) namespace : name [index]`, each part optional."""
        token = self.token
        # The usual element is a plain name; it takes the short way.
        if token.kind == lexer.WORD or token.kind == lexer.QUOTED:
            self.advance()
            name = s.Name(token.line, token.column, str(token.value), token.kind == lexer.QUOTED)
            symbol = self.token.symbol
            if symbol != "[" and symbol != ":":
                return s.PathElement(token.line, token.column, None, None, name, None)
            element = s.PathElement(token.line, token.column, None, None, name, None)
            if symbol == ":":
                self.advance()
                element.namespace = name
                element.name = self._element_name()
        else:
            element = s.PathElement(token.line, token.column)
            if token.symbol == "(":
                self.advance()
                element.type = self._inside_path()
                self.expect(")", " after the type of a path element")
            element.name = self._element_name()
            if self.token.symbol == ":":
                colon = self.advance()
                element.namespace = element.name or s.NoNamespace(colon.line, colon.column)
                element.name = self._element_name()
                if element.name is None and self.token.symbol != "[":
                    raise self.failure("a name after the namespace")
        if self.token.symbol == "[":
            element.index = self._index()
        if element.type is None and element.name is None and element.index is None:
            raise self.failure(expected)
        return element

    def _element_name(self) -> s.Name | s.ComputedName | s.AnyName | None:
        """Take a word, a quoted identifier, `{expression}` or `*`, or nothing."""
        token = self.token
        if token.kind == lexer.WORD or token.kind == lexer.QUOTED:
            self.advance()
            return s.Name(token.line, token.column, str(token.value), token.kind == lexer.QUOTED)
        if token.symbol == "*":
            self.advance()
            return s.AnyName(token.line, token.column)
        if token.symbol == "{":
            self.advance()
            if self.accept("}"):
                return s.AnyName(token.line, token.column)  # Empty braces do not restrict the name.
            inner = self._inside_path()
            self.expect("}", " after a computed name")
            return s.ComputedName(token.line, token.column, inner)
        return None

    def _index(self) -> s.Index:
        """Take `[]`, `[e]`, `[> e]` or `[< e]`."""
        token = self.advance()
        symbol = self.token.symbol
        if symbol == "]":
            self.advance()
            return s.Index(token.line, token.column, "ALL")
        kind = "AT"
        if symbol in (">", "<"):
            self.advance()
            kind = "FIRST" if symbol == ">" else "LAST"
            if self.accept("]"):
                return s.Index(token.line, token.column, kind)
        inner = self._inside_path()
        self.expect("]", " after the index")
        return s.Index(token.line, token.column, kind, inner)

    def _inside_path(self) -> s.Expression:
        """Take an expression inside a path element. It counts twice as a level: it needs twice the Python stack."""
        self.enter()
        result = self.expression()
        self.depth -= 1
        return result

    # SELECT.

    def _select(self, token: Token) -> s.Expression:
        """Take a SELECT expression."""
        self.advance()
        columns: list[s.SelectColumn] = []
        item: s.Expression | None = None
        if self.token.symbol == "ITEM" and self.ahead().symbol not in (".", "[", ",", "FROM", "AS"):
            self.advance()
            if self.token.symbol in _AGGREGATES and self.ahead().symbol == "(":
                # An aggregate is one value with and without ITEM.
                columns.append(self._select_column())
            else:
                item = self.expression()
        else:
            columns.append(self._select_column())
            while self.accept(","):
                columns.append(self._select_column())
        self.expect("FROM", " of the SELECT")
        sources = [self._select_source()]
        while self.accept(","):
            sources.append(self._select_source())
        where = self.expression() if self.accept("WHERE") else None
        return s.Select(token.line, token.column, columns, item, sources, where)

    def _select_column(self) -> s.SelectColumn:
        """Take `*`, `expression [AS path]` or `expression INSERT`."""
        token = self.token
        if token.symbol == "*" and self.ahead().symbol in (",", "FROM"):
            self.advance()
            return s.SelectColumn(token.line, token.column, None)
        if token.symbol in _AGGREGATES and self.ahead().symbol == "(":
            expression = self.binary_after(self._aggregate(token), _OR)
        else:
            expression = self.expression()
        column = s.SelectColumn(token.line, token.column, expression)
        if self.accept("AS"):
            column.name = self.path("the name of the column after AS")
        elif self.accept("INSERT"):
            column.insert = True
        return column

    def _aggregate(self, token: Token) -> s.Expression:
        """Take COUNT, SUM, MAX or MIN with its argument."""
        self.advance()
        self.advance()
        if self.token.symbol == "*" and self.ahead().symbol == ")":
            self.advance()
            self.advance()
            return s.Aggregate(token.line, token.column, token.symbol, None)
        argument = self.expression()
        if self.token.symbol == "," and token.symbol != "COUNT":
            # Not an aggregate: a routine of this name with several arguments.
            arguments = [argument]
            while self.accept(","):
                arguments.append(self.expression())
            self.expect(")")
            return s.FunctionCall(token.line, token.column, [], _name(token), arguments)
        self.expect(")")
        return s.Aggregate(token.line, token.column, token.symbol, argument)

    def _select_source(self) -> s.SelectSource:
        """Take `source [AS name]` of a FROM clause."""
        token = self.token
        self.enter()
        source = self.unary()
        self.depth -= 1
        name = self.name("a correlation name after AS") if self.accept("AS") else None
        return s.SelectSource(token.line, token.column, source, name)

    # Functions with syntax of their own. The opening parenthesis has been taken.

    def _cast(self, token: Token) -> s.Expression:
        """Take `e {, e} AS type {CCSID e | ENCODING e | FORMAT e | DEFAULT e})`."""
        operands = [self.expression()]
        while self.accept(","):
            operands.append(self.expression())
        self.expect("AS", " of the CAST")
        cast = s.Cast(token.line, token.column, operands, self.data_type("a data type after AS"))
        while not self.accept(")"):
            clause = self.expect_one(_CAST_CLAUSES, "CCSID, ENCODING, FORMAT, DEFAULT or )")
            value = self.expression()
            if clause == "CCSID":
                cast.ccsid = value
            elif clause == "ENCODING":
                cast.encoding = value
            elif clause == "FORMAT":
                cast.format = value
            else:
                cast.default = value
        return cast

    def _extract(self, token: Token) -> s.Expression:
        """Take `field FROM source)`."""
        field = self.token.symbol
        if field not in _EXTRACT_FIELDS:
            raise self.failure("a field for EXTRACT such as YEAR or DAYOFWEEK")
        self.advance()
        self.expect("FROM", " of EXTRACT")
        source = self.expression()
        self.expect(")")
        return s.Extract(token.line, token.column, field, source)

    def _trim(self, token: Token) -> s.Expression:
        """Take `[BOTH | LEADING | TRAILING] [characters] FROM source)` or `source)`."""
        mode = ""
        if self.token.symbol in ("BOTH", "LEADING", "TRAILING") and self.ahead().symbol not in (")", ".", "["):
            mode = self.advance().symbol
        characters = None
        if not self.accept("FROM"):
            source = self.expression()
            if mode:
                characters = source
                self.expect("FROM", " of TRIM")
                source = self.expression()
            elif self.accept("FROM"):
                characters = source
                source = self.expression()
        else:
            source = self.expression()
        self.expect(")")
        return s.Trim(token.line, token.column, mode or "BOTH", characters, source)

    def _substring(self, token: Token) -> s.Expression:
        """Take `source FROM | BEFORE | AFTER e [FOR length])`."""
        source = self.expression()
        mode = self.expect_one(("FROM", "BEFORE", "AFTER"), "FROM, BEFORE or AFTER of SUBSTRING")
        start = self.expression()
        length = self.expression() if self.accept("FOR") else None
        self.expect(")")
        return s.Substring(token.line, token.column, source, mode, start, length)

    def _overlay(self, token: Token) -> s.Expression:
        """Take `source PLACING replacement FROM start [FOR length])`."""
        source = self.expression()
        self.expect("PLACING", " of OVERLAY")
        replacement = self.expression()
        self.expect("FROM", " of OVERLAY")
        start = self.expression()
        length = self.expression() if self.accept("FOR") else None
        self.expect(")")
        return s.Overlay(token.line, token.column, source, replacement, start, length)

    def _position(self, token: Token) -> s.Expression:
        """Take `search IN source [FROM start] [REPEAT count])`."""
        self.enter()
        search = self.binary(_SUM)  # IN of POSITION is not the operator IN.
        self.depth -= 1
        self.expect("IN", " of POSITION")
        source = self.expression()
        start = self.expression() if self.accept("FROM") else None
        repeat = self.expression() if self.accept("REPEAT") else None
        self.expect(")")
        return s.Position(token.line, token.column, search, source, start, repeat)

    def _round(self, token: Token) -> s.Expression:
        """Take `value, digits [MODE mode])`."""
        value = self.expression()
        self.expect(",", " and the number of digits")
        digits = self.expression()
        mode = None
        if self.accept("MODE"):
            mode = self.token.symbol
            if mode not in _ROUND_MODES:
                raise self.failure("a rounding mode such as ROUND_HALF_UP")
            self.advance()
        self.expect(")")
        return s.Round(token.line, token.column, value, digits, mode)

    def _as_bit_stream(self, token: Token) -> s.Expression:
        """Take `source options)`."""
        source = self.expression()
        return s.AsBitStream(token.line, token.column, source, self.parse_options())

    def parse_options(self) -> s.ParseOptions:
        """Take the options of PARSE or ASBITSTREAM, by keyword or by position, and the closing parenthesis."""
        token = self.token
        given: dict[str, s.Expression] = {}
        place = -1
        while not self.accept(")"):
            comma = self.accept(",")
            if comma:
                place += 1
                if self.token.symbol in (",", ")"):
                    continue  # A place left empty.
            symbol = self.token.symbol
            if symbol in _PARSE_OPTIONS and not (comma and self.ahead().symbol in _AFTER_NAME):
                self.advance()
                # `SET set TYPE type`: a word between two options is a variable, whatever else it may mean.
                variable = self.token.kind == lexer.WORD and self.ahead().symbol in _PARSE_OPTIONS
                given[symbol] = self.path() if variable else self.expression()
            elif comma and place < len(_PARSE_OPTIONS):
                given[_PARSE_OPTIONS[place]] = self.expression()
            else:
                raise self.failure("ENCODING, CCSID, SET, TYPE, FORMAT, OPTIONS or )")
        return s.ParseOptions(token.line, token.column, *[given.get(option) for option in _PARSE_OPTIONS])

    def _passthru(self, token: Token) -> s.Expression:
        """Take `sql [TO database] [VALUES (values)])` or `sql {, value})`."""
        return self.passthru_after(token, self.expression())

    def passthru_after(self, token: Token, sql: s.Expression) -> s.Passthru:
        """Take the arguments of PASSTHRU behind its SQL."""
        database = self.path("a database after TO") if self.accept("TO") else None
        values: list[s.Expression] | None = None
        if self.accept("VALUES"):
            values = self.value_list()
            self.expect(")")
        elif self.accept(","):
            values = self.expressions_until(")")
        else:
            self.expect(")")
        return s.Passthru(token.line, token.column, sql, database, values)

    def value_list(self) -> list[s.Expression]:
        """Take `(e {, e})` after VALUES; the list may be empty."""
        self.expect("(", " after VALUES")
        return [] if self.accept(")") else self.expressions_until(")")

    def _context_reference(self, token: Token) -> s.Expression:
        """Take `[NODENAME] node [LEVELNAME level] [section])`, or `[section])` of CONTEXTINVOCATIONNODE."""
        result = s.ContextReference(token.line, token.column, token.symbol)
        if token.symbol == "CONTEXTREFERENCE":
            if self.token.symbol == "NODENAME" and self.ahead().symbol not in _AFTER_NAME:
                self.advance()
            result.node = self.expression()
            if self.accept("LEVELNAME"):
                result.level = self.expression()
        if self.token.symbol in _CONTEXT_SECTIONS:
            result.section = self.advance().symbol
        self.expect(")")
        return result

    def _row(self, token: Token) -> s.Expression:
        """Take `e [AS path] {, e [AS path]})`."""
        fields: list[s.RowField] = []
        while True:
            first = self.token
            field = s.RowField(first.line, first.column, self.expression())
            if self.accept("AS"):
                field.name = self.path("the name of the field after AS")
            fields.append(field)
            if not self.accept(","):
                break
        self.expect(")", " after the fields of ROW")
        return s.RowConstructor(token.line, token.column, fields)


_SPECIAL: Final = {
    "ASBITSTREAM": ExpressionParser._as_bit_stream,
    "CAST": ExpressionParser._cast,
    "CONTEXTINVOCATIONNODE": ExpressionParser._context_reference,
    "CONTEXTREFERENCE": ExpressionParser._context_reference,
    "EXTRACT": ExpressionParser._extract,
    "OVERLAY": ExpressionParser._overlay,
    "PASSTHRU": ExpressionParser._passthru,
    "POSITION": ExpressionParser._position,
    "ROUND": ExpressionParser._round,
    "ROW": ExpressionParser._row,
    "SUBSTRING": ExpressionParser._substring,
    "TRIM": ExpressionParser._trim,
}

_LITERAL_KINDS: Final = {
    lexer.STRING: "CHARACTER",
    lexer.INTEGER: "INTEGER",
    lexer.HEXADECIMAL: "INTEGER",
    lexer.DECIMAL: "DECIMAL",
    lexer.FLOAT: "FLOAT",
    lexer.BLOB: "BLOB",
    lexer.BIT: "BIT",
}


def _literal(token: Token) -> s.Expression:
    """Return the node of a literal token."""
    literal = s.Literal(token.line, token.column, _LITERAL_KINDS[token.kind], token.value)
    literal.hexadecimal = token.kind == lexer.HEXADECIMAL
    return literal


def _can_be_name(symbol: str, after: str) -> bool:
    """Tell whether a keyword can be the name of a variable here, by the symbol that follows it."""
    return after in _AFTER_NAME or (symbol == "END" and after in ("THEN", "DO", "AND", "OR"))


def _is_minimum(operand: s.Expression) -> bool:
    """Tell whether this is the literal 9223372036854775808, which fits in an INTEGER only behind a minus sign."""
    if type(operand) is not s.Literal or not isinstance(operand.value, Decimal):
        return False
    return operand.value == INTEGER_MAX + 1 and operand.value.as_tuple().exponent == 0


def _name(token: Token) -> s.Name:
    """Return the Name of a word."""
    return s.Name(token.line, token.column, str(token.value))
