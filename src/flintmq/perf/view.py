"""Terminal output of a run: a progress line, and a line for each result.

With a terminal the moving line is written over; with `rich` installed it is a table. Elsewhere only results are lines.
"""

from __future__ import annotations

import sys
from typing import Any, TextIO


class View:
    """Plain lines. `quiet` shows nothing."""

    def __init__(self, out: TextIO | None = None, quiet: bool = False) -> None:
        self.out = sys.stdout if out is None else out
        self.quiet = quiet
        self.live = not quiet and self.out.isatty()

    def title(self, text: str) -> None:
        """Show that a run begins."""
        self._line(text)

    def head(self) -> None:
        """Show the head of the table of results."""
        self._line(f"{'step':<44} {'rep':>3} {'rate/s':>10} {'QM us':>9} {'driver us':>9} {'p50 us':>9} {'p99 us':>9}")

    def second(self, text: str, second: int, of: int, count: int) -> None:
        """Show one measured second."""
        if self.live:
            self.out.write(f"\r{text[:44]:<44} {second + 1:>3}/{of} s {count:>10,} /s\033[K")
            self.out.flush()

    def result(self, text: str, repeat: int, result: dict[str, Any], p50_us: float, p99_us: float) -> None:
        """Show the result of a repeat."""
        own = result["queue_manager_us"]
        shown = f"{own:>9.1f}" if own is not None else f"{'-':>9}"
        errors = f"  {result['errors']} errors" if result["errors"] else ""
        self._line(
            f"{text[:44]:<44} {repeat:>3} {result['rate']:>10,.1f} {shown} {result['driver_us']:>9.1f} "
            f"{p50_us:>9,.0f} {p99_us:>9,.0f}{errors}"
        )

    def value(self, text: str, repeat: int, name: str, value: float, unit: str) -> None:
        """Show a measurement that is not a rate."""
        self._line(f"{text[:44]:<44} {repeat:>3} {name} {value:,.3f} {unit}")

    def line(self, text: str) -> None:
        """Show a remark."""
        self._line(text)

    def _line(self, text: str) -> None:
        if self.quiet:
            return
        self.out.write(("\r\033[K" if self.live else "") + text + "\n")
        self.out.flush()

    def close(self) -> None:
        """End the moving line."""
        if self.live:
            self.out.write("\r\033[K")
            self.out.flush()


class RichView(View):
    """Terminal output with `rich`: the progress line is a status with a spinner."""

    def __init__(self, out: TextIO | None = None) -> None:
        super().__init__(out)
        from rich.console import Console  # type: ignore[import-not-found, unused-ignore]
        from rich.status import Status  # type: ignore[import-not-found, unused-ignore]

        self._console: Any = Console(file=self.out)
        self._status: Any = Status("", console=self._console)
        self._status.start()

    def second(self, text: str, second: int, of: int, count: int) -> None:
        """Show one measured second."""
        done = "█" * (second + 1) + "░" * max(0, of - second - 1)
        self._status.update(f"{text[:44]}  [bold]{count:,}[/bold]/s  {done[:40]}")

    def _line(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def close(self) -> None:
        """End the status."""
        self._status.stop()


def view(quiet: bool = False) -> View:
    """Return the best view of standard output."""
    if not quiet and sys.stdout.isatty():
        try:
            return RichView()
        except ImportError:
            pass
    return View(quiet=quiet)
