"""The Python examples of docs/python-client.md run as they stand, with the address of a queue manager that is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.client.remote.serving import Serving

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python-client.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_an_example_runs_as_it_is_written(
    serving: Serving, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path))
    for name in ("MQSERVER", "MQCCDTURL", "MQCHLLIB", "MQCHLTAB", "MQCLNTCF"):
        monkeypatch.delenv(name, raising=False)
    text = EXAMPLES[number].replace("host(1414)", serving.conn)
    exec(compile(text, f"{PAGE.name}-{number}", "exec"), {"__name__": "example"})
