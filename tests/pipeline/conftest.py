"""One Spark session for all tests of the pipeline in this process. Without Java or PySpark they skip and say why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flintmq.pipeline.errors import JavaMissing
from tests.pipeline.manager import Manager
from tests.telemetry.samples import SYNTHETIC, TESTCHL

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With `--dist loadgroup` only one process starts Spark."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")
    from flintmq.pipeline import session

    try:
        session.java()
    except JavaMissing as error:
        pytest.skip(str(error))
    warehouse = tmp_path_factory.mktemp("warehouse")
    # A session of a minute does not earn back what compilers cost: Java's second, and Spark's own of each query.
    settings = {
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    made = session.start("local[2]", settings, quiet=True)
    yield made
    made.stop()


@pytest.fixture(scope="session")
def sample() -> Path:
    """The largest dump there is: the real one with channels, or the synthetic one."""
    return TESTCHL.dump if TESTCHL.present else SYNTHETIC.dump


@pytest.fixture(scope="session")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Manager]:
    """A queue manager that runs as a process of its own."""
    made = Manager(tmp_path_factory.mktemp("mq"))
    made.start()
    yield made
    made.end()
