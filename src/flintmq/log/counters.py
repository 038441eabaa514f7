"""Counters of the log since it was opened; telemetry reads it, nothing here decides anything."""

from typing import Final

#: Every counter, in the order of the class.
NAMES: Final = (
    "records",
    "bytes",
    "flushes",
    "writes",
    "syncs",
    "pages",
    "checkpoints",
    "control_writes",
    "files_created",
    "files_reused",
    "files_removed",
    "files_archived",
    "records_replayed",
    "bytes_replayed",
    "records_repaired",
    "compression_requests",
    "compression_failures",
    "compression_bytes_in",
    "compression_bytes_out",
    "decompression_requests",
    "decompression_failures",
    "decompression_bytes_in",
    "decompression_bytes_out",
    "single_writes",
    "single_pages",
    "single_us",
    "multi_writes",
    "multi_pages",
    "multi_us",
    "idle_us",
    "squares",
)


class LogCounters:
    """Plain numbers that only grow. Bytes are bytes, pages are 4 KiB pages of the log files."""

    def __init__(self) -> None:
        self.records: int = 0  #: records appended
        self.bytes: int = 0  #: bytes appended, headers and padding included
        self.flushes: int = 0  #: flushes that had something to write
        self.writes: int = 0  #: write calls, of all copies
        self.syncs: int = 0  #: fdatasync calls for flushes, of all copies
        self.pages: int = 0  #: pages touched by flushes, of one copy
        self.checkpoints: int = 0  #: checkpoints taken
        self.control_writes: int = 0  #: updates of the control file
        self.files_created: int = 0  #: log files formatted anew
        self.files_reused: int = 0  #: log files that got another life
        self.files_removed: int = 0  #: secondary files given back
        self.files_archived: int = 0  #: files of a linear log moved to the archive
        self.records_replayed: int = 0  #: records read by restart
        self.bytes_replayed: int = 0  #: bytes read by restart, headers and padding included
        self.records_repaired: int = 0  #: records restored from the other copy
        self.compression_requests: int = 0  #: chunks tried
        self.compression_failures: int = 0  #: chunks that came out larger than they went in
        self.compression_bytes_in: int = 0
        self.compression_bytes_out: int = 0  #: a chunk that failed counts with its size as it is stored
        self.decompression_requests: int = 0
        self.decompression_failures: int = 0  #: chunks that could not be expanded: our bug or a damaged log
        self.decompression_bytes_in: int = 0
        self.decompression_bytes_out: int = 0
        self.single_writes: int = 0  #: flushes of one page, these pages, and the microseconds until they were on disk
        self.single_pages: int = 0
        self.single_us: int = 0
        self.multi_writes: int = 0  #: likewise, of several pages
        self.multi_pages: int = 0
        self.multi_us: int = 0
        self.idle_us: int = 0  #: microseconds between flushes
        self.squares: int = 0  #: the sum of the squares of the times of flushes
        self._longest_us: int = 0
        self._longest_at_us: int = 0
        self._last_us: int = 0

    def flushed(self, pages: int, began_us: int, ended_us: int) -> None:
        """A flush of so many pages is on disk."""
        self.flushes += 1
        self.pages += pages
        took = max(0, ended_us - began_us)
        if pages > 1:
            self.multi_writes += 1
            self.multi_pages += pages
            self.multi_us += took
        else:
            self.single_writes += 1
            self.single_pages += pages
            self.single_us += took
        self.squares += took * took
        if self._last_us:
            self.idle_us += max(0, began_us - self._last_us)
        self._last_us = ended_us
        if took > self._longest_us:
            self._longest_us = took
            self._longest_at_us = began_us

    def idle_until(self, now_us: int) -> int:
        """Return the microseconds without a flush until now. The first call begins to count for a log without any."""
        if not self._last_us:
            self._last_us = now_us
        return self.idle_us + max(0, now_us - self._last_us)

    def take_longest(self) -> tuple[int, int]:
        """The longest flush since this was last asked, and when it began, in microseconds since 1970; zeros if none."""
        longest = (self._longest_us, self._longest_at_us)
        self._longest_us = self._longest_at_us = 0
        return longest

    def values(self) -> dict[str, int]:
        """Return all counters under their names."""
        return {name: getattr(self, name) for name in NAMES}
