"""Authentication of clients: CHLAUTH and CONNAUTH, in MQ's order.

    1  BLOCKADDR                  the address, when the socket is opened; then it is closed
    2  password, if one is given  wrong: 2035. Right: with ADOPTCTX(YES) the client is this user from here on
    3  the map that decides       NOACCESS: 2035. It compares this user, else the one that the client says it is
    4  resulting user             MCAUSER of the map; else the user with the right password; else MCAUSER of the
                                  channel; else the user that the client names, or without one the queue manager's owner
    5  no password given          2035 where CHCKCLNT wants one from this user
    6  BLOCKUSER                  of this user: 2035
    7  authority to connect       qmgr/authority.py

The AUTHINFO object that the queue manager's CONNAUTH names controls the check, and the map may ask for more:

    CHCKCLNT    with a password                          without one
    NONE        not looked at                            let in
    OPTIONAL    must be right, else 2035                 let in
    REQDADM     must be right, else 2035                 let in, unless privileged: 2035
    REQUIRED    must be right, else 2035                 2035

Without such an object no password is checked; with ALTER QMGR CHLAUTH(DISABLED) there are no steps 1, 3 and 6. A local
application that names no channel has the user that the system tells, and meets step 7 only.

A refusal is one line in the error log, which names user, channel, address and the rule (qmgr/refusal.py). The client
hears 2035 and no more; a wrong password FAILDLAY seconds later.
"""

from __future__ import annotations

from flintmq.host.error_log import user_identifier, user_name
from flintmq.mqi.object_name import USER_LENGTH
from flintmq.mqi.pcf_constants import (
    MQRQ_CHANNEL_BLOCKED_ADDRESS,
    MQRQ_CHANNEL_BLOCKED_NOACCESS,
    MQRQ_CHANNEL_BLOCKED_USERID,
)
from flintmq.mqi.reason import MQRC_NONE, MQRC_NOT_AUTHORIZED
from flintmq.qmgr import chlauth
from flintmq.qmgr.calls import Calls, Refusal, no_command, shown, user_word
from flintmq.qmgr.catalogue import MQObject
from flintmq.server.users import Users
from flintmq.wire.mq.identity import Identity
from flintmq.wire.mq.terms import LOCAL_CHANNEL, Gatekeeper, Terms

_NEVER = "NONE"

#: Types of blocking rules in events; the others are maps without access.
_QUALIFIERS = {
    chlauth.BLOCK_ADDRESS: MQRQ_CHANNEL_BLOCKED_ADDRESS,
    chlauth.BLOCK_USER: MQRQ_CHANNEL_BLOCKED_USERID,
}


