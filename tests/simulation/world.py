"""A queue manager on a simulated disk, driven by a seed, with a model beside it.

Several applications put, get, select, browse with and without lock, commit, back out, prepare and resolve at random;
messages expire; an administrator defines, moves, clears and deletes queues; the host flushes the log and takes
checkpoints at random; buffer pools are so small that messages spill and come back all the time. At some moment,
possibly in the middle of any I/O operation, the machine stops: the log files lose, tear and reorder what was not
synced, of two copies one may lose a file, page sets lose what they had not synced. Or a sync fails: the queue manager
stops, its pages count as clean though they are not on the disk, and the next start must not believe them. Then the
queue manager is started again, and must hold what the model allows.

For some time the disk of the page sets may be full, over a restart, too: puts are refused, everything else goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from flintmq.catalogue.attribute import Value
from flintmq.log import Log, LogConfig, LogError, LogFull
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_LOCK,
    MQGMO_MARK_SKIP_BACKOUT,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQGMO_UNLOCK,
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
from flintmq.mqi.reason import (
    MQRC_NO_MSG_AVAILABLE,
    MQRC_NO_MSG_LOCKED,
    MQRC_NO_MSG_UNDER_CURSOR,
    MQRC_NONE,
    MQRC_OBJECT_IN_USE,
    MQRC_PAGESET_FULL,
    MQRC_RESOURCE_PROBLEM,
)
from flintmq.qmgr import expiry
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import create, restart
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.clock import Clock
from flintmq.qmgr.connect import abandon, connect
from flintmq.qmgr.connection import Connection, Handle
from flintmq.qmgr.message import AVAILABLE
from flintmq.qmgr.paging import pager_of
from flintmq.qmgr.security import Authority
from flintmq.qmgr.unit_of_work import prepare_unit, resolve_unit
from flintmq.store.check import check_page_set
from flintmq.store.errors import PageSetError, PageSetFull
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet
from tests.simulation.disk import SimulatedDisk
from tests.simulation.model import Fact, Item, State, survivors

QUEUES: dict[str, dict[str, Value]] = {
    "PLAIN": {"STGCLASS": "DEFAULT", "HARDENBO": "NOHARDENBO"},
    "INDEXED": {"STGCLASS": "DEFAULT", "INDXTYPE": "CORRELID", "HARDENBO": "HARDENBO"},
    "FIFO": {"STGCLASS": "OTHER", "MSGDLVSQ": "FIFO", "HARDENBO": "HARDENBO"},
    "HIGH": {"STGCLASS": "OTHER", "NPMCLASS": "HIGH", "INDXTYPE": "CORRELID", "HARDENBO": "NOHARDENBO"},
}
#: A put or a command may be refused so at any time: the log is full, the disk of a page set is full.
FULL = (MQRC_RESOURCE_PROBLEM, MQRC_PAGESET_FULL)
#: Queues that come and go.
GUESTS = ["GUEST.1", "GUEST.2"]
HARDENED = ("INDEXED", "FIFO")
NEVER_LOST = 1 << 62
CORREL_IDS = [bytes(24), *(bytes([n]) * 24 for n in range(1, 5))]

#: Selection strings, and what they say in terms of the model. The second is an id, which takes the index.
SELECTORS: dict[str, Callable[[Item], bool]] = {
    "JMSDeliveryMode = 'PERSISTENT'": lambda item: item.persistent,
    f'Root.MQMD.CorrelId = "0x{CORREL_IDS[1].hex()}"': lambda item: item.correl_id == CORREL_IDS[1],
    f"JMSCorrelationID IN ('ID:{CORREL_IDS[2].hex()}', 'ID:{CORREL_IDS[3].hex()}')": (
        lambda item: item.correl_id in CORREL_IDS[2:4]
    ),
    "JMSCorrelationID IS NULL AND Root.MQMD.Persistence <> 1": (
        lambda item: item.correl_id == CORREL_IDS[0] and not item.persistent
    ),
}


class Application:
    """One connection with a handle for each queue, and what it has done in its unit of work."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        #: By queue, and by queue and selection string.
        self.handles: dict[tuple[str, str], Handle] = {}
        self.added: list[Item] = []
        self.removed: list[Item] = []
        #: Got with MQGMO_MARK_SKIP_BACKOUT.
        self.skip: Item | None = None
        #: Browsed with MQGMO_LOCK, by queue.
        self.locks: dict[str, Item] = {}


