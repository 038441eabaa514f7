"""Page accounting: how many 4 KiB pages of a page set a message takes, and when the page set is full.

This is MQ's arithmetic, shown by DISPLAY USAGE and felt as 2192, and has nothing to do with the pages LMDB really
uses. `length` is the message data with all headers but the MQMD.

    layout          pages of a message of `length` bytes                                        index pages
    one page each   0-3635: 1, 3636-7683: 2, 7684-11731: 3, then one more per 4048 (B130, B135)  1 per 72 messages: B131
    MAXSHORTMSGS 0  0-46: 8 on a page, 47-118: 7, ... 892-1567: 2, then as above   (B136)        none
    V6              0-33: 10 on a page, ... one page up to 3697, then one per 4049 (B137)        none

Invariants, checked by check_account():

    P1  used <= total
    P2  used = persistent + nonpersistent data pages + index pages
    P3  index pages = messages / 72, rounded up, where the layout has them
    P4  no count is negative; a count of zero messages means zero pages
    P5  total never shrinks and never passes 64 GB
"""

import struct
from typing import Final

PAGE: Final = 4096
MESSAGES_PER_INDEX_PAGE: Final = 72
PAGES_4GB: Final = 1 << 20
PAGES_64GB: Final = 1 << 24  # the largest page set
SLOW_DOWN_PERCENT: Final = 85
EXPAND_PERCENT: Final = 90
NEVER: Final = 1 << 60

LAYOUT_ONE_EACH: Final = 0
LAYOUT_SHARED: Final = 1  # TUNE MAXSHORTMSGS 0
LAYOUT_V6: Final = 2

EXPAND_NONE: Final = "NONE"
EXPAND_USER: Final = "USER"
EXPAND_SYSTEM: Final = "SYSTEM"

#: B136: the longest message of which so many share a page.
SHARED_LIMITS: Final = ((46, 8), (118, 7), (215, 6), (350, 5), (553, 4), (891, 3), (1567, 2))
#: B137, likewise.
V6_LIMITS: Final = ((33, 10), (78, 9), (135, 8), (207, 7), (304, 6), (439, 5), (642, 4), (980, 3), (1655, 2))
_STATE: Final = struct.Struct("<BBHIQQQQ")


def pages_for(length: int, layout: int = LAYOUT_ONE_EACH) -> int:
    """Whole pages that one message of `length` bytes touches (B135, B137).

    How many may share one is another question.
    """
    if layout == LAYOUT_V6:
        return 1 if length <= 3697 else 1 + (length - 3697 + 4048) // 4049
    return 1 if length <= 3635 else 1 + (length - 3635 + 4047) // 4048


def messages_per_page(length: int, layout: int = LAYOUT_SHARED) -> int:
    """How many messages of `length` bytes share one page; 1 for a message with pages of its own."""
    if layout == LAYOUT_ONE_EACH:
        return 1
    for limit, share in SHARED_LIMITS if layout == LAYOUT_SHARED else V6_LIMITS:
        if length <= limit:
            return share
    return 1


