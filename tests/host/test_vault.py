"""Secret attributes on disk: sealed with a key in a file of its own, and what is said if that is not there."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from flintmq.host import instance, lifecycle, vault
from flintmq.host.vault import KEY_FILE, SEALED, FileVault
from flintmq.mqi.reason import MQRC_NONE, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.vault import Vault, VaultError

SECRET = "open sesame, with \u00fc"


@pytest.fixture
def kept(tmp_path: Path) -> FileVault:
    return FileVault(tmp_path / KEY_FILE, "QM1")


def alter(engine: Calls, **values: str) -> int:
    return Admin(engine).alter("QMGR", engine.name, dict(values), False)


def files_with(directory: Path, text: str) -> list[str]:
    """The files in which `text` is found."""
    found = [path for path in directory.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
    return sorted(path.relative_to(directory).as_posix() for path in found)


class OnDisk:
    """A queue manager that is created, and opened again."""

    def __init__(self, directory: Path) -> None:
        self.place = instance.by_path(directory / "QM1", "QM1")
        engine, storage = lifecycle.create_on_disk(self.place, lifecycle.CreateOptions())
        storage.close()
        assert not (self.place.directory / KEY_FILE).exists()
        del engine

    def do(self, work: Callable[[Calls], None]) -> None:
        engine, storage = lifecycle.open_on_disk(self.place)
        try:
            work(engine)
            checkpoint(engine)
        finally:
            storage.close()


@pytest.mark.parametrize("keyword", ["KEYRPWD", "INITKEY"])
def test_a_secret_is_in_no_file_of_the_queue_manager_and_is_there_after_a_restart(tmp_path: Path, keyword: str) -> None:
    disk = OnDisk(tmp_path)

    def write(engine: Calls) -> None:
        assert alter(engine, **{keyword: SECRET}) == MQRC_NONE
        engine.log.flush()

    def read(engine: Calls) -> None:
        in_catalogue = engine.definition().text(keyword)
        assert in_catalogue.startswith(SEALED) and SECRET not in in_catalogue
        assert engine.vault.open(keyword, in_catalogue) == SECRET

    disk.do(write)
    disk.do(read)
    assert files_with(tmp_path, SECRET) == []
    key_file = disk.place.directory / KEY_FILE
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600 and key_file.stat().st_size == vault.SIZE
    key = key_file.read_bytes()[12:44]
    holders = [path for path in tmp_path.rglob("*") if path.is_file() and key in path.read_bytes()]
    assert holders == [key_file]


def test_a_secret_of_an_earlier_release_is_read_and_sealed_by_the_next_alter(tmp_path: Path) -> None:
    """The log of the earlier release keeps it until its files are used again."""
    disk = OnDisk(tmp_path)

    def as_before(engine: Calls) -> None:
        engine.vault = Vault()
        assert alter(engine, KEYRPWD=SECRET) == MQRC_NONE

    def read(engine: Calls) -> None:
        assert engine.vault.open("KEYRPWD", engine.definition().text("KEYRPWD")) == SECRET
        assert alter(engine, DESCR="changed") == MQRC_NONE
        assert engine.definition().text("KEYRPWD").startswith(SEALED)

    def read_again(engine: Calls) -> None:
        sealed = engine.definition().text("KEYRPWD")
        assert engine.vault.open("KEYRPWD", sealed) == SECRET
        assert alter(engine, DESCR="once more") == MQRC_NONE
        assert engine.definition().text("KEYRPWD") == sealed
        assert alter(engine, KEYRPWD="") == MQRC_NONE
        assert engine.definition().text("KEYRPWD") == ""

    disk.do(as_before)
    assert files_with(disk.place.directory, SECRET) != []
    disk.do(read)
    disk.do(read_again)


def test_each_seal_is_another_and_belongs_to_its_queue_manager_and_keyword(kept: FileVault, tmp_path: Path) -> None:
    first, second = kept.seal("KEYRPWD", SECRET), kept.seal("KEYRPWD", SECRET)
    assert first != second and kept.seal("KEYRPWD", first) == first
    for other, keyword in ((kept, "INITKEY"), (FileVault(tmp_path / KEY_FILE, "QM2"), "KEYRPWD")):
        with pytest.raises(VaultError, match=f"{keyword} was not sealed with the key"):
            other.open(keyword, first)


@pytest.mark.parametrize("sealed", ["", "?", "AAAA", "A" * 100, "\u00fc"])
def test_what_is_no_seal_is_refused(kept: FileVault, sealed: str) -> None:
    kept.seal("KEYRPWD", SECRET)
    with pytest.raises(VaultError, match="ALTER QMGR KEYRPWD"):
        kept.open("KEYRPWD", SEALED + sealed)


def test_a_seal_of_which_any_byte_is_changed_is_refused(kept: FileVault) -> None:
    sealed = kept.seal("KEYRPWD", SECRET)
    for at in range(len(SEALED), len(sealed) - 4):
        changed = "A" if sealed[at] != "A" else "B"
        with pytest.raises(VaultError):
            kept.open("KEYRPWD", sealed[:at] + changed + sealed[at + 1 :])


@pytest.mark.parametrize("size", [0, 12, 47, 49])
def test_a_key_file_of_another_size_is_damaged(kept: FileVault, tmp_path: Path, size: int) -> None:
    sealed = kept.seal("KEYRPWD", SECRET)
    path = tmp_path / KEY_FILE
    path.write_bytes((path.read_bytes() + b"x")[:size])
    with pytest.raises(VaultError, match="is damaged"):
        kept.open("KEYRPWD", sealed)


def test_a_key_file_that_others_may_read_or_that_is_gone_or_changed_is_named(kept: FileVault, tmp_path: Path) -> None:
    sealed, path = kept.seal("KEYRPWD", SECRET), tmp_path / KEY_FILE
    path.chmod(0o640)
    with pytest.raises(VaultError, match="chmod 600"):
        kept.open("KEYRPWD", sealed)
    path.chmod(0o600)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(VaultError):
            kept.open("KEYRPWD", sealed)
    path.unlink()
    with pytest.raises(VaultError, match=f"without {path}"):
        kept.open("KEYRPWD", sealed)
    assert kept.open("KEYRPWD", kept.seal("KEYRPWD", "another")) == "another"
    with pytest.raises(VaultError, match="not sealed with the key"):
        kept.open("KEYRPWD", sealed)


def test_a_secret_that_cannot_be_sealed_is_not_taken(tmp_path: Path) -> None:
    engine, storage = lifecycle.create_in_memory("QM1")
    engine.vault = FileVault(tmp_path / "nowhere" / KEY_FILE, "QM1")
    assert alter(engine, KEYRPWD=SECRET) == MQRC_RESOURCE_PROBLEM
    assert engine.definition().text("KEYRPWD") == ""
    assert alter(engine, DESCR="no secret") == MQRC_NONE
    storage.close()
