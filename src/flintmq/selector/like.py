"""The patterns of LIKE: % stands for any characters, also none, and _ for one; an escape character takes that away.

A pattern is cut at its % into pieces. The first must stand at the beginning, the last at the end, and each of the
others as early as it can behind the one before it, so a match never goes back.

A piece without _ is found by `str.find`. One with _ is found with sets of places, each one integer whose bit `i` stands
for the place `i` of a window of the text. The set of a piece is the intersection of the sets of its characters, each
shifted by where the character stands in the piece. So a piece costs one operation on a whole window for a character,
and for a block of characters that occurs again in the piece. A match is linear in the text whatever text and pattern
are; `steps` counts the operations, so that a test can tell.

    characters in a piece   how it is found
    no _                    str.find
    few different ones      sets of places in the text, a window at a time
    more than CHARACTERS    sets of places in the piece, a character of the text at a time (shift-and)
"""

from __future__ import annotations

from typing import Final

#: Places of the text that are looked at together, at most; and at first, beside the length of the piece.
WINDOW: Final = 1 << 16
WINDOW_FIRST: Final = 1 << 7
#: Characters of a piece that are intersected once for all places of the piece at which they stand.
BLOCK: Final = 8
#: A piece of more different characters is found the other way round: making their sets would cost more.
CHARACTERS: Final = 128
#: A character that is rarer than one in so many is looked for place by place.
SPARSE: Final = 8


class Block:
    """Some characters in a row of a piece, with their place."""

    def __init__(self, number: int) -> None:
        #: Among the different blocks of the piece.
        self.number = number
        self.at: list[int] = []
        self.characters: list[str] = []


class Piece:
    """The pattern between two %: characters, of which some may be any."""

    def __init__(self) -> None:
        self.text = ""
        #: The places at which any character will do.
        self.any_at: list[int] = []
        #: Where a block stands in the piece, and which one it is; blocks in which any character will do are left out.
        self.places: list[int] = []
        self.blocks: list[Block] = []
        self.distinct = 0
        #: The different characters.
        self.characters: list[str] = []
        #: For shift-and: by character, the places at which it may stand, and those at which any may.
        self.masks: dict[str, int] = {}
        self.any_mask = 0
        #: Operations on sets so far.
        self.steps = 0

    def complete(self) -> None:
        """Compute the parts that do not depend on a text."""
        if not self.any_at:
            return
        holes = set(self.any_at)
        known: dict[str, Block] = {}
        for start in range(0, len(self.text), BLOCK):
            end = min(start + BLOCK, len(self.text))
            key = "".join([" " if at in holes else "x" + self.text[at] for at in range(start, end)])
            block = known.get(key)
            if block is None:
                block = known[key] = Block(len(known))
                for at in range(start, end):
                    if at not in holes:
                        block.at.append(at - start)
                        block.characters.append(self.text[at])
            if block.at:
                self.places.append(start)
                self.blocks.append(block)
        self.distinct = len(known)
        self.characters = sorted({self.text[at] for at in range(len(self.text)) if at not in holes})
        if len(self.characters) > CHARACTERS:
            for at in range(len(self.text)):
                if at in holes:
                    self.any_mask |= 1 << at
                else:
                    self.masks[self.text[at]] = self.masks.get(self.text[at], 0) | 1 << at

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
        if at + len(self.text) > end:
            return -1
        if not self.characters:
            return at
        if self.masks:
            return self._shift_and(text, at, end)
        # The window grows: a pattern of many pieces that are found at once must not cost a whole window for each.
        window = min(WINDOW, WINDOW_FIRST + len(self.text))
        while at + len(self.text) <= end:
            places = self._places(text[at : min(end, at + window + len(self.text) - 1)])
            if places:
                return at + (places & -places).bit_length() - 1
            at += window
            window = min(WINDOW, window * 4)
        return -1

    def _places(self, window: str) -> int:
        """The set of places at which the piece stands in `window`."""
        count = len(window) - len(self.text) + 1
        backwards = window[::-1]
        sets: dict[str, int] = {}
        blocks: list[int] = [-1] * self.distinct
        result = (1 << count) - 1
        for number in range(len(self.blocks)):
            block = self.blocks[number]
            found = blocks[block.number]
            if found < 0:
                found = -1
                for i in range(len(block.at)):
                    character = block.characters[i]
                    places = sets.get(character, -1)
                    if places < 0:
                        places = sets[character] = _set_of(character, backwards)
                    found &= places >> block.at[i]
                    self.steps += 1
                blocks[block.number] = found
            result &= found >> self.places[number]
            self.steps += 1
            if not result:
                break
        return result

    def _shift_and(self, text: str, at: int, end: int) -> int:
        """The same with sets of places in the piece: which beginnings of it end at this place of the text."""
        masks, any_mask = self.masks, self.any_mask
        last = 1 << len(self.text) - 1
        begun = 0
        for place in range(at, end):
            begun = (begun << 1 | 1) & (masks.get(text[place], 0) | any_mask)
            self.steps += 1
            if begun & last:
                return place - len(self.text) + 1
        return -1


def _set_of(character: str, backwards: str) -> int:
    """The set of places of a character in a text, which is given backwards: the first place is the lowest bit."""
    if backwards.count(character) * SPARSE >= len(backwards):
        return int(backwards.translate(_Only(character)), 2)
    bits = bytearray(len(backwards) // 8 + 1)
    last = len(backwards) - 1
    at = backwards.find(character)
    while at >= 0:
        place = last - at
        bits[place >> 3] |= 1 << (place & 7)
        at = backwards.find(character, at + 1)
    return int.from_bytes(bits, "little")


class _Only(dict[int, str]):
    """A table for `str.translate`: one character is 1, all others are 0."""

    def __init__(self, character: str) -> None:
        super().__init__()
        self[ord(character)] = "1"

    def __missing__(self, code: int) -> str:
        self[code] = "0"
        return "0"


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
        for piece in self.pieces[1:-1]:  # The first and the last stand at known places.
            piece.complete()

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

    def steps(self) -> int:
        """How many operations on sets all matches so far have taken."""
        return sum([piece.steps for piece in self.pieces])


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
