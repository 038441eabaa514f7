"""dspmqver: all that is known of the installation, or what a script cuts out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flintmq

Run = Callable[..., Any]


def test_everything_is_shown_with_its_label(run: Run) -> None:
    lines = run("dspmqver").out.splitlines()
    assert lines[:2] == ["Name:        FlintMQ", f"Version:     {flintmq.__version__}"]
    assert run("dspmqver", "-a").out.splitlines() == run("version").out.splitlines() == lines
    assert "MaxCmdLevel: 942" in lines and any(line.startswith("DataPath:") for line in lines)


def test_a_script_gets_the_version_alone(run: Run) -> None:
    assert run("dspmqver", "-b", "-f", "2").out == f"{flintmq.__version__}\n"
    assert run("dspmqver", "-f", "3").out == f"Name:        FlintMQ\nVersion:     {flintmq.__version__}\n"
    assert run("dspmqver", "-p", "1", "-b", "-f", "1").out == "FlintMQ\n"


def test_what_is_not_there_is_36(run: Run) -> None:
    for words in (["-f", "0"], ["-f", "x"], ["-f", "8192"], ["-p", "64"], ["-p", ""]):
        ended = run("dspmqver", *words)
        assert (ended.code, ended.out, ended.err.count("\n")) == (36, "", 1)
