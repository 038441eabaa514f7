"""The control socket, seen from the commands: what they hear, however long it is."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from flintmq.host import instance
from flintmq.server.control import Control, NotRunning, listen, run_session


@contextmanager
def answering(place: instance.Instance, answers: list[object]) -> Iterator[None]:
    """A queue manager, as far as its control socket goes: it answers each line with the next of `answers`."""

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, connection.makefile("rwb") as file:
            for answer in answers:
                file.readline()
                file.write(json.dumps(answer).encode() + b"\n")
                file.flush()

    with listen(place) as listening:
        thread = Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield
        thread.join()


@pytest.fixture
def place(tmp_path: Path) -> instance.Instance:
    return instance.Instance("QM1", tmp_path)


def test_an_answer_may_be_longer_than_a_megabyte(place: instance.Instance) -> None:
    """DISPLAY QLOCAL(*) ALL with a thousand queues is."""
    lines = [f"QUEUE(Q{number})" + "x" * 100 for number in range(20_000)]
    answers = [{"lines": ["banner"]}, {"lines": lines, "ended": False}, {"lines": [], "code": 0}]
    said: list[str] = []
    with answering(place, list(answers)), Control(place) as control:
        assert run_session(control, ["DISPLAY QLOCAL(*) ALL"], said.append, echo=False, verify=False) == 0
    assert said == ["banner", *lines]


def test_a_command_may_take_its_time(place: instance.Instance) -> None:
    """MOVE QLOCAL of a deep queue takes minutes; only what is not a command has to be answered soon."""
    with answering(place, [{"lines": []}, {"lines": [], "code": 0}]), Control(place) as control:
        assert control._socket.gettimeout() is not None
        assert run_session(control, [], print, echo=False, verify=False) == 0
        assert control._socket.gettimeout() is None


def test_what_is_no_answer_and_nobody_are_told_apart(place: instance.Instance) -> None:
    with pytest.raises(NotRunning):
        Control(place)
    with answering(place, [[1, 2]]), Control(place) as control, pytest.raises(ConnectionResetError):
        control.ask({"do": "ping"})
