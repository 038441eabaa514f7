"""Number to name: `CMQSTRC.MQRC_DICT[2033]` is "MQRC_NO_MSG_AVAILABLE".

There is a dictionary for each prefix of the other modules, made when it is first asked for. Versions and lengths of
structures are left out. Of several names for one number it has the one that is preferred below or says "none", else
the one that comes last, and the end of a range only if there is no other.
"""

import re
from typing import Any, Final

from flintmq.ibmmq import CMQC, CMQCFC, CMQXC

_LEFT_OUT: Final = re.compile(r"_(VERSION|LENGTH)_\d+$|_CURRENT_(VERSION|LENGTH|LEVEL)$|_STRUC_LENGTH(_FIXED)?$")
#: Of several names for one number, these.
_PREFERRED: Final = (
    "MQCA_BASE_OBJECT_NAME", "MQCCSI_DEFAULT", "MQCMD_CHANGE_PROT_POLICY", "MQIACF_ERROR_ID",
    "MQIACF_SYSP_SMF_INTERVAL", "MQIACH_BYTES_RCVD", "MQIACH_BUFFERS_RCVD", "MQIACH_MSGS_RCVD",
    "MQOO_RESOLVE_LOCAL_Q", "MQPD_SUPPORT_OPTIONAL",
    "MQPER_PERSISTENCE_AS_Q_DEF", "MQPL_NSK", "MQPRI_PRIORITY_AS_Q_DEF", "MQRCCF_ADDRESS_ERROR",
    "MQRC_CONVERTED_MSG_TOO_BIG", "MQSUB_DURABLE_ALLOWED", "MQSUB_DURABLE_INHIBITED", "MQTA_BLOCK", "MQTA_PASSTHRU",
    "MQTYPE_INT32", "MQXR2_DEFAULT_CONTINUATION", "MQZCI_CONTINUE",
)  # fmt: skip
_END: Final = re.compile(r"_(FIRST|LAST|LAST_USED)$")

#: Dictionaries whose names do not all begin as it is called.
_PARTS: Final = {
    "MQIAMO_MONITOR_DATATYPE_DICT": (r"MQIAMO_MONITOR_(UNIT|DELTA|LSN|TIMESTAMP|HUNDREDTHS|KB|PERCENT|MICROSEC|MB|GB)"),
    "MQMON_OVERRIDE_DICT": "MQMON_(DISABLED|ENABLED)",
    "MQMON_AVAILABILITY_DICT": "MQMON_NOT_AVAILABLE",
    "MQQA_SHAREABLE_DICT": "MQQA_(NOT_)?SHAREABLE",
    "MQSUB_DURABILITY_DICT": "MQSUB_DURABLE_(ALL|YES|NO)",
    "MQZID_AUTHORITY_DICT": r"MQZID_\w*(AUTHORITY|CACHE|DATA|USER|INQUIRE|PRIVILEGED)",
    "MQZID_NAME_DICT": r"MQZID_\w*NAME",
    "MQZID_USERID_DICT": r"MQZID_\w*USERID",
}


def _rank(name: str) -> int:
    return 3 if name in _PREFERRED else 2 if name.endswith("_NONE") else 0 if _END.search(name) else 1


def _dictionary(pattern: str) -> dict[int, str]:
    wanted = re.compile(pattern)
    found: dict[int, str] = {}
    for module in (CMQXC, CMQCFC, CMQC):
        for name, value in vars(module).items():
            if isinstance(value, int) and wanted.fullmatch(name) and not _LEFT_OUT.search(name):
                if value not in found or _rank(name) >= _rank(found[value]):
                    found[value] = name
    return found


def __getattr__(name: str) -> Any:
    made = {}
    if name.startswith("MQ") and name.endswith("_DICT"):
        made = _dictionary(_PARTS.get(name, re.escape(name.removesuffix("DICT")) + r"\w+"))
    if not made:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = made
    return made
