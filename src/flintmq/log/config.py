"""Settings of a log that `crtmqm` makes: the Log stanza of qm.ini.

attribute    crtmqm    qm.ini              meaning
file_pages   -lf       LogFilePages        size of one log file in 4 KiB pages; the first page is its header
primary      -lp       LogPrimaryFiles     files that always exist
secondary    -ls       LogSecondaryFiles   files that a circular log may add while it is short of room
linear       -ll/-lc   LogType             LINEAR keeps or archives old files, CIRCULAR reuses them
second_copy                                directory of the second copy (dual logging), or ""
archive                                    where a linear log moves files that restart no longer needs, or ""
compression            COMPLOG             the start value of a newly opened log; SET LOG COMPLOG changes it
"""

from typing import Final

from flintmq.log.compress import LZ4, NONE, RLE
from flintmq.log.errors import LogError

PAGE_SIZE: Final = 4096
FILE_PAGES_MAX: Final = 65535
FILES_MAX: Final = 511


class LogConfig:
    """The geometry of one log. It is written into the control file when the log is created."""

    def __init__(
        self,
        file_pages: int = 4096,
        primary: int = 3,
        secondary: int = 2,
        linear: bool = False,
        second_copy: str = "",
        compression: int = NONE,
        archive: str = "",
    ) -> None:
        self.file_pages = file_pages
        self.primary = primary
        self.secondary = secondary
        self.linear = linear
        self.second_copy = second_copy
        self.compression = compression
        self.archive = archive

    def check(self) -> None:
        """Raise LogError for values that no log can have."""
        if not 2 <= self.file_pages <= FILE_PAGES_MAX:
            raise LogError(f"a log file has 2 to {FILE_PAGES_MAX} pages, not {self.file_pages}")
        if self.primary < 2 or self.secondary < 1 or self.primary + self.secondary > FILES_MAX:
            raise LogError(
                f"a log has at least 2 primary and 1 secondary files and {FILES_MAX} in all, "
                f"not {self.primary} and {self.secondary}"
            )
        if self.compression not in (NONE, RLE, LZ4):
            raise LogError(f"{self.compression} is not a kind of log compression")
