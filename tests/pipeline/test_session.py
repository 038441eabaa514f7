"""Sessions: where their Python workers find PySpark and FlintMQ."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import flintmq
from flintmq.pipeline import session
from flintmq.pipeline.worker_start.sitecustomize import reordered

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_workers_import_pyspark_where_it_is_installed_and_this_flintmq(spark: SparkSession) -> None:
    """From its archive PySpark would be compiled anew by every worker."""
    import pyspark

    def places(_: int) -> tuple[str, str]:
        import pyspark

        import flintmq

        return pyspark.__file__, flintmq.__file__

    rows = spark.sparkContext.parallelize([1], 1).map(places).collect()
    assert [tuple(map(os.path.realpath, row)) for row in rows] == [
        (os.path.realpath(pyspark.__file__), os.path.realpath(flintmq.__file__))
    ]


def test_an_archive_goes_last_only_if_the_path_has_its_package(tmp_path: Path) -> None:
    installed, other = tmp_path / "site-packages", tmp_path / "spark"
    copy, foreign = (str(place / "pyspark" / "python" / "lib" / "pyspark.zip") for place in (installed, other))
    link = tmp_path / "venv"
    link.symlink_to(installed)

    assert reordered([copy, "src", str(link)]) == ["src", str(link), copy]
    assert reordered([foreign, "src", str(installed)]) == [foreign, "src", str(installed)]
    assert reordered([]) == []


@pytest.mark.parametrize("text", ["print('mine')", "import module_that_is_not_there"])
def test_a_sitecustomize_of_the_machine_still_runs_and_may_fail(tmp_path: Path, text: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(f"{text}\n")
    path = os.pathsep.join([*session.worker_path(), str(tmp_path)])
    made = subprocess.run(
        [sys.executable, "-c", "import sitecustomize; print(sitecustomize.__file__)"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    if text.startswith("print"):
        assert made.stdout.splitlines() == ["mine", str(tmp_path / "sitecustomize.py")]
    else:
        assert "module_that_is_not_there" in made.stderr
