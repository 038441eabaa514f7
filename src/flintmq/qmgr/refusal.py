"""Refusals: who was not let in, or not let do something, which rule decided, and what would allow it.

Every refusal is one line in the error log under MQ's number, and is kept with what to do about it (`flint explain`).
The last KEPT_MAX are kept. A password is in none of them.

    number     what was refused                                  reason that the application sees
    AMQ8077W   an authority on an object                         2035
    AMQ5534E   a user and password that are not right            2035
    AMQ5540E   a connect without a password                      2035
    AMQ9776E   a user that CHLAUTH blocks                        2035
    AMQ9777E   a channel that CHLAUTH gives no access to         2035
    AMQ9557E   a user that cannot be the user of a connection    2035
               an address that it blocks: the socket is closed
    others     what a channel refuses: channel/refused.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager
    from flintmq.qmgr.security import Denial

KEPT_MAX: Final = 200


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
                who.append(f"{word} {value}")
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
        f"Entity '{denial.user}' has insufficient authority to access {kind} {name}: it has not {missing.lower()}.",
    )
    refused.user, refused.application = denial.user, application
    refused.channel, refused.address = channel, address
    found = "; ".join(denial.records)
    refused.rule = f"authority records {found}" if found else "there is no authority record for this object and user"
    if not denial.missing:
        refused.what = f"Entity '{denial.user}' has insufficient authority for {kind} {name}: it is not privileged."
        refused.rule = "no authority record gives this: who defines a service has programs run as the queue manager"
        return refused
    profile = "" if on_q_mgr else f"PROFILE('{denial.name}') "
    refused.remedies = [
        f"SET AUTHREC {profile}OBJTYPE({denial.object_type}) PRINCIPAL('{denial.user}') AUTHADD({missing})",
        f"setmqaut -m {qm.name} {'' if on_q_mgr else '-n ' + repr(denial.name) + ' '}-t {kind} -p {denial.user} "
        + " ".join("+" + word.lower() for word in denial.missing),
    ]
    return refused
