"""Terminal output of a run: a progress line, and a line for each result.

With a terminal the moving line is written over; with `rich` installed results are a table that grows above it.
Elsewhere only results are lines.
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
    """Terminal output with `rich`: a table of results that grows, and the measured second below it.

    While a workload runs, the table has as many of its last results as fit on the terminal; at its end all are printed.
    Remarks are printed above it.
    """

    def __init__(self, out: TextIO | None = None, console: Any = None) -> None:
        super().__init__(out)
        from rich.console import Console  # type: ignore[import-not-found, unused-ignore]

        self._console: Any = console or Console(file=self.out)
        self._live: Any = None
        self._title = ""
        self._rows: list[tuple[str, ...]] = []
        self._now = ""

    def title(self, text: str) -> None:
        """Show that a run begins; the table of the run before is complete."""
        self._finish()
        self._title = text
        self._console.print(text, highlight=False, markup=False, style="bold")

    def head(self) -> None:
        """Begin the table."""
        from rich.live import Live  # type: ignore[import-not-found, unused-ignore]

        self._finish()
        self._live = Live(get_renderable=self._moving, console=self._console, refresh_per_second=4, transient=True)
        self._live.start()

    def second(self, text: str, second: int, of: int, count: int) -> None:
        """Show one measured second."""
        done = "█" * (second + 1) + "░" * max(0, of - second - 1)
        self._now = f"{text}  {count:,}/s  {done[:40]}"

    def result(self, text: str, repeat: int, result: dict[str, Any], p50_us: float, p99_us: float) -> None:
        """Add the result of a repeat to the table."""
        own = result["queue_manager_us"]
        self._rows.append(
            (
                text,
                str(repeat),
                f"{result['rate']:,.1f}",
                f"{own:.1f}" if own is not None else "-",
                f"{result['driver_us']:.1f}",
                f"{p50_us:,.0f}",
                f"{p99_us:,.0f}",
                f"{result['errors']:,}" if result["errors"] else "",
            )
        )
        self._now = ""

    def table(self, rows: list[tuple[str, ...]]) -> Any:
        """Return results as a table of `rich`."""
        from rich import box  # type: ignore[import-not-found, unused-ignore]
        from rich.table import Table  # type: ignore[import-not-found, unused-ignore]

        made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        made.add_column("step", overflow="fold")
        for name in ("rep", "rate/s", "QM us", "driver us", "p50 us", "p99 us", "errors"):
            made.add_column(name, justify="right", no_wrap=True)
        for row in rows:
            # A step may hold square brackets, which are no markup.
            made.add_row(row[0].replace("[", "\\["), *row[1:])
        return made

    def _moving(self) -> Any:
        from rich.console import Group  # type: ignore[import-not-found, unused-ignore]
        from rich.text import Text  # type: ignore[import-not-found, unused-ignore]

        room = max(3, self._console.size.height - 6)
        return Group(self.table(self._rows[-room:]), Text(self._now))

    def _finish(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._console.print(self.table(self._rows))
        self._rows, self._now = [], ""

    def _line(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def close(self) -> None:
        """Print the whole table."""
        self._finish()


def view(quiet: bool = False) -> View:
    """Return the best view of standard output."""
    if not quiet and sys.stdout.isatty():
        try:
            return RichView()
        except ImportError:
            pass
    return View(quiet=quiet)
