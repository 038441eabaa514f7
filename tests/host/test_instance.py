"""Queue managers on disk: where they are, who has them, what a crash and damage leave, and what is never touched."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import flintmq
from flintmq.host import ini, instance, lifecycle
from flintmq.host.lock import holder_of
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.checkpoint import checkpoint
from flintmq.qmgr.objects import log_deletion

Opener = Callable[[], flintmq.QueueManager]
SMALL = flintmq.LogConfig(file_pages=64)


def child(code: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
    """Another process that runs `code`."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


# -- places -----------------------------------------------------------------------------------------------------------


def test_the_data_directory_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "a"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "b"))
    monkeypatch.setenv("HOME", str(tmp_path / "c"))
    assert instance.data_directory() == tmp_path / "a"
    monkeypatch.delenv("FLINTMQ_DATA")
    assert instance.data_directory() == tmp_path / "b" / "flintmq"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert instance.data_directory() == tmp_path / "c" / ".local" / "share" / "flintmq"


def test_a_queue_manager_is_opened_by_name_and_is_the_same_the_next_time(open_disk: Opener, data: Path) -> None:
    with open_disk() as qm:
        assert (qm.name, qm.directory) == ("QM1", data / "qmgrs" / "QM1")
        qm.queue("A", create=True).put(b"kept", persistent=True)
        qm.queue("A").put(b"gone", persistent=False)
    with flintmq.open("QM1", create=False) as qm:
        assert [message.data for message in qm.queue("A").messages()] == [b"kept"]
    assert sorted(path.name for path in (data / "qmgrs" / "QM1").iterdir()) == [
        "errors",
        "lock",
        "log",
        "pageset",
        "qm.ini",
    ]


def test_dots_and_slashes_of_a_name_are_written_as_mq_writes_them(data: Path) -> None:
    with flintmq.open("QM.1", log=SMALL) as qm:
        assert qm.directory == data / "qmgrs" / "QM!1"
    assert [each.name for each in instance.instances()] == ["QM.1"]


def test_a_path_is_a_directory_that_can_be_moved(tmp_path: Path) -> None:
    with flintmq.open(tmp_path / "my-qm", log=SMALL) as qm:
        assert qm.name == "my_qm"
        qm.queue("A", create=True).put(b"1", persistent=True)
    os.rename(tmp_path / "my-qm", tmp_path / "moved")
    with flintmq.open(f"{tmp_path}/moved") as qm:
        assert qm.name == "my_qm"
        assert qm.queue("A").get().data == b"1"
    with pytest.raises(flintmq.QueueManagerNotFound, match="is called my_qm, not OTHER"):
        flintmq.open(tmp_path / "moved", queue_manager_name="OTHER")
    with flintmq.open(tmp_path / "named", queue_manager_name="NAMED", log=SMALL) as qm:
        assert qm.name == "NAMED"


