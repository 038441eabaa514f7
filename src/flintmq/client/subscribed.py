"""A subscription below the API: its descriptor, and the connection that holds it, for sync and asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.client.message import expiry_tenths, identifier
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.constants import (
    MQCO_KEEP_SUB,
    MQCO_NONE,
    MQCO_REMOVE_SUB,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_OUTPUT,
    MQSO_ANY_USERID,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_FAIL_IF_QUIESCING,
    MQSO_FIXED_USERID,
    MQSO_MANAGED,
    MQSO_NEW_PUBLICATIONS_ONLY,
    MQSO_PUBLICATIONS_ON_REQUEST,
    MQSO_RESUME,
    MQSO_SET_CORREL_ID,
    MQSO_WILDCARD_CHAR,
    MQSO_WILDCARD_TOPIC,
    MQSR_ACTION_PUBLICATION,
)
from flintmq.mqi.reason import MQRC_HOBJ_ERROR, MQRC_NO_RETAINED_MSG
from flintmq.mqi.sd import MQSD

if TYPE_CHECKING:
    from flintmq.client.connection import Connection

WILDCARDS = {"topic": MQSO_WILDCARD_TOPIC, "character": MQSO_WILDCARD_CHAR}


def subscription_descriptor(
    topic: str,
    durable_name: str | None,
    selector: str | None,
    wildcard: str,
    queue: str | None,
    new_only: bool,
    on_request: bool,
    user_data: str,
    correlation_id: bytes | None,
    expiry: float | None,
    any_user: bool = False,
) -> MQSD:
    """Return the MQSD of `qm.subscribe`. A durable subscription is made or resumed."""
    if wildcard not in WILDCARDS:
        raise ValueError(f"wildcard is 'topic' (# and +) or 'character' (* and ?), not {wildcard!r}")
    sd = MQSD()
    sd.options = MQSO_CREATE | MQSO_FAIL_IF_QUIESCING | WILDCARDS[wildcard]
    sd.object_string = _text(topic, "topic")
    if durable_name is not None:
        if not durable_name:
            raise ValueError("a durable subscription has a name")
        sd.sub_name = _text(durable_name, "durable_name")
        sd.options |= MQSO_DURABLE | MQSO_RESUME | (MQSO_ANY_USERID if any_user else MQSO_FIXED_USERID)
    elif any_user:
        raise ValueError("any_user is about durable subscriptions: name one with durable_name")
    if queue is None:
        sd.options |= MQSO_MANAGED
    else:
        _text(queue, "queue")
    if new_only:
        sd.options |= MQSO_NEW_PUBLICATIONS_ONLY
    if on_request:
        sd.options |= MQSO_PUBLICATIONS_ON_REQUEST
    if selector:
        sd.selection_string = _text(selector, "selector")
    if user_data:
        sd.sub_user_data = _text(user_data, "user_data")
    if correlation_id is not None:
        sd.sub_correl_id = identifier(correlation_id, "correlation_id")
        sd.options |= MQSO_SET_CORREL_ID
    if expiry is not None:
        sd.sub_expiry = expiry_tenths(expiry)
    return sd


def _text(value: str, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is a str, not {type(value).__name__}")
    value.encode("utf-8")  # Raises UnicodeEncodeError.
    return value


class Subscribed:
    """A subscription and the connection that holds it, for the sync and the asyncio API."""

    sd: MQSD
    closed: bool = False
    #: It was closed, but is durable and still collects publications.
    kept: bool = False
    #: The queue of its publications.
    queue_name: str = ""
    #: Distinguishes its publications from other messages on a queue that is not the subscription's own.
    correlation_id: bytes | None = None

    def request(self) -> int:
        """Request the retained publications (MQSUBRQ). Return their number."""
        raise NotImplementedError

    def leave(self) -> None:
        """Close it: a durable subscription stays for the next time, another ends."""
        self.kept = self.kept or (not self.closed and self.sd.sub_name != "")
        self.close(MQCO_KEEP_SUB if self.sd.sub_name else MQCO_NONE)

    def remove(self) -> None:
        """End it, durable or not. Raise MQError (2019) if a durable one was closed: its handle has gone."""
        if self.kept:
            name = self.sd.sub_name
            text = (
                f"subscription {name} was closed and is kept: to remove it, subscribe with durable_name={name!r} first"
            )
            raise MQError(text, MQRC_HOBJ_ERROR)
        self.close(MQCO_REMOVE_SUB)

    def moved(self) -> bool:
        """Return whether publications come to another queue than before: the connection was lost and made again."""
        return False

    def close(self, options: int) -> None:
        """Close the subscription with these options. A second close does nothing."""
        raise NotImplementedError


class EmbeddedSubscribed(Subscribed):
    """A subscription of a queue manager in this process."""

    def __init__(self, connection: Connection, sd: MQSD, queue: str | None) -> None:
        self.connection = connection
        from flintmq.client.mqi import MQI  # Here: a remote client has another one.

        self.mqi = MQI(connection)
        self.sd = sd
        try:
            destination = None
            if queue is not None:
                # For output: a handle for input would keep others from a queue that is not shared.
                destination = connection._session.open(queue, MQOO_OUTPUT | MQOO_FAIL_IF_QUIESCING)
            hobj, self.hsub = self.mqi.sub(sd, destination)
        except BaseException:
            self.closed = True
            connection.close()
            raise
        self.queue_name = hobj.object_name
        self.correlation_id = sd.sub_correl_id if queue is not None else None

    def request(self) -> int:
        from flintmq.mqi.sro import MQSRO

        sro = MQSRO()
        try:
            self.mqi.subrq(self.hsub, MQSR_ACTION_PUBLICATION, sro)
        except MQError as error:
            if error.reason != MQRC_NO_RETAINED_MSG:
                raise
        return sro.num_pubs

    def close(self, options: int) -> None:
        if self.closed:
            return
        self.closed = True
        host = self.connection._host
        if host.state:
            return
        try:
            host.release_queue(self.queue_name)
            self.mqi.close(self.hsub, options)
        finally:
            self.connection.close()

    def __del__(self) -> None:
        if not self.closed:
            self.connection._host.orphans.append(self.connection._session.connection)
