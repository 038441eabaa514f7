"""PCF: programmable commands, their responses, events, statistics: a header and parameters, all of them typed.

    MQCFH, the header (36 bytes)
    offset  field           type   value
         0  Type            int32  1 command, 2 response, 7 event, 16 extended command ... (MQCFT_*)
         4  StrucLength     int32  36
         8  Version         int32  1 to 3
        12  Command         int32  MQCMD_*
        16  MsgSeqNumber    int32  of this message in its set, from 1
        20  Control         int32  1 last of its set, 0 not
        24  CompCode        int32
        28  Reason          int32
        32  ParameterCount  int32  parameters that follow, groups counted as one

    A parameter starts with Type, StrucLength, Parameter (int32 each); from offset 12:
    type  structure  from offset 12
       3  MQCFIN     Value int32
       4  MQCFST     CodedCharSetId, StringLength int32, String
       5  MQCFIL     Count int32, Values int32 ...
       6  MQCFSL     CodedCharSetId, Count, StringLength int32, Strings of that length
       9  MQCFBS     StringLength int32, bytes
      13  MQCFIF     Operator, FilterValue int32
      14  MQCFSF     Operator, CodedCharSetId, FilterValueLength int32, FilterValue
      15  MQCFBF     Operator, FilterValueLength int32, bytes
      20  MQCFGR     ParameterCount int32; that many parameters follow and belong to the group
      23  MQCFIN64   Reserved int32, Value int64
      25  MQCFIL64   Count int32, Values int64 ...

Strings and bytes are filled up so that StrucLength is a multiple of 4. A CodedCharSetId of 0 or below is that of the
message. Strings are kept as they were sent, trailing blanks included; `text()` is without. Each structure that is not
valid gives its own reason (MQRC_CFST_ERROR ...), a message as a whole MQRC_PCF_ERROR. The parameters themselves are
in `pcf_parameters`.
"""

import struct
from typing import Final, Literal

from flintmq.mqi.errors import StructureError
from flintmq.mqi.fields import check_room, show
from flintmq.mqi.layout import layouts
from flintmq.mqi.pcf_parameters import (
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    Parameter,
)
from flintmq.mqi.reason import MQRC_CFGR_ERROR, MQRC_CFH_ERROR, MQRC_PCF_ERROR

__all__ = [
    "MQCFBF", "MQCFBS", "MQCFGR", "MQCFH", "MQCFIF", "MQCFIL", "MQCFIL64", "MQCFIN", "MQCFIN64", "MQCFSF", "MQCFSL",
    "MQCFST", "PCFMessage", "Parameter", "parse",
]  # fmt: skip

SIZE: Final[int] = 36
NESTING_MAX: Final = 16  # Groups in groups. MQ itself uses three levels.
_PARAMETER_SIZE_MIN: Final = 16
FIELDS: Final = (
    "type", "version", "command", "msg_seq_number", "control", "comp_code", "reason", "parameter_count",
)  # fmt: skip

_BIG, _LITTLE = layouts("i i i i i i i i i", SIZE)  # In the order of the table.


class MQCFH:
    """PCF header. `parameter_count` is the number received; a PCFMessage counts for itself when it is packed."""

    __slots__ = FIELDS

    def __init__(self) -> None:
        self.type: int = 1  # MQCFT_COMMAND
        self.version: int = 1
        self.command: int = 0
        self.msg_seq_number: int = 1
        self.control: int = 1  # MQCFC_LAST
        self.comp_code: int = 0
        self.reason: int = 0
        self.parameter_count: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The 36 bytes of the header. Raises StructureError (MQRC_CFH_ERROR)."""
        try:
            return (_BIG if big_endian else _LITTLE).pack(
                self.type,
                SIZE,
                self.version,
                self.command,
                self.msg_seq_number,
                self.control,
                self.comp_code,
                self.reason,
                self.parameter_count,
            )
        except struct.error as error:
            raise StructureError(f"MQCFH has a field that cannot be written: {error}", MQRC_CFH_ERROR) from None

    @staticmethod
    def unpack(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> "MQCFH":
        """The header at `offset`. Raises StructureError (MQRC_CFH_ERROR)."""
        check_room(data, offset, SIZE, MQRC_CFH_ERROR, "MQCFH")
        cfh = MQCFH()
        (
            cfh.type, length, cfh.version, cfh.command, cfh.msg_seq_number, cfh.control, cfh.comp_code, cfh.reason,
            cfh.parameter_count,
        ) = (_BIG if big_endian else _LITTLE).unpack_from(data, offset)  # fmt: skip
        if length != SIZE:
            raise StructureError(f"MQCFH has StrucLength {length}, not {SIZE}", MQRC_CFH_ERROR)
        if not 1 <= cfh.version <= 3:
            raise StructureError(f"MQCFH has version {cfh.version}, not 1 to 3", MQRC_CFH_ERROR)
        if cfh.parameter_count < 0:
            raise StructureError(f"MQCFH has ParameterCount {cfh.parameter_count}", MQRC_CFH_ERROR)
        return cfh

    def __repr__(self) -> str:
        return show("MQCFH", self, FIELDS)


class PCFMessage:
    """A header and its parameters. `end` is where the message ended in the data it was parsed from."""

    def __init__(self) -> None:
        self.header: MQCFH = MQCFH()
        self.parameters: list[Parameter] = []
        self.end: int = 0

    def pack(self, big_endian: bool = False, ccsid: int = 1208) -> bytes:
        """The whole message; the header's ParameterCount is set."""
        self.header.parameter_count = len(self.parameters)
        parts = [self.header.pack(big_endian)]
        for parameter in self.parameters:
            parts.append(parameter.pack(big_endian, ccsid))
        return b"".join(parts)

    def find(self, parameter: int) -> Parameter | None:
        """The first parameter with this identifier, not looking into groups."""
        for found in self.parameters:
            if found.parameter == parameter:
                return found
        return None

    def integer(self, parameter: int) -> int | None:
        """The value of an MQCFIN or MQCFIN64, or None when there is none."""
        found = self.find(parameter)
        if isinstance(found, MQCFIN):
            return found.value
        if isinstance(found, MQCFIN64):
            return found.value
        return None

    def string(self, parameter: int) -> str | None:
        """The text of an MQCFST without trailing blanks, or None when there is none."""
        found = self.find(parameter)
        return found.text() if isinstance(found, MQCFST) else None

    def __repr__(self) -> str:
        return f"PCFMessage({self.header!r}, {self.parameters!r})"


