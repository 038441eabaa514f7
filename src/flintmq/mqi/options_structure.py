"""The structures that hold nothing but options: MQBO, MQCMHO, MQDMHO, MQDMPO, MQBMHO and MQMHBO.

    offset  field    type    value
         0  StrucId  char 4  its own in each structure
         4  Version  int32   1
         8  Options  int32   12 bytes

Each has its file, with its identifier, its reason code and the options it starts with. How it is written, read and
checked is here, once.
"""

import struct
from typing import ClassVar, Final

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_id, check_room, show, write_id
from flintmq.mqi.layout import check_version, layouts

OPTIONS_SIZE: Final[int] = 12
OPTIONS_FIELDS: Final = ("version", "options")

_BIG, _LITTLE = layouts("4s i i", OPTIONS_SIZE)  # In the order of the table.


class OptionsStructure:
    """Base of the structures above. Each one has its identifier and an `unpack` that returns its own type."""

    __slots__ = OPTIONS_FIELDS

    _name: ClassVar[str]  # As in the manual: "MQBO".
    _struc_id: ClassVar[bytes]
    _reason: ClassVar[int]  # Of every StructureError.

    def __init__(self, options: int) -> None:
        self.version: int = 1
        self.options: int = options

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The bytes of this structure. Raises StructureError with the reason of the structure."""
        check_version(self.version, 1, self._reason, self._name)
        try:
            return (_BIG if big_endian else _LITTLE).pack(write_id(self._struc_id, ccsid), self.version, self.options)
        except struct.error as error:
            raise StructureError(f"{self._name} has a field that cannot be written: {error}", self._reason) from None

    def _read(self, data: bytes, offset: int, big_endian: bool, ccsid: int) -> None:
        """Take the values of the structure at `offset`. Raises StructureError with the reason of the structure."""
        check_room(data, offset, OPTIONS_SIZE, self._reason, self._name)
        identifier, self.version, self.options = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)
        check_id(identifier, self._struc_id, ccsid, self._reason, self._name)
        check_version(self.version, 1, self._reason, self._name)

    def __repr__(self) -> str:
        return show(self._name, self, OPTIONS_FIELDS)
