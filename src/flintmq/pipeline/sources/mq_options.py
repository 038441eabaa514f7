"""The options of the data source and sink `mq`, read and checked once, on the driver.

A password is never shown: `repr` leaves it out, and offsets, plans and errors do not have it. Give `passwordFile` or
`passwordEnv` rather than `password`, which Spark keeps among the options of the query.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from flintmq.pipeline.errors import BadOption

#: Where a connection goes: both the source and the sink have these.
CONNECTION = (
    "queueManager", "channel", "conn", "user", "password", "passwordFile", "passwordEnv", "ccdt", "dataDirectory",
    "cipherSpec", "keyRepository",
)  # fmt: skip
SOURCE = (
    "queue", "queues", "topic", "subscription", "partitions", "maxMessages", "body", "columns", "shared", "missing",
)  # fmt: skip
SINK = ("queue", "stateQueue", "writeId", "persistence", "branchMessages")
#: Options that Spark itself adds.
SPARK = ("path", "checkpointLocation", "queryName")

BODIES = ("binary", "text", "json", "raw")
MISSING = ("fail", "skip")
PERSISTENCE = {"no": 0, "yes": 1, "queue": 2}
NAME_LENGTH_MAX = 48
STATE_QUEUE = "FLINTMQ.SPARK.STATE"
MESSAGES_MAX = 100_000
#: MAXUMSGS of a queue manager as it is made is 10,000: a unit of work must not be longer.
BRANCH_MESSAGES = 10_000
PARTITION_MESSAGES_MIN = 5_000


@dataclass(frozen=True)
class Place:
    """Which queue manager, and how to get there. Without channel and conn: MQSERVER, a table, or this machine."""

    queue_manager: str = ""
    channel: str = ""
    conn: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    password_file: str = ""
    password_env: str = ""
    ccdt: str = ""
    data_directory: str = ""
    cipher_spec: str = ""
    key_repository: str = ""

    def secret(self) -> str:
        """Read the password where it is used: on the machine of the task. Raises BadOption."""
        if self.password_file:
            try:
                return Path(self.password_file).read_text(encoding="utf-8").rstrip("\r\n")
            except OSError as error:
                raise BadOption(f"passwordFile {self.password_file}: {error.strerror or error}") from None
        if self.password_env:
            found = os.environ.get(self.password_env)
            if found is None:
                raise BadOption(f"passwordEnv names {self.password_env}, which is not set on this machine")
            return found
        return self.password


@dataclass(frozen=True)
class SourceOptions:
    """Of `spark.read` and `spark.readStream`."""

    place: Place
    queues: tuple[str, ...] = ()
    topic: str = ""
    subscription: str = ""
    partitions: int = 0
    messages_max: int = MESSAGES_MAX
    body: str = BODIES[0]
    columns: tuple[str, ...] = ()
    shared: bool = False
    skip_missing: bool = False


@dataclass(frozen=True)
class SinkOptions:
    """Of `df.write` and `df.writeStream`."""

    place: Place
    queue: str = ""
    state_queue: str = ""
    write_id: str = ""
    persistence: int = 1
    branch_messages: int = BRANCH_MESSAGES


def source_options(given: Mapping[str, str]) -> SourceOptions:
    """Read and check the options of the source. Raises BadOption."""
    options = _known("the source mq", given, (*CONNECTION, *SOURCE))
    queues = tuple(name.strip() for name in options.get("queues", options.get("queue", "")).split(",") if name.strip())
    topic, subscription = options.get("topic", ""), options.get("subscription", "")
    if "queue" in options and "queues" in options:
        raise BadOption("mq has queue or queues, not both")
    if bool(queues) == bool(subscription):
        raise BadOption("mq reads from queue (or queues), or from subscription: give one of them")
    if topic and not subscription:
        raise BadOption("topic needs subscription, the name of the durable subscription that keeps the publications")
    if len(set(queues)) < len(queues):
        raise BadOption(f"queues names one queue twice: {', '.join(queues)}")
    return SourceOptions(
        _place(options),
        tuple(_name("queue", name) for name in queues),
        topic,
        subscription,
        _number("partitions", options.get("partitions", "0"), 0),
        _number("maxMessages", options.get("maxmessages", str(MESSAGES_MAX)), 1),
        _one_of("body", options.get("body", BODIES[0]), BODIES),
        tuple(name.strip().lower() for name in options.get("columns", "").split(",") if name.strip()),
        _flag("shared", options.get("shared", "false")),
        _one_of("missing", options.get("missing", MISSING[0]), MISSING) == "skip",
    )


def sink_options(given: Mapping[str, str], streaming: bool) -> SinkOptions:
    """Read and check the options of the sink. Raises BadOption."""
    options = _known("the sink mq", given, (*CONNECTION, *SINK))
    write_id = options.get("writeid", "")
    if streaming and write_id:
        raise BadOption("writeId is for df.write: a stream is known by its checkpoint")
    state = options.get("statequeue", STATE_QUEUE if streaming or write_id else "")
    if state and not streaming and not write_id:
        raise BadOption("stateQueue needs writeId, the name under which a repeated write is recognised")
    return SinkOptions(
        _place(options),
        _name("queue", options["queue"]) if options.get("queue") else "",
        _name("stateQueue", state) if state else "",
        write_id,
        PERSISTENCE[_one_of("persistence", options.get("persistence", "yes"), tuple(PERSISTENCE))],
        _number("branchMessages", options.get("branchmessages", str(BRANCH_MESSAGES)), 1),
    )


def _known(what: str, given: Mapping[str, str], known: tuple[str, ...]) -> dict[str, str]:
    options = {name.lower(): value for name, value in given.items()}
    strange = sorted(set(options) - {name.lower() for name in (*known, *SPARK)})
    if strange:
        raise BadOption(f"{what} has no option {', '.join(strange)}; it has {', '.join(known)}")
    return options


def _place(options: Mapping[str, str]) -> Place:
    place = Place(
        options.get("queuemanager", ""),
        options.get("channel", ""),
        options.get("conn", ""),
        options.get("user", ""),
        options.get("password", ""),
        options.get("passwordfile", ""),
        options.get("passwordenv", ""),
        options.get("ccdt", ""),
        options.get("datadirectory", ""),
        options.get("cipherspec", ""),
        options.get("keyrepository", ""),
    )
    if bool(place.channel) != bool(place.conn):
        raise BadOption("channel and conn belong together: give both, or none")
    ways = {"conn": place.conn, "ccdt": place.ccdt, "dataDirectory": place.data_directory}
    given = [name for name, value in ways.items() if value]
    if len(given) > 1:
        raise BadOption(f"{' and '.join(given)} are different ways to a queue manager: give one of them")
    if place.data_directory and not place.queue_manager:
        raise BadOption("dataDirectory needs queueManager")
    if sum(map(bool, (place.password, place.password_file, place.password_env))) > 1:
        raise BadOption("the password is given by one of password, passwordFile and passwordEnv")
    return place


def _name(option: str, text: str) -> str:
    if len(text) > NAME_LENGTH_MAX or " " in text:
        raise BadOption(f"{option} is the name of a queue, up to {NAME_LENGTH_MAX} characters, not {text!r}")
    return text


def _number(option: str, text: str, least: int) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) < least:
        raise BadOption(f"{option} is a number from {least} on, not {text!r}")
    return int(text)


def _one_of(option: str, text: str, words: tuple[str, ...]) -> str:
    if text.lower() not in words:
        raise BadOption(f"{option} is {', '.join(words)}, not {text!r}")
    return text.lower()


def _flag(option: str, text: str) -> bool:
    return _one_of(option, text, ("false", "true")) == "true"