class World:
    """See the docstring of the module."""

    #: The queues there are, and those that come and go.
    queues = QUEUES
    guests = GUESTS
    #: What else is defined, and is none of the model's business.
    objects: list[tuple[str, str, dict[str, Value]]] = []
    #: Whether the disk of the page sets may be full.
    full_disks = True

    def __init__(self, seed: int, crash_type: type[BaseException], failing: bool = True) -> None:
        self.seed = seed
        self.random = Random(seed)
        #: Decides about failures of the disk that are no crashes; None: there are none.
        self.faults: Random | None = Random(f"faults {seed}") if failing else None
        #: Page set syncs until one fails; -1: none does.
        self.syncs_left = -1
        #: Steps for which the disk of the page sets is full.
        self.full_steps = 0
        self.crash_type = crash_type
        self.disk = SimulatedDisk()
        self.page_sets: dict[int, MemoryPageSet] = {}
        self.io_left = -1
        self.number = 0
        self.xids = 0
        self.clock = Clock(1_700_000_000_000)
        #: Everything that the log says, as the state before the facts that a crash may still take, and those facts.
        self.base = State(set(self.queues))
        self.facts: list[Fact] = []
        #: What the running queue manager shows, non-persistent messages included; and who holds what.
        self.live = State(set(self.queues))
        self.held: set[int] = set()
        #: What happened in all runs together, so that a test can tell that the histories are worth something.
        self.spilled = 0
        self.loads = 0
        self.restarts = 0
        self.happened: dict[str, int] = {}
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
        #: How many of the messages have an expiry.
        self.expiring = random.choice([0.15, 0.15, 0.6])
        objects: list[tuple[str, str, dict[str, Value]]] = [
            ("QMGR", "SIM", {}),
            ("BUFFPOOL", "0", {"BUFFERS": buffers}),
            ("BUFFPOOL", "1", {"BUFFERS": buffers * 2}),
            ("PSID", "0", {"BUFFPOOL": 0}),
            ("PSID", "1", {"BUFFPOOL": 1}),
            ("STGCLASS", "DEFAULT", {"PSID": 0}),
            ("STGCLASS", "OTHER", {"PSID": 1}),
            *self.objects,
            *(("QLOCAL", name, dict(attributes)) for name, attributes in self.queues.items()),
        ]
        self.qm = create("SIM", self.clock, self.log, self.open_page_set, Authority(), objects)
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
        if what == "apply" and self.full_steps and self.faults is not None and self.faults.random() < 0.9:
            self.note("disk full")
            raise PageSetFull("psid", "the disk is full")
        if what == "sync" and self.syncs_left >= 0:
            self.syncs_left -= 1
            if self.syncs_left < 0:
                raise PageSetError("psid", "cannot be written: Input/output error")

    def begin(self) -> None:
        """A fresh run of the queue manager: connect the applications."""
        self.applications: list[Application] = []
        self.admin = Admin(self.qm)
        for number in range(self.random.choice([1, 2, 4])):
            reason, connection = connect(self.qm, f"app{number}", "sim")
            assert connection is not None, reason
            self.applications.append(Application(connection))

    def open(self, application: Application, name: str, selector: str = "") -> Handle:
        """The handle of an application for a queue; opened when it is first used."""
        handle = application.handles.get((name, selector))
        if handle is None:
            od = MQOD()
            od.object_name = name
            od.selection_string = selector
            handle = self.qm.open(application.connection, od, MQOO_INPUT_SHARED | MQOO_OUTPUT | MQOO_BROWSE)
            assert handle is not None, f"open of {name}: {application.connection.reason}"
            application.handles[(name, selector)] = handle
        return handle

    def close_everywhere(self, name: str) -> None:
        """Nobody has the queue open any more, and so nobody holds a browse lock on it."""
        for application in self.applications:
            for key in [key for key in application.handles if key[0] == name]:
                assert self.qm.close(application.connection, application.handles.pop(key)) == MQRC_NONE
            application.locks.pop(name, None)

    def note(self, what: str) -> None:
        self.happened[what] = self.happened.get(what, 0) + 1

    # -- steps ----------------------------------------------------------------------------------------------------

    def run(self, steps: int) -> None:
        """Do so many random steps. Raises the crash if one was provoked."""
        random = self.random
        actions = [self.put] * 8 + [self.get] * 7 + [self.commit] * 3 + [self.backout] * 2 + [self.flush] * 2
        actions += [self.checkpoint, self.prepare, self.resolve, self.look, self.scan]
        actions += [self.lock, self.unlock, self.get_under_cursor, self.clear, self.define, self.delete, self.move]
        favoured = random.choice([self.put, self.get, self.commit])
        actions += [favoured] * random.choice([0, 0, 6])
        for _ in range(steps):
            action = random.choice(actions)
            self.fill_disk()
            action()
            if self.qm.needs_checkpoint() or self.log.used_fraction > 0.4:
                self.checkpoint()
            self.clock.advance(random.choice([0, 1, 15]))

    def fill_disk(self) -> None:
        """Let the disk of the page sets be full for a while, or have room again."""
        if self.full_steps:
            self.full_steps -= 1
        elif self.full_disks and self.faults is not None and self.faults.random() < 0.01:
            self.full_steps = self.faults.choice([3, 20, 60])

    def some_queue(self) -> str:
        return self.random.choice(sorted(self.live.queues))

    def put(self) -> None:
        random = self.random
        application = random.choice(self.applications)
        name = self.some_queue()
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
        if random.random() < self.expiring:
            md.expiry = random.choice([1, 3, 10])
            item.expires_ms = self.clock.now_ms() + md.expiry * 100
        fact = Fact("commit")
        fact.added = [item]
        if item.persistent and not syncpoint:
            self.facts.append(fact)
        reason = self.qm.put(application.connection, self.open(application, name), md, pmo, data)
        if reason in FULL:
            if reason == MQRC_PAGESET_FULL:
                assert self.qm.queues[name].account.disk_full
                self.note("put refused")
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
        name = self.some_queue()
        md, gmo = MQMD(), MQGMO()
        gmo.options = MQGMO_SYNCPOINT if random.random() < 0.6 else MQGMO_NO_SYNCPOINT
        if gmo.options & MQGMO_SYNCPOINT and application.skip is None and random.random() < 0.1:
            gmo.options |= MQGMO_MARK_SKIP_BACKOUT
        if random.random() < 0.4:
            md.correl_id = random.choice(CORREL_IDS)
        selector = random.choice(list(SELECTORS)) if random.random() < 0.3 else ""
        syncpoint = gmo.options & MQGMO_SYNCPOINT != 0
        # A selector has a handle of its own, which does not see what the other one has locked.
        expected = self.expected(name, application if not selector else None, application if syncpoint else None)
        if md.correl_id != CORREL_IDS[0]:
            expected = [item for item in expected if item.correl_id == md.correl_id]
        if selector:
            expected = [item for item in expected if SELECTORS[selector](item)]
        item = expected[0] if expected else None
        if self.take(application, name, md, gmo, item, MQRC_NO_MSG_AVAILABLE, selector) and selector:
            self.note("selected")

    def take(
        self,
        application: Application,
        name: str,
        md: MQMD,
        gmo: MQGMO,
        item: Item | None,
        otherwise: int,
        selector: str = "",
    ) -> bool:
        """A get that must return `item`, or for None the reason `otherwise`. Returns whether it took the message."""
        syncpoint = gmo.options & MQGMO_SYNCPOINT != 0
        own = item in application.added
        fact = Fact("commit")
        logged = item is not None and not syncpoint and item.persistent
        if item is not None and logged:
            fact.removed = [item]
            self.facts.append(fact)
        reason = self.qm.get(application.connection, self.open(application, name, selector), md, gmo)
        if reason == MQRC_RESOURCE_PROBLEM and logged:
            self.facts.remove(fact)
            return False
        if item is None:
            assert reason == otherwise, f"get from {name}: {reason}, expected {otherwise}"
            return False
        assert reason == MQRC_NONE, f"get from {name}: {reason}, expected {item.number}"
        self.compare(name, application.connection, md, item)
        if application.locks.get(name) is item:
            del application.locks[name]
        if own:  # Put and got in one unit: gone, and the log never hears of it (U4).
            application.added.remove(item)
            self.note("own put")
        elif syncpoint:
            application.removed.append(item)
            self.held.add(item.number)
            if gmo.options & MQGMO_MARK_SKIP_BACKOUT:
                application.skip = item
        else:
            fact.position = application.connection.force
            del self.live.items[item.number]
        return True

    def compare(self, name: str, connection: Connection, md: MQMD, item: Item) -> None:
        """What a get or browse returned must be `item`."""
        assert connection.data == item.data, f"{name}: {connection.data[:12]!r}, expected {item.data[:12]!r}"
        assert item.seen(md.backout_count), (
            f"{name}: message {item.number} has BackoutCount {md.backout_count}, "
            f"expected {item.backouts_min} to {item.backouts_max}"
        )

    def expected(self, name: str, owner: Application | None = None, unit: Application | None = None) -> list[Item]:
        """What anybody finds, or `owner`, through the handle by which it has locked a message: that too.

        A get or browse in the unit of work of `unit` also finds what that has put and not committed (U3).
        """
        locked = {
            lock.number
            for application in self.applications
            for queue, lock in application.locks.items()
            if queue == name and application is not owner
        }
        now = self.clock.now_ms()
        found = [item for item in self.live.visible(name, now) if item.number not in self.held]
        if unit is not None:
            found += [item for item in unit.added if item.queue == name and not 0 < item.expires_ms <= now]
            found.sort(key=lambda item: item.order)
        return [item for item in found if item.number not in locked]

    # -- browse locks ---------------------------------------------------------------------------------------------

    def lock(self) -> None:
        """Browse the first message and lock it; a lock that the handle had on another one is given up."""
        application = self.random.choice(self.applications)
        name = self.some_queue()
        expected = self.expected(name, application, application)
        md, gmo = MQMD(), MQGMO()
        gmo.options = MQGMO_BROWSE_FIRST | MQGMO_LOCK
        reason = self.qm.get(application.connection, self.open(application, name), md, gmo)
        if not expected:
            assert reason == MQRC_NO_MSG_AVAILABLE, f"lock on {name}: {reason}, expected none"
            return
        assert reason == MQRC_NONE, f"lock on {name}: {reason}, expected {expected[0].number}"
        self.compare(name, application.connection, md, expected[0])
        application.locks[name] = expected[0]
        self.note("lock")

    def unlock(self) -> None:
        for application in self.applications:
            for name in list(application.locks):
                if self.random.random() < 0.5:
                    self.give_up_lock(application, name)

    def give_up_lock(self, application: Application, name: str) -> None:
        item = application.locks.pop(name, None)
        if item is None:
            return
        gmo = MQGMO()
        gmo.options = MQGMO_UNLOCK
        reason = self.qm.get(application.connection, self.open(application, name), MQMD(), gmo)
        gone = 0 < item.expires_ms <= self.clock.now_ms() and reason == MQRC_NO_MSG_LOCKED
        assert gone or reason == MQRC_NONE, f"unlock on {name}: {reason}"

    def get_under_cursor(self) -> None:
        """Take the message that was browsed and locked: nobody else can have done so."""
        holders = [application for application in self.applications if application.locks]
        if not holders:
            return
        application = self.random.choice(holders)
        name = self.random.choice(sorted(application.locks))
        locked: Item | None = application.locks[name]
        if locked is not None and 0 < locked.expires_ms <= self.clock.now_ms():
            locked = None
        gmo = MQGMO()
        gmo.options = MQGMO_MSG_UNDER_CURSOR
        gmo.options |= MQGMO_SYNCPOINT if self.random.random() < 0.6 else MQGMO_NO_SYNCPOINT
        outside = gmo.options & MQGMO_NO_SYNCPOINT != 0 and locked in application.added
        if outside or any(locked in fact.added for fact in self.live.in_doubt.values()):
            locked = None  # Only a get in the unit that has put it may take it.
        if self.take(application, name, MQMD(), gmo, locked, MQRC_NO_MSG_UNDER_CURSOR):
            self.note("get under cursor")

    # -- administration -------------------------------------------------------------------------------------------

    def in_use(self, name: str) -> bool:
        """Whether there is uncommitted work on a queue."""
        return self.live.uncommitted(name) or any(
            item.queue == name for application in self.applications for item in application.added + application.removed
        )

    def administer(self, kind: str, name: str, call: Callable[[], int]) -> None:
        """Do something to a queue that is refused while there is uncommitted work on it."""
        refused = kind != "define" and self.in_use(name)
        fact = Fact(kind, queue=name)
        if not refused:
            self.facts.append(fact)
        reason = call()
        if refused:
            assert reason == MQRC_OBJECT_IN_USE, f"{kind} {name}: {reason}"
            return
        if reason in FULL:
            self.facts.remove(fact)
            return
        assert reason == MQRC_NONE, f"{kind} {name}: {reason}"
        fact.position = self.admin.force
        if not fact.position:  # Nothing was there to be cleared.
            self.facts.remove(fact)
        self.live.apply(fact)
        self.note(kind)

    def clear(self) -> None:
        if self.random.random() < 0.5:
            name = self.some_queue()
            self.close_everywhere(name)
            self.administer("clear", name, lambda: self.admin.clear(name))

    def define(self) -> None:
        absent = [name for name in self.guests if name not in self.live.queues]
        if absent:
            name = self.random.choice(absent)
            attributes: dict[str, Value] = {"STGCLASS": self.random.choice(["DEFAULT", "OTHER"])}
            if self.random.random() < 0.5:
                attributes["INDXTYPE"] = "CORRELID"
            self.administer("define", name, lambda: self.admin.define("QLOCAL", name, attributes, False))

    def delete(self) -> None:
        present = [name for name in self.guests if name in self.live.queues]
        if present and self.random.random() < 0.5:
            name = self.random.choice(present)
            self.close_everywhere(name)
            self.administer("delete", name, lambda: self.admin.delete("QLOCAL", name, True))

    def move(self) -> None:
        """ALTER STGCLASS: an empty queue goes to the other page set."""
        name = self.some_queue()
        queue = self.qm.queues[name]
        if queue.depth == 0 and not self.in_use(name):
            changes: dict[str, Value] = {"STGCLASS": "DEFAULT" if queue.pager.psid == 1 else "OTHER"}
            self.administer("alter", name, lambda: self.admin.alter("QLOCAL", name, changes, False))

    # -- units of work --------------------------------------------------------------------------------------------

    def commit(self) -> None:
        application = self.random.choice(self.applications)
        fact = Fact("commit")
        fact.added = [item for item in application.added if item.persistent]
        fact.removed = [item for item in application.removed if item.persistent]
        logged = bool(fact.added or fact.removed)
        if logged:
            self.facts.append(fact)
        reason = self.qm.commit(application.connection)
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
        application.added, application.removed, application.skip = [], [], None

    def backout(self) -> None:
        application = self.random.choice(self.applications)
        returned = [item for item in application.removed if item is not application.skip]
        records = self.log.counters.records
        assert self.qm.back(application.connection) == MQRC_NONE
        for item in returned:
            self.held.discard(item.number)
        self.count_backouts(returned, self.log.counters.records - records)
        self.forget_locks(application.added)
        application.added = []
        application.removed = [application.skip] if application.skip is not None else []
        application.skip = None

    def forget_locks(self, gone: list[Item]) -> None:
        """Puts were backed out: a browse lock on one of these messages is no more."""
        for application in self.applications:
            application.locks = {name: item for name, item in application.locks.items() if item not in gone}

    def count_backouts(self, returned: list[Item], logged: int) -> None:
        """The log has `logged` hardened counts; when it is full there are fewer than there should be, or none."""
        hardened = [item for item in returned if item.persistent and item.queue in HARDENED]
        complete = logged >= len(hardened)
        for item in returned:
            item.backed_out(self.log.end if complete and item in hardened else 0)

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
        try:
            fact.position = prepare_unit(self.qm, unit)
        except LogFull:
            self.facts.remove(fact)
            return
        application.connection.unit = None
        self.qm.in_doubt[unit.xid] = unit
        self.live.apply(fact)
        for item in application.removed:
            self.held.discard(item.number)
        application.added, application.removed, application.skip = [], [], None

    def resolve(self) -> None:
        if not self.qm.in_doubt:
            return
        xid = self.random.choice(sorted(self.qm.in_doubt))
        commit_it = self.random.random() < 0.6
        fact = Fact("resolve-commit" if commit_it else "resolve-backout", xid)
        self.facts.append(fact)
        unit = self.qm.in_doubt[xid]
        records = self.log.counters.records
        try:
            fact.position = resolve_unit(self.qm, unit, commit_it, False)
        except LogFull:
            self.facts.remove(fact)
            return
        del self.qm.in_doubt[xid]
        prepared = self.live.in_doubt[xid]
        self.live.apply(fact)
        if not commit_it:
            self.forget_locks(prepared.added)
            self.count_backouts(prepared.removed, self.log.counters.records - records - 1)

    def flush(self) -> None:
        self.log.flush()

    def checkpoint(self) -> None:
        checkpoint(self.qm)

    def scan(self) -> None:
        """Look for expired messages, as EXPRYINT or REFRESH QMGR does; sometimes it is left in the middle."""
        random = self.random
        if self.qm.expiry.scan is None:
            expiry.refresh(self.qm, random.choice(["*", "*", "F*", "GUEST.*"]))
        everything = self.qm.expiry.scan is None and self.qm.expiry.wanted == ["*"]
        before = self.qm.counters.expired
        more = True
        while more and random.random() < 0.8:
            more = expiry.scan(self.qm, self.clock.now_ms(), random.choice([1, 3, 100]))
        if self.qm.counters.expired > before:
            self.note("expired")
        if everything and not more and not self.qm.expiry.log_full:
            self.nothing_is_due()
            self.note("scan")
        self.qm.check()

    def nothing_is_due(self) -> None:
        """After a scan of everything, what has expired is held by somebody; on the page sets, too."""
        now = self.clock.now_ms()
        for queue in self.qm.queues.values():
            in_memory = {message.sequence: message for message in queue.messages_in_memory()}
            for message in in_memory.values():
                assert message.state != AVAILABLE or not 0 < message.expires_ms <= now, f"{queue.name}: not scanned"
            pager = pager_of(queue)
            dead = {number for home in pager.dirty.values() if home.queue_id == queue.queue_id for number in home.dead}
            for volatile, lane, first, last, _ in pager.page_set.lanes(queue.queue_id):
                at = first
                while at <= last:
                    chunk = pager.page_set.chunk_at(volatile, queue.queue_id, lane, at)
                    assert chunk is not None
                    for slot in chunk.slots():
                        if 0 < slot.expires <= now and slot.sequence not in dead:
                            assert slot.sequence in in_memory, f"{queue.name}: {slot.sequence} is on the page set"
                            self.note("expired in memory and on the page set")
                    at = chunk.last + 1
        for page_set in self.page_sets.values():
            check_page_set(page_set)

    def look(self) -> None:
        """Compare a queue with the model, through browse, and check every invariant."""
        name = self.some_queue()
        self.give_up_lock(self.applications[0], name)
        found = self.browse(name)
        application = self.applications[0]
        expected = [item.data for item in self.expected(name, application, application)]
        assert found == expected, difference(name, found, expected)
        self.qm.check()

    def browse(self, name: str) -> list[bytes]:
        application = self.applications[0]
        handle = self.open(application, name)
        found: list[bytes] = []
        gmo = MQGMO()
        gmo.options = MQGMO_BROWSE_FIRST
        while self.qm.get(application.connection, handle, MQMD(), gmo) == MQRC_NONE:
            found.append(application.connection.data)
            gmo.options = MQGMO_BROWSE_NEXT
        assert application.connection.reason == MQRC_NO_MSG_AVAILABLE
        return found

    # -- the end of a run, and the next ---------------------------------------------------------------------------

    def provoke(self) -> None:
        """Let the machine stop, or a sync fail, at one of the next I/O operations, of the log or of a page set."""
        if self.faults is not None and self.faults.random() < 0.4:
            if self.faults.random() < 0.8:
                self.disk.fail_sync(self.faults.randrange(1, 25), self.faults)
            else:
                self.syncs_left = self.faults.randrange(0, 4)
        elif self.random.random() < 0.6:
            self.disk.fail_at(self.random.randrange(1, 60))
        else:
            self.io_left = self.random.randrange(0, 12)

    def stop_if_failed(self) -> None:
        """Raise LogError if a sync has failed in a call that only answered that it was refused."""
        if not self.log._ready:
            raise LogError(self.log._refusal)

    def failed(self, error: Exception) -> None:
        """A sync has failed, and the queue manager has stopped. Start again; the machine may have stopped, too."""
        if "Input/output error" not in str(error):
            raise error
        self.note("sync failed")
        assert self.faults is not None
        self.crash(self.faults.random() < 0.8)
        if self.faults.random() < 0.7:  # What the start has shown and built upon must survive a power loss.
            self.run(self.faults.choice([0, 3, 10]))
            self.flush()
            self.crash(False)

    def crash(self, only_process: bool | None = None) -> None:
        """The machine stops; what was not synced is torn, lost and reordered. Start again and compare.

        `only_process`: the machine goes on, or stops, for certain.
        """
        random = self.random
        acknowledged = 0
        for count, fact in enumerate(self.facts, 1):
            if 0 < fact.position <= self.log.durable:
                acknowledged = count
        if random.random() < 0.25 if only_process is None else only_process:
            self.disk = self.disk.kill()
            lost = 0
        else:
            self.disk = self.disk.crash(random)
            lost = 99
        for psid, page_set in self.page_sets.items():
            self.page_sets[psid] = page_set.crash(random.randint(0, min(lost, page_set.unsynced)))
        self.io_left = self.syncs_left = -1
        durable = self.log.durable
        if self.log.config.second_copy and random.random() < 0.4:
            self.lose_a_file()
        self.start()
        self.settle_facts(acknowledged, durable)

    def lose_a_file(self) -> None:
        """Dual logging: a log file of one of the copies, and nothing of the other one, is gone."""
        directory = self.random.choice(["log/", self.log.config.second_copy + "/"])
        paths = [path for path in self.disk.paths() if path.startswith(directory) and path.endswith(".LOG")]
        if paths:
            self.disk.discard(self.random.choice(paths))
            self.note("file lost")

    def end_of_run(self) -> None:
        """Keep the figures of a queue manager that is gone."""
        self.restarts += 1
        for pager in self.qm.pagers.values():
            self.spilled += pager.spilled_messages
            self.loads += pager.loads

    def start(self) -> None:
        self.end_of_run()
        if self.random.random() < 0.2:  # A start that is itself cut off must do no harm.
            self.provoke()
            try:
                self.log = Log.open(self.disk, "log")
                restart("SIM", self.clock, self.log, self.open_page_set, Authority())
            except (LogError, PageSetError, OSError) as error:
                assert "Input/output error" in str(error), error
                self.note("sync failed at start")
                self.disk = self.disk.kill()
                for psid, page_set in self.page_sets.items():
                    self.page_sets[psid] = page_set.crash(0)
            except self.crash_type:
                self.disk = self.disk.crash(self.random)
                for psid, page_set in self.page_sets.items():
                    self.page_sets[psid] = page_set.crash(self.random.randint(0, page_set.unsynced))
            else:
                self.disk = self.disk.kill()
                for psid, page_set in self.page_sets.items():
                    self.page_sets[psid] = page_set.crash(0)
            self.io_left = self.syncs_left = -1
        self.log = Log.open(self.disk, "log")
        self.qm = restart("SIM", self.clock, self.log, self.open_page_set, Authority())
        self.qm.check()
        self.begin()

    def settle_facts(self, acknowledged: int, durable: int) -> None:
        """Find the first part of the facts that the queue manager shows; fail if there is none."""
        state = self.base.copy()
        for fact in self.facts[:acknowledged]:
            state.apply(fact)
        found = {name: self.browse(name) for name in self.names()}
        in_doubt = set(self.qm.in_doubt)
        tried = survivors(state)
        shortest = tried
        rest = self.facts[acknowledged:]
        while not self.fits(tried, found, in_doubt):
            if not rest:
                assert set(found) == shortest.queues, f"queues: {sorted(found)}, expected {sorted(shortest.queues)}"
                for name in shortest.queues:
                    expected = self.shown(shortest, name)
                    assert found[name] == expected, difference(name, found[name], expected)
                assert in_doubt == set(shortest.in_doubt), f"in doubt: {in_doubt}, expected {set(shortest.in_doubt)}"
                raise AssertionError(f"neither {acknowledged} of {len(self.facts)} facts nor any more of them")
            state.apply(rest.pop(0))
            tried = survivors(state)
        self.forget_run(tried, tried, durable)

    def forget_run(self, durable_state: State, shown: State, durable: int) -> None:
        """The next run begins with what this one has left."""
        self.base = durable_state
        self.live = shown.copy()
        self.facts = []
        self.held = set()
        for item in self.live.items.values():
            item.restarted(durable)
        for fact in self.live.in_doubt.values():
            for item in fact.added:  # It was backed out, maybe, before the crash took back the end of its unit.
                item.restarted(durable)

    def fits(self, state: State, found: dict[str, list[bytes]], in_doubt: set[bytes]) -> bool:
        if set(state.in_doubt) != in_doubt or state.queues != set(found):
            return False
        return all(found[name] == self.shown(state, name) for name in found)

    def names(self) -> set[str]:
        """Everything that the model knows about, as the queue manager has it."""
        return set(self.qm.queues)

    def shown(self, state: State, name: str) -> list[bytes]:
        """What a browse of `name` must return in that state."""
        return [item.data for item in state.visible(name, self.clock.now_ms())]

    def clean_end(self) -> None:
        """An orderly end and start: committed work is there, NPMCLASS(HIGH) messages too, other non-persistent not.

        If the disk is full, NPMCLASS(HIGH) messages may be lost as well.
        """
        for application in self.applications:
            records = self.log.counters.records
            abandon(self.qm, application.connection)
            self.count_backouts(application.removed, self.log.counters.records - records)
        kept = checkpoint(self.qm, keep_nonpersistent=True)
        assert kept or self.full_steps
        self.full_steps = 0  # Else what was kept would come back at a later start.
        self.log.close()
        for psid, page_set in self.page_sets.items():
            self.page_sets[psid] = page_set.reopen()
        expected = survivors(self.live)
        high = self.live.visible("HIGH", self.clock.now_ms())
        for item in high:
            expected.items[item.number] = item
        self.end_of_run()
        self.log = Log.open(self.disk, "log")
        self.qm = restart("SIM", self.clock, self.log, self.open_page_set, Authority())
        self.qm.check()
        self.begin()
        if not kept and self.browse("HIGH") != self.shown(expected, "HIGH"):
            for item in high:
                if not item.persistent:
                    del expected.items[item.number]
        self.forget_run(survivors(expected), expected, NEVER_LOST)
        assert self.names() == expected.queues
        for name in expected.queues:
            found = self.browse(name)
            wanted = self.shown(expected, name)
            assert found == wanted, difference(name, found, wanted)


def difference(name: str, found: list[bytes], expected: list[bytes]) -> str:
    """What is lost, doubled or out of order, for a failure."""

    def number(data: bytes) -> str:
        return data.partition(b":")[0].decode()

    lost = [number(data) for data in expected if data not in found]
    extra = [number(data) for data in found if data not in expected or found.count(data) > 1]
    order = "" if sorted(found) != sorted(expected) else "; the order differs"
    return f"{name}: lost {lost}, extra {extra}{order}"
