"""Reports from records: the figures of the examples that the documents print, and of the reference CSV."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.telemetry.builder import NOON, Record, dump
from tests.telemetry.recording.world import World
from tests.telemetry.reference import read
from tests.telemetry.samples import REAL, SYNTHETIC, TEST115, TESTCHL, WHY_NOT, Sample
from tests.telemetry.test_framing import RECORDS, in_text_mode

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
pytest.importorskip("pyarrow", reason="the pipeline needs pyarrow: the spark extra")

from flintmq.cli import main  # noqa: E402
from flintmq.mqi.trace_words import ACCTG, STAT
from flintmq.pipeline.errors import BadOption  # noqa: E402
from flintmq.pipeline.reports.model import Cell, Report, Table  # noqa: E402
from flintmq.pipeline.reports.options import Options  # noqa: E402
from flintmq.pipeline.reports.registry import FORMATS, REPORTS  # noqa: E402
from flintmq.pipeline.tables.run import Settings, run  # noqa: E402
from flintmq.qmgr import connect  # noqa: E402
from flintmq.telemetry.smf.layouts.qcct import QCCT  # noqa: E402
from flintmq.telemetry.smf.layouts.qcst import QCST  # noqa: E402
from flintmq.telemetry.smf.layouts.qct import QCTDSP  # noqa: E402
from flintmq.telemetry.smf.layouts.qjst import QJST  # noqa: E402
from flintmq.telemetry.smf.layouts.qpst import QPST  # noqa: E402
from flintmq.telemetry.smf.layouts.qqst import QQST  # noqa: E402
from flintmq.telemetry.smf.layouts.wq import WQ  # noqa: E402
from flintmq.telemetry.smf.layouts.wtas import WTAS  # noqa: E402
from flintmq.telemetry.smf.layouts.wtid import WTID  # noqa: E402
from flintmq.telemetry.smf.pack import Value, pack  # noqa: E402

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTE = 60_000_000
HOUR = 60 * MINUTE
#: 2022-07-07 12:00, the day of the example.
JULY_2022 = 1_657_195_200_000_000
#: Elapsed and CPU time, microseconds.
Pair = tuple[float, float]
COMPRESSED_FIELDS = (
    "QJSTCMPREQ QJSTCMPFAIL QJSTCMPUNCMP QJSTCMPCOMP QJSTDECREQ QJSTDECFAIL QJSTDECUNCMP QJSTDECCOMP".split()
)
#: The data-compression block of the documents: 100 KB messages, about half compressible.
COMPRESSED = [4_905_830, 0, 19_788_652_806, 10_272_387_011, 1, 0, 878, 487]


def clock(microseconds: float) -> bytes:
    """A duration in store-clock units, which are smaller than a microsecond."""
    return int(microseconds * 4096).to_bytes(8, "big")


def ten_puts(job: str, pages: tuple[int, int], opened: Pair, put: Pair, closed: Pair, at: int) -> bytes:
    """A batch task that opened LQ1000, put ten messages of 1 KB and closed it. Times are of all calls of a kind."""
    correlator = job.encode().ljust(16, b"\1")
    task = pack(WTID, {"WTIDATYP": 2, "WTIDCCN": job, "WTIDOPID": "USER1"})
    did: dict[str, Value] = {
        "WTASCORR": correlator,
        "WTASVER": 8,
        "WTASWQCT": 1,
        "WTASGPO": pages[0],
        "WTASGPN": pages[1],
    }
    use: dict[str, Value] = {"WQVER": 8, "CORREL": correlator, "OBJNAME": "LQ1000", "BASENAME": "LQ1000", "QTYPE": 1}
    use |= {"OPENN": 1, "PUTN": 10, "CLOSEN": 1, "TOTAL_USE": 12, "NPS": 1, "NBUFFPOOL": 1, "OPENTIME": at - MINUTE}
    use |= {"VALIDPUT": 10, "PUTBYTES": 10240, "PUTMAXMS": 1024, "PUTMINMS": 1024, "CLOSTIME": at - MINUTE + 1000}
    for call, (elapsed, cpu) in (("OPEN", opened), ("PUT", put), ("CLOSE", closed)):
        use |= {f"{call}ET": clock(elapsed), f"{call}CT": clock(cpu)}
    sections = {1: [task], 2: [pack(WTAS, did)], 3: [pack(WQ, use, 2792)]}
    return Record(116, 1, sections, release="930", qmgr="VTS1", at=at).packed()


def streaming_example() -> list[bytes]:
    """The counters behind the example of the documents (Z93-Q01): without a stream queue, and with one.

    The figures that are printed fit together only as whole microseconds that were cut off: 37 + 8 + 10 x 10 is not 155,
    but 37.5 + 8.25 + 109.5 is 155.25, and a tenth of 109.5 is 10.95.
    """
    return [
        ten_puts("PLAIN", (32, 11), (39.25, 37.5), (112.0, 109.5), (8.0, 8.25), JULY_2022),
        ten_puts("STREAMED", (64, 22), (44.0, 44.0), (182.0, 180.0), (10.0, 10.0), JULY_2022 + MINUTE),
    ]


def publisher(interval: int) -> bytes:
    """One interval of a long task that puts to a shared queue whose stream queue is an alias of a topic."""
    correlator = b"PUBLISHER".ljust(16, b"\1")
    task = pack(WTID, {"WTIDATYP": 6, "WTIDCCN": "VTS1CHIN", "WTIDCHL": "TO.VTS1", "WTIDCHLC": "10.1.1.1"})
    did: dict[str, Value] = {"WTASCORR": correlator, "WTASVER": 8, "WTASWQCT": 1, "WTASCMN": 1, "WTASCMCT": 18}
    use: dict[str, Value] = {"WQVER": 9, "CORREL": correlator, "OBJNAME": "ALIAS", "BASENAME": "SQ1", "QTYPE": 3}
    use |= {"PUTN": 1, "PUTCT": 20, "PUBLISHEDN": 2, "TOPICPUTSRB": 7, "CFCOUNT_Put_New": 1, "STREAMEDN": 1}
    use |= {"CFSTRUCNAME": "APPLICATION1", "GETMINMS": 0x0FFFFFFF, "PUTMINMS": 0x0FFFFFFF}
    sections = {1: [task], 2: [pack(WTAS, {**did, "CFCOUNT_Cmit_New": 2})], 3: [pack(WQ, use)]}
    return Record(116, 1, sections, qmgr="VTS2", at=NOON + interval * MINUTE).packed()


def log_statistics() -> list[bytes]:
    """The LOG example of the documents on VTS1, and on VTS3 the counters that CSQW1150 printed."""
    copy = {"QJSTIOCOUNT_1_1": 92_969, "QJSTIOCI_1_1": 92_969, "QJSTIOTOTIO_1_1": 6_796_000}
    copy |= {"QJSTIOCOUNT_1_2": 200_000, "QJSTIOCI_1_2": 3_222_659 - 92_969, "QJSTIOTOTIO_1_2": 50_000_000}
    busy = pack(QJST, {**copy, "QJSTSLPTU": 60_000, "QJSTWTB": 3})
    counts = dict(zip(COMPRESSED_FIELDS, COMPRESSED, strict=True))
    counts |= {"QJSTWRNW": 22_417_134, "QJSTWRF": 1729, "QJSTRBUF": 12, "QJSTBSDS": 3037, "QJSTBFFL": 2_731_415}
    counts |= {"QJSTBFWR": 319_241, "QJSTLSUS": 319_215, "QJSTLOGW": 107_092, "QJSTCIWR": 5_472_360, "QJSTTHRW": 8}
    old = [pack(QJST, counts, 264)]
    return [
        Record(115, 1, {11: [busy]}, qmgr="VTS1", at=JULY_2022).packed(),
        Record(115, 1, {11: old}, release="701", qmgr="VTS3").packed(),
        Record(115, 1, {11: [pack(QJST, {}, 120)]}, release="700", qmgr="VTS0").packed(),
    ]


def pool_statistics() -> list[bytes]:
    quiet = pack(QPST, {"QPSTPOOL": 0, "QPSTNBUF": 20_000, "QPSTCBSL": 19_998, "QPSTCBS": 20_000, "QPSTGETP": 1})
    full = {"QPSTPOOL": 12, "QPSTNBUF": 1000, "QPSTCBSL": 40, "QPSTCBS": 600, "QPSTSOS": 2, "QPSTDMC": 3, "QPSTDWT": 4}
    busy = pack(QPST, {**full, "QPSTRIO": 5, "QPSTTPW": 900, "QPSTWIO": 60, "QPSTIMW": 7, "QPSTLOC": True})
    later = pack(QPST, {"QPSTPOOL": 12, "QPSTNBUF": 1000, "QPSTCBSL": 900, "QPSTCBS": 950, "QPSTRIO": 1})
    records = [Record(115, 215, {1: [quiet, busy]}, qmgr="VTS1", at=NOON)]
    records += [Record(115, 215, {1: [quiet, later]}, qmgr="VTS1", at=NOON + MINUTE)]
    return [record.packed() for record in records]


def channel_records() -> list[bytes]:
    """A sender over two intervals, two instances of a receiver, and the channel initiator of a minute."""
    sender: dict[str, Value] = {"QCSTCHNM": "TO.VTS2", "QCSTCHTY": 1, "QCSTCNNM": "vts2(1414)", "QCSTRQMN": "VTS2"}
    sender |= {"QCSTNMSG": 300, "QCSTNPMG": 100, "QCSTBATC": 10, "QCSTFUBA": 4, "QCSTCBSZ": 50, "QCSTBYST": 700_000}
    sender |= {"QCSTNTAV": 200, "QCSTNTMX": 900, "QCSTETMX": 0, "QCSTCPRA": 80}
    quiet = {**sender, "QCSTNMSG": 60, "QCSTBATC": 5, "QCSTFUBA": 0, "QCSTNTAV": 800, "QCSTNTMX": 1000}
    receiver: dict[str, Value] = {"QCSTCHNM": "TO.VTS1", "QCSTCHTY": 3, "QCSTNMSG": 7, "QCSTBYRC": 1000, "QCSTPTRC": 2}
    initiator = pack(
        QCCT, {"QCCTJOBN": "VTS1CHIN", "QCCTNOCC": 12, "QCCTMXCC": 200, "QCCTNOAC": 9, "QCCTMXAC": 200}, 48
    )
    tasks = [
        pack(QCTDSP, {"QCTREQN": 100, "QCTCPTM": 1000, "QCTELTM": 3000, "QCTWTTM": 9000}),
        pack(QCTDSP, {"QCTREQN": 0, "QCTWTTM": 12000}),
    ]
    first = [pack(QCST, sender), pack(QCST, receiver), pack(QCST, receiver)]
    return [
        Record(116, 10, {1: first}, qmgr="VTS1", at=NOON).packed(),
        Record(116, 10, {1: [pack(QCST, quiet)]}, qmgr="VTS1", at=NOON + MINUTE).packed(),
        Record(115, 231, {1: [initiator], 2: tasks}, qmgr="VTS1", at=NOON).packed(),
    ]


def real_run(directory: Path) -> Path:
    """A dump of our own queue manager: ten puts to Q, then another task's ten puts to Q that has a stream queue."""
    world = World(directory)
    world.engine.define("QLOCAL", "COPIES")
    world.start(STAT, 1)
    world.start(ACCTG, 1, 3)
    for job, copies in (("PLAIN", ""), ("STREAMED", "COPIES")):
        world.engine.alter("Q", {"STREAMQ": copies})
        app = world.engine.connect(job)
        for _ in range(10):
            app.put("Q", bytes(1024))
        connect.disconnect(world.qm, app.connection)
        world.clock.advance(60_000)
        batch = world.recorder.collect()
        assert batch is not None
        world.recorder.write(batch)
    world.recorder.close()
    (path,) = world.files.directory.iterdir()
    return path


