"""runmqsc at a terminal: line editing, history, completion with the Tab key, and lines that fit the window.

The history is the file `runmqsc_history` in the data directory, for its owner only. A command with a password is kept
in neither the file nor the memory of the editor.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from flintmq.command.completion import DELIMITERS, Names, completions
from flintmq.command.secrets import has_secret
from flintmq.host.instance import data_directory
from flintmq.mqi.command_text import CommandReader

HISTORY_NAME = "runmqsc_history"
HISTORY_LINES_MAX = 1000
_WRAPPED_INDENT = 6


def is_interactive() -> bool:
    """Whether somebody types commands and reads the answers."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def width() -> int:
    """Return how many columns the terminal has; 0 if the output does not go to one."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def write(line: str) -> None:
    """Print a line. At a terminal one that is too long is broken at a blank, else where the window ends."""
    columns = width()
    if not columns or len(line) <= columns:
        print(line)
        return
    margin = " " * min(len(line) - len(line.lstrip()) + _WRAPPED_INDENT, columns // 2)
    for part in textwrap.wrap(line, columns, subsequent_indent=margin, drop_whitespace=True, break_on_hyphens=False):
        print(part)


class History:
    """The commands that were typed, oldest first. `remember` gets each line that is worth keeping."""

    def __init__(self, path: Path, remember: Callable[[str], None]) -> None:
        self._path = path
        self._remember = remember
        self._reader = CommandReader()
        #: The lines of the command that is being typed.
        self._lines: list[str] = []
        self._last = ""

    def load(self) -> None:
        """Read the lines that were typed in earlier sessions. A file that has grown too long is shortened."""
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return
        for line in lines[-HISTORY_LINES_MAX:]:
            self._remember(line)
        if len(lines) > 2 * HISTORY_LINES_MAX:
            self._write(lines[-HISTORY_LINES_MAX:], os.O_TRUNC)

    def add(self, line: str) -> None:
        """Take a line that was typed. Lines are kept when the command that they belong to is complete."""
        self._lines.append(line)
        commands = self._reader.feed(line)
        if self._reader.continuing:
            return
        lines, self._lines = self._lines, []
        if any(has_secret(text) for text in (*lines, *(command.text for command in commands))):
            return
        new = [each for each in lines if each.strip() and each != self._last]
        for each in new:
            self._remember(each)
            self._last = each
        self._write(new, os.O_APPEND)

    def _write(self, lines: list[str], how: int) -> None:
        if not lines:
            return
        with suppress(OSError):  # A history that cannot be kept is none.
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | how, 0o600)
            with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
                os.fchmod(descriptor, 0o600)
                file.write("".join(f"{each}\n" for each in lines))


def typed(prompt: str, names: Names) -> Iterator[str]:
    """Yield lines from a terminal, each after the prompt, with line editing where Python has it."""
    history = _edit_lines(names)
    while True:
        try:
            line = input(prompt)
        except EOFError:
            return
        for part in line.split("\n"):  # Several, if an editor took them as one paste.
            if history is not None:
                history.add(part)
            yield part


def _edit_lines(names: Names) -> History | None:
    """Set up editing, completion and history. Return the history; None where Python has no readline."""
    try:
        import readline
    except ImportError:
        return None
    readline.set_auto_history(False)
    readline.set_completer_delims(DELIMITERS)
    found: list[str] = []

    def complete(word: str, state: int) -> str | None:
        if state == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            try:
                found[:] = completions(before, word, names)
            except Exception:  # Completion is a convenience: whatever fails, the user goes on typing.
                found.clear()
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    editor_is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if editor_is_libedit else "tab: complete")
    history = History(data_directory() / HISTORY_NAME, readline.add_history)
    history.load()
    return history
