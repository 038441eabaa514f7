"""Which records an interval, a task and a channel give.

    event                      records                       trace
    statistics interval        115-1, 115-2, 115-215, 115-201  STAT 1
                               115-7                           STAT 2
                               115-5                           STAT 3: a storage pool for each buffer pool
                               115-231                         STAT 4, of a process that serves channels
                               115-216, as many as it takes    STAT 5
    end of a task              116-0                           ACCTG 1 (B12)
    accounting interval, and   116-1, and 116-2 for queues     ACCTG 3 (B13, B14)
    end of a task              that do not fit
    accounting interval, and   116-10, if the channel did      ACCTG 4
    end of a channel           something

NOT_WRITTEN lists the records that are not written, and why.
"""

from __future__ import annotations

from types import SimpleNamespace

from flintmq.qmgr.calls import ChannelRow as Row
from flintmq.qmgr.connection import QueueUse, Task, TaskWork
from flintmq.telemetry.recording import sample as samples
from flintmq.telemetry.recording import tables
from flintmq.telemetry.recording.channels import channel_entry
from flintmq.telemetry.recording.record import Correlation, Origin, Span, batches, build
from flintmq.telemetry.recording.sample import Sample
from flintmq.telemetry.recording.section import Section
from flintmq.telemetry.smf.clock import clock_of_microseconds
from flintmq.telemetry.smf.records import KIND_OF, STRUCTURES

#: The release of our records, unless an older one is set.
RELEASE = "9.4.2"
#: WTIDATYP: a batch job, and the channel initiator.
TYPE_BATCH = 2
TYPE_CHANNEL = 6
_END_OF_TASK = 0x2000_0000
#: Bytes of a 116-1 and 116-2 for everything but WQ blocks, generously.
_TASK_ROOM = 32_760 - 4_096
#: WQ blocks of a 116-1.
_BLOCKS = 10

#: Structures that are in none of our records.
NOT_WRITTEN = {
    "QEST": "there is no coupling facility; the structure is there, none of its 64 slots is in use",
    "QESD": "there are no shared message data sets",
    "QSGM": "Python does not say who asked for storage",
    "QCTADP": "there are no adapter tasks: the dispatcher makes the calls itself",
    "QCTSSL": "there are no TLS tasks: the dispatcher encrypts itself",
    "QCTDNS": "there are no DNS tasks",
}


