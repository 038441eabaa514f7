"""A queue manager on a simulated disk, driven by a seed, with a model beside it.

Several applications put, get, browse, commit, back out, prepare and resolve at random; the host flushes the log and
takes checkpoints at random; buffer pools are so small that messages spill and come back all the time. At some moment,
possibly in the middle of any I/O operation, the machine stops: the log files lose, tear and reorder what was not synced,
page sets lose what they had not synced. Then the queue manager is started again, and must hold what the model allows.
"""

from __future__ import annotations

from random import Random

from model import Fact, Item, State, survivors

from flintmq.log import Log, LogConfig
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQOO_BROWSE,
    MQOO_INPUT_SHARED,
    MQOO_OUTPUT,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NO_MSG_AVAILABLE, MQRC_NONE, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connect import connect
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.get import get
from flintmq.qmgr.open import open_object
from flintmq.qmgr.put import put
from flintmq.qmgr.restart import create, restart
from flintmq.qmgr.security import Authority
from flintmq.qmgr.unit_of_work import backout, commit, prepare_unit, resolve_unit
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet

QUEUES = {
    "PLAIN": {"STGCLASS": "DEFAULT"},
    "INDEXED": {"STGCLASS": "DEFAULT", "INDXTYPE": "CORRELID"},
    "FIFO": {"STGCLASS": "OTHER", "MSGDLVSQ": "FIFO"},
    "HIGH": {"STGCLASS": "OTHER", "NPMCLASS": "HIGH", "INDXTYPE": "CORRELID"},
}
CORREL_IDS = [bytes(24), *(bytes([n]) * 24 for n in range(1, 5))]