class ConnectionAuthentication(Gatekeeper):
    """CHLAUTH and CONNAUTH with the users of the queue manager."""

    def __init__(self, engine: Calls, users: Users, owner: str = "") -> None:
        self._engine = engine
        self._users = users
        self._owner = owner
        self.delay_ms = 0

    def refuses_address(self, address: str) -> bool:
        """Return whether BLOCKADDR blocks the address (step 1)."""
        if not self._rules_hold():
            return False
        rule, pattern = chlauth.blocked_address(self._engine.catalogue, address)
        if rule is None:
            return False
        refused = Refusal("AMQ9777E", 0, f"A connection from {address} was blocked.")
        refused.address, refused.rule = address, chlauth.describe(rule)
        refused.remedies = [f"SET CHLAUTH('*') TYPE(BLOCKADDR) ADDRLIST('{pattern}') ACTION(REMOVE)"]
        return not self._warned(rule, refused)

    def compare_with(self, identity: Identity) -> str:
        """Return the hash to compare the password with, if the result is not known yet: step 2 takes long."""
        if not identity.has_password or not self._checks(self._info()):
            return ""
        self._refresh()
        against = self._users.hash_of(identity.claimed_user)
        if identity.compared_with == against or self._users.remembers(identity.claimed_user, identity.password):
            return ""
        return against

    def compared(self, identity: Identity, against: str, is_right: bool) -> None:
        """Record the result of step 2."""
        identity.compared_with = against
        identity.is_right = self._users.compared(identity.claimed_user, identity.password, against, is_right)

    def admit(self, terms: Terms, identity: Identity, address: str) -> tuple[int, str]:
        """Return (reason, user) for a client that connects: steps 2 to 6."""
        self.delay_ms = 0
        self._refresh()
        info = self._info()
        said, adopted = identity.user, ""
        if info is not None and identity.has_password and self._checks(info):
            if not self._is_right(identity):
                return self._wrong_password(terms, identity, address, info)
            if info.text("ADOPTCTX") == "YES":
                adopted = identity.claimed_user
        else:
            said = identity.claimed_user or said  # Neither is proved.
        rule = self._map(terms, identity, address, adopted or said) if self._rules_hold() else None
        if rule is not None and rule.text("USERSRC") == "NOACCESS":
            refused = self._no_access(terms, adopted or said, address, rule)
            if not self._warned(rule, refused):
                return MQRC_NOT_AUTHORIZED, ""
        if rule is not None and rule.text("USERSRC") == "MAP":
            user = rule.text("MCAUSER")
        else:
            user = adopted or terms.mca_user or said or self._owner
        return self._admit_as(user, terms, identity, address, info, rule)

    def _admit_as(
        self,
        user: str,
        terms: Terms,
        identity: Identity,
        address: str,
        info: MQObject | None,
        rule: MQObject | None,
    ) -> tuple[int, str]:
        """Return (reason, user) for a client that is to be `user`: steps 5 and 6."""
        if not identity.has_password and self._needs_password(info, rule, user):
            return self._no_password(terms, user, address, info, rule)
        if len(user) > USER_LENGTH:
            return self._too_long(terms, user, address)
        if self._rules_hold() and self._is_blocked(terms, user, address):
            return MQRC_NOT_AUTHORIZED, ""
        return MQRC_NONE, user

    def admit_local(self, terms: Terms, user: str) -> tuple[int, str]:
        """Authorise a local client. A long name is refused and not cut: the cut name may belong to another user."""
        self.delay_ms = 0
        if len(user) <= USER_LENGTH:
            return MQRC_NONE, user
        if user == user_name():
            return MQRC_NONE, user_identifier()
        return self._too_long(terms, user, "")

    # -- steps --------------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        if self._users.refresh():
            self._engine.authority.refresh()
            if self._users.trouble:
                self._engine.notice("AMQ5534E", f"No password can be checked: {self._users.trouble}.")

    def _info(self) -> MQObject | None:
        name = self._engine.definition().text("CONNAUTH")
        return self._engine.catalogue.find("AUTHINFO", name) if name else None

    def _checks(self, info: MQObject | None) -> bool:
        return info is not None and info.text("CHCKCLNT") != _NEVER

    def _is_right(self, identity: Identity) -> bool:
        """Return whether the password is right. A result of `compared` counts once, for the same hash."""
        against, identity.compared_with = identity.compared_with, ""
        if against and against == self._users.hash_of(identity.claimed_user):
            return identity.is_right
        return self._users.is_right(identity.claimed_user, identity.password)

    def _rules_hold(self) -> bool:
        return self._engine.definition().text("CHLAUTH") == "ENABLED"

    def _map(self, terms: Terms, identity: Identity, address: str, user: str) -> MQObject | None:
        client = chlauth.Client(terms.name, without_port(address))
        client.user = user
        client.peer, client.issuer = identity.peer_name, identity.peer_issuer
        return chlauth.deciding_map(self._engine.catalogue, client)

    def _needs_password(self, info: MQObject | None, rule: MQObject | None, user: str) -> bool:
        if info is None or info.text("CHCKCLNT") == _NEVER:
            return False
        checks = {info.text("CHCKCLNT"), rule.text("CHCKCLNT") if rule is not None else ""}
        return "REQUIRED" in checks or ("REQDADM" in checks and self._engine.entities.is_privileged(user))

    def _is_blocked(self, terms: Terms, user: str, address: str) -> bool:
        rule = chlauth.blocking_rule(self._engine.catalogue, terms.name, user, self._engine.entities)
        if rule is None:
            return False
        refused = self._refusal(
            "AMQ9776E", terms, user, address, f"Channel {terms.name} was blocked by user '{shown(user)}'."
        )
        refused.rule = chlauth.describe(rule)
        record = f"SET CHLAUTH('{terms.name}')"
        refused.remedies = [
            _with_user(user, f"{record} TYPE(USERMAP) CLNTUSER('{user}') USERSRC(MAP) MCAUSER('another')"),
            f"{record} TYPE(BLOCKUSER) USERLIST('nobody') ACTION(REPLACE)",
        ]
        return not self._warned(rule, refused)

    # -- refusals -----------------------------------------------------------------------------------------------------

    def _refusal(self, number: str, terms: Terms, user: str, address: str, what: str) -> Refusal:
        refused = Refusal(number, MQRC_NOT_AUTHORIZED, what)
        refused.user, refused.channel, refused.address = user, terms.name, address
        return refused

    def _warned(self, rule: MQObject, refused: Refusal) -> bool:
        """Record the refusal and put its event. Return whether the rule only warns."""
        warns = rule.text("WARN") == "YES"
        if warns:
            refused.what = f"Let in because of WARN(YES): {refused.what}"
        self._engine.refuse(refused)
        qualifier = _QUALIFIERS.get(rule.text("TYPE"), MQRQ_CHANNEL_BLOCKED_NOACCESS)
        self._engine.channel_blocked(refused.channel, refused.address, refused.user, qualifier, warns)
        return warns

    def _wrong_password(self, terms: Terms, identity: Identity, address: str, info: MQObject) -> tuple[int, str]:
        self.delay_ms = info.number("FAILDLAY") * 1000
        user = identity.claimed_user
        if self._users.trouble:
            why = self._users.trouble
        elif self._users.any():
            why = "the password is wrong, or there is no such user"
        else:
            why = "no users are defined (`flint user` defines them)"
        what = f"User '{shown(user)}' was not authenticated: {why}."
        refused = self._refusal("AMQ5534E", terms, user, address, what)
        refused.rule = f"CHCKCLNT({info.text('CHCKCLNT')}) of AUTHINFO {info.name}, which CONNAUTH names"
        if self._users.trouble:
            refused.remedies = ["* The cause is here and not with the client: put the file of users right."]
        else:
            refused.remedies = [_with_user(user, f"flint user {self._engine.name} {user}")]
        self._engine.refuse(refused)
        return MQRC_NOT_AUTHORIZED, ""

    def _no_password(
        self, terms: Terms, user: str, address: str, info: MQObject | None, rule: MQObject | None
    ) -> tuple[int, str]:
        assert info is not None
        what = f"User '{shown(user)}' has not supplied a user ID and password."
        refused = self._refusal("AMQ5540E", terms, user, address, what)
        refused.rule = f"CHCKCLNT({info.text('CHCKCLNT')}) of AUTHINFO {info.name}, which CONNAUTH names"
        if rule is not None and rule.text("CHCKCLNT") != "ASQMGR":
            refused.rule = f"CHCKCLNT({rule.text('CHCKCLNT')}) of {chlauth.describe(rule)}"
        refused.remedies = ["* The application gives a user and a password (MQCSP)."]
        self._engine.refuse(refused)
        return MQRC_NOT_AUTHORIZED, ""

    def _no_access(self, terms: Terms, user: str, address: str, rule: MQObject) -> Refusal:
        refused = self._refusal("AMQ9777E", terms, user, address, f"Channel {terms.name} was blocked.")
        refused.rule = chlauth.describe(rule)
        where = without_port(address)
        record = f"SET CHLAUTH('{terms.name}')"
        refused.remedies = [
            _with_user(user, f"{record} TYPE(USERMAP) CLNTUSER('{user}') ADDRESS('{where}') USERSRC(CHANNEL)"),
            f"{record} TYPE(ADDRESSMAP) ADDRESS('{where}') USERSRC(CHANNEL)",
        ]
        return refused

    def _too_long(self, terms: Terms, user: str, address: str) -> tuple[int, str]:
        what = f"User '{shown(user)}' cannot be the user of a connection."
        refused = self._refusal("AMQ9557E", terms, user, address, what)
        refused.rule = f"a user ID has at most {USER_LENGTH} characters"
        channel = terms.name if terms.name != LOCAL_CHANNEL else "ANY.SVRCONN"
        if terms.name == LOCAL_CHANNEL:
            refused.remedies.append(
                "* The application connects over a channel, as in MQSERVER=ANY.SVRCONN/TCP/127.0.0.1(1414)."
            )
        command = f"SET CHLAUTH('{channel}') TYPE(USERMAP) CLNTUSER('{user}') USERSRC(MAP) MCAUSER('shorter')"
        refused.remedies.append(_with_user(user, command))
        self._engine.refuse(refused)
        return MQRC_NOT_AUTHORIZED, ""


def _with_user(user: str, command: str) -> str:
    """Return a command with the name of a client's user, or a sentence if no command can have that name (R2)."""
    return command if user_word(user) else no_command("the user")


def without_port(address: str) -> str:
    """Return `10.0.0.7` of `10.0.0.7(50123)`."""
    return address.partition("(")[0]
