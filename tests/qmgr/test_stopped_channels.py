"""STOP CHANNEL is kept with the channel: by the log, by a checkpoint, until START CHANNEL or DELETE."""

from __future__ import annotations

import pytest

from flintmq.log.errors import LogError
from flintmq.mqi.pcf_constants import MQRCCF_CHL_SYSTEM_NOT_ACTIVE
from flintmq.mqi.reason import MQRC_NONE, MQRC_RESOURCE_PROBLEM, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.channel_control import ChannelControl
from tests.qmgr.machine import Machine
from tests.qmgr.test_move import Cut

CHANNEL = "ORDERS"


class Serving(ChannelControl):
    """Channels without a client."""

    def is_running(self) -> bool:
        return True

    def start_channel(self, name: str) -> int:
        return MQRC_NONE

    def stop_channel(self, name: str, mode: str, address: str, status: str) -> int:
        return MQRC_NONE


@pytest.fixture
def machine() -> Machine:
    return Machine("memory", None, [("CHANNEL", CHANNEL, {"DESCR": "ours"})])


def admin(machine: Machine) -> Admin:
    """The administrator of the queue manager as it is after the last restart."""
    made = Admin(machine.qm)
    made.channels = Serving()
    return made


def stopped(machine: Machine, name: str = CHANNEL) -> bool:
    definition = machine.qm.catalogue.find("CHANNEL", name)
    assert definition is not None
    return definition.stopped


def stop(machine: Machine, status: str = "STOPPED", mode: str = "QUIESCE") -> None:
    made = admin(machine)
    assert made.stop_channel(CHANNEL, mode, "", status) == MQRC_NONE
    machine.log.flush()


@pytest.mark.parametrize("mode", ["QUIESCE", "FORCE", "TERMINATE"])
@pytest.mark.parametrize("with_checkpoint", [False, True], ids=["log", "checkpoint"])
def test_a_stopped_channel_is_stopped_after_a_restart_until_it_is_started(
    machine: Machine, mode: str, with_checkpoint: bool
) -> None:
    def restart() -> None:
        if with_checkpoint:
            machine.checkpoint()
        machine.crash()

    stop(machine, mode=mode)
    restart()
    assert stopped(machine)
    restart()  # Nothing was said about it since.
    assert stopped(machine)
    assert admin(machine).start_channel(CHANNEL) == MQRC_NONE
    machine.log.flush()
    restart()
    assert not stopped(machine)


def test_what_the_log_did_not_get_is_not_so(machine: Machine) -> None:
    made = admin(machine)
    assert made.stop_channel(CHANNEL, "FORCE", "", "STOPPED") == MQRC_NONE
    assert made.force == machine.log.end > machine.log.durable  # What the command's answer waits for.
    machine.crash()
    assert not stopped(machine)


def test_inactive_stops_nothing_for_good_and_starts_nothing(machine: Machine) -> None:
    stop(machine, "INACTIVE")
    assert not stopped(machine)
    stop(machine)
    stop(machine, "INACTIVE")
    machine.crash()
    assert stopped(machine)


def test_alter_and_replace_leave_it_stopped_and_delete_forgets_it(machine: Machine) -> None:
    stop(machine)
    made = admin(machine)
    assert made.alter("CHANNEL", CHANNEL, {"DESCR": "theirs"}, False) == MQRC_NONE
    assert made.define("CHANNEL", CHANNEL, {"DESCR": "again"}, True) == MQRC_NONE
    machine.log.flush()
    machine.crash()
    assert stopped(machine)
    made = admin(machine)
    assert made.delete("CHANNEL", CHANNEL, False) == MQRC_NONE
    assert made.define("CHANNEL", CHANNEL, {}, False) == MQRC_NONE
    assert not stopped(machine)


def test_a_log_that_is_full_leaves_everything_as_it_was(machine: Machine) -> None:
    stop(machine)
    machine.qm.log = Cut(machine.log, 0, LogError("the log is full"))  # type: ignore[assignment]
    assert admin(machine).start_channel(CHANNEL) == MQRC_RESOURCE_PROBLEM
    assert stopped(machine) and not [each for each in machine.qm.notices if each[0] == "AMQ9002I"]


def test_where_no_channel_runs_nothing_is_kept(machine: Machine) -> None:
    embedded = Admin(machine.qm)
    assert embedded.stop_channel(CHANNEL, "FORCE", "", "STOPPED") == MQRCCF_CHL_SYSTEM_NOT_ACTIVE
    assert not stopped(machine)
    assert admin(machine).stop_channel("NO.SUCH", "FORCE", "", "STOPPED") == MQRC_UNKNOWN_OBJECT_NAME