class Application:
    """One connection with a handle for each queue, and what it has done in its unit of work."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.handles: dict[str, Handle] = {}
        self.added: list[Item] = []
        self.removed: list[Item] = []


class World:
    """See the docstring of the module."""

    def __init__(self, seed: int, crash_type: type[BaseException]) -> None:
        from disk import SimulatedDisk

        self.seed = seed
        self.random = Random(seed)
        self.crash_type = crash_type
        self.disk = SimulatedDisk()
        self.page_sets: dict[int, MemoryPageSet] = {}
        self.io_left = -1
        self.number = 0
        self.xids = 0
        self.clock = Clock(1_700_000_000_000)
        #: Everything that the log says, as the state before the facts that a crash may still take, and those facts.
        self.base = State()
        self.facts: list[Fact] = []
        #: What the running queue manager shows, non-persistent messages included; and who holds what.
        self.live = State()
        self.held: set[int] = set()
        self.story: list[str] = []
        random = self.random
        config = LogConfig(
            file_pages=random.choice([4, 8, 64]),
            primary=random.choice([2, 3]),
            secondary=2,
            linear=random.random() < 0.3,
            second_copy="copy" if random.random() < 0.2 else "",
            compression=random.choice([0, 0, 1, 2]),
        )
        Log.create(self.disk, "log", config)
        self.log = Log.open(self.disk, "log")
        for _ in self.log.replay():
            raise AssertionError("a new log is not empty")
        buffers = random.choice([6, 12, 30, 100])
        objects: list[tuple[str, str, dict[str, object]]] = [
            ("QMGR", "SIM", {}),
            ("BUFFPOOL", "0", {"BUFFERS": buffers}),
            ("BUFFPOOL", "1", {"BUFFERS": buffers * 2}),
            ("PSID", "0", {"BUFFPOOL": 0}),
            ("PSID", "1", {"BUFFPOOL": 1}),
            ("STGCLASS", "DEFAULT", {"PSID": 0}),
            ("STGCLASS", "OTHER", {"PSID": 1}),
            *(("QLOCAL", name, dict(attributes)) for name, attributes in QUEUES.items()),
        ]
        self.qm = create("SIM", self.clock, self.log, self.open_page_set, Authority(), objects)  # type: ignore[arg-type]
        self.begin()

    # -- storage --------------------------------------------------------------------------------------------------

    def open_page_set(self, psid: int) -> PageSet:
        page_set = self.page_sets.get(psid)
        if page_set is None:
            page_set = self.page_sets[psid] = MemoryPageSet(simulate=True)
        page_set.before_io = self.before_io
        return page_set

    def before_io(self, what: str) -> None:
        if self.io_left == 0:
            raise self.crash_type(f"at page set {what}")
        if self.io_left > 0:
            self.io_left -= 1

    def begin(self) -> None:
        """A fresh run of the queue manager: connect the applications."""
        self.applications: list[Application] = []
        for number in range(self.random.choice([1, 2, 4])):
            reason, connection = connect(self.qm, f"app{number}", "sim")
            assert connection is not None, reason
            application = Application(connection)
            for name in QUEUES:
                od = MQOD()
                od.object_name = name
                handle = open_object(self.qm, connection, od, MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE)
                assert handle is not None, connection.reason
                application.handles[name] = handle
            self.applications.append(application)

    # -- steps ----------------------------------------------------------------------------------------------------

    def run(self, steps: int) -> None:
        """Do so many random steps. Raises the crash if one was provoked."""
        random = self.random
        actions = [self.put] * 8 + [self.get] * 7 + [self.commit] * 3 + [self.backout] * 2 + [self.flush] * 2
        actions += [self.checkpoint, self.prepare, self.resolve, self.look]
        favoured = random.choice([self.put, self.get, self.commit])
        actions += [favoured] * random.choice([0, 0, 6])
        for _ in range(steps):
            action = random.choice(actions)
            action()
            if self.qm.needs_checkpoint() or self.log.used_fraction > 0.4:
                self.checkpoint()
            self.clock.advance(random.choice([0, 1, 15]))

    def put(self) -> None:
        random = self.random
        application = random.choice(self.applications)
        name = random.choice(list(QUEUES))
        syncpoint = random.random() < 0.6
        self.number += 1
        size = random.choice([0, 10, 100, 1000, 4000, 9000])
        data = f"{self.number}:".encode() + bytes([self.number % 256]) * size
        md, pmo = MQMD(), MQPMO()
        md.persistence = 1 if random.random() < 0.7 else 0
        md.priority = random.choice([0, 0, 4, 9])
        md.correl_id = random.choice(CORREL_IDS)
        pmo.options = (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT) | MQPMO_NEW_MSG_ID
        lane = 0 if name == "FIFO" else md.priority
        item = Item(self.number, name, lane, md.persistence == 1, md.correl_id, data)
        fact = Fact("commit")
        fact.added = [item]
        if item.persistent and not syncpoint:
            self.facts.append(fact)
        reason = put(self.qm, application.connection, application.handles[name], md, pmo, data)
        if reason == MQRC_RESOURCE_PROBLEM:
            if item.persistent and not syncpoint:
                self.facts.remove(fact)
            return
        assert reason == MQRC_NONE, f"put: {reason}"
        if syncpoint:
            application.added.append(item)
        else:
            fact.position = application.connection.force
            assert (fact.position > 0) == item.persistent
            self.live.items[item.number] = item

    def get(self) -> None:
        random = self.random
        application = random.choice(self.applications)
        name = random.choice(list(QUEUES))
        syncpoint = random.random() < 0.6
        md, gmo = MQMD(), MQGMO()
        gmo.options = MQGMO_SYNCPOINT if syncpoint else MQGMO_NO_SYNCPOINT
        if random.random() < 0.4:
            md.correl_id = random.choice(CORREL_IDS)
        wanted = md.correl_id
        expected = self.expected(name)
        if wanted != CORREL_IDS[0]:
            expected = [item for item in expected if item.correl_id == wanted]
        item = expected[0] if expected else None
        fact = Fact("commit")
        logged = item is not None and not syncpoint and item.persistent
        if item is not None and logged:
            fact.removed = [item]
            self.facts.append(fact)
        reason = get(self.qm, application.connection, application.handles[name], md, gmo)
        if reason == MQRC_RESOURCE_PROBLEM and logged:
            self.facts.remove(fact)
            return
        if item is None:
            assert reason == MQRC_NO_MSG_AVAILABLE, f"get from {name}: {reason}, expected none"
            return
        assert reason == MQRC_NONE, f"get from {name}: {reason}, expected {item.number}"
        assert application.connection.data == item.data, (
            f"get from {name}: {application.connection.data[:12]!r}, expected {item.data[:12]!r}"
        )
        if syncpoint:
            application.removed.append(item)
            self.held.add(item.number)
        else:
            fact.position = application.connection.force
            del self.live.items[item.number]

    def expected(self, name: str) -> list[Item]:
        return [item for item in self.live.visible(name) if item.number not in self.held]

    def commit(self) -> None:
        application = self.random.choice(self.applications)
        fact = Fact("commit")
        fact.added = [item for item in application.added if item.persistent]
        fact.removed = [item for item in application.removed if item.persistent]
        logged = bool(fact.added or fact.removed)
        if logged:
            self.facts.append(fact)
        reason = commit(self.qm, application.connection)
        if reason == MQRC_RESOURCE_PROBLEM:
            self.facts.remove(fact)
            return
        assert reason == MQRC_NONE, f"commit: {reason}"
        fact.position = application.connection.force
        assert (fact.position > 0) == logged
        for item in application.added:
            self.live.items[item.number] = item
        for item in application.removed:
            del self.live.items[item.number]
            self.held.discard(item.number)
        application.added, application.removed = [], []

    def backout(self) -> None:
        application = self.random.choice(self.applications)
        assert backout(self.qm, application.connection) == MQRC_NONE
        for item in application.removed:
            self.held.discard(item.number)
        application.added, application.removed = [], []

    def prepare(self) -> None:
        application = self.random.choice(self.applications)
        unit = application.connection.unit
        if unit is None or not unit.work or len(self.qm.in_doubt) > 3:
            return
        self.xids += 1
        unit.xid = f"xid{self.xids}".encode()
        fact = Fact("prepare", unit.xid)
        fact.added, fact.removed = application.added, application.removed
        self.facts.append(fact)
        application.connection.unit = None
        fact.position = prepare_unit(self.qm, unit)
        self.qm.in_doubt[unit.xid] = unit
        self.live.apply(fact)
        for item in application.removed:
            self.held.discard(item.number)
        application.added, application.removed = [], []

    def resolve(self) -> None:
        if not self.qm.in_doubt:
            return
        xid = self.random.choice(sorted(self.qm.in_doubt))
        commit_it = self.random.random() < 0.6
        fact = Fact("resolve-commit" if commit_it else "resolve-backout", xid)
        self.facts.append(fact)
        unit = self.qm.in_doubt.pop(xid)
        fact.position = resolve_unit(self.qm, unit, commit_it)
        self.live.apply(fact)

    def flush(self) -> None:
        self.log.flush()

    def checkpoint(self) -> None:
        checkpoint(self.qm)

    def look(self) -> None:
        """Compare a queue with the model, through browse, and check every invariant."""
        name = self.random.choice(list(QUEUES))
        found = self.browse(name)
        expected = [item.data for item in self.expected(name)]
        assert found == expected, difference(name, found, expected)
        self.qm.check()

    def browse(self, name: str) -> list[bytes]:
        application = self.applications[0]
        found: list[bytes] = []
        gmo = MQGMO()
        gmo.options = MQGMO_BROWSE_FIRST
        while get(self.qm, application.connection, application.handles[name], MQMD(), gmo) == MQRC_NONE:
            found.append(application.connection.data)
            gmo.options = MQGMO_BROWSE_NEXT
        assert application.connection.reason == MQRC_NO_MSG_AVAILABLE
        return found

    # -- the end of a run, and the next ---------------------------------------------------------------------------

    def provoke(self) -> None:
        """Let the machine stop at one of the next I/O operations, of the log or of a page set."""
        if self.random.random() < 0.6:
            self.disk.fail_at(self.random.randrange(1, 60))
        else:
            self.io_left = self.random.randrange(0, 12)

    def crash(self) -> None:
        """The machine stops; what was not synced is torn, lost and reordered. Start again and compare."""
        random = self.random
        acknowledged = 0
        for count, fact in enumerate(self.facts, 1):
            if 0 < fact.position <= self.log.durable:
                acknowledged = count
        if random.random() < 0.25:
            self.disk = self.disk.kill()
            lost = 0
        else:
            self.disk = self.disk.crash(random)
            lost = 99
        for psid, page_set in self.page_sets.items():
            self.page_sets[psid] = page_set.crash(random.randint(0, min(lost, page_set.unsynced)))
        self.io_left = -1
        self.start()
        self.settle_facts(acknowledged)

    def start(self) -> None:
        if self.random.random() < 0.2:  # A start that is itself cut off must do no harm.
            self.provoke()
            try:
                self.log = Log.open(self.disk, "log")
                restart("SIM", self.clock, self.log, self.open_page_set, Authority())
            except self.crash_type:
                self.disk = self.disk.crash(self.random)
                for psid, page_set in self.page_sets.items():
                    self.page_sets[psid] = page_set.crash(self.random.randint(0, page_set.unsynced))
            else:
                self.disk = self.disk.kill()
                for psid, page_set in self.page_sets.items():
                    self.page_sets[psid] = page_set.crash(0)
            self.io_left = -1
        self.log = Log.open(self.disk, "log")
        self.qm = restart("SIM", self.clock, self.log, self.open_page_set, Authority())
        self.qm.check()
        self.begin()

    def settle_facts(self, acknowledged: int) -> None:
        """Find the first part of the facts that the queue manager shows; fail if there is none."""
        state = self.base.copy()
        for fact in self.facts[:acknowledged]:
            state.apply(fact)
        found = {name: self.browse(name) for name in QUEUES}
        in_doubt = set(self.qm.in_doubt)
        tried = survivors(state)
        shortest = tried
        rest = self.facts[acknowledged:]
        while not self.fits(tried, found, in_doubt):
            if not rest:
                for name in QUEUES:
                    expected = [item.data for item in shortest.visible(name)]
                    assert found[name] == expected, difference(name, found[name], expected)
                assert in_doubt == set(shortest.in_doubt), f"in doubt: {in_doubt}, expected {set(shortest.in_doubt)}"
            state.apply(rest.pop(0))
            tried = survivors(state)
        self.base = tried
        self.live = tried.copy()
        self.facts = []
        self.held = set()

    def fits(self, state: State, found: dict[str, list[bytes]], in_doubt: set[bytes]) -> bool:
        if set(state.in_doubt) != in_doubt:
            return False
        return all(found[name] == [item.data for item in state.visible(name)] for name in QUEUES)

    def clean_end(self) -> None:
        """An orderly end and start: committed work is all there, NPMCLASS(HIGH) messages too, other non-persistent not."""
        for application in self.applications:
            assert backout(self.qm, application.connection) == MQRC_NONE
        checkpoint(self.qm, keep_nonpersistent=True)
        self.log.close()
        for psid, page_set in self.page_sets.items():
            self.page_sets[psid] = page_set.reopen()
        expected = survivors(self.live)
        for item in self.live.visible("HIGH"):
            expected.items[item.number] = item
        self.log = Log.open(self.disk, "log")
        self.qm = restart("SIM", self.clock, self.log, self.open_page_set, Authority())
        self.qm.check()
        self.begin()
        self.base = survivors(expected)
        self.live = expected
        self.facts = []
        self.held = set()
        for name in QUEUES:
            found = self.browse(name)
            wanted = [item.data for item in expected.visible(name)]
            assert found == wanted, difference(name, found, wanted)


def difference(name: str, found: list[bytes], expected: list[bytes]) -> str:
    """What is lost, doubled or out of order, for a failure."""

    def number(data: bytes) -> str:
        return data.partition(b":")[0].decode()

    lost = [number(data) for data in expected if data not in found]
    extra = [number(data) for data in found if data not in expected or found.count(data) > 1]
    order = "" if sorted(found) != sorted(expected) else "; the order differs"
    return f"{name}: lost {lost}, extra {extra}{order}"
