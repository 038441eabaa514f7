"""The sync API is made from the asyncio API: the files are up to date, and the translation does what it says."""

from __future__ import annotations

import ast
import re

import pytest

from tools import generate_sync as tool


@pytest.mark.parametrize("module", sorted(tool.MODULES))
def test_a_sync_module_is_as_it_would_be_made_now(module: str) -> None:
    made = tool.generate(module)
    assert (tool.CLIENT / f"{tool.MODULES[module]}.py").read_text() == made, "run: python tools/generate_sync.py"


@pytest.mark.parametrize("module", sorted(tool.MODULES.values()))
def test_nothing_of_asyncio_is_left_in_a_sync_module(module: str) -> None:
    header, source = (tool.CLIENT / f"{module}.py").read_text().split("\n", 1)
    assert header.startswith("# Generated from")
    assert not [node for node in ast.walk(ast.parse(source)) if type(node).__name__.startswith(("Async", "Await"))]
    assert not re.search(r"async |await|Async|\baio_|aopen|aconnect", source)


def test_examples_leave_their_coroutine() -> None:
    text = (
        "    >>> import asyncio, flintmq\n    >>> async def main():\n    ...     async with flintmq.aopen(1) as qm:\n"
        "    ...         print(await qm.x())\n    >>> asyncio.run(main())\n    7"
    )
    assert tool.sync_text(text) == (
        "    >>> import flintmq\n    >>> with flintmq.open(1) as qm:\n    ...     print(qm.x())\n    7"
    )


def test_names_lose_async_and_regions_are_chosen() -> None:
    assert [tool.sync_name(name) for name in ("AsyncQueue", "__aiter__", "Asynchronous", "asynchronous")] == [
        "Queue",
        "__iter__",
        "Asynchronous",
        "asynchronous",
    ]
    assert tool._regions("a\n# async only\nb\n# end\n  # sync: c\nd") == "a\n  c\nd"


def test_check_says_what_is_out_of_date(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tool, "generate", lambda module: "something else")
    assert tool.main(["--check"]) == 1
    assert "queue.py is out of date" in capsys.readouterr().out
