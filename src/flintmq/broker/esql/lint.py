"""Lint of ESQL: looks for code that compiles and is most probably wrong.

    report = Report()
    lint(program, report)          a LintProgram: all ESQL that an application sees
    for finding in report.sorted(): print(finding)

The checks stand in `lint_checks_*.py`, the model of a program in `lint_model.py`, findings and the comments that switch
checks off in `lint_report.py`. `flow/lint.py` lints a project: it gives modules the nodes that run them, and adds the
checks of flows. docs/broker/lint.md shows each check with an example.

A check says nothing where it cannot know. Findings of one file do not depend on the order of the others.
"""

from __future__ import annotations

from typing import Final

from flintmq.broker.esql import lint_checks_control, lint_checks_names, lint_checks_sql, lint_checks_trees
from flintmq.broker.esql.lint_model import LintProgram
from flintmq.broker.esql.lint_report import Check, Report

_MODULES: Final = (lint_checks_trees, lint_checks_control, lint_checks_names, lint_checks_sql)

#: All checks of ESQL by code.
ESQL_CHECKS: Final[dict[str, Check]] = {
    check.code: check for check in sorted((c for module in _MODULES for c in module.CHECKS), key=lambda each: each.code)
}


def lint(program: LintProgram, report: Report, only: set[str] | None = None) -> None:
    """Run all checks on the files of a program, or on those with names in `only`."""
    for file in program.files:
        if only is None or file.name in only:
            for module in _MODULES:
                module.run(file, report)
