"""The name that a client of MQ asks for in its TLS handshake (Server Name Indication): the channel that it will use.

    channel         in the handshake                                 how
    TO.QMGR1        to2e-qmgr1.chl.mq.ibm.com                        A to Z: in lower case     0 to 9: as they are
    to.q1           74-6f-2e-71-1.chl.mq.ibm.com                     others: their ASCII code, two hexadecimal digits,
                                                                     and a hyphen

A hyphen is never there for itself, so the way back is clear: before each one stand the two digits of a code.
With OutboundSNI=HOSTNAME a client asks for the name of the machine instead, as any other TLS client does.
"""

from __future__ import annotations

import string
from typing import Final

SUFFIX: Final = ".chl.mq.ibm.com"
_CODE: Final = 3
_HEXADECIMAL: Final = "0123456789abcdef"


def name_of(channel: str) -> str:
    """Return the server name that is asked for in a handshake for `channel`."""
    made = ""
    for each in channel:
        if each in string.ascii_uppercase:
            made += each.lower()
        elif each in string.digits:
            made += each
        else:
            made += f"{ord(each) & 0xFF:02x}-"
    return made + SUFFIX


def channel_of(name: str) -> str:
    """Return the channel that is asked for by `name`; "" if that is no such name."""
    name = name.lower()
    if not name.endswith(SUFFIX):
        return ""
    coded = name[: -len(SUFFIX)]
    found = ""
    at = 0
    while at < len(coded):
        code = coded[at : at + _CODE]
        if len(code) == _CODE and code[0] in _HEXADECIMAL and code[1] in _HEXADECIMAL and code[2] == "-":
            found += chr(int(code[:2], 16))
            at += _CODE
        elif coded[at] in string.ascii_lowercase or coded[at] in string.digits:
            found += coded[at].upper()
            at += 1
        else:
            return ""
    return found
