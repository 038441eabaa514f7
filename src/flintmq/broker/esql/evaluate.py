"""EVAL: compiles and runs text that a program has made, in the scope of the statement that holds it.

The compiler leaves a scope with every EVAL: the symbols that can be seen there, the correlation names, and itself. The
variables of the caller are passed by name and become local variables of the compiled text; a statement gives them back
afterwards. Compiled texts are kept, at most CACHE_MAX per process, since programs mostly evaluate the same few.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from types import CodeType
from typing import TYPE_CHECKING

from flintmq.broker.errors import BrokerError, esql_error
from flintmq.broker.esql.compile_paths import CompileError
from flintmq.broker.esql.compile_statements import StatementCompiler
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.names import Scope, Symbol
from flintmq.broker.esql.parser import parse_expression, parse_statements
from flintmq.broker.esql.source import Constants

if TYPE_CHECKING:
    from flintmq.broker.esql.run import Run

CACHE_MAX = 200
TEXT_MAX = 100_000

#: By scope, kind and text. An entry holds its scope, so that no other object can get the same id meanwhile.
_CACHE: OrderedDict[tuple[int, bool, str], tuple[CodeType, dict[str, object], object]] = OrderedDict()
_LOCK = Lock()


def _text_of(text: object) -> str:
    if not isinstance(text, str):
        raise esql_error(2439, text, text=f"EVAL takes CHARACTER, not {text!r}", sqlstate="S22000")
    if len(text) > TEXT_MAX:
        raise esql_error(2439, text=f"EVAL takes at most {TEXT_MAX} characters", sqlstate="S22000")
    return text


def _compiled(run: Run, text: str, scope: object, statement: bool) -> tuple[CodeType, dict[str, object]]:
    """Return the code of a text, and the constants that it needs."""
    key = (id(scope), statement, text)
    with _LOCK:
        found = _CACHE.get(key)
        if found is not None:
            _CACHE.move_to_end(key)
            return found[0], found[1]
    assert isinstance(scope, tuple)
    symbols, trees, outer = scope
    constants = Constants()
    names = Scope(None, dict(symbols), with_case=outer.scope.with_case)
    compiler = StatementCompiler(names, constants, trees, outer.reserved, text, "EVAL", f"{outer.routine_name}.EVAL", 1)
    compiler.resolve = outer.resolve
    compiler.taken = set(outer.taken)
    compiler.temporaries = 1_000_000  # Apart from the temporary names around it.
    try:
        if statement:
            source = _statement_source(compiler, text, symbols)
        else:
            locals_ = [symbol.code for symbol in symbols.values() if symbol.local]
            code = compiler.source(parse_expression(text))
            source = f"def evaluated(c, {', '.join(['values', '*rest'])}):\n"
            source += "".join(f"    {name} = values[{name!r}]\n" for name in locals_)
            source += f"    return {code}\n"
    except EsqlSyntaxError as error:
        raise BrokerError(2401, f"EVAL: {error.message} ({error.line}:{error.column})", inserts=(text,)) from None
    except CompileError as error:
        raise BrokerError(error.number, f"EVAL: {error.text}", inserts=(text,)) from None
    made = compile(source, "<esql eval>", "exec")
    with _LOCK:
        _CACHE[key] = made, constants.values, scope
        if len(_CACHE) > CACHE_MAX:
            _CACHE.popitem(last=False)
    return made, constants.values


def _statement_source(compiler: StatementCompiler, text: str, symbols: dict[str, Symbol]) -> str:
    """Return the function that runs a text of statements and gives back the variables of the caller."""
    parsed = parse_statements(text)
    if parsed.errors:
        raise parsed.errors[0]
    names: list[str] = []
    for symbol in symbols.values():
        if symbol.local:
            names.append(symbol.code)
            if symbol.moved and symbol.moved != "True":
                names.append(symbol.moved)
    compiler.out.margin = 1
    for name in names:
        compiler.out.line(f"{name} = values[{name!r}]")
    compiler.scope = Scope(compiler.scope)
    compiler.statements(parsed.statements)
    compiler.out.line("return {" + ", ".join(f"{name!r}: {name}" for name in names) + "}")
    flags = f"    {' = '.join(compiler.flags)} = False\n" if compiler.flags else ""
    return f"def evaluated(c, values):\n{flags}{compiler.out.text()}"


def _call(run: Run, text: object, scope: object, values: dict[str, object], statement: bool) -> object:
    code, constants = _compiled(run, _text_of(text), scope, statement)
    names = dict(run.program.globals)
    names.update(constants)
    exec(code, names)
    function = names["evaluated"]
    assert callable(function)
    return function(run, values)


def evaluate(run: Run, text: object, scope: object, values: dict[str, object]) -> object:
    """Return the value of an expression given as text; NULL for NULL."""
    if text is None:
        return None
    return _call(run, text, scope, values, statement=False)


def run_text(run: Run, text: object, scope: object, values: dict[str, object]) -> dict[str, object]:
    """Run statements given as text; return the variables of the caller."""
    if text is None:
        return values
    result = _call(run, text, scope, values, statement=True)
    # RETURN inside the text ends the text only.
    return result if isinstance(result, dict) else values


def compiled_expression(text: str, trees: dict[str, str], globals_of: dict[str, object]) -> Callable[[Run], object]:
    """Return a function that evaluates an expression over the trees of a Run: an Element, a list or a scalar.

    Trace patterns, content filters and properties of nodes that are paths use it. Raise ValueError with the reason if
    the text is no expression.
    """
    constants = Constants()
    compiler = StatementCompiler(Scope(), constants, trees, frozenset(globals_of), text, "", "expression", 1)
    try:
        code = compiler.source(parse_expression(text))
    except EsqlSyntaxError as error:
        raise ValueError(f"{error.message} (column {error.column})") from None
    except CompileError as error:
        raise ValueError(error.text) from None
    names = dict(globals_of)
    names.update(constants.values)
    exec(compile(f"def evaluated(c):\n    return {code}\n", "<esql expression>", "exec"), names)
    function: Callable[[Run], object] = names["evaluated"]  # type: ignore[assignment]
    return function
