"""Issue 14, item 6: what an unauthenticated client says about itself neither moves a cursor nor becomes a command."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from flintmq.catalogue.attribute import STRING
from flintmq.command.display import render
from flintmq.command.execute import execute
from flintmq.command.reply import Item, Reply, Response
from flintmq.mqi.printable import printable
from flintmq.qmgr import refusal
from flintmq.qmgr.refusal import SHOWN_MAX, Refusal, shown
from flintmq.qmgr.security import Denial
from flintmq.server import refusals
from flintmq.wire.mq.cipher_spec import Protection
from flintmq.wire.mq.terms import LOCAL_CHANNEL, Terms
from tests.server.test_chlauth import ADMIN, APP, Door, door
from tests.wire.mq.peer import World

__all__ = ["door"]

#: Each would do harm at a terminal, in a shell, or in runmqsc, and fits into 64 characters.
HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07",
    "a\nAMQ8003I: queue manager QM1 started",
    "a\r\n    to allow it SET CHLAUTH('*')",
    "$(touch /tmp/owned)",
    "`id`;reboot",
    "x' +set; ALTER QMGR CHLAUTH(DISABLED) '",
    "-x",
    "joe\u202egpj.\u2066",
)


def checked(refused: Refusal) -> None:
    """Every line is one printable line, and every command has nothing in it that the client wrote."""
    lines = refusals.explained([refused], 10)
    assert all(line.isprintable() for line in lines), lines
    assert printable(refused.line()).isprintable()
    for remedy in refused.remedies:
        assert remedy.isprintable()
        if remedy.startswith("* "):
            continue
        assert not any(each in remedy for each in ("owned", "reboot", "DISABLED", "`", "$", "gpj")), remedy
        if not remedy.startswith(("setmqaut", "flint ")):
            assert not execute(remedy, None).syntax_error, remedy


@pytest.mark.parametrize("name", HOSTILE)
def test_a_user_who_is_no_user_is_shown_in_quotes_and_in_no_command(door: Door, name: str) -> None:
    """A wrong password, no access, a blocked user, no password, a name that is too long."""
    name = name if name.isascii() else "joe\x9b2Jgpj"
    assert door.connect(APP, name, "wrong") == "AMQ5534E"
    checked(door.qm.refusals[-1])
    for channel in (ADMIN, "OTHER"):
        assert door.connect(channel, name[:12]).startswith("AMQ")
        checked(door.qm.refusals[-1])
    assert door.gate.admit_local(Terms(LOCAL_CHANNEL), name * 20)[0] == 2035
    checked(door.qm.refusals[-1])
    said = "\n".join(refusals.explained(door.qm.refusals, 10))
    assert said.count("No command is shown") >= 2


@pytest.mark.parametrize("name", HOSTILE)
def test_an_object_or_user_without_authority_that_has_no_name_gets_no_command(name: str) -> None:
    world = World()
    for denial in (
        Denial(name, "QUEUE", "Q", ["PUT"], []),
        Denial("joe", "QUEUE", name, ["PUT"], []),
        Denial(name, "QMGR", "", ["CONNECT"], []),
    ):
        world.qm.authority.denial = denial
        refusal.no_authority(world.qm, denial.user, name, name, name)
        refused = world.qm.refusals[-1]
        assert refused.remedies == [each for each in refused.remedies if each.startswith("* No command")]
        checked(refused)


@pytest.mark.parametrize("name", [each for each in HOSTILE if each.isascii()])
def test_a_channel_that_nobody_can_define_is_not_suggested(name: str) -> None:
    world = World()
    peer = world.peer(channel=name[:20])
    peer.propose(peer.offer())
    (refused,) = world.qm.refusals
    checked(refused)
    assert refused.remedies[1].startswith("* No command")


def test_a_channel_in_lower_case_is_quoted_so_that_the_command_means_it() -> None:
    world = World()
    peer = world.peer(channel="dev.app.svrconn")
    peer.propose(peer.offer())
    assert world.qm.refusals[0].remedies[1] == "DEFINE CHANNEL('dev.app.svrconn') CHLTYPE(SVRCONN)"


@pytest.mark.parametrize(("peer_name", "shows"), [("CN=it's,O=us", True), ("CN=a\nb", False), ("CN=\u202eab", False)])
def test_the_name_in_a_certificate_is_quoted_or_left_out(peer_name: str, shows: bool) -> None:
    world = World()
    world.alter("CHANNEL", APP, SSLCIPH="ANY_TLS13", SSLPEER="CN=ann")
    peer = world.peer(channel=APP)
    peer.session.protection = Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", peer_name, "CN=CA")
    peer.propose(peer.offer())
    (refused,) = world.qm.refusals
    checked(refused)
    assert (refused.remedies[0] == f"ALTER CHANNEL({APP}) CHLTYPE(SVRCONN) SSLPEER('CN=it''s,O=us')") == shows


def test_no_command_switches_a_check_off_for_everybody(door: Door, tmp_path: Path) -> None:
    """Nor is a check blamed when the cause is ours: the file of users cannot be read."""
    door.run("ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(REQUIRED)")
    assert door.connect(APP, "joe") == "AMQ5540E"
    for keyword, tls in (("SSLCAUTH", Protection("TLS_AES_256_GCM_SHA384", "TLSv1.3", "")), ("SSLCIPH", None)):
        world = World()
        world.alter("CHANNEL", APP, SSLCIPH="ANY_TLS13", SSLCAUTH="REQUIRED")
        peer = world.peer(channel=APP)
        peer.session.protection = tls
        peer.propose(peer.offer())
        assert keyword in world.qm.refusals[-1].rule
        door.qm.refusals.append(world.qm.refusals[-1])
    (tmp_path / "users").write_text("this is no stanza\n")
    door.gate._refresh()  # The trouble itself is told once.
    assert door.connect(APP, "joe", "right") == "AMQ5534E"
    (remedy,) = door.qm.refusals[-1].remedies
    assert remedy == "* The cause is here and not with the client: put the file of users right."
    for refused in door.qm.refusals:
        assert all(remedy.startswith("* ") for remedy in refused.remedies), refused.remedies


def test_good_names_still_get_their_commands_and_those_can_be_typed_in(door: Door) -> None:
    assert door.connect("OTHER", "ann.o-1@x") == "AMQ9777E"
    assert "CLNTUSER('ann.o-1@x')" in door.qm.refusals[-1].remedies[0]
    door.connect(APP, "joe", "wrong")
    assert shlex.split(door.qm.refusals[-1].remedies[0]) == ["flint", "user", "QM1", "joe"]


def test_commands_of_an_earlier_release_are_not_shown(tmp_path: Path) -> None:
    row = {"number": "AMQ5534E", "reason": 2035, "what": "x", "user": "a\x1b[2J", "remedies": ["flint user QM1 $(id)"]}
    (tmp_path / refusals.NAME).write_text(json.dumps({"version": 1, "refusals": [row]}))
    lines = refusals.explained(refusals.load(tmp_path), 10)
    assert "user 'a\\x1b[2J'" in lines[2] and not any("flint user" in line for line in lines)


def test_long_texts_are_cut_and_quotes_do_not_end_them() -> None:
    assert shown("it's") == "it\\'s" and len(shown("x" * 1000)) == SHOWN_MAX + 3


@pytest.mark.parametrize("name", HOSTILE)
def test_display_prints_what_an_application_calls_itself_as_one_line(name: str) -> None:
    """runmqsc: APPLTAG, CONNAME, USERID of DISPLAY CONN, and names in messages."""
    items = [Item("APPLTAG", name, STRING), Item("USERID", name, STRING)]
    lines = render(Reply([Response("AMQ8147E", {"name": name, "kind": "object"}, items, lines=[name])]))
    assert all(line.isprintable() for line in lines)


def test_what_is_printable_stays_as_it_is() -> None:
    assert printable("Käse 名前 'x' \\n") == "Käse 名前 'x' \\n"
    assert printable("\x1b\n\t\x9b\u2028\u202e\ud800") == "\\x1b\\n\\t\\x9b\\u2028\\u202e\\ud800"
