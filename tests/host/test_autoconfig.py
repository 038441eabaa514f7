"""Automatic configuration: MQSC and stanzas of qm.ini that are applied at every start."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from flintmq.cli.main import main
from flintmq.host import autoconfig, ini, instance
from tests.server.test_process import Manager, manager

__all__ = ["manager"]


def configure(manager: Manager, values: dict[str, str], variables: dict[str, str] | None = None) -> None:
    path = manager.place.ini_path
    stanzas = [stanza for stanza in ini.read(path) if stanza.name not in ("AutoConfig", "Variables")]
    stanzas += [ini.Stanza("AutoConfig", values), ini.Stanza("Variables", variables or {})]
    ini.write(path, stanzas)


def test_mqsc_and_stanzas_are_applied_at_every_start(manager: Manager, tmp_path: Path) -> None:
    """Issue 14, item 13: paths may be directories, +NAME+ is replaced, answers are in autocfgmqsc.LOG."""
    scripts, overrides = tmp_path / "mqsc", tmp_path / "ini"
    scripts.mkdir()
    overrides.mkdir()
    (scripts / "10.mqsc").write_text("DEFINE QLOCAL('+ENV+.ORDERS') REPLACE +\n   DESCR('of +QMNAME+, 1 + 1')")
    (scripts / "20.mqsc").write_text(
        "DEFINE QALIAS(ALIAS) TARGET('+ENV+.ORDERS') REPLACE\nALTER QMGR KEYRPWD('s3cret')\n"
    )
    (scripts / "ignored.txt").write_text("DEFINE QLOCAL(IGNORED)\n")
    (overrides / "1.ini").write_text("Channels:\n   MaxChannels=5\nLog:\n   LogPath=/nowhere\n")
    (overrides / "2.ini").write_text("Channels:\n   MaxActiveChannels=4\n")
    configure(manager, {"MQSCConfig": str(scripts), "IniConfig": str(overrides)}, {"ENV": "TEST"})
    manager.start()
    assert "DESCR(of QM1, 1 + 1)" in manager.said("DISPLAY QLOCAL(TEST.ORDERS) DESCR")
    assert "TARGET(TEST.ORDERS)" in manager.said("DISPLAY QALIAS(ALIAS) TARGET")
    assert "AMQ8147E" in manager.said("DISPLAY QLOCAL(IGNORED)")
    place = instance.by_name("QM1")
    assert place.stanza("Channels").get("MaxChannels") == "5" and place.stanza("Log").get("LogPath") == "log"
    log = manager.place.errors_directory / "autocfgmqsc.LOG"
    assert "AMQ8006I: Queue created." in log.read_text() and "3 MQSC commands read." in log.read_text()
    assert "s3cret" not in log.read_text() and "AMQ8005I: Queue manager changed." in log.read_text()
    assert f"3 MQSC commands of {scripts}, all were run." in manager.errors()

    (scripts / "10.mqsc").write_text(
        "DEFINE QLOCAL('+ENV+.ORDERS') REPLACE DESCR('changed')\nNONSENSE\nDELETE QL(NONE)\n"
    )
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.start()
    assert "DESCR(changed)" in manager.said("DISPLAY QLOCAL(TEST.ORDERS) DESCR")
    assert "NONSENSE is not a command" in log.read_text() and "AMQ8147E: Object NONE not found." in log.read_text()
    assert f"2 could not be run; {log} says why." in manager.errors()
    assert stat.S_IMODE((manager.place.directory / "autocfg" / "cached.mqsc").stat().st_mode) == 0o600

    (scripts / "10.mqsc").rename(tmp_path / "away.mqsc")
    for path in (*scripts.iterdir(), *overrides.iterdir()):
        path.unlink()
    scripts.rmdir()
    overrides.rmdir()
    assert main(["endmqm", "-i", "QM1"]) == 0
    manager.start()  # With what was read last.
    assert place.stanza("Channels").get("MaxActiveChannels") == "4"
    assert "AMQ8008I" in manager.said("ALTER QLOCAL(TEST.ORDERS) DESCR(' ')")
    assert manager.errors().count("What was read at an earlier start is used.") == 2


@pytest.mark.parametrize("key", ["MQSCConfig", "IniConfig"])
def test_what_was_never_readable_stops_the_start(
    manager: Manager, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 14, item 13: as in MQ, a first start without its configuration is refused."""
    configure(manager, {key: "/no/such/place"})
    capsys.readouterr()
    assert main(["strmqm", "QM1"]) == 71
    assert f"AMQ5051E: {key} of the stanza AutoConfig in qm.ini cannot be read" in capsys.readouterr().err


def test_crtmqm_keeps_the_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 14, item 13: crtmqm -ic -ii -iv -oa."""
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.mqsc").write_text("DEFINE QLOCAL(+NAME+) REPLACE\n")
    (tmp_path / "a.ini").write_text("DiagnosticMessages:\n   Format=json\n")
    assert main(["crtmqm", "-ic", "a.mqsc", "-ii", "a.ini", "-iv", "NAME=A", "-oa", "userexternal", "QM1"]) == 0
    place = instance.by_name("QM1")
    assert place.stanza("AutoConfig").values == {
        "MQSCConfig": str(tmp_path / "a.mqsc"),
        "IniConfig": str(tmp_path / "a.ini"),
    }
    assert place.stanza("Variables").values == {"NAME": "A"}
    assert place.stanza("DiagnosticMessages").get("Format") == "json"
    assert ini.find(ini.read(place.ini_path), "DiagnosticMessages") is None
    assert place.stanza("Service").get("SecurityPolicy") == "UserExternal"
    assert main(["crtmqm", "-oa", "group", "QM2"]) == 39


def test_a_directory_is_read_in_order_of_name(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.mqsc").write_text(f"PING QMGR {name}")
    assert autoconfig.read_mqsc(str(tmp_path)).split() == "PING QMGR a PING QMGR b PING QMGR c".split()
