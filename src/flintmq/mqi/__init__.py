"""The vocabulary of MQ for all other packages. No I/O and no state.

    numbers     constants, pcf_constants, channel_constants (the tables are in values/), reason, errors, call_errors
    text        ccsid (character sets), encoding (byte order of numbers), fields, charv (strings in structures),
                layout and options_structure (the common base of structures)
    calls       md od pmo gmo object_record response_record sd sro sts cno csp bno bo cbd cbc ctlo
    properties  properties, with property_names, property_values, folders and md_properties;
                cmho dmho bmho mhbo smpo impo dmpo pd
    headers     dlh xqh mde rfh rfh2 dh cih iih wih eph, tm and tmc2: in front of, or as, message data; payload (how far
                they reach), property_blocks and property_headers (properties in them), content_filter
    commands    pcf and pcf_parameters; command_text (lines of MQSC)
    conversion  convert and convert_layouts: MQGMO_CONVERT

A structure is one file: the table of the manual, one format string for each version, a class with the manual's names in
snake_case. All have

    pack(big_endian, ccsid) -> bytes
    unpack(data, offset, big_endian, ccsid)     a static method
    StructureError, with its reason code, for everything that is not such a structure

Character fields are `str` without trailing blanks; identifiers are `bytes` of full length, all zeros for "none". Inside
a call the byte order is the caller's; inside message data it is that of the descriptor in front.

Importing this package is cheap: a structure's file is read when the structure is first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flintmq.mqi.bmho import MQBMHO
    from flintmq.mqi.bno import MQBNO
    from flintmq.mqi.bo import MQBO
    from flintmq.mqi.cbc import MQCBC
    from flintmq.mqi.cbd import MQCBD
    from flintmq.mqi.charv import MQCHARV
    from flintmq.mqi.cih import MQCIH
    from flintmq.mqi.cmho import MQCMHO
    from flintmq.mqi.cno import MQCNO
    from flintmq.mqi.csp import MQCSP
    from flintmq.mqi.ctlo import MQCTLO
    from flintmq.mqi.dh import MQDH, MQPMR
    from flintmq.mqi.dlh import MQDLH
    from flintmq.mqi.dmho import MQDMHO
    from flintmq.mqi.dmpo import MQDMPO
    from flintmq.mqi.eph import MQEPH
    from flintmq.mqi.errors import ConversionError, MQStructuresError, PropertyError, StructureError
    from flintmq.mqi.gmo import MQGMO
    from flintmq.mqi.iih import MQIIH
    from flintmq.mqi.impo import MQIMPO
    from flintmq.mqi.md import MQMD
    from flintmq.mqi.mde import MQMDE
    from flintmq.mqi.mhbo import MQMHBO
    from flintmq.mqi.object_record import MQOR
    from flintmq.mqi.od import MQOD
    from flintmq.mqi.pcf import (
        MQCFBF,
        MQCFBS,
        MQCFGR,
        MQCFH,
        MQCFIF,
        MQCFIL,
        MQCFIL64,
        MQCFIN,
        MQCFIN64,
        MQCFSF,
        MQCFSL,
        MQCFST,
        PCFMessage,
    )
    from flintmq.mqi.pd import MQPD
    from flintmq.mqi.pmo import MQPMO
    from flintmq.mqi.properties import MessageProperties, Property
    from flintmq.mqi.response_record import MQRR
    from flintmq.mqi.rfh import MQRFH
    from flintmq.mqi.rfh2 import MQRFH2
    from flintmq.mqi.sd import MQSD
    from flintmq.mqi.smpo import MQSMPO
    from flintmq.mqi.sro import MQSRO
    from flintmq.mqi.sts import MQSTS
    from flintmq.mqi.tm import MQTM
    from flintmq.mqi.tmc2 import MQTMC2
    from flintmq.mqi.wih import MQWIH
    from flintmq.mqi.xqh import MQXQH
else:
    #: File -> the names that come from it.
    _FILES = {
        "bmho": "MQBMHO",
        "bno": "MQBNO",
        "bo": "MQBO",
        "cbc": "MQCBC",
        "cbd": "MQCBD",
        "charv": "MQCHARV",
        "cih": "MQCIH",
        "cmho": "MQCMHO",
        "cno": "MQCNO",
        "csp": "MQCSP",
        "ctlo": "MQCTLO",
        "dh": "MQDH MQPMR",
        "dlh": "MQDLH",
        "dmho": "MQDMHO",
        "dmpo": "MQDMPO",
        "eph": "MQEPH",
        "errors": "ConversionError MQStructuresError PropertyError StructureError",
        "gmo": "MQGMO",
        "iih": "MQIIH",
        "impo": "MQIMPO",
        "md": "MQMD",
        "mde": "MQMDE",
        "mhbo": "MQMHBO",
        "object_record": "MQOR",
        "od": "MQOD",
        "pcf": "MQCFBF MQCFBS MQCFGR MQCFH MQCFIF MQCFIL MQCFIL64 MQCFIN MQCFIN64 MQCFSF MQCFSL MQCFST PCFMessage",
        "pd": "MQPD",
        "pmo": "MQPMO",
        "properties": "MessageProperties Property",
        "response_record": "MQRR",
        "rfh": "MQRFH",
        "rfh2": "MQRFH2",
        "sd": "MQSD",
        "smpo": "MQSMPO",
        "sro": "MQSRO",
        "sts": "MQSTS",
        "tm": "MQTM",
        "tmc2": "MQTMC2",
        "wih": "MQWIH",
        "xqh": "MQXQH",
    }
    _PUBLIC = {name: file for file, names in _FILES.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'flintmq.mqi' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"flintmq.mqi.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_PUBLIC})


__all__ = [
    "ConversionError", "MQBMHO", "MQBNO", "MQBO", "MQCBC", "MQCBD", "MQCFBF", "MQCFBS", "MQCFGR", "MQCFH", "MQCFIF",
    "MQCFIL", "MQCFIL64", "MQCFIN", "MQCFIN64", "MQCFSF", "MQCFSL", "MQCFST", "MQCHARV", "MQCIH", "MQCMHO", "MQCNO",
    "MQCSP", "MQCTLO", "MQDH", "MQDLH", "MQDMHO", "MQDMPO", "MQEPH", "MQGMO", "MQIIH", "MQIMPO", "MQMD", "MQMDE",
    "MQMHBO", "MQOD", "MQOR", "MQPD", "MQPMO", "MQPMR", "MQRFH", "MQRFH2", "MQRR", "MQSD", "MQSMPO", "MQSRO", "MQSTS",
    "MQStructuresError", "MQTM", "MQTMC2", "MQWIH", "MQXQH", "MessageProperties", "PCFMessage", "Property",
    "PropertyError", "StructureError",
]  # fmt: skip