@pytest.mark.parametrize("name", ["", "has blank", "x" * 49, "naïve", "a-b"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(flintmq.InvalidName, match="1 to 48 letters"):
        flintmq.open(name)


def test_what_is_not_there_is_not_created_unless_asked(data: Path) -> None:
    with pytest.raises(flintmq.QueueManagerNotFound, match="there is no queue manager QM1"):
        flintmq.open("QM1", create=False)
    assert not data.exists()


def test_a_directory_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1").write_text("precious")
    with pytest.raises(flintmq.QueueManagerExists, match="chapter1"):
        flintmq.open(tmp_path / "thesis")
    with pytest.raises(flintmq.QueueManagerExists, match="not a directory"):
        flintmq.open(tmp_path / "thesis" / "chapter1")
    assert (tmp_path / "thesis" / "chapter1").read_text() == "precious"
    assert sorted(os.listdir(tmp_path / "thesis")) == ["chapter1"]


def test_a_place_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        place = Path("/proc/flintmq/QM1")
    else:
        (tmp_path / "ro").mkdir(mode=0o500)
        place = tmp_path / "ro" / "QM1"
    with pytest.raises((flintmq.QueueManagerError, OSError)):
        flintmq.open(place)


def test_a_queue_manager_in_memory_is_nobody_elses(data: Path) -> None:
    with flintmq.open(":memory:") as one, flintmq.open(":memory:", queue_manager_name="TWO") as two:
        one.queue("A", create=True)
        assert (one.name, two.name, one.directory) == ("MEMORY", "TWO", None)
        with pytest.raises(flintmq.UnknownObject):
            two.queue("A")
    assert not data.exists()


# -- who has it -------------------------------------------------------------------------------------------------------


def test_a_second_process_hears_who_has_it(open_disk: Opener) -> None:
    with open_disk():
        code = "import flintmq\ntry:\n    flintmq.open('QM1')\nexcept flintmq.QueueManagerInUse as e: print(e.pid, e)"
        said, _ = child(code).communicate()
    pid, _, text = said.partition(" ")
    assert int(pid) == os.getpid()
    assert f"queue manager QM1 is in use by process {os.getpid()}" in text
    assert "since" in text and "[MQRC_Q_MGR_NOT_AVAILABLE 2059]" in text


def test_this_process_cannot_open_it_twice_either(open_disk: Opener) -> None:
    with open_disk():
        with pytest.raises(flintmq.QueueManagerInUse, match="in use by this process"):
            open_disk()
    open_disk().close()


def test_who_only_looks_stands_in_nobodys_way(open_disk: Opener, data: Path) -> None:
    path = data / "qmgrs" / "QM1" / "lock"
    with open_disk():
        holder = holder_of(path)
        assert holder is not None and holder.pid == os.getpid()
    assert holder_of(path) is None
    assert holder_of(data / "no such") is None


def test_a_child_of_a_fork_is_refused_and_the_parent_keeps_the_lock(open_disk: Opener) -> None:
    with open_disk() as qm:
        queue = qm.queue("A", create=True)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            said = "nothing"
            try:
                queue.put(b"")
            except flintmq.UsedAfterFork as error:
                said = str(error)
            finally:
                os.write(writing, said.encode())
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        os.waitpid(pid, 0)
        assert f"was opened by process {os.getpid()}; this is its child {pid}" in said
        queue.put(b"still ours")
        with pytest.raises(flintmq.QueueManagerInUse):
            open_disk()


def test_a_forked_child_that_lives_on_does_not_keep_the_queue_manager(open_disk: Opener) -> None:
    reading, writing = os.pipe()
    with open_disk():
        pid = os.fork()
        if pid == 0:
            os.close(writing)
            os.read(reading, 1)
            os._exit(0)
    try:
        open_disk().close()
    finally:
        os.close(reading)
        os.close(writing)
        os.waitpid(pid, 0)


def test_one_that_nobody_closed_is_as_safe_as_after_a_crash(open_disk: Opener) -> None:
    qm = open_disk()
    qm.queue("A", create=True).put(b"1", persistent=True)
    qm.queue("A").put(b"2", persistent=True, syncpoint=True)
    with pytest.warns(ResourceWarning, match="QM1 was not closed"):
        del qm
        gc.collect()
    assert instance.status(instance.by_name("QM1")) == instance.ENDED_UNEXPECTEDLY
    with open_disk() as qm:
        assert [message.data for message in qm.queue("A").messages()] == [b"1"]
    assert instance.status(instance.by_name("QM1")) == instance.ENDED_NORMALLY


# -- ends -------------------------------------------------------------------------------------------------------------


def test_a_clean_end_keeps_npmclass_high_and_a_crash_does_not(open_disk: Opener) -> None:
    with open_disk() as qm:
        for name, npmclass in (("HIGH", "HIGH"), ("NORMAL", "NORMAL")):
            qm.queue(name, create=True, npmclass=npmclass).put(b"np", persistent=False)
    qm = open_disk()
    assert (qm.queue("HIGH").depth, qm.queue("NORMAL").depth) == (1, 0)
    qm.queue("HIGH").put(b"since", persistent=False)
    qm._host.abandon()
    with open_disk() as qm:
        assert qm.queue("HIGH").depth == 0


WRITER = """
import sys, flintmq
with flintmq.open("QM1", log=flintmq.LogConfig(file_pages=64)) as qm:
    queue = qm.queue("A", create=True, maxdepth=999999)
    number = 0
    while True:
        if number % 3:
            queue.put(b"%d" % number, persistent=True)
        else:
            with qm.transaction():
                queue.put(b"%d" % number, persistent=True)
                queue.put(b"twin of %d" % number, persistent=True)
        print(number, flush=True)
        number += 1
"""


@pytest.mark.parametrize("lines", [1, 40, 173])
def test_what_was_acknowledged_before_a_kill_is_there_once_and_in_order(open_disk: Opener, lines: int) -> None:
    writer = child(WRITER)
    assert writer.stdout is not None
    for _ in range(lines):
        acknowledged = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().split()
    writer.wait()
    if rest:
        acknowledged = int(rest[-1])
    with open_disk() as qm:
        found = [message.data for message in qm.queue("A").messages()]
        qm._host.engine.check()
    singles = [int(data) for data in found if not data.startswith(b"twin")]
    twins = [int(data.split()[-1]) for data in found if data.startswith(b"twin")]
    assert singles == list(range(len(singles))) and len(singles) >= acknowledged + 1
    assert twins == [number for number in singles if number % 3 == 0]


@pytest.mark.parametrize("wait_for", ["creating", "log", "pageset"])
def test_a_crash_while_it_is_created_leaves_nothing_that_stands_in_the_way(data: Path, wait_for: str) -> None:
    directory = data / "qmgrs" / "QM1"
    code = f"""
import os, flintmq
from flintmq.host import ini, lifecycle
def die(*a, **k):
    os.kill(os.getpid(), 9)
if {wait_for!r} == "creating":
    lifecycle._create_files = die
elif {wait_for!r} == "log":
    lifecycle.create = die
else:
    ini.write = die
flintmq.open("QM1", log=flintmq.LogConfig(file_pages=64))
"""
    child(code).wait()
    half = instance.by_name("QM1")
    assert half.half_made() and not half.exists()
    assert instance.status(half) == instance.NOT_AVAILABLE
    with pytest.raises(flintmq.QueueManagerNotFound, match="never completely created"):
        flintmq.open("QM1", create=False)
    with flintmq.open("QM1", log=SMALL) as qm:
        qm.queue("A", create=True).put(b"1")
    assert not (directory / "creating").exists()


def test_an_exception_while_it_is_created_leaves_nothing(data: Path) -> None:
    with pytest.raises(flintmq.QueueManagerError, match="a log file has 2 to"):
        flintmq.open("QM1", log=flintmq.LogConfig(file_pages=1))
    assert not (data / "qmgrs" / "QM1").exists()


def test_deleting_takes_everything_and_is_refused_while_it_is_open(open_disk: Opener, data: Path) -> None:
    with open_disk(), pytest.raises(flintmq.QueueManagerInUse):
        lifecycle.delete(instance.by_name("QM1"))
    lifecycle.delete(instance.by_name("QM1"))
    assert not (data / "qmgrs" / "QM1").exists()
    with pytest.raises(flintmq.QueueManagerNotFound):
        lifecycle.delete(instance.by_name("QM1"))


# -- damage -----------------------------------------------------------------------------------------------------------


def filled(open_disk: Opener) -> Path:
    """A queue manager with messages in log and page sets, ended as by a crash; its directory."""
    qm = open_disk()
    queue = qm.queue("A", create=True)
    for number in range(100):
        queue.put(b"%d" % number, persistent=True)
    directory = qm.directory
    assert directory is not None
    qm._host.abandon()
    return directory


def test_a_damaged_log_is_told_with_file_and_place_and_nothing_is_changed(open_disk: Opener) -> None:
    directory = filled(open_disk)
    log = sorted(directory.glob("log/S*.LOG"))[0]
    content = bytearray(log.read_bytes())
    at = content.index(b"50", 4096)
    content[at] ^= 0xFF
    log.write_bytes(content)
    with pytest.raises(flintmq.QueueManagerDamaged) as caught:
        open_disk()
    assert str(log) in str(caught.value) and "offset" in str(caught.value) and "2101" in str(caught.value)
    assert log.read_bytes() == content
    content[at] ^= 0xFF
    log.write_bytes(content)
    with open_disk() as qm:
        assert qm.queue("A").depth == 100


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "missing"])
def test_a_damaged_page_set_is_told_with_its_file(open_disk: Opener, damage: str) -> None:
    with open_disk() as qm:
        queue = qm.queue("A", create=True)
        for number in range(100):
            queue.put(b"%d" % number, persistent=True)
        directory = qm.directory
    assert directory is not None
    path = directory / "pageset" / "psid04" / "stable" / "data.mdb"
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "overwritten":
        path.write_bytes(bytes(path.stat().st_size))
    else:
        path.unlink()
    with pytest.raises(flintmq.QueueManagerDamaged, match="psid04|page set 4") as caught:
        open_disk()
    assert "Traceback" not in str(caught.value)


