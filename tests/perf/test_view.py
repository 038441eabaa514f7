"""Output of a run on a terminal and in a file."""

from __future__ import annotations

import io

from flintmq.perf.view import View

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
