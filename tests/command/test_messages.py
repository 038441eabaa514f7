"""The table of messages: numbers in MQ's form, each used, each reason with one that exists."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import flintmq.catalogue.kind
import flintmq.catalogue.kinds
import flintmq.command
from flintmq.command.messages import MESSAGES, REASON_MESSAGES, message, reason_message


def sources_of(package: ModuleType) -> str:
    return "".join(path.read_text() for path in Path(package.__path__[0]).glob("*.py"))


SOURCES = sources_of(flintmq.command)
#: The messages of commands on objects are declared with the kind of object, and answered from there.
KINDS = sources_of(flintmq.catalogue.kinds) + Path(flintmq.catalogue.kind.__file__).read_text()


@pytest.mark.parametrize("number", MESSAGES)
def test_a_message_has_a_number_of_mq_and_is_used(number: str) -> None:
    assert re.fullmatch(r"(AMQ\d{4}|CSQ[A-Z0-9]\d{3})[IWES]", number)
    assert SOURCES.count(f'"{number}"') >= 2 or f'"{number}"' in KINDS, "declared and never answered"


def test_every_number_that_is_answered_is_declared() -> None:
    assert set(re.findall(r'"((?:AMQ|CSQ)[A-Z0-9]{4,5}[IWES])"', SOURCES + KINDS)) == set(MESSAGES)


def test_severities_follow_the_meaning() -> None:
    """What is done or shown is I; every message for a reason is E or S, but for what does or does not run."""
    for number in REASON_MESSAGES.values():
        assert number[-1] in "ES" or number in ("AMQ8461I", "AMQ8420I", "AMQ8729I", "AMQ8730I")


def test_a_message_is_number_colon_text() -> None:
    assert message("AMQ8147E", {"name": "A"}) == "AMQ8147E: Object A not found."


def test_any_reason_has_a_message() -> None:
    for reason in range(2000, 4200):
        number, inserts = reason_message(reason, "A", "QM1")
        assert message(number, inserts).startswith(number)
