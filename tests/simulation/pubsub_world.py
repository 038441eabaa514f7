"""A world with topics: durable subscriptions come and go, publications are retained, copies go to several queues.

Two things that are no queues are pseudo-queues of the model, and so facts of the log like messages:

    @SUBSCRIPTIONS   an item for each durable subscription; its data says number, name, topic string and queue
    @RETAINED        an item for each retained publication; its correlation id is the topic. A browse shows one for each
                     topic, the one in force: the latest whose put is committed

A publication and its copies are one fact. Outside syncpoint the retained publication before it goes with a second one.
A managed durable subscription and its queue are there together or not at all, after every start.
"""

from __future__ import annotations

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import (
    MQCO_REMOVE_SUB,
    MQOT_TOPIC,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQPMO_RETAIN,
    MQPMO_SYNCPOINT,
    MQSO_CREATE,
    MQSO_DURABLE,
    MQSO_MANAGED,
    MQSO_NEW_PUBLICATIONS_ONLY,
    MQSO_RESUME,
    MQSO_SET_CORREL_ID,
)
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NONE, MQRC_PUBLICATION_FAILURE, MQRC_PUT_NOT_RETAINED, MQRC_RESOURCE_PROBLEM
from flintmq.mqi.sd import MQSD
from flintmq.qmgr import kept, retained
from flintmq.qmgr.connection import Handle
from tests.simulation.model import Fact, Item, State
from tests.simulation.world import Application, World

SUBSCRIPTIONS = "@SUBSCRIPTIONS"
RETAINED = "@RETAINED"
TOPICS = ["a", "a/b", "a/c", "b"]
#: What is subscribed to, and the topics that it means.
FILTERS = {"a/+": ["a/b", "a/c"], "a/#": ["a", "a/b", "a/c"], "#": TOPICS, "b": ["b"], "a/b": ["a/b"], "z": []}
NAMES = ["S1", "S2", "S3", "S4", "S5"]
MANAGED = "MANAGED"
_FULL = (MQRC_RESOURCE_PROBLEM, MQRC_PUBLICATION_FAILURE, MQRC_PUT_NOT_RETAINED)
_KEYED: dict[str, Value] = {"INDXTYPE": "CORRELID", "MSGDLVSQ": "FIFO", "DEFPSIST": "YES"}


