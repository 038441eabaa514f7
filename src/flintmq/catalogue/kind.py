"""The declaration of a kind of object: its keyword, attributes, names, numbers, default object and authorities.

Each kind is declared once, in a file of kinds/. MQSC, PCF, MQOPEN, MQINQ, DISPLAY, events, dumps, authority and the
reference pages derive their tables from these declarations. The behaviour of a kind in a running queue manager, if it
has any, is in the hooks of qmgr/admin_hooks.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from flintmq.catalogue.attribute import Attribute
from flintmq.catalogue.limits import CHANNEL_NAME_LENGTH, PAGE_SET_ID_MAX, RULE_NAME_LENGTH
from flintmq.mqi.object_name import is_name
from flintmq.mqi.pcf_constants import MQRCCF_OBJECT_ALREADY_EXISTS, MQRCCF_OBJECT_NAME_ERROR
from flintmq.mqi.reason import MQRC_UNKNOWN_OBJECT_NAME
from flintmq.mqi.values.services import (
    MQZAO_CHANGE,
    MQZAO_CONTROL,
    MQZAO_CREATE,
    MQZAO_DELETE,
    MQZAO_DISPLAY,
    MQZAO_PASS_ALL_CONTEXT,
    MQZAO_PASS_IDENTITY_CONTEXT,
    MQZAO_SET_ALL_CONTEXT,
    MQZAO_SET_IDENTITY_CONTEXT,
)

#: The name space of queues, and the noun for queues of any kind.
QUEUE: Final = "QUEUE"

#: Sets of authorities (MQZAO_*) that several kinds take.
ADMIN: Final = MQZAO_CREATE | MQZAO_DELETE | MQZAO_DISPLAY | MQZAO_CHANGE
CONTROLLED: Final = ADMIN | MQZAO_CONTROL
CONTEXT: Final = (
    MQZAO_PASS_ALL_CONTEXT | MQZAO_PASS_IDENTITY_CONTEXT | MQZAO_SET_ALL_CONTEXT | MQZAO_SET_IDENTITY_CONTEXT
)


@dataclass(frozen=True, kw_only=True)
class Names:
    """The names that objects of a kind can have."""

    is_name: Callable[[str], bool]
    #: The rule for users: "a name has at most 48 letters, digits and . / _ %". {noun} stands for the kind.
    rule: str
    #: The length to which names are filled up in PCF and by MQINQ; 0 if they are not filled up.
    length: int = 0
    #: The names are numbers.
    numbered: bool = False


def _of_length(length: int) -> Names:
    rule = f"a name has at most {length} letters, digits and . / _ %"
    return Names(is_name=lambda name: is_name(name, length), rule=rule, length=length)


def _is_number(name: str) -> bool:
    if not (name.isascii() and name.isdigit() and len(name) <= 2):
        return False
    return int(name) <= PAGE_SET_ID_MAX and name == str(int(name))


def _is_rule_name(name: str) -> bool:
    return 0 < len(name) <= RULE_NAME_LENGTH


OBJECT_NAMES: Final = _of_length(48)
CHANNEL_NAMES: Final = _of_length(CHANNEL_NAME_LENGTH)
NUMBERS: Final = Names(is_name=_is_number, rule=f"{{noun}} takes a number from 0 to {PAGE_SET_ID_MAX}", numbered=True)
RULE_NAMES: Final = Names(is_name=_is_rule_name, rule=f"a rule is stored under at most {RULE_NAME_LENGTH} characters")


@dataclass(frozen=True, kw_only=True)
class Authority:
    """A type of object in authority records (OBJTYPE), with the authorities that it takes (MQZAO_*)."""

    object_type: str
    #: The type in words. Lists of types are in the order of these.
    title: str
    #: MQOT_*
    number: int
    takes: int
    #: The words of -t of setmqaut, dspmqaut and dmpmqaut.
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Messages:
    """The numbers of the messages that answer DEFINE, ALTER, DELETE and DISPLAY."""

    created: str = ""
    changed: str = ""
    deleted: str = ""
    shown: str = ""
    #: The text of `shown`.
    heading: str = ""


#: The messages of objects that only z/OS has. They insert the command.
Z_OS_MESSAGES: Final = Messages(created="CSQ9022I", changed="CSQ9022I", deleted="CSQ9022I", shown="CSQM201I")


@dataclass(frozen=True, kw_only=True)
class MQSC:
    """DEFINE, ALTER, DELETE and DISPLAY of a kind: the texts and options."""

    #: "a local queue", for the help on the commands.
    description: str
    #: The name and the attributes in the examples.
    example: str
    parameters: str
    #: The attributes in the example of ALTER, if they differ.
    altered: str = ""
    #: Short forms of the keyword: QL for QLOCAL.
    synonyms: tuple[str, ...] = ()
    #: Attributes that DEFINE requires.
    required: tuple[str, ...] = ()
    #: DEFINE has LIKE, ALTER has FORCE, DELETE has PURGE.
    like: bool = True
    force: bool = False
    purge: bool = False
    #: The option by which DISPLAY chooses objects of one type.
    selection: Attribute | None = None


@dataclass(frozen=True, kw_only=True)
class PCF:
    """The numbers of a kind in PCF; 0 stands for a command or parameter that the kind does not have."""

    #: Commands (MQCMD_*).
    create: int = 0
    copy: int = 0
    change: int = 0
    delete: int = 0
    inquire: int = 0
    inquire_names: int = 0
    #: The parameter of an object's name, and of both names of a copy.
    name: int = 0
    copy_from: int = 0
    copy_to: int = 0
    #: The list of attributes to show, and the lists of names and types that `inquire_names` answers.
    attributes: int = 0
    names: int = 0
    types: int = 0
    #: The reasons that PCF gives for an object, where they are not those for any object.
    unknown: int = MQRC_UNKNOWN_OBJECT_NAME
    already_exists: int = MQRCCF_OBJECT_ALREADY_EXISTS
    name_error: int = MQRCCF_OBJECT_NAME_ERROR


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of object."""

    #: "QLOCAL"
    keyword: str
    #: "Queue", as messages begin: "Queue created."
    title: str
    #: The place among all kinds in lists and reference pages.
    order: int
    #: The place in a dump. It is above those of kinds that definitions of this kind refer to.
    dump_order: int
    #: In the order of DISPLAY, with the defaults of the SYSTEM.DEFAULT object.
    attributes: tuple[Attribute, ...]
    names: Names = OBJECT_NAMES
    #: The kinds in one name space have no name in common. Empty: the kind has a name space of its own.
    name_space: str = ""
    #: The keyword that DISPLAY shows the name with, if it is not the name space.
    name_keyword: str = ""
    #: MQOT_* of the kind; it has configuration events. 0: it has none.
    number: int = 0
    #: MQOPEN takes objects of this kind; MQINQ answers for them.
    opened: bool = False
    inquired: bool = False
    #: Definitions are in the catalogue of a queue manager.
    stored: bool = True
    #: MQIA_Q_TYPE of a kind of queue.
    queue_type: int = 0
    mqsc: MQSC | None = None
    pcf: PCF = PCF()
    messages: Messages | None = None
    #: None: only authority for the queue manager counts.
    authority: Authority | None = None
    #: The object that supplies the attributes that a DEFINE without LIKE leaves out.
    default_object: str = ""
    #: An object that every queue manager has since the kind exists. If it is missing, the queue manager is older, and
    #: gets the SYSTEM objects of the kind. Empty for the kinds of the first release.
    since: str = ""
    #: The attribute that holds the type of an object, for kinds with types.
    type_attribute: str = ""
    #: A list attribute, and the attribute that holds the number of its elements.
    counted: tuple[str, str] = ("", "")

    @property
    def space(self) -> str:
        """Return the name space."""
        return self.name_space or self.keyword

    @property
    def authority_type(self) -> str:
        """Return the OBJTYPE whose authority counts."""
        return self.authority.object_type if self.authority is not None else "QMGR"
