"""Who may do what. The engine asks on every open and connect; the rules are somebody else's.

An embedded queue manager trusts the program that embeds it: `Authority` itself says yes to everything. Authority
records, users and groups derive from it.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Authority:
    """Answers the engine's questions. This one allows everything."""

    def may_connect(self, user: str) -> bool:
        """Called on MQCONN."""
        return True

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        """Called on MQOPEN and MQPUT1 for the name as the application gave it, with the MQOO_* options."""
        return True

    def may_publish(self, user: str, topic_string: str, topics: list[str]) -> bool:
        """Called when a topic is opened for output; `topics` are the TOPIC objects at and above it, closest first.

        An authority that any of them gives holds for all that is below it.
        """
        return True

    def may_subscribe(self, user: str, topic_string: str, topics: list[str]) -> bool:
        """Called on MQSUB, likewise. The topic string may have wildcards."""
        return True

    def may_use_alternate_user(self, user: str, alternate_user: str) -> bool:
        """Called when an open asks to be checked as another user."""
        return True

    def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
        """Called before an administration command runs."""
        return True
