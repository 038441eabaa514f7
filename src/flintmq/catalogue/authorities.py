"""The authorities that a record can give: their words, their bits (MQZAO_*), and which type of object takes which.

    word      lets its holder                                word      lets its holder
    CONNECT   connect to the queue manager                   CRT       create objects of the type
    BROWSE    browse a queue                                 DLT       delete the object
    GET       get from a queue                               DSP       display it
    PUT       put to a queue                                 CHG       alter it
    INQ       inquire (MQINQ)                                CLR       clear a queue, or the publications of a topic
    SET       set attributes (MQSET)                         CTRL      start and stop a channel, listener or service
    PASSID    pass identity context                          CTRLX     reset and resolve a channel
    PASSALL   pass all context                               SYSTEM    what only the queue manager itself does
    SETID     set identity context
    SETALL    set all context                                ALLMQI    everything of the left column
    ALTUSR    be checked as another user                     ALLADM    everything of the right one
    PUB       publish to a topic                             ALL       both
    SUB       subscribe to it, alter and resume too          NONE      nothing: a record that says so
    RESUME    resume a subscription

ALL, ALLMQI and ALLADM mean what the type of object takes (`BY_TYPE`).
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.kind import ADMIN, CONTROLLED, Authority
from flintmq.catalogue.kinds import KINDS
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.constants import (
    MQOO_BROWSE,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_INPUT_EXCLUSIVE,
    MQOO_INPUT_SHARED,
    MQOO_INQUIRE,
    MQOO_OUTPUT,
    MQOO_PASS_ALL_CONTEXT,
    MQOO_PASS_IDENTITY_CONTEXT,
    MQOO_SET,
    MQOO_SET_ALL_CONTEXT,
    MQOO_SET_IDENTITY_CONTEXT,
    MQOT_CLNTCONN_CHANNEL,
    MQOT_REMOTE_Q_MGR_NAME,
)
from flintmq.mqi.values.services import (
    MQZAO_ALTERNATE_USER_AUTHORITY,
    MQZAO_BROWSE,
    MQZAO_CHANGE,
    MQZAO_CLEAR,
    MQZAO_CONNECT,
    MQZAO_CONTROL,
    MQZAO_CONTROL_EXTENDED,
    MQZAO_CREATE,
    MQZAO_DELETE,
    MQZAO_DISPLAY,
    MQZAO_INPUT,
    MQZAO_INQUIRE,
    MQZAO_OUTPUT,
    MQZAO_PASS_ALL_CONTEXT,
    MQZAO_PASS_IDENTITY_CONTEXT,
    MQZAO_PUBLISH,
    MQZAO_RESUME,
    MQZAO_SET,
    MQZAO_SET_ALL_CONTEXT,
    MQZAO_SET_IDENTITY_CONTEXT,
    MQZAO_SUBSCRIBE,
    MQZAO_SYSTEM,
)

#: In the order in which they are shown.
WORDS: Final[dict[str, int]] = {
    "ALTUSR": MQZAO_ALTERNATE_USER_AUTHORITY,
    "BROWSE": MQZAO_BROWSE,
    "CHG": MQZAO_CHANGE,
    "CLR": MQZAO_CLEAR,
    "CONNECT": MQZAO_CONNECT,
    "CRT": MQZAO_CREATE,
    "CTRL": MQZAO_CONTROL,
    "CTRLX": MQZAO_CONTROL_EXTENDED,
    "DLT": MQZAO_DELETE,
    "DSP": MQZAO_DISPLAY,
    "GET": MQZAO_INPUT,
    "INQ": MQZAO_INQUIRE,
    "PASSALL": MQZAO_PASS_ALL_CONTEXT,
    "PASSID": MQZAO_PASS_IDENTITY_CONTEXT,
    "PUB": MQZAO_PUBLISH,
    "PUT": MQZAO_OUTPUT,
    "RESUME": MQZAO_RESUME,
    "SET": MQZAO_SET,
    "SETALL": MQZAO_SET_ALL_CONTEXT,
    "SETID": MQZAO_SET_IDENTITY_CONTEXT,
    "SUB": MQZAO_SUBSCRIBE,
    "SYSTEM": MQZAO_SYSTEM,
}
NONE: Final = "NONE"
#: Their numbers in commands (MQAUTH_*).
NUMBERS: Final[dict[str, int]] = {
    "ALL": pcf.MQAUTH_ALL,
    "ALLADM": pcf.MQAUTH_ALL_ADMIN,
    "ALLMQI": pcf.MQAUTH_ALL_MQI,
    "ALTUSR": pcf.MQAUTH_ALT_USER_AUTHORITY,
    "BROWSE": pcf.MQAUTH_BROWSE,
    "CHG": pcf.MQAUTH_CHANGE,
    "CLR": pcf.MQAUTH_CLEAR,
    "CONNECT": pcf.MQAUTH_CONNECT,
    "CRT": pcf.MQAUTH_CREATE,
    "CTRL": pcf.MQAUTH_CONTROL,
    "CTRLX": pcf.MQAUTH_CONTROL_EXTENDED,
    "DLT": pcf.MQAUTH_DELETE,
    "DSP": pcf.MQAUTH_DISPLAY,
    "GET": pcf.MQAUTH_INPUT,
    "INQ": pcf.MQAUTH_INQUIRE,
    "NONE": pcf.MQAUTH_NONE,
    "PASSALL": pcf.MQAUTH_PASS_ALL_CONTEXT,
    "PASSID": pcf.MQAUTH_PASS_IDENTITY_CONTEXT,
    "PUB": pcf.MQAUTH_PUBLISH,
    "PUT": pcf.MQAUTH_OUTPUT,
    "RESUME": pcf.MQAUTH_RESUME,
    "SET": pcf.MQAUTH_SET,
    "SETALL": pcf.MQAUTH_SET_ALL_CONTEXT,
    "SETID": pcf.MQAUTH_SET_IDENTITY_CONTEXT,
    "SUB": pcf.MQAUTH_SUBSCRIBE,
    "SYSTEM": pcf.MQAUTH_SYSTEM,
}
#: Words for several: their bits are those that the type of object takes.
_SETS: Final = ("ALL", "ALLADM", "ALLMQI")

#: The authorities in ALLADM; the others are in ALLMQI.
ADMINISTRATION: Final = CONTROLLED | MQZAO_CONTROL_EXTENDED | MQZAO_CLEAR | MQZAO_SYSTEM

#: Types of objects that records can name, and that are no kinds of objects here.
_OTHER_TYPES: Final = (
    Authority(
        object_type="CLNTCONN",
        title="Client-connection channel",
        number=MQOT_CLNTCONN_CHANNEL,
        takes=ADMIN,
        words=("clntconn", "clcn"),
    ),
    Authority(
        object_type="RQMNAME",
        title="Remote queue manager name",
        number=MQOT_REMOTE_Q_MGR_NAME,
        takes=ADMIN | MQZAO_OUTPUT,
        words=("rqmname", "rqm"),
    ),
)


def _types() -> dict[str, Authority]:
    """Return the types of objects that have authority records, in the order of their titles."""
    by_title: dict[str, Authority] = {authority.title: authority for authority in _OTHER_TYPES}
    for kind in KINDS:
        if kind.authority is not None:
            by_title[kind.authority.title] = kind.authority
    return {by_title[title].object_type: by_title[title] for title in sorted(by_title)}


#: OBJTYPE -> the type.
AUTHORITY_TYPES: Final[dict[str, Authority]] = _types()
#: OBJTYPE -> the authorities that it takes.
BY_TYPE: Final[dict[str, int]] = {name: authority.takes for name, authority in AUTHORITY_TYPES.items()}

#: The authority that each open option takes.
_OF_OPTIONS: Final = (
    (MQOO_INPUT_AS_Q_DEF | MQOO_INPUT_SHARED | MQOO_INPUT_EXCLUSIVE, MQZAO_INPUT),
    (MQOO_BROWSE, MQZAO_BROWSE),
    (MQOO_OUTPUT, MQZAO_OUTPUT),
    (MQOO_INQUIRE, MQZAO_INQUIRE),
    (MQOO_SET, MQZAO_SET),
    (MQOO_PASS_IDENTITY_CONTEXT, MQZAO_PASS_IDENTITY_CONTEXT),
    (MQOO_PASS_ALL_CONTEXT, MQZAO_PASS_ALL_CONTEXT),
    (MQOO_SET_IDENTITY_CONTEXT, MQZAO_SET_IDENTITY_CONTEXT),
    (MQOO_SET_ALL_CONTEXT, MQZAO_SET_ALL_CONTEXT),
)


def of_options(options: int) -> int:
    """The authorities that an open with these MQOO_* options takes."""
    result = 0
    for option, authority in _OF_OPTIONS:
        if options & option:
            result |= authority
    return result


def takes(word: str, object_type: str) -> bool:
    """Whether a record for objects of this type can name `word`. A word for several can be named for every type."""
    return word == NONE or word in _SETS or WORDS.get(word, 0) & BY_TYPE[object_type] != 0


def bits_of(word: str, object_type: str) -> int:
    """The authorities that a word stands for; 0 for NONE, and for one that this type of object does not take."""
    takes = BY_TYPE[object_type]
    if word == "ALL":
        return takes
    if word == "ALLADM":
        return takes & ADMINISTRATION
    if word == "ALLMQI":
        return takes & ~ADMINISTRATION
    return WORDS.get(word, 0) & takes


def words_of(bits: int) -> list[str]:
    """The words of authorities, in the order of the table."""
    result: list[str] = []
    for word, bit in WORDS.items():
        if bits & bit:
            result.append(word)
    return result
