"""Compiles expressions of ESQL to Python expressions.

An expression is compiled to the form that its place needs:

    scalar      a value; a path gives the value of its element, a list of one item that item
    condition   something that is true for TRUE only, where FALSE and UNKNOWN are the same: IF, WHILE, WHERE
    source      a value, an Element or a list: the right side of SET, a column of SELECT
    element     an Element or None
    listing     a Python list: FROM, FOR, IN, CARDINALITY

`type_of` knows the types that are known before the run; an assignment to a variable of that type needs no conversion
then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from flintmq.broker import values
from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.casts import cast_type
from flintmq.broker.esql.compile_paths import CompileError, PathCode, PathCompiler
from flintmq.broker.esql.functions import BUILTINS
from flintmq.broker.esql.names import (
    BIT_STREAM_OPTIONS,
    BROKER_PROPERTIES,
    KINDS,
    Scope,
    Symbol,
    field_type,
    mq_constants,
)
from flintmq.broker.esql.routines import Signature
from flintmq.broker.esql.trees import Column

_COMPARISONS = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
#: Functions that are attributes of the Run: fixed during one invocation of a node, or set by the last statement.
_OF_RUN = {
    "CURRENT_DATE": "c.current_date()",
    "CURRENT_TIME": "c.current_time()",
    "CURRENT_TIMESTAMP": "c.current_timestamp()",
    "CURRENT_GMTDATE": "c.current_gmtdate()",
    "CURRENT_GMTTIME": "c.current_gmttime()",
    "CURRENT_GMTTIMESTAMP": "c.current_gmttimestamp()",
    "LOCAL_TIMEZONE": "c.local_timezone()",
    "SQLCODE": "c.sqlcode",
    "SQLSTATE": "c.sqlstate",
    "SQLERRORTEXT": "c.sqlerrortext",
    "SQLNATIVEERROR": "c.sqlnativeerror",
}
_FIELD_FUNCTIONS = {
    "FIELDNAME": "field_name",
    "FIELDNAMESPACE": "field_namespace",
    "FIELDTYPE": "field_type",
    "FIELDVALUE": "field_value",
}
#: Functions that always give a value of one type.
_RESULT_TYPES = {
    **dict.fromkeys(("CARDINALITY", "SQLCODE", "SQLNATIVEERROR"), "INTEGER"),
    **dict.fromkeys(("EXISTS", "SINGULAR", "LASTMOVE", "SAMEFIELD"), "BOOLEAN"),
}
_DATED = ("DATE", "TIME", "GMTTIME", "TIMESTAMP", "GMTTIMESTAMP")
#: Longer chains of AND, OR and CASE become lists: Python limits how deep expressions nest.
CHAIN_MAX = 25
#: Code that is a literal of Python; `is` with one is a warning of Python.
_LITERAL_CODE = re.compile(r"""-?[0-9]|b?['"]""")
_BOOLEAN_NODES = (s.And, s.Or, s.Between, s.In, s.Like, s.Is, s.QuantifiedComparison, s.ForFunction)


class ExpressionCompiler(PathCompiler):
    """Compiles expressions. The compiler of statements derives from this class."""

    #: Numbers temporary names.
    temporaries: int
    #: Set while code is made that must not assign: Python allows none in what a comprehension walks over.
    plain: bool

    def temporary(self) -> str:
        """Return a new temporary name."""
        self.temporaries += 1
        return f"t_{self.temporaries}"

    @contextmanager
    def without_assignments(self) -> Iterator[None]:
        """Make code without assignment expressions: for the `in` of a comprehension, and for the body of a lambda."""
        before = self.plain
        self.plain = True
        try:
            yield
        finally:
            self.plain = before

    def delayed(self, compile_as: Callable[[s.Expression], str], node: s.Expression) -> str:
        """Return a lambda that evaluates an expression where it is called."""
        with self.without_assignments():
            return f"lambda: {compile_as(node)}"

    def routine(self, schema: list[s.Name], name: s.Name) -> Signature | None:
        """Return the routine that a call means: of the module, the own schema, the PATH; None if there is none."""
        raise NotImplementedError

    def select(self, node: s.Select) -> str:
        """Return code that gives the result of a SELECT."""
        raise NotImplementedError

    def passthru(self, sql: s.Expression, database: s.Path | None, arguments: list[s.Expression] | None) -> str:
        """Return code that runs SQL text and gives its rows."""
        raise NotImplementedError

    # The five ways to compile.

    def condition(self, node: s.Expression) -> str:
        """Return code that is true exactly if the expression is TRUE."""
        if isinstance(node, s.And):
            return "(" + " and ".join(self.condition(each) for each in node.operands) + ")"
        if isinstance(node, s.Or):
            return "(" + " or ".join(self.condition(each) for each in node.operands) + ")"
        code = self.scalar(node)
        return code if self.type_of(node) == "BOOLEAN" else f"condition({code})"

    def source(self, node: s.Expression) -> str:
        """Return code that gives a value, an Element or a list."""
        if isinstance(node, s.Path):
            symbol = self._variable(node)
            if symbol is not None and symbol.kind not in ("ROW", "REFERENCE"):
                return symbol.code
            if self._constant_name(node) is not None:
                return self.scalar(node)
            path = self.path(node)
            return self.items_code(path) if path.is_list else self.element_code(path)
        if isinstance(node, s.Select):
            return self.select(node)
        if isinstance(node, s.RowConstructor):
            return self._row(node)
        if isinstance(node, s.ListConstructor):
            return "[" + ", ".join(self.source(item) for item in node.items) + "]"
        if isinstance(node, s.Passthru):
            return self.passthru(node.sql, node.database, node.values)
        if isinstance(node, s.FunctionCall):
            if node.name.key == "THE" and not node.schema and len(node.arguments) == 1:
                return f"the({self.source(node.arguments[0])})"
            return self._call(node)
        if isinstance(node, s.CaseExpression):
            return self._case(node, scalars=False)
        if isinstance(node, s.FunctionPath):
            path = self._function_path(node)
            return self.items_code(path) if path.is_list else self.element_code(path)
        if isinstance(node, s.ContextReference):
            return self._context_reference(node)
        return self.scalar(node)

    def _function_path(self, node: s.FunctionPath) -> PathCode:
        """Compile a path that starts at the row or reference that a function gives."""
        path = PathCode(f"as_element({self.source(node.source)})", None, "")
        path.steps = [self._step(element) for element in node.elements]
        index = node.elements[-1].index
        path.is_list = index is not None and index.kind == "ALL"
        return path

    def _context_reference(self, node: s.ContextReference) -> str:
        """Compile CONTEXTREFERENCE and CONTEXTINVOCATIONNODE: parts of the context tree."""
        name = "None" if node.node is None else self.scalar(node.node)
        level = "None" if node.level is None else self.scalar(node.level)
        return f"c.context_reference({node.function!r}, {name}, {level}, {node.section!r})"

    def element(self, node: s.Expression) -> str:
        """Return code that gives an Element or None."""
        if isinstance(node, s.Path) and not node.is_list:
            symbol = self._variable(node)
            if symbol is None or symbol.kind in ("ROW", "REFERENCE"):
                return self.element_code(self.path(node))
        return f"as_element({self.source(node)})"

    def listing(self, node: s.Expression) -> str:
        """Return code that gives a Python list."""
        if isinstance(node, s.Path):
            if node.is_list:
                return self.items_code(self.path(node))
            return f"as_list({self.source(node)})"
        if isinstance(node, s.ListConstructor):
            return self.source(node)
        return f"as_list({self.source(node)})"

    def scalar(self, node: s.Expression) -> str:
        """Return code that gives a scalar value."""
        compile_as = _SCALARS.get(type(node))
        if compile_as is None:
            raise CompileError(2401, f"{type(node).__name__} cannot stand here", node)
        return compile_as(self, node)

    def _scalar_of_source(self, node: s.Expression) -> str:
        return f"scalar({self.source(node)})"

    def _scalar_call(self, node: s.FunctionCall) -> str:
        if node.name.key == "THE" and not node.schema:
            return f"scalar({self.source(node)})"
        code = self._call(node)
        return f"scalar({code})" if self._gives_tree(node) or self._is_eval(node) else code

    def _scalar_case(self, node: s.CaseExpression) -> str:
        return self._case(node, scalars=True)

    def _concatenation(self, node: s.Concatenation) -> str:
        if len(node.operands) == 2:
            return f"concat({self.scalar(node.operands[0])}, {self.scalar(node.operands[1])})"
        return f"concat_all([{', '.join(self.scalar(each) for each in node.operands)}])"

    def _all_of(self, node: s.And) -> str:
        return self._and(node.operands)

    def _any_of(self, node: s.Or) -> str:
        return self._or(node.operands)

    def _between(self, node: s.Between) -> str:
        operands = f"{self.scalar(node.operand)}, {self.scalar(node.low)}, {self.scalar(node.high)}"
        return self._negated(f"between({operands}, {node.symmetric})", node.negated)

    def _in(self, node: s.In) -> str:
        return self._negated(f"in_list({self.scalar(node.operand)}, {self._in_items(node.items)})", node.negated)

    def _like(self, node: s.Like) -> str:
        escape = "" if node.escape is None else f", {self.scalar(node.escape)}"
        return self._negated(f"like({self.scalar(node.operand)}, {self.scalar(node.pattern)}{escape})", node.negated)

    def _quantified(self, node: s.QuantifiedComparison) -> str:
        compare = _COMPARISONS[node.operator]
        items = self._in_items(node.items)
        return f"quantified({compare}, {self.scalar(node.left)}, {items}, {node.quantifier == 'ALL'})"

    # Types that are plain to see.

    def type_of(self, node: s.Expression) -> str:
        """Return the ESQL type of an expression, or '' if it shows only at run time. NULL is possible in any type."""
        find = _TYPES.get(type(node))
        return "" if find is None else find(self, node)

    def _type_of_literal(self, node: s.Literal) -> str:
        return "" if node.kind in ("NULL", "UNKNOWN") else node.kind

    def _type_of_condition(self, node: s.Expression) -> str:
        return "BOOLEAN"

    def _type_of_path(self, node: s.Path) -> str:
        symbol = self._variable(node)
        return symbol.type.name if symbol is not None and symbol.kind == "SCALAR" else ""

    def _type_of_binary(self, node: s.BinaryOperation) -> str:
        if node.operator in _COMPARISONS:
            return "BOOLEAN"
        left = self.type_of(node.left)
        return left if left and left == self.type_of(node.right) and left in ("INTEGER", "FLOAT", "DECIMAL") else ""

    def _type_of_unary(self, node: s.UnaryOperation) -> str:
        return "BOOLEAN" if node.operator == "NOT" else self.type_of(node.operand)

    def _type_of_concatenation(self, node: s.Concatenation) -> str:
        return "CHARACTER" if {self.type_of(each) for each in node.operands} == {"CHARACTER"} else ""

    def _type_of_cast(self, node: s.Cast) -> str:
        return node.type.name

    def _type_of_call(self, node: s.FunctionCall) -> str:
        return "" if node.schema else _RESULT_TYPES.get(node.name.key, "")

    # Names.

    def _variable(self, node: s.Path) -> Symbol | None:
        """Return the variable that a path of one name means; None if it is something else."""
        name = node.identifier
        return None if name is None else self.scope.find(name.text)

    def _constant_name(self, node: s.Path) -> str | None:
        """Return the code of a name that is a constant: of the broker, the MQI, a field type."""
        names = [element.plain for element in node.elements]
        if len(names) == 2 and names[0] is not None and names[1] is not None:
            if names[0].key == "SQL" and names[1].key in BROKER_PROPERTIES and self.scope.find(names[0].text) is None:
                return f"c.broker_property({names[1].key!r})"
            if self.scope.find(names[0].text) is None and names[0].key not in self.trees:
                number = field_type(names[0].text, names[1].text)
                return None if number is None else f"{number:#010x}"
            return None
        name = node.identifier
        if name is None or name.key in self.trees:
            return None
        key = name.key
        if key in KINDS:
            return f"{KINDS[key]:#010x}"
        if key in BROKER_PROPERTIES:
            return f"c.broker_property({key!r})"
        if key in BIT_STREAM_OPTIONS:
            return str(BIT_STREAM_OPTIONS[key])
        if key.startswith("MQ"):
            value = mq_constants().get(key)
            if value is not None:
                return repr(value)
        return None

    def _scalar_path(self, node: s.Path) -> str:
        symbol = self._variable(node)
        if symbol is not None and symbol.kind not in ("ROW", "REFERENCE"):
            return symbol.code
        if symbol is None:
            constant = self._constant_name(node)
            if constant is not None:
                return constant
        path = self.path(node)
        if path.is_list:
            return f"scalar({self.items_code(path)})"
        return self.value_code(path)

    # Literals.

    def _literal(self, node: s.Literal) -> str:
        value = node.value
        try:
            if node.kind in ("NULL", "UNKNOWN"):
                return "None"
            if isinstance(value, bool | int | bytes) or node.kind == "CHARACTER":
                return repr(value)
            if isinstance(value, float):
                return f"float({value!r})"
            if isinstance(value, Decimal):
                return self.constants.add("K", f"Decimal('{value}')", value)
            assert isinstance(value, str)
            return self._dated(node.kind, value)
        except ValueError as error:
            # A literal that never is evaluated does no harm: DEFAULT of a CAST, a branch that is not taken.
            self.warn(2521, f"{node.kind} {value!r} is not a valid literal: {error}", node)
            return f"bad_literal({node.kind!r}, {value!r})"

    def _dated(self, kind: str, text: str) -> str:
        made: object
        if kind == "BIT":
            made = values.parse_bit(text)
        elif kind == "DATE":
            made = values.parse_date(text)
        elif kind in ("TIME", "GMTTIME"):
            made = values.parse_time(text, kind == "GMTTIME")
        else:
            made = values.parse_timestamp(text, kind == "GMTTIMESTAMP")
        return self.constants.add("K", f"{kind} '{text}'", made)

    def _interval(self, node: s.IntervalLiteral) -> str:
        text = "-" + node.text if node.negative else node.text
        try:
            made = values.parse_interval(text, node.qualifier)
        except ValueError as error:
            raise CompileError(2521, f"INTERVAL '{text}' {node.qualifier} is not valid: {error}", node) from None
        return self.constants.add("K", f"INTERVAL '{text}' {node.qualifier}", made)

    def _interval_expression(self, node: s.IntervalExpression) -> str:
        inner = node.expression
        if isinstance(inner, s.BinaryOperation) and inner.operator == "-":
            operands = f"{self.scalar(inner.left)}, {self.scalar(inner.right)}"
            return f"subtract_qualified({operands}, {node.qualifier!r})"
        return f"qualify({self.scalar(inner)}, {node.qualifier!r})"

    # Operators.

    def _negated(self, code: str, negated: bool) -> str:
        return f"not_({code})" if negated else code

    def _binary(self, node: s.BinaryOperation) -> str:
        function = _COMPARISONS.get(node.operator)
        left = node.left
        if function in ("eq", "ne") and isinstance(left, s.UnaryOperation) and left.operator == "NOT":
            # NOT binds tighter than `=`, but `NOT a = b` is written for NOT (a = b); both are equal for BOOLEAN a, b.
            return f"not_({function}({self.scalar(left.operand)}, {self.scalar(node.right)}))"
        if function in ("eq", "ne") and (self._is_row(node.left) or self._is_row(node.right)):
            code = f"rows_compare({self.source(node.left)}, {self.source(node.right)})"
            return self._negated(code, function == "ne")
        if function is None:
            function = _ARITHMETIC[node.operator]
        return f"{function}({self.scalar(node.left)}, {self.scalar(node.right)})"

    def _is_row(self, node: s.Expression) -> bool:
        if isinstance(node, s.RowConstructor | s.ListConstructor):
            return True
        return isinstance(node, s.Path) and node.is_list

    def _unary(self, node: s.UnaryOperation) -> str:
        operand = self.scalar(node.operand)
        if node.operator == "NOT":
            return f"not_({operand})"
        if node.operator == "-":
            literal = node.operand
            if isinstance(literal, s.Literal) and literal.kind in ("INTEGER", "FLOAT"):
                return f"-{operand}"
            return f"negate({operand})"
        return operand

    def _and(self, operands: list[s.Expression]) -> str:
        """Return code for AND as a value. An operand behind a FALSE one is not evaluated."""
        if self.plain or len(operands) > CHAIN_MAX:
            return f"and_all([{', '.join(self.delayed(self.scalar, each) for each in operands)}])"
        code = self.scalar(operands[0])
        for operand in operands[1:]:
            name = self.temporary()
            code = f"(False if ({name} := {code}) is False else and_({name}, {self.scalar(operand)}))"
        return code

    def _or(self, operands: list[s.Expression]) -> str:
        if self.plain or len(operands) > CHAIN_MAX:
            return f"or_all([{', '.join(self.delayed(self.scalar, each) for each in operands)}])"
        code = self.scalar(operands[0])
        for operand in operands[1:]:
            name = self.temporary()
            code = f"(True if ({name} := {code}) is True else or_({name}, {self.scalar(operand)}))"
        return code

    def _is(self, node: s.Is) -> str:
        if node.test in ("NULL", "UNKNOWN", "TRUE", "FALSE"):
            operand = self.scalar(node.operand)
            if _LITERAL_CODE.match(operand):
                return str(node.negated)
            wanted = node.test.title() if node.test in ("TRUE", "FALSE") else "None"
            return f"({operand} is {'not ' if node.negated else ''}{wanted})"
        code = f"is_special({self.scalar(node.operand)}, {node.test!r})"
        return f"(not {code})" if node.negated else code

    def _in_items(self, items: list[s.Expression]) -> str:
        if len(items) == 1 and self._gives_list(items[0]):
            return f"scalars({self.listing(items[0])})"
        return "[" + ", ".join(self.scalar(item) for item in items) + "]"

    def _gives_list(self, node: s.Expression) -> bool:
        if isinstance(node, s.Path):
            return node.is_list
        return isinstance(node, s.Select | s.ListConstructor | s.Passthru)

    # Functions.

    def _gives_tree(self, node: s.FunctionCall) -> bool:
        """Return whether a call is one of a routine that returns a row or reference."""
        routine = self.routine(node.schema, node.name)
        return routine is not None and routine.returns in ("ROW", "REFERENCE", "LIST", "")

    def _is_eval(self, node: s.FunctionCall) -> bool:
        """Return whether a call is EVAL, of a text that may mean a value, a tree or a list."""
        return node.name.key == "EVAL" and not node.schema and self.routine(node.schema, node.name) is None

    def _call(self, node: s.FunctionCall) -> str:
        """Compile the call of a routine or of a built-in function."""
        routine = self.routine(node.schema, node.name)
        if routine is not None:
            return self.routine_call(routine, node.arguments, node)
        key = node.name.key
        arguments = node.arguments
        if node.schema:
            return self._missing(node)
        if key in _OF_RUN and not arguments:
            return _OF_RUN[key]
        if key in _FIELD_FUNCTIONS:
            self._count(node, 1, 1)
            return f"{_FIELD_FUNCTIONS[key]}({self.element(arguments[0])})"
        if key in ("CARDINALITY", "EXISTS", "SINGULAR"):
            self._count(node, 1, 1)
            return self._of_list(key, arguments[0])
        if key == "LASTMOVE":
            return self._last_move(node)
        if key == "SAMEFIELD":
            self._count(node, 2, 2)
            return f"same_field({self.element(arguments[0])}, {self.element(arguments[1])})"
        if key == "COALESCE":
            self._count(node, 1, 255)
            return self._coalesce(arguments)
        if key == "EVAL":
            self._count(node, 1, 1)
            return self.evaluate(arguments[0])
        if key == "BITSTREAM":
            self._count(node, 1, 1)
            return f"c.bit_stream({self.element(arguments[0])}, None, None, None, None, None, None)"
        if key in ("SUM", "MAX", "MIN", "COUNT"):
            self._count(node, 1, 1)
            return f"aggregate_{key.lower()}(scalars({self.listing(arguments[0])}))"
        builtin = BUILTINS.get(key)
        if builtin is None:
            return self._missing(node)
        self._count(node, builtin.least, builtin.most)
        return f"{key.lower()}_({', '.join(self.scalar(argument) for argument in arguments)})"

    def _missing(self, node: s.FunctionCall) -> str:
        """Return code that raises: a routine that is nowhere is a warning until it is called."""
        name = ".".join(each.text for each in [*node.schema, node.name])
        self.warn(2492, f"there is no routine {name}; the call fails when it is reached", node)
        return f"call_missing({name!r})"

    def _count(self, node: s.FunctionCall, least: int, most: int) -> None:
        number = len(node.arguments)
        if not least <= number <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise CompileError(2401, f"{node.name.text} takes {wanted} arguments, not {number}", node)

    def routine_call(self, routine: Signature, arguments: list[s.Expression], node: s.Node) -> str:
        """Return code that calls a routine in an expression and gives its value; OUT variables are copied back."""
        if routine.result_sets:
            raise CompileError(2492, f"{routine.name} has result sets; use CALL", node)
        codes = self.arguments(routine, arguments, node)
        call = f"{routine.code}({', '.join(['c', *codes])})"
        if not routine.outs:
            return call
        name = self.temporary()
        parts: list[str] = []
        for number, position in enumerate(routine.outs):
            parts += self._stored(arguments[position], routine.parameters[position], f"{name}[{number + 1}]")
        if self.plain:
            return f"(lambda {name}: ({', '.join([*parts, f'{name}[0]'])},)[-1])({call})"
        return f"({', '.join([f'({name} := {call})', *parts])}, {name}[0])[-1]"

    def _stored(self, argument: s.Expression, kind: str, code: str) -> list[str]:
        """Return expressions that store an OUT value into the variable or field that was passed."""
        if not isinstance(argument, s.Path):
            return []
        symbol = self._variable(argument)
        if symbol is None or symbol.kind == "ROW":
            if kind == "REFERENCE":
                return []
            path = self.path(argument)
            if not path.steps:
                return [f"assign_root({path.start}, {code})"]
            return [f"assign({self.target_code(path)}, {code}, GAPS, KEEP)"]
        if symbol.constant or symbol.code.isidentifier() and not symbol.local:
            return []
        if symbol.kind == "REFERENCE":
            pair = f"referred({code})"
            return [
                self._assigned(symbol.code, f"{pair}[0]", argument),
                *([self._assigned(symbol.moved, f"{pair}[1]", argument)] if symbol.moved else []),
            ]
        if symbol.type.name not in ("NAME", "NAMESPACE", ""):
            code = f"convert(scalar({code}), {self.type_code(symbol.type)})"
        return [self._assigned(symbol.code, code, argument)]

    def _assigned(self, target: str, code: str, node: s.Node) -> str:
        """Return an expression that assigns to a variable."""
        if not target.isidentifier():
            holder, _, key = target.partition("[")
            return f"{holder}.__setitem__({key[:-1]}, {code})"
        if self.plain:
            raise CompileError(2492, "a call that sets a variable cannot stand here; make it a statement", node)
        return f"({target} := {code})"

    def arguments(self, routine: Signature, arguments: list[s.Expression], node: s.Node) -> list[str]:
        """Compile the arguments of a routine: a reference or row is passed as a tree, all else as a value."""
        wanted = len(routine.parameters) + routine.result_sets
        if len(arguments) != wanted:
            raise CompileError(2492, f"{routine.name} takes {wanted} arguments, not {len(arguments)}", node)
        codes = []
        for number, kind in enumerate(routine.parameters):
            argument = arguments[number]
            if number in routine.empty and kind != "REFERENCE":
                codes.append("None")
            elif kind in ("REFERENCE", "ROW"):
                codes.append(f"as_reference({self.element(argument)}, {routine.name!r})")
            elif kind == "LIST":
                codes.append(self.listing(argument))
            elif kind in ("", "NAME", "NAMESPACE"):
                codes.append(self.scalar(argument))
            elif self.type_of(argument) == kind and kind != "DECIMAL":
                codes.append(self.scalar(argument))
            else:
                codes.append(f"convert({self.scalar(argument)}, {kind})")
        return codes

    def _of_list(self, key: str, argument: s.Expression) -> str:
        if isinstance(argument, s.Path) and argument.is_list:
            path = self.path(argument)
            if path.steps:
                counted = f"count({self.parent_code(path)}, {self.step_code(path.steps[-1])})"
                test = {"CARDINALITY": "", "EXISTS": " > 0", "SINGULAR": " == 1"}[key]
                return f"({counted}{test})" if test else counted
        code = f"cardinality({self.source(argument)})"
        return {"CARDINALITY": code, "EXISTS": f"({code} > 0)", "SINGULAR": f"({code} == 1)"}[key]

    def _last_move(self, node: s.FunctionCall) -> str:
        self._count(node, 1, 1)
        argument = node.arguments[0]
        symbol = self._variable(argument) if isinstance(argument, s.Path) else None
        if symbol is None or symbol.kind != "REFERENCE":
            raise CompileError(2432, "LASTMOVE takes a reference variable", node)
        return symbol.moved or "True"

    def _coalesce(self, arguments: list[s.Expression]) -> str:
        if self.plain:
            return f"coalesce_lazy([{', '.join(self.delayed(self.scalar, each) for each in arguments)}])"
        code = self.scalar(arguments[-1])
        for argument in reversed(arguments[:-1]):
            name = self.temporary()
            code = f"({name} if ({name} := {self.scalar(argument)}) is not None else {code})"
        return code

    def evaluate(self, text: s.Expression) -> str:
        """Return code that evaluates an expression given as text, in the scope of the caller."""
        symbols = self.scope.visible()
        scope = self.constants.add("E", f"scope {len(self.constants.values)}", (symbols, self.trees, self))
        given = ", ".join(f"{name!r}: {name}" for name in local_names(symbols))
        return f"c.evaluate({self.scalar(text)}, {scope}, {{{given}}})"

    def _cast(self, node: s.Cast) -> str:
        operands = ", ".join(self.scalar(each) for each in node.operands)
        options = ["None" if each is None else self.scalar(each) for each in (node.ccsid, node.encoding, node.format)]
        clock = "c.clock()" if node.type.name in _DATED else "None"
        options.append("None" if node.default is None else self.delayed(self.scalar, node.default))
        while options and options[-1] == "None":
            options.pop()
        code = f"cast([{operands}], {self.type_code(node.type)}"
        if options:
            code += ", " + ", ".join(options)
        return f"{code}, clock={clock})" if clock != "None" else f"{code})"

    def type_code(self, kind: s.DataType) -> str:
        """Return code that gives a type: its name, or a constant if it has a precision or qualifier."""
        if kind.precision is None and not kind.qualifier:
            return kind.name
        try:
            made = cast_type(kind.name, kind.precision or 0, kind.scale or 0, kind.qualifier or "")
        except ValueError as error:
            raise CompileError(2401, str(error), kind) from None
        shown = f"{kind.name}({kind.precision}, {kind.scale})" if kind.precision else f"{kind.name} {kind.qualifier}"
        return self.constants.add("K", shown, made)

    def _case(self, node: s.CaseExpression, scalars: bool) -> str:
        result = self.scalar if scalars else self.source
        if node.operand is not None:
            table = self._case_table(node)
            if table:
                # ELSE is evaluated only if no WHEN fits, unless there is nothing to evaluate.
                if node.otherwise is None or isinstance(node.otherwise, s.Literal):
                    last = "None" if node.otherwise is None else result(node.otherwise)
                    return f"case_of({self.scalar(node.operand)}, {table}, {last})"
                return f"case_else({self.scalar(node.operand)}, {table}, {self.delayed(result, node.otherwise)})"
        if self.plain and node.operand is not None or len(node.whens) > CHAIN_MAX:
            return self._long_case(node, result)
        code = "None" if node.otherwise is None else result(node.otherwise)
        if node.operand is None:
            for when in reversed(node.whens):
                code = f"({result(when.result)} if {self.condition(when.condition)} else {code})"
            return code
        name = self.temporary()
        for when in reversed(node.whens):
            code = f"({result(when.result)} if eq({name}, {self.scalar(when.condition)}) else {code})"
        # The operand is evaluated once, before the comparisons.
        return f"(({name} := {self.scalar(node.operand)}), {code})[1]"

    def _long_case(self, node: s.CaseExpression, result: Callable[[s.Expression], str]) -> str:
        """Return code of a CASE with so many branches that Python would refuse to nest them."""
        parts = []
        for when in node.whens:
            test = self.delayed(self.scalar if node.operand is not None else self.condition, when.condition)
            parts.append(f"({test}, {self.delayed(result, when.result)})")
        operand = "None" if node.operand is None else self.scalar(node.operand)
        otherwise = "lambda: None" if node.otherwise is None else self.delayed(result, node.otherwise)
        return f"case_long({operand}, {node.operand is not None}, [{', '.join(parts)}], {otherwise})"

    def _case_table(self, node: s.CaseExpression) -> str:
        """Return the name of a dict for a CASE with literals as conditions and results; '' if it is none."""
        table: dict[object, object] = {}
        kinds: set[str] = set()
        for when in node.whens:
            condition, result = when.condition, when.result
            if not (isinstance(condition, s.Literal) and isinstance(result, s.Literal)):
                return ""
            if condition.kind not in ("CHARACTER", "INTEGER") or result.kind not in ("CHARACTER", "INTEGER", "BOOLEAN"):
                return ""
            kinds.add(condition.kind)
            table.setdefault(condition.value, result.value)
        if len(kinds) != 1 or len(table) < 3:
            return ""
        return self.constants.add("C", repr(table), table)

    def _row(self, node: s.RowConstructor) -> str:
        # Recorded: a field without a name is Column0, and each item of a list is one.
        columns = [self.column(each.expression, each.name, number) for number, each in enumerate(node.fields)]
        for each, (_, column) in zip(node.fields, columns, strict=True):
            if each.name is None and isinstance(each.expression, s.Select | s.ListConstructor):
                assert isinstance(column, Column)
                column.many = True
        codes = [self.source(each.expression) for each in node.fields]
        shown = self.constants.add("R", "[" + ", ".join(shown for shown, _ in columns) + "]", [c for _, c in columns])
        return f"build_row({shown}, [{', '.join(codes)}])"

    def column(self, expression: s.Expression, name: s.Path | None, number: int) -> tuple[str, object]:
        """Return how a column is shown, and the Column that puts it into a result row."""
        raise NotImplementedError

    def _bit_stream(self, node: s.AsBitStream) -> str:
        return f"c.bit_stream({self.element(node.source)}, {self.parse_options(node.options)})"

    def parse_options(self, options: s.ParseOptions) -> str:
        """Return code of encoding, character set, message set, type, format and options; None if absent."""
        given = (options.encoding, options.ccsid, options.set, options.type, options.format, options.options)
        return ", ".join("None" if each is None else self.scalar(each) for each in given)

    def _for_function(self, node: s.ForFunction) -> str:
        """Return code for FOR ALL | ANY: the condition holds for all items, or for one."""
        name = node.name.text if node.name is not None else "I"
        item = self.temporary()
        kind = s.DataType(node.line, node.column, "REFERENCE")
        scope = self.scope
        self.scope = Scope(scope)
        self.scope.declare(Symbol(name, "REFERENCE", kind, item, local=False))
        try:
            condition = self.scalar(node.condition)
        finally:
            self.scope = scope
        with self.without_assignments():
            rows = f"rows_of({self.listing(node.source)})"
        return f"quantify([{condition} for {item} in {rows}], {node.quantifier == 'ALL'})"

    # Functions with a syntax of their own.

    def _extract(self, node: s.Extract) -> str:
        return f"extract({node.field!r}, {self.scalar(node.source)})"

    def _trim(self, node: s.Trim) -> str:
        characters = "" if node.characters is None else f", {self.scalar(node.characters)}"
        return f"trim({self.scalar(node.source)}, {node.mode!r}{characters})"

    def _substring(self, node: s.Substring) -> str:
        length = "" if node.length is None else f", {self.scalar(node.length)}"
        function = {"FROM": "substring", "BEFORE": "substring_before", "AFTER": "substring_after"}[node.mode]
        return f"{function}({self.scalar(node.source)}, {self.scalar(node.start)}{length})"

    def _overlay(self, node: s.Overlay) -> str:
        length = "" if node.length is None else f", {self.scalar(node.length)}"
        operands = [self.scalar(each) for each in (node.source, node.replacement, node.start)]
        return f"overlay({', '.join(operands)}{length})"

    def _position(self, node: s.Position) -> str:
        options = ""
        if node.start is not None:
            options += f", start={self.scalar(node.start)}"
        if node.repeat is not None:
            options += f", repeat={self.scalar(node.repeat)}"
        return f"position({self.scalar(node.search)}, {self.scalar(node.source)}{options})"

    def _round(self, node: s.Round) -> str:
        return f"round_({self.scalar(node.value)}, {self.scalar(node.digits)}, {node.mode!r})"


#: By class of expression: the method that compiles it to a scalar. Only expressions of that class reach the method.
_SCALARS: Mapping[type[s.Node], Callable[[ExpressionCompiler, Any], str]] = {
    s.Literal: ExpressionCompiler._literal,
    s.Path: ExpressionCompiler._scalar_path,
    s.BinaryOperation: ExpressionCompiler._binary,
    s.UnaryOperation: ExpressionCompiler._unary,
    s.Concatenation: ExpressionCompiler._concatenation,
    s.And: ExpressionCompiler._all_of,
    s.Or: ExpressionCompiler._any_of,
    s.Is: ExpressionCompiler._is,
    s.Between: ExpressionCompiler._between,
    s.In: ExpressionCompiler._in,
    s.Like: ExpressionCompiler._like,
    s.QuantifiedComparison: ExpressionCompiler._quantified,
    s.IntervalLiteral: ExpressionCompiler._interval,
    s.IntervalExpression: ExpressionCompiler._interval_expression,
    s.FunctionCall: ExpressionCompiler._scalar_call,
    s.Cast: ExpressionCompiler._cast,
    s.CaseExpression: ExpressionCompiler._scalar_case,
    s.Select: ExpressionCompiler._scalar_of_source,
    s.RowConstructor: ExpressionCompiler._scalar_of_source,
    s.ListConstructor: ExpressionCompiler._scalar_of_source,
    s.Passthru: ExpressionCompiler._scalar_of_source,
    s.FunctionPath: ExpressionCompiler._scalar_of_source,
    s.ContextReference: ExpressionCompiler._scalar_of_source,
    s.AsBitStream: ExpressionCompiler._bit_stream,
    s.ForFunction: ExpressionCompiler._for_function,
    s.Extract: ExpressionCompiler._extract,
    s.Trim: ExpressionCompiler._trim,
    s.Substring: ExpressionCompiler._substring,
    s.Overlay: ExpressionCompiler._overlay,
    s.Position: ExpressionCompiler._position,
    s.Round: ExpressionCompiler._round,
}

#: By class of expression: the method that gives its type. An expression of another class has none before it runs.
_TYPES: Mapping[type[s.Node], Callable[[ExpressionCompiler, Any], str]] = {
    s.Literal: ExpressionCompiler._type_of_literal,
    **dict.fromkeys(_BOOLEAN_NODES, ExpressionCompiler._type_of_condition),
    s.Path: ExpressionCompiler._type_of_path,
    s.BinaryOperation: ExpressionCompiler._type_of_binary,
    s.UnaryOperation: ExpressionCompiler._type_of_unary,
    s.Concatenation: ExpressionCompiler._type_of_concatenation,
    s.Cast: ExpressionCompiler._type_of_cast,
    s.FunctionCall: ExpressionCompiler._type_of_call,
}


def local_names(symbols: dict[str, Symbol]) -> list[str]:
    """Return the Python variables that hold the values of symbols, which EVAL passes to its text."""
    names: list[str] = []
    for symbol in symbols.values():
        names += [name for name in (symbol.code, symbol.moved) if name.isidentifier() and name not in names]
    return names
