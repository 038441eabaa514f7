"""The authority that goes by authority records: MQ's object authority manager.

    call                        authority                                        on
    MQCONN                      CONNECT                                          the queue manager
    MQOPEN, MQPUT1 of a queue   GET, BROWSE, PUT, INQ, SET, PASSID, PASSALL,     the name that was opened: an alias or
                                SETID, SETALL, as the options say                remote definition, not what it leads to
      SETID, SETALL             the same                                         the queue manager, too
      a transmission queue      SETALL instead of PUT, if it is opened itself    it and the queue manager
      a queue name of another   PUT                                              the transmission queue
      queue manager
      a model queue             DSP, and what the options say                    the model; its creator may everything
                                                                                 with the new queue
      of a topic                PUB                                              any TOPIC object at or above the topic
    another user's authority    ALTUSR                                           the queue manager
    MQSUB                       SUB; to resume RESUME or SUB                     any TOPIC object at or above the topic
                                PUT                                              the destination, unless it is managed
    MQCLOSE that deletes        DLT                                              the queue, unless the handle made it
    commands                    `_COMMANDS`                                      the object, or the queue manager
    MQOPEN for browsing         none                                             POLICY_QUEUE: client libraries look
                                                                                 there for every application

The queue manager itself (user ""), its owner and the group mqm may everything, and need no records.

What a user may do with an object is found once and kept: a check costs two look-ups in dictionaries then. A change of
records empties what is kept; a change of groups does not, so the answers about a user end when it was not asked about
for TIMEOUT minutes. That is looked at every INTERVAL minutes; with INTERVAL(0) they stay, with TIMEOUT(0) they end at
every look. Entries that have ended are used again for other users and not given back.

    A1  An answer from what is kept is the answer that the records give now, for the groups the user had when it was
        first asked about.
    A2  At most USERS_MAX users and NAMES_MAX objects of each are kept.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue import authorities, profile
from flintmq.catalogue.attributes import QUEUE_KINDS
from flintmq.mqi.constants import MQOO_OUTPUT
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
    MQZAO_OUTPUT,
    MQZAO_PUBLISH,
    MQZAO_RESUME,
    MQZAO_SET_ALL_CONTEXT,
    MQZAO_SET_IDENTITY_CONTEXT,
    MQZAO_SUBSCRIBE,
)
from flintmq.qmgr.authority_records import GROUP, PRINCIPAL, SELF, AuthorityRecords, entity_key
from flintmq.qmgr.catalogue import Catalogue
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.security import Authority, Denial, Entities

USERS_MAX: Final = 100_000
NAMES_MAX: Final = 10_000
INTERVAL_DEFAULT: Final = 12
TIMEOUT_DEFAULT: Final = 54
_MINUTE_MS: Final = 60_000
#: Where MQ keeps the policies of message protection.
POLICY_QUEUE: Final = "SYSTEM.PROTECTION.POLICY.QUEUE"
#: Everybody is in it.
EVERYBODY: Final = "nobody"

#: verb -> authority on the object itself. What is not here needs CHG on the queue manager, or DSP for DISPLAY.
_COMMANDS: Final[dict[str, int]] = {
    "DEFINE": MQZAO_CREATE,
    "ALTER": MQZAO_CHANGE,
    "DELETE": MQZAO_DELETE,
    "DISPLAY": MQZAO_DISPLAY,
    "CLEAR": MQZAO_CLEAR,
    "MOVE": MQZAO_CHANGE,
    "START": MQZAO_CONTROL,
    "STOP": MQZAO_CONTROL,
    "PING": MQZAO_CONTROL,
    "RESET": MQZAO_CONTROL_EXTENDED,
    "RESOLVE": MQZAO_CONTROL_EXTENDED,
}
_LOOKING: Final = ("DISPLAY", "PING")


class User:
    """What is kept of one user."""

    privileged: bool = False
    used_ms: int = 0

    def __init__(self) -> None:
        #: The user as a principal, and its groups.
        self.entities: list[str] = []
        #: "QUEUE ORDERS.IN" -> authorities.
        self.granted: dict[str, int] = {}


class ObjectAuthority(Authority):
    """Answers from authority records."""

    def __init__(self, catalogue: Catalogue, records: AuthorityRecords, clock: Clock, entities: Entities) -> None:
        self._catalogue = catalogue
        self._records = records
        self._clock = clock
        self._entities = entities
        self._users: dict[str, User] = {}
        self._pool: list[User] = []
        #: Who has made a temporary dynamic queue that is still there.
        self._creators: dict[str, str] = {}
        self.interval_ms = INTERVAL_DEFAULT * _MINUTE_MS
        self.timeout_ms = TIMEOUT_DEFAULT * _MINUTE_MS
        self._look_ms = clock.now_ms() + self.interval_ms
        #: Answers that had to be looked up in the records.
        self.lookups = 0

    # -- what is kept -------------------------------------------------------------------------------------------------

    def _user(self, name: str) -> User:
        now = self._clock.now_ms()
        if self.interval_ms and now >= self._look_ms:
            self._end_old(now)
        found = self._users.get(name)
        if found is None:
            found = self._new_user(name)
        found.used_ms = now
        return found

    def _new_user(self, name: str) -> User:
        if len(self._users) >= USERS_MAX:
            self.refresh()
        made = self._pool.pop() if self._pool else User()
        made.privileged = not name or self._entities.is_privileged(name)
        made.entities = [entity_key(PRINCIPAL, name)]
        for group in self._entities.groups_of(name):
            made.entities.append(entity_key(GROUP, group))
        made.entities.append(entity_key(GROUP, EVERYBODY))
        self._users[name] = made
        return made

    def _end_old(self, now: int) -> None:
        self._look_ms = now + self.interval_ms
        for name, user in list(self._users.items()):
            if now - user.used_ms >= self.timeout_ms:
                self._end(name, user)

    def _end(self, name: str, user: User) -> None:
        del self._users[name]
        user.granted.clear()
        user.entities = []
        self._pool.append(user)

    def kept(self) -> tuple[int, int]:
        """How many users are kept, and how many entries wait to be used again."""
        return len(self._users), len(self._pool)

    def changed(self) -> None:
        for user in self._users.values():
            user.granted.clear()

    def refresh(self, user: str = "") -> None:
        for name, kept in list(self._users.items()):
            if not user or name == user:
                self._end(name, kept)

    def set_timeout(self, interval_min: int, timeout_min: int) -> None:
        self.interval_ms = interval_min * _MINUTE_MS
        self.timeout_ms = timeout_min * _MINUTE_MS
        self._look_ms = self._clock.now_ms() + self.interval_ms

    # -- answers ------------------------------------------------------------------------------------------------------

    def _granted(self, name: str, user: User, object_type: str, object_name: str) -> int:
        key = f"{object_type} {object_name}"
        found = user.granted.get(key)
        if found is None:
            self.lookups += 1
            found = self._records.granted(object_type, object_name, user.entities)
            if object_type == "QUEUE" and self._creators.get(object_name) == name:
                found = authorities.BY_TYPE["QUEUE"]
            if object_type == "QUEUE" and object_name == POLICY_QUEUE:
                found |= MQZAO_BROWSE
            if len(user.granted) >= NAMES_MAX:
                user.granted.clear()
            user.granted[key] = found
        return found

    def _may(self, name: str, object_type: str, object_name: str, wanted: int) -> bool:
        user = self._user(name)
        if user.privileged:
            return True
        missing = wanted & ~self._granted(name, user, object_type, object_name)
        if not missing:
            return True
        self._deny(name, user, object_type, object_name, missing)
        return False

    def _deny(self, name: str, user: User, object_type: str, object_name: str, missing: int) -> None:
        records = self._records.deciding(object_type, object_name, user.entities)
        self.denial = Denial(name, object_type, object_name, authorities.words_of(missing), records)

    def _may_anywhere(self, name: str, topics: list[str], wanted: int) -> bool:
        """Whether any of the topics gives any of the wanted authorities."""
        user = self._user(name)
        if user.privileged:
            return True
        for topic in topics:
            if self._granted(name, user, "TOPIC", topic) & wanted:
                return True
        self._deny(name, user, "TOPIC", topics[0] if topics else "", wanted)
        return False

    def may_connect(self, user: str) -> bool:
        return self._may(user, "QMGR", SELF, MQZAO_CONNECT)

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        wanted = authorities.of_options(options)
        if object_kind == "QMGR":
            return self._may(user, "QMGR", SELF, wanted)
        if not self._may_set_context(user, wanted):
            return False
        if object_kind == "QUEUE" and options & MQOO_OUTPUT and self._is_transmission(name):
            wanted = wanted & ~MQZAO_OUTPUT | MQZAO_SET_ALL_CONTEXT
            if not self._may(user, "QMGR", SELF, MQZAO_SET_ALL_CONTEXT):
                return False
        return self._may(user, object_kind, name, wanted)

    def _is_transmission(self, name: str) -> bool:
        queue = self._catalogue.find("QLOCAL", name)
        return queue is not None and queue.attributes["USAGE"] == "XMITQ"

    def may_open_remote(self, user: str, transmission_queue: str, options: int) -> bool:
        wanted = authorities.of_options(options)
        return self._may_set_context(user, wanted) and self._may(user, "QUEUE", transmission_queue, wanted)

    def _may_set_context(self, user: str, wanted: int) -> bool:
        context = wanted & (MQZAO_SET_IDENTITY_CONTEXT | MQZAO_SET_ALL_CONTEXT)
        return not context or self._may(user, "QMGR", SELF, context)

    def may_create(self, user: str, model: str) -> bool:
        return self._may(user, "QUEUE", model, MQZAO_DISPLAY)

    def may_publish(self, user: str, topic_string: str, topics: list[str]) -> bool:
        return self._may_anywhere(user, topics, MQZAO_PUBLISH)

    def may_subscribe(self, user: str, topic_string: str, topics: list[str]) -> bool:
        return self._may_anywhere(user, topics, MQZAO_SUBSCRIBE)

    def may_resume(self, user: str, topic_string: str, topics: list[str]) -> bool:
        return self._may_anywhere(user, topics, MQZAO_RESUME | MQZAO_SUBSCRIBE)

    def may_use_alternate_user(self, user: str, alternate_user: str) -> bool:
        return self._may(user, "QMGR", SELF, MQZAO_ALTERNATE_USER_AUTHORITY)

    def may_delete(self, user: str, name: str) -> bool:
        return self._may(user, "QUEUE", name, MQZAO_DELETE)

    def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
        object_type = type_of(object_kind)
        wanted = _COMMANDS.get(verb, MQZAO_CHANGE)
        if object_type == "SERVICE" and (verb == "DEFINE" or verb == "ALTER"):
            return self._may_have_run(user, name)
        if object_type == "QMGR" or not authorities.BY_TYPE[object_type] & wanted:
            return self._may(user, "QMGR", SELF, MQZAO_DISPLAY if verb in _LOOKING else MQZAO_CHANGE)
        if wanted == MQZAO_CREATE:
            return self._may(user, object_type, profile.CLASS, MQZAO_CREATE)
        return self._may(user, object_type, name, wanted)

    def _may_have_run(self, name: str, service: str) -> bool:
        """Whether a user may say what a SERVICE runs. No record gives that: it runs as the queue manager's own user."""
        user = self._user(name)
        if not user.privileged:
            self._deny(name, user, "SERVICE", service, 0)
        return user.privileged

    # -- objects come and go ------------------------------------------------------------------------------------------

    def created(self, user: str, object_kind: str, name: str, temporary: bool) -> bool:
        kept = self._user(user)
        if kept.privileged:
            return False
        if temporary:
            self._creators[name] = user
        kept.granted.pop(f"{type_of(object_kind)} {name}", None)
        return not temporary

    def deleted(self, object_kind: str, name: str) -> None:
        creator = self._creators.pop(name, "")
        user = self._users.get(creator)
        if user is not None:
            user.granted.pop(f"QUEUE {name}", None)


def type_of(kind: str) -> str:
    """The OBJTYPE of a kind of object; QMGR for what has no records of its own."""
    if kind in QUEUE_KINDS or kind == "QSTATUS":
        return "QUEUE"
    return kind if kind in authorities.BY_TYPE else "QMGR"
