"""The Python examples of the concept pages run as they stand; what they show, they assert."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [
    (f"{path.stem}-{number}", block)
    for path in sorted((ROOT / "docs" / "concepts").glob("*.md"))
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL), 1)
]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_an_example_runs_as_it_is_written(name: str, example: str) -> None:
    exec(compile(example, name, "exec"), {"__name__": "example"})
