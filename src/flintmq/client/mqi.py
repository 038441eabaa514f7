"""The MQI: MQOPEN, MQPUT, MQGET ... with MQ's own structures, for uses that the Python API does not cover.

    from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQGMO_WAIT
    from flintmq.mqi.md import MQMD
    from flintmq.mqi.gmo import MQGMO
    from flintmq.mqi.od import MQOD

    od, md, gmo = MQOD(), MQMD(), MQGMO()
    od.object_name = "ORDERS"
    gmo.options, gmo.wait_interval = MQGMO_WAIT, 5000
    handle = qm.mqi.open(od, MQOO_INPUT_SHARED)
    data = qm.mqi.get(handle, md, gmo)
    qm.mqi.close(handle)

Asynchronous consume is MQCB and MQCTL, with a callable in `MQCBD.callback_function`:

    def arrived(mqi, md, gmo, data, cbc):       the MQI on this connection, descriptor, options, data, MQCBC
        mqi.put1(reply_to, MQMD(), pmo, data.upper())
        mqi.cmit()

    cbd.callback_function = arrived
    qm.mqi.cb(MQOP_REGISTER, cbd, handle, md, gmo)
    qm.mqi.ctl(MQOP_START)

dispatcher.py says which thread calls it and what an exception does. `queue.consume` is the same for less writing.

Message handles (crtmh, setmp, inqmp ...) are in mqi_properties.py.

XA is here for a transaction manager: `xa_start` and the rest, with the xids, flags and codes of `flintmq.qmgr.xa`. They
return XA_* and XAER_* codes instead of raising; only a queue manager that is closed or has stopped raises NotConnected.
A prepare or commit that returns XA_OK is on disk.

A call that fails raises by reason. One that ends with a warning returns, and `completion` and `reason` of this object
say so. Calls are made on the connection of the thread that asked for `qm.mqi`; keep the object to keep the
connection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from operator import index
from typing import TYPE_CHECKING

from flintmq.client.explain import refusal, subscription_refusal
from flintmq.client.mqi_properties import PropertyCalls
from flintmq.host.dispatcher import Dispatcher
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.cbd import MQCBD
from flintmq.mqi.constants import MQCO_NONE, MQOP_REGISTER, MQOP_START, MQOP_START_WAIT, MQOP_STOP
from flintmq.mqi.ctlo import MQCTLO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.inquiry import Inquiry
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQCC_FAILED, MQRC_CALLBACK_ROUTINE_ERROR, MQRC_RESOURCE_PROBLEM
from flintmq.mqi.sd import MQSD
from flintmq.mqi.sro import MQSRO
from flintmq.mqi.sts import MQSTS
from flintmq.mqi.xid import TMENDRSCAN, TMNOFLAGS, TMSTARTRSCAN, TMSUCCESS, XAER_RMERR
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.calls import Calls as Engine
from flintmq.qmgr.connection import Connection as EngineConnection
from flintmq.qmgr.connection import Handle

if TYPE_CHECKING:
    from flintmq.client.connection import Connection

#: A call of XA that is about one branch.
_BranchCall = Callable[[Engine, EngineConnection, bytes, int], int]


class MQI(PropertyCalls):
    """The calls of the MQI on one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._session = connection._session
        self._host = connection._host
        self._engine, self._holder = self._host.engine, self._session.connection
        #: Completion code of the last call, MQCC_OK or MQCC_WARNING, and its reason.
        self.completion = 0
        self.reason = 0
        #: Of the last get: the whole length of the message, which may be greater than that of the returned data.
        self.data_length = 0

    def open(self, od: MQOD, options: int) -> Handle:
        """Open an object (MQOPEN), or a distribution list (`recs_present`, `object_records`)."""
        _check_object(od)
        options = index(options)
        host = self._host
        with self._calling():
            handle = host.engine.open(self._session.connection, od, options)
            if handle is None:
                raise refusal(host.engine, self._session.connection.reason, od.object_name)
            force = self._end_call()
        host.durable(force)
        return handle

    def close(self, handle: Handle, options: int = MQCO_NONE) -> None:
        """Close a handle (MQCLOSE)."""
        options = index(options)
        host = self._host
        with self._calling():
            host.engine.close(self._session.connection, handle, options)
            force = self._end_call(handle.object_name, handle)
        host.durable(force)

    def put(self, handle: Handle, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        """Put a message (MQPUT). Ids and context are written into `md`."""
        _check(md, pmo, data)
        host = self._host
        with self._calling():
            host.engine.put(self._session.connection, handle, md, pmo, data)
            force = self._end_call(handle.object_name, handle, len(data))
        host.durable(force)

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        """Open, put one message and close (MQPUT1)."""
        _check_object(od)
        _check(md, pmo, data)
        host = self._host
        with self._calling():
            host.engine.put1(self._session.connection, od, md, pmo, data)
            force = self._end_call(od.object_name, None, len(data))
        host.durable(force)

    def get(self, handle: Handle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> bytes:
        """Get a message (MQGET). Return its data, cut to `max_length` unless that is -1; `md` gets its descriptor."""
        host = self._host
        max_length = index(max_length)
        md.pack(), gmo.pack()
        connection, session = self._connection, self._session
        name = handle.object_name
        if connection._dispatcher is not None:
            connection._dispatcher.check_thread()
        session.get_answer(name, md, gmo, max_length, False, handle)
        self.completion, self.reason = session.connection.completion, session.connection.reason
        self.data_length = session.connection.data_length
        data = session.connection.data
        host.durable(session.force)
        return data

    def cmit(self) -> None:
        """Commit the unit of work (MQCMIT)."""
        self._connection._commit()

    def back(self) -> None:
        """Back the unit of work out (MQBACK)."""
        self._connection._backout()

    def inq(self, handle: Handle, selectors: Sequence[int]) -> Inquiry:
        """Inquire attributes (MQINQ): `integers` and `characters` of the answer are in the order of their selectors.

        A selector that the object does not have is a warning, 2068: the others are answered.
        """
        asked = [index(selector) for selector in selectors]
        inquiry = Inquiry()
        host = self._host
        with self._calling():
            host.engine.inquire(self._session.connection, handle, asked, inquiry)
            force = self._end_call(handle.object_name, handle)
        host.durable(force)
        return inquiry

    def set(
        self, handle: Handle, selectors: Sequence[int], int_attrs: Sequence[int] = (), char_attrs: str = ""
    ) -> None:
        """Set attributes (MQSET).

        `int_attrs` are in the order of their selectors, `char_attrs` one after the other in their full length.
        """
        asked = [index(selector) for selector in selectors]
        integers = [index(value) for value in int_attrs]
        if not isinstance(char_attrs, str):
            raise TypeError(f"character attributes are str, not {type(char_attrs).__name__}")
        char_attrs.encode("utf-8")  # Lone surrogates must not reach the engine. Raises UnicodeEncodeError.
        host = self._host
        with self._calling():
            engine, connection = host.engine, self._session.connection
            reason = engine.set_attributes(connection, handle, asked, integers, char_attrs)
            if reason == MQRC_RESOURCE_PROBLEM and host.make_room():
                engine.set_attributes(connection, handle, asked, integers, char_attrs)
            force = self._end_call(handle.object_name, handle)
        host.durable(force)

    def stat(self, type: int) -> MQSTS:
        """Return status by MQSTAT_TYPE_* (MQSTAT): the outcome of asynchronous puts since the last call."""
        kind = index(type)
        sts = MQSTS()
        host = self._host
        with self._calling():
            host.engine.stat(self._session.connection, kind, sts)
            force = self._end_call()
        host.durable(force)
        return sts

    # -- asynchronous consume ---------------------------------------------------------------------------------------

    def cb(
        self, operation: int, cbd: MQCBD, handle: Handle | None = None, md: MQMD | None = None, gmo: MQGMO | None = None
    ) -> None:
        """Register, suspend, resume or deregister a callback, by MQOP_* (MQCB).

        `cbd.callback_function` is a callable that takes (mqi, md, gmo, data, cbc). A message consumer needs the handle
        of a queue, and `md` and `gmo` with the options of its gets; an event handler has none of them.
        """
        operation = index(operation)
        cbd.pack()
        function = cbd.callback_function
        if function is not None and not callable(function):
            raise TypeError(f"callback_function is a callable, not {type(function).__name__}")
        if operation & MQOP_REGISTER and function is None:
            raise MQError("there is nothing to call: set callback_function", MQRC_CALLBACK_ROUTINE_ERROR)
        md, gmo = md or MQMD(), gmo or MQGMO()
        md.pack(), gmo.pack()
        dispatcher = self._dispatcher()
        host, connection = self._host, self._session.connection
        with self._calling():
            host.engine.callback(connection, operation, handle, cbd, md, gmo, function)
            force = self._end_call(handle.object_name if handle is not None else "", handle)
            dispatcher.look_again()
        host.durable(force)

    def ctl(self, operation: int, ctlo: MQCTLO | None = None) -> None:
        """Start, stop, suspend or resume the callbacks of this connection, by MQOP_* (MQCTL).

        Callbacks run on a thread of the connection's own after MQOP_START, and in this call with MQOP_START_WAIT, which
        returns after the stop. MQOP_STOP returns after the last callback has returned, unless a callback calls it.
        """
        operation, ctlo = index(operation), ctlo or MQCTLO()
        ctlo.pack()
        dispatcher = self._dispatcher()
        host, connection = self._host, self._session.connection
        waits = operation == MQOP_START_WAIT
        if waits:
            dispatcher.prepare_to_run_here()
        with host.call:
            reason = host.engine.control(connection, operation, ctlo)
            if reason and waits:
                dispatcher.not_started()
            force = self._end_call()
            if operation == MQOP_START:
                dispatcher.ensure_runner()
            dispatcher.look_again()
        host.durable(force)
        if waits:
            dispatcher.run_until_stopped(self._connection)
        elif operation == MQOP_STOP:
            dispatcher.wait_for_end()

    def _dispatcher(self) -> Dispatcher:
        connection = self._connection
        dispatcher = connection._dispatcher
        if dispatcher is None:
            dispatcher = connection._dispatcher = Dispatcher(connection, self._session.connection, MQI)
        return dispatcher

    # -- publish/subscribe ------------------------------------------------------------------------------------------

    def sub(self, sd: MQSD, handle: Handle | None = None, hsub: Handle | None = None) -> tuple[Handle, Handle]:
        """Subscribe (MQSUB). Return (Hobj, Hsub): the queue of the publications and the subscription.

        `handle` is the queue, unless MQSO_MANAGED makes one; `hsub` the subscription to alter, if it has no name.
        """
        sd.pack()
        host, connection = self._host, self._session.connection
        with self._calling():
            made = host.engine.subscribe(connection, sd, handle, hsub)
            if made is None and connection.reason == MQRC_RESOURCE_PROBLEM and host.make_room():
                made = host.engine.subscribe(connection, sd, handle, hsub)
            if made is None:
                host.settle(connection)
                raise subscription_refusal(host.engine, connection.reason, sd)
            force = self._end_call()
        host.durable(force)
        assert made.destination is not None
        return made.destination, made

    def subrq(self, hsub: Handle, action: int, sro: MQSRO | None = None) -> int:
        """Request retained publications (MQSUBRQ, MQSR_ACTION_PUBLICATION). Return their number."""
        action, sro = index(action), sro or MQSRO()
        sro.pack()
        host = self._host
        with self._calling():
            host.engine.subscription_request(self._session.connection, hsub, action, sro)
            force = self._end_call(hsub.object_name)
        host.durable(force)
        return sro.num_pubs

    # -- XA ---------------------------------------------------------------------------------------------------------

    def xa_start(self, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Bind puts and gets in syncpoint to the branch from now on. The xid is packed: `xa.pack_xid`."""
        return self._branch(Calls.xa_start, xid, flags)

    def xa_end(self, xid: bytes, flags: int = TMSUCCESS) -> int:
        """End the work on the branch: TMSUCCESS, TMFAIL, or TMSUSPEND for a while."""
        return self._branch(Calls.xa_end, xid, flags)

    def xa_prepare(self, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Prepare the branch for commit or rollback. XA_OK: it survives a crash; XA_RDONLY: it had no changes."""
        return self._branch(Calls.xa_prepare, xid, flags)

    def xa_commit(self, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Commit a prepared branch, or with TMONEPHASE one that was not prepared."""
        return self._branch(Calls.xa_commit, xid, flags)

    def xa_rollback(self, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Roll back a branch, prepared or not."""
        return self._branch(Calls.xa_rollback, xid, flags)

    def xa_forget(self, xid: bytes, flags: int = TMNOFLAGS) -> int:
        """Forget a branch that was completed heuristically, after the transaction manager has read its outcome."""
        return self._branch(Calls.xa_forget, xid, flags)

    def xa_recover(self, count: int, flags: int = TMSTARTRSCAN | TMENDRSCAN) -> tuple[int, list[bytes]]:
        """Return up to `count` branches that are in doubt or heuristic: (code, xids)."""
        count, flags = index(count), index(flags)
        host = self._host
        with self._calling():
            return host.engine.xa_recover(self._session.connection, count, flags)

    def _branch(self, call: _BranchCall, xid: bytes, flags: int) -> int:
        """Make one XA call, durable on return. After XAER_RMERR try again if a checkpoint frees log space."""
        if not isinstance(xid, bytes):
            raise TypeError(f"an xid is bytes, made by pack_xid, not {type(xid).__name__}")
        flags = index(flags)
        host, connection = self._host, self._session.connection
        with self._calling():
            code = call(host.engine, connection, xid, flags)
            if code == XAER_RMERR and host.make_room():
                code = call(host.engine, connection, xid, flags)
            force = host.settle(connection)
        host.durable(force)
        return code

    def _calling(self) -> AbstractContextManager[None]:
        """Return the lock for one call. Raise MQError while a callback of the connection runs in another thread."""
        if self._connection._dispatcher is not None:
            self._connection._dispatcher.check_thread()
        return self._host.call

    def _end_call(self, name: str = "", handle: Handle | None = None, length: int = 0) -> int:
        """End a call, under the lock: raise if it failed, else return the log position to wait for."""
        connection = self._session.connection
        force = self._host.settle(connection)
        self.completion, self.reason = connection.completion, connection.reason
        if connection.completion == MQCC_FAILED:
            queue = handle.queue if handle is not None else None
            raise refusal(self._host.engine, connection.reason, name, queue, length)
        return force


def _check_object(od: MQOD) -> None:
    """Pack an object descriptor and its records, to find bad values before they reach the engine."""
    od.pack()
    for record in od.object_records or ():
        record.pack()


def _check(md: MQMD, pmo: MQPMO, data: bytes) -> None:
    """Pack the structures of a put, to find bad values before they reach the engine. Raise StructureError."""
    if not isinstance(data, bytes):
        raise TypeError(f"message data is bytes, not {type(data).__name__}")
    md.pack()
    pmo.pack()
    for record in pmo.put_msg_records or ():
        record.pack(pmo.put_msg_rec_fields)
