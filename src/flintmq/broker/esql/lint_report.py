"""Findings of `flint flow lint`: checks, severities, and the comments that switch checks off.

A check has a code that never changes its meaning, a name, a severity and one sentence. Checks of ESQL are FL001 to
FL099, those of flows FL101 to FL199. Errors of the compiler are reported under its BIP number.

    error      fails when it runs, or cannot mean what it says
    warning    most probably a mistake, or dangerous
    note       costs time or clarity
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from flintmq.broker.esql import syntax as s


class Severity(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `text` describes its findings in one sentence."""

    code: str
    name: str
    severity: Severity
    text: str


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One place that a check objects to. A finding in a flow file has no line but the label of a node."""

    file: str
    line: int
    column: int
    code: str
    text: str
    severity: Severity
    name: str = ""
    node: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        where = f" {self.node}:" if self.node else ""
        return f"{place}:{where} {self.code} {self.severity}: {self.text}"


@dataclass(slots=True)
class Report:
    """Collects findings; each place is reported once by each check, however many applications share the file."""

    findings: set[Finding] = field(default_factory=set)
    #: Findings that comments have switched off.
    hidden: set[Finding] = field(default_factory=set)
    #: Codes to leave out.
    off: frozenset[str] = frozenset()
    _suppressions: dict[str, Suppressions] = field(default_factory=dict)
    _places: set[tuple[str, str, int, int]] = field(default_factory=set)

    def add(self, check: Check, file: str, text: str, node: s.Node, source: str) -> None:
        """Report a node of ESQL. `text` is the message, `source` the text of the file."""
        place = (check.code, file, node.line, node.column)
        if check.code in self.off or place in self._places:
            return
        self._places.add(place)
        finding = Finding(file, node.line, node.column, check.code, text, check.severity, check.name)
        suppressions = self._suppressions.get(file)
        if suppressions is None:
            suppressions = self._suppressions[file] = Suppressions(source)
        (self.hidden if suppressions.hides(check.code, node.line) else self.findings).add(finding)

    def add_flow(self, check: Check, file: str, node: str, text: str, remarks: str = "") -> None:
        """Report a node of a flow. `remarks` are the descriptions of the node, which may switch checks off."""
        if check.code in self.off:
            return
        finding = Finding(file, 0, 0, check.code, text, check.severity, check.name, node)
        at = remarks.lower().find("lint:")
        hidden = at >= 0 and Suppressions(f"-- {remarks[at:].splitlines()[0]}").hides(check.code, 1)
        (self.hidden if hidden else self.findings).add(finding)

    def add_problem(self, number: int, severity: Severity, file: str, line: int, column: int, text: str) -> None:
        """Report errors and warnings of the compiler."""
        self.findings.add(Finding(file, line, column, f"BIP{number}", text, severity, "Compiler"))

    def sorted(self) -> list[Finding]:
        """Return the findings in the order of files and lines."""
        return sorted(self.findings)


# Suppression.

_SWITCH: Final = re.compile(r"--\s*lint:\s*(off|on)\b[:\s]*((?:FL\d+[,\s]*)*)", re.IGNORECASE)
_CODE: Final = re.compile(r"FL\d+", re.IGNORECASE)


class Suppressions:
    """Which checks the comments of a file switch off, by line.

    `-- lint: off FL002` behind code holds for that line. On a line of its own it holds for the lines after it, until
    `-- lint: on FL002` or the end of the file. Without a code it means all checks.
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[int, set[str]] = {}
        #: From a line on, in order: what is off there.
        self._changes: list[tuple[int, frozenset[str]]] = []
        off: set[str] = set()
        for number, line in enumerate(text.splitlines(), 1):
            if "lint:" not in line.lower():
                continue
            found = _SWITCH.search(line)
            if found is None:
                continue
            codes = {each.upper() for each in _CODE.findall(found[2])} or {"*"}
            if line[: found.start()].strip():
                if found[1].lower() == "off":
                    self._lines.setdefault(number, set()).update(codes)
            else:
                off = off | codes if found[1].lower() == "off" else set() if "*" in codes else off - codes
                self._changes.append((number, frozenset(off)))

    def hides(self, code: str, line: int) -> bool:
        """Return whether a finding at a line is switched off."""
        here = self._lines.get(line, set())
        if code in here or "*" in here:
            return True
        off: frozenset[str] = frozenset()
        for number, state in self._changes:
            if number > line:
                break
            off = state
        return code in off or "*" in off
