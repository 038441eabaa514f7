"""The constant modules of pymqi, made from our own tables.

Numbers are taken as they are. Text is `bytes` there, filled up with blanks to the length of its field; in our tables it
stands without them:

    MQFMT_STRING       "MQSTR"  ->  b"MQSTR   "        formats have 8 bytes
    MQMD_STRUC_ID      "MD"     ->  b"MD  "            identifiers have 4
    MQGS_MSG_IN_GROUP  "G"      ->  71                 a field of one character is a number
    MQMD_STRUC_ID_ARRAY             [b"M", b"D", b" ", b" "], for each of the texts

Masks with the highest bit set are positive there, negative in our tables: the bits are the same.
"""

from types import ModuleType
from typing import Any, Final

#: Prefix to the length of the field that its texts go into; 0: as long as they are.
_WIDTHS: Final = {
    "MQFMT_": 8,
    "MQCFUNC_": 4,
    "MQCSC_": 4,
    "MQAN_": 28,
    "MQIAUT_": 8,
    "MQTMC_": 4,
}

#: Texts of one character that are numbers in a structure.
_CHARACTERS: Final = ("MQGS_", "MQSS_", "MQSEG_")

#: Texts that end with a blank.
_TRAILING: Final = {"MQNVS_APPL_TYPE": b"OPT_APP_GRP ", "MQNVS_MSG_TYPE": b"OPT_MSG_TYPE "}

#: Masks that are positive.
_MASKS: Final = (
    "MQRO_ACCEPT_UNSUP_MASK", "MQENC_RESERVED_MASK", "MQMF_ACCEPT_UNSUP_MASK", "MQPD_REJECT_UNSUP_MASK",
    "MQRFH_FLAGS_RESTRICTED_MASK", "MQROUTE_FORWARD_REJ_UNSUP_MASK", "MQROUTE_DELIVER_REJ_UNSUP_MASK",
)  # fmt: skip


def namespace(*modules: ModuleType, characters: tuple[str, ...] = ()) -> dict[str, Any]:
    """Every constant of the modules. `characters` are more prefixes of characters that are numbers."""
    found: dict[str, Any] = {}
    for module in modules:
        for name, value in vars(module).items():
            if name.startswith("MQ") and isinstance(value, int | str | bytes):
                made = found[name] = _native(name, value, _CHARACTERS + characters)
                if isinstance(made, bytes):
                    found[name + "_ARRAY"] = [bytes([one]) for one in made]
    return found


def _native(name: str, value: int | str | bytes, characters: tuple[str, ...]) -> int | bytes:
    if isinstance(value, int):
        return value & 0xFFFFFFFF if name in _MASKS else value
    if isinstance(value, bytes):
        return value
    if name.startswith(characters):
        return ord(value)
    if name in _TRAILING:
        return _TRAILING[name]
    return value.encode("ascii").ljust(_width(name))


def _width(name: str) -> int:
    if name.endswith("_STRUC_ID"):
        return 4
    for prefix, width in _WIDTHS.items():
        if name.startswith(prefix):
            return width
    return 0
