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
    retry.py           attempts, delays and the end of a message whose handler raises
    message.py         a message; options.py, payload.py (JSON), request.py (request and reply), subscribed.py
    instrumentation.py the hook for tracing                         otel.py   OpenTelemetry
    mqi.py             the MQI itself, mqi_properties.py its rest   commands.py  MQSC
    engine_session.py  one engine connection, call by call; never waits: thread_session.py and aio.py do
    explain.py         the texts of errors of an embedded queue manager
    remote/            connect(): the same API for a queue manager elsewhere, over a channel

Files with * are generated from the file beside them by tools/generate_sync.py: edit that one.

The engine of an embedded queue manager, its files and its threads are run by `flintmq.host`. The exceptions are in
`flintmq.mqi.call_errors`.
"""
