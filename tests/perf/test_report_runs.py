"""Runs on disk become tables, a report, a comparison and a plan. Needs Spark."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from flintmq.perf.report import command, document
from flintmq.pipeline.errors import BadOption, PipelineError
from flintmq.pipeline.runs import tables
from flintmq.pipeline.runs.costs import Wanted
from tests.perf import pictures, simulated
from tests.perf.browser import Browser, program

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SIZES = (2048, 8192, 32768, 131072)
#: What a run of the runner is called: the report shows the end of it.
_LONG = "20261119T211810-Z93-R05-98f8"
_GCM, _CBC = "TLS_RSA_WITH_AES_256_GCM_SHA384", "TLS_RSA_WITH_AES_256_CBC_SHA256"
_BOTH = (_GCM, _CBC)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of several shapes: sizes by streaming, a ramp of clients, names without numbers, values, and peers."""
    place = tmp_path_factory.mktemp("runs")
    put = [{"size": size, "streamq": q, "copies": int(q != "none")} for size in _SIZES for q in ("none", "BESTEF")]
    simulated.write(place / "put", "Z93-Q03", put, head={"varied": ["size", "streamq"]})
    ramp = [{"mode": "local", "clients": n, "size": 2048} for n in (1, 5, 20)]
    about = {"varied": ["clients"], "operation": "request/reply"}
    simulated.write(place / "ramp", "L92-W13", ramp, seed=2, head=about)
    for number, (name, q) in enumerate((("SQ-W01", "none"), ("SQ-W02", "BESTEF"))):
        steps = [{"size": 2048, "persistent": True, "streamq": q, "copies": number, "clients": n} for n in (1, 9)]
        simulated.write(place / name, name, steps, seed=3 + number, head={"varied": ["clients"]})
    tls = [{"mode": "tls", "cipher": cipher, "size": 2048} for cipher in ("none", _GCM, _CBC)]
    simulated.write(place / "tls", "L92-W11", tls, seed=6, head={"varied": ["cipher"]})
    both = [
        {"size": 2048, "persistent": True, "clients": 60, "syncpoint": "both", "cipher": cipher} for cipher in _BOTH
    ]
    simulated.write(place / _LONG, "Z93-R05", both, seed=14, head={"varied": ["cipher"]})
    values = [(1, "time until it takes work", 0.4, "s"), (2, "time until it takes work", 3.1, "s")]
    deep = [{"depth": 1000, "persistent": True}, {"depth": 100_000, "persistent": True}]
    simulated.write(place / "restart", "Z701-W08", deep, seed=7, values=values, head={"varied": ["depth"]})
    pairs = [{"pairs": n, "clients": n, "size": size} for size in (2048, 65536) for n in (1, 4)]
    simulated.write(place / "pairs", "Z93-R21", pairs, seed=10, head={"varied": ["size", "pairs"]})
    for number, name in enumerate(("WMQI-W01", "WMQI-W03")):
        simulated.write(place / name, name, [{"size": 4096, "mode": "local", "flow": "plain"}], seed=11 + number)
    memory = [(step, "kb_per_connection", kb, "KB") for step, kb in ((1, 11.0), (1, 12.5), (1, 14.0), (2, 20.0))]
    simulated.write(
        place / "connections", "Z93-S01", [{"mode": "local"}, {"mode": "tcp"}], seed=13, values=memory,
        head={"varied": ["mode"]},
    )  # fmt: skip
    peers = [{"peer": name, "pattern": "request/reply", "confirm": "kept in memory"} for name in ("FlintMQ", "Other")]
    simulated.write(place / "peers", "PEERS-RR", peers, seed=8, head={"product": "several"})
    return place


@pytest.fixture(scope="module")
def read(spark: SparkSession, runs: Path) -> dict[str, tables.RunFacts]:
    return {run.id: run for run in tables.read(spark, tables.find([runs]))}


@pytest.fixture(scope="module")
def report(spark: SparkSession, runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    export = out / "metrics.txt"
    export.write_text('mq_depth{queue="A"} 5\n')
    command.report([runs], out / "made", io.StringIO(), exports=[export], spark=spark)
    return out / "made"


def lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "run.jsonl").read_text().splitlines()]


