"""Checks of names and values: routines and variables that nothing uses, values that are read before they are set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lint_model import GENERATED, LintFile, LintRoutine, first_key, path_text, walk
from flintmq.broker.esql.lint_report import Check, Report, Severity
from flintmq.broker.esql.parser_core import RESERVED
from flintmq.broker.esql.parser_expressions import STRUCTURAL
from flintmq.broker.esql.printer import print_expression

UNUSED_ROUTINE: Final = Check("FL010", "UnusedRoutine", Severity.NOTE, "a routine is never called")
UNUSED_VARIABLE: Final = Check("FL011", "UnusedVariable", Severity.NOTE, "a variable is never used")
READ_BEFORE_SET: Final = Check(
    "FL016", "InitializeVariables", Severity.WARNING, "a variable without an initial value is read before it is set"
)
COMPARES_NULL: Final = Check("FL019", "CompareWithNull", Severity.ERROR, "a comparison with NULL is never true")
KEYWORD_NAME: Final = Check("FL024", "NonReservedKeyword", Severity.NOTE, "a variable is called like a keyword")
SELF_ASSIGNMENT: Final = Check("FL027", "SelfAssignment", Severity.WARNING, "a field or variable is set to itself")

CHECKS: Final = (UNUSED_ROUTINE, UNUSED_VARIABLE, READ_BEFORE_SET, COMPARES_NULL, KEYWORD_NAME, SELF_ASSIGNMENT)

_COMPARISONS: Final = ("=", "<>", "<", "<=", ">", ">=")


def run(file: LintFile, report: Report) -> None:
    """Run the checks of this module on a file."""
    _unused_routines(file, report)
    _unused_declarations(file, report)
    for routine in file.all_routines():
        _unused_locals(routine, report)
        _read_before_set(routine, report)
        for node in routine.nodes:
            if isinstance(node, s.BinaryOperation) and node.operator in _COMPARISONS:
                _compares_null(routine, node, report)
            elif isinstance(node, s.Set) and node.attribute is None and isinstance(node.value, s.Path):
                if print_expression(node.target) == print_expression(node.value):
                    text = f"{path_text(node.target)} is set to itself"
                    _add(SELF_ASSIGNMENT, file, text, node, report)
        for declare in routine.declares:
            for name in declare.names:
                if not name.quoted and name.key in RESERVED | STRUCTURAL:
                    _add(KEYWORD_NAME, file, f"{name.text} is a keyword; choose another name", name, report)


def _add(check: Check, file: LintFile, text: str, node: s.Node, report: Report) -> None:
    report.add(check, file.name, text, node, file.parsed.text)


# FL010.


def _unused_routines(file: LintFile, report: Report) -> None:
    """Report routines of modules that nothing in the module calls, and routines at schema level that nothing calls."""
    for routine in file.all_routines():
        name = routine.routine.name
        if routine.is_main or name.key in GENERATED or name.key in file.program.mentioned:
            continue
        if routine.module is not None and routine.module.module.kind == "DATABASEEVENT":
            continue  # The node calls ReadEvents, BuildMessage, EndEvent and the rest by name.
        if any(caller is not routine for caller in routine.callers) or _called_by_declaration(routine):
            continue
        if routine.module is None:
            # Another application may call what a library has.
            if file.is_library or any(each.has_eval for other in file.program.files for each in other.all_routines()):
                continue
        elif any(each.has_eval for each in routine.module.routines.values()):
            continue
        _add(UNUSED_ROUTINE, file, f"nothing calls {routine.name}", routine.routine, report)


def _called_by_declaration(routine: LintRoutine) -> bool:
    """Return whether the initial value of a declaration outside routines calls a routine; that counts as a caller."""
    own = sum(1 for called, _ in routine.calls if called is routine)
    return sum(1 for caller in routine.callers if caller is routine) > own


# FL011.


def _used_names(nodes: Iterator[s.Node] | list[s.Node]) -> set[str]:
    """Return the names in upper case that nodes use as variables, constants or namespace prefixes."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, s.Path):
            key = first_key(node)
            found.add(key)
            if key == "DATABASE":
                found |= {element.name.key for element in node.elements if isinstance(element.name, s.Name)}
        elif isinstance(node, s.PathElement) and isinstance(node.namespace, s.Name):
            found.add(node.namespace.key)
    return found


def _unused_locals(routine: LintRoutine, report: Report) -> None:
    if routine.has_eval or not routine.declares:
        return
    used = _used_names(routine.nodes)
    for declare in routine.declares:
        for name in declare.names:
            if name.key not in used:
                _add(UNUSED_VARIABLE, routine.file, f"nothing uses {name.text}", name, report)


def _unused_declarations(file: LintFile, report: Report) -> None:
    """Report declarations of modules that the module does not use, and those of schemas that no file uses."""
    for module in file.modules:
        if any(routine.has_eval for routine in module.routines.values()):
            continue
        used = set()
        for routine in module.routines.values():
            used |= _used_names(routine.nodes)
        _report_unused(file, module.module.declarations, used, report)
    if file.is_library or not file.parsed.declarations:
        return
    used = set()
    for other in file.program.files:
        for routine in other.all_routines():
            if routine.has_eval:
                return
            used |= _used_names(routine.nodes)
        for declare in [*other.parsed.declarations, *(d for m in other.parsed.modules for d in m.declarations)]:
            used |= _used_names(walk(declare.initial))
    _report_unused(file, file.parsed.declarations, used, report)


