"""The Python blocks of docs/pipeline*.md run as they stand, but for addresses and paths (issue 14, item 25)."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from flintmq.server import users
from tests.pipeline.manager import Manager

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCS = Path(__file__).resolve().parents[2] / "docs"


def block(page: str) -> str:
    """The only Python block of the page."""
    (only,) = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), flags=re.DOTALL | re.MULTILINE)
    return str(only)


def test_every_page_of_the_pipeline_with_python_is_run_here() -> None:
    pages = {page.name for page in DOCS.glob("pipeline*.md") if "```python" in page.read_text()}
    assert pages == {"pipeline.md", "pipeline-queues.md", "pipeline-flows.md"}


def test_dumps_are_read_as_the_page_says(
    spark: SparkSession, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    shutil.copy(sample, dumps)
    names: dict[str, Any] = {"spark": spark}
    exec(block("pipeline.md").replace('"dumps"', repr(str(dumps))), names)
    assert names["queues"].count() >= 0
    assert names["live"].isStreaming


def test_orders_are_moved_as_the_page_says(spark: SparkSession, manager: Manager, tmp_path: Path) -> None:
    users.change(manager.place.directory / users.NAME, "app", "passw0rd", False)
    (tmp_path / "app").write_text("passw0rd")
    manager.command("DEFINE QLOCAL(FLINTMQ.SPARK.STATE) DEFPSIST(YES) REPLACE")
    for name in ("ORDERS", "ORDERS.LARGE", "FLINTMQ.SPARK.STATE"):
        manager.command(f"DEFINE QLOCAL({name}) NOREPLACE" if name != "FLINTMQ.SPARK.STATE" else "PING QMGR")
        manager.command(f"SET AUTHREC PROFILE({name}) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(BROWSE,GET,INQ,PUT,DSP)")
    manager.put("ORDERS", [b'{"total": 2000}', b'{"total": 20}'])
    text = block("pipeline-queues.md").replace("host(1414)", f"127.0.0.1({manager.port})")
    text = text.replace("/data/checkpoints", str(tmp_path)).replace("/run/app", str(tmp_path / "app"))
    names: dict[str, Any] = {"spark": spark}
    exec(text, names)
    names["query"].processAllAvailable()
    names["query"].stop()
    assert manager.bodies("ORDERS.LARGE") == [b'{"total": 2000}']


def test_a_flow_runs_on_spark_as_the_page_says(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"spark": spark}
    exec(block("pipeline-flows.md"), names)
    assert names["rows"].count() == 3
