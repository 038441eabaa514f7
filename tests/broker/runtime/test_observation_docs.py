"""The pages on statistics and monitoring: their commands parse, their profile is read, the fields are there."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest

from flintmq.broker.runtime.monitoring.profile import read_profile
from flintmq.broker.runtime.statistics.exporter import Totals
from flintmq.broker.runtime.statistics.settings import of_options
from flintmq.cli._broker import COMMANDS

DOCS = Path(__file__).resolve().parents[3] / "docs" / "broker"
PAGES = [DOCS / "statistics.md", DOCS / "monitoring.md"]
LINES = [line.strip() for page in PAGES for line in page.read_text().splitlines() if line.startswith("    mqsi")]


@pytest.mark.parametrize("line", LINES)
def test_a_command_of_the_pages_parses(line: str) -> None:
    name, *words = shlex.split(line)
    assert name in COMMANDS.values()
    module = importlib.import_module(f"flintmq.cli.{name}")
    parser = argparse.ArgumentParser(prog=name, exit_on_error=False)
    module.arguments(parser)
    assert parser.parse_args(words).broker == "BRK"


def test_the_profile_of_the_page_is_read() -> None:
    (text,) = re.findall(r"```xml\n(.*?)```", (DOCS / "monitoring.md").read_text(), re.DOTALL)
    (source,) = read_profile(text)
    assert (source.name, source.unit, source.bitstream) == ("order arrived", "independent", "all")
    assert [each.name for each in source.simple] == ["total"] and len(source.complex) == 1


def test_options_and_metrics_of_the_page_are_there() -> None:
    text = (DOCS / "statistics.md").read_text()
    for option in re.findall(r"--statistics (\S+)", text):
        assert of_options([option]).is_active
    names = {f"flintmq_{family.name}_total" for family in Totals().families()}
    assert set(re.findall(r"`(flintmq_\w+_total)`", text)) <= names
