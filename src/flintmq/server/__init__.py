"""The queue manager process: one event loop that has a queue manager open and serves clients.

    process.py         start and end of the process; `process.start` returns when the queue manager is ready
    listeners.py       ports on which it listens
    link.py            one socket, TCP or the Unix socket `local`: bytes to its endpoint (flintmq.wire) and from it
    tls_layer.py       TLS between socket and endpoint; tls.py: keys from the key repository; hello.py: failures
    turn.py            one turn of the loop: bytes in, engine calls, output of all ready endpoints
    hub.py             all connections: timers, long work in slices, the wait for the log (log_flusher.py)
    admission.py       limits of connections
    mq_channels.py     the MQ client protocol with the services of this process
    password_checks.py passwords are compared by threads, while others are served; users.py: the users file
    gatekeeper.py      authentication by channel authentication records and CONNAUTH; refusals.py: the last refusals
    operations.py      START, STOP and DISPLAY of channels, listeners and services (services.py: programs beside it)
    control.py         the control socket of runmqsc and endmqm
    command_task.py    PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE
    metrics.py         GET /metrics for Prometheus, if qm.ini asks for it
    recorder.py        a proxy that records segments; segment_trace.py: START TRACE(CHINIT)

A turn: bytes arrive, the endpoint makes engine calls and leaves output; waits that these calls have completed leave
output in other endpoints; then every endpoint with output writes once. Output that must be durable first waits for one
flush of the log for all endpoints (H3 of host/host.py). The loop flushes while the disk is fast, a thread while it is
slow: log_flusher.py.

    V1  The engine is touched by the loop's thread, under the host's lock, and by the host's own threads
        (its timer, its records).
    V2  Nothing waits in the loop: not for a client, not for a password check, and not for a slow disk.
        (A checkpoint does write in it, and so does a flush of the log that takes a millisecond or two. Automatic
        configuration is run in it before anybody is served.)
    V3  A client that does not read is not read from.
    V4  Endpoints are touched by the loop's thread only. So a put is handed to a waiting client at once only in a turn
        of the loop (`QueueManager.in_turn`); a message that another thread puts is handed over in the loop's next turn.
    V5  A call of one client does not hold up the others: long work is done in slices, one of one endpoint in a turn
        (S5 of wire/mq/channel_instance.py). The duration of turns is measured.
"""
