"""Checks of database statements, secrets and date patterns."""

from __future__ import annotations

import re
from typing import Final

from flintmq.broker.esql import syntax as s
from flintmq.broker.esql.lint_model import LintFile, LintRoutine, first_key, path_text
from flintmq.broker.esql.lint_report import Check, Report, Severity

WITHOUT_WHERE: Final = Check(
    "FL008", "DeleteFromWithoutWhere", Severity.WARNING, "DELETE FROM or UPDATE without WHERE changes every row"
)
CREDENTIALS: Final = Check("FL013", "HardCodedCredentials", Severity.WARNING, "a password or key stands in the source")
SELECT_ALL: Final = Check("FL014", "SelectAll", Severity.NOTE, "SELECT * fetches columns that may change")
SQL_FROM_MESSAGE: Final = Check(
    "FL022", "SqlFromMessage", Severity.WARNING, "fields of the message become part of an SQL statement"
)
DATE_PATTERN: Final = Check(
    "FL023", "DatePattern", Severity.WARNING, "a date pattern uses D (day of year) or Y (year of weeks) for a date"
)

CHECKS: Final = (WITHOUT_WHERE, CREDENTIALS, SELECT_ALL, SQL_FROM_MESSAGE, DATE_PATTERN)

_SECRET: Final = re.compile(
    r"((^|[_.\-])pass|password|passwd|passphrase|pwd|secret|api_?key|access_?key|private_?key)$", re.IGNORECASE
)
#: Texts that stand for a secret that is not there.
_PLACEHOLDER: Final = re.compile(r"[*x?.#\-_ ]*|<.*>|\$?\{.*\}|%.*%|\[.*\]|change_?me|null|none|n/?a", re.IGNORECASE)
_BEARER: Final = re.compile(r"(basic|bearer)\s+[A-Za-z0-9+/=._\-]{8,}$", re.IGNORECASE)
_URL_SECRET: Final = re.compile(r"\w+://[^/\s:@']+:[^/\s:@']+@")
_SELECT_STAR: Final = re.compile(r"\s*SELECT\s+\*", re.IGNORECASE)
_CHANGES_ROWS: Final = re.compile(r"\s*(DELETE\s+FROM|UPDATE)\s", re.IGNORECASE)
_WHERE: Final = re.compile(r"\bWHERE\b", re.IGNORECASE)
_MESSAGE_TREES: Final = frozenset(
    ("INPUTROOT", "INPUTBODY", "ROOT", "BODY", "INPUTLOCALENVIRONMENT", "LOCALENVIRONMENT")
)
#: Types whose values cannot carry SQL.
_HARMLESS: Final = ("INTEGER", "DECIMAL", "FLOAT", "DATE", "TIME", "TIMESTAMP", "GMTTIME", "GMTTIMESTAMP", "BOOLEAN")
#: Functions that pass on the text of their arguments.
_PASSES_ON: Final = ("UPPER", "LOWER", "UCASE", "LCASE", "COALESCE", "LTRIM", "RTRIM")


def run(file: LintFile, report: Report) -> None:
    """Run the checks of this module on a file."""
    for declare in [*file.parsed.declarations, *(d for m in file.parsed.modules for d in m.declarations)]:
        _secret_declaration(file, declare, report)
    for routine in file.all_routines():
        tainted = _tainted(routine)
        for node in routine.nodes:
            if isinstance(node, s.DeleteFrom | s.Update):
                _without_where(file, node, report)
            elif isinstance(node, s.Declare):
                _secret_declaration(file, node, report)
            elif isinstance(node, s.Set):
                last = node.target.elements[-1].name
                if isinstance(last, s.Name):
                    _secret(file, last.text, node.value, report)
            elif isinstance(node, s.Select):
                _select_all(file, node, report)
            elif isinstance(node, s.Passthru | s.PassthruStatement):
                _passthru(routine, node, tainted, report)
            elif isinstance(node, s.Cast):
                _pattern(file, node, report)


def _add(check: Check, file: LintFile, text: str, node: s.Node, report: Report) -> None:
    report.add(check, file.name, text, node, file.parsed.text)


def _without_where(file: LintFile, node: s.DeleteFrom | s.Update, report: Report) -> None:
    if node.where is None:
        word = "DELETE FROM" if isinstance(node, s.DeleteFrom) else "UPDATE"
        _add(WITHOUT_WHERE, file, f"{word} {path_text(node.table)} has no WHERE: every row is changed", node, report)


# FL013.


def _secret_declaration(file: LintFile, node: s.Declare, report: Report) -> None:
    if node.initial is not None:
        for name in node.names:
            _secret(file, name.text, node.initial, report)


