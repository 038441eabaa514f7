"""The stanza `Telemetry` of qm.ini."""

from __future__ import annotations

import pytest

from flintmq.telemetry.settings import Settings, read


def understood(**values: str) -> tuple[Settings, list[str]]:
    problems: list[str] = []
    return read(values, "ORDERS.QM", problems.append), problems


def test_without_a_stanza_nothing_is_recorded_and_nothing_listens() -> None:
    settings, problems = understood()
    assert (settings.statistics, settings.accounting, settings.metrics_port) == ((), (), 0)
    assert settings.subsystem == "ORDE" and settings.metrics_address == "127.0.0.1"
    assert problems == []


def test_every_key_is_understood_in_any_case() -> None:
    settings, problems = understood(
        SMFSTAT="1, 5,1",
        smfacct="3",
        SMFDirectory="/var/smf",
        SMFFileSize="16",
        SMFFiles="30",
        SMFCompression="GZIP",
        SMFSystem="PROD1",
        SMFSubsystem="QMA",
        SystemInterval="0.15",
        MetricsPort="9157",
        MetricsAddress="127.0.0.2",
    )
    assert problems == []
    assert settings == Settings((1, 5), (3,), "/var/smf", 16 << 20, 30, "gzip", "PROD", "QMA", 15, 9157, "127.0.0.2")


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("SMFStat", "1,6", "must be classes of STAT: 1, 2, 3, 4, 5"),
        ("SMFAcct", "2", "must be classes of ACCTG: 1, 3, 4"),
        ("SMFAcct", "three", "must be classes of ACCTG: 1, 3, 4"),
        ("SMFFileSize", "0", "must be a number from 1 to 2047"),
        ("SMFFiles", "-1", "must be a number from 0 to 999"),
        ("SMFCompression", "lzma", "must be none, gzip, zstd"),
        ("SMFDirectory", "", "a value is missing"),
        ("SystemInterval", "0", "must be minutes or minutes.seconds, from 0.01 to 1440"),
        ("SystemInterval", "-1", "must be minutes or minutes.seconds, from 0.01 to 1440"),
        ("MetricsPort", "70000", "must be a number from 0 to 65535"),
        ("MetricPort", "1", "is not a key of this stanza"),
    ],
)
def test_a_value_that_cannot_be_is_told_with_its_place_and_left_out(key: str, value: str, why: str) -> None:
    settings, (problem,) = understood(**{key: value})
    assert problem == f"qm.ini, stanza Telemetry: {key}={value}: {why}; it is left out"
    assert settings == understood()[0]
