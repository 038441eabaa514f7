"""Errors of the recovery log.

    LogError         the log refuses an operation; the text says why
      LogDamaged     bytes that were durable no longer validate; names file, offset and log position
      LogFull        a circular log has no room left before its oldest file that restart still needs

None of these is raised for a torn tail: bytes that were never acknowledged may be lost in a crash, and replay cuts them
off without a word. A program that catches LogDamaged must not go on: nothing was cut off, so that a file can be
restored.
"""


class LogError(Exception):
    """The log refuses an operation. After an I/O error it says so until it is opened again."""


class LogDamaged(LogError):
    """Something that was durable cannot be read back. Nothing was cut off; not raised for a torn tail."""

    def __init__(self, path: str, offset: int, position: int, text: str) -> None:
        super().__init__(f"{path} is damaged at offset {offset} (log position {position}): {text}")
        self.path = path
        self.offset = offset
        self.position = position
        self.text = text


class LogFull(LogError):
    """Primary and secondary files are all in use. Nothing was queued; a checkpoint frees files."""

    def __init__(self, capacity: int, needed: int) -> None:
        super().__init__(
            f"the recovery log is full: restart needs all {capacity} bytes of its primary and secondary files, "
            f"and {needed} more were asked for"
        )
        self.capacity = capacity
        self.needed = needed
