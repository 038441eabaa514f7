"""Errors of the pipeline, in one line. Java's stack traces stay where they are.

An error of ours that is raised in a worker comes back inside Spark's own, as text: `explain` finds it there.
"""

from __future__ import annotations

import re
import sys

_OURS = re.compile(r"^\s*(?:[\w.]*: )?flintmq\.[\w.]+: (?P<text>\S.*)$", re.MULTILINE)
_PYTHON = re.compile(r"^(?:.*: )?Traceback \(most recent call last\):\n(?:[ \t].*\n)*(?P<text>\S.*)$", re.MULTILINE)
_CONDITION = re.compile(r"\[(?P<name>[A-Z][A-Z0-9_.]+)\] (?P<text>[^\n]+)")
_CAUSE = re.compile(r"^(?:Caused by: )?[\w.$]+(?:Exception|Error): (?P<text>[^\n]+)$", re.MULTILINE)
#: Messages of Spark and Python when workers run another Python.
_VERSIONS = re.compile(
    r"Python in worker has different version: (?P<worker>\S+) than that in driver: (?P<driver>[\d.]+)"
)
_NO_PROGRAM = re.compile(r'Cannot run program "(?P<name>[^"]*python[^"]*)"')
_NO_MODULE = re.compile(r"^(?:.*\s)?ModuleNotFoundError: No module named '(?P<name>[^']+)'", re.MULTILINE)
_NEEDED = ("flintmq", "numpy", "pyarrow", "pyspark", "crc32c", "lmdb", "lz4")


class PipelineError(Exception):
    """The pipeline cannot carry out the request. The text says why, where, and how to correct it."""


class BadOption(PipelineError):
    """An option of a data source that cannot be."""


class JavaMissing(PipelineError):
    """Spark needs Java 17 or later and found none."""


def explain(error: BaseException) -> str:
    """Explain in one line an error that Spark raised.

    That is our error if it carries one, else that of a Python worker, else Spark's own first sentence.
    """
    text = str(error)
    other = _other_python(text)
    if other:
        return other
    ours = _OURS.findall(text)
    if ours:
        return str(ours[-1]).strip()
    python = _PYTHON.findall(text)
    if python:
        return f"a Python worker of Spark failed: {python[-1].strip()}"
    condition = _CONDITION.search(text)
    if condition:
        return f"{condition['text'].strip()} [{condition['name']}]"
    cause = _CAUSE.search(text)
    if cause:
        return cause["text"].strip()
    first = text.strip().splitlines()
    return first[0] if first else type(error).__name__


def _other_python(text: str) -> str:
    """Return advice about workers that run another Python than the driver, or one that lacks a module."""
    driver = f"{sys.version_info[0]}.{sys.version_info[1]}"
    versions, program, module = (pattern.search(text) for pattern in (_VERSIONS, _NO_PROGRAM, _NO_MODULE))
    if versions:
        driver = versions["driver"]
        what = f"Spark's workers run Python {versions['worker']}, the driver runs Python {driver}"
    elif program:
        what = f"Spark's workers cannot start {program['name']}"
    elif module and module["name"].partition(".")[0] in _NEEDED:
        what = f"the Python of Spark's workers has no module {module['name']}"
    else:
        return ""
    remedy = f"set PYSPARK_PYTHON to a Python {driver} that has the spark extra of FlintMQ, on every machine"
    return f"{what}: {remedy} (the driver runs {sys.executable})"


def told(error: Exception) -> Exception:
    """Return Spark's errors in one line; others as they are."""
    foreign = type(error).__module__.partition(".")[0] in ("pyspark", "py4j")
    return PipelineError(explain(error)) if foreign else error
