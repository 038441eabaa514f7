"""What every test knows: how the package was built, how much to simulate, and settings of hypothesis.

--simulate N    seeds of tests/simulation (300). A test that takes `seeds` gets them in ranges of BATCH, so that
                they spread over the cores; it runs each seed of its range and names it when it fails.
--seed N        only this seed: what a failure prints, to repeat it
--kills N       how often a real process is killed (20); the fixture is `kills`
--slow          also the tests that take minutes, by the fixture `slow`
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

import flintmq

#: Seeds in one test case.
BATCH = 10
#: A minute and more: a cluster of Spark is started, and loses a worker.
LONGEST = "tests/pipeline/test_cluster.py"

#: How long an example takes to make, or to run, says something of the machine and nothing of the test. (A test that
#: suppresses other checks by itself has to name this one, too.)
_SLOW = [HealthCheck.too_slow]
settings.register_profile("flint", deadline=None, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile("ci", deadline=None, print_blob=True, suppress_health_check=_SLOW, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "flint")

#: What an MQ user's shell says (MQSERVER, MQ_APP_PASSWORD ...) is not for the queue managers of the tests.
for _name in [name for name in os.environ if name.startswith("MQ")]:
    del os.environ[_name]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--simulate", type=int, default=300, metavar="N", help="seeds of the simulation (300)")
    parser.addoption("--seed", type=int, default=None, metavar="N", help="simulate only this seed")
    parser.addoption("--kills", type=int, default=20, metavar="N", help="times a real process is killed (20)")
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")


def pytest_report_header(config: pytest.Config) -> str:
    how = "compiled" if flintmq.compiled() else "plain Python"
    return f"flintmq {flintmq.__version__}, hot modules: {how}; seeds to simulate: {config.getoption('--simulate')}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first: one that is begun last is waited for with a single core at work."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test that takes `seeds` its ranges."""
    if "seeds" not in metafunc.fixturenames:
        return
    only = metafunc.config.getoption("--seed")
    count = metafunc.config.getoption("--simulate")
    if only is not None:
        ranges = [range(only, only + 1)]
    else:
        ranges = [range(first, min(first + BATCH, count)) for first in range(0, count, BATCH)]
    metafunc.parametrize("seeds", ranges, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    count: int = request.config.getoption("--kills")
    return count


@pytest.fixture
def slow(request: pytest.FixtureRequest) -> None:
    """A test that takes this runs only with --slow."""
    if not request.config.getoption("--slow"):
        pytest.skip("takes minutes; --slow runs it")
