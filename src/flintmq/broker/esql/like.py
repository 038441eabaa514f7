"""The patterns of LIKE: % stands for any characters, also none, and _ for one; the escape character takes that away.

A pattern is cut at its % into pieces. The first piece must stand at the beginning of the text and the last at its end.
Each of the others is searched behind the one before it and the first place is taken, so a match never goes back. A
piece without _ is found by `str.find`. A piece with _ is found by shift-and: the set of beginnings of the piece that
end at the current character is one integer, so each character of the text costs one step whatever the piece is. A match
is therefore linear in the text.

`like_pattern` keeps the last `CACHE_MAX` patterns.
"""

from __future__ import annotations

from typing import Final, final

CACHE_MAX: Final = 256
#: A pattern with more characters is refused: a step of shift-and costs a word of memory for each 64 of them.
PATTERN_LENGTH_MAX: Final = 4096


@final
class _Piece:
    """The pattern between two %: characters, of which some may be any."""

    def __init__(self) -> None:
        self.text: str = ""
        #: The places at which any character will do, in ascending order.
        self.any_at: list[int] = []
        #: For shift-and: by character, the places at which it may stand; and those at which any may.
        self.masks: dict[str, int] = {}
        self.any_mask: int = 0

    def complete(self) -> None:
        """Work out the masks."""
        places = set(self.any_at)
        for place in self.any_at:
            self.any_mask |= 1 << place
        for place in range(len(self.text)):
            if place not in places:
                self.masks[self.text[place]] = self.masks.get(self.text[place], 0) | 1 << place

    def stands_at(self, text: str, at: int) -> bool:
        """Return whether the piece is found in `text` at this place."""
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
        """Return the first place from `at` at which the piece stands before `end`; -1 if there is none."""
        length = len(self.text)
        if not self.any_at:
            return text.find(self.text, at, end)
        if at + length > end:
            return -1
        if not self.masks:
            return at
        masks, any_mask = self.masks, self.any_mask
        last = 1 << length - 1
        begun = 0
        for place in range(at, end):
            begun = (begun << 1 | 1) & (masks.get(text[place], 0) | any_mask)
            if begun & last:
                return place - length + 1
        return -1


@final
class LikePattern:
    """A pattern, ready to be matched."""

    def __init__(self, pattern: str, escape: str) -> None:
        """Read the pattern; `escape` is one character. Raises ValueError."""
        if len(pattern) > PATTERN_LENGTH_MAX:
            raise ValueError(f"the pattern has {len(pattern)} characters, at most {PATTERN_LENGTH_MAX} are allowed")
        if len(escape) != 1:
            raise ValueError("ESCAPE must be one character")
        self.pieces: list[_Piece] = [_Piece()]
        at = 0
        while at < len(pattern):
            character = pattern[at]
            piece = self.pieces[-1]
            if character == escape:
                at += 1
                if at == len(pattern):
                    raise ValueError("the pattern ends in its escape character")
                piece.text += pattern[at]
            elif character == "%":
                self.pieces.append(_Piece())
            else:
                if character == "_":
                    piece.any_at.append(len(piece.text))
                piece.text += character
            at += 1
        for piece in self.pieces[1:-1]:  # The first and the last stand at known places.
            piece.complete()

    def matches(self, text: str) -> bool:
        """Return whether the whole text is like the pattern."""
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


_cache: dict[tuple[str, str], LikePattern] = {}


def like_pattern(pattern: str, escape: str) -> LikePattern:
    """Return the pattern, from the cache if it was used before. Raises ValueError."""
    key = (pattern, escape)
    found = _cache.get(key)
    if found is not None:
        return found
    made = LikePattern(pattern, escape)
    if len(_cache) >= CACHE_MAX:
        for oldest in list(_cache)[: CACHE_MAX // 4]:
            _cache.pop(oldest, None)
    _cache[key] = made
    return made


def cache_size() -> int:
    """Return how many patterns the cache holds."""
    return len(_cache)
