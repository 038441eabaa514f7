"""FlintMQ: an MQ-compatible queue manager that a Python program can embed.

    import flintmq

    with flintmq.open("QM1") as qm:
        orders = qm.queue("ORDERS", create=True)
        with qm.transaction():
            orders.put(b"hello", persistent=True, correlation_id=b"42")
        message = orders.get(wait=5.0)

`open` and `aopen` are the doors to a queue manager in this process, `connect` and `aconnect` to one elsewhere,
`MQError` is the root of what they raise; flintmq.mqi has MQ's own vocabulary, flintmq.testing fixtures for pytest.
Importing this package is cheap: a public name is brought in from its room when it is first used.
"""

__version__ = "0.1.0"

#: True for type checkers only. It is not imported from `typing`, which takes longer to import than this package.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from flintmq._build import compiled as compiled
    from flintmq.client.aio import AsyncQueueManager as AsyncQueueManager
    from flintmq.client.aio import aopen as aopen
    from flintmq.client.aio_consumer import AsyncConsumer as AsyncConsumer
    from flintmq.client.aio_queue import AsyncMessages as AsyncMessages
    from flintmq.client.aio_queue import AsyncQueue as AsyncQueue
    from flintmq.client.aio_seam import AsyncBrowser as AsyncBrowser
    from flintmq.client.aio_seam import AsyncTransaction as AsyncTransaction
    from flintmq.client.aio_topic import AsyncSubscription as AsyncSubscription
    from flintmq.client.aio_topic import AsyncTopic as AsyncTopic
    from flintmq.client.aio_typed import AsyncTypedQueue as AsyncTypedQueue
    from flintmq.client.aio_typed import AsyncTypedSubscription as AsyncTypedSubscription
    from flintmq.client.aio_typed import AsyncTypedTopic as AsyncTypedTopic
    from flintmq.client.browser import Browser as Browser
    from flintmq.client.commands import CommandReply as CommandReply
    from flintmq.client.connection import Connection as Connection
    from flintmq.client.consumer import Consumer as Consumer
    from flintmq.client.message import Message as Message
    from flintmq.client.payload import BadPayload as BadPayload
    from flintmq.client.payload import TypedMessage as TypedMessage
    from flintmq.client.queue import Messages as Messages
    from flintmq.client.queue import Queue as Queue
    from flintmq.client.queue_manager import QueueManager as QueueManager
    from flintmq.client.queue_manager import open as open
    from flintmq.client.remote.aio import AsyncRemoteQueueManager as AsyncRemoteQueueManager
    from flintmq.client.remote.aio import aconnect as aconnect
    from flintmq.client.remote.connect import RemoteQueueManager as RemoteQueueManager
    from flintmq.client.remote.connect import connect as connect
    from flintmq.client.remote.pool import ConnectionPool as ConnectionPool
    from flintmq.client.remote.pool import pool as pool
    from flintmq.client.retry import Retry as Retry
    from flintmq.client.seam import Transaction as Transaction
    from flintmq.client.topic import Subscription as Subscription
    from flintmq.client.topic import Topic as Topic
    from flintmq.client.typed import TypedQueue as TypedQueue
    from flintmq.client.typed import TypedSubscription as TypedSubscription
    from flintmq.client.typed import TypedTopic as TypedTopic
    from flintmq.log.config import LogConfig as LogConfig
    from flintmq.mqi.call_errors import BackedOut as BackedOut
    from flintmq.mqi.call_errors import BadProperty as BadProperty
    from flintmq.mqi.call_errors import BadSelector as BadSelector
    from flintmq.mqi.call_errors import CommandFailed as CommandFailed
    from flintmq.mqi.call_errors import GetInhibited as GetInhibited
    from flintmq.mqi.call_errors import InvalidName as InvalidName
    from flintmq.mqi.call_errors import MessageTooBig as MessageTooBig
    from flintmq.mqi.call_errors import MQError as MQError
    from flintmq.mqi.call_errors import NoMessageAvailable as NoMessageAvailable
    from flintmq.mqi.call_errors import NotAuthorized as NotAuthorized
    from flintmq.mqi.call_errors import NotConnected as NotConnected
    from flintmq.mqi.call_errors import NotConverted as NotConverted
    from flintmq.mqi.call_errors import ObjectInUse as ObjectInUse
    from flintmq.mqi.call_errors import PageSetFull as PageSetFull
    from flintmq.mqi.call_errors import PutInhibited as PutInhibited
    from flintmq.mqi.call_errors import QueueFull as QueueFull
    from flintmq.mqi.call_errors import QueueManagerDamaged as QueueManagerDamaged
    from flintmq.mqi.call_errors import QueueManagerError as QueueManagerError
    from flintmq.mqi.call_errors import QueueManagerExists as QueueManagerExists
    from flintmq.mqi.call_errors import QueueManagerInUse as QueueManagerInUse
    from flintmq.mqi.call_errors import QueueManagerNotFound as QueueManagerNotFound
    from flintmq.mqi.call_errors import TransactionError as TransactionError
    from flintmq.mqi.call_errors import Truncated as Truncated
    from flintmq.mqi.call_errors import UnitOfWorkTooBig as UnitOfWorkTooBig
    from flintmq.mqi.call_errors import UnknownObject as UnknownObject
    from flintmq.mqi.call_errors import UsedAfterFork as UsedAfterFork
