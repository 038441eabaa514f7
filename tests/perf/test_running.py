"""Runs of real queue managers and driver processes: records, modes, rates, interruption, suites, `flint perf cph`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import flintmq
from flintmq.cli.main import main
from flintmq.perf import catalogue, cph, disk, runner, runs, suite
from flintmq.perf.catalogue import Workload
from flintmq.perf.histogram import Histogram
from flintmq.perf.measure import Timing
from flintmq.perf.plan import EMBEDDED, LOCAL, TCP, TLS, Actors
from flintmq.perf.stage import Stage, StageError, environment
from flintmq.perf.view import View
from flintmq.telemetry.smf import framing
from tests.waiting import PATIENCE

SHORT = Timing(0.1, 0.4, 0.05, 1)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage() as made:
        made.start()
        yield made


def options(timing: Timing = SHORT, **more: object) -> runner.Options:
    made = runner.Options(timing, quick=True, disk_test=False)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def ran(workload: Workload, stage: Stage, place: Path, made: runner.Options) -> runs.Run:
    return runs.read(runner.run(workload, place / "run", stage, made, View(quiet=True)))


@pytest.mark.parametrize("mode", [LOCAL, TCP, TLS, EMBEDDED])
def test_a_run_has_every_record_in_each_mode(stage: Stage, tmp_path: Path, mode: str) -> None:
    """Cost of drivers and of the queue manager is kept apart (P2); embedded, it is one process and says so."""
    made = options(only={"mode": (mode,), "size": (2048,)})
    run = ran(catalogue.find("Z93-R01"), stage, tmp_path, made)
    assert (run.ended, run.head["mode"], run.torn) == (runs.COMPLETE, mode, False)
    (result,) = run["result"]
    assert result["operations"] > 0 and result["errors"] == 0 and result["log_bytes"] is not None
    assert sum(each["count"] for each in run["second"] if each["role"] == "requester") == result["operations"]
    kinds = {each["kind"] for each in run["cpu"]}
    if mode == EMBEDDED:
        assert kinds == {"embedded"} and result["queue_manager_us"] is None
    else:
        assert kinds == {"queue manager", "driver"} and result["queue_manager_us"] > 0
        assert run.smf_files() and run.smf_files()[0].stat().st_size > 100
    (latency,) = (each for each in run["latency"] if each["role"] == "requester")
    histogram = Histogram.from_json(latency["histogram"])
    assert (latency["what"], latency["from"], latency["count"]) == ("round_trip", "sent", result["operations"])
    assert histogram.count == latency["count"] and 0 < latency["p50_us"] <= latency["p99_us"] <= latency["max_us"]
    assert run["machine"][0]["cores"] >= 1 and run["step"][0]["parameters"]["size"] == 2048


def test_the_smf_of_a_run_is_read_by_the_reader_of_smf(stage: Stage, tmp_path: Path) -> None:
    """A dump of a repeat is a slice of the recorder's file: whole records, and nothing between them."""
    run = ran(catalogue.find("Z93-R01"), stage, tmp_path, options(only={"size": (2048,)}))
    (path,) = run.smf_files()
    data = path.read_bytes()
    found = framing.cut(data, 0, len(data))
    assert framing.detect(data) == framing.RDW
    assert len(found.starts) > 3 and found.damages == [] and found.end == len(data)


def test_tasks_are_accounted_for_in_the_warm_up_and_not_in_the_measured_part(stage: Stage, tmp_path: Path) -> None:
    """Class 3 costs CPU in each call: it is off while rates and CPU are measured."""
    run = ran(catalogue.find("Z93-R01"), stage, tmp_path, options(only={"size": (2048,)}))
    (path,) = run.smf_files()
    data = path.read_bytes()
    kinds = [data[start + 5] for start in framing.cut(data, 0, len(data)).starts]
    assert kinds.count(116) >= 9  # Five requesters and four servers.
    assert "ACCTG" not in " ".join(stage.commands("DISPLAY TRACE(*)"))


def test_a_rated_run_keeps_its_rate_and_measures_from_the_schedule(stage: Stage, tmp_path: Path) -> None:
    made = options(Timing(0.2, 1.0, 0.05, 1), only={"size": (2048,)}, rate=40.0)
    run = ran(catalogue.find("Z93-R01"), stage, tmp_path, made)
    assert run["step"][0]["target_rate"] == 40.0
    assert 20 <= run["result"][0]["operations"] <= 60
    since = {each["from"] for each in run["latency"] if each["what"] == "round_trip"}
    assert since == {"sent", "intended"}


