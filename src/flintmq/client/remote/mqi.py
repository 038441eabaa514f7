"""The MQI over a channel, for threads: the methods of `flintmq.client.mqi.MQI`, with the same arguments and results.

    qm = flintmq.connect("QM1", channel="DEV.APP.SVRCONN", conn="host(1414)")
    handle = qm.mqi.open(od, MQOO_INPUT_SHARED)
    data = qm.mqi.get(handle, md, gmo)

The calls are in steps.py; here their exchanges are made on the socket of the connection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any

from flintmq.client.remote.direct import Direct, exchange
from flintmq.client.remote.steps import UNREADABLE, MQISteps, RemoteHandle, Steps, T
from flintmq.client.remote.wire import Wire
from flintmq.mqi import xid as xa
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.constants import MQCO_NONE, MQOP_REGISTER
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQCC_OK, MQRC_CALLBACK_ROUTINE_ERROR
from flintmq.mqi.sd import MQSD
from flintmq.wire.mq import segment as seg

if TYPE_CHECKING:
    from flintmq.client.remote.callbacks import Callbacks
    from flintmq.client.remote.reconnect import Reconnect
    from flintmq.client.remote.together import Chain
    from flintmq.mqi.cbd import MQCBD
    from flintmq.mqi.ctlo import MQCTLO
    from flintmq.mqi.inquiry import Inquiry
    from flintmq.mqi.sd import MQSD
    from flintmq.mqi.sro import MQSRO
    from flintmq.mqi.sts import MQSTS


class RemoteMQI(MQISteps):
    """The calls of the MQI on one connection."""

    wire: Wire

    def __init__(self, wire: Wire, reconnect: Reconnect | None = None) -> None:
        super().__init__(wire)
        self.room = wire.definition.room
        self.reconnect = reconnect
        #: The runner of callbacks, None before the first MQCB.
        self._callbacks: Callbacks | None = None

    def _run(self, make: Callable[..., Steps[T]], *args: Any) -> T:
        """Make the exchanges of a call."""
        if self._callbacks is not None:
            self._callbacks.check_thread()
        if self.reconnect is None:
            return self.wire.run(make(*args))
        return self.reconnect.run(self, make, args)

    def may_be_direct(self) -> bool:
        """Return whether direct calls are possible: no callbacks, no reconnection, no lost handles (direct.py)."""
        return self.reconnect is None and self._callbacks is None and not self.wire.orphans

    def _directly(self, direct: Direct, make: Callable[..., Steps[Any]], *args: Any) -> Any:
        """Make a direct call. Return the message, if it is a get. `make` makes its steps, which may be needed."""
        wire = self.wire
        exchange(wire, direct)
        try:
            if direct.done():
                return direct.message
        except UNREADABLE as error:
            wire.bad_answer(error)
        return wire.run(make(*args), direct.answers)

    def restored(self, wire: Wire) -> None:
        """Open on a new connection all that was open on the lost one. Raise MQError."""
        self.wire = wire
        wire.run(self.reopen_steps())
        self.generation += 1

    # -- objects ------------------------------------------------------------------------------------------------------

    def open(self, od: MQOD, options: int) -> RemoteHandle:
        """Open an object (MQOPEN)."""
        return self._run(self.open_steps, od, options)

    def close(self, handle: RemoteHandle, options: int = MQCO_NONE) -> None:
        """Close a handle (MQCLOSE)."""
        self._run(self.close_steps, handle, options)

    def inq(self, handle: RemoteHandle, selectors: Sequence[int]) -> Inquiry:
        """Inquire attributes (MQINQ): `integers` and `characters` of the result are in the order of their selectors."""
        return self._run(self.inq_steps, handle, selectors)

    def set(
        self, handle: RemoteHandle, selectors: Sequence[int], int_attrs: Sequence[int] = (), char_attrs: str = ""
    ) -> None:
        """Set attributes (MQSET): `int_attrs` in the order of their selectors, `char_attrs` joined in full length."""
        self._run(self.set_steps, handle, selectors, int_attrs, char_attrs)

    def stat(self, type: int) -> MQSTS:
        """Return status by MQSTAT_TYPE_* (MQSTAT): the outcome of asynchronous puts since the last call."""
        return self._run(self.stat_steps, type)

    # -- messages -----------------------------------------------------------------------------------------------------

    def put(self, handle: RemoteHandle, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        """Put a message (MQPUT). Ids and context are written into `md`."""
        self._run(self.put_steps, handle, md, pmo, data)

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        """Open, put one message and close (MQPUT1)."""
        self._run(self.put1_steps, od, md, pmo, data)

    def get(self, handle: RemoteHandle, md: MQMD, gmo: MQGMO, max_length: int = -1) -> bytes:
        """Get a message (MQGET). Return its data, cut to `max_length` unless that is -1; `md` gets its descriptor."""
        return self._run(self.get_steps, handle, md, gmo, max_length)

    def may_send_together(self) -> bool:
        """Return whether the queue manager takes calls that are sent together. Raise NotConnected."""
        return self.reconnect is None and self._callbacks is None and self.wire.run(self.may_send_together_steps())

    def run_chain(self, chain: Chain) -> None:
        """Send puts, a commit and a get together; `chain` gets the outcome (together.py). Raise NotConnected."""
        from flintmq.client.remote.together import run_steps  # Here: most clients send none.

        self.wire.run(run_steps(self, chain))

    def cmit(self) -> None:
        """Commit the unit of work (MQCMIT)."""
        self._run(self.cmit_steps)

    def back(self) -> None:
        """Back the unit of work out (MQBACK)."""
        self._run(self.back_steps)

    # -- asynchronous consume -----------------------------------------------------------------------------------------

    def cb(
        self,
        operation: int,
        cbd: MQCBD,
        handle: RemoteHandle | None = None,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
    ) -> None:
        """Register, suspend, resume or deregister a callback, by MQOP_* (MQCB); see callbacks.py."""
        operation = index(operation)
        function = cbd.callback_function
        if function is not None and not callable(function):
            raise TypeError(f"callback_function is a callable, not {type(function).__name__}")
        if operation & MQOP_REGISTER:
            if function is None:
                raise MQError("there is nothing to call: set callback_function", MQRC_CALLBACK_ROUTINE_ERROR)
            from flintmq.client.remote.callbacks import Registered

            self._called_back().register(Registered(handle, cbd, function, (md or MQMD()).copy(), gmo or MQGMO()))
        else:
            self._called_back().change(operation, cbd, handle)
        self.completion, self.reason = MQCC_OK, 0

    def ctl(self, operation: int, ctlo: MQCTLO | None = None) -> None:
        """Start, stop, suspend or resume the callbacks of this connection, by MQOP_* (MQCTL)."""
        self._called_back().control(index(operation))
        self.completion, self.reason = MQCC_OK, 0

    def _called_back(self) -> Callbacks:
        if self._callbacks is None:
            from flintmq.client.remote.callbacks import Callbacks

            self._callbacks = Callbacks(self)
        return self._callbacks

    def end_callbacks(self) -> None:
        """Stop the callbacks: the connection is being closed."""
        if self._callbacks is not None:
            self._callbacks.close()

    # -- publish/subscribe --------------------------------------------------------------------------------------------

    def sub(
        self, sd: MQSD, handle: RemoteHandle | None = None, hsub: RemoteHandle | None = None
    ) -> tuple[RemoteHandle, RemoteHandle]:
        """Subscribe (MQSUB). Return (Hobj, Hsub): the queue of the publications and the subscription."""
        return self._run(self.sub_steps, sd, handle, hsub)

    def subrq(self, hsub: RemoteHandle, action: int, sro: MQSRO | None = None) -> int:
        """Request retained publications (MQSUBRQ, MQSR_ACTION_PUBLICATION). Return their number."""
        return self._run(self.subrq_steps, hsub, action, sro)

    # -- XA -----------------------------------------------------------------------------------------------------------

    def xa_start(self, xid: bytes, flags: int = xa.TMNOFLAGS) -> int:
        """Bind puts and gets in syncpoint to the branch from now on. The xid is packed: `xa.pack_xid`."""
        return self._run(self.branch_steps, seg.XA_START, xid, flags)

    def xa_end(self, xid: bytes, flags: int = xa.TMSUCCESS) -> int:
        """End the work on the branch: TMSUCCESS, TMFAIL, or TMSUSPEND for a while."""
        return self._run(self.branch_steps, seg.XA_END, xid, flags)

    def xa_prepare(self, xid: bytes, flags: int = xa.TMNOFLAGS) -> int:
        """Prepare the branch for commit or rollback."""
        return self._run(self.branch_steps, seg.XA_PREPARE, xid, flags)

    def xa_commit(self, xid: bytes, flags: int = xa.TMNOFLAGS) -> int:
        """Commit a prepared branch, or with TMONEPHASE one that was not prepared."""
        return self._run(self.branch_steps, seg.XA_COMMIT, xid, flags)

    def xa_rollback(self, xid: bytes, flags: int = xa.TMNOFLAGS) -> int:
        """Roll back a branch, prepared or not."""
        return self._run(self.branch_steps, seg.XA_ROLLBACK, xid, flags)

    def xa_forget(self, xid: bytes, flags: int = xa.TMNOFLAGS) -> int:
        """Forget a branch that was completed heuristically, after the transaction manager has read its outcome."""
        return self._run(self.branch_steps, seg.XA_FORGET, xid, flags)

    def xa_recover(self, count: int, flags: int = xa.TMSTARTRSCAN | xa.TMENDRSCAN) -> tuple[int, list[bytes]]:
        """Return up to `count` branches that are in doubt or heuristic: (code, xids)."""
        return self._run(self.xa_recover_steps, count, flags)
