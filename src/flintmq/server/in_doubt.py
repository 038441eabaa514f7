"""Units of work in doubt, displayed and resolved by hand: requests of dspmqtrn and rsvmqtrn.

    how        the unit                                      xa_commit and xa_rollback say afterwards
    commit     prepared; its work is kept                    XA_HEURCOM
    back out   prepared; its work is undone                  XA_HEURRB
    forget     was resolved by hand                          XAER_NOTA

A unit in another state is XAER_NOTA, or the code of its resolution.
"""

from __future__ import annotations

from typing import Any

from flintmq.host.host import Host
from flintmq.mqi.xid import XAER_RMERR, unpack_xid

COMMIT = "commit"
BACK_OUT = "back out"
FORGET = "forget"


def resolve(host: Host, xid: bytes, how: str) -> tuple[int, int]:
    """Resolve a unit, under the lock. Return the XA return code, and the log position to wait for."""
    code, force = _resolve(host, xid, how)
    if code == XAER_RMERR and host.make_room():
        code, force = _resolve(host, xid, how)
    return code, force


def _resolve(host: Host, xid: bytes, how: str) -> tuple[int, int]:
    keeper = host.housekeeper()
    if how == FORGET:
        code = host.engine.xa_forget(keeper, xid)
    else:
        code = host.engine.resolve_in_doubt(keeper, xid, how == COMMIT)
    return code, host.settle(keeper)


# -- on the control socket --------------------------------------------------------------------------------------------


def to_json(host: Host) -> dict[str, Any]:
    """Return every unit in doubt, and every one that was resolved by hand. Called under the lock."""
    return {
        "in doubt": [xid.hex() for xid in host.engine.in_doubt],
        "heuristic": {xid.hex(): committed for xid, committed in host.engine.heuristic.items()},
    }


def is_request(request: dict[str, Any]) -> bool:
    """Return whether a request to resolve names an xid, and one of the three ways."""
    try:
        unpack_xid(bytes.fromhex(request["xid"]))
    except (KeyError, TypeError, ValueError):
        return False
    return request.get("how") in (COMMIT, BACK_OUT, FORGET)
