"""Programs: all ESQL of an application, compiled.

    program = Program()
    program.add(parse(text, "orders.esql"))
    program.compile()                       errors are in program.errors, with file, line and BIP number
    unit = program.unit("", "OrderRouting") a module: kind, Main, initialisers

A program is one scope of names: an application with its static libraries. Files of one broker schema see each other's
routines and declarations; other schemas are reached by PATH or by a qualified name. A node calls
`schema#Module.Main`.

Every routine becomes one Python function; all share one dict of globals. Variables of modules and schemas are kept in
the Run: `c.vars` for one message, `c.shared` for as long as the flow is deployed (SHARED, EXTERNAL, and a CONSTANT
whose value is the same for all messages).

A call of a routine that is nowhere is a warning, as in the Toolkit: the flow runs, and the call fails when it is
reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.compile_paths import CompileError
from flintmq.broker.esql.compile_sql import walk_nodes
from flintmq.broker.esql.compile_statements import StatementCompiler
from flintmq.broker.esql.names import ALL_TREES, TREES_BY_KIND, Scope, Symbol
from flintmq.broker.esql.routines import Signature, signature_of
from flintmq.broker.esql.source import Constants, Place, PythonSource, python_name
from flintmq.broker.esql.support import NAMES, namespace
from flintmq.broker.esql.switches import DEFAULTS, Switches

#: Name of the file of compiled code, in tracebacks.
FILE_PREFIX = "<esql "
#: What Python raises for source that is right but too much for it.
REFUSED = (SyntaxError, RecursionError, MemoryError, OverflowError)


@dataclass(slots=True)
class EsqlProblem:
    """A reason why ESQL cannot run, or (as a warning) why it may fail."""

    number: int
    text: str
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: BIP{self.number}: {self.text}"


@dataclass(slots=True)
class Unit:
    """A compiled module."""

    schema: str
    name: str
    kind: str
    #: Runs Main with a Run and returns its value.
    main: Callable[..., object] | None
    #: Gives variables of module and schemas their values: once per deployment, and for every message.
    once: list[Callable[..., object]]
    each: list[Callable[..., object]]
    routines: dict[str, Signature] = field(default_factory=dict)
    #: Data sources that Main, and what it calls, name in the text; '' for that of the node.
    data_sources: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """Return `schema.Module`."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(slots=True)
class _File:
    parsed: s.ParsedFile
    scope: Scope
    routines: dict[str, Signature]
    name: str
    library: bool = False
    once: str = ""
    each: str = ""
    #: Modules that another file of the program has already.
    passed_over: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Uses:
    """Data sources that a routine names, and the functions of routines that it calls."""

    data_sources: set[str]
    called: set[str]


@dataclass(slots=True)
class _Emitted:
    """A Python function in the source: its lines, and the routine or declarations that it was made from."""

    first: int
    last: int
    head: str
    name: str
    file: _File
    node: s.Node


