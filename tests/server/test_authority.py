"""A queue manager that runs goes by its authority records: over the wire, at once, and after being killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.host.error_log import user_name
from flintmq.mqi.constants import MQOO_INPUT_SHARED, MQOO_OUTPUT, MQOO_SET
from flintmq.server import users
from flintmq.server.entities import SystemEntities, system_groups
from flintmq.server.users import Users
from tests.server.test_process import QUEUE, Manager
from tests.server.test_process import manager as manager


def test_the_developers_application_may_what_the_container_lets_it(manager: Manager) -> None:
    manager.start()
    peer = manager.peer()
    assert peer.open(QUEUE, MQOO_INPUT_SHARED | MQOO_OUTPUT).reason == 0
    assert peer.open(QUEUE, MQOO_SET).reason == 2035
    assert peer.open("SYSTEM.DEFAULT.LOCAL.QUEUE", MQOO_OUTPUT).reason == 2035
    told = manager.errors()
    assert told.count("AMQ8077W") == 2
    assert "user app, address 127.0.0.1, channel DEV.APP.SVRCONN" in told and "DEV.** PRINCIPAL(app)" in told


def test_setmqaut_counts_at_once_and_after_a_crash(manager: Manager, capsys: pytest.CaptureFixture[str]) -> None:
    manager.start()
    peer = manager.peer()
    assert peer.open(QUEUE, MQOO_SET).reason == 2035
    assert main(["setmqaut", "-m", "QM1", "-n", QUEUE, "-t", "queue", "-p", "app", "+all"]) == 0
    assert peer.open(QUEUE, MQOO_SET).reason == 0
    os.kill(manager.pid, signal.SIGKILL)
    manager.wait_until_ended()
    manager.start()
    assert manager.peer().open(QUEUE, MQOO_SET).reason == 0
    assert main(["setmqaut", "-m", "QM1", "-t", "qmgr", "-p", "app", "-connect"]) == 0
    _, refused = manager.connect()
    assert refused.reason == 2035
    capsys.readouterr()
    assert main(["dspmqaut", "-m", "QM1", "-t", "qmgr", "-p", "app"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["\tdsp", "\tinq"]


def test_groups_come_from_the_file_and_from_the_system(tmp_path: Path) -> None:
    path = tmp_path / "users"
    users.change(path, "joe", None, False, ["clerks", "readers"])
    users.change(path, "ann", None, True)
    users.change(path, "bob", None, False, ["mqm"])
    entities = SystemEntities(Users(path))
    assert entities.groups_of("joe") == ["clerks", "readers"]
    assert entities.groups_of("nobody in particular") == []
    assert [user for user in ("joe", "ann", "bob", "mqm", user_name()[:12]) if entities.is_privileged(user)] == [
        "ann",
        "bob",
        "mqm",
        user_name()[:12],
    ]
    assert system_groups(user_name())  # Everybody is in a group.
    users.change(path, "joe", None, False)
    assert entities.groups_of("joe") == []


def test_with_user_external_authority_can_be_given_to_users_unknown_here(manager: Manager) -> None:
    """Issue 14, item 13: SecurityPolicy=UserExternal in the stanza Service of qm.ini."""
    grant = "SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('nosuchuser') AUTHADD(CONNECT)"
    manager.start()
    assert "AMQ8871E" in manager.said(grant)
    assert main(["endmqm", "-i", "QM1"]) == 0
    path = manager.place.ini_path
    with open(path, "a", encoding="utf-8") as file:
        file.write("Service:\n   Name=Other\nService:\n   Name=AuthorizationService\n   SecurityPolicy=UserExternal\n")
    assert main(["setmqaut", "-m", "QM1", "-t", "qmgr", "-p", "another", "+inq"]) == 0
    manager.start()
    assert "AMQ8862I" in manager.said(grant)
    assert "AMQ8871E" in manager.said(grant.replace("PRINCIPAL", "GROUP"))
    assert "AMQ8871E" in manager.said(grant.replace("nosuchuser", "longer.than.12"))
