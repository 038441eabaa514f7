"""A world in which some queues have stream queues.

    base    stream queue    STRMQOS    the stream queue
    MUST    MUST.COPIES     MUSTDUP    takes twelve messages, in order of arrival
    BEST    BEST.COPIES     BESTEF     comes and goes, and the base queue's STREAMQ with it or not

The copy of a message is an item of the model like the message itself. Both are one fact of the log: after a crash there
are both or neither. Only under BESTEF, outside syncpoint, are they two, in this order: an original that does not fit
the log together with its copy is put alone.
"""

from __future__ import annotations

from flintmq.catalogue.attribute import Value
from flintmq.mqi.constants import MQPMO_NEW_MSG_ID, MQPMO_NO_SYNCPOINT, MQPMO_SYNCPOINT
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NONE, MQRC_Q_FULL, MQRC_RESOURCE_PROBLEM
from tests.simulation.model import Fact, Item
from tests.simulation.world import CORREL_IDS, Application, World

COPIES_MAX = 12


class StreamWorld(World):
    """See the docstring of the module."""

    full_disks = False

    queues: dict[str, dict[str, Value]] = {
        "MUST": {"STGCLASS": "DEFAULT", "STREAMQ": "MUST.COPIES", "STRMQOS": "MUSTDUP"},
        "MUST.COPIES": {"STGCLASS": "OTHER", "MSGDLVSQ": "FIFO", "MAXDEPTH": COPIES_MAX},
        "BEST": {"STGCLASS": "OTHER", "STREAMQ": "BEST.COPIES", "INDXTYPE": "CORRELID"},
        "PLAIN": {"STGCLASS": "DEFAULT"},
    }
    guests = ["BEST.COPIES"]

    def put(self) -> None:
        random = self.random
        application = random.choice(self.applications)
        name = random.choice(["MUST", "MUST", "BEST", "BEST", "PLAIN", *sorted(self.live.queues)])
        md, pmo = MQMD(), MQPMO()
        md.persistence = 1 if random.random() < 0.7 else 0
        md.priority = random.choice([0, 0, 4, 9])
        md.correl_id = random.choice(CORREL_IDS)
        if random.random() < 0.15:
            md.expiry = random.choice([1, 3, 10])
        syncpoint = random.random() < 0.6
        pmo.options = (MQPMO_SYNCPOINT if syncpoint else MQPMO_NO_SYNCPOINT) | MQPMO_NEW_MSG_ID
        item = self.item(name, md, random.choice([0, 10, 100, 1000, 4000, 9000]))
        copy = self.copy_of(item, name, md)
        facts = self.facts_of(name, item, copy) if item.persistent and not syncpoint else []
        self.facts += facts
        copies = self.qm.counters.stream_puts
        reason = self.qm.put(application.connection, self.open(application, name), md, pmo, item.data)
        streamed = self.qm.counters.stream_puts > copies
        if reason != MQRC_NONE:
            assert not streamed
            assert (
                reason == MQRC_RESOURCE_PROBLEM
                or (name == "MUST" and copy is None and reason == MQRC_Q_FULL)
                or (name == "MUST.COPIES" and reason == MQRC_Q_FULL)
            ), f"put to {name}: {reason}"
            del self.facts[len(self.facts) - len(facts) :]
            self.note("pair refused" if name == "MUST" else "put refused")
            return
        assert streamed or copy is None or facts, "there is no copy, and no reason why"
        assert streamed or name != "MUST", "MUSTDUP: an original without its copy"
        if copy is not None and not streamed:
            self.facts.pop()
            facts.pop()
            self.note("no room in the log for a copy")
        elif name == "BEST":
            self.note("copied" if streamed else "not copied")
        self.was_put(application, syncpoint, facts, [item, copy] if copy is not None and streamed else [item])

    def item(self, name: str, md: MQMD, size: int) -> Item:
        self.number += 1
        data = f"{self.number}:".encode() + bytes([self.number % 256]) * size
        lane = 0 if name == "MUST.COPIES" else md.priority
        item = Item(self.number, name, lane, md.persistence == 1, md.correl_id, data)
        if md.expiry > 0:
            item.expires_ms = self.clock.now_ms() + md.expiry * 100
        return item

    def copy_of(self, item: Item, name: str, md: MQMD) -> Item | None:
        """The copy that a put must make; None if there is no stream queue, or no room on it."""
        stream_name = self.qm.queues[name].stream.name
        queue = self.qm.queues.get(stream_name)
        if not stream_name or queue is None or queue.current_depth() >= queue.max_depth:
            return None
        self.number += 1
        lane = 0 if stream_name == "MUST.COPIES" else md.priority
        return Item(self.number, stream_name, lane, item.persistent, item.correl_id, item.data)

    def facts_of(self, name: str, item: Item, copy: Item | None) -> list[Fact]:
        """What the log will say of a put outside syncpoint."""
        first = Fact("commit")
        first.added = [item]
        if copy is None:
            return [first]
        if name == "MUST":
            first.added.append(copy)
            return [first]
        second = Fact("commit")
        second.added = [copy]
        return [first, second]

    def was_put(self, application: Application, syncpoint: bool, facts: list[Fact], items: list[Item]) -> None:
        if syncpoint:
            application.added += items
            return
        for fact in facts:
            fact.position = application.connection.force
        assert (application.connection.force > 0) == items[0].persistent
        for item in items:
            self.live.items[item.number] = item

    def move(self) -> None:
        """Besides moving queues, turn the streaming of BEST off and on."""
        if self.random.random() < 0.5 or self.in_use("BEST"):
            super().move()
            return
        changes: dict[str, Value] = {"STREAMQ": "" if self.qm.queues["BEST"].stream.name else "BEST.COPIES"}
        self.administer("alter", "BEST", lambda: self.admin.alter("QLOCAL", "BEST", changes, False))
        self.note("streaming off" if not changes["STREAMQ"] else "streaming on")