def _secret(file: LintFile, name: str, value: s.Expression, report: Report) -> None:
    """Report a literal that is given to something called like a secret, or that looks like one."""
    if not isinstance(value, s.Literal) or not isinstance(value.value, str) or value.kind != "CHARACTER":
        return
    text = value.value.strip()
    if _SECRET.search(name):
        if not _PLACEHOLDER.fullmatch(text) and not _SECRET.search(text):
            _add(CREDENTIALS, file, f"{name} stands in the source; read it from a policy or a property", value, report)
    elif name.lower() == "authorization" and _BEARER.match(text) or _URL_SECRET.search(text):
        _add(CREDENTIALS, file, f"the text for {name} holds credentials; read them from a policy", value, report)


# FL014.


def _select_all(file: LintFile, node: s.Select, report: Report) -> None:
    if not any(column.expression is None for column in node.columns):
        return
    if any(isinstance(each.source, s.Path) and first_key(each.source) == "DATABASE" for each in node.sources):
        _add(SELECT_ALL, file, "SELECT * from a table: name the columns that are used", node, report)


# FL008, FL014, FL022 in PASSTHRU.


def _passthru(routine: LintRoutine, node: s.Passthru | s.PassthruStatement, tainted: set[str], report: Report) -> None:
    text = _literal_start(node.sql)
    if _SELECT_STAR.match(text):
        _add(SELECT_ALL, routine.file, "SELECT * from a table: name the columns that are used", node, report)
    if isinstance(node.sql, s.Literal) and _CHANGES_ROWS.match(text) and not _WHERE.search(text):
        word = text.split(None, 1)[0].upper()
        _add(WITHOUT_WHERE, routine.file, f"{word} without WHERE: every row is changed", node, report)
    culprit = _culprit(routine, node.sql, tainted)
    if culprit:
        shown = f"{culprit} becomes part of the SQL text: a message can change the statement; use ? and VALUES"
        _add(SQL_FROM_MESSAGE, routine.file, shown, node, report)


def _literal_start(node: s.Expression) -> str:
    """Return the text that a statement starts with, as far as it is a literal."""
    if isinstance(node, s.Concatenation):
        node = node.operands[0]
    return node.value if isinstance(node, s.Literal) and isinstance(node.value, str) else ""


def _tainted(routine: LintRoutine) -> set[str]:
    """Return the names of variables with text from the message."""
    assigned: list[tuple[str, s.Expression]] = []
    for node in routine.nodes:
        if isinstance(node, s.Declare) and node.initial is not None and node.type.name == "CHARACTER":
            assigned += [(name.key, node.initial) for name in node.names]
        elif isinstance(node, s.Set) and node.target.identifier is not None:
            assigned.append((node.target.identifier.key, node.value))
    characters = {name.key for each in routine.declares if each.type.name == "CHARACTER" for name in each.names}
    found: set[str] = set()
    changed = True
    while changed:
        changed = False
        for name, value in assigned:
            if name in characters and name not in found and _culprit(routine, value, found):
                found.add(name)
                changed = True
    return found


def _culprit(routine: LintRoutine, node: s.Expression, tainted: set[str]) -> str:
    """Return the field or variable through which the message gets into a text; '' if none does."""
    parts: list[s.Expression] = []
    if isinstance(node, s.Path):
        if node.identifier is not None and node.identifier.key in tainted:
            return node.identifier.text
        return path_text(node) if len(node.elements) > 1 and routine.roots(node) & _MESSAGE_TREES else ""
    if isinstance(node, s.Concatenation):
        parts = node.operands
    elif isinstance(node, s.Cast):
        parts = [] if node.type.name in _HARMLESS else node.operands
    elif isinstance(node, s.FunctionCall):
        # Of a routine nothing is known.
        parts = node.arguments if node.name.key in _PASSES_ON else []
    elif isinstance(node, s.Trim | s.Substring):
        parts = [node.source]
    for part in parts:
        found = _culprit(routine, part, tainted)
        if found:
            return found
    return ""


# FL023.


def _pattern(file: LintFile, node: s.Cast, report: Report) -> None:
    """Report FORMAT 'YYYY-MM-DD' and the like: D counts days of the year, Y years of weeks."""
    if not isinstance(node.format, s.Literal) or not isinstance(node.format.value, str):
        return
    letters = re.sub(r"'[^']*'", "", node.format.value)
    if not set(letters) & set("Mdyhms") or "0" in letters or "#" in letters:
        return
    if "D" in letters and "M" in letters:
        text = f"D in {node.format.value!r} is the day of the year; write d for the day of the month"
        _add(DATE_PATTERN, file, text, node.format, report)
    elif "Y" in letters and "w" not in letters:
        text = f"Y in {node.format.value!r} is the year that a week belongs to; write y for the year"
        _add(DATE_PATTERN, file, text, node.format, report)
