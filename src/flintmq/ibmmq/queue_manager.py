"""QueueManager as ibmmq has it: more ways to connect, inquiry of many attributes at once, MQSTAT, MQCB, MQCTL."""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.client.queue_manager import QueueManager as Embedded
from flintmq.client.remote import config
from flintmq.ibmmq import calls
from flintmq.ibmmq.callback import register
from flintmq.ibmmq.inquire import inquired
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.mq_object import MQObject
from flintmq.ibmmq.structures import CD, CNO, CSP, CTLO, SCO, STS
from flintmq.ibmmq.text import EncodingDefault, ensure_strings_are_bytes, to_string
from flintmq.mqi import constants as mq
from flintmq.mqi.reason import MQCC_WARNING
from flintmq.pymqi import queue_manager as pymqi
from flintmq.pymqi.binding import Binding, bind_local, bind_remote
from flintmq.pymqi.channel import named_options, reconnect_option
from flintmq.pymqi.kit import Kit
from flintmq.pymqi.pymqe import connected


class QueueManager(pymqi.QueueManager, MQObject):
    """A connection to a queue manager, made at once unless the name is None."""

    _kit: ClassVar[Kit] = IBMMQ
    _connection_area: Any = 0

    def connect_with_options(self, name: str | bytes, *args: Any, **kwargs: Any) -> None:
        """Connect now. Keywords: `user` and `password`, or `csp`; `opts` or `cno`; `cd`, `sco`, `bno`, `token`."""
        if len(args) > 2:
            raise TypeError("Too many positional args provided")
        kwargs.update(zip(("cd", "sco"), args, strict=False))
        cd, sco = kwargs.get("cd"), kwargs.get("sco")
        cno = _checked("cno", kwargs.get("cno"), CNO)
        _checked("sco", sco, SCO)
        options = _credentials(kwargs)
        application = to_string(ensure_strings_are_bytes(cno.ApplName)) if cno is not None else ""
        if application:
            options["application"] = application
        wanted = cno.Options if cno is not None else kwargs.get("opts", mq.MQCNO_NONE)
        text = to_string(ensure_strings_are_bytes(name))
        if cd is not None:
            if cd.SSLCipherSpec:
                cd.Version = max(cd.Version, 7)
            cd.pack()
            options |= named_options(cd, sco, wanted)
        else:
            options |= reconnect_option(wanted)
        url = to_string(ensure_strings_are_bytes(cno.CCDTUrl)) if cno is not None and cd is None else ""

        def bind() -> Binding:
            if url:
                return bind_remote(text, ccdt=str(config.table_path(url)), **options)
            return bind_local(text, **options) if cd is None else bind_remote(text, **options)

        handle, comp, reason = connected(bind)
        if comp <= MQCC_WARNING:
            self._take(handle, ensure_strings_are_bytes(name))
        self._kit.check(comp, reason)

    connectWithOptions = connect_with_options

    def connect_tcp_client(
        self,
        name: str | bytes,
        cd: Any,
        channel: str | bytes,
        conn_name: str | bytes,
        user: str | bytes | None = None,
        password: str | bytes | None = None,
        cno: CNO | None = None,
        csp: CSP | None = None,
        sco: SCO | None = None,
        bno: Any = None,
    ) -> None:
        """Connect now over a channel. `conn_name` is host(port), or several of them with commas between."""
        cd.ChannelName = ensure_strings_are_bytes(channel)
        cd.ConnectionName = ensure_strings_are_bytes(conn_name)
        cd.ChannelType, cd.TransportType = 6, 2  # MQCHT_CLNTCONN, MQXPT_TCP
        self.connect_with_options(name, cd=cd, user=user, password=password, cno=cno, csp=csp, sco=sco, bno=bno)

    connectTCPClient = connect_tcp_client

    def disconnect(self) -> None:
        """MQDISC. Uncommitted work is committed; 2003 if it could not be."""
        self._kit.check(*self._disconnect())

    def put1(self, q_desc: Any, msg: str | bytes, *opts: Any) -> None:
        """MQPUT1. `opts` are a descriptor and put options; the call writes into both."""
        super().put1(q_desc, msg, *opts)

    def get_name(self) -> str:
        """The name that was connected to."""
        if not self._name:
            raise self._kit.PYIFError("not connected")
        return str(self.to_string(self._name))

    def inquire(self, selectors: int | list[int]) -> Any:
        """An attribute of the queue manager, or for a list of selectors a dictionary of them."""
        hobj = self._own_object() if self._handle is not None else mq.MQHO_UNUSABLE_HOBJ
        return inquired(self._handle, hobj, selectors)

    inq = inquire

    def stat(self, status_type: int) -> STS:
        """MQSTAT: the results of asynchronous puts since the last time."""
        sts = STS()
        packed, comp, reason = calls.MQSTAT(self._handle, status_type, sts.pack())
        self._kit.check(comp, reason)
        return sts.unpack(packed)

    def cb(self, **kwargs: Any) -> None:
        """MQCB for events of the connection: `operation` and `cbd`."""
        register(self, None, kwargs)

    def ctl(self, operation: int, ctlo: CTLO) -> None:
        """MQCTL: start, stop, suspend or resume callbacks."""
        if not isinstance(ctlo, CTLO):
            raise TypeError("ctlo must be an instance of CTLO")
        self._connection_area = ctlo.ConnectionArea
        self._kit.check(*calls.MQCTL(self._handle, operation, ctlo.pack()))


def _checked(name: str, value: Any, kind: type[Any]) -> Any:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be an instance of {kind.__name__}")
    return value


def _credentials(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the credentials, from a CSP or from keywords."""
    csp = _checked("csp", kwargs.get("csp"), CSP)
    user, password, token = kwargs.get("user"), kwargs.get("password"), kwargs.get("token")
    if csp is not None:
        for wrong in ("UserId", "Password"):
            if hasattr(csp, wrong):
                raise IBMMQ.PYIFError(f"{wrong} field in CSP class is called CSP{wrong}")
        user, password, token = csp.CSPUserId, csp.CSPPassword, csp.Token
        password = None if password == 0 else password
    if token:
        raise IBMMQ.PYIFError("tokens are not supported: give a user and a password")
    given = pymqi._credentials(user, password)
    return {key: value.decode("utf-8") for key, value in given.items()}


def connect(
    queue_manager: str | bytes | Embedded | None,
    channel: str | bytes | None = None,
    conn_info: str | bytes | None = None,
    user: str | bytes | None = None,
    password: str | bytes | None = None,
    disconnect_on_exit: bool = True,
    bytes_encoding: str = EncodingDefault.bytes_encoding,
    default_ccsid: int = EncodingDefault.ccsid,
    cd: Any = None,
    cno: CNO | None = None,
    csp: CSP | None = None,
    sco: SCO | None = None,
    bno: Any = None,
) -> QueueManager:
    """A connection: over the network with a channel and an address, else to the local queue manager of that name."""
    more = {"cno": cno, "csp": csp, "sco": sco, "bno": bno}
    if isinstance(queue_manager, Embedded):
        return QueueManager(queue_manager, disconnect_on_exit, bytes_encoding, default_ccsid)
    made = QueueManager(None, disconnect_on_exit, bytes_encoding, default_ccsid)
    if channel and conn_info:
        made.connect_tcp_client(queue_manager or "", cd or CD(), channel, conn_info, user, password, **more)
    elif queue_manager:
        made.connect_with_options(queue_manager, user=user, password=password, cd=cd, **more)
    else:
        raise TypeError(f"Invalid arguments: {[queue_manager, channel, conn_info, user, password]!r}")
    return made
