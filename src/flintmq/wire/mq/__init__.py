"""The wire: what clients and queue managers say to each other. Bytes in, engine calls, bytes out; no sockets here.

The way of a client's call, file by file:

    segment.py          the stream of bytes is cut into segments     errors.py       what ends a connection
    channel_instance.py one socket: negotiation, conversations       initial_data.py what is negotiated
                                                                     compression.py  segments that are sent shorter
                                                                     cipher_spec.py, server_name.py   TLS
    conversation.py     one MQCONN: a call is put together            identity.py     who connects
    mqi_calls.py        the call is read, made, and answered          calls.py        the calls as bytes
                                                                     spi.py          those outside of the MQI
                                                                     lists.py        records of distribution lists
    fast_path.py        nearly every MQPUT and MQGET: all of it      codec_cache.py  structures like the last ones
    subscribe_calls.py, xa_calls.py   likewise
    bulk_calls.py       many messages in one call                     bulk.py         the same as bytes
    streaming.py        messages that are pushed to the client        stream.py       the same as bytes
    server.py           what all sessions of a queue manager share    terms.py        what a channel gives its clients
    status.py           what DISPLAY CHSTATUS shows of a session      describe.py     segments in words

The left column decides, the right column is layouts: plain functions and classes, each with its table of offsets.

Rules of the room:

    A session never raises and never waits. What the peer does wrong ends its own session, with one line in the error
    log (S2 in channel_instance.py). What an application does wrong is a reason code.
    Numbers are read and written in the byte order of the segment they are in, characters in its character set.
    What is sent is sent when the log is durable up to what it tells of: `session.force`.
    Who may connect is not decided here: `Gatekeeper` in terms.py is asked.

Sockets, timers and the log are the host's: `flintmq.server`. What of the protocol is nowhere published, and how we know
it: docs/wire-protocol.md.
"""
