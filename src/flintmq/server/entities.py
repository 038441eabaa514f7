"""Users and groups as a queue manager process knows them: those of its own file, and those of the operating system.

    groups of a user       `Groups=` of its stanza in the file `users`, and its groups in the operating system
    full authority         mqm; the group mqm; users with `Privileged=yes`; the user that runs the queue manager

A user that neither knows is in no group. With `SecurityPolicy=UserExternal` in the stanza Service of qm.ini such users
can be given authority all the same: another system knows them and let them in. Results are cached for a while
(qmgr/authority.py).
"""

from __future__ import annotations

import grp
import os
import pwd
from collections.abc import Callable

from flintmq.host import ini
from flintmq.host.error_log import user_identifier
from flintmq.host.instance import CACHED_INI, Instance
from flintmq.mqi.object_name import MQM
from flintmq.qmgr.calls import EVERYBODY, Entities
from flintmq.server.users import Users

USER_LENGTH_MAX = 12
AUTHORITY_SERVICE = "AuthorizationService"
EXTERNAL = "UserExternal"


def takes_external_users(instance: Instance) -> bool:
    """Return whether qm.ini allows authorities for users that this machine does not know."""
    for path in (instance.directory / CACHED_INI, instance.ini_path):
        for stanza in ini.read(path):
            if stanza.name.lower() == "service" and stanza.get("Name", AUTHORITY_SERVICE) == AUTHORITY_SERVICE:
                policy = stanza.get("SecurityPolicy")
                if policy:
                    return policy.lower() == EXTERNAL.lower()
    return False


class SystemEntities(Entities):
    """Users and groups of one queue manager. With `external`, users that are unknown here count as known."""

    def __init__(self, users: Users, owner: str = "", external: bool = False) -> None:
        self._users = users
        self._external = external
        self.owner = owner or user_identifier()

    def groups_of(self, user: str) -> list[str]:
        self._users.refresh()
        return list(dict.fromkeys([*self._users.groups_of(user), *system_groups(user)]))

    def is_privileged(self, user: str) -> bool:
        if user in (MQM, self.owner):
            return True
        self._users.refresh()
        return self._users.is_privileged(user) or MQM in self.groups_of(user)

    def knows_user(self, user: str) -> bool:
        if user in (MQM, self.owner):
            return True
        self._users.refresh()
        if self._external and 0 < len(user) <= USER_LENGTH_MAX:
            return True
        return self._users.has(user) or _is_there(pwd.getpwnam, user)

    def knows_group(self, group: str) -> bool:
        if group in (MQM, EVERYBODY):
            return True
        self._users.refresh()
        return self._users.has_group(group) or _is_there(grp.getgrnam, group)


def _is_there(find: Callable[[str], object], name: str) -> bool:
    """Return whether the operating system knows the name."""
    try:
        find(name)
    except (KeyError, ValueError):  # It has a NUL, or characters that cannot be encoded.
        return False
    return True


def system_groups(user: str) -> list[str]:
    """Return the user's groups of the operating system; none if it does not know the user."""
    try:
        numbers = os.getgrouplist(user, pwd.getpwnam(user).pw_gid)
    except (KeyError, OSError, ValueError):
        return []
    found: list[str] = []
    for number in numbers:
        try:
            found.append(grp.getgrgid(number).gr_name)
        except KeyError:
            continue
    return found
