"""select: CPU per get with a selection string, at depths of 0 to 100,000 unwanted messages, and with 1 to 15 getters.

1 KiB non-persistent messages in memory. Unwanted messages stand in front of the wanted ones. A wanted message is put,
and then got through a handle with a selection string; figures of gets are of gets only. The floor of every figure at a
depth is the same figure at depth 0 in the same run; bar: 1.5.

    correlid_DEPTH       JMSCorrelationID = 'ID:...', which takes the index (B223, B228)
    property_DEPTH       a property in an MQRFH2 of the message: wanted = 'yes' (B226)
    put_property_DEPTH   the put of such a message while the queue is open with that string: there it is evaluated
    backlog              the first get through a new string that the queue was not open with before, by the message that
                         was there already; its floor is what the put of one cost
    descriptor           a get by the CorrelId of the descriptor; floor of correlid_0 and property_0 (B225: the order of
                         the three by cost)
    put_1, put_15        a put of a message with so many properties; floor: without any (B224)
    getters_15           put and get of messages for 15 waiting getters, each with a value of its own in its selection
                         string; floor: the same number of messages for one getter (B227, B230). Bar: 1.5
    getters_15_like      the same with LIKE, for which there is no table: each message is evaluated by all 15

    ./flint bench select
"""

from __future__ import annotations

