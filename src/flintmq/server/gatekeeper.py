"""Who may connect, and as whom: connection authentication (CONNAUTH).

The AUTHINFO object that the queue manager's CONNAUTH names says what is checked:

    CHCKCLNT    with a password                          without one
    NONE        not looked at                            let in
    OPTIONAL    must be right, else 2035                 let in
    REQDADM     must be right, else 2035                 let in, unless privileged: 2035
    REQUIRED    must be right, else 2035                 2035

    who the client then is: MCAUSER of the channel; else, with ADOPTCTX(YES), the user whose password was right; else
    the user that its process runs as, by its own word

Without such an object nothing is checked. A refusal is one line in the error log, which names user, channel, address
and the rule; the client hears 2035 and no more, FAILDLAY seconds later.
"""

from __future__ import annotations

from flintmq.channel.identity import Identity
from flintmq.channel.terms import Gatekeeper, Terms
from flintmq.mqi.reason import MQRC_NONE, MQRC_NOT_AUTHORIZED
from flintmq.qmgr.queue_manager import QueueManager
from flintmq.server.users import Users


class ConnectionAuthentication(Gatekeeper):
    """CONNAUTH with the users of the queue manager."""

    def __init__(self, engine: QueueManager, users: Users) -> None:
        self._engine = engine
        self._users = users
        self.delay_ms = 0

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        """(reason, user) for a client that connects."""
        self.delay_ms = 0
        name = self._engine.definition().text("CONNAUTH")
        rule = self._engine.catalogue.find("AUTHINFO", name) if name else None
        check = rule.text("CHCKCLNT") if rule is not None else "NONE"
        if rule is None or check == "NONE":
            return super().admit(terms, identity, address)
        user = identity.user
        if self._users.refresh():
            self._engine.authority.refresh()
        if identity.has_password:
            if not self._users.is_right(identity.claimed_user, identity.password):
                self.delay_ms = rule.number("FAILDLAY") * 1000
                why = "the password is wrong, or there is no such user"
                if not self._users.any():
                    why = "no users are defined (`flint user` defines them)"
                return self._refused(terms, identity.claimed_user, address, f"{why}; CHCKCLNT({check}) of {name}")
            if rule.text("ADOPTCTX") == "YES":
                user = identity.claimed_user
        elif check == "REQUIRED" or (check == "REQDADM" and self._users.is_privileged(terms.mca_user or user)):
            return self._refused(terms, user, address, f"no password was given; CHCKCLNT({check}) of {name}")
        return MQRC_NONE, terms.mca_user or user

    def _refused(self, terms: Terms, user: str, address: str, why: str) -> tuple[int, str]:
        text = f"User {user!r} from {address} on channel {terms.name} was not let in: {why}."
        self._engine.notice("AMQ5534E", text)
        return MQRC_NOT_AUTHORIZED, ""
