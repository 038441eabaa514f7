"""One API in four stacks: embedded and over a channel, sync and asyncio have the same methods and signatures.

Signatures are compared by name, kind, default and annotation of each parameter, and by what is returned, after names of
asyncio are replaced by those of the sync API (tools/generate_sync.py). METHODS is the documented list.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from pathlib import Path

import pytest

import flintmq
from flintmq.client.aio import EmbeddedTransaction
from flintmq.client.aio_seam import AsyncSeam
from flintmq.client.aio_topic import AsyncPublications
from flintmq.client.aio_typed import AsyncTypedMessages
from flintmq.client.base_connection import BaseConnection
from flintmq.client.embedded_consumer import EmbeddedConsumer
from flintmq.client.remote.aio import RemoteTransaction
from flintmq.client.remote.connect import Options
from flintmq.client.remote.connection import RemoteConnection
from flintmq.client.remote.consumer import RemoteConsumer
from flintmq.client.remote.subscribed import RemoteSubscribed
from flintmq.client.seam import Seam
from flintmq.client.subscribed import EmbeddedSubscribed, Subscribed
from flintmq.client.topic import Publications
from flintmq.client.typed import TypedMessages
from tools.generate_sync import sync_name

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "python-api.md"

#: sync, asyncio: classes that have the same methods.
PAIRS: list[tuple[type, type]] = [
    (flintmq.QueueManager, flintmq.AsyncQueueManager),
    (flintmq.RemoteQueueManager, flintmq.AsyncRemoteQueueManager),
    (flintmq.Queue, flintmq.AsyncQueue),
    (flintmq.TypedQueue, flintmq.AsyncTypedQueue),
    (flintmq.TypedTopic, flintmq.AsyncTypedTopic),
    (flintmq.TypedSubscription, flintmq.AsyncTypedSubscription),
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


def own_methods(kind: type) -> dict[str, object]:
    """What the class and its bases have, but for special methods."""
    return {name: inspect.getattr_static(kind, name) for name in dir(kind) if not name.startswith("__")}


@pytest.mark.parametrize(
    ("seam", "implementation"),
    [
        (BaseConnection, flintmq.Connection),
        (BaseConnection, RemoteConnection),
        (Seam, flintmq.QueueManager),
        (Seam, flintmq.RemoteQueueManager),
        (AsyncSeam, flintmq.AsyncQueueManager),
        (AsyncSeam, flintmq.AsyncRemoteQueueManager),
        (flintmq.AsyncTransaction, EmbeddedTransaction),
        (flintmq.AsyncTransaction, RemoteTransaction),
        (Subscribed, EmbeddedSubscribed),
        (Subscribed, RemoteSubscribed),
    ],
    ids=lambda kind: kind.__name__,
)
def test_an_implementation_has_the_methods_of_its_seam(seam: type, implementation: type) -> None:
    ours, theirs = own_methods(seam), own_methods(implementation)
    given = {**theirs, **getattr(implementation, "__annotations__", {})}
    assert {*ours} - {*given} == set()
    for name in ours:
        if inspect.isfunction(ours[name]):
            (parameters, _), (others, _) = called(ours[name]), called(theirs[name])
            assert parameters == others, name
            assert is_awaited(ours[name]) == is_awaited(theirs[name]), name


def called(member: object) -> tuple[object, str]:
    """Parameters and result of a method; a type of handles is as good as another."""
    assert callable(member)
    said = inspect.signature(member)
    kinds = r"\bRemoteHandle\b|\bHandle\b|\bH\b"
    return (
        [(each.name, each.kind, each.default, re.sub(kinds, "H", text_of(each.annotation)))
         for each in said.parameters.values()],
        re.sub(kinds, "H", text_of(said.return_annotation)),
    )  # fmt: skip


def is_awaited(member: object) -> bool:
    return inspect.iscoroutinefunction(member)


def test_a_connection_in_this_process_puts_and_gets_as_its_seam_says() -> None:
    """Its `_put` and `_get` are methods of its session, in a compiled module: so their source is read."""

    def parameters(module: str, name: str) -> list[str]:
        tree = ast.parse((ROOT / "src" / "flintmq" / "client" / module).read_text())
        (found,) = (each.args for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and each.name == name)
        return [each.arg for each in found.args] + [ast.dump(each) for each in found.defaults]

    assert parameters("thread_session.py", "put_message") == parameters("base_connection.py", "_put")
    assert parameters("thread_session.py", "get_message") == parameters("base_connection.py", "_get")


def test_the_seams_of_threads_and_tasks_have_the_same_calls() -> None:
    """What a queue or topic calls has one signature. A browse is another thing to each: see their docstrings."""
    sync, tasks = own_methods(BaseConnection), own_methods(AsyncSeam)
    same = {name for name in {*sync} & {*tasks} if inspect.isfunction(sync[name])} - {"_browse"}
    assert {"_put", "_get", "_get_many", "_request", "_browser", "_start_consumer", "_flush", "_run_mqsc"} <= same
    for name in same:
        ours, theirs = called(sync[name])[0], called(tasks[name])[0]
        assert ours == theirs, name


def test_the_four_doors_take_the_same_arguments_in_pairs() -> None:
    for door, asynchronous in ((flintmq.open, flintmq.aopen), (flintmq.connect, flintmq.aconnect)):
        parameters = [
            (each.name, each.kind, each.default, text_of(each.annotation))
            for each in inspect.signature(door).parameters.values()
        ]
        assert parameters == [
            (each.name, each.kind, each.default, text_of(each.annotation))
            for each in inspect.signature(asynchronous).parameters.values()
        ]


def test_what_all_four_have_is_the_documented_list() -> None:
    four = (
        flintmq.QueueManager,
        flintmq.RemoteQueueManager,
        flintmq.AsyncQueueManager,
        flintmq.AsyncRemoteQueueManager,
    )
    assert set.intersection(*({*members(kind)} for kind in four)) - {*SPECIAL} == METHODS


def section(title: str) -> str:
    """The text of a section of the reference page."""
    found = re.search(rf"(?ms)^## {title}$(.*?)(?=^## |\Z)", PAGE.read_text())
    assert found is not None, title
    return found[1]


def named(name: str, text: str) -> bool:
    """Whether a name is in code: alone, or with its parameters."""
    return re.search(rf"`{name}[(`]", text) is not None


@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("Queue manager", (flintmq.Transaction,)),
        ("Queue", (flintmq.Queue,)),
        ("Topic and subscription", (flintmq.Topic, flintmq.Subscription)),
        ("Message", (flintmq.Message,)),
        ("Consumers", (flintmq.Consumer,)),
        ("Queues of one type", (flintmq.TypedQueue, flintmq.TypedTopic, flintmq.TypedSubscription)),
    ],
)
def test_a_section_of_the_reference_page_lists_every_method(title: str, kinds: tuple[type, ...]) -> None:
    text = section(title)
    wanted = {name for kind in kinds for name in members(kind)} - {*SPECIAL}
    if title == "Queue manager":
        wanted |= METHODS
    assert {name for name in wanted if not named(name, text)} == set()


def test_the_reference_page_lists_the_arguments_of_the_doors_and_all_errors() -> None:
    text = section("Opening and connecting")
    arguments = {*inspect.signature(flintmq.open).parameters, "name", *Options.__annotations__}
    assert {name for name in arguments if not named(name, text)} == set()
    classes = {name: getattr(flintmq, name) for name in flintmq.__all__}
    errors = {name for name, each in classes.items() if isinstance(each, type) and issubclass(each, Exception)}
    assert {name for name in errors if not named(name, section("Errors"))} == set()
    fields = {each.name for each in dataclasses.fields(flintmq.Retry)}
    assert {name for name in fields if not named(name, section("Consumers"))} == set()


def test_the_reference_page_names_what_only_threads_have() -> None:
    before = PAGE.read_text().partition("## ")[0]
    for name in {*ONLY_SYNC, "pool", "len"}:
        assert re.search(rf"`[\w.]*\b{name}[(`]", before), name


def test_the_depth_of_an_asyncio_queue_says_how_to_ask_for_it() -> None:
    queue = flintmq.AsyncQueue.__new__(flintmq.AsyncQueue)
    with pytest.raises(AttributeError, match=r"await queue.inquire_depth\(\)"):
        queue.depth  # noqa: B018
