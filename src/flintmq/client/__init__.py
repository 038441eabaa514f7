"""The front door: a queue manager embedded in a Python program, or one that is elsewhere.

A call's way, from the program to the engine and back:

    queue_manager.py   open(), a connection for each thread        aio.py   aopen(), the same for tasks
    calls.py           what a queue manager and a connection can do, here and elsewhere
    connection.py      one unit of work at a time; waits in threads
    queue.py           put, get, browse                             message.py   what is put and got
                                                                    aio_calls.py  the same for tasks
    topic.py           publish, subscribe                           aio_topic.py the same for tasks
    request.py         request and reply
    consumer.py        a callback for each message                  dispatcher.py   runs callbacks, MQI's too
    mqi.py             the MQI itself, mqi_properties.py its rest   commands.py  MQSC
    command_thread.py  PCF commands, if asked for
    link.py            one engine connection, call by call; never waits
    embedded.py        the host: the lock, waking, checkpoints, the end
    group_commit.py    many wait for the disk, one goes
    remote/            connect(): the same to a queue manager elsewhere, over a channel

and what it stands on:

    instance.py        where queue managers live, what is on disk; create, open, delete
    lock.py, ini.py    who has it open; qm.ini and mqs.ini
    autoconfig.py      MQSC and stanzas that are applied at every start; inserts.py replaces +NAME+
    vault.py           its secrets, sealed
    error_log.py       AMQERR01.LOG
    errors.py          the tree of exceptions                       explain.py   their sentences
"""
