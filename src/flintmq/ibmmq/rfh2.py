"""RFH2 as ibmmq has it: folders need not be whole XML, as those that Java programs write are not."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from flintmq.ibmmq.errors import PYIFError
from flintmq.ibmmq.opts import MQOpts
from flintmq.pymqi import rfh2
from flintmq.pymqi.errors import Error

_TAG = re.compile(rb"<([^\s>/]+)")


class RFH2(rfh2.RFH2, MQOpts):
    """MQRFH2."""

    initial_opts: ClassVar[list[list[Any]]] = [["_StrucId", b"RFH ", "4s"], *rfh2.RFH2.initial_opts[1:]]
    _identifiers = (b"RFH ", b"\xd9\xc6\xc8\x40")  # In ASCII and in EBCDIC.
    _error = PYIFError

    def is_big_endian(self, encoding: int) -> bool:
        """Whether numbers are big-endian; an `encoding` that was itself read in the wrong order is understood."""
        if encoding > 0xFFFF:
            encoding = int.from_bytes(encoding.to_bytes(4, "big"), "little")
        return encoding & 1 != 0 or encoding in self.big_endian_encodings

    _is_big_endian = is_big_endian

    @staticmethod
    def get_folder_name(folder_data: bytes) -> str:
        """The name of the root element. Raises PYIFError if there is none."""
        return RFH2()._root(folder_data)

    def _root(self, folder: bytes) -> str:
        try:
            return super()._root(folder)
        except Error:
            matched = _TAG.match(folder)
            if matched is None:
                raise
            return matched[1].decode("utf-8", "replace")

    def get_folders(self) -> list[str]:
        """The names of the folders."""
        return [name.removesuffix("Length") for name in self.get() if name.endswith("Length") and name != "StrucLength"]
