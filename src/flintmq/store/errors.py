"""Errors of a page set, and their causes.

    PageSetError
    ├── PageSetDamaged   the file on disk differs from the data written; nothing was changed, nothing is guessed
    ├── PageSetFull      the disk (not the page account) has no room; the batch was not applied, not even in part
    └── ChunkGone        our own caller kept a chunk longer than the page set did

After PageSetFull the caller goes on: the content of the batch stays in memory, puts get 2192, and the batch is tried
again later. A sync that fails is never PageSetFull, for any cause: the content of the disk is not known then.

A page set whose *account* is full is no error here: PageAccount.put answers False and the engine gives 2192.
"""


class PageSetError(Exception):
    """Any refusal of this room. `path` is the file or directory it is about."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}" if path else text)
        self.path = path
        self.text = text


class PageSetDamaged(PageSetError):
    """The file at `path` does not hold the data written to it. The text has place and remedy."""


class PageSetFull(PageSetError):
    """The file system has no room for the batch. It was not applied; the page set is as it was before."""


class ChunkGone(PageSetError):
    """A record was asked of a chunk that has been killed, dropped or replaced since it was read."""
