"""Long work of one call, done in slices, so that no call holds up the others.

The engine does a call in one step. What a call has to do before it can be answered may be long, however: evaluate a new
selection string for every message of a deep queue, say. For a connection whose host takes turns (`Connection.slices`)
the engine leaves such work in `Connection.work`. The host calls `step` in turns of its own, with other calls in
between, and answers when it is `done`. For every other connection the engine does all of the work at once.

    repeats   what the host does when the work is done
    False     it answers as the engine has said
    True      it makes the same call again. The engine finds the work, done, in `Connection.work` and goes on from there

W1  Work is counted in units, never in time: the engine stays deterministic. A unit takes a few microseconds, compiled.
W2  A step may be the last. Work that is not done is left as it is, when the client has gone.
"""

from __future__ import annotations

from typing import Final

#: Units of work in one turn.
SLICE: Final = 500


class Work:
    """Something long that a call needs."""

    done: bool = False
    repeats: bool = False

    def step(self, budget: int) -> None:
        """Do about as many units of work as `budget` says, and set `done` with the last."""
        raise NotImplementedError

    def finish(self) -> None:
        """Do all of it."""
        while not self.done:
            self.step(SLICE)
