"""The network client: the API for a queue manager at the other end of a channel. Pure Python, no library of MQ's.

The path of a call, from the program to the socket and back:

    connect.py       flintmq.connect(): queue manager, channels and addresses (definition.py)
    mqi.py           the calls of the MQI over a channel, with the methods of `flintmq.client.mqi.MQI`
    steps.py         those calls exchange by exchange, for threads and for tasks
    direct.py        fast path for calls that are one exchange, compiled
    connection.py    one connection, used by queues and topics; their calls as steps are in queue_steps.py
    consumer.py      a consumer with a thread; subscribed.py, a subscription
    commands.py      MQSC, through the command server
    callbacks.py     MQCB and MQCTL; push.py, if the queue manager pushes the messages
    ahead.py         messages that were sent in advance; read_ahead.py, gets and browses of them
    async_put.py     puts without a wait for the reply; bulk.py, many messages in one call
    together.py      puts, a commit and a get with one write
    pool.py          flintmq.pool(): connections that are lent
    handles.py       message handles and their properties, which live in the client; on the wire they are an MQRFH2
    requests.py      calls and replies as bytes; lists.py for distribution lists
    session.py       one socket, seen from the client: negotiation, segments, heartbeats; no I/O
    wire.py          the socket: connects, sends a request, waits for its reply; keeper.py, between calls
    reconnect.py     calls that find the socket lost, and its reconnection
    aio.py, aio_wire.py   flintmq.aconnect(), for asyncio; its consumer is client/aio_consumer.py
    config.py, ccdt.py, local.py   settings of the environment, mqclient.ini, a table and this machine; tls.py
    refusal.py       the texts of errors: the refused call, the place, and a remedy

Layouts are shared with the server's side, `flintmq.wire.mq`. This package never assumes that a FlintMQ is at the other
end: numbers are read in the byte order and characters in the character set that each segment names, a level or a
capability that the other side does not have is not used, and every length is checked.

    R1  A connection makes one call at a time; a second thread waits for the first.
    R2  A call that ends without its reply (a broken socket, an interrupt) breaks the connection: the queue manager
        then backs out uncommitted work. Nothing is sent on a connection that is broken.
    R3  After a fork the child does not touch the parent's sockets.
"""