class TestTables:
    def test_a_point_has_the_repeats_of_the_run_and_their_median(self, read: Any, runs: Path) -> None:
        wanted = [line["rate"] for line in lines(runs / "put") if line["record"] == "result" and line["step"] == 3]
        point = read["put"].points[2]
        assert point.rates == tuple(wanted) and point.rate == sorted(wanted)[1]
        assert point.parameters["size"] == "8192" and point.parameters["streamq"] == "none"
        assert point.size == 8192 and not point.persistent

    def test_percentiles_come_from_the_merged_counts(self, read: Any, runs: Path) -> None:
        seen = [line for line in lines(runs / "put") if line["record"] == "latency" and line["step"] == 1]
        counts: dict[int, int] = {}
        for line in seen:
            for index, count in line["histogram"]["counts"]:
                counts[index] = counts.get(index, 0) + count
        latency = read["put"].points[0].round_trip
        assert latency.count == sum(counts.values()) == 1200
        middle = sorted(line["p50_us"] for line in seen)
        assert middle[0] * 0.98 <= latency.p50 <= middle[-1] * 1.02
        assert latency.p50 <= latency.p90 <= latency.p99 <= latency.p999 <= latency.max

    def test_costs_log_and_memory_are_for_an_operation(self, read: Any) -> None:
        single, double = read["SQ-W01"].points[0], read["SQ-W02"].points[0]
        assert single.logged == pytest.approx(2448) and double.logged == pytest.approx(2 * 2448)
        given = {"mode": "tcp", "size": 2048, "persistent": True, "copies": 1}
        assert double.cpu_us == pytest.approx(simulated.cost_us(given), rel=0.05)
        assert single.memory_mb == pytest.approx(80)

    def test_a_step_with_values_and_no_rate_is_a_point_too(self, read: Any) -> None:
        assert [point.values[0][1] for point in read["restart"].points] == [0.4, 3.1]

    def test_a_killed_run_is_read_up_to_its_last_whole_line(self, spark: SparkSession, tmp_path: Path) -> None:
        run = simulated.write(tmp_path / "killed run", "Z93-Q03", [{"size": 1024}])
        text = (run / "run.jsonl").read_bytes()
        (run / "run.jsonl").write_bytes(text[: text.rindex(b'{"record": "end"') + 20])
        (facts,) = tables.read(spark, [run])
        assert facts.ended == "killed" and len(facts.points) == 1 and facts.points[0].rate > 0

    @pytest.mark.parametrize("text", ["", "{}\n", "not json\n", '{"record": "run", "format": "x"}\n', "\x00\xff"])
    def test_what_is_no_run_is_refused_in_a_line(self, text: str, tmp_path: Path) -> None:
        (tmp_path / "run.jsonl").write_bytes(text.encode("latin-1"))
        with pytest.raises(PipelineError, match="no run"):
            command.report([tmp_path], tmp_path / "out", io.StringIO())

    def test_another_version_and_an_empty_place_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(PipelineError, match="no run is there"):
            tables.find([tmp_path])
        with pytest.raises(PipelineError, match="no such directory"):
            tables.find([tmp_path / "x"])
        (tmp_path / "run.jsonl").write_text('{"record": "run", "format": "flint-perf-run", "version": 9}\n')
        with pytest.raises(PipelineError, match="version 9"):
            tables.check(tmp_path)


