"""Refusals: who was not let in, or not let do something, which rule decided, and what would allow it.

Every refusal is one line in the error log under MQ's number, and is kept with what to do about it (`flint explain`).
The last KEPT_MAX are kept. A password is in none of them.

Users, channels, applications and the names of objects are what a client says they are, and nobody has proved who the
client is. An operator reads them at a terminal and copies commands from there, therefore:

    R1  In a sentence such a text is escaped and cut (`shown`); whoever prints a refusal escapes all of it again.
    R2  It is part of a command only if it is a name that such an object or user can have (`object_word`, `user_word`);
        else a sentence says that no command would help.
    R3  No command switches off passwords (CHCKCLNT), TLS (SSLCIPH) or certificates (SSLCAUTH), or lifts a limit on
        instances. Where the cause is on our side, the refusal says what to mend here.

    number     what was refused                                  reason that the application sees
    AMQ8077W   an authority on an object                         2035
    AMQ5534E   a user and password that are not right            2035
    AMQ5540E   a connect without a password                      2035
    AMQ9776E   a user that CHLAUTH blocks                        2035
    AMQ9777E   a channel that CHLAUTH gives no access to         2035
    AMQ9557E   a user that cannot be the user of a connection    2035
               an address that it blocks: the socket is closed
    others     what a channel refuses: wire/mq/refused.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.object_name import is_name
from flintmq.mqi.printable import printable
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager
    from flintmq.qmgr.security import Denial

KEPT_MAX: Final = 200
#: So much of what a client said is shown in a sentence.
SHOWN_MAX: Final = 80
_USER_MAX: Final = 64
_USER_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-"


def shown(text: str) -> str:
    """Return what a client said as it may stand between quotes in a sentence (R1)."""
    cut = text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "..."
    return printable(cut).replace("'", "\\'")


def object_word(name: str, length: int = 48) -> str:
    """Return the name of an object as a word of a command, "" if no object can have that name (R2).

    MQSC folds a name without quotes to upper case, so only such names go without.
    """
    if not is_name(name, length):
        return ""
    return name if name == name.upper() else f"'{name}'"


def user_word(user: str) -> str:
    """Return a user as a word of a command, "" if it has characters that a command, or a shell, could misread (R2)."""
    if not user or len(user) > _USER_MAX or user[0] in "-.":
        return ""
    for character in user:
        if character not in _USER_CHARACTERS:
            return ""
    return user


def no_command(what: str) -> str:
    """Return the sentence that stands in place of a command that cannot be written down (R2)."""
    return f"* No command is shown: {what} that the client gave is none that there can be here."


class Refusal:
    """One refusal, and what there is to say about it."""

    def __init__(self, number: str, reason: int, what: str) -> None:
        self.number = number
        self.reason = reason
        #: One sentence: what was refused.
        self.what = what
        self.time_ms = 0
        self.user = ""
        self.channel = ""
        self.address = ""
        self.application = ""
        #: The rule or setting that decided.
        self.rule = ""
        #: What would allow it: commands, or a sentence that begins with `*`.
        self.remedies: list[str] = []

    def line(self) -> str:
        """The line in the error log: what, who, from where, and the rule that decided."""
        who: list[str] = []
        for word, value in (("user", self.user), ("address", self.address), ("channel", self.channel)):
            if value:
                who.append(f"{word} {shown(value)}")
        about = f" ({', '.join(who)})" if who else ""
        return f"{self.what}{about} Decided by: {self.rule}."


def add(qm: QueueManager, refused: Refusal) -> None:
    """Tell of a refusal, and keep it."""
    keep(qm, refused)
    qm.notice(refused.number, refused.line())


def keep(qm: QueueManager, refused: Refusal) -> None:
    """Keep a refusal, and no more than the last KEPT_MAX."""
    refused.time_ms = qm.clock.now_ms()
    qm.refusals.append(refused)
    qm.refusals_kept += 1
    if len(qm.refusals) > KEPT_MAX:
        del qm.refusals[0]


def no_authority(qm: QueueManager, user: str, application: str, channel: str, address: str) -> None:
    """The authority has said no, and why."""
    denial = qm.authority.denial
    if denial is None:
        return
    qm.authority.denial = None
    add(qm, _of_denial(qm, denial, application, channel, address))


def _of_denial(qm: QueueManager, denial: Denial, application: str, channel: str, address: str) -> Refusal:
    missing = ",".join(denial.missing)
    on_q_mgr = denial.object_type == "QMGR"
    name = qm.name if on_q_mgr else denial.name
    kind = denial.object_type.lower()
    refused = Refusal(
        "AMQ8077W",
        MQRC_NOT_AUTHORIZED,
        f"Entity '{shown(denial.user)}' has insufficient authority to access {kind} {shown(name)}: "
        f"it has not {missing.lower()}.",
    )
    refused.user, refused.application = denial.user, application
    refused.channel, refused.address = channel, address
    found = "; ".join(denial.records)
    refused.rule = f"authority records {found}" if found else "there is no authority record for this object and user"
    if not denial.missing:
        refused.what = f"Entity '{denial.user}' has insufficient authority for {kind} {name}: it is not privileged."
        refused.rule = "no authority record gives this: who defines a service has programs run as the queue manager"
        return refused
    user = user_word(denial.user)
    if not user or not is_name(name):
        refused.remedies = [no_command("the name of the object" if user else "the user")]
        return refused
    profile = "" if on_q_mgr else f"PROFILE('{name}') "
    option = "" if on_q_mgr else f"-n '{name}' "
    refused.remedies = [
        f"SET AUTHREC {profile}OBJTYPE({denial.object_type}) PRINCIPAL('{user}') AUTHADD({missing})",
        f"setmqaut -m {qm.name} {option}-t {kind} -p {user} " + " ".join("+" + word.lower() for word in denial.missing),
    ]
    return refused
