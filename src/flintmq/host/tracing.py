"""The trace file of an open queue manager: it is open while a GLOBAL or CHINIT trace is started."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING

from flintmq.mqi.trace_words import CHINIT, GLOBAL

if TYPE_CHECKING:
    from flintmq.host.host import Host
    from flintmq.telemetry.trace_file import TraceFile

DIRECTORY = "trace"


class Tracing:
    """Carries out START and STOP TRACE for GLOBAL and CHINIT."""

    def __init__(self, host: Host) -> None:
        self._host = weakref.ref(host)
        self._file: TraceFile | None = None
        #: The file that segments of channels go to, None while they do not.
        self.channel_file: TraceFile | None = None

    def changed(self) -> None:
        """Apply, under the lock, that a trace was started or stopped."""
        host = self._host()
        if host is None:
            return
        engine = host.engine
        calls, segments = engine.traces.classes(GLOBAL), engine.traces.classes(CHINIT)
        if not calls and not segments:
            self.close()
            return
        from flintmq.telemetry.call_trace import CallTrace

        file = self._open(host)
        if file is None:
            return
        with_data = any(trace.with_data for trace in engine.traces.find(GLOBAL, (), -1))
        engine.tracer = CallTrace(file, engine.clock, calls, with_data) if calls else None
        self.channel_file = file if segments else None
        host.channels_traced(self.channel_file)

    def _open(self, host: Host) -> TraceFile | None:
        """Return the file, made when it is first needed. An error goes to the error log."""
        from flintmq.telemetry.trace_file import TraceFile

        if self._file is not None:
            return self._file
        try:
            if host.instance is None:
                raise OSError("a queue manager in memory has no trace file")
            directory = host.instance.directory
            path = directory / DIRECTORY / f"{directory.name}.{os.getpid()}.TRC"
            self._file = TraceFile(path, host.engine.name)
        except OSError as error:
            host.errors.write("CSQW133E", f"Trace data lost, the trace file is not accessible: {error}.")
            return None
        return self._file

    def close(self) -> None:
        """Stop all tracing; the file stays."""
        host = self._host()
        file, self._file, self.channel_file = self._file, None, None
        if host is not None and file is not None:
            host.engine.tracer = None
            host.channels_traced(None)
        if file is not None:
            file.close()
