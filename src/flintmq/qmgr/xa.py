"""XA: global units of work, in the words and numbers of the X/Open specification.

A transaction manager names a branch by its xid and drives it with the calls below. They return XA_* and XAER_* codes;
the log position that must be durable before the answer goes out is `connection.force`, as always.

    state        is in                 xa_start          xa_end      prepare   commit           rollback    forget
    (none)                             active            NOTA        NOTA      NOTA             NOTA        NOTA
    active       qm.active_branches    DUPID, JOIN: *    idle        PROTO     PROTO            PROTO       PROTO
    suspended    qm.branches           RESUME: active    idle        PROTO     PROTO            PROTO       PROTO
    idle         qm.branches           JOIN: active      PROTO       prepared  ONEPHASE: done   done        PROTO
    prepared     qm.in_doubt           DUPID             PROTO       PROTO     done             done        PROTO
    heuristic    qm.heuristic          DUPID             PROTO       PROTO     HEURCOM, HEURRB  likewise    done

    *  PROTO, or XA_RETRY with TMNOWAIT: a branch is active in one connection at a time.

    X1  A branch is in exactly one of the four places, and its unit is PREPARED exactly when it is in `in_doubt`.
    X2  What is in `in_doubt` or `heuristic` survives a restart; nothing else does: what was not prepared is backed out.
    X3  Non-persistent messages of a prepared branch are pending in memory only; a restart loses them, those that it
        put and those that it got.

A branch that did nothing is not prepared but answered XA_RDONLY, and is over. A branch ended with TMFAIL, or backed out
by the queue manager, is rolled back by the next call for it, which answers XA_RBROLLBACK. If the connection of an
active or suspended branch goes, the branch is rolled back; if it is lost without MQDISC, its idle branches are too.

An administrator may resolve a branch in doubt (`resolve_in_doubt`): it becomes heuristic, which the transaction
manager is told until it calls xa_forget.

    xid, packed:  format id i32, length of gtrid u8 (1-64), length of bqual u8 (0-64), gtrid, bqual; little-endian
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flintmq.log.errors import LogError
from flintmq.mqi.xid import (
    MAXBQUALSIZE as MAXBQUALSIZE,
)
from flintmq.mqi.xid import (
    MAXGTRIDSIZE as MAXGTRIDSIZE,
)
from flintmq.mqi.xid import (
    TMASYNC as TMASYNC,
)
from flintmq.mqi.xid import (
    TMENDRSCAN as TMENDRSCAN,
)
from flintmq.mqi.xid import (
    TMFAIL as TMFAIL,
)
from flintmq.mqi.xid import (
    TMJOIN as TMJOIN,
)
from flintmq.mqi.xid import (
    TMNOFLAGS as TMNOFLAGS,
)
from flintmq.mqi.xid import (
    TMNOWAIT as TMNOWAIT,
)
from flintmq.mqi.xid import (
    TMONEPHASE as TMONEPHASE,
)
from flintmq.mqi.xid import (
    TMRESUME as TMRESUME,
)
from flintmq.mqi.xid import (
    TMSTARTRSCAN as TMSTARTRSCAN,
)
from flintmq.mqi.xid import (
    TMSUCCESS as TMSUCCESS,
)
from flintmq.mqi.xid import (
    TMSUSPEND as TMSUSPEND,
)
from flintmq.mqi.xid import (
    XA_HEURCOM as XA_HEURCOM,
)
from flintmq.mqi.xid import (
    XA_HEURHAZ as XA_HEURHAZ,
)
from flintmq.mqi.xid import (
    XA_HEURMIX as XA_HEURMIX,
)
from flintmq.mqi.xid import (
    XA_HEURRB as XA_HEURRB,
)
from flintmq.mqi.xid import (
    XA_NOMIGRATE as XA_NOMIGRATE,
)
from flintmq.mqi.xid import (
    XA_OK as XA_OK,
)
from flintmq.mqi.xid import (
    XA_RBCOMMFAIL as XA_RBCOMMFAIL,
)
from flintmq.mqi.xid import (
    XA_RBDEADLOCK as XA_RBDEADLOCK,
)
from flintmq.mqi.xid import (
    XA_RBINTEGRITY as XA_RBINTEGRITY,
)
from flintmq.mqi.xid import (
    XA_RBOTHER as XA_RBOTHER,
)
from flintmq.mqi.xid import (
    XA_RBPROTO as XA_RBPROTO,
)
from flintmq.mqi.xid import (
    XA_RBROLLBACK as XA_RBROLLBACK,
)
from flintmq.mqi.xid import (
    XA_RBTIMEOUT as XA_RBTIMEOUT,
)
from flintmq.mqi.xid import (
    XA_RBTRANSIENT as XA_RBTRANSIENT,
)
from flintmq.mqi.xid import (
    XA_RDONLY as XA_RDONLY,
)
from flintmq.mqi.xid import (
    XA_RETRY as XA_RETRY,
)
from flintmq.mqi.xid import (
    XAER_ASYNC as XAER_ASYNC,
)
from flintmq.mqi.xid import (
    XAER_DUPID as XAER_DUPID,
)
from flintmq.mqi.xid import (
    XAER_INVAL as XAER_INVAL,
)
from flintmq.mqi.xid import (
    XAER_NOTA as XAER_NOTA,
)
from flintmq.mqi.xid import (
    XAER_OUTSIDE as XAER_OUTSIDE,
)
from flintmq.mqi.xid import (
    XAER_PROTO as XAER_PROTO,
)
from flintmq.mqi.xid import (
    XAER_RMERR as XAER_RMERR,
)
from flintmq.mqi.xid import (
    XAER_RMFAIL as XAER_RMFAIL,
)
from flintmq.mqi.xid import (
    BadXid as BadXid,
)
from flintmq.mqi.xid import (
    pack_xid as pack_xid,
)
from flintmq.mqi.xid import (
    unpack_xid as unpack_xid,
)
from flintmq.qmgr import own_puts
from flintmq.qmgr.connection import UNIT_PREPARED, Connection, Unit
from flintmq.qmgr.records import FORGET, LAST, ONLY
from flintmq.qmgr.unit_of_work import COMMIT_EVENT, backout_unit, log_work, move, prepare_unit, resolve_unit, settle

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager


def _is_xid(xid: bytes) -> bool:
    try:
        unpack_xid(xid)
    except BadXid:
        return False
    return True


def _check(connection: Connection, xid: bytes, flags: int, allowed: int) -> int:
    """What is wrong before the branch is looked at."""
    connection.force = 0
    if not connection.connected:
        return XAER_RMFAIL
    if flags & TMASYNC:
        return XAER_ASYNC
    if flags & ~allowed or not _is_xid(xid):
        return XAER_INVAL
    return XA_OK


def _missing(qm: QueueManager, xid: bytes) -> int:
    """Why there is no idle branch `xid`: it is in another state, or not known at all."""
    if xid in qm.active_branches or xid in qm.branches or xid in qm.in_doubt or xid in qm.heuristic:
        return XAER_PROTO
    return XAER_NOTA


# -- association -------------------------------------------------------------------------------------------------


def xa_start(qm: QueueManager, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
    """Work of `connection` belongs to the branch from now on: a new one, or with TMJOIN or TMRESUME an old one."""
    code = _check(connection, xid, flags, TMJOIN | TMRESUME | TMNOWAIT)
    if code:
        return code
    if flags & TMJOIN and flags & TMRESUME:
        return XAER_INVAL
    if connection.in_global_unit or connection.consumers_started:
        return XAER_PROTO
    if connection.unit is not None and connection.unit.work:
        return XAER_OUTSIDE
    if flags & (TMJOIN | TMRESUME):
        unit = qm.branches.get(xid)
        if unit is None:
            return XA_RETRY if flags & TMNOWAIT and xid in qm.active_branches else _missing(qm, xid)
        if flags & TMRESUME and (not unit.suspended or unit.owner is not connection):
            return XAER_PROTO
        if flags & TMJOIN and unit.suspended:
            return XAER_PROTO
        if unit.doomed:
            return XA_RBROLLBACK
        del qm.branches[xid]
    else:
        if _missing(qm, xid) != XAER_NOTA:
            return XAER_DUPID
        unit = Unit()
        unit.xid = xid
        unit.started_ms = qm.clock.now_ms()
    unit.owner = None
    unit.suspended = False
    connection.unit = unit
    connection.in_global_unit = True
    qm.active_branches[xid] = connection
    return XA_OK


def xa_end(qm: QueueManager, connection: Connection, xid: bytes, flags: int = TMSUCCESS) -> int:
    """Work of `connection` no longer belongs to the branch: TMSUCCESS, TMFAIL, or TMSUSPEND for a while."""
    code = _check(connection, xid, flags, TMSUCCESS | TMFAIL | TMSUSPEND)
    if code:
        return code
    if flags & (flags - 1) or not flags:
        return XAER_INVAL
    if qm.active_branches.get(xid) is connection:
        unit = connection.unit
        assert unit is not None and unit.xid == xid
        connection.unit = None
        connection.in_global_unit = False
        del qm.active_branches[xid]
        qm.branches[xid] = unit
    else:
        found = qm.branches.get(xid)
        if found is None:
            return _missing(qm, xid)
        if not found.suspended or found.owner is not connection or flags & TMSUSPEND:
            return XAER_PROTO
        unit = found
    unit.owner = connection
    unit.suspended = flags & TMSUSPEND != 0
    if unit.doomed:
        return XA_RBROLLBACK
    if flags & TMFAIL:
        unit.doomed = True
    return XA_OK


# -- two phases --------------------------------------------------------------------------------------------------


def xa_prepare(qm: QueueManager, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
    """Promise to commit the branch or to roll it back, whatever comes between."""
    code = _check(connection, xid, flags, TMNOFLAGS)
    if code:
        return code
    unit = qm.branches.get(xid)
    if unit is None or unit.suspended:
        return _missing(qm, xid)
    if unit.doomed:
        _roll_back(qm, unit)
        return XA_RBROLLBACK
    own_puts.drop_own_gets(unit)
    if not unit.work and unit.triggers is None:
        del qm.branches[xid]
        return XA_RDONLY
    try:
        connection.force = prepare_unit(qm, unit)
    except LogError:
        return XAER_RMERR
    unit.owner = None
    del qm.branches[xid]
    qm.in_doubt[xid] = unit
    return XA_OK


def xa_commit(qm: QueueManager, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
    """Commit a prepared branch, or with TMONEPHASE one that was not prepared."""
    code = _check(connection, xid, flags, TMONEPHASE | TMNOWAIT)
    if code:
        return code
    if xid in qm.heuristic:
        return _heuristic_code(qm, xid)
    if flags & TMONEPHASE:
        return _commit_one_phase(qm, connection, xid)
    unit = qm.in_doubt.get(xid)
    if unit is None:
        return _missing(qm, xid)
    return _resolve(qm, connection, unit, True)


def _commit_one_phase(qm: QueueManager, connection: Connection, xid: bytes) -> int:
    unit = qm.branches.get(xid)
    if unit is None or unit.suspended:
        return _missing(qm, xid)
    if unit.doomed:
        _roll_back(qm, unit)
        return XA_RBROLLBACK
    try:
        connection.force = log_work(qm, unit, LAST)
    except LogError:
        return XAER_RMERR
    qm.counters.commits += 1
    del qm.branches[xid]
    move(unit, COMMIT_EVENT)
    settle(qm, unit, connection.force)
    return XA_OK


def xa_rollback(qm: QueueManager, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
    """Roll back a branch, prepared or not."""
    code = _check(connection, xid, flags, TMNOFLAGS)
    if code:
        return code
    if xid in qm.heuristic:
        return _heuristic_code(qm, xid)
    unit = qm.in_doubt.get(xid)
    if unit is not None:
        return _resolve(qm, connection, unit, False)
    unit = qm.branches.get(xid)
    if unit is None or unit.suspended:
        return _missing(qm, xid)
    _roll_back(qm, unit)
    return XA_OK


def _roll_back(qm: QueueManager, unit: Unit) -> None:
    """A branch that is not prepared: nothing of it is in the log."""
    qm.counters.backouts += 1
    del qm.branches[unit.xid]
    unit.skip_backout = None
    backout_unit(qm, None, unit)


def _resolve(qm: QueueManager, connection: Connection, unit: Unit, commit_it: bool) -> int:
    try:
        connection.force = resolve_unit(qm, unit, commit_it, False)
    except LogError:
        return XAER_RMERR
    del qm.in_doubt[unit.xid]
    if commit_it:
        qm.counters.commits += 1
    else:
        qm.counters.backouts += 1
    return XA_OK


def _heuristic_code(qm: QueueManager, xid: bytes) -> int:
    return XA_HEURCOM if qm.heuristic[xid] else XA_HEURRB


# -- recovery ----------------------------------------------------------------------------------------------------


def xa_recover(qm: QueueManager, connection: Connection, count: int, flags: int) -> tuple[int, list[bytes]]:
    """Up to `count` branches that are prepared or heuristic: (code, xids). A scan goes on from call to call."""
    connection.force = 0
    if not connection.connected:
        return XAER_RMFAIL, []
    if flags & ~(TMSTARTRSCAN | TMENDRSCAN) or count < 0:
        return XAER_INVAL, []
    if flags & TMSTARTRSCAN:
        connection.recovery_scan = list(qm.in_doubt) + list(qm.heuristic)
    scan = connection.recovery_scan
    if scan is None:
        return XAER_INVAL, []
    found = scan[:count]
    connection.recovery_scan = scan[count:]
    if flags & TMENDRSCAN:
        connection.recovery_scan = None
    return XA_OK, found


def xa_forget(qm: QueueManager, connection: Connection, xid: bytes, flags: int = TMNOFLAGS) -> int:
    """The transaction manager knows what became of a heuristic branch."""
    code = _check(connection, xid, flags, TMNOFLAGS)
    if code:
        return code
    if xid not in qm.heuristic:
        return _missing(qm, xid)
    try:
        connection.force = qm.append(FORGET | ONLY, xid)
    except LogError:
        return XAER_RMERR
    del qm.heuristic[xid]
    return XA_OK


def resolve_in_doubt(qm: QueueManager, connection: Connection, xid: bytes, commit_it: bool) -> int:
    """An administrator decides what the transaction manager has left undecided."""
    connection.force = 0
    unit = qm.in_doubt.get(xid)
    if unit is None:
        return _missing(qm, xid)
    try:
        connection.force = resolve_unit(qm, unit, commit_it, True)
    except LogError:
        return XAER_RMERR
    del qm.in_doubt[xid]
    qm.heuristic[xid] = commit_it
    return XA_OK


# -- the connection goes -----------------------------------------------------------------------------------------


def connection_ended(qm: QueueManager, connection: Connection, lost: bool) -> None:
    """Roll back what nobody can end any more. The unit that is active in the connection is its own affair."""
    if connection.in_global_unit and connection.unit is not None:
        qm.active_branches.pop(connection.unit.xid, None)
    connection.in_global_unit = False
    for unit in list(qm.branches.values()):
        if unit.owner is connection:
            if unit.suspended or lost:
                _roll_back(qm, unit)
            else:
                unit.owner = None


def check_branches(qm: QueueManager) -> None:
    """X1 as code."""
    places = list(qm.active_branches) + list(qm.branches) + list(qm.in_doubt) + list(qm.heuristic)
    assert len(places) == len(set(places)), "X1: a branch is in two places"
    for xid, connection in qm.active_branches.items():
        assert connection.unit is not None and connection.unit.xid == xid and connection.in_global_unit, "X1: active"
    for unit in qm.in_doubt.values():
        assert unit.state == UNIT_PREPARED, "X1: in doubt, but not prepared"
    for unit in qm.branches.values():
        assert unit.state != UNIT_PREPARED, "X1: prepared, but not in doubt"
