"""Output of a run on a terminal and in a file."""

from __future__ import annotations

import io
import re

import pytest

from flintmq.perf.view import RichView, View
from flintmq.perf.view import view as best_view

RESULT = {"rate": 1234.5, "queue_manager_us": 61.2, "driver_us": 30.0, "errors": 0}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(out: io.StringIO) -> str:
    view = View(out)
    view.title("Z93-R01  t")
    view.head()
    view.second("size=2K", 0, 5, 1200)
    view.result("size=2K", 1, RESULT, 800.0, 2500.0)
    view.result("size=2K", 2, {**RESULT, "queue_manager_us": None, "errors": 3}, 800.0, 2500.0)
    view.close()
    return out.getvalue()


def test_a_file_gets_a_line_for_each_result_and_no_moving_line() -> None:
    text = shown(io.StringIO())
    assert "\r" not in text and "\033" not in text and "1,200 /s" not in text
    first, second = text.splitlines()[2:]
    assert first.split() == ["size=2K", "1", "1,234.5", "61.2", "30.0", "800", "2,500"]
    assert second.split()[3] == "-" and second.endswith("3 errors")


def test_a_terminal_gets_a_line_that_is_written_over() -> None:
    text = shown(Terminal())
    assert "\rsize=2K" in text and "1,200 /s" in text and text.endswith("\r\033[K")


def test_a_quiet_view_shows_nothing() -> None:
    out = io.StringIO()
    View(out, quiet=True).result("x", 1, RESULT, 1.0, 2.0)
    assert out.getvalue() == ""


# -- with rich --------------------------------------------------------------------------------------------------------

COLUMNS = ["step", "rep", "rate/s", "QM us", "driver us", "p50 us", "p99 us", "errors"]


def rich_view(height: int = 40) -> tuple[RichView, io.StringIO]:
    console = pytest.importorskip("rich.console")
    out = Terminal()
    return RichView(out, console.Console(file=out, force_terminal=True, width=120, height=height, no_color=True)), out


def rows_of(text: str) -> list[list[str]]:
    """The rows of the last table that was printed."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n")
    lines = [line.split() for line in plain.splitlines()]
    last = max(number for number, words in enumerate(lines) if words == " ".join(COLUMNS).split())
    return [words for words in lines[last + 2 :] if words]


def test_with_rich_results_are_a_table_with_a_row_for_each() -> None:
    view, out = rich_view()
    view.title("Z93-R01  t")
    view.head()
    view.result("size=2K", 1, RESULT, 800.0, 2500.0)
    view.result("size=2K", 2, {**RESULT, "queue_manager_us": None, "errors": 3}, 800.0, 2500.0)
    view.line("a remark [of a step]")
    view.close()
    text = out.getvalue()
    assert "Z93-R01  t" in text and "a remark [of a step]" in text
    assert rows_of(text) == [
        ["size=2K", "1", "1,234.5", "61.2", "30.0", "800", "2,500"],
        ["size=2K", "2", "1,234.5", "-", "30.0", "800", "2,500", "3"],
    ]


def test_with_rich_the_measured_second_is_below_the_table() -> None:
    from rich.console import Console

    view, out = rich_view()
    view.head()
    view.result("size=2K", 1, RESULT, 800.0, 2500.0)
    view.second("size=4K [x]", 1, 4, 1200)
    shown = io.StringIO()
    Console(file=shown, width=120).print(view._moving())
    drawn = [line.rstrip() for line in shown.getvalue().splitlines() if line.strip()]
    assert drawn[0].split()[0] == "step" and drawn[-1] == "size=4K [x]  1,200/s  ██░░"
    view.close()
    assert "1,234.5" in out.getvalue()


def test_with_rich_a_table_that_is_longer_than_the_terminal_is_printed_whole_at_the_end() -> None:
    view, out = rich_view(height=12)
    view.head()
    for number in range(1, 31):
        view.result(f"clients={number}", 1, RESULT, 800.0, 2500.0)
    view.title("the next")
    assert [row[0] for row in rows_of(out.getvalue()) if row[0].startswith("clients")] == [
        f"clients={number}" for number in range(1, 31)
    ]
    view.close()


def test_with_rich_brackets_of_a_step_are_no_markup() -> None:
    view, out = rich_view()
    view.head()
    view.result("case=[bold]x", 1, RESULT, 800.0, 2500.0)
    view.close()
    assert rows_of(out.getvalue())[0][0] == "case=[bold]x"


def test_a_terminal_has_the_view_with_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr("sys.stdout", Terminal())
    assert isinstance(best_view(), RichView) and type(best_view(quiet=True)) is View
