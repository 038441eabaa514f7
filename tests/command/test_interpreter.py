"""runmqsc: echo, numbering, summary lines and return codes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from flintmq.command.interpreter import MQSCInterpreter, run_script, summary
from flintmq.mqi.reason import MQRC_Q_MGR_NOT_AVAILABLE

if TYPE_CHECKING:
    from tests.command.conftest import CatalogueAdministration


def runmqsc(
    administration: CatalogueAdministration, source: str, *, echo: bool = True, verify: bool = False
) -> tuple[int, list[str]]:
    lines: list[str] = []
    code = MQSCInterpreter(administration, lines.append, echo=echo, verify=verify).run(io.StringIO(source))
    return code, lines


def test_a_session_echoes_numbers_and_sums_up(administration: CatalogueAdministration) -> None:
    source = (
        "* set up\ndefine ql(a) +\n* in between\n   descr('x')\n\nping qmgr; dis ql(nothing)\nfoo\nend\nping qmgr\n"
    )
    code, lines = runmqsc(administration, source)
    assert code == 10
    assert lines == [
        "FlintMQ MQSC, command level 942.",
        "Starting MQSC for queue manager QM1.",
        "",
        "",
        "       : * set up",
        "     1 : define ql(a) +",
        "       : * in between",
        "       :    descr('x')",
        "AMQ8006I: Queue created.",
        "       : ",
        "     2 : ping qmgr; dis ql(nothing)",
        "AMQ8415I: Ping queue manager command complete.",
        "AMQ8147E: Object NOTHING not found.",
        "     4 : foo",
        "AMQ8405I: Syntax error detected at or near end of command segment below:-",
        "foo",
        f"   FOO is not a command; commands are {', '.join(VERBS_LISTED)}.",
        "     5 : end",
        "4 MQSC commands read.",
        "One command has a syntax error.",
        "One valid MQSC command could not be processed.",
    ]


VERBS_LISTED = "ALTER ARCHIVE CLEAR DEFINE DELETE DISPLAY END MOVE PING REFRESH RESET RVERIFY SET START STOP".split()


def test_all_well_is_zero(administration: CatalogueAdministration) -> None:
    code, lines = runmqsc(administration, "PING QMGR\r\n")
    assert code == 0
    assert lines[-3:] == [
        "One MQSC command read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]


@pytest.mark.parametrize("word", ["END", "exit", " Quit ", "END;"])
def test_a_session_can_be_left(administration: CatalogueAdministration, word: str) -> None:
    code, lines = runmqsc(administration, f"{word}\nFOO\n")
    assert code == 0 and "No MQSC commands read." in lines and not any("FOO" in line for line in lines)


def test_the_end_of_input_ends_a_command_that_was_to_be_continued(administration: CatalogueAdministration) -> None:
    code, lines = runmqsc(administration, "PING QMGR +")
    assert code == 0 and "AMQ8415I: Ping queue manager command complete." in lines


def test_without_echo_only_answers_are_printed(administration: CatalogueAdministration) -> None:
    _, lines = runmqsc(administration, "PING QMGR\n", echo=False)
    assert lines[4:] == [
        "AMQ8415I: Ping queue manager command complete.",
        "One MQSC command read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]


def test_verifying_checks_and_changes_nothing(administration: CatalogueAdministration) -> None:
    code, lines = runmqsc(administration, "DEF QL(A)\nDEF QL(B) MAXDEPHT(1)\n", verify=True)
    assert code == 10 and administration.catalogue.find("QLOCAL", "A") is None
    assert not any(line.startswith("AMQ8006I") for line in lines)
    assert lines[-3:-1] == ["2 MQSC commands read.", "One command has a syntax error."]


def test_a_queue_manager_that_is_lost_ends_the_session_with_20(administration: CatalogueAdministration) -> None:
    administration.reason = MQRC_Q_MGR_NOT_AVAILABLE
    code, lines = runmqsc(administration, "DEF QL(A)\nDEF QL(B)\n")
    assert code == 20 and sum(line.startswith("AMQ8146E") for line in lines) == 1


def test_a_line_that_is_too_long_is_a_syntax_error_and_the_session_goes_on(
    administration: CatalogueAdministration,
) -> None:
    code, lines = runmqsc(administration, "PING QMGR" + " " * 3000 + "\nPING QMGR\n", echo=False)
    assert code == 10 and "   Line 1 is longer than 2048 characters." in lines
    assert "AMQ8415I: Ping queue manager command complete." in lines


def test_the_summary_counts_in_words() -> None:
    assert summary(0, 0, 0) == [
        "No MQSC commands read.",
        "No commands have a syntax error.",
        "All valid MQSC commands were processed.",
    ]
    assert summary(9, 2, 3) == [
        "9 MQSC commands read.",
        "2 commands have a syntax error.",
        "3 valid MQSC commands could not be processed.",
    ]


def test_a_script_is_run_without_banner_and_summary(administration: CatalogueAdministration) -> None:
    lines: list[str] = []
    assert run_script(administration, ["DEFINE QLOCAL(A) +", "REPLACE", "END", "FOO"], lines.append) == 0
    assert lines == ["AMQ8006I: Queue created."]
    assert run_script(administration, ["FOO"], lines.append) == 10
