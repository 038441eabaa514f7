"""Compiles statements and routines of ESQL to Python functions.

A routine becomes a Python function with the Run as first argument; local variables stay local variables. Points that
Python does not have:

* LEAVE and ITERATE of an outer loop set a flag and leave the loops between; the flag is tested after each of them.
* A labelled block that is left becomes a loop that runs once.
* ITERATE of a REPEAT goes on with its condition, so the body becomes a loop of its own that runs once.
* An EXIT handler is a `try` around the rest of its scope. A CONTINUE handler is a `try` around every statement that
  its scope contains directly: after the handler, the next one of these runs. Handlers are searched from the inside out,
  and exceptions of a handler are not offered to the handlers of its own scope.
* OUT and INOUT parameters are returned behind the value, and the caller stores them. A reference is returned with its
  LASTMOVE.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.compile_expressions import local_names
from flintmq.broker.esql.compile_paths import CompileError, PathCode
from flintmq.broker.esql.compile_sql import SqlCompiler, walk_nodes
from flintmq.broker.esql.names import Scope, Symbol
from flintmq.broker.esql.routines import Signature
from flintmq.broker.esql.source import Constants, Place, PythonSource, python_name, statement_text

#: Blocks nested deeper than this are refused: Python has a limit of its own for nested blocks.
NESTING_MAX = 90
#: A chain of more branches is cut into several: Python compiles `elif` by recursion.
BRANCHES_MAX = 200
#: A routine that becomes more lines of Python is refused: CONTINUE handlers inside handlers multiply.
LINES_MAX = 200_000


@dataclass(slots=True)
class Frame:
    """A Python loop that is open: a loop of ESQL, or a labelled block."""

    label: str
    is_loop: bool
    #: Whether this is the body of a REPEAT, which ITERATE leaves and LEAVE passes by.
    is_body: bool = False
    #: Jumps that pass out of this frame: flag, target frame, statement to jump with.
    jumps: list[tuple[str, Frame, str]] = field(default_factory=list)


class StatementCompiler(SqlCompiler):
    """Compiles the statements of one routine into `out`."""

    def __init__(
        self,
        scope: Scope,
        constants: Constants,
        trees: dict[str, str],
        reserved: frozenset[str],
        text: str,
        file: str,
        routine_name: str,
        first_line: int,
        profile: bool = False,
    ) -> None:
        self.scope = scope
        self.constants = constants
        self.trees = trees
        self.reserved = reserved
        self.text = text
        self.file = file
        self.routine_name = routine_name
        self.first_line = first_line
        self.profile = profile
        self.out = PythonSource()
        self.taken: set[str] = {"c"}
        self.temporaries = 0
        self.plain = False
        self.frames: list[Frame] = []
        self.flags: list[str] = []
        #: Name of the error in the handler that is compiled, for RESIGNAL.
        self.current_error = ""
        self.outs: list[Symbol] = []
        self.returns: s.DataType | None = None
        self.atomic_key = ""
        self.depth = 0
        self.resolve: Callable[[list[s.Name], s.Name], Signature | None] = lambda schema, name: None
        self.warn = lambda number, text, node: None
        self.missing_schemas: list[str] = []
        self.data_sources: set[str] = set()

    def routine(self, schema: list[s.Name], name: s.Name) -> Signature | None:
        """Return the routine that a call means."""
        return self.resolve(schema, name)

    # Names.

    def local(self, name: s.Name, kind: s.DataType, constant: bool = False) -> Symbol:
        """Declare a local variable."""
        code = python_name(name.text, self.taken, self.reserved)
        symbol_kind = kind.name if kind.name in ("ROW", "REFERENCE", "NAME", "NAMESPACE") else "SCALAR"
        moved = python_name(f"{code}_moved", self.taken, self.reserved) if kind.name == "REFERENCE" else ""
        symbol = Symbol(name.text, symbol_kind, kind, code, moved, constant=constant)
        self.scope.declare(symbol)
        return symbol

    def _label(self, name: s.Name | None) -> str:
        """Return a label in the form that is compared; '' if there is none."""
        return "" if name is None else self.scope.key(name.text)

    # Statements.

    def statements(self, nodes: list[s.Statement]) -> None:
        """Compile statements in a row; `pass` if there are none."""
        before = len(self.out.lines)
        for node in nodes:
            self.statement(node)
        if len(self.out.lines) == before:
            self.out.line("pass")

    def suite(self, nodes: list[s.Statement]) -> None:
        """Compile statements one level further in, in a scope of their own."""
        outer = self.scope
        self.scope = Scope(outer)
        self.out.indent()
        self.depth += 1
        if self.depth > NESTING_MAX:
            raise CompileError(2401, f"statements are nested deeper than {NESTING_MAX} levels", nodes[0])
        self.block_body(nodes)
        self.depth -= 1
        self.out.dedent()
        self.scope = outer

    def statement(self, node: s.Statement) -> None:
        """Compile a statement; its lines remember where it stands."""
        if len(self.out.lines) > LINES_MAX:
            raise CompileError(2401, f"the routine becomes more than {LINES_MAX} lines of Python", node)
        outer = self.out.place
        line = node.line - self.first_line + 1
        text = statement_text(self.text, node)
        self.out.place = Place(self.routine_name, self.file, node.line, node.column, line, text)
        try:
            if self.profile and not isinstance(node, s.Block | s.DeclareHandler):
                self.out.line(f"hit({self.routine_name!r}, {node.line})")
            self._statement(node)
        finally:
            self.out.place = outer

    def _statement(self, node: s.Statement) -> None:
        method = _METHODS.get(type(node))
        if method is None:
            raise CompileError(2401, f"{type(node).__name__} cannot stand here", node)
        method(self, node)

    # Blocks, handlers.

    def block(self, node: s.Block) -> None:
        """Compile BEGIN ... END."""
        label = self._label(node.label)
        left = label and any(
            isinstance(each, s.Leave) and self._label(each.label) == label for each in walk_nodes(node)
        )
        frame = Frame(label, is_loop=False)
        outer_scope = self.scope
        self.scope = Scope(outer_scope)
        if node.atomic:
            self.out.line(f"with c.atomic({self.atomic_key!r}):")
            self.out.indent()
        if left:
            self.out.line("while True:")
            self.out.indent()
            self.frames.append(frame)
        self.block_body(node.statements)
        if left:
            self.out.line("break")
            self.out.dedent()
            self._close(frame)
        if node.atomic:
            self.out.dedent()
        self.scope = outer_scope

    def block_body(self, nodes: list[s.Statement]) -> None:
        """Compile the statements of a scope, inside its handlers. Statements before the handlers are outside."""
        handlers = [node for node in nodes if isinstance(node, s.DeclareHandler)]
        if not handlers:
            self.statements(nodes)
            return
        first = max(number for number, node in enumerate(nodes) if isinstance(node, s.DeclareHandler)) + 1
        for node in nodes[:first]:
            if not isinstance(node, s.DeclareHandler):
                self.statement(node)
        given = set(self.scope.symbols)
        start = len(self.out.lines)
        self.out.line("pass")
        # Set while a CONTINUE handler runs: what it raises is not for the EXIT handlers beside it.
        running = f"scope_{self._number()}"
        exits = [each for each in handlers if each.action == "EXIT"]
        if exits:
            self.out.line(f"{running} = False")
            self.out.line("try:")
            self.out.indent()
        if len(exits) == len(handlers):
            self.statements(nodes[first:])
        else:
            for node in nodes[first:]:
                self._guarded(node, handlers, running if exits else "")
            self.out.line("pass")
        if exits:
            self.out.dedent()
            error = self._error_name()
            self.out.line(f"except BrokerError as {error}:")
            self.out.indent()
            self.out.line(f"if {running}:")
            self.out.line("    raise")
            for handler in exits:
                self.out.line(f"elif handles({error}, {self._states(handler)}):")
                self._handler_body(handler, error)
            self.out.line("else:")
            self.out.line("    raise")
            self.out.dedent()
        self._initialise(start, given)

    def _initialise(self, line: int, given: set[str]) -> None:
        """Give the variables of this scope a value in advance: a handler may run before their DECLARE does."""
        codes: list[str] = []
        for name, symbol in self.scope.symbols.items():
            if name not in given:
                codes.append(f"{symbol.code} = {f'new_row({symbol.name!r})' if symbol.kind == 'ROW' else 'None'}")
                if symbol.moved:
                    codes.append(f"{symbol.moved} = False")
        if codes:
            self.out.lines[line] = "    " * self.out.margin + "; ".join(codes)

    def _states(self, node: s.DeclareHandler) -> str:
        states = [(state.value, state.like, state.escape) for state in node.states]
        return self.constants.add("H", repr(states), states)

    def _number(self) -> int:
        self.temporaries += 1
        return self.temporaries

    def _error_name(self) -> str:
        return f"error_{self._number()}"

    def _handler_body(self, handler: s.DeclareHandler, error: str) -> None:
        """Compile the statement of a handler."""
        kept_error, self.current_error = self.current_error, f"saved_{error}"
        self.out.indent()
        # Python unbinds the name of an `except` at its end, and RESIGNAL may stand in a nested one.
        self.out.line(f"saved_{error} = {error}")
        self.out.line(f"c.enter_handler({error})")
        self.out.dedent()
        self.suite([handler.statement])
        self.current_error = kept_error

    def _guarded(self, node: s.Statement, handlers: list[s.DeclareHandler], running: str) -> None:
        """Compile a statement inside the CONTINUE handlers of its scope."""
        self.out.line("try:")
        self.out.indent()
        before = len(self.out.lines)
        self.statement(node)
        if len(self.out.lines) == before:
            self.out.line("pass")
        self.out.dedent()
        error = self._error_name()
        self.out.line(f"except BrokerError as {error}:")
        self.out.indent()
        word = "if"
        for handler in handlers:
            self.out.line(f"{word} handles({error}, {self._states(handler)}):")
            word = "elif"
            if handler.action == "EXIT":
                self.out.line("    raise")
                continue
            if running:
                self.out.line(f"    {running} = True")
            self._handler_body(handler, error)
            if running:
                self.out.line(f"    {running} = False")
        self.out.line("else:")
        self.out.line("    raise")
        self.out.dedent()

    def handler(self, node: s.DeclareHandler) -> None:
        """Refuse a handler that does not stand in a block."""
        raise CompileError(2401, "a handler must stand at the start of a block", node)

    # Declarations.

    def declare(self, node: s.Declare) -> None:
        """Compile a local DECLARE."""
        if node.storage is not None:
            raise CompileError(2401, f"{node.storage} variables stand at module or schema level", node)
        for name in node.names:
            self.declare_one(node, name)

    def declare_one(self, node: s.Declare, name: s.Name) -> None:
        """Declare one name and give it its first value."""
        kind = node.type.name
        if kind == "REFERENCE":
            self._declare_reference(node, name)
            return
        initial = "None"
        if node.initial is not None:
            initial = self.source(node.initial) if kind == "ROW" else self.typed(node.initial, node.type)
        symbol = self.local(name, node.type, node.constant)
        if kind == "ROW":
            self.out.line(f"{symbol.code} = new_row({name.text!r})")
            if node.initial is not None:
                self.out.line(f"assign_root({symbol.code}, {initial})")
            return
        if kind in ("NAME", "NAMESPACE"):
            literal = node.initial
            if isinstance(literal, s.Literal) and isinstance(literal.value, str):
                symbol.text = literal.value
        self.out.line(f"{symbol.code} = {initial}")

    def _declare_reference(self, node: s.Declare, name: s.Name) -> None:
        if node.initial is None:
            raise CompileError(2401, f"the reference {name.text} needs TO and a path", node)
        if not isinstance(node.initial, s.Path):
            code = f"as_reference({self.element(node.initial)}, {name.text!r})"
            symbol = self.local(name, node.type)
            self.out.line(f"{symbol.code}, {symbol.moved} = {code}, True")
            return
        path = self.path(node.initial)
        found = self.element_code(path)
        start = path.start
        symbol = self.local(name, node.type)
        if not path.steps:
            self.out.line(f"{symbol.code}, {symbol.moved} = {start}, True")
            return
        # A path that leads nowhere leaves the reference at the start of the path.
        self.out.line(f"{symbol.code}, {symbol.moved} = refer({found}, {start})")

    def typed(self, node: s.Expression, kind: s.DataType) -> str:
        """Return code of a value converted to a declared type."""
        code = self.scalar(node)
        name = "CHARACTER" if kind.name in ("NAME", "NAMESPACE") else kind.name
        if code == "None" or self.type_of(node) == name and kind.precision is None and name != "INTERVAL":
            return code
        return f"convert({code}, {self.type_code(kind) if name == kind.name else name})"

    # SET.

    def set(self, node: s.Set) -> None:
        """Compile SET."""
        target = node.target
        name = target.identifier
        symbol = None if name is None else self.scope.find(name.text)
        if symbol is not None and symbol.kind not in ("ROW", "REFERENCE"):
            if node.attribute is not None and node.attribute != "VALUE":
                raise CompileError(2432, f"{symbol.name} is a variable, not a field", node)
            if symbol.constant:
                raise CompileError(2432, f"{symbol.name} is a constant and cannot be set", node)
            self.out.line(f"{symbol.code} = {self.typed(node.value, symbol.type)}")
            return
        path = self.path(target)
        if node.attribute is not None:
            self._set_attribute(node, path)
        elif not path.steps:
            self._set_tree(node, path)
        elif path.is_list:
            before = PathCode(path.start, path.symbol, path.correlation, path.steps[:-1])
            last = self.step_code(path.steps[-1])
            self.out.line(f"assign_list({self.target_code(before)}, {last}, {self.source(node.value)})")
        else:
            self._set_field(node, path)

    def _set_field(self, node: s.Set, path: PathCode) -> None:
        value = node.value
        target = self.target_code(path)
        if isinstance(value, s.Path) and not value.is_list and self._is_tree_path(value):
            self.out.line(f"assign_element({target}, {self.element(value)}, GAPS)")
        elif self._may_be_tree(value):
            self.out.line(f"assign({target}, {self.source(value)}, GAPS, KEEP)")
        else:
            self.out.line(f"set_scalar({target}, {self.scalar(value)}, GAPS, KEEP)")

    def _set_tree(self, node: s.Set, path: PathCode) -> None:
        """Compile SET of a whole tree, a row, or the element that a reference points at."""
        if path.symbol is not None and path.symbol.kind == "REFERENCE":
            self.out.line(f"assign_reference({path.start}, {self.source(node.value)}, KEEP)")
        else:
            self.out.line(f"assign_root({path.start}, {self.source(node.value)})")

    def _set_attribute(self, node: s.Set, path: PathCode) -> None:
        if node.attribute == "VALUE":
            if path.steps:
                self.out.line(f"set_field_value({self.target_code(path)}, {self.scalar(node.value)}, GAPS)")
            else:
                self.out.line(f"set_reference_value({path.start}, {self.scalar(node.value)})")
            return
        assert node.attribute is not None
        element = self.element_code(path)
        if path.steps:
            element = f"target_of({self.target_code(path)}, GAPS)"
        self.out.line(f"set_{node.attribute.lower()}({element}, {self.scalar(node.value)})")

    def _is_tree_path(self, node: s.Path) -> bool:
        symbol = self._variable(node)
        if symbol is not None:
            return symbol.kind in ("ROW", "REFERENCE")
        return self._constant_name(node) is None

    def _may_be_tree(self, node: s.Expression) -> bool:
        if isinstance(node, s.FunctionCall):
            return node.name.key == "THE" or self._gives_tree(node) or self._is_eval(node)
        if isinstance(node, s.Path):
            return node.is_list or self._is_tree_path(node)
        if isinstance(node, s.FunctionPath | s.ContextReference):
            return True
        return isinstance(node, s.Select | s.RowConstructor | s.ListConstructor | s.Passthru | s.CaseExpression)

    def store(self, target: s.Path, code: str) -> None:
        """Store a value that code gives into a variable or field."""
        name = target.identifier
        symbol = None if name is None else self.scope.find(name.text)
        if symbol is not None and symbol.kind == "REFERENCE":
            self.out.line(f"{symbol.code}, {symbol.moved or '_'} = {code}, True")
        elif symbol is not None and symbol.kind != "ROW":
            if symbol.type.name in ("NAME", "NAMESPACE", ""):
                self.out.line(f"{symbol.code} = {code}")
            else:
                self.out.line(f"{symbol.code} = convert(scalar({code}), {self.type_code(symbol.type)})")
        else:
            path = self.path(target)
            if not path.steps:
                self.out.line(f"assign_root({path.start}, {code})")
            elif path.is_list:
                before = PathCode(path.start, path.symbol, path.correlation, path.steps[:-1])
                last = self.step_code(path.steps[-1])
                self.out.line(f"assign_list({self.target_code(before)}, {last}, {code})")
            else:
                self.out.line(f"assign({self.target_code(path)}, {code}, GAPS, KEEP)")

    # Control.

    def if_(self, node: s.If) -> None:
        """Compile IF."""
        branches = [(branch.condition, branch.statements) for branch in node.branches]
        self._branches("", branches, node.otherwise)

    def case(self, node: s.CaseStatement) -> None:
        """Compile the CASE statement."""
        name = ""
        if node.operand is not None:
            name = self.temporary()
            self.out.line(f"{name} = {self.scalar(node.operand)}")
        self._branches(name, [(when.condition, when.statements) for when in node.whens], node.otherwise)

    def _branches(
        self,
        operand: str,
        branches: list[tuple[s.Expression, list[s.Statement]]],
        otherwise: list[s.Statement] | None,
    ) -> None:
        """Compile branches of which one runs; with an operand, the first that is equal to it."""
        done = self.temporary() if len(branches) > BRANCHES_MAX else ""
        if done:
            self.out.line(f"{done} = False")
        word = "if"
        for number, (condition, statements) in enumerate(branches):
            if done and number and number % BRANCHES_MAX == 0:
                self.out.line(f"if {done}:")
                self.out.line("    pass")
            test = f"eq({operand}, {self.scalar(condition)})" if operand else self.condition(condition)
            self.out.line(f"{word} {test}:")
            if done:
                self.out.line(f"    {done} = True")
            self.suite(statements)
            word = "elif"
        if otherwise is not None:
            self.out.line("else:")
            self.suite(otherwise)

    def while_(self, node: s.While) -> None:
        """Compile WHILE."""
        self._loop(node.label, f"while {self.condition(node.condition)}:", node.statements)

    def loop(self, node: s.Loop) -> None:
        """Compile LOOP."""
        self._loop(node.label, "while True:", node.statements)

    def repeat(self, node: s.Repeat) -> None:
        """Compile REPEAT ... UNTIL."""
        self._loop(node.label, "while True:", node.statements, node.condition)

    def for_(self, node: s.For) -> None:
        """Compile FOR. The variable is a reference to each item."""
        rows = f"rows_of({self.listing(node.source)})"
        outer = self.scope
        self.scope = Scope(outer)
        kind = s.DataType(node.line, node.column, "REFERENCE")
        symbol = self.local(node.name, kind)
        self._loop(node.label, f"for {symbol.code} in {rows}:", node.statements, first=f"{symbol.moved} = True")
        self.scope = outer

    def _loop(
        self,
        label: s.Name | None,
        head: str,
        nodes: list[s.Statement],
        until: s.Expression | None = None,
        first: str = "",
    ) -> None:
        frame = Frame(self._label(label), is_loop=True)
        self.frames.append(frame)
        self.out.line(head)
        if first:
            self.out.line(f"    {first}")
        if until is None:
            self.suite(nodes)
        else:
            outer = self.scope
            self.scope = Scope(outer)
            self.out.indent()
            self._repeated(frame.label, nodes)
            self.out.line(f"if {self.condition(until)}:")
            self.out.line("    break")
            self.out.dedent()
            self.scope = outer
        self._close(frame)

    def _repeated(self, label: str, nodes: list[s.Statement]) -> None:
        """Compile the body of a REPEAT: ITERATE leaves it and goes on with the condition."""
        if not any(isinstance(each, s.Iterate) and self._label(each.label) == label for each in walk_nodes(nodes)):
            self.block_body(nodes)
            return
        body = Frame(label, is_loop=True, is_body=True)
        self.frames.append(body)
        self.out.line("while True:")
        self.out.indent()
        self.block_body(nodes)
        self.out.line("break")
        self.out.dedent()
        self._close(body)

    def _close(self, frame: Frame) -> None:
        """End a Python loop, and pass on the jumps to outer loops that left it."""
        assert self.frames[-1] is frame
        self.frames.pop()
        around = self.frames[-1] if self.frames else None
        for flag, target, jump in frame.jumps:
            self.out.line(f"if {flag}:")
            if target is around:
                self.out.line(f"    {flag} = False")
                self.out.line(f"    {jump}")
            else:
                assert around is not None
                self.out.line("    break")
                if (flag, target, jump) not in around.jumps:
                    around.jumps.append((flag, target, jump))

    def leave(self, node: s.Leave) -> None:
        """Compile LEAVE."""
        self._jump(node.label, "break", node)

    def iterate(self, node: s.Iterate) -> None:
        """Compile ITERATE."""
        self._jump(node.label, "continue", node)

    def _jump(self, label: s.Name, jump: str, node: s.Statement) -> None:
        wanted = self._label(label)
        leaves = jump == "break"
        frames = [frame for frame in self.frames if frame.label == wanted and not (leaves and frame.is_body)]
        target = frames[-1] if frames else None
        if target is None or not leaves and not target.is_loop:
            raise CompileError(2401, f"there is no loop or block {label.text} around this statement", node)
        if target.is_body:
            jump = "break"
        inner = self.frames[-1]
        if inner is target:
            self.out.line(jump)
            return
        flag = f"go_{len(self.flags) + 1}"
        self.flags.append(flag)
        self.out.line(f"{flag} = True")
        self.out.line("break")
        inner.jumps.append((flag, target, jump))

    def return_(self, node: s.Return) -> None:
        """Compile RETURN."""
        value = "None"
        if node.value is not None:
            if self.returns is not None and self.returns.name in ("ROW", "REFERENCE"):
                value = self.element(node.value)
            elif self.returns is not None and self.returns.name not in ("LIST",):
                value = self.typed(node.value, self.returns)
            else:
                value = self.source(node.value)
        self.out.line(self.return_code(value))

    def return_code(self, value: str) -> str:
        """Return the Python `return` of a value, with the OUT parameters behind it."""
        if not self.outs:
            return f"return {value}"
        outs = [
            f"({symbol.code}, {symbol.moved})" if symbol.kind == "REFERENCE" else symbol.code for symbol in self.outs
        ]
        return f"return ({value}, {', '.join(outs)})"

    def call(self, node: s.Call) -> None:
        """Compile CALL."""
        routine = self.resolve(node.schema, node.name)
        if routine is None:
            builtin = s.FunctionCall(node.line, node.column, node.schema, node.name, node.arguments)
            self._into(node, self._call(builtin))
            return
        arguments = self.arguments(routine, node.arguments, node)
        extra = ""
        if node.database is not None or node.external_schema is not None:
            schema = "None" if node.external_schema is None else self.scalar(node.external_schema)
            extra = f"c.procedure_in({self.database_name(node.database)}, {schema})"
            self.out.line(extra)
        call = f"{routine.code}({', '.join(['c', *arguments])})"
        if not routine.outs and not routine.result_sets:
            self._into(node, call)
            return
        result = self.temporary()
        self.out.line(f"{result} = {call}")
        for number, position in enumerate(routine.outs):
            for code in self._stored(node.arguments[position], routine.parameters[position], f"{result}[{number + 1}]"):
                self.out.line(code)
        for number in range(routine.result_sets):
            argument = node.arguments[len(routine.parameters) + number]
            if not isinstance(argument, s.Path) or not argument.is_list:
                raise CompileError(2492, f"result set {number + 1} of {routine.name} needs a list, such as a.b[]", node)
            self.store(argument, f"{result}[{number + 1 + len(routine.outs)}]")
        if node.into is not None:
            self.store(node.into, f"{result}[0]")

    def _into(self, node: s.Call, code: str) -> None:
        if node.into is None:
            self.out.line(code)
        else:
            self.store(node.into, code)

    # Trees.

    def create(self, node: s.Create) -> None:
        """Compile CREATE."""
        path = self.path(node.target)
        made = self.temporary()
        target = self._target(path)
        name = "None" if node.name is None else f"name_value({self.scalar(node.name)})"
        namespace = "None" if node.namespace is None else self._namespace(node.namespace)
        kind = "None" if node.type is None else self.scalar(node.type)
        domain = "None" if node.domain is None else self.scalar(node.domain)
        if node.identity is not None:
            name, namespace, kind = self._identity(node.identity)
        if node.position == "FIELD":
            self.out.line(f"{made} = {target}")
            self.out.line(f"shape({made}, {name}, {namespace}, {kind}, {domain})")
        elif node.repeat:
            around = self.temporary()
            self.out.line(f"{around} = {target}")
            twin = self.temporary()
            self.out.line(f"{twin} = neighbour({node.position!r}, {around})")
            new = f"new_element({twin}.name, {twin}.namespace, {twin}.type, {domain}, {around})"
            self.out.line(f"{made} = place({node.position!r}, {around}, {new})")
        else:
            around = self.temporary()
            self.out.line(f"{around} = {target}")
            if node.source is not None and name == "None" and domain == "None":
                like = self.temporary()
                self.out.line(f"{like} = as_reference({self.element(node.source)}, 'FROM')")
                name, namespace = f"{like}.name", f"{like}.namespace"
                if kind == "None":
                    kind = f"{like}.type"
            parent = around if node.position in ("FIRSTCHILD", "LASTCHILD") else f"parent_or_self({around})"
            new = f"new_element({name}, {namespace}, {kind}, {domain}, {parent})"
            self.out.line(f"{made} = place({node.position!r}, {around}, {new})")
        if node.value is not None:
            if self._may_be_tree(node.value):
                self.out.line(f"assign_reference({made}, {self.source(node.value)}, True)")
            else:
                self.out.line(f"{made}.set_value({self.scalar(node.value)})")
        elif node.source is not None:
            self.out.line(f"fill_from({made}, {self.element(node.source)})")
        elif node.parse is not None:
            options = self.parse_options(node.parse.options)
            self.out.line(f"c.parse({made}, {self.scalar(node.parse.source)}, {options})")
        if node.reference is not None:
            self.store(node.reference, made)

    def _namespace(self, node: s.Expression) -> str:
        """Return code of a NAMESPACE clause: a declared prefix stands for its namespace."""
        return self.scalar(node)

    def _identity(self, element: s.PathElement) -> tuple[str, str, str]:
        """Return code of name, namespace and type that an IDENTITY clause gives."""
        name = "None"
        if isinstance(element.name, s.Name):
            name = repr(element.name.text)
        elif isinstance(element.name, s.ComputedName):
            name = self.scalar(element.name.expression)
        namespace = "None"
        if isinstance(element.namespace, s.Name):
            text, code = self.prefix(element.namespace)
            namespace = code or repr(text)
        elif isinstance(element.namespace, s.ComputedName):
            namespace = self.scalar(element.namespace.expression)
        kind = "None"
        if element.type is not None:
            known = self.constant_type(element.type)
            kind = self.scalar(element.type) if known is None else f"{known[0]:#010x}"
        return name, namespace, kind

    def _target(self, path: PathCode) -> str:
        """Return code of the element that a statement changes; missing steps are created."""
        if not path.steps:
            return path.start
        if path.is_list:
            raise CompileError(2401, "a list cannot stand here", s.Node(0, 0))
        return f"target_of({self.target_code(path)}, GAPS)"

    def delete_field(self, node: s.DeleteField) -> None:
        """Compile DELETE FIELD and DELETE ... OF."""
        path = self.path(node.target)
        if path.is_list:
            self.out.line(f"delete_all({self.items_code(path)})")
        else:
            self.out.line(f"delete({node.position!r}, {self.element_code(path)})")

    def _reference(self, path: s.Path, node: s.Statement) -> Symbol:
        symbol = self._variable(path)
        if symbol is None or symbol.kind != "REFERENCE":
            raise CompileError(2432, "this statement takes a reference variable", node)
        return symbol

    def move(self, node: s.Move) -> None:
        """Compile MOVE."""
        symbol = self._reference(node.reference, node)
        if node.position == "TO":
            assert node.target is not None
            found = self.element(node.target)
        else:
            found = f"move({symbol.code}, {node.position!r}, {self._move_step(node, symbol)})"
        self.out.line(f"{symbol.code}, {symbol.moved or '_'} = refer({found}, {symbol.code})")

    def _move_step(self, node: s.Move, symbol: Symbol) -> str:
        if node.repeat:
            both = not node.repeat_type and not node.repeat_name
            return f"like_reference({symbol.code}, {node.repeat_type or both}, {node.repeat_name or both})"
        if node.identity is not None:
            return self.step_code(self._step(node.identity))
        if node.type is None and node.name is None and node.namespace is None:
            return "None"
        any_name = node.name is None or isinstance(node.name, s.AnyName)
        any_namespace = isinstance(node.namespace, s.AnyName) or node.namespace is None and any_name
        name = self.scalar(node.name) if isinstance(node.name, s.Expression) else "None"
        namespace = self.scalar(node.namespace) if isinstance(node.namespace, s.Expression) else "None"
        kind = "None" if node.type is None else self.scalar(node.type)
        return f"computed({name}, {namespace}, {any_name}, {any_namespace}, {kind}, 0)"

    def attach(self, node: s.Attach) -> None:
        """Compile ATTACH."""
        symbol = self._reference(node.reference, node)
        self.out.line(f"attach({symbol.code}, {self.element(node.target)}, {node.position!r})")

    def detach(self, node: s.Detach) -> None:
        """Compile DETACH."""
        self.out.line(f"detach({self._reference(node.reference, node).code})")

    def propagate(self, node: s.Propagate) -> None:
        """Compile PROPAGATE."""
        terminal = "'out'" if node.terminal is None else self.scalar(node.terminal)
        label = "None"
        if node.label is not None:
            # A label that is NULL is an error, not the terminal `out`.
            terminal, label = "None", self.scalar(node.label)
        trees = [
            "None" if each is None else self.element(each) for each in (node.environment, node.message, node.exception)
        ]
        finalize = node.finalize != "NONE"
        delete = node.delete != "NONE"
        self.out.line(f"c.propagate({terminal}, {label}, {', '.join(trees)}, {finalize}, {delete})")
        if delete:
            for symbol in self.scope.visible().values():
                if symbol.kind == "REFERENCE":
                    self.out.line(f"{symbol.code} = c.rebound({symbol.code})")

    # Databases and the rest.

    def insert(self, node: s.Insert) -> None:
        """Compile INSERT."""
        self.out.line(self.insert_code(node))

    def update(self, node: s.Update) -> None:
        """Compile UPDATE."""
        self.out.line(self.update_code(node))

    def delete_from(self, node: s.DeleteFrom) -> None:
        """Compile DELETE FROM."""
        self.out.line(self.delete_code(node))

    def passthru_statement(self, node: s.PassthruStatement) -> None:
        """Compile PASSTHRU as a statement."""
        self.out.line(self.passthru(node.sql, node.database, node.values))

    def commit(self, node: s.Commit) -> None:
        """Compile COMMIT."""
        self.out.line(f"c.commit({self.database_name(node.database)})")

    def rollback(self, node: s.Rollback) -> None:
        """Compile ROLLBACK."""
        self.out.line(f"c.rollback({self.database_name(node.database)})")

    def eval(self, node: s.Eval) -> None:
        """Compile EVAL as a statement: the text runs in this scope and may set its variables."""
        symbols = self.scope.visible()
        scope = self.constants.add("E", f"scope {len(self.constants.values)}", (symbols, self.trees, self))
        names = local_names(symbols)
        given = ", ".join(f"{name!r}: {name}" for name in names)
        result = self.temporary()
        self.out.line(f"{result} = c.run_text({self.scalar(node.source)}, {scope}, {{{given}}})")
        for name in names:
            self.out.line(f"{name} = {result}[{name!r}]")

    def throw(self, node: s.Throw) -> None:
        """Compile THROW."""
        self.out.line(f"raise user_exception({self._message(node)})")

    def log(self, node: s.Log) -> None:
        """Compile LOG."""
        error = self.current_error or "None"
        self.out.line(f"c.log({node.destination!r}, {node.exception!r}, {error}, {self._message(node)})")

    def _message(self, node: s.Throw | s.Log) -> str:
        parts = ["None" if each is None else self.scalar(each) for each in (node.severity, node.catalog, node.message)]
        values = ", ".join(self.scalar(each) for each in node.values or [])
        return f"{', '.join(parts)}, [{values}]"

    def resignal(self, node: s.Resignal) -> None:
        """Compile RESIGNAL."""
        if not self.current_error:
            raise CompileError(2401, "RESIGNAL stands in handlers only", node)
        self.out.line(f"raise {self.current_error}")


#: Each method takes the statement that its key says.
_METHODS: dict[type[s.Statement], Callable[[StatementCompiler, Any], None]] = {
    s.Block: StatementCompiler.block,
    s.Declare: StatementCompiler.declare,
    s.DeclareHandler: StatementCompiler.handler,
    s.Set: StatementCompiler.set,
    s.Call: StatementCompiler.call,
    s.If: StatementCompiler.if_,
    s.CaseStatement: StatementCompiler.case,
    s.While: StatementCompiler.while_,
    s.Repeat: StatementCompiler.repeat,
    s.Loop: StatementCompiler.loop,
    s.For: StatementCompiler.for_,
    s.Iterate: StatementCompiler.iterate,
    s.Leave: StatementCompiler.leave,
    s.Return: StatementCompiler.return_,
    s.Create: StatementCompiler.create,
    s.DeleteField: StatementCompiler.delete_field,
    s.Move: StatementCompiler.move,
    s.Attach: StatementCompiler.attach,
    s.Detach: StatementCompiler.detach,
    s.Propagate: StatementCompiler.propagate,
    s.Insert: StatementCompiler.insert,
    s.Update: StatementCompiler.update,
    s.DeleteFrom: StatementCompiler.delete_from,
    s.PassthruStatement: StatementCompiler.passthru_statement,
    s.Commit: StatementCompiler.commit,
    s.Rollback: StatementCompiler.rollback,
    s.Eval: StatementCompiler.eval,
    s.Throw: StatementCompiler.throw,
    s.Log: StatementCompiler.log,
    s.Resignal: StatementCompiler.resignal,
}
