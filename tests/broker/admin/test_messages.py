"""The one list of BIP messages: it has every number that the broker reports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flintmq.broker.admin import messages
from flintmq.cli.main import main

BROKER = Path(__file__).resolve().parents[3] / "src" / "flintmq" / "broker"
#: Numbers of errors (`BrokerError(2497, ...)`), of the log ("2648W") and of lines of commands (BIP2355W).
_NUMBERS = re.compile(
    r'(?:BrokerError|entry|Refused|CompileError|messages\.line)\(\s*(\d{4})\b|"(\d{4,5})[IWE]"|\bBIP(\d{4,5})[IWE]\b'
    r"|^(?!.*(?:MAX|PORT|PIECE|VALIDATE))_?[A-Z_]+(?:: Final)? = ([2-9]\d{3})$",
    re.MULTILINE,
)


def test_every_number_that_the_broker_reports_can_be_explained() -> None:
    missing: dict[int, str] = {}
    for path in sorted(BROKER.rglob("*.py")):
        for found in _NUMBERS.finditer(path.read_text()):
            number = int(next(each for each in found.groups() if each))
            if messages.find(str(number)) is None:
                missing.setdefault(number, str(path.relative_to(BROKER)))
    assert missing == {}


def test_a_message_has_text_cause_and_action() -> None:
    for each in messages.MESSAGES.values():
        assert each.severity in messages.SEVERITIES and each.text and each.cause and each.action
        assert 0 < each.number < 100000


@pytest.mark.parametrize("word", ["2488", "BIP2488", "bip2488e", " BIP2488E "])
def test_a_message_is_found_by_its_number(word: str) -> None:
    found = messages.find(word)
    assert found is not None and found.number == 2488


@pytest.mark.parametrize("word", ["", "BIP", "9999", "2488x", "-1", "²", "9" * 5000])
def test_an_unknown_number_is_not_found(word: str) -> None:
    assert messages.find(word) is None


def test_mqsiexplain_prints_cause_and_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mqsiexplain", "2488"]) == 0
    shown = capsys.readouterr().out
    assert "BIP2488E" in shown and "Cause:" in shown and "Action:" in shown
    assert main(["mqsiexplain", "1"]) == 1
