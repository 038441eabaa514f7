"""The MQ client protocol: server-connection channels. Bytes in, engine calls, bytes out; no sockets here.

A client's call, file by file:

    segment.py          cuts the stream of bytes into segments       errors.py       errors that end a connection
    channel_instance.py one socket: negotiation, conversations       initial_data.py negotiated terms
                                                                     compression.py  compressed segments
                                                                     cipher_spec.py, server_name.py   TLS
    conversation.py     one MQCONN: joins the segments of a call      identity.py     user of a client
    mqi_calls.py        decodes, makes and answers a call             calls.py        the calls as bytes
                                                                     spi.py          calls outside of the MQI
                                                                     lists.py        records of distribution lists
    fast_path.py        nearly every MQPUT and MQGET                  codec_cache.py  structures equal to the last ones
    subscribe_calls.py, xa_calls.py   the calls of subscriptions and XA
    bulk_calls.py       many messages in one call                     bulk.py         the same as bytes
    streaming.py        messages that are pushed to the client        stream.py       the same as bytes
    server.py           all channels of a queue manager               terms.py        limits that a channel sets
    channel_services.py its part for a channel instance
    status.py           rows of DISPLAY CHSTATUS                      describe.py     segments in words

The left column decides, the right column is layouts: plain functions and classes, each with its table of offsets.

Rules of the package:

    A channel instance never raises and never waits. An error of the peer ends its own channel instance, with one line
    in the error log (S2 in channel_instance.py). An error of an application is a reason code.
    Numbers are read and written in the byte order of their segment, characters in its character set.
    Output is sent when the log is durable up to its `force` (W3).
    Clients are authenticated by the `Gatekeeper` (terms.py), not here.

Sockets, timers and the log belong to `flintmq.server`. docs/wire-protocol.md has the parts of the protocol that are not
published, and their sources.
"""
