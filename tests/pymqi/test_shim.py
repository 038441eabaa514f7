"""`import pymqi` without the original, and never instead of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flintmq.pymqi import shim
from tests.waiting import PATIENCE

SHIMS = Path(shim.__file__).parent / "shims"
IMPORT = (
    "import site, sys; site.addsitedir(sys.argv[1]); import pymqi, pymqi.CMQC; from pymqi import CMQCFC; "
    "from pymqi.const import *; print(pymqi.__name__, pymqi.CMQC.MQOO_OUTPUT, MQCMD_INQUIRE_Q)"
)


def run(code: str, directory: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, str(directory)], capture_output=True, text=True, timeout=PATIENCE
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_import_pymqi_is_ours_after_installing_the_shim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shim.main("pymqi", SHIMS, ["install-shim", "--target", str(tmp_path)]) == 0
    assert "from the next start of Python on" in capsys.readouterr().out
    assert run(IMPORT, tmp_path) == "flintmq.pymqi 16 13"
    assert shim.main("pymqi", SHIMS, ["remove-shim", "--target", str(tmp_path)]) == 0
    assert list(tmp_path.iterdir()) == []
    assert "No module named 'pymqi'" in run(IMPORT, tmp_path)


def test_an_original_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pymqi").mkdir()
    (tmp_path / "pymqi" / "__init__.py").write_text("name = 'the original'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert shim.main("pymqi", SHIMS, ["install-shim", "--target", str(tmp_path)]) == 0
    assert "comes first: uninstall it" in capsys.readouterr().out
    code = "import site, sys; site.addsitedir(sys.argv[1]); import pymqi; print(pymqi.name)"
    assert run(code, tmp_path) == "the original"


def test_what_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shim.main("pymqi", SHIMS, ["install-shim", "--target", str(tmp_path / "none")]) == 1
    assert "--target" in capsys.readouterr().err
    assert shim.main("pymqi", SHIMS, ["remove-shim", "--target", str(tmp_path)]) == 0
    assert "nothing to remove" in capsys.readouterr().out
