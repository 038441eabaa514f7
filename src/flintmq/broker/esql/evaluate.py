"""EVAL: compiles and runs text that a program has made, in the scope of the statement that holds it.

The compiler leaves a scope with every EVAL: the symbols that can be seen there, the correlation names, and itself. The
variables of the caller are passed by name and become local variables of the compiled text; a statement gives them back
afterwards. Compiled texts are kept, at most CACHE_MAX per process, since programs mostly evaluate the same few.

The text may come from a message: whatever is wrong with it is a BrokerError, and nothing of it gets into Python but by
the compiler.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from flintmq.broker.errors import BrokerError, esql_error
from flintmq.broker.esql.compile_expressions import local_names
from flintmq.broker.esql.compile_paths import CompileError
from flintmq.broker.esql.compile_statements import StatementCompiler
from flintmq.broker.esql.errors import EsqlSyntaxError
from flintmq.broker.esql.names import Scope
from flintmq.broker.esql.parser import parse_expression, parse_statements
from flintmq.broker.esql.program import REFUSED
from flintmq.broker.esql.source import Constants

if TYPE_CHECKING:
    from flintmq.broker.esql.run import Run

CACHE_MAX = 200
TEXT_MAX = 100_000

#: By scope, kind and text. An entry holds its scope, so that no other object can get the same id meanwhile. A scope
#: belongs to one program, so the function can keep the names of that program.
_CACHE: OrderedDict[tuple[int, bool, str], tuple[Callable[..., object], object]] = OrderedDict()
_LOCK = Lock()


class _TextCompiler(StatementCompiler):
    """Compiles the statements of an EVAL. RETURN ends the text only; the caller gets its variables back."""

    variables: list[str]

    def return_code(self, value: str) -> str:
        """Return the Python `return` of the variables of the caller."""
        return "return {" + ", ".join(f"{name!r}: {name}" for name in self.variables) + "}"


def _text_of(text: object) -> str:
    if not isinstance(text, str):
        raise esql_error(2439, text, text=f"EVAL takes CHARACTER, not {text!r}", sqlstate="S22000")
    if len(text) > TEXT_MAX:
        raise esql_error(2439, text=f"EVAL takes at most {TEXT_MAX} characters", sqlstate="S22000")
    return text


def _compiled(run: Run, text: str, scope: object, statement: bool) -> Callable[..., object]:
    """Return the function that a text is compiled to."""
    key = (id(scope), statement, text)
    with _LOCK:
        found = _CACHE.get(key)
        if found is not None:
            _CACHE.move_to_end(key)
            return found[0]
    assert isinstance(scope, tuple)
    symbols, trees, outer = scope
    constants = Constants()
    names = Scope(None, dict(symbols), with_case=outer.scope.with_case)
    compiler = _TextCompiler(names, constants, trees, outer.reserved, text, "EVAL", f"{outer.routine_name}.EVAL", 1)
    compiler.resolve = outer.resolve
    compiler.missing_schemas = outer.missing_schemas
    compiler.atomic_key = outer.atomic_key
    compiler.taken = set(outer.taken)
    compiler.temporaries = 1_000_000  # Apart from the temporary names around it.
    compiler.variables = local_names(symbols)
    compiler.out.margin = 1
    for name in compiler.variables:
        compiler.out.line(f"{name} = values[{name!r}]")
    try:
        if statement:
            _compile_statements(compiler, text)
        else:
            compiler.out.line(f"return {compiler.source(parse_expression(text))}")
        flags = f"    {' = '.join(compiler.flags)} = False\n" if compiler.flags else ""
        made = compile(f"def evaluated(c, values):\n{flags}{compiler.out.text()}", "<esql eval>", "exec")
    except EsqlSyntaxError as error:
        raise _error(2401, f"{error.message} ({error.line}:{error.column})", text) from None
    except CompileError as error:
        raise _error(error.number, error.text, text) from None
    except REFUSED:
        raise _error(2401, "the text is nested too deep", text) from None
    named: dict[str, Any] = {**run.program.globals, **constants.values}
    exec(made, named)
    function: Callable[..., object] = named["evaluated"]
    with _LOCK:
        _CACHE[key] = function, scope
        if len(_CACHE) > CACHE_MAX:
            _CACHE.popitem(last=False)
    return function


def _error(number: int, reason: str, text: str) -> BrokerError:
    return BrokerError(number, f"EVAL: {reason}", inserts=(text,), sqlstate="S42000")


def _compile_statements(compiler: _TextCompiler, text: str) -> None:
    """Compile a text of statements, which gives back the variables of the caller."""
    parsed = parse_statements(text)
    if parsed.errors:
        raise parsed.errors[0]
    compiler.scope = Scope(compiler.scope)
    compiler.block_body(parsed.statements)
    compiler.out.line(compiler.return_code("None"))


def evaluate(run: Run, text: object, scope: object, values: dict[str, object]) -> object:
    """Return the value of an expression given as text; NULL for NULL."""
    if text is None:
        return None
    return _compiled(run, _text_of(text), scope, False)(run, values)


def run_text(run: Run, text: object, scope: object, values: dict[str, object]) -> dict[str, object]:
    """Run statements given as text; return the variables of the caller."""
    if text is None:
        return values
    result = _compiled(run, _text_of(text), scope, True)(run, values)
    assert isinstance(result, dict)
    return result


def compiled_expression(text: str, trees: dict[str, str], globals_of: dict[str, object]) -> Callable[[Run], object]:
    """Return a function that evaluates an expression over the trees of a Run: an Element, a list or a scalar.

    Trace patterns, content filters and properties of nodes that are paths use it. Raise ValueError with the reason if
    the text is no expression.
    """
    constants = Constants()
    compiler = StatementCompiler(Scope(), constants, trees, frozenset(globals_of), text, "", "expression", 1)
    try:
        code = compiler.source(parse_expression(text))
        made = compile(f"def evaluated(c):\n    return {code}\n", "<esql expression>", "exec")
    except EsqlSyntaxError as error:
        raise ValueError(f"{error.message} (column {error.column})") from None
    except CompileError as error:
        raise ValueError(error.text) from None
    except REFUSED:
        raise ValueError("the expression is nested too deep") from None
    names: dict[str, Any] = {**globals_of, **constants.values}
    exec(made, names)
    function: Callable[[Run], object] = names["evaluated"]
    return function
