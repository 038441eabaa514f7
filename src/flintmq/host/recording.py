"""Statistics and accounting records of an open queue manager: a thread that exists while a trace is started.

It sleeps until an interval ends, takes the lock of the host like any call, lets the recorder collect its records,
releases the lock, and writes. So neither applications nor an event loop wait for a file. Like timer.py it keeps nothing
alive.
"""

from __future__ import annotations

import threading
import time
import weakref
from typing import TYPE_CHECKING

from flintmq.host import ini
from flintmq.host.tracing import Tracing
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.trace_words import ACCTG, DESTINATIONS, STAT
from flintmq.telemetry.settings import Settings
from flintmq.telemetry.settings import read as read_settings

if TYPE_CHECKING:
    from flintmq.host.host import Host
    from flintmq.telemetry.recording.recorder import Batch, Recorder

#: Added to a wait, so that it does not end just before the records are due.
_LATE_S = 0.002


class Recording:
    """The recorder of one host, and its thread."""

    def __init__(self, host: Host) -> None:
        self._host = weakref.ref(host, self._forgotten)
        self._changed = threading.Event()
        self._thread: threading.Thread | None = None
        #: Held while records are made and written.
        self._writing = threading.Lock()
        self._recorder: Recorder | None = None
        self._seen = 0
        self.settings = _settings(host)
        self.tracing = Tracing(host)
        host.engine.system_interval_s = self.settings.system_interval_s
        for kind, classes in ((STAT, self.settings.statistics), (ACCTG, self.settings.accounting)):
            if classes:
                host.engine.start_trace(kind, classes, DESTINATIONS[kind][0], host.admin.user)

    def _forgotten(self, _: object) -> None:
        self._changed.set()

    @property
    def recorder(self) -> Recorder | None:
        """Return the recorder, None if no trace was ever started."""
        return self._recorder

    def look(self) -> None:
        """Check after a command, under the lock, whether a trace was started or stopped, or an interval cut."""
        host = self._host()
        if host is None:
            return
        engine = host.engine
        if engine.traces.changes == self._seen and not engine.cut_intervals:
            return
        self._seen = engine.traces.changes
        self.tracing.changed()
        recorder = self._recorder
        if recorder is None:
            recorder = self._recorder = make_recorder(host, self.settings)
        batch = recorder.collect()
        if batch is not None:
            self._write(recorder, batch)
        if self._thread is not None:
            self._changed.set()
        elif recorder.due_ms():
            name = f"flintmq records {engine.name}"
            self._thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Write the last records and close the files. Under the lock, when all connections have ended."""
        self.tracing.close()
        recorder = self._recorder
        if recorder is None:
            return
        self._recorder = None
        self._changed.set()
        batch = recorder.collect(last=True)
        if batch is not None:
            self._write(recorder, batch)
        with self._writing:
            recorder.close()

    def stop(self) -> None:
        """Stop the thread: the queue manager has ended, with `finish` or without."""
        self._changed.set()
        self.tracing.close()
        recorder, self._recorder = self._recorder, None
        if recorder is not None and recorder.files is not None:
            recorder.files.abandon()

    def _write(self, recorder: Recorder, batch: Batch) -> None:
        with self._writing:
            recorder.write(batch)

    def _run(self) -> None:
        wait_s = 0.0
        while wait_s >= 0:
            self._changed.wait(wait_s)
            self._changed.clear()
            wait_s = self._turn()

    def _turn(self) -> float:
        """Collect and write records that are due. Return the seconds until the next are, -1 to end."""
        host = self._host()
        recorder = self._recorder
        if host is None or host.state or recorder is None:
            return -1
        try:
            with host.call:
                batch = recorder.collect()
                due = recorder.due_ms()
                now = host.engine.clock.now_ms()
                if not due:
                    self._thread = None
        except (MQError, OSError):
            return -1  # Stopped by another call: host.fail has written why.
        del host
        if batch is not None:
            self._write(recorder, batch)
        return max(0, due - now) / 1000 + _LATE_S if due else -1


def _settings(host: Host) -> Settings:
    """Return the settings of the Telemetry stanza of qm.ini. Errors in it go to the error log."""
    values: dict[str, str] = {}
    if host.instance is not None:
        try:
            values = host.instance.stanza("Telemetry").values
        except ini.IniError as error:
            host.errors.write("AMQ7077E", f"{error}")
    return read_settings(values, host.engine.name, lambda text: host.errors.write("AMQ7077E", text))


def make_recorder(host: Host, settings: Settings) -> Recorder:
    """Make the recorder of a host, with its origin and its dump files. The layouts are imported only now."""
    from flintmq.telemetry.recording.dump_files import DumpFiles, zstd_module
    from flintmq.telemetry.recording.record import Origin
    from flintmq.telemetry.recording.recorder import Recorder
    from flintmq.telemetry.recording.records import RELEASE, Writer

    engine = host.engine
    release = "".join(RELEASE.split("."))
    origin = Origin(settings.system, settings.subsystem, release, local_offset_us())
    files = None
    if host.instance is not None:
        files = DumpFiles(host.instance.directory / settings.directory, host.instance.directory.name, origin)
        files.size_max = settings.file_bytes
        files.files_max = settings.files_max
        files.compression = settings.compression
        if files.compression == "zstd" and not zstd_module():
            host.errors.write(
                "AMQ7077E",
                "SMFCompression=zstd needs Python 3.14, zstandard or pyarrow: dump files are not compressed",
            )
    recorder = Recorder(engine, Writer(origin), files, host.errors.write)
    recorder.job = f"{engine.name[:4]}CHIN"
    if host.serves_channels:
        recorder.channel_rows = host.admin.channel_status
        recorder.ended_channels = host.admin.ended_channels
    return recorder


def local_offset_us() -> int:
    """Return the current offset of local time from UTC."""
    return time.localtime().tm_gmtoff * 1_000_000
