"""Options of every test: how much to simulate, how many examples hypothesis makes, and from which seed.

--simulate N      seeds of tests/simulation from 0 (300). A test that takes `seeds` gets them in ranges of BATCH, which
                  spread over the cores; it runs each seed of its range and names it when it fails.
--new-seeds N     seeds beside them that no run had before (60); the header prints the first
--seed N          only this seed: a failure prints it, this repeats it
--kills N         how often a real process is killed (20); the fixture is `kills`
--slow            also the tests that take minutes, by the fixture `slow`
--new-examples    draw new examples in CI too, where they are the same in each run
--examples N      make N % of the examples that a test asks for (100)

The header prints the seed of new examples; `--hypothesis-seed N` of hypothesis' own plugin repeats them.
"""

from __future__ import annotations

import math
import os
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

import flintmq

#: Seeds in one test case.
BATCH = 10
#: A minute and more: a cluster of Spark is started, and loses a worker.
LONGEST = "tests/pipeline/test_cluster.py"

#: Options that are drawn for a run unless the command names them.
SEEDS = ("first_new_seed", "hypothesis_seed")

#: How long an example takes to make, or to run, says something of the machine and nothing of the test. (A test that
#: suppresses other checks by itself has to name this one, too.)
_SLOW = [HealthCheck.too_slow]
settings.register_profile("flint", deadline=None, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile("ci", deadline=None, print_blob=True, suppress_health_check=_SLOW, derandomize=True)

#: What an MQ user's shell says (MQSERVER, MQ_APP_PASSWORD ...) is not for the queue managers of the tests.
for _name in [name for name in os.environ if name.startswith("MQ")]:
    del os.environ[_name]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--simulate", type=int, default=300, metavar="N", help="seeds of the simulation (300)")
    parser.addoption("--new-seeds", type=int, default=60, metavar="N", help="new seeds beside them (60)")
    parser.addoption("--first-new-seed", type=int, default=None, metavar="N", help="the first of them (drawn)")
    parser.addoption("--seed", type=int, default=None, metavar="N", help="simulate only this seed")
    parser.addoption("--kills", type=int, default=20, metavar="N", help="times a real process is killed (20)")
    parser.addoption("--slow", action="store_true", help="also run the tests that take minutes")
    parser.addoption("--new-examples", action="store_true", help="draw new examples of hypothesis in CI too")
    parser.addoption("--examples", type=int, default=100, metavar="N", help="percentage of examples to make (100)")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw the seeds of this run, before hypothesis reads its own. Workers of xdist get those of their controller."""
    options = config.option
    for name, value in getattr(config, "workerinput", {}).get("seeds", {}).items():
        setattr(options, name, value)
    if options.first_new_seed is None:
        options.first_new_seed = SystemRandom().randrange(10**6, 10**9)
    fixed = bool(os.environ.get("CI")) and not options.new_examples
    if options.hypothesis_seed is None and not fixed:
        options.hypothesis_seed = str(SystemRandom().randrange(10**6, 10**9))
    if options.hypothesis_profile is None:
        settings.load_profile("ci" if fixed and options.hypothesis_seed is None else "flint")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker of xdist the seeds of this run."""
    node.workerinput["seeds"] = {name: getattr(node.config.option, name) for name in SEEDS}


def pytest_report_header(config: pytest.Config) -> list[str]:
    how = "compiled" if flintmq.compiled() else "plain Python"
    first, more = config.getoption("--first-new-seed"), config.getoption("--new-seeds")
    seed = config.getoption("--hypothesis-seed")
    count = config.getoption("--simulate")
    return [
        f"flintmq {flintmq.__version__}, hot modules: {how}",
        f"seeds to simulate: {count} and {more} new ones (--new-seeds {more} --first-new-seed {first})",
        "examples of hypothesis: " + ("the same in each run" if seed is None else f"--hypothesis-seed={seed}"),
    ]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Print the seeds of a quiet run too, for which pytest prints no header."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and session.config.get_verbosity() < 0:
        for line in pytest_report_header(session.config):
            reporter.write_line(line)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest test first, for one that is begun last leaves a core idle; make fewer examples if asked to."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
    percentage = config.getoption("--examples")
    if percentage != 100:
        for item in items:
            reduce_examples(getattr(item, "function", None), percentage)


def reduce_examples(test: Any, percentage: int) -> None:
    """Let a test of hypothesis make a percentage of its examples, at least one."""
    if not is_hypothesis_test(test):
        return
    # There is no public way to change settings after decoration; hypothesis' own pytest plugin does the same.
    name = "_hypothesis_internal_use_settings"
    before: settings = getattr(test, name)
    setattr(test, name, settings(before, max_examples=math.ceil(before.max_examples * percentage / 100)))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test that takes `seeds` its ranges."""
    if "seeds" not in metafunc.fixturenames:
        return
    option = metafunc.config.getoption
    only = option("--seed")
    if only is not None:
        ranges = [range(only, only + 1)]
    else:
        new = option("--first-new-seed")
        ranges = [*batches(0, option("--simulate")), *batches(new, new + option("--new-seeds"))]
    metafunc.parametrize("seeds", ranges, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")


def batches(begin: int, end: int) -> list[range]:
    """Cut the seeds from `begin` to before `end` into ranges of BATCH."""
    return [range(first, min(first + BATCH, end)) for first in range(begin, end, BATCH)]


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    count: int = request.config.getoption("--kills")
    return count


@pytest.fixture
def slow(request: pytest.FixtureRequest) -> None:
    """A test that takes this runs only with --slow."""
    if not request.config.getoption("--slow"):
        pytest.skip("takes minutes; --slow runs it")