def queue_statistics() -> list[bytes]:
    """The two queues of the example of the documents, in the record of 9.3.0; local time is two hours ahead."""
    private = pack(QQST, {"QQSTQNAM": "LQ1001", "QQSTPSID": 1, "QQSTBPID": 1, "QQSTDPTH": 4}, 84)
    shared: dict[str, Value] = {"QQSTQNAM": "SQ1", "QQSTSHR": True, "QQSTPSID": -1, "QQSTBPID": -1, "QQSTDPTH": 100}
    other = pack(QQST, {**shared, "QQSTQSGN": "PERF", "QQSTCFST": "APPLICATION1"}, 84)
    return [Record(115, 216, {1: [private, other]}, release="930", qmgr="VTS1", local_offset=2 * HOUR).packed()]


@pytest.fixture(scope="module")
def tables(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Silver tables of the synthetic dump, of what is built here, which is there twice, of a run of our own queue
    manager, and of the real dumps where they are."""
    place = tmp_path_factory.mktemp("reports")
    dumps = place / "dumps"
    dumps.mkdir()
    (dumps / "synthetic.dat").write_bytes(SYNTHETIC.dump.read_bytes())
    (dumps / "queues.dat").write_bytes(dump(*queue_statistics()))
    (dumps / "tasks.dat").write_bytes(dump(*streaming_example(), publisher(0), publisher(1)))
    (dumps / "statistics.dat").write_bytes(dump(*log_statistics(), *pool_statistics(), *channel_records()))
    for name in ("queues", "tasks", "statistics"):
        (dumps / f"{name}-again.dat").write_bytes((dumps / f"{name}.dat").read_bytes())
    (dumps / "ours.dat").write_bytes(real_run(place).read_bytes())
    for real in (sample for sample in REAL if sample.present):
        (dumps / real.dump.name).write_bytes(real.dump.read_bytes())
    run(spark, Settings([str(dumps)], place / "tables", ("silver",)))
    return place / "tables"


def make(spark: SparkSession, tables: Path, name: str, **asked: object) -> Report:
    return REPORTS[name].make(spark, tables, Options(**asked))  # type: ignore[arg-type]


def reference(structure: str, sample: Sample = SYNTHETIC) -> list[dict[str, str]]:
    """The rows of a reference CSV."""
    found = read(sample.expected / f"SMF-{structure}.csv")
    return [dict(zip(found.header, row, strict=True)) for row in found.rows]


class TestQueues:
    def test_qstat_is_the_sample_report(self, spark: SparkSession, tables: Path) -> None:
        """B28, B29, B33: page set 1, buffer pool 1, depth 4; group PERF, structure APPLICATION1, depth 100."""
        shown = FORMATS["text"]([make(spark, tables, "qstat", qmgrs=("VTS1",))])
        head = "SYS1,VTS1,2024/03/01,12:00:00.00,VRM: 930,"
        assert shown.split("------\n")[1].split("\n\n")[0].splitlines() == [
            head,
            "From 2024/03/01,11:59:00.000000 to 2024/03/01,12:00:00.000000, duration 60 seconds.",
            f"= Queue Name LQ1001  COMPLETE RECORD  {head}",
            "> Disposition Private  Pageset ID 1  Bufferpool ID 1",
            "  Current Depth 4",
            f"= Queue Name SQ1  COMPLETE RECORD  {head}",
            "> Disposition Shared  QSG Name PERF  CF Struct Name APPLICATION1",
            "  Current Depth 100",
        ]
        assert "2 queues in 1 interval of 1 queue manager." in shown
        assert "VTS1 SQ1     ################################################## 100" in shown

    def test_qstat_tells_every_queue_of_the_reference_csv(self, spark: SparkSession, tables: Path) -> None:
        report = make(spark, tables, "qstat", qmgrs=("MQA1", "MQA2"))
        names = [column.name for column in report.tables[0].columns]
        queue, depth, record = (names.index(name) for name in ("Queue", "Depth", "Record"))
        expected = [
            (row["Queue"].strip(), int(row["Current_Depth"]), "COMPLETE" if row["Record"] == "FULL" else "PARTIAL")
            for row in reference("QQST")
        ]
        assert [(row[queue], row[depth], row[record]) for row in report.tables[0].rows] == expected
        assert len(expected) == 13 and any("4 records are partial" in sentence for sentence in report.words)

    def test_qstatcsv_has_every_counter_and_empty_cells_for_what_was_not_recorded(
        self, spark: SparkSession, tables: Path
    ) -> None:
        lines = FORMATS["csv"]([make(spark, tables, "qstatcsv", qmgrs=("MQA2", "VTS1"))]).splitlines()
        rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
        assert [row["Queue"] for row in rows] == ["V10.QUEUE", "LQ1001", "SQ1"]
        expected = next(row for row in reference("QQST") if row["QMgr"] == "MQA2")
        for counter in (
            "Put",
            "Put1",
            "Get",
            "Streamed",
            "Expired",
            "Otel_Span_Limit_Storage",
            "Queue_Depth_High_Water",
        ):
            assert rows[0][counter] == expected[counter]
            assert rows[1][counter] == ""
        assert (rows[0]["Uncommitted"], rows[1]["Interval_Start"]) == ("NO", "2024-03-01 09:59:00.000000")

    def test_time_chooses_by_the_start_of_the_interval_and_rows_are_cut(
        self, spark: SparkSession, tables: Path
    ) -> None:
        start = datetime.fromtimestamp((NOON - MINUTE) / 1e6, UTC)
        later = datetime.fromtimestamp(NOON / 1e6, UTC)
        table = make(spark, tables, "qstat", start=start, until=later, rows=5).tables[0]
        assert (len(table.rows), table.left_out) == (5, 13 + 2 - 5)
        report = make(spark, tables, "qstat", start=later)
        assert report.tables == [] and "START TRACE(STAT) CLASS(5)" in report.words[1]


def column(table: Table, name: str) -> list[Cell]:
    """The cells under a name."""
    return [row[[each.name for each in table.columns].index(name)] for row in table.rows]


class TestTasks:
    def test_both_columns_of_the_streaming_queue_example(self, spark: SparkSession, tables: Path) -> None:
        """B61, B62, B63: counts stay as they are, pages double, and the puts bear the cost of the copies."""
        report = make(spark, tables, "task", qmgrs=("VTS1",), settings={"compare": "yes"})
        table = report.tables[1]
        assert [each.name for each in table.columns] == ["", "PLAIN LQ1000", "STREAMED LQ1000", "Unit"]
        shown = {str(row[0]): row[1:] for row in table.rows}
        expected = {
            "Pages old": (32, 64),
            "Pages new": (11, 22),
            "Total requests": (12, 12),
            "Open count": (1, 1),
            "Open avg elapsed time": (39, 44),
            "Open avg CPU time": (37, 44),
            "Close avg elapsed time": (8, 10),
            "Close avg CPU time": (8, 10),
            "Put count": (10, 10),
            "Put avg elapsed time": (11, 18),
            "Put avg CPU time": (10, 18),
            "Put + put1 valid count": (10, 10),
            "Put size average": (1024, 1024),
            "Total queue elapsed time": (159, 236),
            "Total queue CPU used": (155, 234),
        }
        assert {label: shown[label][:2] for label in expected} == expected
        assert shown["Total queue CPU used"][2] == "uS" and shown["Queue indexed by"][:2] == ("NONE", "NONE")

    def test_a_real_run_shows_the_same_difference(self, spark: SparkSession, tables: Path) -> None:
        """B61, B62: our own queue manager, ten puts of 1 KB without and with STREAMQ."""
        table = make(spark, tables, "task", qmgrs=("QM1",), settings={"compare": "yes", "queue": "Q"}).tables[1]
        shown = {str(row[0]): row[1:-1] for row in table.rows}
        assert [each.name for each in table.columns][1:-1] == ["PLAIN Q", "STREAMED Q"]
        assert shown["Put count"] == shown["Put + put1 valid count"] == (10, 10)
        plain, streamed = shown["Pages new"]
        assert plain == 10 and streamed == 2 * plain
        assert shown["Streamed messages"] == (None, 10)

    def test_the_listing_has_the_lines_of_the_example(self, spark: SparkSession, tables: Path) -> None:
        """B65 to B67: published count over put count is the number of subscribers. Intervals of a long task are added
        up, and a copy of the dump adds nothing."""
        report = make(spark, tables, "task", qmgrs=("VTS1", "VTS2"), settings={"order": "cpu"})
        assert column(report.tables[0], "Jobname") == ["STREAMED", "PLAIN", "VTS1CHIN"]
        assert column(report.tables[0], "Intervals") == [1, 1, 2]
        assert column(report.tables[0], "CPU") == [234, 155, 2 * (18 + 20 + 7)]
        lines = [" ".join(line.split()) for line in report.tables[1].listing]
        streamed, plain, long = (" / ".join(block.split("\n")) + " /" for block in "\n".join(lines).split("\n\n"))
        assert streamed.startswith(
            "VTS1 Batch Jobname: STREAMED Userid: USER1 / Pages old 64 / Pages new 22 / LQ1000 Open"
        )
        for line in (
            "Queue type: QLocal",
            "First opened 2022/07/07,12:00:00.000000",
            "Page set ID 1",
            "Put count 10",
            "Put avg CPU time 18 uS",
        ):
            assert f" / LQ1000 {line} /" in streamed
        assert "Get count" not in streamed and "LQ1000 Put avg CPU time 10 uS" in plain
        assert long.startswith("VTS2 CHIN Jobname: VTS1CHIN Userid: Channel: TO.VTS1 10.1.1.1 / Commit count 2 /")
        for line in (
            "Commit avg CPU time 18 uS",
            "Commit CF New 4",
            "ALIAS Base name SQ1",
            "ALIAS CF structure APPLICATION1",
            "ALIAS Put count 2",
            "ALIAS Put CF New 2",
            "ALIAS Published count 4",
            "ALIAS Subscribers per publish 2.0",
            "ALIAS Topic SRB time 14 uS",
            "ALIAS Streamed messages 2",
            "ALIAS Total queue CPU used 54 uS",
        ):
            assert f" / {line} /" in long, line

    @pytest.mark.parametrize("setting", [{"order": "size"}, {"compare": "perhaps"}])
    def test_a_setting_that_cannot_be_is_refused(
        self, setting: dict[str, str], spark: SparkSession, tables: Path
    ) -> None:
        with pytest.raises(BadOption, match=f"--set {next(iter(setting))}="):
            make(spark, tables, "task", settings=setting)

    def test_a_job_that_did_nothing_is_named(self, spark: SparkSession, tables: Path) -> None:
        words = make(spark, tables, "task", settings={"job": "NOBODY"}).words
        assert words[0] == "There are no accounting records of tasks (116-1) with job NOBODY in the tables."


class TestLog:
    def test_log_is_the_sample_report(self, spark: SparkSession, tables: Path) -> None:
        """B109: 11 pages per write, 220 MB/s per copy, I/O busy 94.66 %, task busy 99.9 %: there is still room."""
        report = make(spark, tables, "log", qmgrs=("VTS1",))
        assert report.tables[0].listing[2:] == [
            "Pages written per I/O: 11",
            "Log write rate: 220MB/s per copy",
            "Logger I/O busy: 94.66%",
            "Logger task busy: 99.9%",
        ]
        words = " ".join(report.words)
        assert "99.9 % of its busiest interval; it wrote 11 pages at a time of 128 at most" in words
        assert "3 waits for a log buffer: OUTBUFF is too small" in words

    def test_log_of_a_release_without_io_counters_says_so(self, spark: SparkSession, tables: Path) -> None:
        """7.0.1: a rate of 0 would be wrong, the log of the example was busy."""
        report = make(spark, tables, "log", qmgrs=("VTS3",))
        assert report.tables[0].listing[2:] == ["This release does not record log I/O."]
        assert column(report.tables[0], "Rate per copy") == column(report.tables[0], "Logger I/O busy") == [None]
        assert report.words == ["1 interval, of releases that do not record log I/O."]

    @pytest.mark.skipif(not TEST115.present, reason=WHY_NOT)
    def test_log_has_the_worked_example_of_a_real_dump(self, spark: SparkSession, tables: Path) -> None:
        """TEST115: 119,883 and 7,457 writes, 148,696 pages, 1626.6 of 1792.9 seconds idle."""
        report = make(spark, tables, "log", qmgrs=("MQPC",))
        assert [line.rpartition(" ")[2] for line in report.tables[0].listing[2:]] == ["1.17", "copy", "7.69%", "9.27%"]
        assert column(report.tables[0], "Writes") == [119_883 + 7_457]
        assert column(report.tables[0], "Pages") == [148_696]

    def test_logmanager_prints_the_counters_of_csqw1150(self, spark: SparkSession, tables: Path) -> None:
        """B118, B119: three blocks, of which the first is used; savings in whole per cent, cut off."""
        report = make(spark, tables, "logmanager", qmgrs=("VTS3",))
        lines = [" ".join(line.split()) for line in report.tables[0].listing]
        assert lines == [
            "z/OS:SYS1 MQ QMGR:VTS3 Time: 2024061 10:00:00.00",
            "Log manager : QJST",
            "Write_Wait 0 Write_Nowait 22417134 Write_Force 1729 WTB 0",
            "Read_Stor 12 Read_Active 0 Read_Archive 0 TVC 0",
            "BSDS_Reqs 3037 CIs_Created 2731415 BFWR 319241 ALR 0",
            "ALW 0 CIs_Offload 0 Checkpoints 0",
            "WUR 0 LAMA 0 LAMS 0",
            "Write_Susp 319215 Write_Reqs 107092 CI_Writes 5472360",
            "Write_Serl 0 Write_Thrsh 8 Buff_Pagein 0",
            "Data compression : 1",
            "Comp_Req 4905830 Comp_fail 0 Decomp_req 1 Fail 0",
            "Compression: Before 19788652806 After 10272387011 48%",
            "Decompression: Before 487 After 878 44%",
            *(line for number in (2, 3) for line in (f"Data compression : {number}", *NOTHING_COMPRESSED)),
        ]
        assert report.words == [
            "4,905,830 pieces of 4,034 bytes on average: 19,788,652,806 bytes became 10,272,387,011, 48.1 % less."
        ]

    def test_compression_is_that_block_alone(self, spark: SparkSession, tables: Path) -> None:
        report = make(spark, tables, "compression", qmgrs=("VTS3", "VTS0"))
        lines = [" ".join(line.split()) for line in report.tables[0].listing]
        assert lines[1] == "No compression counters: the record is of 7.0.0 or older."
        assert lines[4:7] == ["Data compression : 1", *lines[5:7]] and lines[6].endswith("48%")
        assert column(report.tables[0], "Compression before") == [None, 19_788_652_806]


NOTHING_COMPRESSED = (
    "Comp_Req 0 Comp_fail 0 Decomp_req 0 Fail 0",
    "Compression: Before 0 After 0 0%",
    "Decompression: Before 0 After 0 0%",
)


class TestOthers:
    def test_buffer_puts_the_pool_in_trouble_first(self, spark: SparkSession, tables: Path) -> None:
        report = make(spark, tables, "buffer", qmgrs=("VTS1",))
        pools, intervals = report.tables
        assert column(pools, "Pool") == [12, 0] and column(pools, "Intervals") == [2, 2]
        assert column(pools, "Highest full") == [96.0, pytest.approx(0.01)] and column(pools, "Lowest stealable") == [
            40,
            19_998,
        ]
        assert column(pools, "Pages read") == [6, 0] and column(pools, "Out of buffers") == [2, 0]
        assert intervals.listing[2:6] == [
            "> 12 Buffs 1000  Low 40  Now 600  Getp 0  Getn 0",
            "> 12 Rio 5  STW 0  TPW 900  WIO 60  IMW 7",
            "> 12 DWT 4  DMC 3  STL 0  STLA 0  SOS 2",
            "> 12 Highest 96% full, now 40% full, above the bar, pageable",
        ]
        words = " ".join(report.words)
        assert "the fullest was pool 12 of VTS1, with 96.0 %" in words and "1 pool ran out of buffers" in words
        assert "1 pool reached 95 %" in words and "1 pool reached 85 % and read pages back" in words

    def test_msg_counts_what_was_put_to_stream_queues(self, spark: SparkSession, tables: Path) -> None:
        """B60: puts and opens of our own run, without and with a stream queue; the messages of the data manager too."""
        report = make(spark, tables, "msg", qmgrs=("QM1",))
        table = report.tables[0]
        assert column(table, "MQPUTs") == [10, 20] and column(table, "Put requests") == [10, 20]
        assert column(table, "MQOPENs") == [1, 2]
        assert report.charts[0].series[0].values == [pytest.approx(10 / 60), pytest.approx(20 / 60)]
        assert report.words[0].startswith("30 puts and 0 gets in 2 intervals of 1 queue manager, 0.25 puts a second")
        assert "MQPUTs         10" in table.listing[2]

    def test_channel_adds_up_intervals_and_shows_the_initiator(self, spark: SparkSession, tables: Path) -> None:
        report = make(spark, tables, "channel", qmgrs=("VTS1",))
        channels, initiator, tasks = report.tables
        assert channels.rows[0][:8] == ("VTS1", "TO.VTS2", "Sender", "vts2(1414)", "VTS2", 2, 360, 200)
        assert column(channels, "Batches") == [15, 0]
        assert column(channels, "Messages in a batch") == [24.0, None]
        assert column(channels, "Full batches") == [pytest.approx(100 * 4 / 15), None]
        assert column(channels, "Network time") == [pytest.approx((300 * 200 + 60 * 800) / 360), None]
        assert column(channels, "Put retries") == [0, 4]
        # Two instances in one minute are one minute.
        assert [row[8] for row in channels.rows] == [360 / 120, 14 / 60]
        assert initiator.rows[0][:7] == ("VTS1", "VTS1CHIN", 1, 12, 200, 9, 200)
        assert tasks.rows == [("VTS1", "Dispatcher", 2, 100, 10.0, 30.0, 12.5, 25.0)]
        assert report.words[1] == "The longest network time was 1,000 us, on TO.VTS2 of VTS1."

    @pytest.mark.skipif(not TESTCHL.present, reason=WHY_NOT)
    def test_channel_of_a_real_dump_has_the_sums_of_the_reference_csv(self, spark: SparkSession, tables: Path) -> None:
        report = make(spark, tables, "channel", qmgrs=("QML1",))
        expected = reference("QCST", TESTCHL)
        channels = report.tables[0]
        for name, counter in (("Messages", "Msg_All_Count"), ("Sent", "Bytes_Sent"), ("Received", "Bytes_Received")):
            assert sum(int(str(cell)) for cell in column(channels, name)) == sum(int(row[counter]) for row in expected)
        peak = max(int(row["Current_Chl_High_Water"]) for row in reference("QCCT", TESTCHL))
        assert column(report.tables[1], "Channels at most") == [peak]


def test_the_command_prints_reports_writes_them_to_a_file_and_names_a_table_that_is_broken(
    spark: SparkSession,
    tables: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(spark), "stop", lambda session: None)  # The other tests go on with it.
    words = ["pipeline", "report", "--out", str(tables), "--master", "local[2]", "--qmgr", "VTS1"]
    page = tmp_path / "page.html"
    assert main.main([*words, "LOG", "msg", "--format", "html", "--to", str(page)]) == 0
    assert str(page) in capsys.readouterr().out
    assert "99.9 % of its busiest" in page.read_text("utf-8") and "There are no statistics of" in page.read_text(
        "utf-8"
    )
    broken = tmp_path / "tables" / "silver" / "qjst" / "Date=2024-03-01" / "QMgr=VTS1" / "part-1.parquet"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"PAR1 and no more")
    assert main.main(["pipeline", "report", "log", "--out", str(tmp_path / "tables"), "--master", "local[2]"]) == 1
    shown = capsys.readouterr()
    assert str(broken) in shown.err and shown.err.count("\n") == 1
    (tmp_path / "letter.txt").write_text("This is no dump. " * 100)
    command = ["pipeline", "run", "--smf", str(tmp_path / "letter.txt"), "--out", str(tmp_path / "none")]
    assert main.main([*command, "--master", "local[2]"]) == 1
    shown = capsys.readouterr()
    assert "  damaged: letter.txt at 0, 1,700 bytes: " in shown.out
    assert "there is no SMF record in " in shown.err and shown.err.count("\n") == 1
    # Issue 14, item 18: what was transferred in text mode is told so, with what to do.
    text = in_text_mode(b"".join(record[4:] for record in RECORDS))
    (tmp_path / "text.dat").write_bytes(text)
    command = ["pipeline", "run", "--smf", str(tmp_path / "text.dat"), "--out", str(tmp_path / "text")]
    assert main.main([*command, "--master", "local[2]"]) == 1
    shown = capsys.readouterr()
    assert f"damaged: text.dat at 0, {len(text):,} bytes: transferred in text mode" in shown.out
    assert "binary mode with record descriptor words" in shown.err and shown.err.count("\n") == 1
    assert main.main([*words, "qstatcsv", "--rows", "1"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2 and shown.err == "... and 1 more; --rows N shows more\n"


def test_an_interval_of_a_day_far_in_the_east_is_found_by_its_start(spark: SparkSession, tmp_path: Path) -> None:
    """Its record is written a day later, and there it is the day after that."""
    from tests.pipeline.report_tables import silver

    queue = pack(QQST, {"QQSTQNAM": "ORDERS"})
    end = NOON + 37 * HOUR + HOUR // 2  # 2024-03-02 23:30
    record = Record(115, 216, {1: [queue]}, at=end, local_offset=9 * HOUR, interval=24 * HOUR)
    tables = silver(tmp_path, record.packed())

    report = make(spark, tables, "qstat", until=datetime(2024, 3, 1, 23, 45, tzinfo=UTC))

    assert [row[0] for row in report.tables[0].rows] == ["2024-03-03 08:30:00"]


@pytest.mark.parametrize(
    "name", ["qstat", "qstatcsv", "task", "log", "logmanager", "compression", "buffer", "msg", "channel"]
)
def test_a_report_without_its_records_says_which_it_needs(name: str, spark: SparkSession, tmp_path: Path) -> None:
    """B25: the class that must be on is named. No table is there at all."""
    report = make(spark, tmp_path, name, qmgrs=("QM1",))
    assert report.tables == [] and report.charts == []
    assert report.words[0].startswith("There are no ") and "of QM1 in the tables" in report.words[0]
    for render in FORMATS.values():
        assert "There are no " in render([report])
