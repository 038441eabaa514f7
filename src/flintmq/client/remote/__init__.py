"""The network client: the same doors to a queue manager that is somewhere else. Pure Python, no library of MQ's.

A call's way, from the program to the socket and back:

    connect.py       flintmq.connect(): which queue manager, on which channel, at which address (definition.py)
    mqi.py           the calls of the MQI over a channel, with the methods of `flintmq.client.mqi.MQI`
    steps.py         what they do, exchange by exchange, for threads and for tasks
    direct.py        the same for calls that are one exchange, compiled
    connection.py    one connection: what queues and topics ask of it; queue_steps.py says how, consumer.py calls back
    commands.py      MQSC, through the command server
    callbacks.py     MQCB and MQCTL; push.py, if the queue manager pushes the messages
    ahead.py         messages that are here before they are asked for; read_ahead.py, gets and browses of them
    async_put.py     puts that nobody waits for; bulk.py, many messages in one call
    together.py      puts, a commit and a get with one write
    pool.py          flintmq.pool(): connections that are lent
    handles.py       message handles and their properties, which live in the client; on the wire they are an MQRFH2
    requests.py      the calls as bytes: what is sent, and what the answer says; lists.py for distribution lists
    session.py       one socket, seen from the client: negotiation, segments, heartbeats; no I/O
    wire.py          the socket: connects, sends a request, waits for its answer; keeper.py, while nobody calls
    reconnect.py     what becomes of a call when the socket is lost
    aio.py, aio_wire.py   flintmq.aconnect(), the same for asyncio; aio_consumer.py awaits a handler with each message
    config.py, ccdt.py, local.py   what the environment, mqclient.ini, a table and this machine say of it; tls.py
    refusal.py       the sentences of errors: what, where, and what to do

Layouts are shared with the server's side, `flintmq.channel`. What is here never assumes that a FlintMQ is at the other
end: numbers are read in the byte order and characters in the character set that each segment names, a level or a
capability that the other side does not have is not used, and every length is checked.

    R1  A connection makes one call at a time; a second thread waits for the first.
    R2  A call that ends otherwise than with its answer (a broken socket, an interrupt) breaks the connection: the
        queue manager then backs out what was not committed. Nothing is sent on a connection that is broken.
    R3  After a fork the child does not touch the parent's sockets.
"""
