"""What the log has done since it was opened; telemetry reads it, nothing here decides anything."""

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

    def values(self) -> dict[str, int]:
        """Return all counters under their names."""
        return {name: getattr(self, name) for name in NAMES}