class Program:
    """All ESQL of an application."""

    def __init__(self, switches: Switches = DEFAULTS, profile: bool = False) -> None:
        self.switches = switches
        self.profile = profile
        self._with_case = switches.variable_names == "sensitive"
        self.errors: list[EsqlProblem] = []
        self.warnings: list[EsqlProblem] = []
        self.constants = Constants()
        self.globals: dict[str, object] = {}
        self.source = ""
        self.places: dict[int, Place] = {}
        self.units: dict[tuple[str, str], Unit] = {}
        self._files: list[_File] = []
        self._schemas: dict[str, Scope] = {}
        self._routines: dict[tuple[str, str], Signature] = {}
        self._out = PythonSource()
        self._functions: set[str] = set()
        self._shown: dict[str, tuple[int, int]] = {}
        self._emitted: list[_Emitted] = []
        self._initialisers: dict[str, tuple[list[str], list[str]]] = {}
        self._broken: set[str] = set()
        self._uses: dict[str, _Uses] = {}

    def add(self, parsed: s.ParsedFile, library: bool = False) -> None:
        """Take a parsed file into the program. A file with syntax errors is left out, its errors are kept.

        A module of a shared `library` that the program already has is passed over: the application's own wins.
        """
        name = parsed.file or f"esql {len(self._files) + 1}"
        for error in parsed.errors:
            self.errors.append(EsqlProblem(error.number, error.message, name, error.line, error.column))
        if parsed.errors:
            return
        scope = self._schemas.setdefault(parsed.schema.upper(), Scope(with_case=self._with_case))
        self._files.append(_File(parsed, scope, {}, name, library))

    def add_statements(self, parsed: s.ParsedStatements, schema: str, name: str, kind: str = "COMPUTE") -> None:
        """Take the bare statements that V2.1 kept inside a node, as the module `name`; Main ends with RETURN TRUE."""
        line = column = 1
        statements = [*parsed.statements]
        if not statements or not isinstance(statements[-1], s.Return):
            statements.append(s.Return(line, column, 0, 0, s.Literal(line, column, "BOOLEAN", True)))
        body = s.Block(line, column, 0, len(parsed.text), None, None, statements)
        returns = s.DataType(line, column, "BOOLEAN")
        main = s.Routine(
            line, column, 0, len(parsed.text), "FUNCTION", s.Name(line, column, "Main"), [], returns, body=body
        )
        module = s.Module(line, column, 0, len(parsed.text), kind, s.Name(line, column, name), [main])
        self.add(s.ParsedFile(name, parsed.text, schema, [], [module], parsed.errors))

    def add_expression(self, expression: s.Expression, text: str, schema: str, name: str) -> None:
        """Take the expression of a V2.1 Filter node, as the module `name`."""
        line, column = expression.line, expression.column
        statement = s.Return(line, column, 0, len(text), expression)
        returns = s.DataType(line, column, "BOOLEAN")
        main = s.Routine(
            line, column, 0, len(text), "FUNCTION", s.Name(line, column, "Main"), [], returns, body=statement
        )
        module = s.Module(line, column, 0, len(text), "FILTER", s.Name(line, column, name), [main])
        self.add(s.ParsedFile(name, text, schema, [], [module], []))

    @property
    def parsed_files(self) -> list[s.ParsedFile]:
        """Return the syntax trees of all files that are in the program, in the order in which names are looked up."""
        return [file.parsed for file in self._files]

    def unit(self, schema: str, name: str) -> Unit | None:
        """Return a module by broker schema and name; None if there is none."""
        return self.units.get((schema.upper(), name.upper()))

    # Compilation.

    def compile(self) -> None:
        """Compile all files. Problems are in `errors`; the rest can run."""
        for file in self._files:
            self._declare_routines(file)
        for file in self._files:
            self._declarations(file)
        for file in self._files:
            others = [self._schemas.get(schema.upper()) for schema in file.parsed.path]
            file.scope = Scope(file.scope, {}, [scope for scope in others if scope is not None])
        for file in self._files:
            self._bodies(file)
        code = self._python()
        self.source = self._out.text()
        self.places = self._out.places
        self.globals = namespace(self.switches)
        self.globals.update(self.constants.values)
        exec(code, self.globals)
        for key, (once, each) in self._initialisers.items():
            unit = self.units.get(_unit_key(key))
            if unit is not None:
                unit.once = [self._function(name) for name in once]
                unit.each = [self._function(name) for name in each]
        for unit in self.units.values():
            main = unit.routines.get("Main" if self._with_case else "MAIN")
            unit.main = None if main is None or main.name in self._broken else self._function(main.code)
            unit.data_sources = frozenset() if main is None else self._data_sources_of(main.code)

    def _data_sources_of(self, function: str) -> frozenset[str]:
        """Return the data sources that a function of a routine, and those that it calls, name."""
        seen, waiting, found = {function}, [function], set[str]()
        while waiting:
            uses = self._uses.get(waiting.pop())
            if uses is not None:
                found |= uses.data_sources
                waiting += uses.called - seen
                seen |= uses.called
        return frozenset(found)

    def _python(self) -> CodeType:
        """Return the code of all functions. One that Python refuses is a problem of its routine, not of the rest."""
        name = f"{FILE_PREFIX}{id(self):x}>"
        try:
            return compile(self._out.text(), name, "exec")
        except REFUSED:
            pass
        lines = self._out.lines
        for function in self._emitted:
            text = "\n".join(lines[function.first : function.last]) + "\n"
            try:
                compile(text, name, "exec")
            except REFUSED as error:
                reason = error.msg if isinstance(error, SyntaxError) else type(error).__name__
                self._problem(
                    2401,
                    f"{function.name} is nested too deep for Python ({reason}); move inner blocks into routines",
                    function.file,
                    function.node,
                )
                self._broken.add(function.name)
                stub = [function.head, f"    raise missing_routine({function.name!r})"]
                # The lines of the other functions keep their numbers.
                stub += [""] * (function.last - function.first - len(stub))
                lines[function.first : function.last] = stub
        return compile(self._out.text(), name, "exec")

    def _function(self, name: str) -> Callable[..., object]:
        found = self.globals[name]
        assert callable(found)
        return found

    def _declare_routines(self, file: _File) -> None:
        """Name the routines of a file, so that calls find them."""
        schema = file.parsed.schema
        for routine in file.parsed.routines:
            signature = self._signature(routine, schema, "")
            file.routines[self._key(routine.name)] = signature
            self._routines.setdefault((schema.upper(), self._key(routine.name)), signature)
        for module in file.parsed.modules:
            unit = Unit(schema, module.name.text, module.kind, None, [], [])
            for routine in module.routines:
                if routine.name.key in unit.routines:
                    self._problem(
                        2401, f"the routine {routine.name.text} is defined twice in {unit.label}", file, routine
                    )
                unit.routines[self._key(routine.name)] = self._signature(routine, schema, module.name.text)
            key = (schema.upper(), module.name.key)
            if key in self.units:
                file.passed_over.add(id(module))
                if not file.library:
                    self._problem(2401, f"the module {unit.label} is defined twice", file, module)
                continue
            self.units[key] = unit

    def _signature(self, routine: s.Routine, schema: str, module: str) -> Signature:
        words = [word for word in (schema, module, routine.name.text) if word]
        code = python_name("_".join(words).replace(".", "_"), self._functions, NAMES)
        return signature_of(routine, ".".join(words), code)

    def _key(self, name: s.Name) -> str:
        """Return the form in which the name of a routine is compared."""
        return name.text if self._with_case else name.key

    def _problem(self, number: int, text: str, file: _File, node: s.Node) -> None:
        self.errors.append(EsqlProblem(number, text, file.name, node.line, node.column))

    def _declarations(self, file: _File) -> None:
        """Compile the declarations at schema level."""
        once, each = self._declare_all(
            file, file.parsed.declarations, file.scope, file.parsed.schema, ALL_TREES, {}, file.name, at_schema=True
        )
        file.once, file.each = once, each

    def _declare_all(
        self,
        file: _File,
        declarations: list[s.Declare],
        scope: Scope,
        prefix: str,
        trees: dict[str, str],
        routines: dict[str, Signature],
        name: str,
        at_schema: bool = False,
    ) -> tuple[str, str]:
        """Compile declarations outside routines; return the functions that set the variables, '' if none is needed.

        A flow has the variables of all schemas, also of libraries that it uses only in part. So at schema level an
        EXTERNAL variable without a value, and each that is computed from it, is an error only where it is read.
        """
        once = self._compiler(file, scope, trees, routines, name, 1)
        each = self._compiler(file, scope, trees, routines, name, 1)
        for node in declarations:
            lasting = node.storage is not None or _is_fixed(node, scope)
            compiler = once if lasting else each
            try:
                compiler.out.margin = 1
                for declared in node.names:
                    before = len(compiler.out.lines)
                    optional = at_schema and not isinstance(node.initial, s.Literal)
                    if optional and (node.initial is not None or node.storage == "EXTERNAL"):
                        key = f"{prefix}.{declared.text}" if prefix else declared.text
                        compiler.out.line(f"with c.optional({key!r}):")
                        compiler.out.margin = 2
                    self._declare_variable(compiler, node, declared, scope, prefix, lasting)
                    if compiler.out.margin == 2:
                        if len(compiler.out.lines) == before + 1:
                            compiler.out.lines.pop()
                        compiler.out.margin = 1
                    if not lasting:
                        # What is set once may start from what is set for every message.
                        once.out.lines += each.out.lines[before:]
            except CompileError as error:
                self._problem(error.number, error.text, file, error.node)
            except RecursionError:
                self._problem(2401, "expressions are nested too deep", file, node)
        if not declarations:
            return "", ""
        start = declarations[0]
        return (
            self._initialiser(once, f"{name}_once", file, start),
            self._initialiser(each, f"{name}_each", file, start),
        )

    def _initialiser(self, compiler: StatementCompiler, name: str, file: _File, node: s.Node) -> str:
        if not compiler.out.lines:
            return ""
        code = python_name(name, self._functions, NAMES)
        self._emit(f"def {code}(c):", compiler.out, name, file, node)
        return code

    def _declare_variable(
        self, compiler: StatementCompiler, node: s.Declare, name: s.Name, scope: Scope, prefix: str, lasting: bool
    ) -> None:
        """Declare one variable of a module or schema and compile the code that sets its first value."""
        kind = node.type.name
        holder = "c.shared" if lasting else "c.vars"
        key = f"{prefix}.{name.text}" if prefix else name.text
        symbol_kind = kind if kind in ("ROW", "REFERENCE", "NAME", "NAMESPACE") else "SCALAR"
        moved = f"{holder}[{key + ' moved'!r}]" if kind == "REFERENCE" else ""
        code = f"{holder}[{key!r}]"
        constant = node.constant or node.storage == "EXTERNAL"
        symbol = Symbol(name.text, symbol_kind, node.type, code, moved, constant=constant, local=False)
        if not _is_inline(symbol, node, compiler):
            self._initialise(compiler, node, symbol, lasting)
        scope.declare(symbol)

    def _initialise(self, compiler: StatementCompiler, node: s.Declare, symbol: Symbol, lasting: bool) -> None:
        """Compile the code that sets the first value of a variable."""
        kind = node.type.name
        literal = node.initial
        line = compiler.out.line
        if kind == "REFERENCE":
            if not isinstance(literal, s.Path):
                raise CompileError(2401, f"the reference {symbol.name} needs TO and a path", node)
            path = compiler.path(literal)
            line(f"{symbol.code}, {symbol.moved} = refer({compiler.element_code(path)}, {path.start})")
        elif kind == "ROW":
            line(f"{symbol.code} = {'shared_row' if lasting else 'new_row'}({symbol.name!r})")
            if literal is not None:
                line(f"assign_root({symbol.code}, {compiler.source(literal)})")
        else:
            initial = "None" if literal is None else compiler.typed(literal, node.type)
            if node.storage == "EXTERNAL":
                default = "MISSING" if literal is None else initial
                initial = f"c.external({symbol.name!r}, {kind!r}, {default})"
            line(f"{symbol.code} = {initial}")

    def _bodies(self, file: _File) -> None:
        """Compile the routines and modules of a file."""
        parsed = file.parsed
        first = len(self._out.lines) + 1
        for routine in parsed.routines:
            self._routine(
                file, routine, file.scope, ALL_TREES, {}, file.routines[self._key(routine.name)], parsed.schema
            )
        for module in parsed.modules:
            if id(module) in file.passed_over:
                continue
            unit = self.units[(parsed.schema.upper(), module.name.key)]
            scope = Scope(file.scope)
            trees = TREES_BY_KIND.get(module.kind, ALL_TREES)
            once, each = self._declare_all(
                file, module.declarations, scope, unit.label, trees, unit.routines, f"{unit.label}"
            )
            for routine in module.routines:
                signature = unit.routines[self._key(routine.name)]
                self._routine(file, routine, scope, trees, unit.routines, signature, unit.label)
            self._initialisers[f"{parsed.schema.upper()}#{module.name.key}"] = (
                [name for name in [*(each_file.once for each_file in self._files), once] if name],
                [name for name in [*(each_file.each for each_file in self._files), each] if name],
            )
        self._shown[file.name] = (first, len(self._out.lines))

    def _compiler(
        self,
        file: _File,
        scope: Scope,
        trees: dict[str, str],
        routines: dict[str, Signature],
        name: str,
        first_line: int,
    ) -> StatementCompiler:
        # A variable must not hide the function of a routine, either.
        reserved = NAMES | self._functions
        compiler = StatementCompiler(
            scope, self.constants, trees, reserved, file.parsed.text, file.name, name, first_line, self.profile
        )

        def resolve(schema: list[s.Name], called: s.Name) -> Signature | None:
            return self._resolve(file, routines, schema, called)

        def warn(number: int, text: str, node: s.Node) -> None:
            self.warnings.append(EsqlProblem(number, text, file.name, node.line, node.column))

        compiler.resolve = resolve
        compiler.warn = warn
        compiler.missing_schemas = [schema for schema in file.parsed.path if schema.upper() not in self._schemas]
        return compiler

    def _resolve(
        self, file: _File, routines: dict[str, Signature], schema: list[s.Name], name: s.Name
    ) -> Signature | None:
        """Find a routine: in the module, the own schema, the schemas of PATH; built-in functions come after.

        Raise CompileError if several schemas of PATH have it and the switch `schema_resolution` refuses that.
        """
        key = self._key(name)
        if schema:
            qualified = ".".join(word.text for word in schema).upper()
            return self._routines.get((qualified, key))
        found = routines.get(key) or file.routines.get(key) or self._routines.get((file.parsed.schema.upper(), key))
        if found is not None:
            return found
        candidates = {each.upper(): self._routines.get((each.upper(), key)) for each in file.parsed.path}
        signatures = [each for each in candidates.values() if each is not None]
        if len(signatures) > 1 and self.switches.schema_resolution == "error":
            names = " and ".join(each.name for each in signatures)
            raise CompileError(2492, f"{name.text} may be {names}; write the schema before the name", name)
        return signatures[0] if signatures else None

    def _routine(
        self,
        file: _File,
        routine: s.Routine,
        outer: Scope,
        trees: dict[str, str],
        routines: dict[str, Signature],
        signature: Signature,
        key: str,
    ) -> None:
        """Compile one routine to a Python function."""
        scope = Scope(outer)
        compiler = self._compiler(file, scope, trees, routines, signature.name, routine.line)
        uses = self._uses[signature.code] = _Uses(compiler.data_sources, set())
        resolve = compiler.resolve

        def noted(schema: list[s.Name], called: s.Name) -> Signature | None:
            found = resolve(schema, called)
            if found is not None:
                uses.called.add(found.code)
            return found

        compiler.resolve = noted
        compiler.atomic_key = key
        compiler.returns = routine.returns
        parameters = []
        for parameter in routine.parameters:
            kind = parameter.type or s.DataType(parameter.line, parameter.column, "")
            parameters.append(compiler.local(parameter.name, kind))
        compiler.outs = [parameters[number] for number in signature.outs]
        names = ", ".join(["c", *(symbol.code for symbol in parameters)])
        compiler.out.margin = 1
        try:
            self._parameters(compiler, routine, parameters)
            if routine.body is not None:
                compiler.scope = Scope(scope)
                compiler.statement(routine.body)
                if compiler.outs:
                    compiler.out.line(compiler.return_code("None"))
            elif routine.external is not None:
                self._external(compiler, routine, parameters)
            else:
                compiler.out.line("return None")
        except (CompileError, RecursionError) as error:
            if isinstance(error, CompileError):
                self._problem(error.number, error.text, file, error.node)
            else:
                self._problem(2401, "expressions are nested too deep", file, routine)
            self._broken.add(signature.name)
            self._out.line(f"def {signature.code}({names}):")
            self._out.line(f"    raise missing_routine({signature.name!r})")
            return
        flags = f"    {' = '.join(compiler.flags)} = False" if compiler.flags else ""
        self._emit(f"def {signature.code}({names}):", compiler.out, signature.name, file, routine, flags)

    def _parameters(self, compiler: StatementCompiler, routine: s.Routine, parameters: list[Symbol]) -> None:
        """Give rows their own tree, since only references pass a pointer, and references a variable for LASTMOVE."""
        for parameter, symbol in zip(routine.parameters, parameters, strict=True):
            if symbol.kind == "ROW":
                if parameter.direction == "OUT":
                    compiler.out.line(f"{symbol.code} = new_row({symbol.name!r})")
                elif parameter.direction != "INOUT" and _may_change(routine, parameter.name.key):
                    compiler.out.line(f"{symbol.code} = copy_as_tree({symbol.code})")
            if symbol.kind == "REFERENCE":
                compiler.out.line(f"{symbol.moved} = True")

    def _external(self, compiler: StatementCompiler, routine: s.Routine, parameters: list[Symbol]) -> None:
        """Compile a routine that is a stored procedure, or a hook in place of Java."""
        assert routine.external is not None
        names = ", ".join(symbol.code for symbol in parameters)
        directions = [parameter.direction or "IN" for parameter in routine.parameters]
        if routine.language == "DATABASE":
            call = f"c.call_procedure({routine.external.name!r}, [{names}], {directions!r}, {routine.result_sets or 0})"
        else:
            call = f"c.call_hook({routine.external.name!r}, [{names}], {directions!r})"
        compiler.out.line(f"result = {call}")
        if compiler.outs or routine.language == "DATABASE" and routine.result_sets:
            compiler.out.line("return result")
        else:
            compiler.out.line("return result[0]")

    def _emit(self, head: str, body: PythonSource, name: str, file: _File, node: s.Node, extra: str = "") -> None:
        """Append a function to the source of the program."""
        first = len(self._out.lines)
        self._out.line(head)
        if extra:
            self._out.line(extra)
        shift = len(self._out.lines)
        self._out.lines += body.lines
        for line, place in body.places.items():
            self._out.places[line + shift] = place
        if not body.lines:
            self._out.line("    pass")
        self._out.line("")
        self._emitted.append(_Emitted(first, len(self._out.lines), head, name, file, node))

    # Views.

    @property
    def files(self) -> dict[str, s.ParsedFile]:
        """Return the files that were compiled, by name."""
        return {file.name: file.parsed for file in self._files}

    def routines(self) -> list[Signature]:
        """Return all routines: those at schema level, then those of modules."""
        found = {id(each): each for each in self._routines.values()}
        found.update({id(each): each for file in self._files for each in file.routines.values()})
        found.update({id(each): each for unit in self.units.values() for each in unit.routines.values()})
        return list(found.values())

    def statement_places(self) -> list[Place]:
        """Return the place of every statement that a profile counts. The program must be compiled with a profile."""
        lines = self.source.splitlines()
        return [place for line, place in self.places.items() if lines[line - 1].lstrip().startswith("hit(")]

    def show(self, file: str) -> str:
        """Return the Python that a file was compiled to, with the constants that it uses."""
        first, last = self._shown[file]
        lines = self.source.splitlines()[first - 1 : last]
        body = "\n".join(lines)
        used = [f"{name} = {shown}" for name, shown in self.constants.shown.items() if f"{name}" in body]
        return "\n".join([*used, "", body]).strip() + "\n"

    def place_of(self, filename: str, line: int) -> Place | None:
        """Return the statement that a line of compiled code comes from."""
        return self.places.get(line) if filename == f"{FILE_PREFIX}{id(self):x}>" else None


