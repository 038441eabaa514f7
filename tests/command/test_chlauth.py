"""SET CHLAUTH and DISPLAY CHLAUTH, as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.command.display import render
from flintmq.command.reply import Reply

Run = Callable[[str], Reply]


def said(run: Run, command: str) -> str:
    return "\n".join(render(run(command)))


def channels(run: Run, parameters: str) -> list[str]:
    return [str(answer.items[0].value) for answer in run(f"DISPLAY CHLAUTH({parameters})").responses if answer.items]


def test_a_new_queue_manager_has_three_records(run: Run) -> None:
    text = said(run, "DISPLAY CHLAUTH(*)")
    assert text.count("AMQ8878I") == 3
    assert "CHLAUTH(*)" in text and "USERLIST(*MQADMIN)" in text
    assert "CHLAUTH(SYSTEM.*)" in text and "USERSRC(NOACCESS)" in text
    assert "CHLAUTH(SYSTEM.ADMIN.SVRCONN)" in text and "USERSRC(CHANNEL)" in text


def test_records_are_set_shown_and_removed(run: Run) -> None:
    rule = "SET CHLAUTH('APP.*') TYPE(USERMAP) CLNTUSER('joe') "
    assert said(run, rule + "ADDRESS('10.*') MCAUSER('ann') CHCKCLNT(REQUIRED)").startswith("AMQ8877I")
    text = said(run, "DISPLAY CHLAUTH('APP.*') MATCH(EXACT) ALL")
    assert "MCAUSER(ann)" in text and "CHCKCLNT(REQUIRED)" in text and "CLNTUSER(joe)" in text
    assert "SSLPEER" not in text and "USERLIST" not in text
    text = said(run, "DISPLAY CHLAUTH('APP.*') MCAUSER WHERE(CLNTUSER EQ 'joe')")
    assert "MCAUSER(ann)" in text and "CHCKCLNT" not in text
    assert said(run, rule + "ADDRESS('10.*') ACTION(REMOVE)").startswith("AMQ8879I")
    assert said(run, rule + "ADDRESS('10.*') ACTION(REMOVE)").startswith("AMQ8883E")
    assert said(run, "DISPLAY CHLAUTH('APP.*')").startswith("AMQ8883E")


def test_records_are_found_by_name_and_by_the_channel_they_are_for(run: Run) -> None:
    run("SET CHLAUTH('APP.ONE') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)")
    assert channels(run, "'APP.*'") == ["APP.ONE"]
    assert channels(run, "APP.ONE) MATCH(ALL") == ["*", "APP.ONE"]
    assert channels(run, "*) MATCH(EXACT") == ["*"]
    assert channels(run, "*) TYPE(ADDRESSMAP") == ["APP.ONE", "SYSTEM.*", "SYSTEM.ADMIN.SVRCONN"]
    run_check = "MATCH(RUNCHECK) ADDRESS('10.0.0.7') CLNTUSER('joe"
    assert channels(run, f"SYSTEM.DEF.SVRCONN) {run_check}'") == ["SYSTEM.*"]
    assert "AMQ9783I" in said(run, f"DISPLAY CHLAUTH(OTHER) {run_check}')")


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ("'A') TYPE(BLOCKADDR) ADDRLIST('10.0.0.1')", 3349),
        ("'*') TYPE(BLOCKADDR) ADDRLIST('10.0.0')", 3345),
        ("'*') TYPE(BLOCKADDR)", 3228),
        ("'A') TYPE(BLOCKUSER) USERLIST('joe') MCAUSER('ann')", 3336),
        ("'A') TYPE(ADDRESSMAP) USERSRC(CHANNEL)", 3228),
        ("'A') TYPE(ADDRESSMAP) ADDRESS('10.0.0.300') USERSRC(CHANNEL)", 3345),
        ("'A') TYPE(ADDRESSMAP) ADDRESS('*')", 3340),
        ("'A') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) MCAUSER('ann')", 3340),
        ("'A') TYPE(USERMAP) USERSRC(CHANNEL)", 3348),
        ("'A') TYPE(QMGRMAP) CLNTUSER('joe') USERSRC(CHANNEL)", 3336),
    ],
)
def test_what_is_wrong_is_said(run: Run, parameters: str, reason: int) -> None:
    reply = run(f"SET CHLAUTH({parameters}")
    assert reply.reason == reason and str(reason) in render(reply)[0]
    assert len(run("DISPLAY CHLAUTH(*)").responses) == 3


def test_what_cannot_be_understood_is_a_syntax_error(run: Run) -> None:
    for command in (
        "SET CHLAUTH('A')",
        "SET CHLAUTH('A B') TYPE(USERMAP)",
        "SET CHLAUTH TYPE(USERMAP)",
        "SET CHLAUTH('A') TYPE(CAR)",
        "SET CHLAUTH('A') TYPE(USERMAP) CLNTUSER('joe') USERSRC(CHANNEL) ACTION(FLY)",
        f"SET CHLAUTH('{'A' * 21}') TYPE(USERMAP) CLNTUSER('joe') USERSRC(CHANNEL)",
    ):
        assert run(command).syntax_error, command


def test_a_run_check_needs_a_channel_an_address_and_who_it_is(run: Run) -> None:
    assert run("DISPLAY CHLAUTH(*) MATCH(RUNCHECK) ADDRESS('10.0.0.7') CLNTUSER('joe')").reason == 3350
    assert run("DISPLAY CHLAUTH(A) MATCH(RUNCHECK) CLNTUSER('joe')").reason == 3350
    assert run("DISPLAY CHLAUTH(A) MATCH(RUNCHECK) ADDRESS('10.0.0.7')").reason == 3350