class PubSubWorld(World):
    """See the docstring of the module."""

    full_disks = False

    queues: dict[str, dict[str, Value]] = {
        "PLAIN": {"STGCLASS": "DEFAULT"},
        "FIFO": {"STGCLASS": "DEFAULT", "MSGDLVSQ": "FIFO"},
        "OTHER": {"STGCLASS": "OTHER"},
        "INDEXED": {"STGCLASS": "OTHER", "INDXTYPE": "CORRELID"},
    }
    guests: list[str] = []
    objects = [
        ("QLOCAL", kept.SUBSCRIBER_QUEUE, dict(_KEYED)),
        ("QLOCAL", kept.RETAINED_QUEUE, dict(_KEYED)),
        ("QMODEL", "SYSTEM.DURABLE.MODEL.QUEUE", {"DEFTYPE": "PERMDYN", "SHARE": "SHARE", "DEFSOPT": "SHARED"}),
        ("TOPIC", "SYSTEM.BASE.TOPIC", {"TOPICSTR": "", "PMSGDLV": "ALL", "NPMSGDLV": "ALLAVAIL", "USEDLQ": "NO"}),
    ]

    def __init__(self, seed: int, crash_type: type[BaseException], failing: bool = True) -> None:
        super().__init__(seed, crash_type, failing)
        for state in (self.base, self.live):
            state.queues |= {SUBSCRIPTIONS, RETAINED}
        #: Data of retained publications that were replaced already at a crash: no browse tells whether it took them.
        self.unseen: set[bytes] = set()

    # -- what there is --------------------------------------------------------------------------------------------

    def names(self) -> set[str]:
        self.check_managed()
        own = {name for name in self.qm.queues if not name.startswith("SYSTEM.")}
        return own | {SUBSCRIPTIONS, RETAINED}

    def some_queue(self) -> str:
        return self.random.choice(sorted(self.queues))

    def browse(self, name: str) -> list[bytes]:
        if name == SUBSCRIPTIONS:
            found = [
                f"{each.user_data}:{each.name}:{each.topic_string}:{MANAGED if each.managed else each.dest_queue}"
                for each in self.qm.subscriptions.everything()
                if each.durable
            ]
            return sorted((text.encode() for text in found), key=number_of)
        if name == RETAINED:
            publications = [retained.current(self.qm, topic) for topic in TOPICS]
            return sorted((message.data for message in publications if message is not None), key=number_of)
        return super().browse(name)

    def shown(self, state: State, name: str) -> list[bytes]:
        if name != RETAINED:
            return super().shown(state, name)
        in_force: dict[bytes, Item] = {}
        for item in sorted(state.items.values(), key=lambda item: item.number):
            if item.queue == RETAINED:
                in_force[item.correl_id] = item
        return sorted((item.data for item in in_force.values()), key=number_of)

    def check_managed(self) -> None:
        """No managed queue without its subscription, no managed subscription without its queue."""
        queues = {name for name in self.qm.queues if name.startswith("SYSTEM.MANAGED.DURABLE.")}
        wanted = {each.dest_queue for each in self.qm.subscriptions.everything() if each.managed and each.durable}
        assert queues == wanted, f"managed queues {sorted(queues)}, of subscriptions {sorted(wanted)}"

    def subscribed(self) -> dict[str, Item]:
        """The durable subscriptions by name."""
        return {field(item, 1): item for item in self.live.items.values() if item.queue == SUBSCRIPTIONS}

    # -- steps ----------------------------------------------------------------------------------------------------

    def put(self) -> None:
        what = self.random.random()
        if what < 0.25:
            super().put()
        elif what < 0.8:
            self.publish()
        elif what < 0.93:
            self.subscribe()
        else:
            self.unsubscribe()

    def publish(self) -> None:
        random = self.random
        application = random.choice(self.applications)
        topic = random.choice(TOPICS)
        md, pmo, od = MQMD(), MQPMO(), MQOD()
        od.object_type, od.object_string, od.version = MQOT_TOPIC, topic, 4
        md.persistence = 1 if random.random() < 0.7 else 0
        md.priority = random.choice([0, 4, 9])
        syncpoint = random.random() < 0.5
        retain = random.random() < 0.4
        pmo.options = (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT) | MQPMO_NEW_MSG_ID
        pmo.options |= MQPMO_RETAIN if retain else 0
        added = self.copies(topic, md, random.choice([0, 10, 1000, 4000]), retain)
        olds = self.retained_before(topic) if retain else []
        if retain:
            there = self.without_unseen(olds, self.available(topic))
            olds = self.seen_again(olds, there)
            assert there == sorted(item.data for item in olds), "retained before a publish"
        facts = self.facts_of(added, olds) if not syncpoint else []
        self.facts += facts
        reason = self.qm.put1(application.connection, od, md, pmo, self.data)
        if reason != MQRC_NONE:
            assert reason in _FULL, f"publish on {topic}: {reason}"
            del self.facts[len(self.facts) - len(facts) :]
            self.note("publish refused")
            return
        self.note("retained" if retain else "published")
        if syncpoint:
            application.added += added
            application.removed += olds
            self.held |= {item.number for item in olds}
            return
        left = self.available(topic) if olds else []  # All of them, if the log had no room for more.
        for fact in facts:
            fact.position = application.connection.force
            fact.removed = [item for item in fact.removed if item.data not in left]
        for item in added:
            self.live.items[item.number] = item
        for item in olds:
            if item.data not in left:
                del self.live.items[item.number]

    def without_unseen(self, olds: list[Item], there: list[bytes]) -> list[bytes]:
        """Return what is there without replaced publications of which the crash left more than the model knows."""
        known = {item.data for item in olds}
        latest = max((number_of(data) for data in known), default=0)
        return [data for data in there if data in known or data not in self.unseen or number_of(data) > latest]

    def settle_facts(self, acknowledged: int, durable: int) -> None:
        """Settle on the first state that fits; a commit of a replaced publication may be in it or not."""
        publications = [item for fact in self.facts for item in fact.added if item.queue == RETAINED]
        super().settle_facts(acknowledged, durable)
        self.unseen |= {item.data for item in publications if item.number not in self.live.items}

    def seen_again(self, olds: list[Item], there: list[bytes]) -> list[Item]:
        """Those of `olds` that a crash has left. One that is not in force may have gone with it, unseen."""
        latest = max((item.number for item in olds), default=0)
        for item in olds:
            if item.number != latest and item.data not in there:
                del self.live.items[item.number]
                self.base.items.pop(item.number, None)
        return [item for item in olds if item.number in self.live.items]

    def available(self, topic: str) -> list[bytes]:
        """The publications of a topic that no unit of work has put or replaced, in force or not."""
        queue = self.qm.queues[kept.RETAINED_QUEUE]
        return sorted(message.data for message in kept.find_all(queue, retained.key_of(topic)))

    def copies(self, topic: str, md: MQMD, size: int, retain: bool) -> list[Item]:
        """The items of a publication: one for each subscription that means the topic, and what is retained."""
        persistent = md.persistence == 1
        self.data = f"{self.number + 1}:".encode() + bytes([self.number % 256]) * size
        items: list[Item] = []
        for subscription in self.subscribed().values():
            if topic in FILTERS[field(subscription, 2)]:
                self.number += 1
                queue = field(subscription, 3)
                lane = 0 if queue == "FIFO" else md.priority
                items.append(Item(self.number, queue, lane, persistent, bytes(24), self.data))
        self.number += 1
        if retain:
            items.append(Item(self.number, RETAINED, 0, persistent, topic.encode(), self.data))
        return items

    def retained_before(self, topic: str) -> list[Item]:
        """The publications of the topic that a new one replaces: those that no unit of work has replaced already."""
        held = self.held | {item.number for fact in self.live.in_doubt.values() for item in fact.removed}
        return [
            item
            for item in self.live.items.values()
            if item.queue == RETAINED and item.correl_id == topic.encode() and item.number not in held
        ]

    def facts_of(self, added: list[Item], removed: list[Item]) -> list[Fact]:
        """What the log will say of a publish outside syncpoint."""
        facts: list[Fact] = []
        if added and added[0].persistent:
            first = Fact("commit")
            first.added = added
            facts.append(first)
        if any(item.persistent for item in removed):
            second = Fact("commit")
            second.removed = removed
            facts.append(second)
        return facts

    def subscribe(self) -> None:
        random = self.random
        application = random.choice(self.applications)
        absent = [name for name in NAMES if name not in self.subscribed()]
        if not absent:
            return
        managed = random.random() < 0.3
        sd = MQSD()
        sd.sub_name = random.choice(absent)
        sd.object_string = "z" if managed else random.choice(sorted(FILTERS))  # Nothing is put on a managed queue.
        sd.options = MQSO_CREATE | MQSO_DURABLE | MQSO_NEW_PUBLICATIONS_ONLY | (MQSO_MANAGED if managed else 0)
        sd.options |= MQSO_SET_CORREL_ID  # With an id of zeros: copies have the publisher's, which selectors look at.
        queue = random.choice(["FIFO", "OTHER", "INDEXED"])
        self.number += 1
        sd.sub_user_data = str(self.number)
        text = f"{self.number}:{sd.sub_name}:{sd.object_string}:{MANAGED if managed else queue}"
        item = Item(self.number, SUBSCRIPTIONS, 0, True, bytes(24), text.encode())
        fact = Fact("commit")
        fact.added = [item]
        self.facts.append(fact)
        handle = self.qm.subscribe(application.connection, sd, None if managed else self.open(application, queue))
        if handle is None:
            assert application.connection.reason == MQRC_RESOURCE_PROBLEM, application.connection.reason
            self.facts.remove(fact)
            return
        fact.position = application.connection.force
        self.live.items[item.number] = item
        self.close_subscription(application, handle, 0)
        self.note("managed" if managed else "subscribed")

    def unsubscribe(self) -> None:
        application = self.random.choice(self.applications)
        subscribed = self.subscribed()
        if not subscribed:
            return
        item = subscribed[self.random.choice(sorted(subscribed))]
        sd = MQSD()
        sd.sub_name, sd.object_string = field(item, 1), field(item, 2)
        managed = field(item, 3) == MANAGED
        sd.options = MQSO_RESUME | MQSO_DURABLE | (MQSO_MANAGED if managed else 0)
        given = None if managed else self.open(application, field(item, 3))
        handle = self.qm.subscribe(application.connection, sd, given)
        if handle is None and application.connection.reason == MQRC_RESOURCE_PROBLEM:
            return
        assert handle is not None, f"resume of {sd.sub_name}: {application.connection.reason}"
        fact = Fact("commit")
        fact.removed = [item]
        self.facts.append(fact)
        if self.close_subscription(application, handle, MQCO_REMOVE_SUB) == MQRC_RESOURCE_PROBLEM:
            self.facts.remove(fact)
            self.close_subscription(application, handle, 0)
            return
        fact.position = application.connection.force
        del self.live.items[item.number]
        self.note("unsubscribed")

    def close_subscription(self, application: Application, handle: Handle, options: int) -> int:
        """Close the handle, and that of a managed queue with it."""
        destination = handle.destination
        reason = self.qm.close(application.connection, handle, options)
        force = application.connection.force
        if destination is not None and destination.object_name.startswith("SYSTEM.MANAGED.") and destination.open:
            self.qm.close(application.connection, destination)
        application.connection.force = max(force, application.connection.force)
        return reason


def field(item: Item, index: int) -> str:
    """A field of the data of a subscription's item."""
    return item.data.decode().split(":")[index]


def number_of(data: bytes) -> int:
    """The number that data begins with."""
    return int(data.partition(b":")[0])
