"""MQSC: from lines of text to the text of commands. Their syntax is in command/parser.py.

line         `*` in column 1: a comment, also between continued lines. Blank lines are ignored.
continuation last non-blank `+`: continues at the first non-blank of the next line; `-`: at its column 1.
             Both work inside quotes.
end          end of a line without continuation, or `;` outside quotes
limits       a line 2048 characters, a command 32762
"""

from __future__ import annotations

from dataclasses import dataclass, field

LINE_LENGTH_MAX = 2048
COMMAND_LENGTH_MAX = 32762

_BLANKS = " \t"
_SEPARATORS = " \t,"


@dataclass
class CommandText:
    """The joined text of one command and where its pieces came from."""

    text: str
    #: (offset in text, line number, column), ascending.
    pieces: list[tuple[int, int, int]] = field(default_factory=list)
    #: Why the text cannot be a command: a limit was passed.
    problem: str = ""

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 1, of `offset` in the text."""
        line, column = 1, offset + 1
        for start, piece_line, piece_column in self.pieces:
            if start > offset:
                break
            line, column = piece_line, piece_column + offset - start
        return line, column


class CommandReader:
    """Joins lines to commands. Feed it lines; it gives back the commands that end with each."""

    def __init__(self, line_length_max: int = LINE_LENGTH_MAX) -> None:
        self._line_length_max = line_length_max
        self._text = ""
        self._pieces: list[tuple[int, int, int]] = []
        self._problem = ""
        self._mark = ""
        self._quoted = False
        self._line = 0

    @property
    def continuing(self) -> bool:
        """Return whether the next line continues a command."""
        return bool(self._mark)

    def feed(self, line: str) -> list[CommandText]:
        """Take a line and return the commands that it ends."""
        self._line += 1
        line = line.rstrip("\r\n")
        content = line.rstrip(_BLANKS)
        if line.startswith("*") or not content:
            return []
        if len(line) > self._line_length_max:
            self._problem = self._problem or f"line {self._line} is longer than {self._line_length_max} characters"
        start = len(content) - len(content.lstrip(_BLANKS)) if self._mark == "+" else 0
        self._mark = content[-1] if content[-1] in "+-" else ""
        if self._mark:
            content = content[:-1]
        done = self._take(content, start)
        if not self._mark:
            done += self._end()
        return done

    def finish(self) -> list[CommandText]:
        """Return the command that the end of input cut off, if any."""
        self._mark = ""
        return self._end()

    def _take(self, content: str, start: int) -> list[CommandText]:
        """Add a line's text, splitting it at each `;` outside quotes."""
        done: list[CommandText] = []
        for position in range(start, len(content)):
            character = content[position]
            if character == "'":
                self._quoted = not self._quoted
            elif character == ";" and not self._quoted:
                self._append(content[start:position], start)
                done += self._end()
                start = position + 1
        self._append(content[start:], start)
        return done

    def _append(self, text: str, column: int) -> None:
        if not text or self._problem:
            return
        if len(self._text) + len(text) > COMMAND_LENGTH_MAX:
            self._problem = f"the command is longer than {COMMAND_LENGTH_MAX} characters"
            return
        self._pieces.append((len(self._text), self._line, column + 1))
        self._text += text

    def _end(self) -> list[CommandText]:
        command = CommandText(self._text, self._pieces, self._problem)
        self._text, self._pieces, self._problem, self._quoted = "", [], "", False
        return [command] if command.problem or command.text.strip(_SEPARATORS) else []


def read_commands(text: str) -> list[CommandText]:
    """Return all commands in `text`."""
    reader = CommandReader()
    commands: list[CommandText] = []
    for line in text.split("\n"):
        commands += reader.feed(line)
    return commands + reader.finish()