from benchmarks.frame import Figure, Options, cpu_seconds
from benchmarks.qmgr.rig import Rig
from flintmq.mqi.constants import (
    MQFMT_RF_HEADER_2,
    MQGMO_NO_SYNCPOINT,
    MQGMO_WAIT,
    MQOO_INPUT_SHARED,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.qmgr.connection import WAITING, Connection, Handle

NAME = "select"
BUFFERS = 250_000  # All messages stay in memory.
LENGTH = 1024
NO_ID = bytes(24)
WANTED_ID = b"WMQ70SampleCorrelationID"
BY_ID = f"JMSCorrelationID = 'ID:{WANTED_ID.hex()}'"
BY_PROPERTY = "wanted = 'yes'"
GETTERS = 15


def with_properties(*pairs: tuple[str, str]) -> bytes:
    """Data of the usual length that begins with an MQRFH2 with these properties."""
    header = MQRFH2()
    header.folders = ["<usr>" + "".join(f"<{name}>{value}</{name}>" for name, value in pairs) + "</usr>"]
    header.coded_char_set_id = 1208
    packed = header.pack(False, 1208)
    return packed + bytes(LENGTH - len(packed))


class Load:
    """Puts and gets on one queue."""

    def __init__(self, rig: Rig, queue: str) -> None:
        self.rig = rig
        self.queue = queue
        self.connection, self.handle = rig.open(queue)
        self.number = 0
        self.pmo = MQPMO()
        self.pmo.options = MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID
        self.gmo = MQGMO()
        self.gmo.options = MQGMO_NO_SYNCPOINT

    def open(self, selector: str) -> tuple[Connection, Handle]:
        """A connection of its own with a selection string."""
        reason, connection = self.rig.qm.connect("bench", "user")
        assert connection is not None, reason
        od = MQOD()
        od.object_name = self.queue
        od.selection_string = selector
        handle = self.rig.qm.open(connection, od, MQOO_INPUT_SHARED)
        assert handle is not None, connection.reason
        return connection, handle

    def put(self, count: int, data: bytes, correl_id: bytes = NO_ID) -> float:
        """Put messages; CPU seconds. Without a correlation id each gets one of its own."""
        qm, connection, handle, pmo, md = self.rig.qm, self.connection, self.handle, self.pmo, MQMD()
        started = cpu_seconds()
        for _ in range(count):
            self.number += 1
            md.correl_id = correl_id if correl_id != NO_ID else self.number.to_bytes(24, "big")
            md.format = MQFMT_RF_HEADER_2 if data[0] else ""
            md.coded_char_set_id = 1208
            if qm.put(connection, handle, md, pmo, data):
                raise RuntimeError(f"put failed: {connection.reason}")
        return cpu_seconds() - started

    def get(self, count: int, connection: Connection, handle: Handle, correl_id: bytes = NO_ID) -> float:
        """Get messages; CPU seconds."""
        qm, gmo, md = self.rig.qm, self.gmo, MQMD()
        started = cpu_seconds()
        for _ in range(count):
            md.msg_id = NO_ID
            md.correl_id = correl_id
            if qm.get(connection, handle, md, gmo):
                raise RuntimeError(f"get failed: {connection.reason}")
        return cpu_seconds() - started


def run(options: Options) -> list[Figure]:
    """Depths, then getters."""
    depths = {"0": 0, "1k": 1_000, "10k": 10_000, "100k": 100_000}
    if options.tiny:
        depths = {"0": 0, "1k": 10, "10k": 20, "100k": 30}
    calls = options.scale(2_000, 1_000, 5)
    rounds = options.scale(7, 3, 1)
    return [*at_depths(depths, calls, rounds), *with_getters(options.scale(3_000, 1_500, 30), rounds)]


def at_depths(depths: dict[str, int], calls: int, rounds: int) -> list[Figure]:
    """Gets by id and by property behind more and more unwanted messages."""
    unwanted, wanted = with_properties(("wanted", "no")), with_properties(("wanted", "yes"))
    best: dict[str, float] = {}

    def keep(name: str, seconds: float, count: int) -> None:
        best[name] = min(best.get(name, 1e9), seconds / count * 1e6)

    with Rig({"IDS": {}, "PROPERTIES": {}}, BUFFERS) as rig:
        ids, properties = Load(rig, "IDS"), Load(rig, "PROPERTIES")
        by_id, by_property = ids.open(BY_ID), properties.open(BY_PROPERTY)
        nothing(properties, by_property)
        for name, depth in depths.items():
            ids.put(depth - rig.qm.queues["IDS"].depth, bytes(LENGTH))
            properties.put(depth - rig.qm.queues["PROPERTIES"].depth, unwanted)
            for _ in range(rounds + 1):  # The first one, with everything cold, never wins.
                ids.put(calls, bytes(LENGTH), WANTED_ID)
                keep(f"correlid_{name}", ids.get(calls, *by_id), calls)
                keep(f"put_property_{name}", properties.put(calls, wanted), calls)
                keep(f"property_{name}", properties.get(calls, *by_property), calls)
                if depth == 0:
                    ids.put(calls, bytes(LENGTH), WANTED_ID)
                    keep("descriptor", ids.get(calls, ids.connection, ids.handle, WANTED_ID), calls)
                    keep("put_0", ids.put(calls, bytes(LENGTH)), calls)
                    ids.get(calls, ids.connection, ids.handle)
                    for count in (1, 15):
                        many = with_properties(*[(f"property{number}", "value") for number in range(count)])
                        keep(f"put_{count}", ids.put(calls, many), calls)
                        ids.get(calls, ids.connection, ids.handle)
        deepest = list(depths)[-1]
        keep("backlog", nothing(properties, properties.open("wanted = 'perhaps'")), max(1, depths[deepest]))
    floors = {"put_1": "put_0", "put_15": "put_0", "backlog": f"put_property_{deepest}", "put_0": "", "descriptor": ""}
    for kind in ("correlid", "property", "put_property"):
        for name in depths:
            floors[f"{kind}_{name}"] = f"{kind}_0" if name != "0" else ""
    floors["correlid_0"] = floors["property_0"] = "descriptor"
    return [Figure(name, best[name], "us", best.get(floor)) for name, floor in floors.items()]


def nothing(load: Load, getter: tuple[Connection, Handle]) -> float:
    """CPU seconds of a first get that has to look at everything, and finds nothing."""
    connection, handle = getter
    started = cpu_seconds()
    if load.rig.qm.get(connection, handle, MQMD(), load.gmo) != MQRC_NO_MSG_AVAILABLE:
        raise RuntimeError("a message was found that nobody has put")
    return cpu_seconds() - started


def with_getters(messages: int, rounds: int) -> list[Figure]:
    """The total for as many messages, with one getter and with fifteen."""
    one = many = like = 1e9
    for _ in range(rounds):
        one = min(one, waiting_getters(messages, ["getter = 'getter0'"]))
        many = min(many, waiting_getters(messages, [f"getter = 'getter{n}'" for n in range(GETTERS)]))
        like = min(like, waiting_getters(messages, [f"getter LIKE 'getter{n}'" for n in range(GETTERS)]))
    scale = 1e6 / messages
    return [
        Figure("getters_1", one * scale, "us"),
        Figure("getters_15", many * scale, "us", one * scale),
        Figure("getters_15_like", like * scale, "us", one * scale),
    ]


def waiting_getters(messages: int, selectors: list[str]) -> float:
    """CPU seconds to put messages, each for the next getter, which waits for it and then waits for another."""
    texts = [with_properties(("getter", f"getter{number}")) for number in range(len(selectors))]
    with Rig({"Q": {}}, BUFFERS) as rig:
        load = Load(rig, "Q")
        qm = rig.qm
        getters = [load.open(selector) for selector in selectors]
        gmos: list[MQGMO] = []
        for connection, handle in getters:
            gmo = MQGMO()
            gmo.options = MQGMO_NO_SYNCPOINT | MQGMO_WAIT
            gmo.wait_interval = -1
            gmos.append(gmo)
            if qm.get(connection, handle, MQMD(), gmo) != WAITING:
                raise RuntimeError("a getter did not wait")
        started = cpu_seconds()
        for number in range(messages):
            turn = number % len(getters)
            load.put(1, texts[turn])
            connection, handle = getters[turn]
            if len(qm.woken) != 1 or qm.woken[0].connection is not connection:
                raise RuntimeError("the message went to somebody else")
            qm.woken.clear()
            if qm.get(connection, handle, MQMD(), gmos[turn]) != WAITING:
                raise RuntimeError("a getter did not wait")
        return cpu_seconds() - started
