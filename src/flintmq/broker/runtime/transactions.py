"""Commands of a worker that show and settle branches of coordinated transactions.

    {"do": "transactions", "number": 1}                      a list of rows, see `shown`
    {"do": "resolve transaction", "number": 2, "gid": "1179405649_...", "action": "commit"}

A worker knows its own branches, those of its predecessors, and, if it is the first one, those of workers that the group
has no more (recovery.py). Asked for a branch of another worker, it answers null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flintmq.broker.runtime.commands import CommandError, Request, command

if TYPE_CHECKING:
    from flintmq.broker.runtime.worker import Worker


@command("transactions")
def shown(worker: Worker, request: Request) -> list[dict[str, Any]]:
    """Return branches that are not settled, and heuristic outcomes."""
    if worker.recovery is None:
        return []
    return [
        {"gid": row.gid, "source": row.source, "state": row.state, "age_s": row.age_s, "text": row.text}
        for row in worker.recovery.pending()
    ]


@command("resolve transaction")
def resolve(worker: Worker, request: Request) -> str | None:
    """Resolve a branch by an operator's decision; return a message, or None for a branch of another worker."""
    gid, action = request.get("gid"), request.get("action")
    if not isinstance(gid, str) or not isinstance(action, str):
        raise CommandError("gid and action are texts")
    if worker.recovery is None or not worker.recovery.owns(gid):
        return None
    return worker.recovery.resolve(gid, action)
