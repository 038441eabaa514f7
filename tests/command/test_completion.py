"""What the Tab key of runmqsc offers."""

from __future__ import annotations

import pytest

from flintmq.command.completion import completions
from flintmq.command.secrets import has_secret


def names(noun: str, begin: str) -> list[str]:
    return [name for name in ("ORDERS.IN", "ORDERS.OUT", "bills") if noun == "QLOCAL" and name.startswith(begin)]


@pytest.mark.parametrize(
    ("before", "word", "found"),
    [
        ("", "DEF", ["DEFINE"]),
        ("", "di", ["display"]),
        ("DEF ", "QL", ["QLOCAL"]),
        ("dis ", "qst", ["qstatus"]),
        ("DISPLAY QL(", "OR", ["ORDERS.IN", "ORDERS.OUT"]),
        ("DISPLAY QLOCAL('", "OR", ["ORDERS.IN", "ORDERS.OUT"]),
        ("DEF QL(A) ", "MAXD", ["MAXDEPTH("]),
        ("DEF QL(A) ", "NOS", ["NOSHARE"]),
        ("DISPLAY QL(A) ", "CURD", ["CURDEPTH"]),
        ("DISPLAY QMGR ", "QMN", ["QMNAME"]),
        ("DEF QL(A) GET(", "", ["ENABLED", "DISABLED"]),
        ("DEF QL(A) MAXDEPTH(5) GET(", "D", ["DISABLED"]),
        ("NONSENSE QL(A) ", "X", []),
    ],
)
def test_the_words_that_can_come_next(before: str, word: str, found: list[str]) -> None:
    """Issue 14, item 28."""
    assert completions(before, word, names) == found


def test_commands_with_a_password_are_known() -> None:
    assert has_secret("alter qmgr keyrpwd('x')") and has_secret("DEF CHL(A) PASSWORD(X)")
    assert not has_secret("DEFINE QLOCAL(PASSWORDS)") and not has_secret("DISPLAY QMGR ALL")
