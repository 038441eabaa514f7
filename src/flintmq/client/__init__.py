"""The Python API of queue managers: embedded in this process, or elsewhere at the end of a channel.

The path of a call, from the program to the engine and back:

    queue_manager.py   open(), a connection for each thread         aio.py   aopen(), for asyncio
    calls.py *         queues, topics, subscriptions, transactions  aio_calls.py
    queue.py *         put, get, browse, consume                    aio_queue.py
    topic.py *         publish, subscribe                           aio_topic.py
    typed.py *         queues of one type                           aio_typed.py
    seam.py            the interface of those to a connection       aio_seam.py
    base_connection.py    has the defaults, connection.py waits in threads
    put_get.py         bodies of Queue.put and Queue.get            aio_put_get.py
    browser.py         an iterator that leaves messages on the queue
    consumer.py        a handler for each message, in threads (embedded_consumer.py)   aio_consumer.py  in tasks
    retry.py           attempts, delays, and the move of a message after its last failed attempt
    message.py         a message; options.py, payload.py (JSON), request.py (request and reply), subscribed.py
    instrumentation.py the hook for tracing                         otel.py   OpenTelemetry
    mqi.py             the MQI, mqi_properties.py for message handles; commands.py  MQSC
    thread_session.py  engine_session.py with waits in the calling thread
    engine_session.py  one engine connection, call by call; never waits
    explain.py         the texts of errors of an embedded queue manager
    dead_letter.py     the dead-letter handler; replay.py, set_aside.py; inquiries.py (dead-letter and backout queue)
    remote/            connect(): the same API for a queue manager elsewhere, over a channel

Files with * are generated from the file beside them by tools/generate_sync.py: edit that one.

The engine of an embedded queue manager, its files and its threads are run by `flintmq.host`. The exceptions are in
`flintmq.mqi.call_errors`.
"""