class Writer:
    """Makes records, all of one queue manager and one release."""

    def __init__(self, origin: Origin, release: str = RELEASE) -> None:
        self.origin = origin
        made = {
            "QSST": (tables.NOTHING, {}),
            "QJST": (tables.QJST, {}),
            "QMST": (tables.QMST, {}),
            "QIST": (tables.QIST, {}),
            "QLST": (tables.NOTHING, {}),
            "Q5ST": (tables.NOTHING, {}),
            "QTST": (tables.QTST, {}),
            "QPST": (tables.QPST, {}),
            "QIS1": (tables.QIS1, {}),
            "QQST": (tables.QQST, tables.QQST_CONSTANTS),
            "QSPH": (tables.QSPH, tables.QSPH_CONSTANTS),
            "QSRS": (tables.QSRS, {}),
            "QCCT": (tables.QCCT, tables.QCCT_CONSTANTS),
            "QCTDSP": (tables.QCTDSP, {}),
            "QCST": (tables.QCST, tables.QCST_CONSTANTS),
            "QWAC": (tables.QWAC, tables.QWAC_CONSTANTS),
            "QMAC": (tables.QMAC, {}),
            "WTID": (tables.WTID, {}),
            "WTAS": (tables.WTAS, tables.WTAS_CONSTANTS),
            "WQ": (tables.WQ, tables.WQ_CONSTANTS),
        }
        self.sections = {
            name: Section(STRUCTURES[name], table, release, constants) for name, (table, constants) in made.items()
        }
        #: QEST has 64 slots, none in use.
        self._qest = _empty_qest()

    # -- statistics ---------------------------------------------------------------------------------------------------

    def statistics(self, before: Sample, after: Sample, classes: set[int]) -> list[bytes]:
        """Make the records of a statistics interval."""
        span = Span(before.now_us, after.now_us, after.now_us)
        made: list[bytes] = []
        if 1 in classes:
            made += self._system(before, after, span)
        if 2 in classes:
            storage = SimpleNamespace(**after.memory)
            made.append(self._record(115, 7, span, {1: [self._pack("QSRS", storage)]}))
        if 3 in classes:
            made += self._storage(before, after, span)
        if 4 in classes and after.serves:
            made.append(self._initiator(before, after, span))
        if 5 in classes:
            entries = [self._pack("QQST", each) for each in samples.queue_intervals(before, after)]
            made += [self._record(115, 216, span, {1: some}) for some in batches(entries)]
        return made

    def _system(self, before: Sample, after: Sample, span: Span) -> list[bytes]:
        system = samples.system_interval(before, after)
        pools = [self._pack("QPST", each) for each in samples.pool_intervals(before, after)]
        page_sets = [self._pack("QIS1", each) for each in samples.page_set_intervals(before, after)]
        managers = {1: ["QMST"], 2: ["QIST"], 4: ["QLST"], 5: ["Q5ST"], 7: ["QTST"]}
        second = {number: [self._pack(name, system) for name in names] for number, names in managers.items()}
        second[6] = [self._qest]
        made = [
            self._record(115, 1, span, {9: [self._pack("QSST", system)], 11: [self._pack("QJST", system)]}),
            self._record(115, 2, span, second),
        ]
        made += [self._record(115, 215, span, {1: some}) for some in batches(pools)]
        made += [self._record(115, 201, span, {1: some}) for some in batches(page_sets)]
        return made

    def _storage(self, before: Sample, after: Sample, span: Span) -> list[bytes]:
        entries = []
        for pool in samples.pool_intervals(before, after):
            name = f"BUFFPOOL {pool.pool:02d}"
            entries.append(
                self._pack("QSPH", SimpleNamespace(bytes=4096 * pool.used, previous=pool.previous, name=name))
            )
        return [self._record(115, 5, span, {1: some}) for some in batches(entries)]

    def _initiator(self, before: Sample, after: Sample, span: Span) -> bytes:
        """Make the record of the process that serves channels, and of its one dispatcher."""
        running = len(after.channels)
        cpu = max(0, after.cpu_us - before.cpu_us)
        length = span.end_us - span.start_us
        control = SimpleNamespace(
            job=after.job, current=after.most_channels, active=after.most_channels, storage=after.memory["bytes"] >> 20
        )
        dispatcher = SimpleNamespace(
            number=1,
            requests=max(0, after.requests - before.requests),
            cpu_us=min(cpu, length),
            wait_us=max(0, length - cpu),
            channels=running,
        )
        sections = {1: [self._pack("QCCT", control)], 2: [self._pack("QCTDSP", dispatcher)]}
        return self._record(115, 231, span, sections)

    # -- accounting ---------------------------------------------------------------------------------------------------

    def task_ended(self, task: Task, now_us: int) -> bytes:
        """Make the record of a task from its beginning to its end, class 1."""
        span = Span(task.started_us, task.ended_us, now_us)
        sections = {1: [self._pack("QWAC", task)], 2: [self._pack("QMAC", task)]}
        return self._record(116, 0, span, sections, correlation_of(task))

    def task_work(self, task: Task, work: TaskWork, now_us: int) -> list[bytes]:
        """Make the records of the work of a task in an interval, class 3."""
        span = Span(work.started_us, work.ended_us, now_us)
        identity = self._pack("WTID", identity_of(task))
        correlator = correlator_of(task)
        uses = list(work.queues.values())
        blocks = [self._pack("WQ", UseOf(use, correlator)) for use in uses]
        first, rest = blocks[:_BLOCKS], blocks[_BLOCKS:]
        flags = _END_OF_TASK if work.last else 0
        whole = SimpleNamespace(task=task, work=work, flags=flags, blocks=len(first))
        who = correlation_of(task)
        made = [self._record(116, 1, span, {1: [identity], 2: [self._pack("WTAS", whole)], 3: first}, who)]
        made += [self._record(116, 2, span, {1: [identity], 2: some}, who) for some in batches(rest, _TASK_ROOM)]
        return made

    def channels(self, before: dict[str, Row], after: list[Row], span: Span) -> list[bytes]:
        """Make the records of channels that did something in the interval, class 4."""
        entries = []
        for row in after:
            entry = channel_entry(before.get(str(row.get("JOBNAME", ""))), row, span.now_us)
            if entry is not None:
                entries.append(self._pack("QCST", entry))
        return [self._record(116, 10, span, {1: some}) for some in batches(entries)]

    # -- parts --------------------------------------------------------------------------------------------------------

    def _pack(self, name: str, source: object) -> bytes:
        return self.sections[name].pack(source)

    def _record(
        self, kind: int, subtype: int, span: Span, sections: dict[int, list[bytes]], task: Correlation | None = None
    ) -> bytes:
        return build(self.origin, KIND_OF[kind, subtype], span, sections, task)


class UseOf:
    """A QueueUse, with the other values of its block."""

    __slots__ = ("use", "correlator", "requests")

    def __init__(self, use: QueueUse, correlator: bytes) -> None:
        self.use = use
        self.correlator = correlator
        self.requests = use.requests()


def _empty_qest() -> bytes:
    structure = STRUCTURES["QEST"]
    made = bytearray(structure.length)
    made[0:2] = structure.ident.to_bytes(2, "big")
    made[2:4] = structure.length.to_bytes(2, "big")
    made[4:8] = structure.eye.encode("cp037")
    return bytes(made)


def correlator_of(task: Task) -> bytes:
    """Return the sixteen bytes that WTAS and WQ have in common: start, and twice the number of the task."""
    return clock_of_microseconds(task.started_us).to_bytes(8, "big") + 2 * task.number.to_bytes(4, "big")


def identity_of(task: Task) -> SimpleNamespace:
    """Return the values of WTID, the identity of a task."""
    connection = task.connection
    channel = connection.channel_name
    return SimpleNamespace(
        kind=TYPE_CHANNEL if channel else TYPE_BATCH,
        connection=connection.appl_name[:8],
        user=connection.user[:8],
        correlation=connection.connection_id[12:24],
        token=connection.accounting_token[:22],
        channel=channel,
        address=connection.connection_name[:48],
    )


def correlation_of(task: Task) -> Correlation:
    """Return QWHC, the identity of a task in the header."""
    who = identity_of(task)
    return Correlation(who.user, who.connection, who.user, who.kind, who.correlation, who.token)
