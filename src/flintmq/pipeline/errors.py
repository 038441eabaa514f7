"""What goes wrong in the pipeline, in one line. Java's stack traces stay where they are.

An error of ours that is raised in a worker comes back inside Spark's own, as text: `explain` finds it there.
"""

from __future__ import annotations

import re

_OURS = re.compile(r"^\s*(?:[\w.]*: )?flintmq\.[\w.]+: (?P<text>\S.*)$", re.MULTILINE)
_PYTHON = re.compile(r"^(?:.*: )?Traceback \(most recent call last\):\n(?:[ \t].*\n)*(?P<text>\S.*)$", re.MULTILINE)
_CONDITION = re.compile(r"\[(?P<name>[A-Z][A-Z0-9_.]+)\] (?P<text>[^\n]+)")
_CAUSE = re.compile(r"^(?:Caused by: )?[\w.$]+(?:Exception|Error): (?P<text>[^\n]+)$", re.MULTILINE)


class PipelineError(Exception):
    """The pipeline cannot do what was asked. The text says what, where, and what to do."""


class BadOption(PipelineError):
    """An option of a data source that cannot be."""


class JavaMissing(PipelineError):
    """Spark needs Java 17 or later and found none."""


def explain(error: BaseException) -> str:
    """One line about an error that Spark raised: ours if it carries one of ours, else that of a Python worker, else
    Spark's own first sentence."""
    text = str(error)
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


def told(error: Exception) -> Exception:
    """Return Spark's errors in one line; others as they are."""
    foreign = type(error).__module__.partition(".")[0] in ("pyspark", "py4j")
    return PipelineError(explain(error)) if foreign else error
