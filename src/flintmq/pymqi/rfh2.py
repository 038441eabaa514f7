"""RFH2: the rules and formatting header, with its folders as members.

    offset  field           type
         0  StrucId         char 4   "RFH "
         4  Version         int32    2
         8  StrucLength     int32    36 and the lengths of the folders
        12  Encoding        int32    of the data behind the header
        16  CodedCharSetId  int32    of the data behind the header
        20  Format          char 8   of the data behind the header
        28  Flags           int32
        32  NameValueCCSID  int32    of the folders
        36  for each folder: its length, a multiple of four, and its XML

A folder <usr> is the members `usr` and `usrLength`. The byte order of the header is that of the descriptor or header in
front: `encoding` for pack and unpack. Without it, a header that is read says by its Version which it is.
"""

from __future__ import annotations

import struct
from typing import Any, ClassVar, Final, Self
from xml.parsers import expat

from flintmq.mqi import constants as mq
from flintmq.pymqi.errors import PYIFError
from flintmq.pymqi.opts import Member, MQOpts
from flintmq.pymqi.text import MQLONG_TYPE, ensure_not_unicode

_FIXED: Final = 36
_STRUC_ID: Final = b"RFH "


class RFH2(MQOpts):
    """MQRFH2."""

    initial_opts: ClassVar[list[list[Any]]] = [
        ["StrucId", _STRUC_ID, "4s"],
        ["Version", 2, MQLONG_TYPE],
        ["StrucLength", 0, MQLONG_TYPE],
        ["Encoding", mq.MQENC_NATIVE, MQLONG_TYPE],
        ["CodedCharSetId", mq.MQCCSI_Q_MGR, MQLONG_TYPE],
        ["Format", b"        ", "8s"],
        ["Flags", 0, MQLONG_TYPE],
        ["NameValueCCSID", mq.MQCCSI_Q_MGR, MQLONG_TYPE],
    ]

    #: Values of Encoding that mean big-endian numbers.
    big_endian_encodings: ClassVar[list[int]] = [1, 16, 256, 768, 17, 257, 272, 273]

    #: What a header begins with.
    _identifiers: ClassVar[tuple[bytes, ...]] = (_STRUC_ID,)
    #: What is raised for a header that cannot be.
    _error: ClassVar[type[Exception]] = PYIFError

    def __init__(self, **kw: Any) -> None:
        self.opts: list[Member] = [list(member) for member in self.initial_opts]
        super().__init__(self.opts, **kw)

    def add_folder(self, folder_data: bytes) -> None:
        """One more folder. It must be well-formed XML; blanks make its length a multiple of four."""
        ensure_not_unicode(folder_data)
        name = self._root(folder_data)
        self._append(name, folder_data.ljust(-(-len(folder_data) // 4) * 4))
        self["StrucLength"] = self.get_length()

    def pack(self, encoding: int | None = None) -> bytes:
        """The bytes of the header, big-endian if `encoding` says so."""
        if encoding is not None and self._is_big_endian(encoding):
            self._set_byte_order(True)
        return super().pack()

    def unpack(self, buff: bytes, encoding: int | None = None) -> Self:
        """Take the header from the beginning of a message. `encoding` is that of the descriptor or header in front."""
        ensure_not_unicode(buff)
        if buff[:4] not in self._identifiers:
            raise self._error(f"RFH2 - {self.initial_opts[0][0]} not MQRFH_STRUC_ID. Value: {buff[:4]!r}")
        if len(buff) < _FIXED:
            raise self._error(f"RFH2 - Buffer too short. Should be {_FIXED}+ bytes instead of {len(buff)}")
        big_endian = buff[4:5] == b"\0" if encoding is None else self._is_big_endian(encoding)
        self.opts = [list(member) for member in self.initial_opts]
        self._set_byte_order(big_endian)
        super().unpack(buff[:_FIXED])
        length = self.StrucLength
        if length < 0:
            raise self._error('RFH2 - "StrucLength" is negative. Check numeric encoding.')
        if len(buff) > _FIXED and length > len(buff):
            raise self._error(f"RFH2 - Buffer too short. Expected: {length} Buffer Length: {len(buff)}")
        self._read_folders(buff[_FIXED:length], ">" if big_endian else "<")
        return self

    def _is_big_endian(self, encoding: int) -> bool:
        return encoding in self.big_endian_encodings

    def _read_folders(self, rest: bytes, order: str) -> None:
        while rest:
            if len(rest) < 4:
                raise self._error(f"RFH2 - XML Folder not well formed. {len(rest)} bytes are left for its length.")
            (length,) = struct.unpack_from(order + "i", rest)
            if not 0 <= length <= len(rest) - 4:
                left = len(rest) - 4
                raise self._error(
                    f"RFH2 - XML Folder not well formed. Folder length is {length}, {left} bytes are left."
                )
            folder = rest[4 : 4 + length]
            self._append(self._root(folder), folder)
            rest = rest[4 + length :]

    def _append(self, name: str, folder: bytes) -> None:
        saved = self.get()
        self.opts += [[name + "Length", len(folder), MQLONG_TYPE], [name, folder, f"{len(folder)}s"]]
        self._lay_out(self.opts)
        self.set(**saved)
        self[name + "Length"], self[name] = len(folder), folder

    def _set_byte_order(self, big_endian: bool) -> None:
        saved = self.get()
        first = self.initial_opts[0]
        self.opts[0] = [first[0], first[1], (">" if big_endian else "") + first[2]]
        self._lay_out(self.opts)
        self.set(**{name: value for name, value in saved.items() if hasattr(self, name)})

    def _root(self, folder: bytes) -> str:
        """The name of the root element."""
        names: list[str] = []
        parser = expat.ParserCreate()
        parser.StartElementHandler = lambda name, attributes: names.append(name)
        try:
            parser.Parse(folder.rstrip(b"\0"), True)
        except (expat.ExpatError, ValueError) as error:
            raise self._error(f"RFH2 - XML Folder not well formed. Exception: {error}") from None
        return names[0]
