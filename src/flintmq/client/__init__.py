"""The front door: a queue manager embedded in a Python program, or one that is elsewhere.

A call's way, from the program to the engine and back:

    queue_manager.py   open(), a connection for each thread        aio.py   aopen(), the same for tasks
    calls.py *         queues, topics, subscriptions, transactions  aio_calls.py
    queue.py *         put, get, browse, consume                    aio_queue.py
    topic.py *         publish, subscribe                           aio_topic.py
    typed.py *         queues of one type                           aio_typed.py
    seam.py            what those ask of a connection; its twin     aio_seam.py
    base_connection.py    has the defaults, connection.py waits in threads
    browser.py         looks at messages and leaves them there
    consumer.py        a handler for each message, in threads       aio_consumer.py  in tasks
    dispatcher.py      runs callbacks, MQI's too
    retry.py           attempts, delays and the end of a message whose handler raises
    message.py         a message; options.py, payload.py (JSON), request.py (request and reply), subscribed.py
    instrumentation.py the hook for tracing                         otel.py   OpenTelemetry
    mqi.py             the MQI itself, mqi_properties.py its rest   commands.py  MQSC
    command_thread.py  PCF commands, if asked for
    link.py            one engine connection, call by call; never waits
    embedded.py        the host: the lock, waking, checkpoints, the end
    group_commit.py    many wait for the disk, one goes
    remote/            connect(): the same to a queue manager elsewhere, over a channel

Files with * are generated from the file beside them by tools/generate_sync.py: edit that one.

What it stands on:

    instance.py        where queue managers live, what is on disk; create, open, delete
    lock.py, ini.py    who has it open; qm.ini and mqs.ini
    autoconfig.py      MQSC and stanzas that are applied at every start; inserts.py replaces +NAME+
    vault.py           its secrets, sealed
    error_log.py       AMQERR01.LOG
    errors.py          the tree of exceptions                       explain.py   their sentences
"""
