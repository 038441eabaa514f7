"""Public MQ projects on a queue manager process: messages go in, and what arrives is as their ESQL says.

The scenarios are in tools/flow_projects.py, which also prints them as a table. Each deploys flows of a checkout to an
execution group of real worker processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools.flow_projects import REPOSITORIES, SCENARIOS, Desk, Scenario, desk


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("projects")) as started:
        yield started


@pytest.fixture
def checkout(request: pytest.FixtureRequest, foreign: Callable[[str], Path]) -> Path:
    path = foreign("corpus") / REPOSITORIES[request.param.row]
    if not path.is_dir():
        pytest.skip(f"{path} is not there")
    return path


@pytest.mark.parametrize(
    ("scenario", "checkout"),
    [(each, each) for each in SCENARIOS],
    indirect=["checkout"],
    ids=[each.name for each in SCENARIOS],
)
def test_a_project_does_what_its_esql_says(scenario: Scenario, checkout: Path, request: pytest.FixtureRequest) -> None:
    scenario.run(request.getfixturevalue("made"), checkout)
