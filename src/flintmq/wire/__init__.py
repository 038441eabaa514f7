"""Wire protocols: what clients and other queue managers send over a connection, and what the engine answers.

Each protocol is a package. It takes bytes, makes engine calls and leaves bytes; it has no sockets, threads or clocks.

    mq/     the MQ client protocol: server-connection channels
"""
