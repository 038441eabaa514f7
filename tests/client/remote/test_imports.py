"""A program that connects to a queue manager elsewhere does not load a queue manager."""

from __future__ import annotations

import json
import subprocess
import sys

from flintmq.mqi import constants as mq
from flintmq.mqi.inquiry import LENGTHS, NAME_LENGTH, is_character
from flintmq.qmgr.inquire import _KNOWN
from tests.client.remote.serving import CHANNEL, Serving

#: The rooms of the engine, and the parts of others that only a queue manager needs.
ENGINE = ("qmgr", "log", "store", "server", "command", "telemetry", "protect", "selector")
OWN_MAX = 80
ALL_MAX = 120
PROGRAM = """
import sys
before = set(sys.modules)
import flintmq
{work}
found = sorted(set(sys.modules) - before)
import json
print(json.dumps(found))
"""


def loaded(work: str) -> list[str]:
    """The modules that a fresh process has beyond those of the interpreter."""
    end = subprocess.run([sys.executable, "-c", PROGRAM.format(work=work)], capture_output=True, text=True, check=True)
    found: list[str] = json.loads(end.stdout)
    return found


def test_connecting_loads_nothing_of_the_engine(serving: Serving) -> None:
    serving.qm.mqsc("DEFINE QLOCAL(A)")
    connect = f"qm = flintmq.connect('QM1', channel={CHANNEL!r}, conn={serving.conn!r}, user='app')"
    found = loaded(connect)
    own = [each for each in found if each.partition(".")[0] == "flintmq"]
    offenders = [each for each in own if each.split(".")[1:2] and each.split(".")[1] in ENGINE]
    assert offenders == []
    assert len(own) <= OWN_MAX, own
    assert len(found) <= ALL_MAX, found
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
    }
    assert not heavy & set(found)


def test_putting_and_getting_loads_nothing_of_the_engine(serving: Serving) -> None:
    serving.qm.mqsc("DEFINE QLOCAL(A)")
    work = f"""
with flintmq.connect('QM1', channel={CHANNEL!r}, conn={serving.conn!r}, user='app') as qm:
    queue = qm.queue('A')
    with qm.transaction():
        queue.put('text')
    assert queue.get(wait=30).text == 'text'
"""
    own = [each for each in loaded(work) if each.partition(".")[0] == "flintmq"]
    assert [each for each in own if each.split(".")[1:2] and each.split(".")[1] in ENGINE] == []


def test_the_lengths_of_character_attributes_are_those_of_the_queue_manager() -> None:
    known = {selector: length for selector, length in _KNOWN.items() if is_character(selector)}
    assert {selector: LENGTHS.get(selector, NAME_LENGTH) for selector in known} == known
    assert set(LENGTHS) <= set(known)
    assert mq.MQCA_Q_DESC in LENGTHS