def test_copies_are_drained_and_counted(stage: Stage, tmp_path: Path) -> None:
    """B35, B95: each put places a copy, and the total internal rate is twice that of the application."""
    run = ran(catalogue.find("SQ-W02"), stage, tmp_path, options(only={"clients": (2,)}))
    (result,) = run["result"]
    assert result["messages"] == 2 * result["operations"] > 0
    assert {each["role"] for each in run["second"]} == {"putter", "getter"}
    assert run["peak"][0]["at"] == 2


def test_a_message_flow_is_driven_in_an_execution_group(stage: Stage, tmp_path: Path) -> None:
    run = ran(catalogue.find("WMQI-W03"), stage, tmp_path, options(only={"size": (4096,), "clients": (2,)}))
    assert run["result"][0]["operations"] > 0
    assert {"broker", "queue manager", "driver"} == {each["kind"] for each in run["cpu"]}


def test_a_full_page_set_stops_puts_or_copies(stage: Stage, tmp_path: Path) -> None:
    """B42, B43, B47, B48: best effort goes on without copies, must duplicate fails with 2192."""
    made = options(only={"pages": (200,), "depth": (400,)})
    run = ran(catalogue.find("Z93-Q09"), stage, tmp_path, made)
    values = {(each["step"], each["name"]): each["value"] for each in run["value"]}
    assert (values[1, "puts"], values[1, "reason"], values[1, "base_depth"]) == (400, 0, 400)
    assert values[2, "reason"] == 2192 and values[2, "puts"] == values[2, "stream_depth"] == values[1, "stream_depth"]


def test_a_killed_queue_manager_is_back_with_its_messages(stage: Stage, tmp_path: Path) -> None:
    run = ran(catalogue.find("Z701-W08"), stage, tmp_path, options(only={"depth": (50,)}))
    values = {each["name"]: each["value"] for each in run["value"]}
    assert values["messages_after"] == 49 and 0 < values["restart_s"] <= values["first_get_s"]


def test_ctrl_c_leaves_a_valid_run(stage: Stage, tmp_path: Path) -> None:
    class Impatient(View):
        def second(self, text: str, second: int, of: int, count: int) -> None:
            raise KeyboardInterrupt

    made = options(Timing(0.1, 5.0, 0.05, 3), only={"size": (2048,)})
    with pytest.raises(KeyboardInterrupt):
        runner.run(catalogue.find("Z93-R01"), tmp_path / "run", stage, made, Impatient(quiet=True))
    run = runs.read(tmp_path / "run")
    assert (run.ended, run["result"]) == (runs.INTERRUPTED, [])
    assert stage.drivers == []


def test_a_workload_that_fails_says_why_and_leaves_a_run(stage: Stage, tmp_path: Path) -> None:
    """One message is due in the warm-up, none in the measured interval."""
    with pytest.raises(StageError, match="needs clusters"):
        ran(Workload("X", "t", needs="clusters"), stage, tmp_path, options())
    with pytest.raises(StageError, match="nothing succeeded"):
        ran(Workload("X", "t", "put", {"clients": 1, "rate": 0.01}), stage, tmp_path, options())
    run = runs.read(tmp_path / "run")
    assert run.ended == runs.FAILED and "no operation ended" in run["note"][0]["text"]


def test_a_driver_that_cannot_open_its_queue_is_named(stage: Stage) -> None:
    plan = stage.plan(LOCAL)
    plan.actors = [Actors("putter", put_to=["PQ.NONE"])]
    with pytest.raises(StageError, match="putter.*PQ.NONE"):
        stage.ready([plan])
    stage.end_drivers()


def test_a_suite_is_continued_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "QUICK", ("Z93-R01", "Z701-W19"))
    monkeypatch.setattr(suite, "timing", lambda *_: SHORT)
    place = tmp_path / "quick"
    one = suite.begin(place, True, [], 1, 600.0)

    class Stops(View):
        def title(self, text: str) -> None:
            if "Z701-W19" in text:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        suite.run(one, Stops(quiet=True))
    again = suite.load(place)
    assert again is not None and list(again.done) == ["Z93-R01"] and again.left == ["Z701-W19"]
    assert suite.run(again, View(quiet=True))
    kept = suite.load(place)
    assert kept is not None and kept.left == [] and kept.done["Z93-R01"] == again.done["Z93-R01"]
    ended = sorted(runs.read(each).ended for each in runs.find(place))
    assert ended == [runs.COMPLETE, runs.COMPLETE, runs.INTERRUPTED]


