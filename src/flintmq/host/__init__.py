"""Run an engine in a process. The engine never waits, reads no clock and starts no thread: the host does.

`server/` runs the queue manager process on it, `client/` runs `flintmq.open()` on it. A call of either goes

    lock -> engine function -> settle -> unlock, wake -> wait for the log

    opening.py         open a queue manager by name, by path or in memory: its engine and its host
    host.py            Host: connections, failure, close, fork and exit; the server's Hub is a subclass
    host_core.py *     the part that every call passes through: lock, settle, wake, wait until the log is durable
    group_commit.py *  one fdatasync for all callers that wait for the log
    dispatcher.py      runs callbacks of asynchronous consumers (MQCB, MQCTL)
    timer.py           scans for expired messages, delivers delayed ones
    command_thread.py  runs the command server of an embedded queue manager: PCF commands
    recording.py       writes statistics and accounting records; tracing.py, the trace file
    error_log.py       AMQERR01.LOG and dumps of internal errors
    clock.py           the clock of the machine

Files of a queue manager:

    instance.py        names, directories, mqs.ini and status of queue managers on disk
    lifecycle.py       create, open and delete a queue manager, on disk or in memory
    lock.py, ini.py    the lock that one process holds; stanza files: qm.ini and mqs.ini
    autoconfig.py      MQSC and stanzas that are applied at every start; inserts.py replaces +NAME+ in texts
    vault.py           seals secrets with AES-GCM; pkcs12.py and pkcs12_keys.py read key repositories
    private.py         file modes: 0600 and 0700
    environment.py     user, program name, data directory, local sockets; clients elsewhere use it too

Files with * are compiled.

Invariants: H1 to H6 in host.py (lock, waiting, durability, failure, fork, exit), D1 to D4 in dispatcher.py. Protocols
and MQI semantics are elsewhere: nothing here parses a segment or implements a call.
"""
