"""Create, open and delete queue managers: on disk, with the layout of instance.py, or in memory.

A queue manager is created under the lock, in this order: `creating`, log, page sets, catalogue, qm.ini, and `creating`
is removed. A crash before qm.ini exists leaves a directory with `creating`, and the next create starts afresh; nothing
else is ever deleted but by `delete`. A directory with neither qm.ini nor `creating` is foreign and is not touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import default_attributes
from flintmq.host import ini
from flintmq.host.clock import system_clock
from flintmq.host.environment import LOCAL_SOCKET
from flintmq.host.instance import INI_HEAD, MEMORY_NAME, Instance, check_name, directory_name, forget_place
from flintmq.host.lock import InstanceLock, LockHeld
from flintmq.host.private import make_directory, tighten
from flintmq.host.vault import KEY_FILE, FileVault
from flintmq.log import LZ4, NONE, RLE, Log, LogConfig, LogError, RealFiles
from flintmq.mqi.call_errors import (
    QueueManagerDamaged,
    QueueManagerError,
    QueueManagerExists,
    QueueManagerInUse,
    QueueManagerNotFound,
)
from flintmq.qmgr.calls import Admin, Authority, Calls, NoLog, RestartFailed, create, restart, stamp_date, stamp_time
from flintmq.store.errors import PageSetError
from flintmq.store.lmdb_pageset import LmdbPageSet, page_set_directory
from flintmq.store.memory_pageset import MemoryPageSet
from flintmq.store.pageset import PageSet

if TYPE_CHECKING:
    from flintmq.command.defaults import DefaultObject


#: Directories that are deleted with a queue manager, and after a create that did not finish.
_DIRECTORIES = ("log", "pageset", "errors", "autocfg")


@dataclass
class CreateOptions:
    """Options of `crtmqm` for a new queue manager."""

    #: Changes to the attributes of the QMGR object: DESCR, DEADQ, DEFXMITQ, MAXHANDS, TRIGINT, MAXUMSGS.
    attributes: dict[str, Value] = field(default_factory=dict)
    log: LogConfig = field(default_factory=LogConfig)
    #: Directory for logs (crtmqm -ld), with a directory for this queue manager in it; "" for its own directory.
    log_directory: str = ""
    #: Developer defaults: DEV.QUEUE.1-3 and so on.
    developer: bool = False
    #: With them: user `app` has a password, and needs it on DEV.APP.SVRCONN.
    app_password: bool = False
    #: Of the listener SYSTEM.LISTENER.TCP.1; 0: none, with developer defaults 1414. Kept in qm.ini, too.
    port: int = 0
    #: Further stanzas for qm.ini (crtmqm -ii).
    stanzas: list[ini.Stanza] = field(default_factory=list)


class Storage:
    """The open files of a queue manager: lock, log, page sets. Close or abandon it, once."""

    def __init__(self, lock: InstanceLock | None, open_page_set: Callable[[int], PageSet]) -> None:
        self.lock = lock
        self.log: Log | None = None
        self._open = open_page_set
        self.page_sets: dict[int, PageSet] = {}

    def page_set(self, psid: int) -> PageSet:
        """Open a page set, or make it; called by the engine. Page set 0 is requested twice and opened once."""
        if psid == 0 and psid in self.page_sets:
            return self.page_sets[psid]
        self.page_sets[psid] = opened = self._open(psid)
        return opened

    def close(self) -> None:
        """Write everything and close the files. The lock is released last."""
        try:
            if self.log is not None:
                self.log.close()
        finally:
            self._close_page_sets()
            self._release()

    def abandon(self) -> None:
        """Release the files without writing, as if the process had ended here."""
        if self.log is not None:
            self.log.abandon()
        self._close_page_sets()
        self._release()

    def _close_page_sets(self) -> None:
        for page_set in self.page_sets.values():
            try:
                page_set.close()
            except (PageSetError, OSError):
                pass  # It was reported before, or will be at the next open; the log has everything.

    def _release(self) -> None:
        if self.lock is not None:
            self.lock.release()


def take_lock(instance: Instance) -> InstanceLock:
    """Take the lock on an instance, whose directory exists. Raise QueueManagerInUse, which names the holder."""
    try:
        return InstanceLock.acquire(instance.lock_path)
    except LockHeld as held:
        hint = ""
        if (instance.directory / LOCAL_SOCKET).exists():
            hint = f'; it runs as a process of its own: flintmq.connect("{instance.name}") connects to it'
        what = f"queue manager {instance.name} is in use by {held.holder}"
        error = QueueManagerInUse(f"{what}; only one process may have it open at a time{hint}")
        error.pid = held.holder.pid
        raise error from None


def _storage(instance: Instance, lock: InstanceLock) -> Storage:
    parent = str(instance.page_set_parent)

    def open_page_set(psid: int) -> PageSet:
        return LmdbPageSet(page_set_directory(parent, psid), psid)

    return Storage(lock, open_page_set)


def new_objects(name: str, options: CreateOptions, now_ms: int) -> list[tuple[str, str, dict[str, Value]]]:
    """Return the objects of a new queue manager with their creation date: itself, default and developer objects."""
    from flintmq.command.defaults import (
        DEVELOPER_PORT,
        default_objects,
        developer_objects,
        developer_q_mgr_changes,
        listener,
        q_mgr_attributes,
    )

    date, time = stamp_date(now_ms), stamp_time(now_ms)
    q_mgr = q_mgr_attributes(name)
    rows = default_objects()
    if options.developer:
        q_mgr.update(developer_q_mgr_changes())
        rows += developer_objects(options.app_password)
    port = options.port or (DEVELOPER_PORT if options.developer else 0)
    if port:
        rows.append(listener(port))
    q_mgr.update(options.attributes)
    q_mgr["QMID"] = f"{name[:28]}_{date}_{time}"
    objects: list[tuple[str, str, dict[str, Value]]] = [("QMGR", name, q_mgr)]
    objects += [(row.kind, row.name, row.attributes) for row in rows]
    stamps = {"CRDATE": date, "CRTIME": time, "ALTDATE": date, "ALTTIME": time}
    for kind, _, attributes in objects:
        known = default_attributes(kind)
        attributes.update({keyword: value for keyword, value in stamps.items() if keyword in known})
    return objects


def create_in_memory(name: str = MEMORY_NAME, options: CreateOptions | None = None) -> tuple[Calls, Storage]:
    """Create a queue manager without files."""
    clock = system_clock()
    storage = Storage(None, lambda psid: MemoryPageSet())
    objects = new_objects(check_name(name), options or CreateOptions(), clock.now_ms())
    engine = create(name, clock, NoLog(), storage.page_set, Authority(), objects)
    engine.persistent_log = False
    return engine, storage


def create_on_disk(instance: Instance, options: CreateOptions) -> tuple[Calls, Storage]:
    """Create a queue manager and leave it open. It is durable on return."""
    directory = instance.directory
    _check_place(instance)
    make_directory(directory, parents=True)
    lock = take_lock(instance)
    try:
        if instance.exists():
            raise QueueManagerExists(f"queue manager {instance.name} already exists, in {directory}")
        _clean_half_made(instance)
        instance.creating_path.write_text(f"{instance.name}\n")
        make_directory(instance.errors_directory)
        make_directory(instance.page_set_parent)
        storage = _storage(instance, lock)
    except BaseException:
        lock.release()
        raise
    try:
        engine = _create_files(instance, options, storage)
    except BaseException as error:
        storage.abandon()
        _give_up(instance)
        translated = _translated(instance, error)
        if translated is None:
            raise
        raise translated from error
    return engine, storage


def _check_place(instance: Instance) -> None:
    """Refuse a directory that exists and is no half-made queue manager."""
    directory = instance.directory
    if instance.exists():
        raise QueueManagerExists(f"queue manager {instance.name} already exists, in {directory}")
    if directory.exists() and not directory.is_dir():
        raise QueueManagerExists(f"{directory} is not a directory")
    if directory.is_dir() and not instance.half_made():
        others = sorted(set(os.listdir(directory)) - {"lock"})
        if others:
            raise QueueManagerExists(
                f"{directory} is not empty ({', '.join(others[:3])} ...) and holds no queue manager: choose another"
            )


def _create_files(instance: Instance, options: CreateOptions, storage: Storage) -> Calls:
    log_path = "log"
    if options.log_directory:
        log_path = str(Path(options.log_directory).absolute() / directory_name(instance.name))
    log_directory = str(instance.directory / log_path)
    files = RealFiles()
    Log.create(files, log_directory, options.log)
    storage.log = log = Log.open(files, log_directory)
    for _ in log.replay():
        raise AssertionError("a new log is empty")
    clock = system_clock()
    objects = new_objects(instance.name, options, clock.now_ms())
    engine = create(instance.name, clock, log, storage.page_set, Authority(), objects)
    engine.vault = FileVault(instance.directory / KEY_FILE, instance.name)
    _prepare(engine, log)
    for directory in (instance.page_set_parent, instance.errors_directory, instance.directory):
        ini.sync_directory(directory)
    ini.write(instance.ini_path, _qm_ini(instance.name, log_path, options), INI_HEAD)
    instance.creating_path.unlink()
    ini.sync_directory(instance.directory.parent)
    return engine


def _qm_ini(name: str, log_path: str, options: CreateOptions) -> list[ini.Stanza]:
    log = options.log
    values = {
        "LogPrimaryFiles": str(log.primary),
        "LogSecondaryFiles": str(log.secondary),
        "LogFilePages": str(log.file_pages),
        "LogType": "LINEAR" if log.linear else "CIRCULAR",
        "LogPath": log_path,
    }
    if log.second_copy:
        values["LogSecondCopyPath"] = log.second_copy
    if log.archive:
        values["LogArchivePath"] = log.archive
    stanzas = [ini.Stanza("QueueManager", {"Name": name}), ini.Stanza("Log", values)]
    if options.port:
        stanzas.append(ini.Stanza("TCP", {"Port": str(options.port)}))
    return stanzas + options.stanzas


def _clean_half_made(instance: Instance) -> None:
    """Remove the files of a create that did not finish."""
    if instance.half_made():
        for name in _DIRECTORIES:
            shutil.rmtree(instance.directory / name, ignore_errors=True)


def _give_up(instance: Instance) -> None:
    """Remove the directory of a create that has failed with an error."""
    if not instance.exists():
        shutil.rmtree(instance.directory, ignore_errors=True)


def open_on_disk(instance: Instance) -> tuple[Calls, Storage]:
    """Start an existing queue manager. Raise QueueManagerNotFound, -InUse, -Damaged."""
    if not instance.exists():
        half = ": it was never completely created" if instance.half_made() else ""
        raise QueueManagerNotFound(f"there is no queue manager {instance.name} in {instance.directory}{half}")
    lock = take_lock(instance)
    storage = _storage(instance, lock)
    try:
        instance.creating_path.unlink(missing_ok=True)
        stanza = instance.stanza("Log")
        changed, failed = tighten([instance.directory, instance.log_directory()])
        storage.log = log = Log.open(RealFiles(), str(instance.log_directory()), stanza.get("LogSecondCopyPath"))
        engine = restart(instance.name, system_clock(), log, storage.page_set, Authority())
        engine.vault = FileVault(instance.directory / KEY_FILE, instance.name)
        _complete(engine)
        _prepare(engine, log)
        if changed or failed:
            engine.notice(
                "FMQ2003W",
                f"Files of the queue manager could be used by others than its owner: {changed} are now for its owner "
                f"only (modes 0600 and 0700), {failed} could not be changed because they belong to another user.",
            )
    except BaseException as error:
        storage.abandon()
        translated = _translated(instance, error)
        if translated is None:
            raise
        raise translated from error
    return engine, storage


def _complete(engine: Calls) -> None:
    """Add the default objects that a queue manager of an earlier release lacks."""
    from flintmq.command.defaults import missing_objects, missing_values

    missing = missing_objects(engine.catalogue)
    for kind, name, changes in missing_values(engine.catalogue) if missing else []:
        Admin(engine).alter(kind, name, changes, False)
    _add(engine, missing)


def _add(engine: Calls, rows: list[DefaultObject]) -> None:
    """Define default objects that are not there, without a command."""
    for row in rows:
        definition = engine.catalogue.add(row.kind, row.name, row.attributes)
        engine.log_definition(definition)
        if row.kind == "TOPIC":
            engine.topics.define(definition)


def listens(engine: Calls) -> bool:
    """Return whether a listener starts with the queue manager."""
    return any(each.text("CONTROL") == "QMGR" for each in engine.catalogue.match("LISTENER"))


def add_developer_objects(engine: Calls, port: int, app_password: bool) -> int:
    """Add a listener and the missing developer objects. Return the number of developer objects added.

    DEADQ and CONNAUTH of the queue manager are changed only if they still have the values of a new queue manager.
    """
    from flintmq.command import defaults

    rows = [
        row for row in defaults.developer_objects(app_password) if engine.catalogue.find(row.kind, row.name) is None
    ]
    date, time = stamp_date(engine.clock.now_ms()), stamp_time(engine.clock.now_ms())
    stamps: dict[str, Value] = {"CRDATE": date, "CRTIME": time, "ALTDATE": date, "ALTTIME": time}
    for row in [*rows, defaults.listener(port)]:
        known = default_attributes(row.kind)
        row.attributes.update({keyword: value for keyword, value in stamps.items() if keyword in known})
        if engine.catalogue.find(row.kind, row.name) is None:
            _add(engine, [row])
        else:  # The listener is there and does not start with the queue manager.
            Admin(engine).alter(row.kind, row.name, {"CONTROL": "QMGR", "PORT": port}, False)
    untouched = defaults.q_mgr_attributes(engine.name)
    q_mgr = engine.catalogue.q_mgr()
    changes = {
        keyword: value
        for keyword, value in defaults.developer_q_mgr_changes().items()
        if q_mgr.attributes[keyword] == untouched[keyword]
    }
    if changes:
        Admin(engine).alter("QMGR", engine.name, changes, False)
    return len(rows)


def _prepare(engine: Calls, log: Log) -> None:
    """Set checkpoints for a circular log, restore the compression of SET LOG COMPLOG, and raise the start event."""
    if not log.config.linear:
        engine.set_checkpoints(engine.checkpoint_records, log.capacity // 2)
    compression = engine.parameters["LOG"].get("COMPLOG")
    if compression is not None:
        log.set_compression({"RLE": RLE, "LZ4": LZ4}.get(str(compression), NONE))
    engine.queue_manager_active()


def _translated(instance: Instance, error: BaseException) -> QueueManagerError | None:
    """Return the error for a queue manager that cannot be created or opened; None for an internal error."""
    name = instance.name
    if isinstance(error, LogError | PageSetError | RestartFailed | ini.IniError):
        return QueueManagerDamaged(f"queue manager {name} cannot be opened: {error}")
    if isinstance(error, OSError):
        what = error.strerror or type(error).__name__
        where = f": {error.filename}" if error.filename else ""
        return QueueManagerError(f"queue manager {name} cannot be opened: {what}{where}")
    return None


def delete(instance: Instance) -> None:
    """Delete a queue manager with everything on it. Refused while a process has it open."""
    if not instance.exists() and not instance.half_made():
        raise QueueManagerNotFound(f"there is no queue manager {instance.name} in {instance.directory}")
    lock = take_lock(instance)
    try:
        elsewhere = _log_elsewhere(instance)
        # From here on it is half-made again, so that a crash leaves something that the next create cleans.
        instance.creating_path.write_text(f"{instance.name}\n")
        instance.ini_path.unlink(missing_ok=True)
        ini.sync_directory(instance.directory)
        if elsewhere is not None:
            shutil.rmtree(elsewhere, ignore_errors=True)
        for name in _DIRECTORIES:
            shutil.rmtree(instance.directory / name, ignore_errors=True)
    finally:
        lock.release()
    shutil.rmtree(instance.directory, ignore_errors=True)
    forget_place(instance)


def _log_elsewhere(instance: Instance) -> Path | None:
    """Return the log directory if it is outside of the instance's own and contains a log, else None."""
    log_path = Path(instance.stanza("Log").get("LogPath") or "log")
    if log_path.is_absolute() and (log_path / "control.lfh").exists():
        return log_path
    return None