def test_a_qm_ini_that_cannot_be_read_names_file_and_line(open_disk: Opener, data: Path) -> None:
    open_disk().close()
    path = data / "qmgrs" / "QM1" / "qm.ini"
    path.write_text(path.read_text() + "gibberish\n")
    with pytest.raises((flintmq.QueueManagerDamaged, ini.IniError), match=r"qm.ini, line \d+: 'gibberish'"):
        open_disk()


# -- stanza files -----------------------------------------------------------------------------------------------------


def test_stanzas_are_read_as_they_are_written(tmp_path: Path) -> None:
    stanzas = [ini.Stanza("Log", {"LogPath": "/x = y", "LogType": "LINEAR"}), ini.Stanza("TCP", {"Port": "1414"})]
    ini.write(tmp_path / "qm.ini", stanzas, "two lines\nof comment")
    assert ini.read(tmp_path / "qm.ini") == stanzas
    assert stanzas[0].get("logtype") == "LINEAR"
    assert ini.read(tmp_path / "none.ini") == []


def test_the_default_queue_manager_and_places_elsewhere_are_remembered(tmp_path: Path) -> None:
    assert instance.default_name() == ""
    instance.set_default("QM1")
    place = instance.Instance("FAR", tmp_path / "far")
    instance.remember_place(place)
    assert instance.default_name() == "QM1"
    assert instance.by_name("FAR").directory == tmp_path / "far"
    instance.set_default("")
    assert instance.default_name() == ""
    assert instance.by_name("FAR").directory == tmp_path / "far"