def parse(data: bytes, offset: int = 0, big_endian: bool = False, ccsid: int = 1208) -> PCFMessage:
    """The message at `offset`. Raises StructureError with the reason of the structure that is not valid."""
    message = PCFMessage()
    message.header = MQCFH.unpack(data, offset, big_endian)
    count = message.header.parameter_count
    message.parameters, message.end = _parameters(data, offset + SIZE, count, big_endian, ccsid, 0)
    return message


def _parameters(
    data: bytes, place: int, count: int, big_endian: bool, ccsid: int, depth: int
) -> tuple[list[Parameter], int]:
    """`count` parameters from `place`, and where they end."""
    if depth > NESTING_MAX:
        raise StructureError(f"MQCFGR structures are nested more than {NESTING_MAX} deep", MQRC_CFGR_ERROR)
    if count > (len(data) - place) // _PARAMETER_SIZE_MIN:
        raise StructureError(
            f"{count} parameters are announced at offset {place}, only {len(data) - place} bytes are there",
            MQRC_CFGR_ERROR if depth else MQRC_PCF_ERROR,
        )
    parameters: list[Parameter] = []
    for _ in range(count):
        parameter, place = _parameter(data, place, big_endian, ccsid)
        if isinstance(parameter, MQCFGR):
            members = parameter.announced
            parameter.parameters, place = _parameters(data, place, members, big_endian, ccsid, depth + 1)
        parameters.append(parameter)
    return parameters, place


def _parameter(data: bytes, place: int, big_endian: bool, ccsid: int) -> tuple[Parameter, int]:
    """The parameter at `place`, and where it ends. A group comes without its members."""
    check_room(data, place, _PARAMETER_SIZE_MIN, MQRC_PCF_ERROR, "a PCF parameter")
    order: Literal["big", "little"] = "big" if big_endian else "little"
    kind = int.from_bytes(data[place : place + 4], order, signed=True)
    length = int.from_bytes(data[place + 4 : place + 8], order, signed=True)
    if length < _PARAMETER_SIZE_MIN or length % 4 or length > len(data) - place:
        raise StructureError(
            f"the PCF parameter at offset {place} has StrucLength {length}: below {_PARAMETER_SIZE_MIN}, not a"
            f" multiple of 4, or beyond the {len(data) - place} bytes that are there",
            MQRC_PCF_ERROR,
        )
    raw = data[place : place + length]
    parameter: Parameter
    if kind == MQCFIN.TYPE:
        parameter = MQCFIN.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFST.TYPE:
        parameter = MQCFST.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFIL.TYPE:
        parameter = MQCFIL.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFSL.TYPE:
        parameter = MQCFSL.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFBS.TYPE:
        parameter = MQCFBS.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFIF.TYPE:
        parameter = MQCFIF.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFSF.TYPE:
        parameter = MQCFSF.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFBF.TYPE:
        parameter = MQCFBF.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFGR.TYPE:
        parameter = MQCFGR.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFIN64.TYPE:
        parameter = MQCFIN64.unpack(raw, 0, big_endian, ccsid)
    elif kind == MQCFIL64.TYPE:
        parameter = MQCFIL64.unpack(raw, 0, big_endian, ccsid)
    else:
        raise StructureError(f"the PCF parameter at offset {place} has the unknown type {kind}", MQRC_PCF_ERROR)
    return parameter, place + length
