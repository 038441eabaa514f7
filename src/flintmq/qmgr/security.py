"""Who may do what. The engine asks on every connect, open, subscription and command; the rules are somebody else's.

An embedded queue manager trusts the program that embeds it: `Authority` itself says yes to everything. The one that
goes by authority records is in authority.py. Who is in which group is asked of `Entities`, which a host provides.

The user "" is the queue manager itself. No message and no application can become that user by leaving a field blank:
a blank name that comes from outside stands for NOBODY (`context_user`).
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

from flintmq.mqi.object_name import MQM as MQM
from flintmq.mqi.object_name import USER_LENGTH as USER_LENGTH

#: The user of a message without context (MQPMO_NO_CONTEXT), and of a blank AlternateUserId.
NOBODY: Final = "nobody"


def context_user(name: str) -> str:
    """Return the user whose authority counts for a UserIdentifier or AlternateUserId: NOBODY if it is blank."""
    return name.strip(" \0") or NOBODY


@mypyc_attr(allow_interpreted_subclasses=True)
class Entities:
    """Users and their groups. This one knows of nobody."""

    def groups_of(self, user: str) -> list[str]:
        """The groups that `user` is in. One who is not known is in none."""
        return []

    def is_privileged(self, user: str) -> bool:
        """Whether `user` may everything: it is mqm, in the group mqm, or owns the queue manager."""
        return user == MQM

    def knows_user(self, user: str) -> bool:
        """Whether authority can be given to `user`. Where nobody is known, it can be given to all."""
        return True

    def knows_group(self, group: str) -> bool:
        """Likewise to a group."""
        return True


class Denial:
    """Why the last answer was no."""

    def __init__(self, user: str, object_type: str, name: str, missing: list[str], records: list[str]) -> None:
        self.user = user
        #: In the words of SET AUTHREC.
        self.object_type = object_type
        self.name = name
        self.missing = missing
        #: The records that were for the object and the user, in words; none: there was none.
        self.records = records


@mypyc_attr(allow_interpreted_subclasses=True)
class Authority:
    """Answers the engine's questions. This one allows everything."""

    #: What the last no was for; an authority that does not know leaves it None.
    denial: Denial | None = None

    def may_connect(self, user: str) -> bool:
        """Called on MQCONN."""
        return True

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        """Called on MQOPEN and MQPUT1 for the name as the application gave it, with the MQOO_* options."""
        return True

    def may_open_remote(self, user: str, transmission_queue: str, options: int) -> bool:
        """Called instead when the application has named another queue manager."""
        return True

    def may_create(self, user: str, model: str) -> bool:
        """Called before a dynamic queue is made from a model, which was opened with `may_open`."""
        return True

    def may_publish(self, user: str, topic_string: str, topics: list[str]) -> bool:
        """Called when a topic is opened for output; `topics` are the TOPIC objects at and above it, closest first.

        An authority that any of them gives holds for all that is below it.
        """
        return True

    def may_subscribe(self, user: str, topic_string: str, topics: list[str]) -> bool:
        """Called on MQSUB, likewise. The topic string may have wildcards."""
        return True

    def may_resume(self, user: str, topic_string: str, topics: list[str]) -> bool:
        """Called on MQSUB for a subscription that is there, and not altered."""
        return True

    def may_use_alternate_user(self, user: str, alternate_user: str) -> bool:
        """Called when an open asks to be checked as another user."""
        return True

    def may_delete(self, user: str, name: str) -> bool:
        """Called when a permanent dynamic queue is to be deleted through a handle that did not create it."""
        return True

    def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
        """Called before an administration command runs."""
        return True

    def created(self, user: str, object_kind: str, name: str, temporary: bool) -> bool:
        """`user` has created an object. True if a record has to say that the user may everything with it."""
        return False

    def deleted(self, object_kind: str, name: str) -> None:
        """An object is gone."""

    def changed(self) -> None:
        """Authority records have changed: what was answered before may be wrong now."""

    def refresh(self, user: str = "") -> None:
        """Groups may have changed, those of one user or everybody's: REFRESH SECURITY, RVERIFY SECURITY."""

    def set_timeout(self, interval_min: int, timeout_min: int) -> None:
        """ALTER SECURITY."""
