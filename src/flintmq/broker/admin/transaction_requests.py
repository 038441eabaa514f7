"""The requests that show and settle coordinated transactions with databases. The workers of a group answer them."""

from __future__ import annotations

from flintmq.broker.admin import messages
from flintmq.broker.admin.administration import Administration, Given, Say, request
from flintmq.broker.admin.refusal import Refused
from flintmq.broker.runtime.group import ExecutionGroup, WorkerError


def _running(admin: Administration, name: str) -> ExecutionGroup:
    running = admin.running.get(admin.group(name).name)
    if running is None:
        raise Refused(1287, name, admin.place.name)
    return running


@request("transactions", changes=False)
def transactions(admin: Administration, given: Given, say: Say) -> None:
    """List unresolved branches and heuristic outcomes, of one group or of all running groups."""
    wanted = given.text("group", "")
    found = 0
    for name in [wanted] if wanted else [row.name for row in admin.repository.groups() if row.name in admin.running]:
        try:
            answers = _running(admin, name).ask_all("transactions")
        except WorkerError as error:
            raise Refused(8060, error) from None
        for row in (row for answer in answers for row in answer):
            found += 1
            text = f" {row['text']}" if row["text"] else ""
            age = f"{row['age_s']:.0f} s"
            say(f"{name}  {row['source']}  {row['state']}  {age}  {row['gid'] or '-'}{text}")
    if not found:
        say(messages.line(8061))


@request("resolve transaction")
def resolve(admin: Administration, given: Given, say: Say) -> None:
    """Commit, roll back or forget a branch."""
    name, gid, action = given.text("group"), given.text("gid"), given.text("action")
    try:
        for answer in _running(admin, name).ask_all("resolve transaction", gid=gid, action=action):
            if answer is not None:
                admin.log.write("8062I", name, answer)
                say(messages.line(8062, answer))
                return
    except WorkerError as error:
        raise Refused(8060, error) from None
    raise Refused(8060, f"{gid} is no branch of this broker and execution group")
