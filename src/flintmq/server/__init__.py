"""The queue manager process: one event loop that has a queue manager open and serves clients.

    strmqm        process.start: a process of its own, and back when it is ready       process.py
    a client      a socket, TCP or the Unix socket `local`: link.py -> wire/mq/channel_instance.py -> qmgr
    turn.py       what is done with the data of a client, and when it is answered
    hub.py        what all sockets share: who may be answered, the clock, the log (log_flusher.py)
    admission.py  how many sockets and channels there may be
    listeners.py  where it listens                   operations.py  START, STOP and DISPLAY of what runs
    services.py   programs that run beside it, each watched by a thread
    TLS           between socket and session: tls_layer.py; with keys from the key repository: tls.py
    passwords     compared by threads, while others are served: password_checks.py
    runmqsc       a Unix socket in the queue manager's directory: control.py
    endmqm        the same socket
    PCF           commands from a queue: command_task.py
    Prometheus    GET /metrics, if qm.ini wants it: metrics.py

A turn of the loop: data arrives, the session makes engine calls and leaves bytes to send; waits that these calls have
completed leave bytes in other sessions; then every session that has something to send writes once. What must be
durable first waits for one flush of the log for all sessions that wait (H3 of host/host.py). The loop makes it
while the disk is fast, a thread while it is slow: log_flusher.py.

    V1  The engine is touched by the loop's thread, under the host's lock, and by the host's own threads
        (its timer, its records).
    V2  Nothing waits in the loop: not for a client, not for a password to be compared, and not for a disk that is slow.
        (A checkpoint does write in it, and so does a flush of the log that takes a millisecond or two. Automatic
        configuration is run in it before anybody is served.)
    V3  A client that does not read is not read from.
    V4  Sessions are touched by the loop's thread only. So a put goes straight to a client that waits only in a turn of
        the loop (`QueueManager.in_turn`); what another thread puts is handed over in the loop's next turn.
    V5  What one client asks for does not hold up the others: long work is done in slices, one of one session in a turn
        (S5 of wire/mq/channel_instance.py). How long turns are is measured.
"""