def capacity(pages: int, length: int, layout: int = LAYOUT_ONE_EACH) -> int:
    """How many messages of `length` bytes a page set of `pages` pages takes (B138)."""
    share = messages_per_page(length, layout)
    if layout != LAYOUT_ONE_EACH:
        return pages * share if share > 1 else pages // pages_for(length, layout)
    each = pages_for(length)
    groups, rest = divmod(pages, MESSAGES_PER_INDEX_PAGE * each + 1)
    return groups * MESSAGES_PER_INDEX_PAGE + (max(0, rest - 1) // each)


class PageAccount:
    """The pages of one page set. The engine asks put() before it takes a message and tells remove() when one is gone.

    A page is free as soon as its message is gone. Index pages are counted by the number of messages, which is exact
    for a queue that is read in order (B132: one goes when the last of its 72 messages does).
    """

    def __init__(
        self,
        psid: int,
        total: int,
        expand: str = EXPAND_USER,
        secondary: int = 0,
        layout: int = LAYOUT_ONE_EACH,
        limit: int = PAGES_64GB,
    ) -> None:
        self.psid = psid
        self.total = total
        self.expand = expand
        self.secondary = secondary  # pages by which EXPAND(USER) grows; 0 means a tenth of the size, as SYSTEM does
        self.layout = layout
        self.limit = limit
        self.used = 0
        self.messages = 0
        self.persistent = 0  # data pages
        self.nonpersistent = 0
        self.index_pages = 0
        self.expansions = 0
        self.full_count = 0  # puts refused
        self.disk_full = False  # the disk of the page set has no room: every put is refused
        self._shared: dict[int, int] = {}  # 2 * messages on a page + persistence: messages
        self._set_thresholds()

    def _set_thresholds(self) -> None:
        may_grow = self.expand != EXPAND_NONE and self.total < self.limit
        #: More pages than this in use, and puts are slowed down until the page set has expanded (B140).
        self.slow_from = self.total * SLOW_DOWN_PERCENT // 100 if may_grow else NEVER
        self._expand_from = self.total * EXPAND_PERCENT // 100 if may_grow else NEVER
        self._calm_to = min(self.total, self.slow_from, self._expand_from)

    def put(self, length: int, persistent: bool) -> bool:
        """Take the pages of one message, growing the page set if it may.

        False: it, or the disk that it is on, is full (2192, B139); nothing was taken.
        """
        if self.disk_full:
            self.full_count += 1
            return False
        if self.layout != LAYOUT_ONE_EACH:
            return self._put_shared(length, persistent)
        pages = 1 if length <= 3635 else pages_for(length)
        index = 1 if self.messages % MESSAGES_PER_INDEX_PAGE == 0 else 0
        used = self.used + pages + index
        if (used > self.total or used > self._expand_from) and not self._grow_to(used):
            return False
        self.used = used
        self.index_pages += index
        self.messages += 1
        if persistent:
            self.persistent += pages
        else:
            self.nonpersistent += pages
        return True

    def _put_shared(self, length: int, persistent: bool) -> bool:
        share = messages_per_page(length, self.layout)
        place = 2 * share + (1 if persistent else 0)
        there = self._shared.get(place, 0)
        pages = pages_for(length, self.layout) if there % share == 0 else 0
        if self.used + pages > min(self.total, self._expand_from) and not self._grow_to(self.used + pages):
            return False
        if share > 1:
            self._shared[place] = there + 1
        self.used += pages
        self.messages += 1
        if persistent:
            self.persistent += pages
        else:
            self.nonpersistent += pages
        return True

    def _grow_to(self, used: int) -> bool:
        """Expand when 90 % are used, or as often as it takes. Whether `used` pages fit now."""
        if used > self._expand_from:
            self.grow()
        while used > self.total:
            if not self.grow():
                self.full_count += 1
                return False
        return True

    def remove(self, length: int, persistent: bool) -> None:
        """Give back the pages of one message, as soon as it is gone (B132)."""
        if self.layout == LAYOUT_ONE_EACH and length <= 3635 and self.messages % MESSAGES_PER_INDEX_PAGE > 1:
            self.used -= 1
            self.messages -= 1
            if persistent:
                self.persistent -= 1
            else:
                self.nonpersistent -= 1
            return
        share = messages_per_page(length, self.layout)
        pages = pages_for(length, self.layout)
        if share > 1:
            place = 2 * share + (1 if persistent else 0)
            there = self._shared.get(place, 0)
            assert there > 0, f"page set {self.psid:02d} has no message of that size left to remove"
            self._shared[place] = there - 1
            pages = 1 if (there - 1) % share == 0 else 0
        assert self.messages > 0, f"page set {self.psid:02d} has no message left to remove"
        self.messages -= 1
        index = 1 if self.layout == LAYOUT_ONE_EACH and self.messages % MESSAGES_PER_INDEX_PAGE == 0 else 0
        self.used -= pages + index
        self.index_pages -= index
        if persistent:
            self.persistent -= pages
        else:
            self.nonpersistent -= pages

    def has_room(self, pages: int) -> bool:
        """Whether a message of so many pages could come and go, and nobody had to hear of it."""
        return self.used + pages < self._calm_to

    def would_fit(self, length: int) -> bool:
        """Whether put() would answer True, without doing anything. Growth that is allowed counts as room."""
        pages = pages_for(length, self.layout) + (1 if self.layout == LAYOUT_ONE_EACH else 0)
        return self.used + pages <= (self.total if self.expand == EXPAND_NONE else max(self.total, self.limit))

    def unused(self) -> int:
        return self.total - self.used

    def slowed(self) -> bool:
        """Whether puts are to be slowed down: 85 % is used and the page set may grow (B140)."""
        return self.used > self.slow_from

    def alter(self, expand: str, secondary: int = 0) -> None:
        """ALTER PSID: takes effect with the next put."""
        self.expand = expand
        self.secondary = secondary
        self._set_thresholds()

    def raise_total(self, total: int) -> None:
        """Make the page set at least so large; it never shrinks (P5)."""
        self.total = max(self.total, min(total, self.limit))
        self._set_thresholds()

    def grow(self) -> bool:
        """Expand once if EXPAND allows it: USER by the secondary quantity, SYSTEM by a tenth. False: it does not."""
        if self.expand == EXPAND_NONE or self.total >= self.limit:
            return False
        step = self.secondary if self.expand == EXPAND_USER and self.secondary > 0 else max(1, self.total // 10)
        self.total = min(self.limit, self.total + step)
        self.expansions += 1
        self._set_thresholds()
        return True

    def pack(self) -> bytes:
        """The account as bytes, to be kept in the page set's meta data with the batch that it describes."""
        parts = [
            _STATE.pack(
                1,
                self.layout,
                len(self._shared),
                self.expansions,
                self.total,
                self.messages,
                self.persistent,
                self.nonpersistent,
            )
        ]
        for place in sorted(self._shared):
            parts.append(struct.pack("<IQ", place, self._shared[place]))
        return b"".join(parts)

    def restore(self, data: bytes) -> None:
        """Take over the output of pack(). Raises ValueError on anything else."""
        if len(data) < _STATE.size or data[0] != 1:
            raise ValueError(f"page set {self.psid:02d}: this is not the account of a page set")
        _, layout, shares, expansions, total, messages, persistent, nonpersistent = _STATE.unpack_from(data)
        if len(data) != _STATE.size + 12 * shares:
            raise ValueError(f"page set {self.psid:02d}: the account has {len(data)} bytes")
        self.layout = layout
        self.expansions = expansions
        self.raise_total(total)
        self._set_thresholds()
        self.messages = messages
        self.persistent = persistent
        self.nonpersistent = nonpersistent
        self.index_pages = -(-messages // MESSAGES_PER_INDEX_PAGE) if layout == LAYOUT_ONE_EACH else 0
        self.used = persistent + nonpersistent + self.index_pages
        self._shared = {}
        for i in range(shares):
            place, there = struct.unpack_from("<IQ", data, _STATE.size + 12 * i)
            self._shared[place] = there

    def drop_nonpersistent(self, messages: int) -> None:
        """Forget the non-persistent pages and that many messages: they did not survive a restart."""
        self.messages -= messages
        self.nonpersistent = 0
        for place in [place for place in self._shared if place % 2 == 0]:
            del self._shared[place]
        self.index_pages = -(-self.messages // MESSAGES_PER_INDEX_PAGE) if self.layout == LAYOUT_ONE_EACH else 0
        self.used = self.persistent + self.index_pages


def check_account(account: PageAccount) -> None:
    """Raise AssertionError with the number of the first invariant of this file that does not hold."""
    assert account.used <= account.total, f"P1: {account.used} pages used of {account.total}"
    assert account.used == account.persistent + account.nonpersistent + account.index_pages, "P2"
    if account.layout == LAYOUT_ONE_EACH:
        assert account.index_pages == -(-account.messages // MESSAGES_PER_INDEX_PAGE), "P3"
    assert min(account.messages, account.persistent, account.nonpersistent, account.index_pages) >= 0, "P4"
    assert account.messages > 0 or account.used == 0, "P4: pages without messages"
    assert account.total <= PAGES_64GB, "P5"
