"""DISPLAY CHSTATUS and LSSTATUS, START and STOP of channels and listeners."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.command.administration import Row
from tests.command.conftest import CatalogueAdministration

Text = Callable[[str], str]


def instance(channel: str, address: str, **more: int) -> Row:
    row: Row = {"CHANNEL": channel, "CHLTYPE": "SVRCONN", "CONNAME": address, "CURRENT": "CURRENT"}
    row |= {"STATUS": "RUNNING", "SUBSTATE": "RECEIVE", "MSGS": 7, "JOBNAME": "0000126700000001"}
    row.update(more)
    return row


def test_instances_of_channels_are_shown(text: Text, administration: CatalogueAdministration) -> None:
    assert text("DISPLAY CHSTATUS(*)") == "AMQ8420I: Channel Status not found."
    administration.instances = [instance("B", "10.0.0.2"), instance("A.SVRCONN", "10.0.0.1", MSGS=9)]
    assert text("DIS CHS(A*)").splitlines() == [
        "AMQ8417I: Display Channel Status details.",
        "   CHANNEL(A.SVRCONN)                      CHLTYPE(SVRCONN)",
        "   CONNAME(10.0.0.1)                       CURRENT",
        "   STATUS(RUNNING)                         SUBSTATE(RECEIVE)",
    ]
    assert text("DISPLAY CHSTATUS(*)").count("AMQ8417I") == 2
    assert "CHANNEL(B)" in text("DISPLAY CHSTATUS(*) CONNAME('10.0.0.2') MSGS")
    assert "CHANNEL(A" not in text("DISPLAY CHSTATUS(*) CONNAME('10.0.0.2')")
    assert "MSGS(9)" in text("DISPLAY CHSTATUS(*) WHERE(MSGS GT 8)")
    assert text("DISPLAY CHSTATUS(*) WHERE(MSGS GT 9)").startswith("AMQ8420I")
    assert "JOBNAME(0000126700000001)" in text("DISPLAY CHSTATUS(B) ALL")
    assert text("DISPLAY CHSTATUS(B) SAVED").startswith("AMQ8420I")


def test_a_channel_that_the_issuer_may_not_see_is_left_out(text: Text, administration: CatalogueAdministration) -> None:
    administration.instances = [instance("A", "10.0.0.1"), instance("B", "10.0.0.1")]
    administration.forbidden = {"A"}
    assert "CHANNEL(A)" not in text("DISPLAY CHSTATUS(*)")
    assert text("DISPLAY CHSTATUS(A)").startswith("AMQ8135E")


def test_a_channel_is_stopped_as_asked(text: Text, administration: CatalogueAdministration) -> None:
    assert text("STOP CHANNEL(A)") == "AMQ8019I: Stop of the channel accepted."
    text("STOP CHL(A) MODE(FORCE) STATUS(INACTIVE)")
    text("STOP CHANNEL(A) CONNAME('10.0.0.1') MODE(TERMINATE)")
    assert text("START CHANNEL(A)") == "AMQ8018I: Start of the channel accepted."
    asked = ["stop A QUIESCE  STOPPED", "stop A FORCE  INACTIVE", "stop A TERMINATE 10.0.0.1 INACTIVE", "start A"]
    assert administration.resets == asked
    administration.reason = 4064
    assert text("STOP CHANNEL(A) CONNAME('10.0.0.9')").startswith("AMQ8420I")


def test_one_address_cannot_be_stopped_for_good(text: Text, administration: CatalogueAdministration) -> None:
    assert "with CONNAME only INACTIVE" in text("STOP CHANNEL(A) CONNAME('10.0.0.1') STATUS(STOPPED)")
    assert administration.resets == []


def test_listeners_that_run_are_shown(text: Text, administration: CatalogueAdministration) -> None:
    assert text("DISPLAY LSSTATUS(*)").startswith("AMQ8147E")
    administration.listening = [{"LISTENER": "L", "STATUS": "RUNNING", "PID": 4711, "PORT": 1414}]
    assert text("DISPLAY LSSTATUS(*) PORT").splitlines() == [
        "AMQ8631I: Display listener status details.",
        "   LISTENER(L)                             STATUS(RUNNING)",
        "   PID(4711)                               PORT(1414)",
    ]


@pytest.mark.parametrize(
    ("reason", "answer"),
    [(0, "AMQ8021I"), (3249, "AMQ8730I"), (4020, "error log"), (3168, "strmqm"), (2085, "AMQ8147E")],
)
def test_a_listener_is_started_or_it_is_said_why_not(
    reason: int, answer: str, text: Text, administration: CatalogueAdministration
) -> None:
    administration.reason = reason
    assert answer in text("START LISTENER(L)")


def test_a_listener_is_stopped(text: Text, administration: CatalogueAdministration) -> None:
    assert text("STOP LISTENER(L)").startswith("AMQ8706I")
    administration.reason = 3234
    assert text("STOP LSTR(L)").startswith("AMQ8729I")
