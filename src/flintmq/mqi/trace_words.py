"""Words of START TRACE, and the names of the calls that a trace records."""

from __future__ import annotations

from typing import Final

STAT: Final = "STAT"
ACCTG: Final = "ACCTG"
GLOBAL: Final = "GLOBAL"
CHINIT: Final = "CHINIT"
#: Other names of the types.
SYNONYMS: Final = {"S": STAT, "A": ACCTG, "G": GLOBAL, "CHI": CHINIT, "DQM": CHINIT}
#: The classes that there are, those that are started when none is named, and those of CLASS(*).
CLASSES: Final = {STAT: (1, 2, 3, 4, 5), ACCTG: (1, 3, 4), GLOBAL: (1, 2, 3), CHINIT: (1, 4)}
DEFAULT_CLASSES: Final = {STAT: (1, 2), ACCTG: (1,), GLOBAL: (1,), CHINIT: (1,)}
ALL_CLASSES: Final = {STAT: (1, 2, 3), ACCTG: (1, 3), GLOBAL: (1, 2, 3), CHINIT: (1, 4)}
#: The first is the default.
DESTINATIONS: Final = {STAT: ("SMF",), ACCTG: ("SMF",), GLOBAL: ("RES", "GTF"), CHINIT: ("RES", "GTF")}
CALL_NAMES: Final = (
    "",
    "MQCONN",
    "MQDISC",
    "MQOPEN",
    "MQCLOSE",
    "MQPUT",
    "MQPUT1",
    "MQGET",
    "MQINQ",
    "MQSET",
    "MQCMIT",
    "MQBACK",
    "MQSTAT",
    "MQSUB",
    "MQSUBRQ",
    "MQCB",
    "MQCTL",
)
MQCONN: Final = 1
MQDISC: Final = 2
MQOPEN: Final = 3
MQCLOSE: Final = 4
MQPUT: Final = 5
MQPUT1: Final = 6
MQGET: Final = 7
MQINQ: Final = 8
MQSET: Final = 9
MQCMIT: Final = 10
MQBACK: Final = 11
MQSTAT: Final = 12
MQSUB: Final = 13
MQSUBRQ: Final = 14
MQCB: Final = 15
MQCTL: Final = 16
