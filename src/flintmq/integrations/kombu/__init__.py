"""A Kombu transport: Celery, and everything else that uses Kombu, on a queue manager.

    import flintmq.integrations.kombu                        # registers the schemes flintmq:// and flintmq+embedded://

    app = Celery(broker="flintmq://user:password@host:1414/QM1?channel=DEV.ADMIN.SVRCONN")

A message's way, from a producer to a consumer:

    driver.py      Transport: connection, drain_events, event loop; the door that Kombu opens
    channel.py     Channel: AMQP's methods (declare, bind, publish, consume, ack, reject, qos)
    envelope.py    body, headers and properties of Kombu as a message with properties, and back
    names.py       queue names, topic strings and subscription names for names of AMQP
    broker.py      Broker: one connection to the queue manager, and each MQI call that a channel needs
    puller.py      Puller: a thread per consuming channel that gets messages; Credit counts them against prefetch
    mailbox.py     Mailbox: messages on their way from pullers to drain_events
    address.py     URL and transport_options, to flintmq.connect or flintmq.open

How AMQP's words map to MQ's:

    queue                          local queue; if exclusive or auto_delete, temporary dynamic queue
    exchange                       a branch of the topic tree: FLINTMQ.KOMBU/<exchange>
    binding                        a subscription with the queue as destination, durable if the queue is
    publish to an exchange         publish to FLINTMQ.KOMBU/<exchange>/<word>/<word>..., the words of the routing key
    publish to the exchange ""     put to the queue; if there is none the message is dropped, as AMQP says
    unacknowledged message         an idle XA branch in which the message was got
    ack, reject                    commit that branch (one phase)
    requeue                        roll it back: the message is on its old place, BackoutCount says redelivered
    priority, expiration           Priority (0 to 9, higher first), Expiry
    delivery_mode                  Persistence

One unit of work for each unacknowledged message, all on one connection: that is XA's branch, used without a second
phase. docs/decisions/0020 describes the other attempts.

    K1  A message that was delivered and not settled is in exactly one idle branch, which a live connection of this
        process owns. When the process or its connection dies, the queue manager rolls the branch back.
    K2  `ack` returns after the commit: a persistent message does not come back, not even after a crash.
    K3  Between a commit and the return of `ack` the process can die. The message is gone then, as it should be; a
        process that dies before the commit leaves the message to another consumer. So a task may run twice if its
        acknowledgement did not reach the queue manager, and is never lost.
    K4  At most `prefetch_count` messages of a channel are not settled, those in the mailbox included.
"""

from __future__ import annotations

from kombu.transport import TRANSPORT_ALIASES

from flintmq.integrations.kombu.driver import Transport

__all__ = ["Transport", "register"]

SCHEME = "flintmq"


def register() -> None:
    """Have Kombu resolve `flintmq://`. Importing this package does it; a second call changes nothing."""
    TRANSPORT_ALIASES[SCHEME] = "flintmq.integrations.kombu:Transport"


register()
