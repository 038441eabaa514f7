"""The structures of programmable commands: a header and parameters.

    CFH                    header
    CFIN CFIN64            an integer                 CFIL CFIL64   a list of integers
    CFST CFBS              a string, a byte string    CFSL          a list of strings
    CFIF CFSF CFBF         filters                    CFGR          a group: the next ParameterCount belong to it

Lengths follow from the values: StrucLength, StringLength, Count and the like are set unless they are given. To read one
whose length is known, make it with that length and unpack. Strings take a multiple of four bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.pymqi.opts import Member, MQOpts, Structure
from flintmq.pymqi.text import INTEGER64_TYPE, MQLONG_TYPE, padded_count

_LONG = MQLONG_TYPE


class CFH(Structure):
    """MQCFH, header of a command, response or event."""

    FIELDS: ClassVar[Sequence[Member]] = (
        ("Type", pcf.MQCFT_COMMAND, _LONG),
        ("StrucLength", pcf.MQCFH_STRUC_LENGTH, _LONG),
        ("Version", pcf.MQCFH_VERSION_1, _LONG),
        ("Command", pcf.MQCMD_NONE, _LONG),
        ("MsgSeqNumber", 1, _LONG),
        ("Control", pcf.MQCFC_LAST, _LONG),
        ("CompCode", 0, _LONG),
        ("Reason", 0, _LONG),
        ("ParameterCount", 0, _LONG),
    )


class CFIN(Structure):
    """MQCFIN, an integer."""

    FIELDS = (
        ("Type", pcf.MQCFT_INTEGER, _LONG),
        ("StrucLength", pcf.MQCFIN_STRUC_LENGTH, _LONG),
        ("Parameter", 0, _LONG),
        ("Value", 0, _LONG),
    )


class CFIN64(Structure):
    """MQCFIN64, a 64-bit integer."""

    FIELDS = (
        ("Type", pcf.MQCFT_INTEGER64, _LONG),
        ("StrucLength", pcf.MQCFIN64_STRUC_LENGTH, _LONG),
        ("Parameter", 0, _LONG),
        ("Value", 0, INTEGER64_TYPE),
    )


class CFIF(Structure):
    """MQCFIF, a filter on an integer."""

    FIELDS = (
        ("Type", pcf.MQCFT_INTEGER_FILTER, _LONG),
        ("StrucLength", pcf.MQCFIF_STRUC_LENGTH, _LONG),
        ("Parameter", 0, _LONG),
        ("Operator", 0, _LONG),
        ("FilterValue", 0, _LONG),
    )


class CFGR(Structure):
    """MQCFGR, a group."""

    FIELDS = (
        ("Type", pcf.MQCFT_GROUP, _LONG),
        ("StrucLength", pcf.MQCFGR_STRUC_LENGTH, _LONG),
        ("Parameter", 0, _LONG),
        ("ParameterCount", 0, _LONG),
    )


class CFIL(MQOpts):
    """MQCFIL, a list of integers."""

    def __init__(self, **kw: Any) -> None:
        values = kw.pop("Values", [])
        count = kw.pop("Count", len(values))
        members = (
            ("Type", pcf.MQCFT_INTEGER_LIST, _LONG),
            ("StrucLength", pcf.MQCFIL_STRUC_LENGTH_FIXED + 4 * count, _LONG),
            ("Parameter", 0, _LONG),
            ("Count", count, _LONG),
            ("Values", list(values), _LONG, count),
        )
        super().__init__(members, **kw)


class CFIL64(MQOpts):
    """MQCFIL64, a list of 64-bit integers."""

    def __init__(self, **kw: Any) -> None:
        values = kw.pop("Values", [])
        count = kw.pop("Count", len(values))
        members = (
            ("Type", pcf.MQCFT_INTEGER64_LIST, _LONG),
            ("StrucLength", pcf.MQCFIL64_STRUC_LENGTH_FIXED + 8 * count, _LONG),
            ("Parameter", 0, _LONG),
            ("Count", count, _LONG),
            ("Values", list(values), INTEGER64_TYPE, count),
        )
        super().__init__(members, **kw)


class CFST(MQOpts):
    """MQCFST, a string."""

    def __init__(self, **kw: Any) -> None:
        string = kw.pop("String", b"")
        length = kw.pop("StringLength", len(string))
        members = (
            ("Type", pcf.MQCFT_STRING, _LONG),
            ("StrucLength", pcf.MQCFST_STRUC_LENGTH_FIXED + padded_count(length), _LONG),
            ("Parameter", 0, _LONG),
            ("CodedCharSetId", mq.MQCCSI_DEFAULT, _LONG),
            ("StringLength", length, _LONG),
            ("String", string, f"{padded_count(length)}s"),
        )
        super().__init__(members, **kw)


class CFSL(MQOpts):
    """MQCFSL, a list of strings; all take as much room as the longest."""

    def __init__(self, **kw: Any) -> None:
        strings = kw.pop("Strings", [])
        longest = kw.pop("StringLength", max(map(len, strings), default=0))
        count = kw.pop("Count", len(strings))
        length = padded_count(longest) if count else 0
        members = (
            ("Type", pcf.MQCFT_STRING_LIST, _LONG),
            ("StrucLength", pcf.MQCFSL_STRUC_LENGTH_FIXED + length * len(strings), _LONG),
            ("Parameter", 0, _LONG),
            ("CodedCharSetId", mq.MQCCSI_DEFAULT, _LONG),
            ("Count", count, _LONG),
            ("StringLength", length, _LONG),
            ("Strings", list(strings) or [b""], f"{length}s", count or 1),
        )
        super().__init__(members, **kw)


class CFBS(MQOpts):
    """MQCFBS, a byte string."""

    def __init__(self, **kw: Any) -> None:
        string = kw.pop("String", b"")
        length = kw.pop("StringLength", len(string))
        members = (
            ("Type", pcf.MQCFT_BYTE_STRING, _LONG),
            ("StrucLength", pcf.MQCFBS_STRUC_LENGTH_FIXED + padded_count(length), _LONG),
            ("Parameter", 0, _LONG),
            ("StringLength", length, _LONG),
            ("String", string, f"{padded_count(length)}s"),
        )
        super().__init__(members, **kw)


class CFSF(MQOpts):
    """MQCFSF, a filter on a string."""

    def __init__(self, **kw: Any) -> None:
        value = kw.pop("FilterValue", b"")
        length = kw.pop("FilterValueLength", len(value))
        members = (
            ("Type", pcf.MQCFT_STRING_FILTER, _LONG),
            ("StrucLength", pcf.MQCFSF_STRUC_LENGTH_FIXED + padded_count(length), _LONG),
            ("Parameter", 0, _LONG),
            ("Operator", 0, _LONG),
            ("CodedCharSetId", mq.MQCCSI_DEFAULT, _LONG),
            ("FilterValueLength", length, _LONG),
            ("FilterValue", value, f"{padded_count(length)}s"),
        )
        super().__init__(members, **kw)


class CFBF(MQOpts):
    """MQCFBF, a filter on a byte string."""

    def __init__(self, **kw: Any) -> None:
        value = kw.pop("FilterValue", b"")
        length = kw.pop("FilterValueLength", len(value))
        members = (
            ("Type", pcf.MQCFT_BYTE_STRING_FILTER, _LONG),
            ("StrucLength", pcf.MQCFBF_STRUC_LENGTH_FIXED + padded_count(length), _LONG),
            ("Parameter", 0, _LONG),
            ("Operator", 0, _LONG),
            ("FilterValueLength", length, _LONG),
            ("FilterValue", value, f"{padded_count(length)}s"),
        )
        super().__init__(members, **kw)
