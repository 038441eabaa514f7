"""The patterns of LIKE: % stands for any characters, also none, and _ for one; an escape character takes that away.

A pattern is cut at its % into pieces. The first must stand at the beginning, the last at the end, and each of the
others as early as it can behind the one before it. So a match costs at most length times length of the pattern,
whatever the two are: there is nothing to go back to.
"""

from __future__ import annotations


class Piece:
    """What stands between two %: characters, of which some may be any."""

    def __init__(self) -> None:
        self.text = ""
        #: The places at which any character will do.
        self.any_at: list[int] = []

    def stands_at(self, text: str, at: int) -> bool:
        """Whether the piece is found in `text` at this place."""
        if not self.any_at:
            return text.startswith(self.text, at)
        if at + len(self.text) > len(text):
            return False
        begin = 0
        for hole in self.any_at:
            if text[at + begin : at + hole] != self.text[begin:hole]:
                return False
            begin = hole + 1
        return text[at + begin : at + len(self.text)] == self.text[begin:]

    def find(self, text: str, at: int, end: int) -> int:
        """The first place from `at` at which the piece stands before `end`, -1 if there is none."""
        if not self.any_at:
            return text.find(self.text, at, end)
        while at + len(self.text) <= end:
            if self.stands_at(text, at):
                return at
            at += 1
        return -1


class Pattern:
    """A pattern, ready to be matched."""

    def __init__(self, pattern: str, escape: str) -> None:
        """`escape` is one character or empty. The pattern does not end in it: see `ends_in_escape`."""
        self.pieces = [Piece()]
        at = 0
        while at < len(pattern):
            character = pattern[at]
            piece = self.pieces[-1]
            if character == escape:
                at += 1
                piece.text += pattern[at]
            elif character == "%":
                self.pieces.append(Piece())
            else:
                if character == "_":
                    piece.any_at.append(len(piece.text))
                piece.text += character
            at += 1

    def matches(self, text: str) -> bool:
        """Whether the whole text is like the pattern."""
        pieces = self.pieces
        first = pieces[0]
        if len(pieces) == 1:
            return len(text) == len(first.text) and first.stands_at(text, 0)
        last = pieces[-1]
        at = len(first.text)
        end = len(text) - len(last.text)
        if end < at or not first.stands_at(text, 0) or not last.stands_at(text, end):
            return False
        for number in range(1, len(pieces) - 1):
            piece = pieces[number]
            at = piece.find(text, at, end)
            if at < 0:
                return False
            at += len(piece.text)
        return True


def ends_in_escape(pattern: str, escape: str) -> bool:
    """Whether the last character of the pattern is an escape character that has nothing to escape."""
    at = 0
    while at < len(pattern):
        if pattern[at] == escape:
            at += 1
            if at == len(pattern):
                return True
        at += 1
    return False
