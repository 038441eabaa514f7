"""What the source imports is declared, and what is declared is pinned."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from tools import environment, suite

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "flintmq"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

#: Rooms whose dependencies are an extra. All others live on the core dependencies.
EXTRA_OF_ROOM = {"broker": "broker", "console": "console", "pipeline": "spark"}

#: Parts of a room that need an extra the room itself does not.
EXTRA_OF_PART = {
    "client/otel": "opentelemetry",
    "telemetry/smf/columns": "spark",
    "perf/flows": "broker",
    "perf/keys": "tls",
    "perf/peers": "broker",
    "perf/report": "spark",
    "perf/view": "perf",
    "host/pkcs12": "tls",
    "host/vault": "tls",
    "integrations/faststream": "faststream",
    "integrations/kombu": "celery",
}

#: Where the module has another name than its distribution.
DISTRIBUTION = {
    "opentelemetry": "opentelemetry-api",
    "amqp": "kombu",
    "py4j": "pyspark",
    "mypy_extensions": "mypy-extensions",
    "prometheus_client": "prometheus-client",
    "yaml": "pyyaml",
}

#: Known to type checkers only.
STUBS = {"_typeshed"}

#: Imported only inside pytest, which then is there.
FOR_TESTS = {"testing": {"pytest"}}


def name_of(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9_-]+", requirement)
    assert match is not None
    return match[0].lower()


def declared(path: Path) -> set[str]:
    names = {name_of(requirement) for requirement in PROJECT["dependencies"]}
    place = path.relative_to(PACKAGE)
    room = place.parts[0].removesuffix(".py")
    parts = (place.parent.as_posix(), place.with_suffix("").as_posix())
    extra = EXTRA_OF_ROOM.get(room) or next((EXTRA_OF_PART[part] for part in parts if part in EXTRA_OF_PART), "")
    if extra:
        names |= {name_of(requirement) for requirement in PROJECT["optional-dependencies"][extra]}
    return names | FOR_TESTS.get(room, set())


def foreign_imports(path: Path) -> set[str]:
    """The distributions a file imports from, standard library and ourselves left out."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module.split(".")[0])
    modules -= {*sys.stdlib_module_names, "flintmq", *STUBS}
    return {DISTRIBUTION.get(module, module) for module in modules}


def test_every_import_of_a_room_is_a_declared_dependency() -> None:
    missing = []
    for path in sorted(PACKAGE.rglob("*.py")):
        missing += [f"{path.relative_to(ROOT)}: {name}" for name in foreign_imports(path) - declared(path)]
    assert missing == []


def test_every_declared_dependency_is_pinned() -> None:
    pins = {line.split("==")[0] for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    wanted = [*PROJECT["dependencies"], *sum(PROJECT["optional-dependencies"].values(), [])]
    assert {name_of(requirement) for requirement in wanted} - pins - {"flintmq"} == set()


def test_a_working_copy_installs_little_at_first_and_the_rest_when_it_is_needed() -> None:
    """Issue 14, the first five minutes: commands download neither Spark nor test tools nor the compiler until one needs
    them."""
    first = {name_of(requirement) for requirement in environment.requirements([environment.BASE])}
    assert {"lmdb", "crc32c", "lz4", "cryptography"} <= first
    assert not {"pytest", "mypy", "ruff", "pyspark", "pyarrow", "numpy", "setuptools"} & first
    assert {"mypy", "setuptools"} == {name_of(each) for each in environment.requirements(["compile"])}
    assert {"pyspark", "pyarrow", "numpy"} == {name_of(each) for each in environment.requirements(["spark"])}
    assert {"lxml", "pyyaml", "sqlalchemy"} <= {name_of(each) for each in environment.requirements(["broker"])}
    tests = {name_of(requirement) for requirement in environment.requirements([environment.BASE, "test"])}
    assert {"lmdb", "pytest", "mypy", "ruff", "pyspark", "lxml", "hypothesis", "auditwheel"} <= tests
    assert not {"fastapi", "flintmq"} & tests


def test_the_package_itself_does_not_need_spark() -> None:
    names = {name_of(requirement) for requirement in PROJECT["dependencies"]}
    assert not {"pyspark", "pyarrow", "numpy", "py4j"} & names


def test_arguments_that_only_say_how_much_to_simulate_pick_the_simulation() -> None:
    assert suite.only_the_simulation(["--simulate", "20000"])
    assert suite.only_the_simulation(["--simulate=20000", "--kills", "3"])
    assert suite.only_the_simulation(["--seed", "4711"])
    assert not suite.only_the_simulation(["--simulate", "20000", "-x"])
    assert not suite.only_the_simulation(["tests/qmgr"])
    assert not suite.only_the_simulation([])


def test_the_whole_suite_runs_on_what_was_built_while_the_sources_were_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order: list[str] = []

    class Check(suite.Step):
        def run(self) -> None:
            order.append(self.name)

    def tests(package: Path) -> list[suite.Step]:
        order.append(str(package))
        return [Check("tests", [])]

    monkeypatch.setenv("FLINT_COMPILE", "0")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(suite, "checks", lambda: [Check("ruff", [])])
    monkeypatch.setattr(suite, "tests", tests)
    assert suite.whole_suite() == 0
    assert order == ["ruff", str(suite.SOURCE), "tests"]
    assert re.search(r"ruff +ok .*\ntests +ok ", capsys.readouterr().out)


def test_the_launcher_compares_what_an_installation_has_written_down() -> None:
    """Otherwise every call would start the installer to find out that nothing is to be done."""
    (line,) = [line for line in (ROOT / "flint").read_text().splitlines() if "cmp -s -" in line]
    assert re.findall(r'"\$root/([\w./]+)', line) == [*environment.MADE_FROM, ".venv/installed"]


def test_every_stage_that_the_launcher_asks_for_is_there() -> None:
    asked = re.findall(r"stage=(\w+)", (ROOT / "flint").read_text())
    assert asked and set(asked) <= set(environment.STAGES)
