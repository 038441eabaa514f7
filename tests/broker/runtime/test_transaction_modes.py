"""`transactionMode` of MQInput and MQOutput in flows that fail after their output: what stays, what is backed out."""

from __future__ import annotations

from pathlib import Path

import pytest

from flintmq.broker.runtime import instance
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.waiting import PATIENCE, until

NON_PERSISTENT, PERSISTENT = False, True


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deliver again soon."""
    monkeypatch.setattr(instance, "PAUSE_S", 0.02)


def failing(directory: Path, mode: str, output_mode: str) -> Path:
    """A flow that puts a message and then throws."""
    return flows.write(
        directory,
        "Fails",
        flows.node("In", "ComIbmMQInput", f'queueName="IN" transactionMode="{mode}"'),
        flows.node("Out", "ComIbmMQOutput", f'queueName="OUT" transactionMode="{output_mode}"'),
        flows.node("Throw", "ComIbmThrow", 'messageText="enough"'),
        [("In", "out", "Out"), ("Out", "out", "Throw")],
    )


@pytest.mark.parametrize(
    ("mode", "persistent", "backed_out"),
    [
        ("yes", NON_PERSISTENT, True),
        ("yes", PERSISTENT, True),
        ("automatic", NON_PERSISTENT, False),
        ("automatic", PERSISTENT, True),
        ("no", NON_PERSISTENT, False),
        ("no", PERSISTENT, False),
    ],
)
@pytest.mark.parametrize("output_mode", ["automatic", "yes", "no"])
def test_an_output_belongs_to_the_unit_of_work_of_its_input_unless_its_node_says_otherwise(
    desk: Desk, tmp_path: Path, mode: str, persistent: bool, backed_out: bool, output_mode: str
) -> None:
    """B231: three modes, on input and output nodes. B232: automatic follows the persistence of the input message.
    B234: an output node may opt out of the unit of work of its flow, or opt into one. B243: an error rolls it back.
    """
    source, target = desk.queue("IN", bothresh=1, boqname="BACK"), desk.queue("OUT")
    aside = desk.queue("BACK")
    desk.start(failing(tmp_path / "app", mode, output_mode), "Fails")
    source.put("x", persistent=persistent)

    if backed_out:
        assert aside.get(wait=PATIENCE).text == "x", "the input was under syncpoint"
    until(lambda: "BIP2230E" in desk.said.getvalue() and source.depth == 0)
    desk.stop_workers()

    assert ("BIP2628W" in desk.said.getvalue()) is not backed_out
    is_transactional = backed_out if output_mode == "automatic" else output_mode == "yes"
    assert target.depth == (0 if is_transactional else 1)
    assert aside.depth == 0


@pytest.mark.parametrize("mode", ["yes", "no", "automatic"])
@pytest.mark.parametrize("persistent", [NON_PERSISTENT, PERSISTENT])
def test_a_flow_that_ends_gives_each_message_once_in_every_mode(
    desk: Desk, tmp_path: Path, mode: str, persistent: bool
) -> None:
    """B242 measures the modes; here nothing is lost or doubled by any of them, and persistence is kept."""
    source, target = desk.queue("IN"), desk.queue("OUT")
    desk.start(flows.pass_through(tmp_path / "app", transactionMode=mode), "Pass")
    for number in range(20):
        source.put(f"{number}", persistent=persistent)
    got = [target.get(wait=PATIENCE) for _ in range(20)]
    assert [each.text for each in got] == [f"{number}" for number in range(20)]
    assert {each.persistent for each in got} == {persistent}
    assert source.depth == target.depth == 0
