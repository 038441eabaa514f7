"""The cost model on runs of real queue managers (data/): held-out runs, the log, the example. Needs Spark."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from flintmq.perf import runs as run_files
from flintmq.perf.report import capacity, command
from flintmq.pipeline.runs import costs, tables
from tests.perf import stored

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def facts(spark: SparkSession) -> list[tables.RunFacts]:
    return tables.read(spark, tables.find([stored.DATA]))


@pytest.fixture(scope="module")
def points(facts: list[tables.RunFacts]) -> list[costs.Point]:
    return capacity.cost_points(facts)


def test_runs_that_were_held_out_are_predicted_within_15_percent(points: list[costs.Point]) -> None:
    """The bar of issue 18 for CPU of a message, on whole runs that the model has not seen."""
    found = costs.held_out(points)
    assert len(found) >= 5 and len({each.point.run for each in found}) >= 3
    far = {each.point.name: round(each.error, 3) for each in found if abs(each.error) > costs.GOOD}
    assert far == {}


def test_the_log_model_agrees_with_streaming_queues(points: list[costs.Point]) -> None:
    """SQ-W01 and SQ-W02: a message of 2 KB, alone and with one copy, which does not have the payload again (B59)."""
    model = costs.fit(points)
    assert model.log is not None
    assert model.log[0] > 0 and model.log[1] == pytest.approx(1.0, abs=0.02)
    logged = [each for each in points if each.path.startswith("put by App1") and each.log_bytes]
    assert {each.copies for each in logged} == {0, 1}
    for each in logged:
        assert model.log_bytes(each) == pytest.approx(each.log_bytes, rel=0.02), each.name


def test_no_base_is_0_without_a_remark(facts: list[tables.RunFacts], points: list[costs.Point]) -> None:
    model = costs.fit(points)
    said = " ".join(capacity.make(facts).words)
    assert all(name in said for name in (*model.zero, *model.one_size))
    assert ("Base 0" in said) == bool(model.zero)


def test_the_example_is_of_messages_that_are_put_and_got(facts: list[tables.RunFacts]) -> None:
    example = capacity.make(facts).tables[-1]
    assert example.title.startswith("Example: 500 persistent messages of 2 KB a second, ")
    assert "open" not in example.title and "flow" not in example.title
    figures = {str(row[0]): row[1] for row in example.rows}
    assert isinstance(figures["log for a message"], float) and 2048 < figures["log for a message"] < 2500


def test_a_plan_from_real_runs_says_how_well_held_out_runs_were_predicted(spark: SparkSession) -> None:
    to = io.StringIO()
    wanted = costs.Wanted("request/reply, local, syncpoint", 500.0, 2048, True, connections=20)
    command.plan([stored.DATA], wanted, to, spark=spark)
    assert "Held-out runs of this path were predicted with a median error of" in to.getvalue()
    assert "cores for the rate" in to.getvalue()


def test_a_stored_run_has_the_records_that_cost_models_need(tmp_path: Path) -> None:
    """Trimming keeps lines as they are; what is stored is small."""
    files = list(stored.DATA.rglob(run_files.FILE))
    assert sum(each.stat().st_size for each in files) < stored.BYTES_MAX
    stored.trim(files[0].parent, tmp_path)
    assert (tmp_path / files[0].parent.name / run_files.FILE).read_bytes() == files[0].read_bytes()
    for each in files:
        run = run_files.read(each.parent)
        assert run.ended == run_files.COMPLETE and set(run.records) <= set(stored.KEPT) and run["result"]
