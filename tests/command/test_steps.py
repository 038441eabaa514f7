"""Commands in slices: a command that shows much says the same as at once, a bounded number of answers at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import pytest

import flintmq
from flintmq.command import display, pcf_execute
from flintmq.command.command_server import COMMAND_QUEUE, CommandServer
from flintmq.command.execute import execute, execute_steps
from flintmq.command.interpreter import MQSCInterpreter
from flintmq.command.reply import Response
from flintmq.command.steps import LINES_AT_ONCE, RESPONSES_AT_ONCE, Steps
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import MQCFIN, MQCFST, Parameter, PCFMessage
from tests.command.conftest import CatalogueAdministration

COUNT = 320
T = TypeVar("T")


@pytest.fixture
def many() -> CatalogueAdministration:
    """A queue manager with very many queues."""
    administration = CatalogueAdministration()
    for number in range(COUNT):
        administration.catalogue.add("QLOCAL", f"MANY.{number:03}", {})
    return administration


class Made:
    """How many answers were made, or written, in each slice."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0
        self.most = 0
        init, written = Response.__init__, display.render_response

        def made(answer: Response, *args: object, **kwargs: object) -> None:
            self.now += 1
            init(answer, *args, **kwargs)  # type: ignore[arg-type]

        def write(answer: Response, width: int = 0) -> list[str]:
            self.now += 1
            return written(answer, width)

        monkeypatch.setattr(Response, "__init__", made)
        monkeypatch.setattr(display, "render_response", write)
        monkeypatch.setattr(pcf_execute, "render_response", write)

    def through(self, steps: Steps[T]) -> tuple[T, int]:
        """Do the slices; the result, and how many there were."""
        count = 0
        while True:
            count, self.now = count + 1, 0
            try:
                next(steps)
            except StopIteration as end:
                self.most = max(self.most, self.now)
                return end.value, count
            self.most = max(self.most, self.now)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(monkeypatch)


DISPLAYS = ["DISPLAY QLOCAL(*) ALL", "DISPLAY QUEUE(MANY*) CURDEPTH", "DISPLAY QSTATUS(*) ALL", "RESET QSTATS(MANY*)"]


@pytest.mark.parametrize("command", DISPLAYS)
def test_a_display_of_many_objects_makes_few_answers_in_a_slice(
    many: CatalogueAdministration, made: Made, command: str
) -> None:
    """DISPLAY QLOCAL(*) ALL of 750 queues was one turn of 86 ms. (issue 14, item 3)"""
    reply, slices = made.through(execute_steps(command, many))
    assert slices > COUNT // RESPONSES_AT_ONCE and made.most <= RESPONSES_AT_ONCE + 1
    assert reply.responses == execute(command, many).responses and len(reply.responses) >= COUNT


@pytest.mark.parametrize("command", ["DISPLAY QLOCAL(MANY*) WHERE(MAXDEPTH EQ 1)", "DISPLAY QLOCAL(MANY*)"])
def test_objects_that_are_not_shown_count_too(many: CatalogueAdministration, made: Made, command: str) -> None:
    many.forbidden = {f"MANY.{number:03}" for number in range(COUNT)}
    reply, slices = made.through(execute_steps(command, many))
    assert slices > COUNT // RESPONSES_AT_ONCE and reply.reason == 2085


def test_the_text_of_an_answer_is_written_in_slices_too(many: CatalogueAdministration, made: Made) -> None:
    said: list[str] = []
    session = MQSCInterpreter(many, said.append, echo=False)
    _, slices = made.through(session.feed_steps("DISPLAY QLOCAL(*) ALL"))
    assert slices > 2 * (COUNT // RESPONSES_AT_ONCE) and made.most <= 2 * RESPONSES_AT_ONCE
    assert said == display.render(execute("DISPLAY QLOCAL(*) ALL", many))
    assert len(said) > LINES_AT_ONCE


def packed(command: int, *parameters: Parameter) -> bytes:
    message = PCFMessage()
    message.header.command = command
    message.parameters = list(parameters)
    return message.pack()


MESSAGES = {
    "inquire": packed(pcf.MQCMD_INQUIRE_Q, MQCFST(mq.MQCA_Q_NAME, "*")),
    "escape": packed(
        pcf.MQCMD_ESCAPE,
        MQCFIN(pcf.MQIACF_ESCAPE_TYPE, pcf.MQET_MQSC),
        MQCFST(pcf.MQCACF_ESCAPE_TEXT, "DISPLAY QLOCAL(*) ALL"),
    ),
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_pcf_command_makes_its_responses_in_slices(many: CatalogueAdministration, made: Made, kind: str) -> None:
    outcome, slices = made.through(pcf_execute.run_steps(MESSAGES[kind], False, 1208, many))
    assert slices > 2 * (COUNT // RESPONSES_AT_ONCE) and made.most <= 2 * RESPONSES_AT_ONCE
    at_once = pcf_execute.run(MESSAGES[kind], False, 1208, many)
    assert [each.pack() for each in outcome.responses] == [each.pack() for each in at_once.responses]
    assert len(outcome.responses) >= COUNT and outcome.reason == at_once.reason == 0


def test_an_object_that_goes_between_two_slices_is_not_shown_and_a_new_one_neither() -> None:
    """X2."""
    with flintmq.open(":memory:") as qm:
        for number in range(COUNT):
            qm.mqsc(f"DEFINE QLOCAL(MANY.{number:03})")
        steps = execute_steps("DISPLAY QSTATUS(MANY*)", qm._host.admin)
        next(steps)
        qm.mqsc("DELETE QLOCAL(MANY.310)\nDEFINE QLOCAL(MANY.999)\nDELETE QLOCAL(MANY.000)")
        while True:
            try:
                next(steps)
            except StopIteration as end:
                shown = [answer.items[0].value for answer in end.value.responses]
                break
    assert shown == [f"MANY.{number:03}" for number in range(COUNT) if number != 310]


def test_a_command_event_is_written_when_all_was_shown(many: CatalogueAdministration) -> None:
    steps = execute_steps("DISPLAY QLOCAL(*) ALL", many)
    many.done.clear()
    next(steps)
    assert not many.done
    for _ in steps:
        pass
    assert [text for _, _, text in many.done] == ["DISPLAY QLOCAL(*) ALL"]


@pytest.fixture
def server() -> Iterator[tuple[flintmq.QueueManager, CommandServer]]:
    with flintmq.open(":memory:", developer=True) as qm:
        yield qm, CommandServer(qm._host.engine, qm._host.admin)


def test_the_command_server_carries_out_a_long_command_in_slices(
    server: tuple[flintmq.QueueManager, CommandServer],
) -> None:
    """Between two slices the administrator is who it was before."""
    qm, commands = server
    qm.queue("REPLIES", create=True)
    for number in range(COUNT):
        qm.mqsc(f"DEFINE QLOCAL(MANY.{number:03})")
    qm.queue(COMMAND_QUEUE).put(MESSAGES["inquire"], format="MQADMIN", reply_to="REPLIES")
    host = qm._host
    owner, slices = host.admin.user, 0
    with host.call:
        assert commands.start() == 0
        work = commands.take()
        assert work is not None
        while not work.done:
            commands.run(work)
            slices += 1
            assert host.admin.user == owner and host.admin.context is None
        while not work.answered:
            commands.answer(work)
        commands.stop()
    assert slices > 2 * (COUNT // RESPONSES_AT_ONCE)
    assert qm.queue("REPLIES").depth > COUNT
