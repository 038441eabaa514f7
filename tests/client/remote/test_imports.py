"""A program that connects to a queue manager elsewhere does not load a queue manager."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap

import pytest

from flintmq.client.remote import direct
from flintmq.host.command_thread import CommandThread
from flintmq.mqi import constants as mq
from flintmq.mqi.inquiry import LENGTHS, NAME_LENGTH, is_character
from flintmq.qmgr.inquire import _KNOWN
from tests.client.remote.serving import CHANNEL, Serving

#: The rooms of the engine, and the parts of others that only a queue manager needs.
ENGINE = ("qmgr", "log", "store", "server", "command", "telemetry", "protect", "selector")
OWN_MAX = 76
ALL_MAX = 120
#: Compiled modules come with a library and modules of `importlib`.
PLAIN_MAX = 112
COMPILED = not direct.__file__.endswith(".py")
PROGRAM = """
import sys
before = set(sys.modules)
import flintmq
{work}
found = sorted(set(sys.modules) - before)
import json
print(json.dumps(found))
"""


def loaded(work: str, **environment: str) -> list[str]:
    """The modules that a fresh process has beyond those of the interpreter."""
    end = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(work=work)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert end.returncode == 0, end.stderr
    found: list[str] = json.loads(end.stdout)
    return found


def of_engine(found: list[str]) -> list[str]:
    """The modules of the engine among those."""
    return [each for each in found if each.startswith("flintmq.") and each.split(".")[1] in ENGINE]


@pytest.mark.parametrize(
    "user", ["user='app'", "user='app', password='passw0rd'", ""], ids=["user", "password", "none"]
)
def test_connecting_loads_few_modules_and_nothing_of_the_engine(serving: Serving, user: str) -> None:
    """The user of the process is looked up without `user`, and with `password`: with few modules, too."""
    connect = f"qm = flintmq.connect('QM1', channel={CHANNEL!r}, conn={serving.conn!r}, {user})"
    for name in ("app", ""):  # Without a name in the environment the user is found by its number.
        found = loaded(connect, LOGNAME=name, USER=name, LNAME="", USERNAME="")
        own = [each for each in found if each.partition(".")[0] == "flintmq"]
        assert of_engine(found) == []
        assert len(own) <= OWN_MAX, own
        assert len(found) <= (ALL_MAX if COMPILED else PLAIN_MAX), found
        heavy = {
            "ssl",
            "asyncio",
            "concurrent.futures",
            "json",
            "lmdb",
            "lz4",
            "dataclasses",
            "inspect",
            "pathlib",
            "datetime",
            "getpass",
        }
        assert not heavy & set(found)


#: What a program does with `qm`, for threads and for tasks.
WORK = {
    "connect": ("qm.name", "qm.name"),
    "put and get": (
        """
queue = qm.queue('A')
with qm.transaction():
    queue.put('text')
assert queue.get(wait=30).text == 'text'
""",
        """
queue = await qm.queue('A')
async with qm.transaction():
    await queue.put('text')
assert (await queue.get(wait=30)).text == 'text'
""",
    ),
    "properties": (
        """
queue = qm.queue('A')
queue.put('text', properties={'number': 1, 'colour': 'red'})
message = queue.get(wait=30)
assert (message.text, dict(message.properties)) == ('text', {'number': 1, 'colour': 'red'})
queue.put_json({'number': 1}, properties={'colour': 'red'})
assert queue.get(selector="colour = 'red'", wait=30).json() == {'number': 1}
""",
        """
queue = await qm.queue('A')
await queue.put('text', properties={'number': 1, 'colour': 'red'})
message = await queue.get(wait=30)
assert (message.text, dict(message.properties)) == ('text', {'number': 1, 'colour': 'red'})
await queue.put_json({'number': 1}, properties={'colour': 'red'})
assert (await queue.get(selector="colour = 'red'", wait=30)).json() == {'number': 1}
""",
    ),
    "consume": (
        """
import threading
queue, handled = qm.queue('A'), threading.Event()
with queue.consume(lambda message: handled.set(), retry=flintmq.Retry(attempts=2)):
    queue.put('text')
    assert handled.wait(30)
""",
        """
queue, handled = await qm.queue('A'), asyncio.Event()
async with queue.consume(lambda message: handled.set(), retry=flintmq.Retry(attempts=2)):
    await queue.put('text')
    await asyncio.wait_for(handled.wait(), 30)
""",
    ),
    "get_many": (
        """
queue = qm.queue('A')
queue.put('1'), queue.put('2')
assert [each.text for each in queue.get_many(2, wait=30)] == ['1', '2']
""",
        """
queue = await qm.queue('A')
await queue.put('1'), await queue.put('2')
assert [each.text for each in await queue.get_many(2, wait=30)] == ['1', '2']
""",
    ),
    "browse": (
        """
queue = qm.queue('A')
queue.put('1')
with queue.browse() as found:
    assert [each.text for each in found] == ['1']
""",
        """
queue = await qm.queue('A')
await queue.put('1')
async with queue.browse() as found:
    assert [each.text async for each in found] == ['1']
""",
    ),
    "subscribe": (
        """
with qm.subscribe('prices/#') as subscription:
    qm.topic('prices/wheat').publish('250')
    assert subscription.get(wait=30).text == '250'
""",
        """
async with qm.subscribe('prices/#') as subscription:
    await qm.topic('prices/wheat').publish('250')
    assert (await subscription.get(wait=30)).text == '250'
""",
    ),
    "mqsc": (
        """
assert qm.mqsc('DISPLAY QLOCAL(A) CURDEPTH').rows[0]['QUEUE'] == 'A'
qm.queue('B', create=True).clear()
""",
        """
assert (await qm.mqsc('DISPLAY QLOCAL(A) CURDEPTH')).rows[0]['QUEUE'] == 'A'
await (await qm.queue('B', create=True)).clear()
""",
    ),
}


def program(serving: Serving, body: str, tasks: bool) -> str:
    """A program that connects and runs `body`."""
    where = f"'QM1', channel={CHANNEL!r}, conn={serving.conn!r}, user='app'"
    if not tasks:
        return f"with flintmq.connect({where}) as qm:\n{textwrap.indent(body, '    ')}"
    return (
        f"import asyncio\nasync def main():\n    async with flintmq.aconnect({where}) as qm:\n"
        f"{textwrap.indent(body, ' ' * 8)}\nasyncio.run(main())"
    )


@pytest.mark.parametrize("tasks", [False, True], ids=["threads", "tasks"])
@pytest.mark.parametrize("work", WORK)
def test_no_call_of_the_api_loads_the_engine(serving: Serving, work: str, tasks: bool) -> None:
    CommandThread(serving.host)
    serving.qm.mqsc("DEFINE QLOCAL(A)")
    assert of_engine(loaded(program(serving, WORK[work][tasks], tasks))) == []


def test_the_lengths_of_character_attributes_are_those_of_the_queue_manager() -> None:
    known = {selector: length for selector, length in _KNOWN.items() if is_character(selector)}
    assert {selector: LENGTHS.get(selector, NAME_LENGTH) for selector in known} == known
    assert set(LENGTHS) <= set(known)
    assert mq.MQCA_Q_DESC in LENGTHS