#: Types whose literal constants are written into the code.
_INLINE = ("INTEGER", "CHARACTER", "BOOLEAN", "FLOAT", "DECIMAL")


def _is_fixed(node: s.Declare, scope: Scope) -> bool:
    """Return whether a declaration is a constant that is the same for all messages and nodes."""
    if not node.constant and node.type.name not in ("NAME", "NAMESPACE") or node.type.name == "REFERENCE":
        return False
    work: list[s.Expression | None] = [node.initial]
    while work:
        each = work.pop()
        if isinstance(each, s.UnaryOperation):
            work.append(each.operand)
        elif isinstance(each, s.BinaryOperation):
            work += [each.left, each.right]
        elif isinstance(each, s.Concatenation):
            work += each.operands
        elif isinstance(each, s.Cast) and each.type.name in _INLINE:
            work += [*each.operands, each.ccsid, each.encoding, each.format, each.default]
        elif isinstance(each, s.Path):
            symbol = None if each.identifier is None else scope.find(each.identifier.text)
            if symbol is None or not symbol.constant or symbol.code.startswith("c.vars"):
                return False
        elif each is not None and not isinstance(each, s.Literal | s.IntervalLiteral):
            return False
    return True


def _may_change(routine: s.Routine, name: str) -> bool:
    """Return whether a routine may change the tree of a parameter: it sets a path below it, or passes one on."""
    for node in walk_nodes(routine.body):
        if isinstance(node, s.Eval):
            return True
        places: list[s.Expression | None] = []
        if isinstance(node, s.Set | s.Create | s.DeleteField | s.Attach):
            places = [node.target]
        elif isinstance(node, s.Move | s.For):
            places = [node.target if isinstance(node, s.Move) else node.source]
        elif isinstance(node, s.Call | s.FunctionCall):
            places = [*node.arguments, node.into if isinstance(node, s.Call) else None]
        elif isinstance(node, s.Declare) and node.type.name == "REFERENCE":
            places = [node.initial]
        for place in places:
            first = place.elements[0].plain if isinstance(place, s.Path) else None
            if first is not None and first.key == name:
                return True
    return False


def _unit_key(key: str) -> tuple[str, str]:
    schema, _, name = key.rpartition("#")
    return schema, name


def _is_inline(symbol: Symbol, node: s.Declare, compiler: StatementCompiler) -> bool:
    """Return whether a variable is a literal that code has in place of its name, and set the code of the symbol."""
    kind = node.type.name
    literal = node.initial
    if node.storage is not None or not isinstance(literal, s.Literal):
        return False
    if kind in ("NAME", "NAMESPACE") and isinstance(literal.value, str):
        symbol.text = literal.value
        symbol.code = repr(literal.value)
        return True
    if node.constant and kind in _INLINE and compiler.type_of(literal) == kind:
        symbol.code = compiler.scalar(literal)
        return True
    return False
