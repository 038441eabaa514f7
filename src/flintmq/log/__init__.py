"""The recovery log: a commit is durable once its records are on disk, and restart replays them.

One endless stream of records at 64-bit byte positions that are never used twice, cut into physical files that are
formatted once and overwritten ever after, because a synced overwrite costs half of a synced append.

    append(kind, body, data)    queue a record in memory              log.py, record.py, compress.py
    flush()                     one write, one sync: group commit     log.py, segments.py
    checkpoint(position, ...)   restart begins here from now on       log.py, control.py
    replay()                    checkpoint to end, at every open      reader.py

This package never looks into a payload, and never starts a thread. File formats are tables in the files that own
them:

    what                     file of the log         layout in
    one record               in S<n>.LOG             record.py
    a compressed payload     in a record             compress.py
    one log file             S0000000.LOG ...        segments.py
    control file             control.lfh             control.py

A log file lives in these states; they follow from three numbers (the extent of the checkpoint, of the end of the log,
and the last one that is formatted), so they are computed, not stored (`segments.file_state`):

    from        to          when                                                     made durable by
    (none)      prepared    `create`; a flush or checkpoint needs one more file      sizes, header, names, control file
    released    prepared    checkpoint of a circular log: another name, same bytes   header, names, control file
    prepared    current     the stream reaches it                                    the flush itself
    current     active      the stream goes on in the next file                      the flush itself
    active      released    a checkpoint behind it                                   control file
    released    removed     there are as many files as primary ones already          names
    released    archived    checkpoint of a linear log with an archive               names in both directories
    released    kept        checkpoint of a linear log without one                   -

The invariants, cited as L1 to L9 where they are kept; `check_log` tests them as far as a program can see them:

    L1  checkpoint <= durable <= end, all at record boundaries.
    L2  The control file never claims more than is durable, and claims at least where the current epoch began.
    L3  In each copy exactly the files from the checkpoint's to the last formatted one are open; a circular log has no
        more of them than primary and secondary together.
    L4  A record that replay returns is durable in the first copy when it is returned, in every copy before anything
        is appended.
        To be readable is not enough: pages of a failed sync are read back from memory and are not on the disk.
    L5  Each open for writing starts an epoch, durable in the control file before the first record of it is written. A
        record behind the place where an epoch began belongs to it or is dead, for ever.
    L6  A checkpoint is durable before a file in front of it loses its name or its content.
    L7  A file is formatted, and the control file says so, before the stream reaches it. So a missing file is damage.
    L8  After an I/O error nothing is written or acknowledged until the log was opened again.
    L9  A flush changes no metadata and writes no byte twice, except the rest of its last page.

Effects if the machine stops in the middle of

    a flush             records not yet acknowledged are there up to some point; the rest is cut, and L5 keeps it dead
    a checkpoint        restart begins at the old place or at the new one; both are good
    reuse of a file     nobody needs it under the old name, nor yet under the new one (L7); it is made anew
    formatting a file   nobody needs it yet (L7); it is made anew
    archiving a file    it is under the old name or the new one; restart goes on with it
    the control file    one of its two slots is whole
    the second copy     what one copy has is written to the other when restart has read it
"""

from flintmq.log.compress import LZ4, NONE, RLE
from flintmq.log.config import LogConfig
from flintmq.log.counters import LogCounters
from flintmq.log.errors import LogDamaged, LogError, LogFull
from flintmq.log.files import FileSystem, LogFile, RealFiles
from flintmq.log.inspect import inspect_file
from flintmq.log.log import Log, check_log
from flintmq.log.reader import Replay
from flintmq.log.record import LogRecord

__all__ = [
    "LZ4",
    "NONE",
    "RLE",
    "FileSystem",
    "Log",
    "LogConfig",
    "LogCounters",
    "LogDamaged",
    "LogError",
    "LogFile",
    "LogFull",
    "LogRecord",
    "RealFiles",
    "Replay",
    "check_log",
    "inspect_file",
]
