"""Outputs that leave with the commit against outputs that are put at once: the same messages, the same errors.

The same flow endings are run on two sets of queues, through a session that keeps what ends a flow and through one that
does not. A message is moved to some queues: one that takes it, one that is full, one that is not there, one whose
handle has become stale; each put in the unit of work or not, the last ones ending the flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flintmq.broker.errors import BrokerError
from flintmq.broker.flow.services import Put
from flintmq.broker.runtime.queue_session import InputOptions, InputSource, QueueSession
from flintmq.broker.runtime.refusal import put_refused
from flintmq.broker.tree.element import Element
from flintmq.mqi.call_errors import MQError
from flintmq.mqi.md import MQMD
from tests.client.remote.serving import Serving

NAMES = ("OUT", "OTHER", "FULL", "MISSING")


@pytest.fixture(scope="module")
def serving() -> Iterator[Serving]:
    made = Serving()
    for side in ("A", "B"):
        made.qm.queue(f"{side}.IN", create=True)
        made.qm.queue(f"{side}.OUT", create=True)
        made.qm.queue(f"{side}.OTHER", create=True)
        made.qm.queue(f"{side}.FULL", create=True, maxdepth=2)
    yield made
    made.close()


@dataclass(frozen=True)
class Output:
    name: str
    transactional: bool
    ends_flow: bool


@dataclass(frozen=True)
class Message:
    mode: str
    persistent: bool
    outputs: list[Output]
    fails: bool


@st.composite
def messages(draw: st.DrawFn) -> Message:
    outputs = draw(st.lists(st.builds(Output, st.sampled_from(NAMES), st.booleans(), st.just(False)), max_size=4))
    first = draw(st.integers(0, len(outputs)))
    outputs = [Output(each.name, each.transactional, at >= first) for at, each in enumerate(outputs)]
    # Nothing runs after an output that ends the flow: then the flow does not fail by itself.
    fails = first == len(outputs) and draw(st.booleans())
    return Message(draw(st.sampled_from(("yes", "no", "automatic"))), draw(st.booleans()), outputs, fails)


class Side:
    """A session, its queues, and what the messages came to."""

    def __init__(self, serving: Serving, name: str, keeps: bool) -> None:
        self.name = name
        self.qm = serving.qm
        self.session = QueueSession(serving.connect())
        if not keeps:
            self.session._late._chains = False
        self.queue = self.session.open_input(f"{name}.IN")
        self.said: list[str] = []

    def run(self, number: int, message: Message) -> None:
        """Handle one message as an instance does."""
        source = InputSource(self.session, self.queue, message.mode, InputOptions())
        self.qm.queue(f"{self.name}.IN").put(f"{number}", persistent=message.persistent)
        got = source.get(1000)
        committed: list[bool] = []
        while got is not None:
            md, data = got
            got = None
            try:
                self._flow(md, data, message)
                got = self.session.commit_and_get(source, 1, lambda: committed.append(True))
            except (BrokerError, MQError) as error:
                cause = error.root_cause() if isinstance(error, BrokerError) else error
                self.said.append(f"{number}: {cause}".replace(f"{self.name}.", "").partition(" [")[0])
                self.session.backout()
                assert not committed
            self.said.append(f"{number}: {len(committed)} {md.backout_count}")
        while source.get(0) is not None:
            self.session.commit()
        assert not self.session.in_unit

    def _flow(self, md: MQMD, data: bytes, message: Message) -> None:
        for output in message.outputs:
            queue = f"{self.name}.{output.name}"
            put = Put("Out", queue, "", md.copy(), data, Element("Root"), output.transactional)
            put.ends_flow = output.ends_flow
            try:
                self.session.put(put)
            except MQError as error:
                raise put_refused("Out", queue, error) from error
        if message.fails:
            raise BrokerError(3001, "the flow fails")

    def result(self) -> tuple[object, ...]:
        """Empty the queues; return what was on them, and what was said."""
        found = []
        for name in NAMES[:-1]:
            queue = self.qm.queue(f"{self.name}.{name}")
            found.append([message.text for message in queue.get_many(1000)])
        assert self.qm.queue(f"{self.name}.IN").depth == 0
        return *found, self.said, self.session.commits

    def close(self) -> None:
        self.session.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(messages(), min_size=1, max_size=5), st.sets(st.integers(0, 4)))
def test_kept_outputs_do_what_immediate_ones_do(serving: Serving, sent: list[Message], deletes: set[int]) -> None:
    sides = [Side(serving, "A", True), Side(serving, "B", False)]
    try:
        assert sides[0].session._late.chains and not sides[1].session._late.chains
        for number, message in enumerate(sent):
            for side in sides:
                if number in deletes:  # Handles become stale: the queue is another one of that name.
                    serving.host.admin.delete("QLOCAL", f"{side.name}.OTHER", True)
                    serving.qm.queue(f"{side.name}.OTHER", create=True)
                side.run(number, message)
        assert sides[0].result() == sides[1].result()
    finally:
        for side in sides:
            side.close()