def test_two_working_copies_are_measured_in_turns(tmp_path: Path) -> None:
    """The runs of each side are in a directory of its own, one for each repeat, and one side is not always first."""
    from flintmq.perf import command

    assert command._without(["X", "--against", "d", "--quick", "--against=e"], "--against") == ["X", "--quick"]
    here = Path(flintmq.__file__).resolve().parents[2]
    words = ["Z93-R01", "--quick", "--set", "size=512", "--seconds", "0.2", "--repeats", "2", "--warm-up", "0.1"]
    whole = [
        sys.executable,
        "-P",
        "-m",
        "flintmq.cli",
        "perf",
        "run",
        *words,
        "--against",
        str(here),
        "-o",
        str(tmp_path),
    ]
    ended = subprocess.run(whole, capture_output=True, text=True, timeout=4 * PATIENCE, env=environment(tmp_path))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    turns = [line.partition(": ")[0] for line in ended.stdout.splitlines() if line.startswith("turn ")]
    assert turns == ["turn 1 of 2, A", "turn 1 of 2, B", "turn 2 of 2, B", "turn 2 of 2, A"]
    for side in ("A", "B"):
        made = [runs.read(each) for each in runs.find(tmp_path / side)]
        assert [each.ended for each in made] == [runs.COMPLETE] * 2
        assert all(len(each["result"]) == 1 for each in made)


def test_a_damaged_suite_file_is_refused(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"format": "flint-perf-suite", "version": 2}', json.dumps({"format": "x", "version": 1})):
        (tmp_path / suite.FILE).write_text(text)
        with pytest.raises(runs.RunError, match="damaged"):
            suite.load(tmp_path)


def test_a_suite_has_time_for_all_of_its_repeats() -> None:
    for quick in (True, False):
        one = suite.begin(Path("x"), quick, [], 3)
        timing = suite.timing(one, one.workloads, one.limit_s)
        costs = [suite.cost(catalogue.find(name), one) for name in one.workloads]
        seconds = sum(count for count, _ in costs) * (timing.warm_up_s + timing.measure_s + timing.settle_s)
        assert timing.measure_s >= (0.75 if quick else 2.0) and not one.thin
        assert seconds + sum(each for _, each in costs) < (300 if quick else 90 * 60)
    assert len(suite.QUICK) == len(set(suite.QUICK)) and all(catalogue.find(name).runnable for name in suite.QUICK)


def test_a_full_suite_with_a_short_limit_takes_fewer_values_of_all_workloads(tmp_path: Path) -> None:
    one = suite.begin(tmp_path, False, [], 3, 2400.0)
    timing = suite.timing(one, one.workloads, one.limit_s)
    assert one.thin and timing.measure_s >= 0.9 and len(one.workloads) == 78
    steps = catalogue.find("L92-W13").steps(full=True, thin=True)
    assert {step["clients"] for step in steps if step["size"] == 2048} == {1, 10, 100}
    one.save()
    again = suite.load(tmp_path)
    assert again is not None and again.thin


