"""Checks of the flow of control: unreachable statements, loops without end, empty messages.

`_Walk` follows the statements of a routine with two questions: can control get here, and have the output trees been
emptied by a PROPAGATE since they were last written? Branches are joined, a loop body is followed once.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lint_model import LintFile, LintRoutine, path_text, walk
from flintmq.broker.esql.lint_report import Check, Report, Severity
from flintmq.broker.esql.printer import print_expression

CARDINALITY_IN_LOOP: Final = Check(
    "FL003", "CardinalityInLoop", Severity.NOTE, "the condition of a loop counts the fields again in each round"
)
EMPTY_MESSAGE: Final = Check(
    "FL004", "PropagateThenReturnTrue", Severity.WARNING, "RETURN TRUE after PROPAGATE sends an empty message"
)
RECURSION: Final = Check("FL012", "Recursion", Severity.NOTE, "a routine calls itself")
LOOP_WITHOUT_LEAVE: Final = Check("FL015", "LoopWithoutLeave", Severity.ERROR, "a loop has no way out")
CASE_WITHOUT_ELSE: Final = Check("FL017", "CaseWithoutElse", Severity.NOTE, "a CASE has no ELSE")
UNREACHABLE: Final = Check("FL018", "UnreachableCode", Severity.WARNING, "a statement is never reached")
MISSING_RETURN: Final = Check("FL021", "MissingReturn", Severity.WARNING, "a function can end without RETURN")
DUPLICATE_CONDITION: Final = Check(
    "FL028", "DuplicateCondition", Severity.WARNING, "a branch repeats the condition of an earlier one"
)

CHECKS: Final = (
    CARDINALITY_IN_LOOP,
    EMPTY_MESSAGE,
    RECURSION,
    LOOP_WITHOUT_LEAVE,
    CASE_WITHOUT_ELSE,
    UNREACHABLE,
    MISSING_RETURN,
    DUPLICATE_CONDITION,
)

_OUTPUT_TREES: Final = frozenset(("OUTPUTROOT", "OUTPUTLOCALENVIRONMENT", "OUTPUTDESTINATIONLIST"))
#: Rows of SELECT and CASE in an expression with fewer branches than this are left alone.
_COUNTING: Final = ("CARDINALITY",)


def run(file: LintFile, report: Report) -> None:
    """Run the checks of this module on a file."""
    for routine in file.all_routines():
        _recursion(routine, report)
        for node in routine.nodes:
            if isinstance(node, s.While | s.Repeat):
                _cardinality_in_loop(routine, node, report)
            elif isinstance(node, s.CaseStatement | s.CaseExpression):
                _case(routine, node, report)
            elif isinstance(node, s.If):
                _duplicates(routine, [branch.condition for branch in node.branches], report)
        if routine.routine.body is not None and not file.parsed.errors:
            _Walk(routine, report).routine()


def _add(check: Check, routine: LintRoutine, text: str, node: s.Node, report: Report) -> None:
    report.add(check, routine.file.name, text, node, routine.file.parsed.text)


# FL003.


def _cardinality_in_loop(routine: LintRoutine, loop: s.While | s.Repeat, report: Report) -> None:
    """Report CARDINALITY in a condition, unless the loop changes the counted items."""
    for node in walk(loop.condition):
        if not (isinstance(node, s.FunctionCall) and node.name.key in _COUNTING and len(node.arguments) == 1):
            continue
        counted = node.arguments[0]
        if not isinstance(counted, s.Path) or _changes(routine, loop, counted):
            continue
        text = f"CARDINALITY({path_text(counted)}) is evaluated in each round; count once, before the loop"
        _add(CARDINALITY_IN_LOOP, routine, text, node, report)


def _changes(routine: LintRoutine, loop: s.While | s.Repeat, counted: s.Path) -> bool:
    """Return whether the body of a loop may change the list that a path means."""
    roots = routine.roots(counted)
    inside = {id(node) for node in walk(loop.statements)}
    for path, statement in routine.writes:
        if id(statement) not in inside or not routine.roots(path) & roots:
            continue
        if isinstance(statement, s.Set) and not statement.target.is_list:
            # Setting a field below one of the items leaves their number as it is.
            if len(path.elements) > len(counted.elements) and roots == {"OUTPUTROOT"}:
                continue
        return True
    return False


# FL012.


def _recursion(routine: LintRoutine, report: Report) -> None:
    """Report a routine that can reach itself; a circle of routines is reported at each of them."""
    came_from: dict[int, LintRoutine] = {}
    work = [routine]
    seen: set[int] = set()
    while work:
        each = work.pop()
        for called, _ in each.calls:
            if called is routine:
                names = [each.name]
                while each is not routine:
                    each = came_from[id(each)]
                    names.append(each.name)
                way = " -> ".join([*reversed(names), routine.name])
                _add(RECURSION, routine, f"{routine.name} calls itself ({way})", routine.routine, report)
                return
            if id(called) not in seen:
                seen.add(id(called))
                came_from[id(called)] = each
                work.append(called)


# FL017, FL028.


def _case(routine: LintRoutine, node: s.CaseStatement | s.CaseExpression, report: Report) -> None:
    if node.otherwise is None:
        effect = "nothing is done" if isinstance(node, s.CaseStatement) else "the result is NULL"
        _add(CASE_WITHOUT_ELSE, routine, f"CASE has no ELSE: {effect} if no WHEN fits", node, report)
    _duplicates(routine, [when.condition for when in node.whens], report)


def _duplicates(routine: LintRoutine, conditions: list[s.Expression], report: Report) -> None:
    """Report the first condition that an earlier branch has already, and how many there are."""
    seen: dict[str, s.Expression] = {}
    repeated: list[tuple[str, s.Expression]] = []
    for condition in conditions:
        text = print_expression(condition)
        if text in seen:
            repeated.append((text, condition))
        seen.setdefault(text, condition)
    if repeated:
        text, condition = repeated[0]
        more = f", and {len(repeated) - 1} more repeat others" if len(repeated) > 1 else ""
        shown = text if len(text) <= 60 else text[:57] + "..."
        text = f"{shown} is the condition of line {seen[text].line}, too{more}"
        _add(DUPLICATE_CONDITION, routine, text, condition, report)


# FL004, FL015, FL018, FL021.


class _Walk:
    """Follows the statements of one routine."""

    def __init__(self, routine: LintRoutine, report: Report) -> None:
        self.routine_info = routine
        self.report = report
        self.continues = any(isinstance(node, s.DeclareHandler) and node.action == "CONTINUE" for node in routine.nodes)
        #: Whether the output trees are empty, as far as PROPAGATE has emptied them.
        self.emptied: s.Propagate | None = None
        uses = [] if routine.module is None else routine.module.uses
        self.sends_message = not uses or any(use.sends[0] and "out" in use.wired for use in uses)

    def routine(self) -> None:
        """Follow the body, and report a function that can end without RETURN."""
        routine = self.routine_info.routine
        assert routine.body is not None
        falls = self.statement(routine.body)
        if falls and routine.kind == "FUNCTION" and routine.returns is not None:
            effect = "the result is NULL"
            if self.routine_info.is_main and routine.returns.name == "BOOLEAN":
                effect = "the message is not sent on"
            _add(
                MISSING_RETURN,
                self.routine_info,
                f"{routine.name.text} can end without RETURN: {effect}",
                routine,
                self.report,
            )

    def statements(self, nodes: list[s.Statement]) -> bool:
        """Follow statements in a row; return whether control can get behind them."""
        falls = True
        for node in nodes:
            if not falls:
                if isinstance(node, s.Return) and node is nodes[-1]:
                    # A RETURN behind THROW or behind branches that all return is written for safety.
                    return False
                _add(UNREACHABLE, self.routine_info, "control never gets to this statement", node, self.report)
                return False
            falls = self.statement(node)
        return falls

    def statement(self, node: s.Statement) -> bool:
        """Follow one statement; return whether control can get behind it."""
        if isinstance(node, s.Block):
            return self.block(node)
        if isinstance(node, s.If):
            return self.branches([branch.statements for branch in node.branches], node.otherwise)
        if isinstance(node, s.CaseStatement):
            return self.branches([when.statements for when in node.whens], node.otherwise)
        if isinstance(node, s.While | s.Loop | s.Repeat | s.For):
            return self.loop(node)
        if isinstance(node, s.Return):
            self.returned(node)
            return False
        if isinstance(node, s.Throw):
            return self.continues
        if isinstance(node, s.Leave | s.Iterate | s.Resignal):
            return False
        if isinstance(node, s.Propagate):
            if node.delete != "NONE":
                self.emptied = node
        else:
            self.written(node)
        return True

    def written(self, node: s.Statement) -> None:
        """Note that a statement, or a routine that it calls, fills an output tree."""
        info = self.routine_info
        if isinstance(node, s.DeclareHandler):
            return
        if any(statement is node and info.roots(path) & _OUTPUT_TREES for path, statement in info.writes):
            self.emptied = None
            return
        inside = {id(each) for each in walk(node) if isinstance(each, s.Call | s.FunctionCall)}
        for called, call in info.calls:
            if id(call) in inside:
                for each in called.reachable():
                    if any(each.roots(path) & _OUTPUT_TREES for path, _ in each.writes):
                        self.emptied = None
        if isinstance(node, s.Call) and any(isinstance(each, s.Path) for each in node.arguments):
            # A routine that takes a tree may fill it through a reference.
            if any(info.roots(each) & _OUTPUT_TREES for each in node.arguments if isinstance(each, s.Path)):
                self.emptied = None

    def returned(self, node: s.Return) -> None:
        info = self.routine_info
        if self.emptied is None or not info.is_main or not self.sends_message:
            return
        if info.module is None or info.module.module.kind != "COMPUTE":
            return
        value = node.value
        if isinstance(value, s.Literal) and value.value is True:
            text = (
                f"PROPAGATE of line {self.emptied.line} has emptied OutputRoot, so RETURN TRUE sends an empty message; "
                "use RETURN FALSE, or PROPAGATE ... DELETE NONE"
            )
            _add(EMPTY_MESSAGE, info, text, node, self.report)

    def branches(self, lists: list[list[s.Statement]], otherwise: list[s.Statement] | None) -> bool:
        """Follow branches from the same start, and join their results."""
        before = self.emptied
        joined = before if otherwise is None else None
        falls = otherwise is None
        for nodes in [*lists, *([] if otherwise is None else [otherwise])]:
            self.emptied = before
            if self.statements(nodes):
                falls = True
                joined = joined or self.emptied
        self.emptied = joined
        return falls

    def block(self, node: s.Block) -> bool:
        falls = False
        for handler in node.statements:
            if isinstance(handler, s.DeclareHandler):
                inner = _Walk(self.routine_info, self.report)
                # What a handler raises is not offered to the handlers beside it.
                inner.continues = False
                handled = inner.statement(handler.statement)
                falls = falls or handler.action == "EXIT" and handled
        rest = [each for each in node.statements if not isinstance(each, s.DeclareHandler)]
        return self.statements(rest) or falls or _is_left(node, node.label)

    def loop(self, node: s.While | s.Loop | s.Repeat | s.For) -> bool:
        before = self.emptied
        body_falls = self.statements(node.statements)
        left = _is_left(node, node.label)
        if not isinstance(node, s.Repeat):
            self.emptied = self.emptied or before
        if isinstance(node, s.Repeat):
            return body_falls or left or any(isinstance(each, s.Iterate) for each in walk(node.statements))
        if isinstance(node, s.For):
            return True
        endless = isinstance(node, s.Loop)
        if isinstance(node, s.While):
            endless = isinstance(node.condition, s.Literal) and node.condition.value is True
        if endless and not left:
            ways = (s.Return, s.Throw, s.Resignal, s.Leave)
            if not any(isinstance(each, ways) for each in walk(node.statements)):
                word = "LOOP" if isinstance(node, s.Loop) else "WHILE TRUE"
                text = f"{word} has no LEAVE, RETURN or THROW: it never ends"
                _add(LOOP_WITHOUT_LEAVE, self.routine_info, text, node, self.report)
            return False
        return True


def _is_left(node: s.Node, label: s.Name | None) -> bool:
    """Return whether a LEAVE inside a loop or block names its label."""
    if label is None:
        return False
    return any(isinstance(each, s.Leave) and each.label.key == label.key for each in walk(node))
