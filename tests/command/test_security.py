"""SET, DELETE and DISPLAY AUTHREC, ENTAUTH, AUTHSERV and SECURITY, as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flintmq.command.display import render
from flintmq.command.reply import Reply
from flintmq.mqi.reason import MQRC_UNKNOWN_ENTITY
from tests.command.conftest import CatalogueAdministration

Run = Callable[[str], Reply]
SET = "SET AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) "


def said(run: Run, command: str) -> list[str]:
    return render(run(command))


def test_authorities_are_given_taken_away_and_shown(run: Run) -> None:
    assert said(run, SET + "PRINCIPAL('joe','ann') GROUP('clerks') AUTHADD(PUT,GET,allmqi)")[0].startswith("AMQ8862I")
    assert said(run, SET + "PRINCIPAL('joe') AUTHRMV(SET,SETALL,SETID)")[0].startswith("AMQ8862I")
    lines = said(run, "DISPLAY AUTHREC PRINCIPAL('joe')")
    assert lines[0].startswith("AMQ8864I") and "   ENTITY(joe)                             ENTTYPE(PRINCIPAL)" in lines
    assert "   AUTHLIST(BROWSE,GET,INQ,PASSALL,PASSID,PUT)" in lines
    assert len(run("DISPLAY AUTHREC OBJTYPE(QUEUE)").responses) == 3
    assert len(run("DISPLAY AUTHREC WHERE(ENTTYPE EQ GROUP)").responses) == 1
    assert said(run, "DELETE AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('joe')")[0].startswith("AMQ8863I")
    assert said(run, "DELETE AUTHREC PROFILE('ORDERS.**') OBJTYPE(QUEUE) PRINCIPAL('joe')")[0].startswith("AMQ8884E")


def test_a_record_of_nothing_says_so(run: Run) -> None:
    run("SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('joe') AUTHADD(NONE)")
    assert "AUTHLIST(NONE)" in "\n".join(said(run, "DISPLAY AUTHREC"))
    assert "PROFILE(SELF)" in "\n".join(said(run, "DISPLAY AUTHREC"))


def test_records_are_found_by_name_by_generic_name_and_by_the_object_they_are_for(run: Run) -> None:
    for name in ("ORDERS.**", "ORDERS.IN", "BILLS"):
        run(f"SET AUTHREC PROFILE('{name}') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)")

    def found(parameters: str) -> list[str]:
        return [str(answer.items[0].value) for answer in run(f"DISPLAY AUTHREC {parameters}").responses if answer.items]

    assert found("PROFILE('ORDERS.*')") == ["ORDERS.**", "ORDERS.IN"]
    assert found("PROFILE('ORDERS.**') MATCH(EXACT)") == ["ORDERS.**"]
    assert found("PROFILE(ORDERS.IN) MATCH(MATCHING)") == ["ORDERS.**", "ORDERS.IN"]
    assert found("PROFILE(ORDERS.IN) OBJTYPE(TOPIC)") == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (SET + "AUTHADD(PUT)", 3169),
        (SET + "PRINCIPAL('joe')", 3172),
        (SET + "PRINCIPAL('joe') AUTHADD(FLY)", 3171),
        (SET + "PRINCIPAL('joe') AUTHADD(PUB)", 3171),
        ("SET AUTHREC OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)", 3347),
        ("SET AUTHREC PROFILE('A**') OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)", 3170),
        ("DELETE AUTHREC PROFILE(A) OBJTYPE(QUEUE)", 3169),
        ("DISPLAY ENTAUTH OBJTYPE(QUEUE) OBJNAME(A)", 3169),
        ("DISPLAY ENTAUTH PRINCIPAL('joe') OBJTYPE(QUEUE)", 3347),
    ],
)
def test_what_is_wrong_is_said(run: Run, administration: CatalogueAdministration, command: str, reason: int) -> None:
    reply = run(command)
    assert reply.reason == reason and str(reason) in render(reply)[0]
    assert administration.catalogue.match("AUTHREC") == []


def test_a_type_that_is_none_is_a_syntax_error(run: Run) -> None:
    assert run("SET AUTHREC PROFILE(A) OBJTYPE(CAR) PRINCIPAL('joe') AUTHADD(PUT)").syntax_error
    assert run("SET AUTHREC PROFILE(A) PRINCIPAL('joe') AUTHADD(PUT)").syntax_error


def test_what_an_entity_may_is_shown(run: Run) -> None:
    run("SET AUTHREC PROFILE(A) OBJTYPE(QUEUE) PRINCIPAL('joe') AUTHADD(PUT)")
    text = "\n".join(said(run, "DISPLAY ENTAUTH PRINCIPAL('joe') OBJTYPE(QUEUE) OBJNAME(A)"))
    assert "AMQ8866I" in text and "AUTHLIST(PUT)" in text and "OBJNAME(A)" in text
    assert "AUTHLIST(NONE)" in "\n".join(said(run, "DISPLAY ENTAUTH GROUP('x') OBJTYPE(QMGR)"))
    assert "UIDSUPP(YES)" in "\n".join(said(run, "DISPLAY AUTHSERV"))


def test_security_shows_timeout_and_interval_and_takes_others(
    run: Run, administration: CatalogueAdministration
) -> None:
    """B212: DISPLAY SECURITY shows both, under CSQH015I and CSQH016I."""
    lines = said(run, "DISPLAY SECURITY")
    assert "CSQH015I: Security timeout = 54 minutes" in lines and "CSQH016I: Security interval = 12 minutes" in lines
    assert said(run, "ALTER SECURITY TIMEOUT(30) INTERVAL(0)")[0].startswith("CSQ9022I")
    assert "CSQH015I: Security timeout = 30 minutes" in said(run, "DISPLAY SECURITY TIMEOUT")
    assert run("ALTER SECURITY TIMEOUT(10081)").syntax_error
    for command in ("REFRESH SECURITY", "REFRESH SECURITY(*) TYPE(CONNAUTH)", "REFRESH SEC TYPE(SSL)"):
        assert said(run, command)[0].startswith("AMQ8560I")
    assert said(run, "RVERIFY SECURITY('joe')")[0].startswith("CSQ9022I")
    assert administration.resets == ["SECURITY ", "SECURITY ", "SECURITY ", "SECURITY joe"]


def test_records_go_with_the_object_unless_it_is_said(run: Run, administration: CatalogueAdministration) -> None:
    run("DEFINE QLOCAL(A)")
    run("DELETE QLOCAL(A) AUTHREC(NO)")
    assert administration.resets == []
    run("DEFINE QLOCAL(A)")
    run("DELETE QLOCAL(A)")
    assert administration.resets == ["AUTHREC QLOCAL A"]


def test_who_is_not_known_is_given_nothing(run: Run) -> None:
    reply = run(SET + "PRINCIPAL('joe','nobody.knows') AUTHADD(PUT)")
    assert render(reply) == ["AMQ8871E: Entity, principal or group not known: principal nobody.knows."]
    assert reply.reason == MQRC_UNKNOWN_ENTITY
    assert said(run, "DISPLAY AUTHREC PRINCIPAL('joe')")[0].startswith("AMQ8884E")
    assert said(run, SET + "PRINCIPAL('nobody.knows') AUTHRMV(PUT)")[0].startswith("AMQ8862I")