def test_a_queue_manager_from_before_there_were_topics_is_given_them(data: Path) -> None:
    """SYSTEM.BASE.TOPIC and its kind are made at the start, and the retained publications are indexed."""
    old = instance.by_name("OLD")
    engine, storage = lifecycle.create_on_disk(old, lifecycle.CreateOptions(log=SMALL))
    for definition in engine.catalogue.match("TOPIC"):
        log_deletion(engine, definition)
        engine.catalogue.remove(definition)
    assert Admin(engine).alter("QLOCAL", "SYSTEM.RETAINED.PUB.QUEUE", {"INDXTYPE": "NONE"}, False) == 0
    checkpoint(engine)
    storage.close()

    engine, storage = lifecycle.open_on_disk(old)
    assert [each.name for each in engine.catalogue.match("TOPIC", "SYSTEM.BASE*")] == ["SYSTEM.BASE.TOPIC"]
    assert engine.topics.attributes("a").name == "SYSTEM.BASE.TOPIC"
    assert engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].by_correl_id is not None
    ids = [each.object_id for each in engine.catalogue.everything()]
    checkpoint(engine)
    storage.close()

    engine, storage = lifecycle.open_on_disk(old)
    assert [each.object_id for each in engine.catalogue.everything()] == ids
    storage.close()