class TestReport:
    def test_every_chapter_is_there_and_an_empty_one_names_its_workloads(self, report: Path) -> None:
        text = (report / document.MARKDOWN).read_text()
        for title in (
            *("Highlights", "Private queues", "Persistent messaging and the log", "Streaming queues"),
            *("Publish/subscribe", "Indexed queues, depth and restart", "Selection and properties"),
            *("Channels and TLS", "Broker flows and formats", "What recording and trace cost"),
            *("Beside other brokers", "Behaviours of the documents", "Capacity planning", "System configuration"),
            *("Beside the figures of the documents", "The runs", "From Prometheus exports"),
        ):
            assert f"\n## {title}" in text
        selection = text.partition("## Selection")[2].partition("\n## ")[0]
        assert "Z701-W13" in selection and "flint perf run" in selection
        assert "message channels" in text.partition("## Channels and TLS")[2].partition("\n## ")[0]

    def test_every_number_leads_to_its_run(self, report: Path) -> None:
        page = (report / document.HTML).read_text()
        for name in ("put", "ramp", "sq-w01", "sq-w02", "tls", "restart", "peers"):
            assert f'id="run-{name}"' in page and f'href="#run-{name}"' in page
        links = {part.partition('"')[0] for part in page.split('href="#')[1:]}
        places = {part.partition('"')[0] for part in page.split('id="')[1:]}
        assert links - places == set()

    def test_the_results_have_a_line_for_each_repeat(self, report: Path, read: Any) -> None:
        rows = (report / document.CSV).read_text().splitlines()
        assert len(rows) == 1 + sum(len(point.rates) for run in read.values() for point in run.points)

    def test_behaviours_that_the_runs_show_are_judged(self, report: Path) -> None:
        text = (report / document.MARKDOWN).read_text().partition("## Behaviours")[2].partition("\n## ")[0]
        held = text.partition("**Held**")[2].partition("**Not ")[0]
        assert "| B108 |" in held and "| B95 |" in held  # The log of this simulation doubles; a copy is counted.
        assert "| B187 |" in text.partition("**Not held**")[2].partition("**Not shown")[0]  # The ciphers cost the same.

    @pytest.mark.skipif(program() is None, reason="no Chromium is installed: tools/judges.py")
    def test_a_browser_shows_all_of_it_light_dark_and_on_a_telephone(self, report: Path, tmp_path: Path) -> None:
        with Browser(tmp_path / "profile") as browser:
            for width, dark in ((1280, False), (1280, True), (390, False)):
                browser.open(report / document.HTML, width, 900, dark)
                assert browser.evaluate(_WRONG) == []
                assert browser.evaluate("document.documentElement.scrollWidth") <= width
                ground = browser.evaluate("getComputedStyle(document.body).backgroundColor")
                assert (sum(map(int, ground.strip("rgb()").split(","))) < 200) == dark
                shown, charts = browser.evaluate(_CHARTS)
                assert shown == charts > 10
                assert browser.evaluate(_CUT) == []
                if width == 1280:
                    assert browser.evaluate(_SIDEWAYS) == []
            assert browser.problems == []
            assert set(browser.requests) == {(report / document.HTML).resolve().as_uri()}

    @pytest.mark.skipif(program() is None, reason="no Chromium is installed: tools/judges.py")
    def test_on_paper_no_table_and_no_chart_passes_the_edge_of_a_page(self, report: Path, tmp_path: Path) -> None:
        """A4 less the margins of a browser is 718 px wide."""
        with Browser(tmp_path / "profile") as browser:
            browser.open(report / document.HTML, 718, 1000, dark=True)
            browser.ask("Emulation.setEmulatedMedia", media="print", features=[])
            assert browser.evaluate("document.documentElement.scrollWidth") <= 718
            assert browser.evaluate(_BEYOND) == []
            assert browser.evaluate(_CUT) == []
            # Paper is white, whatever the system of the reader is set to.
            assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"

    @pytest.mark.skipif(program() is None, reason="no Chromium is installed: tools/judges.py")
    def test_the_pictures_of_a_report_show_a_chart_with_its_table(self, report: Path, tmp_path: Path) -> None:
        (tmp_path / document.HTML).write_bytes((report / document.HTML).read_bytes())
        assert pictures.main([str(tmp_path)]) == 0
        for name, width, _ in pictures.PICTURES:
            head = (tmp_path / name).read_bytes()[:24]
            across, down = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
            assert head[:4] == b"\x89PNG" and 300 < across <= width and down > 300
        with pytest.raises(SystemExit, match="no section"):
            pictures.take(tmp_path, "nothing-of-this-name")
        assert pictures.main([str(tmp_path / "none")]) == 2

    def test_runs_of_a_set_and_runs_with_one_point_share_a_chart(self, report: Path) -> None:
        text = (report / document.MARKDOWN).read_text()
        streaming = text.partition("## Streaming queues")[2].partition("\n## ")[0]
        assert "### The set of streaming queues, persistent" in streaming
        assert "### SQ-W01" not in streaming and "| SQ-W01 " in streaming and "| SQ-W02 " in streaming
        flows = text.partition("## Broker flows")[2].partition("\n## ")[0]
        assert "### Measured at one point each" in flows and "| WMQI-W03 " in flows

    def test_a_parameter_that_follows_the_axis_makes_no_lines(self, report: Path) -> None:
        page = (report / document.HTML).read_text()
        part = page.partition('id="private-queues-pairs"')[2].partition("</section>")[0]
        keys = part.partition('<ul class="keys">')[2].partition("</ul>")[0]
        assert keys.count("<li>") == 2 and "2 KB" in keys and "client" not in keys

    def test_values_are_medians_with_their_names_in_words(self, report: Path) -> None:
        text = (report / document.MARKDOWN).read_text()
        assert "| local | Memory for a connection | 12.5 | 11 | 14 | KB | connections |" in text
        assert "kb\\_per\\_connection" not in text

    def test_the_key_figures_of_a_chapter_lead_to_their_run(self, report: Path) -> None:
        glance = (report / document.HTML).read_text().partition('class="glance"')[2].partition("</section>")[0]
        assert glance.count('<dd><a href="#run-') >= 6


