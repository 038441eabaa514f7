"""Exceptions of the Python API, for calls of the MQI, commands and queue managers as a whole.

    MQError                       any failed call; `reason` is its MQRC_, `completion` MQCC_WARNING or MQCC_FAILED
    ├── NoMessageAvailable        2033  no message on the queue matches, and the wait has ended
    ├── QueueFull                 2053  MAXDEPTH messages are on the queue
    ├── PageSetFull               2192  the page set of the queue has no room left
    ├── UnknownObject             2085, 2052, 2082, 2086, 2087 ...  the name resolves to no object
    ├── NotAuthorized             2035
    ├── PutInhibited              2051  PUT(DISABLED)
    ├── GetInhibited              2016  GET(DISABLED)
    ├── MessageTooBig             2030, 2031  MAXMSGL of the queue or the queue manager
    ├── Truncated                 2080, 2079  longer than the `max_length` of the get; 2080 leaves it on the queue
    ├── NotConverted              2119, 2110 ...  a get with `convert` could not convert; `data` is as it was put
    ├── BadProperty               2442, 2473, 2478, 2498, 2513  a message property is invalid, or too long
    ├── BadSelector               2459 ...  a selection string is invalid; the text has the place
    ├── ObjectInUse               2042  open elsewhere in a way that excludes this use
    ├── BackedOut                 2003  the queue manager has backed the unit of work out
    ├── UnitOfWorkTooBig          2024, 2102 on commit  more than MAXUMSGS messages, or than the log can take
    ├── TransactionError          a transaction inside a transaction, or around work that is not committed
    ├── CommandFailed             an MQSC command; `text` is the output of runmqsc
    ├── NotConnected              2018, 2009, 2059, 2162 ...  closed, or the queue manager has stopped after an error;
    │   │                         2538, 2540, 2393 ...  a connection that could not be made
    │   └── UsedAfterFork         opened before a fork, used in the child
    └── QueueManagerError         opening, creating, deleting a queue manager as a whole
        ├── QueueManagerInUse     another process, or this one, has it open; the text says which
        ├── QueueManagerNotFound  there is none of this name, and it was not to be created
        ├── QueueManagerExists    there is one already, or its directory contains something else
        ├── QueueManagerDamaged   log or page sets cannot be read; the text has file and place
        └── InvalidName           not a queue manager name

`str(error)` ends with the reason's name and number, for the manual and for `flint mqrc`:

    ORDERS.IN is full: it holds MAXDEPTH(5000) messages [MQRC_Q_FULL 2053]
"""

from __future__ import annotations

from flintmq.mqi import reason as rc
from flintmq.mqi.reason import MQCC_FAILED, reason_name, reason_text


class MQError(Exception):
    """A call failed. Unless a subclass says otherwise nothing has changed."""

    #: The reason of a class that has only one.
    default_reason: int = rc.MQRC_UNEXPECTED_ERROR
    #: Exit code of a command that ends with this error.
    exit_code: int = 1

    def __init__(self, text: str = "", reason: int = 0, completion: int = MQCC_FAILED) -> None:
        self.reason = reason or self.default_reason
        self.completion = completion
        self.text = text or reason_text(self.reason)
        super().__init__(self.text)

    def __str__(self) -> str:
        return f"{self.text} [{self.reason_name} {self.reason}]"

    def __reduce__(self) -> tuple[type[MQError], tuple[str, int, int]]:
        return type(self), (self.text, self.reason, self.completion)

    @property
    def reason_name(self) -> str:
        """Return the name of the reason: MQRC_Q_FULL, for example."""
        return reason_name(self.reason)


class NoMessageAvailable(MQError):
    """No message on the queue matches, and the wait has ended."""

    default_reason = rc.MQRC_NO_MSG_AVAILABLE


class QueueFull(MQError):
    """The queue already holds MAXDEPTH messages. Nothing was put; the unit of work is intact."""

    default_reason = rc.MQRC_Q_FULL


class PageSetFull(MQError):
    """The page set that the queue is on has no room. Nothing was put; the unit of work is intact."""

    default_reason = rc.MQRC_PAGESET_FULL


class UnknownObject(MQError):
    """The name resolves to no object: it, or the target of an alias or remote definition, does not exist."""

    default_reason = rc.MQRC_UNKNOWN_OBJECT_NAME


class NotAuthorized(MQError):
    """The user has no authority for this."""

    default_reason = rc.MQRC_NOT_AUTHORIZED


class PutInhibited(MQError):
    """The queue, or the alias it was opened by, has PUT(DISABLED)."""

    default_reason = rc.MQRC_PUT_INHIBITED


class GetInhibited(MQError):
    """The queue, or the alias it was opened by, has GET(DISABLED). A wait ends with this, too."""

    default_reason = rc.MQRC_GET_INHIBITED


class MessageTooBig(MQError):
    """The message is longer than MAXMSGL of the queue (2030) or the queue manager (2031). Nothing was put."""

    default_reason = rc.MQRC_MSG_TOO_BIG_FOR_Q


class Truncated(MQError):
    """The message is longer than `max_length`. It is still on the queue (2080), unless `truncate` was set."""

    default_reason = rc.MQRC_TRUNCATED_MSG_FAILED
    #: The beginning of the message, and its whole length.
    data: bytes = b""
    data_length: int = 0


class NotConverted(MQError):
    """The message was got but could not be converted; `data` is as it was put."""

    default_reason = rc.MQRC_NOT_CONVERTED
    data: bytes = b""


class BadSelector(MQError):
    """A selection string is invalid; the text shows the place."""

    default_reason = rc.MQRC_SELECTOR_SYNTAX_ERROR
    #: The whole text, and where in it the error is, from 1.
    selector: str = ""
    position: int = 0


