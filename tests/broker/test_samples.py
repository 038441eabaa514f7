"""The samples of the broker run, and every byte that comes out is the one in their directories.

`flint flow test` compares XML and JSON as trees; here a copy is recorded anew,
and each file must be equal.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from flintmq.broker import load
from flintmq.broker.flow import xmi, yaml_form
from flintmq.broker.flow.lint import lint_project
from flintmq.broker.flow.project import load as load_project
from flintmq.broker.flow.testing import Loader, find_cases, run_case
from flintmq.broker.formats.copybook import import_copybook
from flintmq.broker.formats.model_yaml import to_yaml

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted(path for path in (ROOT / "samples" / "broker").iterdir() if path.is_dir())
NAMES = [sample.name for sample in SAMPLES]
README_LINES_MAX = 40

sample_of = pytest.mark.parametrize("sample", SAMPLES, ids=NAMES)


def files_below(place: Path) -> dict[str, bytes]:
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_the_samples_are_those_that_the_page_walks_through() -> None:
    page = (ROOT / "docs" / "broker" / "samples.md").read_text()
    assert NAMES == ["content-publish", "copybook-to-xml", "database-enrichment", "order-routing"]
    assert [name for name in NAMES if f"samples/broker/{name}" not in page] == []


@sample_of
def test_a_sample_loads_without_a_note_and_lint_finds_nothing(sample: Path) -> None:
    loaded = load(sample)
    assert loaded.notes == []
    assert loaded.esql_problems == []
    assert loaded.flow().problems == []
    assert lint_project(load_project(sample)).findings == set()


@sample_of
def test_the_cases_pass_every_node(sample: Path) -> None:
    loader = Loader()
    cases = find_cases(sample)
    for case in cases:
        run_case(case, loader)
    assert [node.label for node in loader.flow(cases[0]).runtime.nodes if not node.calls] == []


@sample_of
def test_every_case_passes_and_comes_out_byte_for_byte(sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / sample.name
    shutil.copytree(sample, copy)
    cases = find_cases(copy)
    assert len(cases) >= 4
    assert {case.name: run_case(case).differences for case in cases} == {case.name: [] for case in cases}

    for case in cases:
        assert run_case(case, record=True).passed

    assert files_below(copy) == files_below(sample)


@sample_of
def test_the_flow_files_are_equal_after_yaml_and_back(sample: Path) -> None:
    files = [*sample.rglob("*.msgflow"), *sample.rglob("*.subflow")]
    assert files
    for path in files:
        flow = xmi.read_file(path)
        assert xmi.write(yaml_form.read(yaml_form.write(flow))) == path.read_bytes()


@sample_of
def test_the_readme_is_short_and_its_links_lead_somewhere(sample: Path) -> None:
    readme = sample / "README.md"
    text = readme.read_text()
    assert text.count("\n") <= README_LINES_MAX
    targets = re.findall(r"\]\(([^)\s#]+)", text)
    assert [target for target in targets if not (sample / target).resolve().exists()] == []
    # Every case has its row.
    assert [case.place.name for case in find_cases(sample) if f"`{case.place.name}`" not in text] == []


def test_the_message_set_of_claims_is_what_the_importer_makes_of_the_copybook() -> None:
    sample = ROOT / "samples" / "broker" / "copybook-to-xml"
    made = to_yaml(import_copybook((sample / "Claims.cpy").read_text(), "Claims"))
    assert made == (sample / "Claims.mset.yaml").read_text()