#: Figures with a drawing that has a size and marks, and all figures.
_CHARTS = """(() => {
  const all = [...document.querySelectorAll("figure")];
  const drawn = all.filter(f => [...f.querySelectorAll("svg[viewBox]:not(.key)")].some(
    s => s.getBoundingClientRect().width > 100 && s.querySelector(".line, .bar, .dot")));
  return [drawn.length, all.length];
})()"""
#: A text that was shortened, a bar without a name, a backtick that is no markup, two elements of one name.
_WRONG = """(() => {
  const bad = [...document.querySelectorAll("svg text, nav a, figcaption")]
    .map(e => e.textContent).filter(text => text.includes("…"));
  for (const name of document.querySelectorAll("figure svg .name"))
    if (!name.textContent.trim()) bad.push("a bar without a name: " + name.closest("figure").id);
  for (const part of document.querySelectorAll("p, li, td, figcaption, h2, h3"))
    if (!part.closest(".k") && part.textContent.includes("`")) bad.push(part.textContent);
  const seen = new Set();
  for (const each of document.querySelectorAll("[id]")) seen.has(each.id) ? bad.push(each.id) : seen.add(each.id);
  return bad;
})()"""
#: Tables that must be moved sideways to be read.
_SIDEWAYS = """[...document.querySelectorAll(".scroll")].filter(
  e => !e.closest("details") && e.clientWidth && e.scrollWidth > e.clientWidth + 1
).map(e => e.innerText.slice(0, 200))"""
#: Tables and drawings that pass the right edge.
_BEYOND = """[...document.querySelectorAll("table, svg")].filter(
  e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.textContent.slice(0, 200))"""
#: Letters outside of their drawing, and boxes that hide what does not fit.
_CUT = """(() => {
  const bad = [];
  for (const svg of document.querySelectorAll("figure svg[viewBox]:not(.key)")) {
    const box = svg.getBoundingClientRect();
    if (!box.width) continue;
    for (const text of svg.querySelectorAll("text")) {
      const own = text.getBoundingClientRect();
      if (own.left < box.left - 1 || own.right > box.right + 1 || own.bottom > box.bottom + 1 || own.top < box.top - 1)
        bad.push(text.textContent);
    }
  }
  for (const each of document.querySelectorAll("h1,h2,h3,p,li,figcaption,td,th,dd,dt,a")) {
    const style = getComputedStyle(each);
    if (style.overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1) bad.push(each.textContent);
    const around = each.closest(".scroll, details, nav, .skip");
    const right = each.getBoundingClientRect().right;
    if (!around && !each.matches(".skip") && right > innerWidth + 1) bad.push(each.textContent);
  }
  return bad;
})()"""


class TestCompareAndPlan:
    def test_a_slower_run_is_worse_by_exit_code_and_in_words(
        self, spark: SparkSession, runs: Path, tmp_path: Path
    ) -> None:
        steps = [{"mode": "local", "clients": n, "size": 2048} for n in (1, 5, 20)]
        about = {"varied": ["clients"], "operation": "request/reply"}
        simulated.write(tmp_path / "slow", "L92-W13", steps, seed=9, slower=1.2, head=about)
        to = io.StringIO()
        assert command.compare(runs / "ramp", tmp_path / "slow", to, tolerance=0.06, spark=spark) == command.WORSE
        assert "slow against ramp: worse" in to.getvalue()
        with pytest.raises(PipelineError, match="no point in common"):
            command.compare(runs / "ramp", runs / "tls", to, tolerance=0.06, spark=spark)
        with pytest.raises(BadOption, match="tolerance"):
            command.compare(runs / "ramp", runs / "ramp", to, tolerance=1.5, spark=spark)

    def test_a_plan_predicts_the_cost_that_the_runs_have(self, spark: SparkSession, runs: Path) -> None:
        to = io.StringIO()
        wanted = Wanted("put tcp", 1000.0, 16384)
        command.plan([runs / "put"], wanted, to, form="markdown", spark=spark)
        row = next(line for line in to.getvalue().splitlines() if line.startswith("| CPU for a message"))
        given = {"mode": "tcp", "size": 16384, "persistent": False}
        assert float(row.split("|")[2]) == pytest.approx(simulated.cost_us(given), rel=0.15)

    def test_a_plan_for_a_path_that_no_run_has_names_those_that_there_are(
        self, spark: SparkSession, runs: Path
    ) -> None:
        with pytest.raises(BadOption, match="put, tcp"):
            command.plan([runs / "put"], Wanted("pigeon", 1.0, 10), io.StringIO(), spark=spark)
        with pytest.raises(BadOption, match="above 0"):
            command.plan([runs / "put"], Wanted("put", 0.0, 10), io.StringIO(), spark=spark)
