"""Every message that FlintMQ writes is explained by `flint mqrc`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.command.explanations import EXPLANATIONS, NUMBER, explained
from flintmq.command.messages import MESSAGES

SOURCE = Path(__file__).parents[2] / "src" / "flintmq"


def written() -> set[str]:
    """The numbers with their severity that are in the sources, and those that other texts refer to."""
    found: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        found |= set(re.findall(r"\b(?:AMQ\d{4}|CSQ[A-Z]\d{3})[IWES]?\b", path.read_text(encoding="utf-8")))
    return found


def test_every_message_is_explained() -> None:
    unknown = sorted(number for number in written() if not explained(number))
    assert unknown == [], "say in src/flintmq/command/explanations.py what they mean, and what to do about them"


def test_nothing_is_explained_that_nobody_writes() -> None:
    known = {match[1] for match in map(NUMBER.fullmatch, (*written(), *MESSAGES)) if match}
    assert sorted(set(EXPLANATIONS) - known) == []


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("AMQ9202", "Nobody answers"),
        ("amq9519e", "There is no such channel."),
        ("AMQ8147E", "Object <name> not found."),
        ("CSQM587E", "streaming queue"),
    ],
)
def test_a_message_is_shown_by_its_number(word: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mqrc", word]) == 0
    shown = capsys.readouterr().out
    assert text in shown and word.upper() in shown


def test_a_message_of_somebody_else_is_told_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mqrc", "AMQ0001"]) == 1
    assert "AMQ0001 is not a message that FlintMQ writes" in capsys.readouterr().err


def test_codes_and_messages_may_be_mixed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mqrc", "2035", "AMQ5534E"]) == 0
    shown = capsys.readouterr().out
    assert "MQRC_NOT_AUTHORIZED" in shown and "AMQ5534E" in shown