else:
    #: Public name -> the module it comes from.
    _PUBLIC = {
        "compiled": "flintmq._build",
        "AsyncBrowser": "flintmq.client.aio_seam",
        "AsyncConsumer": "flintmq.client.aio_consumer",
        "AsyncMessages": "flintmq.client.aio_queue",
        "AsyncQueue": "flintmq.client.aio_queue",
        "AsyncQueueManager": "flintmq.client.aio",
        "AsyncTransaction": "flintmq.client.aio_seam",
        "aopen": "flintmq.client.aio",
        "AsyncSubscription": "flintmq.client.aio_topic",
        "AsyncTopic": "flintmq.client.aio_topic",
        "AsyncTypedQueue": "flintmq.client.aio_typed",
        "AsyncTypedSubscription": "flintmq.client.aio_typed",
        "AsyncTypedTopic": "flintmq.client.aio_typed",
        "CommandReply": "flintmq.client.commands",
        "Connection": "flintmq.client.connection",
        "Transaction": "flintmq.client.seam",
        "Consumer": "flintmq.client.consumer",
        "BackedOut": "flintmq.mqi.call_errors",
        "BadProperty": "flintmq.mqi.call_errors",
        "BadSelector": "flintmq.mqi.call_errors",
        "CommandFailed": "flintmq.mqi.call_errors",
        "GetInhibited": "flintmq.mqi.call_errors",
        "InvalidName": "flintmq.mqi.call_errors",
        "MQError": "flintmq.mqi.call_errors",
        "MessageTooBig": "flintmq.mqi.call_errors",
        "NoMessageAvailable": "flintmq.mqi.call_errors",
        "NotAuthorized": "flintmq.mqi.call_errors",
        "NotConnected": "flintmq.mqi.call_errors",
        "NotConverted": "flintmq.mqi.call_errors",
        "ObjectInUse": "flintmq.mqi.call_errors",
        "PageSetFull": "flintmq.mqi.call_errors",
        "PutInhibited": "flintmq.mqi.call_errors",
        "QueueFull": "flintmq.mqi.call_errors",
        "QueueManagerDamaged": "flintmq.mqi.call_errors",
        "QueueManagerError": "flintmq.mqi.call_errors",
        "QueueManagerExists": "flintmq.mqi.call_errors",
        "QueueManagerInUse": "flintmq.mqi.call_errors",
        "QueueManagerNotFound": "flintmq.mqi.call_errors",
        "TransactionError": "flintmq.mqi.call_errors",
        "Truncated": "flintmq.mqi.call_errors",
        "UnitOfWorkTooBig": "flintmq.mqi.call_errors",
        "UnknownObject": "flintmq.mqi.call_errors",
        "UsedAfterFork": "flintmq.mqi.call_errors",
        "Message": "flintmq.client.message",
        "BadPayload": "flintmq.client.payload",
        "Browser": "flintmq.client.browser",
        "Messages": "flintmq.client.queue",
        "Retry": "flintmq.client.retry",
        "TypedMessage": "flintmq.client.payload",
        "TypedQueue": "flintmq.client.typed",
        "TypedSubscription": "flintmq.client.typed",
        "TypedTopic": "flintmq.client.typed",
        "Queue": "flintmq.client.queue",
        "QueueManager": "flintmq.client.queue_manager",
        "open": "flintmq.client.queue_manager",
        "AsyncRemoteQueueManager": "flintmq.client.remote.aio",
        "aconnect": "flintmq.client.remote.aio",
        "RemoteQueueManager": "flintmq.client.remote.connect",
        "connect": "flintmq.client.remote.connect",
        "ConnectionPool": "flintmq.client.remote.pool",
        "pool": "flintmq.client.remote.pool",
        "Subscription": "flintmq.client.topic",
        "Topic": "flintmq.client.topic",
        "LogConfig": "flintmq.log.config",
    }

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            raise AttributeError(f"module 'flintmq' has no attribute {name!r}")
        import sys

        module = _PUBLIC[name]
        __import__(module)
        value = getattr(sys.modules[module], name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *_PUBLIC})


__all__ = [
    "AsyncBrowser",
    "AsyncConsumer",
    "AsyncMessages",
    "AsyncQueue",
    "AsyncQueueManager",
    "AsyncRemoteQueueManager",
    "AsyncSubscription",
    "AsyncTopic",
    "AsyncTransaction",
    "AsyncTypedQueue",
    "AsyncTypedSubscription",
    "AsyncTypedTopic",
    "BackedOut",
    "BadPayload",
    "BadProperty",
    "BadSelector",
    "Browser",
    "CommandFailed",
    "CommandReply",
    "Connection",
    "ConnectionPool",
    "Consumer",
    "GetInhibited",
    "InvalidName",
    "LogConfig",
    "MQError",
    "Message",
    "MessageTooBig",
    "Messages",
    "NoMessageAvailable",
    "NotAuthorized",
    "NotConnected",
    "NotConverted",
    "ObjectInUse",
    "PageSetFull",
    "PutInhibited",
    "Queue",
    "QueueFull",
    "QueueManager",
    "QueueManagerDamaged",
    "QueueManagerError",
    "QueueManagerExists",
    "QueueManagerInUse",
    "QueueManagerNotFound",
    "RemoteQueueManager",
    "Retry",
    "Subscription",
    "Topic",
    "Transaction",
    "TransactionError",
    "Truncated",
    "TypedMessage",
    "TypedQueue",
    "TypedSubscription",
    "TypedTopic",
    "UnitOfWorkTooBig",
    "UnknownObject",
    "UsedAfterFork",
    "__version__",
    "aconnect",
    "aopen",
    "compiled",
    "connect",
    "open",
    "pool",
]
