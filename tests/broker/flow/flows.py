"""Makes applications in a temporary directory for tests: flows in YAML, ESQL, other files."""

from __future__ import annotations

from pathlib import Path

from flintmq.broker import Flow, load
from flintmq.broker.esql.switches import DEFAULTS, Switches


def write_application(place: Path, files: dict[str, str | bytes]) -> Path:
    """Write the files of an application and return its directory."""
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def flow_of(place: Path, yaml: str, esql: str = "", switches: Switches = DEFAULTS, **files: str) -> Flow:
    """Return the flow F that YAML and ESQL say."""
    content: dict[str, str | bytes] = {"F.msgflow.yaml": "flow: F.msgflow\n" + yaml}
    if esql:
        content["F.esql"] = esql
    content |= {name.replace("__", "."): text for name, text in files.items()}
    return load(write_application(place, content), switches=switches).flow("F")


def compute(name: str, body: str, kind: str = "COMPUTE") -> str:
    """Return a module with a Main."""
    return f"CREATE {kind} MODULE {name} CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n{body}\nEND; END MODULE;\n"
