"""The commands `flint flow esql`, `flint flow lint` and `flint flow test`. cli/flow.py parses the arguments.

Each function prints its result to `to`, problems to `errors`, and returns an exit code.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from flintmq.broker.esql import profile as profiling
from flintmq.broker.esql.lint_report import Severity
from flintmq.broker.esql.parser import decode_source, parse
from flintmq.broker.esql.program import EsqlProblem, Program
from flintmq.broker.flow import lint as linting
from flintmq.broker.flow.application import declared_schema
from flintmq.broker.flow.model import FlowFileError
from flintmq.broker.flow.project import load
from flintmq.broker.flow.testing import Case, CaseError, Loader, Outcome, find_cases, read_bounded, run_case

DIFFERENCES_SHOWN_MAX = 20


# flint flow esql.


def check_esql(paths: Sequence[Path], show: bool, strict: bool, to: TextIO, errors: TextIO) -> int:
    """Compile ESQL and print errors and warnings, with `show` also the Python that it becomes.

    Return 1 if there are errors; with `strict`, warnings count as errors.
    """
    failed = False
    count = 0
    for path in paths:
        for program, files in _programs(path, errors):
            mine = set(files)
            problems = [(each, "error") for each in program.errors if each.file in mine]
            problems += [(each, "warning") for each in program.warnings if each.file in mine]
            for problem, kind in sorted(problems, key=lambda each: (each[0].file, each[0].line, each[0].column)):
                errors.write(f"{_problem(problem, kind)}\n")
            failed = failed or any(strict or kind == "error" for _, kind in problems)
            count += len(files)
            if show:
                for file in files:
                    if file in program.files:
                        to.write(f"# {file}\n{program.show(file)}\n")
    if not show:
        to.write(f"{count} file{'' if count == 1 else 's'}, {'with errors' if failed else 'no errors'}\n")
    return 1 if failed else 0


def _problem(problem: EsqlProblem, kind: str) -> str:
    place = f"{problem.file}:{problem.line}:{problem.column}"
    return f"{place}: BIP{problem.number}: {'' if kind == 'error' else 'warning: '}{problem.text}"


def _programs(path: Path, errors: TextIO) -> list[tuple[Program, list[str]]]:
    """Return the ESQL to compile: for a directory, BAR or flow each application in its scope, else one file.

    An ESQL file that belongs to a project is compiled with the rest of it.
    """
    if path.suffix.lower() == ".esql" and path.is_file():
        return [_file_program(path)]
    project = load(path, references=True)
    for note in project.all_notes():
        errors.write(f"{note}\n")
    found = []
    for application in project.applications:
        if not application.esql:
            continue
        scope = project.scope(application)
        program = Program()
        for each in scope.applications():
            for text in each.esql:
                parsed = parse(text.text, text.file)
                parsed.schema = parsed.schema or text.schema
                program.add(parsed, each in scope.shared)
        program.compile()
        found.append((program, [text.file for text in application.esql]))
    return found


def _file_program(path: Path) -> tuple[Program, list[str]]:
    """Compile one file; with the files beside it if it does not compile alone."""
    try:
        text = decode_source(read_bounded(path))
    except CaseError as error:
        raise FlowFileError("", str(error)) from None
    alone = Program()
    alone.add(parse(text, str(path)))
    alone.compile()
    if not alone.errors and not alone.warnings:
        return alone, [str(path)]
    schema = declared_schema(text)
    root = path.resolve().parent
    for _ in schema.split(".") if schema else []:
        root = root.parent
    program = Program()
    names = []
    for other in sorted(root.rglob("*.esql"))[:2000]:
        name = str(path) if other == path.resolve() else str(other)
        names.append(name)
        program.add(parse(decode_source(read_bounded(other)), name))
    if str(path) not in names:
        return alone, [str(path)]
    program.compile()
    return program, [str(path)]


# flint flow lint.


def lint(paths: Sequence[Path], off: Sequence[str], as_json: bool, to: TextIO, errors: TextIO) -> int:
    """Print the findings of a project. Return 1 if there is an error or a warning."""
    wanted = frozenset(code.strip().upper() for each in off for code in each.split(",") if code.strip())
    unknown = sorted(wanted - set(linting.CHECKS))
    if unknown:
        raise FlowFileError("", f"there is no check {unknown[0]}; `flint flow lint --list` shows all")
    findings = set()
    hidden = 0
    for path in paths:
        project = load(path)
        for note in project.all_notes():
            errors.write(f"{note}\n")
        report = linting.lint_project(project, wanted)
        findings |= report.findings
        hidden += len(report.hidden)
    if as_json:
        found = [
            {
                "code": each.code,
                "name": each.name,
                "severity": each.severity.value,
                "file": each.file,
                "line": each.line,
                "column": each.column,
                "node": each.node,
                "text": each.text,
            }
            for each in sorted(findings)
        ]
        to.write(json.dumps(found, indent=2) + "\n")
    else:
        for finding in sorted(findings):
            to.write(f"{finding}\n")
        counts = Counter(finding.severity for finding in findings)
        parts = [f"{counts[each]} {each}{'' if counts[each] == 1 else 's'}" for each in Severity]
        switched = f" ({hidden} switched off)" if hidden else ""
        to.write(f"{', '.join(parts)}{switched}\n")
    return 1 if any(finding.severity is not Severity.NOTE for finding in findings) else 0


def list_checks(to: TextIO) -> int:
    """Print all checks."""
    for check in linting.CHECKS.values():
        to.write(f"{check.code}  {check.severity.value:<8} {check.name:<31} {check.text}\n")
    return 0


# flint flow test.


def test(paths: Sequence[Path], record: bool, only: str, profile: bool, to: TextIO, errors: TextIO) -> int:
    """Run recorded cases and print a line for each. Return 1 if one fails, 2 if there are none."""
    loader = Loader(profile)
    profiles: dict[int, profiling.Profile] = {}
    passed = failed = 0
    for case in _cases(paths, only):
        if profile:
            _profile(loader, case, profiles)
        outcome = run_case(case, loader, record)
        if outcome.passed:
            passed += 1
        else:
            failed += 1
        _print_outcome(case, outcome, record, to)
    if profiles:
        files = [file for each in profiles.values() for file in each.files()]
        lines = profiling.listing(files) + profiling.totals(files, [])[1:]
        to.write("\n".join(lines) + "\n")
    if not passed and not failed:
        errors.write("there are no cases: directories below `tests` with a file input.*\n")
        return 2
    to.write(f"{passed} {'recorded' if record else 'passed'}, {failed} failed\n")
    return 1 if failed else 0


def _cases(paths: Sequence[Path], only: str) -> Iterator[Case]:
    """Yield the cases of all paths with `only` in their name. Raise FlowFileError if a path has none."""
    for path in paths:
        try:
            cases = find_cases(path)
        except CaseError as error:
            raise FlowFileError("", str(error)) from None
        yield from (case for case in cases if only in case.name)


def _print_outcome(case: Case, outcome: Outcome, record: bool, to: TextIO) -> None:
    """Print the line of a case, and the first differences of one that failed."""
    if not outcome.passed:
        to.write(f"FAIL {case.name}\n")
        for line in outcome.differences[:DIFFERENCES_SHOWN_MAX]:
            to.write(f"     {line}\n")
        more = len(outcome.differences) - DIFFERENCES_SHOWN_MAX
        if more > 0:
            to.write(f"     ... and {more} more\n")
    elif record:
        names = [file.relative_to(case.place).as_posix() for file in outcome.recorded]
        to.write(f"rec  {case.name}: {', '.join(names) or 'nothing came out'}\n")
    else:
        to.write(f"ok   {case.name} ({outcome.seconds * 1000:.0f} ms)\n")


def _profile(loader: Loader, case: Case, profiles: dict[int, profiling.Profile]) -> None:
    """Profile the ESQL that a case runs, from its first case on."""
    try:
        runtime = loader.flow(case).runtime
    except (FlowFileError, ValueError, OSError):
        return  # The case itself tells.
    for program in (runtime.program, *runtime.inline_programs.values()):
        if id(program) not in profiles:
            profiles[id(program)] = profiling.Profile(program)
