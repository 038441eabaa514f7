"""Commands of a worker: their table, and the answer to one line.

    {"do": "status", "number": 7}        {"answer": 7, "result": {"pid": 4711, "instances": [...]}}
    {"do": "no such thing", "number": 8} {"answer": 8, "error": "a worker has no command 'no such thing'"}
    {"do": "status"}                     {"answer": null, "result": {...}}

A command is a function that takes the worker and the request, and returns a result that JSON can hold. It raises
CommandError for a request that it refuses. To add commands, write them in a module of their own and register them:

    @command("statistics")
    def report_statistics(worker: Worker, request: Request) -> dict[str, Any]: ...

and name the module in `worker.py` beside the others, so that it is imported. The group sends a command with
`WorkerProcess.ask` (one worker) or `ExecutionGroup.ask_all` (each of them). Commands of one worker run one after the
other, in the order of their lines, in its main thread; instances go on meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from flintmq.broker.errors import BrokerError
from flintmq.mqi.call_errors import MQError

if TYPE_CHECKING:
    from flintmq.broker.runtime.worker import Assignment, Worker

Request: TypeAlias = dict[str, Any]
Handler: TypeAlias = "Callable[[Worker, Request], Any]"

#: Name to function. Names are never reused for something else.
COMMANDS: Final[dict[str, Handler]] = {}


class CommandError(Exception):
    """The worker refuses a command; the text has the reason."""


def command(name: str) -> Callable[[Handler], Handler]:
    """Register a function as the command `name`."""

    def register(handler: Handler) -> Handler:
        assert name not in COMMANDS, name
        COMMANDS[name] = handler
        return handler

    return register


def obey(worker: Worker, request: object) -> dict[str, Any]:
    """Run one command and return its answer. Raise nothing: a bad request is answered with an error."""
    if not isinstance(request, dict):
        return {"answer": None, "error": "a command is an object of JSON"}
    number = request.get("number")
    name = request.get("do")
    handler = COMMANDS.get(name) if isinstance(name, str) else None
    if handler is None:
        return {"answer": number, "error": f"a worker has no command {name!r}"}
    try:
        return {"answer": number, "result": handler(worker, request)}
    except (CommandError, BrokerError, MQError, OSError) as error:
        return {"answer": number, "error": str(error)}
    except Exception as error:
        worker.log.write("2111E", "", f"the command {name!r} failed: {type(error).__name__}: {error}")
        return {"answer": number, "error": f"{name}: {type(error).__name__}: {error}"}


@command("status")
def status(worker: Worker, request: Request) -> dict[str, Any]:
    """Return the state of every flow and instance."""
    return worker.status()


@command("release")
def release(worker: Worker, request: Request) -> dict[str, Any]:
    """Stop the flows that another assignment changes or takes away."""
    worker.release(_assignment(worker, request))
    return worker.status()


@command("assign")
def assign(worker: Worker, request: Request) -> dict[str, Any]:
    """Apply a new assignment. Unchanged flows keep running without a pause."""
    worker.assign(_assignment(worker, request))
    return worker.status()


def _assignment(worker: Worker, request: Request) -> Assignment:
    try:
        return type(worker.assignment).from_json(request["assignment"])
    except (KeyError, TypeError, ValueError) as error:
        raise CommandError(f"the assignment cannot be read: {error!r}") from None
