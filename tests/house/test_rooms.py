"""A room imports only from rooms above it. The order is the table of docs/architecture.md, so the two cannot differ."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "flintmq"
ARCHITECTURE = ROOT / "docs" / "architecture.md"

#: Rooms that may use all others.
USE_ALL = {"cli", "console", "perf"}

#: Modules beside the rooms that every room may import; they import no room.
FOR_ALL = {"_build"}

#: What a room may never reach for. DESIGN: no I/O in the vocabulary; no sockets, threads or clocks in the engine.
NEVER = {
    "mqi": {"asyncio", "os", "pathlib", "random", "secrets", "socket", "subprocess", "threading", "time"},
    "catalogue": {"asyncio", "os", "pathlib", "random", "socket", "subprocess", "threading", "time"},
    "selector": {"asyncio", "os", "pathlib", "random", "socket", "subprocess", "threading", "time"},
    "qmgr": {"asyncio", "random", "secrets", "selectors", "socket", "subprocess", "threading", "time"},
    "telemetry": {"pyspark"},
}


def rows_of_rooms() -> list[list[str]]:
    """The rooms, top to bottom; two rooms in one row are neighbours."""
    rows = [line.split("|")[1] for line in ARCHITECTURE.read_text().splitlines() if line.startswith("| `")]
    return [re.findall(r"`(\w+)/`", row) for row in rows]


ROWS = rows_of_rooms()
ORDER = {room: number for number, row in enumerate(ROWS) for room in row}
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0]


def imports_of(path: Path) -> list[tuple[int, str]]:
    """Line and dotted name of everything a file imports, inside functions and under TYPE_CHECKING too."""
    package = ["flintmq", *path.relative_to(PACKAGE).parts[:-1]]
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
    return found


def wrong_import(room: str, name: str) -> str:
    """Why `room` must not import `name`, or nothing."""
    parts = name.split(".")
    if parts[0] in NEVER.get(room, set()):
        return f"{room}/ never imports {parts[0]}"
    if parts[0] != "flintmq" or room in USE_ALL or name in ("flintmq", "flintmq.__version__"):
        return ""
    target = parts[1] if len(parts) > 1 else ""
    if target == room or target in FOR_ALL:
        return ""
    if target not in ORDER:
        return f"{room}/ imports {name}, which is in no room"
    if ORDER[target] >= ORDER[room]:
        return f"{room}/ imports {name}, but {target}/ is not above it"
    return ""


def test_the_table_names_every_room_that_exists() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert rooms - set(ORDER) == set()
    assert ORDER["mqi"] == 0 and ORDER["qmgr"] < ORDER["host"] < ORDER["client"] < ORDER["cli"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_imports_only_from_rooms_above_it(path: Path) -> None:
    problems = [(line, wrong_import(room_of(path), name)) for line, name in imports_of(path)]
    assert [f"{path.relative_to(ROOT)}:{line}: {text}" for line, text in problems if text] == []


@pytest.mark.parametrize(
    ("room", "name", "wrong"),
    [
        ("qmgr", "flintmq.mqi.md.MQMD", False),
        ("qmgr", "flintmq.command.parser", True),
        ("mqi", "flintmq.log", True),
        ("cluster", "flintmq.sharing", True),
        ("cli", "flintmq.console", False),
        ("host", "flintmq.client.connection", True),
        ("server", "flintmq.host.host", False),
        ("client", "flintmq.__version__", False),
        ("client", "flintmq.testing", True),
        ("log", "flintmq._build.compiled", False),
        ("qmgr", "time", True),
        ("log", "time", False),
    ],
)
def test_the_rule_itself(room: str, name: str, wrong: bool) -> None:
    assert bool(wrong_import(room, name)) is wrong


def test_relative_imports_and_type_checking_imports_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    path = tmp_path / "mqi" / "md.py"
    path.parent.mkdir()
    path.write_text(
        "if TYPE_CHECKING:\n    from flintmq.qmgr import queue\nfrom . import reason\nfrom ..log import log\n"
    )
    assert sorted(imports_of(path)) == [(2, "flintmq.qmgr.queue"), (3, "flintmq.mqi.reason"), (4, "flintmq.log.log")]
