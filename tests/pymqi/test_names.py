"""The constant modules: every name of pymqi's and ibmmq's with its value.

The lists are theirs: they are fetched by package name when the test runs, and looked at without being installed or run.
"""

from __future__ import annotations

import ast
import importlib
import io
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from flintmq.pymqi import CMQC, CMQCFC, CMQXC, CMQZC
from tests.waiting import PATIENCE

#: Distribution, its modules and where they are in it, our package.
ORIGINALS = {
    "pymqi": ("pymqi==1.12.13", {name: rf"code/pymqi/{name}\.py$" for name in ("CMQC", "CMQCFC", "CMQXC", "CMQZC")}),
    "ibmmq": (
        "ibmmq==2.1.2",
        {"CMQC": r"ibmmq/_CMQC_linux_x64\.py$", "CMQCFC": r"ibmmq/CMQCFC\.py$", "CMQXC": r"ibmmq/CMQXC\.py$"},
    ),
}

#: Files whose names are not brought into the package.
INTERNAL = ("mqinq.py", "mqlog.py", "mqotel.py", "mqcallback.py")

#: Arrays that do not have the length of their field in the original.
SLIPS = {"MQXPDA_NONE_ARRAY"}


_FETCHED: dict[str, dict[str, bytes]] = {}


def fetched(requirement: str, directory: Path) -> dict[str, bytes]:
    """The files of a distribution, by name. Skips where it cannot be had."""
    if requirement not in _FETCHED:
        _FETCHED[requirement] = _downloaded(requirement, directory)
    return _FETCHED[requirement]


def _downloaded(requirement: str, directory: Path) -> dict[str, bytes]:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
    command += ["--disable-pip-version-check", "--dest", str(directory), requirement]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"pip cannot fetch {requirement}: {error}")
    if done.returncode:
        pytest.skip(f"pip cannot fetch {requirement}: {done.stderr.strip().splitlines()[-1:]}")
    (archive,) = directory.iterdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as sources:
        files = [member for member in sources.getmembers() if member.isfile()]
        return {member.name: content.read() for member in files if (content := sources.extractfile(member))}


def constants_in(source: bytes) -> dict[str, int | bytes]:
    """Names and values of a module of constants, without running it: on a 64-bit little-endian machine."""
    known: dict[str, Any] = {}

    def value(node: ast.expr) -> Any:
        if isinstance(node, ast.Name):
            return known[node.id]
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.BitOr):
            left, right = value(node.left), value(node.right)
            return left + right if isinstance(node.op, ast.Add) else left | right
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
            return ord(value(node.args[0])) if node.func.id == "ord" else value(node.args[0])
        return ast.literal_eval(node)

    def read(statements: list[ast.stmt]) -> None:
        for statement in statements:
            if isinstance(statement, ast.If):
                read(statement.body)  # 64 bits.
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                name = statement.targets[0].id
                if name.startswith("MQ"):
                    known[name] = value(statement.value)

    read(ast.parse(source).body)
    return known


@pytest.mark.parametrize("package", ORIGINALS)
def test_every_name_of_the_original_is_here_with_its_value(package: str, tmp_path: Path) -> None:
    requirement, modules = ORIGINALS[package]
    files = fetched(requirement, tmp_path)
    differ, same = [], 0
    for module, pattern in modules.items():
        (source,) = [content for name, content in files.items() if re.search(pattern, name)]
        ours = vars(importlib.import_module(f"flintmq.{package}.{module}"))
        for name, wanted in constants_in(source).items():
            found = ours.get(name)
            same += found == wanted and type(found) is type(wanted)
            if (found != wanted or type(found) is not type(wanted)) and name not in SLIPS:
                differ.append((module, name, wanted, found))
    assert differ == []
    assert same > 4000


@pytest.mark.parametrize("package", ORIGINALS)
def test_every_public_name_and_method_of_the_original_is_here(package: str, tmp_path: Path) -> None:
    files = fetched(ORIGINALS[package][0], tmp_path)
    pattern = r"code/pymqi/__init__\.py$" if package == "pymqi" else r"ibmmq/(__init__|mq\w+)\.py$"
    ours = importlib.import_module(f"flintmq.{package}")
    missing = []
    for name, content in files.items():
        if not re.search(pattern, name) or name.endswith(INTERNAL):
            continue
        for node in ast.parse(content).body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
                continue
            found = getattr(ours, node.name, None)
            if found is None:
                missing.append(node.name)
            elif isinstance(node, ast.ClassDef):
                methods = [one.name for one in node.body if isinstance(one, ast.FunctionDef)]
                public = [one for one in methods if not one.startswith("_")]
                missing += [f"{node.name}.{one}" for one in public if not hasattr(found, one)]
    assert missing == []


def test_text_has_the_length_of_its_field() -> None:
    assert (CMQC.MQFMT_STRING, CMQC.MQFMT_RF_HEADER_2, CMQC.MQMD_STRUC_ID) == (b"MQSTR   ", b"MQHRF2  ", b"MD  ")
    assert (CMQC.MQGS_MSG_IN_GROUP, CMQC.MQMI_NONE, CMQC.MQTMC_VERSION_2) == (ord("G"), bytes(24), b"   2")
    assert (CMQC.MQENC_RESERVED_MASK, CMQCFC.MQROUTE_DELIVER_REJ_UNSUP_MASK) == (0xFFFFF000, 0xFFFF0000)


def test_all_constants_are_under_one_roof() -> None:
    roof = vars(importlib.import_module("flintmq.pymqi.const"))
    assert roof["MQOO_OUTPUT"] == CMQC.MQOO_OUTPUT == 16
    assert roof["MQCMD_INQUIRE_Q"] == CMQCFC.MQCMD_INQUIRE_Q == 13
    assert roof["MQCHT_SVRCONN"] == CMQXC.MQCHT_SVRCONN == CMQC.MQCHT_SVRCONN == 7
    assert roof["MQZAO_CONNECT"] == CMQZC.MQZAO_CONNECT == 1