def test_repeats_of_a_suite_keep_about_their_length_when_ramps_end_early() -> None:
    one = suite.begin(Path("x"), False, ["L92-W13", "Z93-R01"], 3, 600.0)
    first = suite.timing(one, one.workloads, 600.0, most_s=2.0)
    assert first.warm_up_s + first.measure_s + first.settle_s == pytest.approx(2.0, rel=0.01)
    assert suite.timing(one, ["Z93-R01"], 3600.0).measure_s <= 0.75 * suite.REPEAT_MAX_S


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_disk_test_prints_a_line_for_each_block(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["perf", "disk", str(tmp_path), "--bytes", "4,64", "--seconds", "0.1", "--file-size", "1"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["4", "64"]
    assert all(float(line.split()[3]) > 0 for line in lines[2:])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", disk.METHODS)
def test_every_method_of_the_disk_test_counts_its_writes(tmp_path: Path, method: str) -> None:
    (result,) = disk.run(disk.Test(tmp_path, method, 1 << 20, 2, 0.1), [4096])
    assert result["writes"] >= 2 and result["writes"] % 2 == 0 and result["p50_us"] <= result["max_us"]


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["run", "Z93-R99"], 2, "there is no workload"),
        (["run", "Z93-R11"], 1, "needs message channels"),
        (["run", "Z93-R01", "--set", "size"], 1, "not NAME=VALUES"),
        (["run", "Z93-R01", "--repeats", "0"], 1, "--repeats"),
        (["run", "Z93-R01", "--against", "/nowhere"], 1, "no working copy"),
        (["disk", "nowhere"], 1, "no directory"),
        (["disk", ".", "--bytes", "x"], 1, "--bytes"),
        (["cph", "-tc", "Nothing"], 2, "-tc"),
        (["cph", "-nt", "0"], 2, "-nt"),
        (["cph", "-jt", "x"], 2, "-jt"),
        (["cph", "-mg", "10"], 2, "-mg"),
        (["cph", "-sd", "x"], 2, "-sd"),
        (["cph", "-tc", "Publisher", "-p1"], 2, "-p1"),
        (["peers", "kafka"], 1, "not known: kafka"),
        (["suite", "--repeats", "0"], 1, "--repeats"),
    ],
)
def test_a_bad_option_is_answered_in_one_line(
    words: list[str], code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perf", *words]) == code
    said = capsys.readouterr().err
    assert text in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("numbers", "wanted"),
    [
        ((0, 0, 0), ["Q"]),
        ((0, 0, 3), ["Q1", "Q2", "Q3"]),
        ((6, 0, 3), ["Q6", "Q7", "Q8"]),
        ((0, 6, 3), ["Q4", "Q5", "Q6"]),
        ((4, 6, 0), ["Q4", "Q5", "Q6"]),
        ((4, 6, 5), ["Q5", "Q6", "Q4"]),
    ],
)
def test_destinations_are_numbered_as_the_harness_does(numbers: tuple[int, int, int], wanted: list[str]) -> None:
    assert cph.names("Q", *numbers) == wanted


def test_cph_drives_requesters_and_responders_and_prints_rates(stage: Stage) -> None:
    stage.start()
    stage.commands("DEFINE QLOCAL(REQUEST) REPLACE", "DEFINE QLOCAL(REPLY) REPLACE")
    command = [sys.executable, "-P", "-m", "flintmq.cli", "perf", "cph", "-jb", "PERF", "-ss", "1"]
    connect = ["-jt", "mqc", "-jh", "127.0.0.1", "-jp", str(stage.port), "-jc", "PERF.SVRCONN"]
    responder = subprocess.Popen(
        [*command, "-jt", "mqb", "-tc", "Responder", "-rl", "0"], env=environment(stage.data), stdout=subprocess.PIPE
    )
    try:
        words = [*command, *connect, "-tc", "jms.r11.Requestor", "-nt", "2", "-ms", "100", "-rl", "2", "-id", "7"]
        ended = subprocess.run(words, env=environment(stage.data), capture_output=True, text=True, timeout=PATIENCE)
        assert (ended.returncode, ended.stderr) == (0, "")
        lines = ended.stdout.splitlines()
        assert lines[0].startswith("id=7,rateR=") and "total messages=" in lines[0] and lines[0].endswith("threads=2")
        last = dict(part.split("=") for part in lines[-2].split(",")[1:])
        assert int(last["totalIterations"]) > 0 and last["avgRate"] == last["totalRate"]
    finally:
        responder.send_signal(signal.SIGINT)
        said, _ = responder.communicate(timeout=PATIENCE)
    assert b"totalIterations=" in said
    stage.commands("DELETE QLOCAL(REQUEST) PURGE", "DELETE QLOCAL(REPLY) PURGE")


def last_of(said: str) -> dict[str, str]:
    """Return the figures of the last line of a process of cph."""
    line = next(line for line in said.splitlines()[::-1] if line.startswith("totalIterations="))
    return dict(part.split("=") for part in line.split(","))


def cph_of(stage: Stage, *words: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-P",
        "-m",
        "flintmq.cli",
        "perf",
        "cph",
        "-jb",
        "PERF",
        "-jt",
        "mqb",
        "-wi",
        "0",
        *words,
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment(stage.data), stdout=pipe, stderr=pipe, text=True)


@pytest.mark.parametrize("more", [(), ("-p1",), ("-pp", "-tx")], ids=["plain", "put1", "persistent"])
def test_cph_puts_and_gets(stage: Stage, more: tuple[str, ...]) -> None:
    stage.start()
    stage.commands("DEFINE QLOCAL(DEST) REPLACE")
    one = cph_of(stage, "-tc", "PutGet", "-nt", "2", "-rl", "1", "-ss", "0", *more)
    said, errors = one.communicate(timeout=PATIENCE)
    assert (one.returncode, errors) == (0, "")
    assert int(last_of(said)["totalIterations"]) > 0 and stage.depth("DEST") == 0
    stage.commands("DELETE QLOCAL(DEST) PURGE")


