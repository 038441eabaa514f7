"""QueueManager: a connection."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from flintmq.client.queue_manager import QueueManager as Embedded
from flintmq.mqi import constants as mq
from flintmq.mqi.reason import (
    MQCC_WARNING,
    MQRC_CONNECTION_BROKEN,
    MQRC_CONNECTION_NOT_AUTHORIZED,
    MQRC_HCONN_ERROR,
    MQRC_Q_MGR_NOT_ACTIVE,
    MQRC_Q_MGR_NOT_AVAILABLE,
    MQRC_Q_MGR_QUIESCING,
    MQRC_Q_MGR_STOPPING,
)
from flintmq.pymqi import pymqe
from flintmq.pymqi.binding import bind_open, finalise, register
from flintmq.pymqi.errors import MQMIError, PYIFError
from flintmq.pymqi.kit import Kit, message_args
from flintmq.pymqi.rfh2 import RFH2
from flintmq.pymqi.structures import CD, CMHO, GMO, MD, OD, PD, PMO, SCO, SD, SMPO
from flintmq.pymqi.text import default, ensure_bytes

if TYPE_CHECKING:
    from flintmq.pymqi.opts import MQOpts

PYMQI = Kit(MD, GMO, PMO, OD, SD, RFH2, CMHO, PD, SMPO, MQMIError, PYIFError)

#: Reasons that mean: there is no connection any more.
_GONE = (
    MQRC_CONNECTION_BROKEN, MQRC_CONNECTION_NOT_AUTHORIZED, MQRC_HCONN_ERROR, MQRC_Q_MGR_NOT_ACTIVE,
    MQRC_Q_MGR_NOT_AVAILABLE, MQRC_Q_MGR_QUIESCING, MQRC_Q_MGR_STOPPING,
)  # fmt: skip


class QueueManager:
    """A connection to a queue manager, made at once unless the name is None."""

    _kit: ClassVar[Kit] = PYMQI
    _handle: int | None = None
    _object: int | None = None
    _name: Any = None
    _disconnect_on_exit: bool = True

    def __init__(
        self,
        name: str | bytes | Embedded | None = "",
        disconnect_on_exit: bool = True,
        bytes_encoding: str = default.bytes_encoding,
        default_ccsid: int = default.ccsid,
    ) -> None:
        """Connect to the queue manager `name`: "" is the default one, None is for later.

        It may also be an open queue manager of `flintmq`. A `str` that is put is encoded with `bytes_encoding` and said
        to have `default_ccsid`.
        """
        self._disconnect_on_exit = disconnect_on_exit
        self.bytes_encoding = bytes_encoding
        self.default_ccsid = default_ccsid
        if name is not None:
            self._connect(name)

    def _connect(self, name: str | bytes | Embedded) -> None:
        if isinstance(name, Embedded):
            self._take(register(bind_open(name)), b"")
        else:
            self.connect(name)

    def _take(self, handle: int, name: Any) -> None:
        """A new connection. One before that was not disconnected is lost to the program: its work is backed out."""
        before, self._handle, self._name, self._object = self._handle, handle, name, None
        if before is not None:
            pymqe.MQBACK(before)
            pymqe.MQDISC(before)

    def __del__(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and self._disconnect_on_exit:
            with suppress(Exception):  # The program is at its end, or the queue manager is.
                finalise(handle, lambda: pymqe.MQDISC(handle))

    def connect(self, name: str | bytes) -> None:
        """Connect now, without options."""
        name = ensure_bytes(name)
        handle, comp, reason = pymqe.MQCONN(name)
        self._kit.check(comp, reason)
        self._take(handle, name)

    def connect_with_options(self, name: str | bytes, *args: Any, **kwargs: Any) -> None:
        """Connect now. Keywords: `opts` (MQCNO options), `cd`, `sco`, `user`, `password`; `cd` and `sco` also in line.

        A connection that is made with a warning is there when the warning is raised.
        """
        if len(args) > 2:
            raise TypeError(f"Invalid options: {args}")
        kwargs.update(zip(("cd", "sco"), args, strict=False))
        credentials = _credentials(kwargs.get("user"), kwargs.get("password"))
        cd = kwargs.get("cd")
        if cd is not None and cd.SSLCipherSpec and cd.Version < 7:
            cd.Version = 7
        packed = None if cd is None else cd.pack()
        name = ensure_bytes(name)
        options, sco = kwargs.get("opts", mq.MQCNO_NONE), kwargs.get("sco") or SCO()
        handle, comp, reason = pymqe.MQCONNX(name, options, packed, credentials, sco.pack())
        if comp <= MQCC_WARNING:
            self._take(handle, name)
        self._kit.check(comp, reason)

    connectWithOptions = connect_with_options

    def connect_tcp_client(
        self,
        name: str | bytes,
        cd: CD,
        channel: str | bytes,
        conn_name: str | bytes,
        user: str | bytes | None = None,
        password: str | bytes | None = None,
    ) -> None:
        """Connect now over a channel. `conn_name` is host(port), or several of them with commas between."""
        cd.ChannelName, cd.ConnectionName = ensure_bytes(channel), ensure_bytes(conn_name)
        cd.ChannelType, cd.TransportType = 6, 2  # MQCHT_CLNTCONN, MQXPT_TCP
        self.connect_with_options(name, cd=cd, user=user, password=password)

    connectTCPClient = connect_tcp_client

    def disconnect(self) -> None:
        """MQDISC. Uncommitted work is committed."""
        self._disconnect()

    def _disconnect(self) -> tuple[int, int]:
        if self._handle is None:
            raise self._kit.PYIFError("not connected")
        handle, self._handle, self._object = self._handle, None, None
        return pymqe.MQDISC(handle)

    def get_handle(self) -> int:
        """The Hconn."""
        if self._handle is None:
            raise self._kit.PYIFError("not connected")
        return self._handle

    getHandle = get_handle

    def begin(self) -> None:
        """MQBEGIN. There is nothing to coordinate: it ends with 2121 or 2012, as in a client of MQ."""
        self._kit.check(*pymqe.MQBEGIN(self._handle))

    def commit(self) -> None:
        """MQCMIT."""
        self._kit.check(*pymqe.MQCMIT(self._handle))

    def backout(self) -> None:
        """MQBACK."""
        self._kit.check(*pymqe.MQBACK(self._handle))

    def put1(self, qDesc: str | bytes | MQOpts, msg: str | bytes, *opts: Any) -> None:
        """MQPUT1. `opts` are a descriptor and put options; the call writes into both."""
        md, pmo = message_args(self._kit, opts)
        data = self._message(msg, md)
        pmo = self._kit.PMO() if pmo is None else pmo
        od = self._descriptor(qDesc)
        new_md, new_pmo, comp, reason = pymqe.MQPUT1(self._handle, od.pack(), md.pack(), pmo.pack(), data)
        self._kit.check(comp, reason)
        md.unpack(new_md)
        pmo.unpack(new_pmo)

    def _message(self, msg: str | bytes, md: Any) -> bytes:
        """The bytes of a message. A `str` is encoded, and the descriptor says so."""
        if isinstance(msg, bytes):
            return msg
        if not isinstance(msg, str):
            raise TypeError(f"Message type is {type(msg)}. Convert to bytes.")
        md.CodedCharSetId = self.default_ccsid
        md.Format = b"MQSTR   "
        return msg.encode(self.bytes_encoding)

    def _descriptor(self, named: str | bytes | MQOpts) -> Any:
        return self._kit.OD(ObjectName=ensure_bytes(named)) if isinstance(named, str | bytes) else named

    def inquire(self, attribute: int) -> Any:
        """An attribute of the queue manager: a number, or bytes filled up with blanks."""
        value, comp, reason = pymqe.MQINQ(self.get_handle(), self._own_object(), attribute)
        self._kit.check(comp, reason)
        return value

    def _own_object(self) -> int:
        """The queue manager object, opened for inquiry when it is first needed."""
        if self._object is None:
            od = self._kit.OD(ObjectType=mq.MQOT_Q_MGR, ObjectQMgrName=self._name or b"")
            number, _, comp, reason = pymqe.MQOPEN(self.get_handle(), od.pack(), mq.MQOO_INQUIRE)
            self._kit.check(comp, reason)
            self._object = number
        return self._object

    @property
    def is_connected(self) -> bool:
        """Whether calls reach the queue manager. Asks it; a refusal for lack of authority is an answer, too."""
        if self._handle is None:
            return False
        try:
            self.inquire(mq.MQCA_Q_MGR_NAME)
        except Exception as error:
            reason = getattr(error, "reason", MQRC_CONNECTION_BROKEN)
            return reason not in _GONE
        return True


def _credentials(user: Any, password: Any) -> dict[str, bytes]:
    if not user:
        return {}
    if password is None:
        raise ValueError("Password must not be None if user is provided")
    if not (isinstance(user, str | bytes) and isinstance(password, str | bytes)):
        raise ValueError("Both user and password must be instances of str or bytes")
    return {"user": ensure_bytes(user, "utf-8"), "password": ensure_bytes(password, "utf-8")}


def connect(
    queue_manager: str | bytes | Embedded | None,
    channel: str | bytes | None = None,
    conn_info: str | bytes | None = None,
    user: str | bytes | None = None,
    password: str | bytes | None = None,
    disconnect_on_exit: bool = True,
    bytes_encoding: str = default.bytes_encoding,
    default_ccsid: int = default.ccsid,
) -> QueueManager:
    """A connection: over the network with a channel and an address, else to the local queue manager of that name."""
    if channel and conn_info and not isinstance(queue_manager, Embedded):
        made = QueueManager(None, disconnect_on_exit, bytes_encoding, default_ccsid)
        made.connect_tcp_client(queue_manager or "", CD(), channel, conn_info, user, password)
        return made
    if queue_manager:
        return QueueManager(queue_manager, disconnect_on_exit, bytes_encoding, default_ccsid)
    raise TypeError(f"Invalid arguments: {[queue_manager, channel, conn_info, user, password]!r}")


def make_q_desc(qDescOrString: str | bytes | OD) -> OD:
    """An object descriptor: for a name, or the one that is given."""
    return OD(ObjectName=ensure_bytes(qDescOrString)) if isinstance(qDescOrString, str | bytes) else qDescOrString


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """Descriptor and options of a put or get."""
    return message_args(PYMQI, opts)


makeQDesc, commonQArgs = make_q_desc, common_q_args
