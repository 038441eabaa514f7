"""A broker of FastStream for FlintMQ.

    from faststream import FastStream
    from flintmq.integrations.faststream import MQBroker

    broker = MQBroker("mq://app:password@127.0.0.1:1414/QM1?channel=DEV.APP.SVRCONN")
    app = FastStream(broker)

    @broker.subscriber("ORDERS")
    @broker.publisher("ORDERS.DONE")
    async def handle(order: Order) -> Done: ...

The way of a message, file by file:

    connection.py    URL and security to options of flintmq.aconnect
    broker.py        MQBroker: connect, publish, request, stop
    registrator.py   subscriber() and publisher() of brokers and routers; config.py their results
    subscriber.py    workers: a get in syncpoint, the handler, the end of the unit of work
    message.py       MQMessage, and Delivery: ack, nack, reject
    publisher.py     the result of a handler, replies; command.py the put under way; producer.py the put
    headers.py       headers and ids as message properties and descriptor fields
    testing.py       TestMQBroker: the same without a queue manager

Beside it: annotations.py for handlers, fastapi.py, opentelemetry.py and prometheus.py. FastStream promises no stable
interface to brokers from outside: this is written for and tested with 0.7.8.
"""

from flintmq.integrations.faststream.annotations import MQMessage
from flintmq.integrations.faststream.broker import MQBroker
from flintmq.integrations.faststream.command import MQPublishCommand, MQResponse
from flintmq.integrations.faststream.registrator import MQRoute, MQRoutePublisher, MQRouter
from flintmq.integrations.faststream.testing import TestMQBroker

__all__ = [
    "MQBroker",
    "MQMessage",
    "MQPublishCommand",
    "MQResponse",
    "MQRoute",
    "MQRoutePublisher",
    "MQRouter",
    "TestMQBroker",
]