@pytest.mark.parametrize(
    ("classes", "destination"), [(("Sender", "Receiver"), "DEST"), (("Publisher", "Subscriber"), "perf/cph")]
)
def test_cph_sends_to_receivers_and_publishes_to_subscribers(
    stage: Stage, classes: tuple[str, str], destination: str
) -> None:
    """The receiving process takes what the other has sent, and ends at Ctrl-C with its last line."""
    stage.start()
    stage.commands("DEFINE QLOCAL(DEST) MAXDEPTH(999999999) REPLACE")
    to = cph_of(stage, "-tc", classes[1], "-d", destination, "-rl", "0", "-ss", "1", "-nt", "2", "-sp", "-ls")
    try:
        assert to.stdout is not None
        to.stdout.readline()  # It has opened its queue, or subscribed.
        one = cph_of(stage, "-tc", classes[0], "-d", destination, "-rl", "1", "-ss", "0", "-sd", "tlf", "-rt", "200")
        sent, errors = one.communicate(timeout=PATIENCE)
        assert (one.returncode, errors) == (0, "")
        put = last_of(sent)
        assert int(put["totalIterations"]) > 0 and float(put["avgDuration"]) > 1.0
        said = ""
        while "latency us of thread 0: max=" not in said:
            said = to.stdout.readline()
            assert said, "it has ended"
        assert "threads=2,by thread=" in said
    finally:
        to.send_signal(signal.SIGINT)
        rest, _ = to.communicate(timeout=PATIENCE)
    got = int(last_of(rest)["totalIterations"])
    copies = 2 if classes[1] == "Subscriber" else 1
    # The last messages of the sender's second are counted by the receiver alone.
    assert 0 < got <= copies * (int(put["totalIterations"]) + 10)
    stage.commands("DELETE QLOCAL(DEST) PURGE")


def test_cph_without_last_line_and_with_a_stack_size(stage: Stage) -> None:
    stage.start()
    one = cph_of(stage, "-tc", "Publisher", "-d", "perf/nobody", "-rl", "1", "-ss", "0", "-su", "false", "-ts", "256")
    said, errors = one.communicate(timeout=PATIENCE)
    assert (one.returncode, said, errors) == (0, "", "")


def test_defaults_of_cph_are_those_of_the_original() -> None:
    known = {option.name: option.default for option in cph.OPTIONS}
    wanted = {"ss": 10, "nt": 1, "rl": 60, "wi": 1000, "wt": 30, "ms": 1000, "rt": 0.0, "cc": 1, "to": 5.0, "jp": 1414}
    assert {name: known[name] for name in wanted} == wanted
    assert (
        known["jc"] == "SYSTEM.DEF.SVRCONN" and known["sd"] == "normal" and known["su"] and known["sh"] and known["co"]
    )
    assert not {"tx", "pp", "p1", "cs", "ls", "sp", "jy"} & {name for name, value in known.items() if value}


def test_sigint_ends_a_run_that_is_valid(tmp_path: Path) -> None:
    """Ctrl-C on the whole command: exit code 130, the finished repeats stay, the run says it was interrupted."""
    words = ["Z93-R01", "--set", "size=512", "--seconds", "0.5", "--warm-up", "0.1", "--repeats", "500"]
    command = [sys.executable, "-P", "-m", "flintmq.cli", "perf", "run", *words, "-o", str(tmp_path)]
    one = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(tmp_path)
    )
    assert one.stdout is not None
    said = ""
    while "size=512" not in said:
        said = one.stdout.readline()
        assert said, one.stderr.read() if one.stderr else ""
    one.send_signal(signal.SIGINT)
    one.communicate(timeout=PATIENCE)
    assert one.returncode == 130
    (place,) = runs.find(tmp_path)
    run = runs.read(place)
    assert (run.ended, run.torn) == (runs.INTERRUPTED, False) and run["result"]
    assert run["end"][0]["reason"] == "Ctrl-C"


def test_nothing_of_a_run_listens_beyond_loopback(stage: Stage) -> None:
    stage.start()
    assert stage.address.startswith("127.0.0.1(")
    with flintmq.connect("PERF", channel="PERF.SVRCONN", conn=stage.address) as qm:
        assert qm.queue("DEV.QUEUE.1").depth == 0
    assert threading.active_count() < 50 and os.environ.get("FLINTMQ_DATA") != str(stage.data)