class BadProperty(MQError):
    """A message property has an invalid name or value, or all of them are too long. Nothing was put."""

    default_reason = rc.MQRC_PROPERTY_NAME_ERROR


class ObjectInUse(MQError):
    """The object is open in a way that excludes this use, or has uncommitted messages."""

    default_reason = rc.MQRC_OBJECT_IN_USE


class BackedOut(MQError):
    """The queue manager has backed the unit of work out: none of its changes is left."""

    default_reason = rc.MQRC_BACKED_OUT


class UnitOfWorkTooBig(MQError):
    """The unit of work has MAXUMSGS messages, or needs more log than there is. Back it out, or commit it now."""

    default_reason = rc.MQRC_SYNCPOINT_LIMIT_REACHED


class TransactionError(MQError):
    """Transactions do not nest, and do not begin while there is uncommitted work on the connection."""

    default_reason = rc.MQRC_UOW_IN_PROGRESS


class CommandFailed(MQError):
    """An MQSC command failed or was not understood. `text` is the output of runmqsc."""

    default_reason = 3008


class NotConnected(MQError):
    """The connection or the queue manager is closed or has stopped after an error, or could not be reached."""

    default_reason = rc.MQRC_HCONN_ERROR


class UsedAfterFork(NotConnected):
    """The queue manager was opened before os.fork(); only the parent may use it. Open another one in the child."""

    default_reason = rc.MQRC_HCONN_ERROR


class QueueManagerError(MQError):
    """A queue manager as a whole cannot be opened, created or deleted."""

    default_reason = rc.MQRC_Q_MGR_NOT_AVAILABLE


class QueueManagerInUse(QueueManagerError):
    """Another process, or this one, has the queue manager open. The text says which."""

    default_reason = rc.MQRC_Q_MGR_NOT_AVAILABLE
    #: The process that has it open, 0 if unknown.
    pid: int = 0


class QueueManagerNotFound(QueueManagerError):
    """There is no queue manager of this name, or it was never completely created."""

    default_reason = rc.MQRC_Q_MGR_NAME_ERROR


class QueueManagerExists(QueueManagerError):
    """There is a queue manager of this name already, or its directory contains something else."""

    default_reason = 4001


class QueueManagerDamaged(QueueManagerError):
    """Log or page sets cannot be read as they were written. Nothing was changed; the text has file and place."""

    default_reason = rc.MQRC_OBJECT_DAMAGED


class InvalidName(QueueManagerError):
    """A queue manager name has 1 to 48 letters, digits and . / _ %."""

    default_reason = rc.MQRC_Q_MGR_NAME_ERROR


_WITH_ONE_REASON: tuple[type[MQError], ...] = (
    NoMessageAvailable,
    QueueFull,
    PageSetFull,
    UnknownObject,
    NotAuthorized,
    PutInhibited,
    GetInhibited,
    MessageTooBig,
    Truncated,
    NotConverted,
    BadProperty,
    BadSelector,
    ObjectInUse,
    BackedOut,
    UnitOfWorkTooBig,
    NotConnected,
)

_BY_REASON: dict[int, type[MQError]] = {each.default_reason: each for each in _WITH_ONE_REASON} | {
    rc.MQRC_MSG_TOO_BIG_FOR_Q_MGR: MessageTooBig,
    rc.MQRC_TRUNCATED_MSG_ACCEPTED: Truncated,
    rc.MQRC_CONVERTED_MSG_TOO_BIG: NotConverted,
    rc.MQRC_FORMAT_ERROR: NotConverted,
    rc.MQRC_PROPERTY_NAME_LENGTH_ERR: BadProperty,
    rc.MQRC_PROPERTY_TYPE_ERROR: BadProperty,
    rc.MQRC_MIXED_CONTENT_NOT_ALLOWED: BadProperty,
    rc.MQRC_PROPERTIES_TOO_BIG: BadProperty,
    rc.MQRC_Q_DELETED: UnknownObject,
    rc.MQRC_UNKNOWN_ALIAS_BASE_Q: UnknownObject,
    rc.MQRC_UNKNOWN_OBJECT_Q_MGR: UnknownObject,
    rc.MQRC_UNKNOWN_REMOTE_Q_MGR: UnknownObject,
    rc.MQRC_UNKNOWN_XMIT_Q: UnknownObject,
    rc.MQRC_UNKNOWN_DEF_XMIT_Q: UnknownObject,
    rc.MQRC_Q_MGR_NOT_AVAILABLE: NotConnected,
    rc.MQRC_CONNECTION_BROKEN: NotConnected,
    rc.MQRC_Q_MGR_QUIESCING: NotConnected,
    rc.MQRC_Q_MGR_STOPPING: NotConnected,
    rc.MQRC_CHANNEL_NOT_AVAILABLE: NotConnected,
    rc.MQRC_HOST_NOT_AVAILABLE: NotConnected,
    rc.MQRC_CHANNEL_CONFIG_ERROR: NotConnected,
    rc.MQRC_UNKNOWN_CHANNEL_NAME: NotConnected,
    rc.MQRC_SSL_INITIALIZATION_ERROR: NotConnected,
    rc.MQRC_KEY_REPOSITORY_ERROR: NotConnected,
    rc.MQRC_SSL_PEER_NAME_MISMATCH: NotConnected,
    rc.MQRC_STANDBY_Q_MGR: NotConnected,
    rc.MQRC_Q_MGR_NAME_ERROR: NotConnected,
}


def error_class(reason: int) -> type[MQError]:
    """Return the class to catch for `reason`."""
    return _BY_REASON.get(reason, MQError)


def error_of(reason: int, text: str = "", completion: int = MQCC_FAILED) -> MQError:
    """Return the error to raise for `reason`. Without `text` it has the general text of the reason."""
    return error_class(reason)(text, reason, completion)
