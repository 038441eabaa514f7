"""A subscription, and all of them by id and by name.

A subscription is a run-time object, not one of the catalogue: it says which topics (`topic_tree.py` files it by them),
where copies go and how they are made. Who makes, alters, resumes and ends it is `subscribe.py`; who makes the copies is
`publish.py`. A durable one is also a message on SYSTEM.DURABLE.SUBSCRIBER.QUEUE, with this JSON object in UTF-8:

    v               1
    id              48 hexadecimal digits
    the rest        the fields in KEPT, under their own names; bytes as hexadecimal digits
    identities,     list of text and true or false; only if applications share it by SubIdentity
    exclusive

    S1  sub_id is unique; so is a name, among the subscriptions that have one.
    S2  A subscription is in the topic tree exactly when it is in `Subscriptions`.
    S3  A durable one has a message on the subscriber queue, with its id for the correlation id. If there are several,
        because the log did not take that the others were got, the latest is in force.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from flintmq.mqi.md import NO_ACCOUNTING_TOKEN, NO_ID
from flintmq.qmgr.connection import Subscribed
from flintmq.selector import Selector

if TYPE_CHECKING:
    from flintmq.qmgr.connection import Connection, Handle
    from flintmq.qmgr.queue import Queue

RECORD_VERSION: Final = 1

#: Wildcard schemes.
WILDCARD_TOPIC: Final = 0
WILDCARD_CHAR: Final = 1

#: Who made it (DISPLAY SUB SUBTYPE).
BY_API: Final = "API"
BY_ADMIN: Final = "ADMIN"
BY_PROXY: Final = "PROXY"

#: PSPROP: how the properties of the publication reach the subscriber.
PROPERTIES_NONE: Final = "NONE"
PROPERTIES_MESSAGE: Final = "MSGPROP"
PROPERTIES_COMPAT: Final = "COMPAT"
PROPERTIES_RFH2: Final = "RFH2"

PRIORITY_AS_PUBLISHED: Final = -3
PRIORITY_AS_QUEUE: Final = -1
UNLIMITED: Final = -1

SUBSCRIPTION_NAME_LENGTH_MAX: Final = 10_240
USER_DATA_LENGTH_MAX: Final = 10_240
LEVEL_MAX: Final = 9


class RecordError(Exception):
    """A message on the subscriber queue that is no subscription: damaged, or written by a later release."""


class Subscription(Subscribed):
    """One subscription."""

    # What a publish looks at for each of many stands first, close together.
    #: Nothing but destination, correlation id and user is to be looked at when a copy is made.
    plain: bool = True
    #: The destination, if it is a queue here and was looked up already.
    queue: Queue | None = None
    #: What copies have for CorrelId; NO_ID means what the publisher set.
    correl_id: bytes = NO_ID
    user_id: str = ""
    #: Copies that were made for it, and when the last one was.
    delivered: int = 0
    last_ms: int = 0
    #: Who has it open; None while nobody has.
    connection: Connection | None = None
    handle: Handle | None = None
    #: The TOPIC object that was named, and the string that was added to its topic string.
    topic_object: str = ""
    wildcard: int = WILDCARD_TOPIC
    durable: bool = False
    dest_queue: str = ""
    dest_q_mgr: str = ""
    #: MQSO_SET_CORREL_ID was given: `correl_id` is the application's.
    correl_id_set: bool = False
    #: The selection string, and what it was compiled to; without that, a selection string matches nothing.
    selector: str = ""
    compiled: Selector | None = None
    user_data: str = ""
    #: MQSO_FIXED_USERID: only `user_id` may alter, resume or end it.
    fixed_user: bool = False
    #: MQSO_SET_IDENTITY_CONTEXT: copies have the identity that the subscriber gave.
    identity_set: bool = False
    appl_identity_data: str = ""
    accounting_token: bytes = NO_ACCOUNTING_TOKEN
    pub_priority: int = PRIORITY_AS_PUBLISHED
    #: Persistence of copies: -1 as published, 0 and 1, 2 as the queue says. Only the queued interface sets it.
    persistence: int = -1
    level: int = 1
    grouped: bool = False
    request_only: bool = False
    #: A copy says that it is one of a retained publication (InformIfRet).
    informed: bool = True
    #: SUBSCOPE(QMGR): other queue managers hear nothing of it.
    local: bool = False
    #: Tenths of a second that it lives from the last MQSUB on, -1 for ever; and when that ends, 0 never.
    expiry: int = UNLIMITED
    expires_ms: int = 0
    properties: str = PROPERTIES_MESSAGE
    kind: str = BY_API
    created_ms: int = 0
    altered_ms: int = 0
    #: The last MQSUB that resumed it, 0 none since the queue manager started.
    resumed_ms: int = 0
    #: It was opened to be shared: others may have it open at the same time, and `sharers` are theirs. They get the
    #: publications of one managed destination between them.
    shared: bool = False

    def __init__(self, sub_id: bytes, name: str, topic_string: str) -> None:
        self.sub_id = sub_id
        self.name = name
        self.topic_string = topic_string
        self.sharers: list[Handle] = []
        #: Applications that share it by SubIdentity of the queued interface; with `exclusive` there is one.
        self.identities: list[str] = []
        self.exclusive: bool = False

    def __repr__(self) -> str:
        return f"SUB({self.name or self.sub_id.hex().upper()})"

    def refresh(self) -> None:
        """Work out `plain`, after a change."""
        self.plain = (
            not self.request_only
            and not self.selector
            and not self.grouped
            and not self.expires_ms
            and not self.identity_set
            and not self.user_data
            and self.persistence < 0
            and self.pub_priority == PRIORITY_AS_PUBLISHED
            and self.properties == PROPERTIES_MESSAGE
        )

    def to_record(self) -> bytes:
        """The subscription as the subscriber queue keeps it."""
        content: dict[str, object] = {
            "v": RECORD_VERSION,
            "id": self.sub_id.hex(),
            "name": self.name,
            "topic_string": self.topic_string,
            "correl_id": self.correl_id.hex(),
            "accounting_token": self.accounting_token.hex(),
        }
        for field in TEXTS:
            content[field] = str(getattr(self, field))
        for field in NUMBERS:
            content[field] = int(getattr(self, field))
        for field in FLAGS:
            content[field] = bool(getattr(self, field))
        if self.identities:
            content["identities"], content["exclusive"] = self.identities, self.exclusive
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


TEXTS: Final = (
    "topic_object", "dest_queue", "dest_q_mgr", "selector", "user_data", "user_id", "appl_identity_data", "properties",
    "kind",
)  # fmt: skip
NUMBERS: Final = (
    "wildcard",
    "pub_priority",
    "persistence",
    "level",
    "expiry",
    "expires_ms",
    "created_ms",
    "altered_ms",
)
FLAGS: Final = (
    "managed", "correl_id_set", "fixed_user", "identity_set", "grouped", "request_only", "informed", "local",
)  # fmt: skip
#: Every field that a restart brings back.
KEPT: Final = ("name", "topic_string", "correl_id", "accounting_token", *TEXTS, *NUMBERS, *FLAGS)


def from_record(record: bytes) -> Subscription:
    """The durable subscription in `record`. Raises RecordError; what a later release added is left out."""
    try:
        content: object = json.loads(record.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise RecordError(f"subscription record of {len(record)} bytes is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("v") != RECORD_VERSION:
        raise RecordError(f"subscription record of {len(record)} bytes is not of version {RECORD_VERSION}")
    sub_id = _bytes_of(content, "id", 24)
    subscription = Subscription(sub_id, _text_of(content, "name"), _text_of(content, "topic_string"))
    subscription.durable = True
    subscription.correl_id = _bytes_of(content, "correl_id", 24)
    subscription.accounting_token = _bytes_of(content, "accounting_token", 32)
    for field in TEXTS:
        setattr(subscription, field, _text_of(content, field))
    for field in NUMBERS:
        number: object = content.get(field)
        if not isinstance(number, int) or isinstance(number, bool):
            raise RecordError(f"subscription record has {number!r} for {field}")
        setattr(subscription, field, number)
    for field in FLAGS:
        flag: object = content.get(field)
        if not isinstance(flag, bool):
            raise RecordError(f"subscription record has {flag!r} for {field}")
        setattr(subscription, field, flag)
    identities: object = content.get("identities")
    if isinstance(identities, list):
        subscription.identities = [str(each) for each in identities]
        subscription.exclusive = content.get("exclusive") is True
    return subscription


def _text_of(content: dict[str, object], field: str) -> str:
    value = content.get(field)
    if not isinstance(value, str):
        raise RecordError(f"subscription record has {value!r} for {field}")
    return value


def _bytes_of(content: dict[str, object], field: str, length: int) -> bytes:
    try:
        value = bytes.fromhex(_text_of(content, field))
    except ValueError:
        value = b""
    if len(value) != length:
        raise RecordError(f"subscription record has no {length} bytes for {field}")
    return value


def subscription_of(handle: Handle) -> Subscription | None:
    """Return the subscription that `handle` is open on, or None."""
    subscription = handle.subscription
    if subscription is None:
        return None
    assert isinstance(subscription, Subscription)
    return subscription


class Subscriptions:
    """Every subscription, by its id and, if it has one, by its name."""

    def __init__(self) -> None:
        self.by_id: dict[bytes, Subscription] = {}
        self.by_name: dict[str, Subscription] = {}
        #: How many have another SubLevel than 1.
        self.levelled = 0

    def add(self, subscription: Subscription) -> None:
        """Enter a new one (S1)."""
        assert subscription.sub_id not in self.by_id
        self.by_id[subscription.sub_id] = subscription
        if subscription.level != 1:
            self.levelled += 1
        if subscription.name:
            assert subscription.name not in self.by_name
            self.by_name[subscription.name] = subscription

    def remove(self, subscription: Subscription) -> None:
        """Take one out."""
        del self.by_id[subscription.sub_id]
        if subscription.level != 1:
            self.levelled -= 1
        if subscription.name:
            del self.by_name[subscription.name]

    def rename(self, subscription: Subscription, name: str) -> None:
        """Rename a subscription; no other may have the name (S1)."""
        assert name not in self.by_name
        if subscription.name:
            del self.by_name[subscription.name]
        subscription.name = name
        self.by_name[name] = subscription

    def everything(self) -> list[Subscription]:
        """All of them, in the order in which they were made."""
        return list(self.by_id.values())
