"""Wire protocols: clients and, later, other queue managers, as bytes that arrive and bytes that are sent.

    endpoint.py   the contract between the event loop and the protocol of one connection
    origin.py     the address, user and TLS of a connection, known before its first byte
    registry.py   the protocols that are served; the first bytes of a connection select one
    mq/           the MQ client protocol: server-connection channels

A protocol takes bytes, makes engine calls and leaves bytes. It has no sockets, threads, timers or clocks: those belong
to the event loop (`flintmq.server`), which knows a connection by its `Endpoint` only. So a new protocol is a package
here and a line where protocols are registered; the event loop does not change.

    W1  Errors end one connection. No bytes of a peer make an endpoint raise: an invalid or hostile peer loses its own
        connection, and every other connection of every protocol goes on. An exception that leaves an endpoint is an
        error of ours; it stops the queue manager (H4 of host/host.py).
    W2  Calls are in turns. The loop's thread calls an endpoint, under the host's lock, one endpoint after the other. So
        an endpoint needs no locks, makes engine calls at any point, and must never wait: long work is left in `work`
        and done in slices.
    W3  Output is in order. The bytes of one connection reach its socket in the order of `push`, each not before the log
        is durable up to the `force` that was set when it was taken. Output that needs no log does not overtake output
        that does; output of one connection does not hold up output of another.
"""
