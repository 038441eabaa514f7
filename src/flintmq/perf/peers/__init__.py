"""Other brokers in the same run: started, driven in the same shape, measured in turns with FlintMQ, ended.

    servers.py      start a broker on a free port of 127.0.0.1, in a directory of its own
    connection.py   what a driver asks of a broker: put, get, acknowledge, publish, subscribe
    amqp.py         RabbitMQ, AMQP 0-9-1          nats.py       NATS and JetStream
    redis.py        Redis lists and channels      postgres.py   PostgreSQL, a table as queue
    stomp.py        ActiveMQ
    compare.py      the patterns, in turns, as one run

The clients are small and speak to a socket, so that the CPU of a client is that of its protocol in Python. Drivers,
clocks and records are those of every other run: a peer is a mode of connecting.
"""
