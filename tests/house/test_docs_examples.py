"""Every Python block of the README and of docs/ runs as it stands (issue 14, item 25).

a block with connect(...)     in a process of its own, after `flint up`; the address is the only thing replaced
docs/testing.md               as a file of tests, with pytest; `your code` is filled in
docs/pipeline*.md             with Spark: tests/pipeline/test_docs_examples.py
every other block             here
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
#: What a page leaves to the reader.
YOUR_CODE = """
def confirm_orders(qm):
    order = qm.queue("DEV.QUEUE.1").get()
    qm.queue("DEV.QUEUE.2").put("confirmed 7", correlation_id=order.correlation_id)

def publish_prices(qm):
    qm.topic("prices/gold").publish("1811", properties={"unit": "oz"})
"""


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def found(needs_server: bool) -> list[object]:
    """The blocks that this file runs, as parameters of a test."""
    return [
        pytest.param(block, id=f"{page.stem}-{number}")
        for page in PAGES
        if page.stem != "testing" and not page.stem.startswith("pipeline")
        for number, block in enumerate(blocks(page), 1)
        if (re.search(r"connect\(|pool\(", block) is not None) == needs_server
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """What a reader has after `flint up`: the data directory and the port."""
    data, port = tmp_path_factory.mktemp("data"), free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLINTMQ_DATA", str(data))
        assert main(["up", "-p", str(port)]) == 0
        yield data, port
        assert main(["down"]) == 0


@pytest.mark.parametrize("example", found(needs_server=False))
def test_an_example_runs_as_it_is_written(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    exec(compile(example, "example", "exec", dont_inherit=True), {"__name__": "example"})


@pytest.mark.parametrize("example", found(needs_server=True))
def test_an_example_that_connects_runs_after_flint_up(example: str, server: tuple[Path, int]) -> None:
    data, port = server
    program = re.sub(r"(host|127\.0\.0\.1)\(1414\)", f"127.0.0.1({port})", example)
    environment = {**os.environ, "FLINTMQ_DATA": str(data)}
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_tests_of_the_page_on_testing_pass(tmp_path: Path) -> None:
    page = blocks(ROOT / "docs" / "testing.md")
    assert page
    (tmp_path / "test_page.py").write_text(YOUR_CODE + "\n".join(page))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "flintmq.testing", "test_page.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stdout
