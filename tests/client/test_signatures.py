"""One API in four stacks: embedded and over a channel, sync and asyncio have the same methods and signatures.

Signatures are compared by name, kind, default and annotation of each parameter, and by what is returned, after names of
asyncio are replaced by those of the sync API (tools/generate_sync.py). METHODS is the documented list.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import flintmq
from flintmq.client.aio_topic import AsyncPublications
from flintmq.client.aio_typed import AsyncTypedMessages
from flintmq.client.embedded_consumer import EmbeddedConsumer
from flintmq.client.remote.connection import RemoteConnection
from flintmq.client.remote.consumer import RemoteConsumer
from flintmq.client.topic import Publications
from flintmq.client.typed import TypedMessages
from tools.generate_sync import sync_name

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python-api.md"

#: sync, asyncio: classes that have the same methods.
PAIRS: list[tuple[type, type]] = [
    (flintmq.QueueManager, flintmq.AsyncQueueManager),
    (flintmq.RemoteQueueManager, flintmq.AsyncRemoteQueueManager),
    (flintmq.Queue, flintmq.AsyncQueue),
    (flintmq.TypedQueue, flintmq.AsyncTypedQueue),
    (flintmq.Topic, flintmq.AsyncTopic),
    (flintmq.Subscription, flintmq.AsyncSubscription),
    (flintmq.Transaction, flintmq.AsyncTransaction),
    (flintmq.Consumer, flintmq.AsyncConsumer),
    (flintmq.Browser, flintmq.AsyncBrowser),
    (flintmq.Messages, flintmq.AsyncMessages),
    (Publications, AsyncPublications),
    (TypedMessages, AsyncTypedMessages),
]

#: What only one side has, and why.
ONLY_SYNC = {
    "depth": "a property cannot wait: inquire_depth() is in all four",
    "mqi": "the MQI makes calls that block",
    "connect": "a thread may need a second unit of work; tasks have one each",
    "directory": "of the embedded queue manager only, for tools",
}
SPECIAL = ("__iter__", "__next__", "__enter__", "__exit__")

#: The methods of a queue manager that all four stacks have.
METHODS = {
    "backout",
    "close",
    "closed",
    "commit",
    "dead_letters",
    "flush",
    "mqsc",
    "name",
    "queue",
    "replay",
    "subscribe",
    "topic",
    "transaction",
}


def members(kind: type) -> dict[str, object]:
    found = {}
    for name in dir(kind):
        new = sync_name(name)
        if not name.startswith("_") or new in SPECIAL:
            found[new] = inspect.getattr_static(kind, name)
    return found


def text_of(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    text = re.sub(r"\b[A-Za-z_]\w*", lambda match: sync_name(match[0]), text)
    # The class itself, however it is written.
    return re.sub(r"\b(Self|(Remote)?(QueueManager|Connection)|(Embedded|Remote)?Transaction)\b", "Self", text)


def signature(member: object) -> object:
    if isinstance(member, property):
        return "property", text_of(inspect.signature(member.fget).return_annotation) if member.fget else ""
    if not callable(member):
        return "attribute"
    said = inspect.signature(member)
    parameters = [(each.name, each.kind, each.default, text_of(each.annotation)) for each in said.parameters.values()]
    return parameters, text_of(said.return_annotation)


@pytest.mark.parametrize(("sync", "asyncio"), PAIRS, ids=lambda kind: kind.__name__)
def test_sync_and_asyncio_have_the_same_methods_with_the_same_signatures(sync: type, asyncio: type) -> None:
    ours, theirs = members(sync), members(asyncio)
    assert {*ours} - {*ONLY_SYNC} == {*theirs}
    assert {name: signature(ours[name]) for name in theirs} == {name: signature(theirs[name]) for name in theirs}


def test_embedded_and_remote_have_the_same_methods_with_the_same_signatures() -> None:
    for one, other in (
        (flintmq.QueueManager, flintmq.RemoteQueueManager),
        (flintmq.AsyncQueueManager, flintmq.AsyncRemoteQueueManager),
        (flintmq.Connection, RemoteConnection),
        (EmbeddedConsumer, RemoteConsumer),
    ):
        ours, theirs = members(one), members(other)
        same = {*ours} & {*theirs}
        assert {*ours} ^ {*theirs} <= {"directory"}
        skipped = {"mqi", "connect"}  # The MQI over a channel and a connection over a channel are classes of their own.
        for name in same - skipped:
            assert signature(ours[name]) == signature(theirs[name]), (one, name)


def test_what_all_four_have_is_the_documented_list() -> None:
    four = (
        flintmq.QueueManager,
        flintmq.RemoteQueueManager,
        flintmq.AsyncQueueManager,
        flintmq.AsyncRemoteQueueManager,
    )
    assert set.intersection(*({*members(kind)} for kind in four)) - {*SPECIAL} == METHODS


@pytest.mark.parametrize(("sync", "asyncio"), PAIRS[2:8], ids=lambda kind: kind.__name__)
def test_the_reference_page_lists_every_method(sync: type, asyncio: type) -> None:
    page = PAGE.read_text()
    for name in {*members(sync), *(METHODS if sync is flintmq.Queue else ())} - {*SPECIAL}:
        assert re.search(rf"`{name}[(`]", page), name


def test_the_depth_of_an_asyncio_queue_says_how_to_ask_for_it() -> None:
    queue = flintmq.AsyncQueue.__new__(flintmq.AsyncQueue)
    with pytest.raises(AttributeError, match=r"await queue.inquire_depth\(\)"):
        queue.depth  # noqa: B018
