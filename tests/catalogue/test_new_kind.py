"""Issue 19, item 3: a kind of object that is declared in one file works everywhere.

new_kind/kinds/gadget.py declares a kind that MQ does not have. The tables of all packages are made when they are
imported, so a process of its own (new_kind/use_gadget.py) finds the file beside those of flintmq/catalogue/kinds/, and
uses the kind by MQSC, PCF, dmpmqcfg, MQINQ, events, authority and hooks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECKS = (
    "mqsc_defines_alters_shows_and_deletes",
    "the_default_object_gives_defaults",
    "pcf_creates_copies_inquires_and_deletes",
    "a_dump_makes_the_same_definition",
    "mqinq_answers_for_an_open_gadget",
    "authority_is_asked",
    "a_configuration_event_shows_it",
    "a_hook_can_refuse",
    "a_definition_survives_a_restart",
)


@pytest.fixture(scope="module")
def results() -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.catalogue.new_kind.use_gadget"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    assert set(found) == set(CHECKS)
    return found


@pytest.mark.parametrize("check", CHECKS)
def test_a_kind_declared_in_one_file_works(results: dict[str, str], check: str) -> None:
    assert results[check] == ""