def _report_unused(file: LintFile, declares: list[s.Declare], used: set[str], report: Report) -> None:
    for declare in declares:
        used |= _used_names(walk(declare.initial))
    for declare in declares:
        for name in declare.names:
            if name.key not in used:
                _add(UNUSED_VARIABLE, file, f"nothing uses {name.text}", name, report)


# FL016.


def _read_before_set(routine: LintRoutine, report: Report) -> None:
    """Report variables that are read before anything else mentions them, in the order of execution."""
    waiting: dict[str, s.Name] = {}
    times = Counter(name.key for declare in routine.declares for name in declare.names)
    handlers = {
        id(each) for node in routine.nodes if isinstance(node, s.DeclareHandler) for each in walk(node.statement)
    }
    for kind, name, node in _mentions(routine):
        if kind == "declare":
            if times[name.key] == 1:
                waiting[name.key] = name
        elif id(node) in handlers:
            continue
        elif kind == "write":
            waiting.pop(name.key, None)
        elif name.key in waiting:
            del waiting[name.key]
            text = f"{name.text} is read before it is set: it is NULL here"
            _add(READ_BEFORE_SET, routine.file, text, name, report)


def _mentions(routine: LintRoutine) -> Iterator[tuple[str, s.Name, s.Node]]:
    """Yield declarations without a value, writes and reads of plain names, in the order of execution."""
    work: list[object] = [routine.routine.body]
    while work:
        node = work.pop()
        if isinstance(node, list):
            work.extend(reversed(node))
        elif isinstance(node, tuple):
            yield node
        elif isinstance(node, s.Declare):
            work.append(_mentions_of_declare(node))
        elif isinstance(node, s.Set):
            # The value is there before the target is set.
            work += [*_write(node.target, node), node.value]
        elif isinstance(node, s.Call):
            work += _parts_of_call(routine, node)
        elif isinstance(node, s.Create) and node.reference is not None:
            work += _write(node.reference, node)
            work.append([each for each in _parts(node) if each is not node.reference])
        elif _provides_for_null(node):
            # COALESCE and IS NULL are there for a variable that may have no value.
            work.append([("write", name, node) for name in _plain_names(node)])
        elif isinstance(node, s.For):
            work += [node.statements, ("write", node.name, node), node.source]
        elif isinstance(node, s.Path):
            work.append(list(node.elements))
            first = node.elements[0].name
            if isinstance(first, s.Name):
                yield "read", first, node
        elif isinstance(node, s.PathElement):
            work.append([each for each in (node.type, node.namespace, node.name, node.index) if _is_computed(each)])
        elif isinstance(node, s.Node):
            work.append(_parts(node))


def _mentions_of_declare(node: s.Declare) -> list[object]:
    """Return the declarations of scalars that a DECLARE leaves without a value, or its initial value."""
    if node.initial is not None:
        return [node.initial]
    if node.storage is not None or node.type.name in ("ROW", "REFERENCE", "LIST"):
        return []
    return [("declare", name, node) for name in node.names]


def _parts_of_call(routine: LintRoutine, node: s.Call) -> list[object]:
    """Return the writes and the arguments of a CALL, the last to be executed first."""
    outs = routine.file.program.out_arguments(routine, node)
    parts: list[object] = []
    if node.into is not None:
        parts += _write(node.into, node)
    for path in outs:
        parts += _write(path, node)
    parts.append([argument for argument in node.arguments if all(argument is not path for path in outs)])
    return parts


def _provides_for_null(node: object) -> bool:
    return isinstance(node, s.Is) or isinstance(node, s.FunctionCall) and node.name.key in ("COALESCE", "NULLIF")


def _plain_names(node: object) -> list[s.Name]:
    """Return the variables that an expression mentions."""
    paths = [each for each in walk(node) if isinstance(each, s.Path)]
    return [path.identifier for path in paths if path.identifier is not None]


def _is_computed(part: object) -> bool:
    return isinstance(part, s.ComputedName | s.Index | s.Expression)


def _write(path: s.Path, node: s.Node) -> list[object]:
    """Return the events of a target in reverse order: its computed parts are read, then the name is set."""
    name = path.identifier
    if name is None:
        return [path]
    return [("write", name, node)]


def _parts(node: s.Node) -> list[object]:
    """Return the nodes directly below a node, in the order of the text."""
    return [getattr(node, name) for name in node.__dataclass_fields__ if name not in ("line", "column", "start", "end")]


# FL019.


def _compares_null(routine: LintRoutine, node: s.BinaryOperation, report: Report) -> None:
    for one, other in ((node.left, node.right), (node.right, node.left)):
        if isinstance(one, s.Literal) and one.kind == "NULL":
            shown = print_expression(other)
            test = "IS NOT NULL" if node.operator == "<>" else "IS NULL"
            shown = shown if len(shown) <= 60 else shown[:57] + "..."
            text = f"a comparison with NULL is UNKNOWN, never TRUE; write {shown} {test}"
            _add(COMPARES_NULL, routine.file, text, node, report)
            return
