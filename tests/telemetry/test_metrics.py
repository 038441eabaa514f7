"""OpenMetrics text, read by the official parser."""

from __future__ import annotations

import pytest

from flintmq.telemetry.exposition import Family, escaped
from flintmq.telemetry.metrics import render
from tests.qmgr.conftest import Engine
from tests.qmgr.conftest import engine as engine

parser = pytest.importorskip("prometheus_client.openmetrics.parser", reason="prometheus-client is not installed")


def samples(text: str) -> dict[tuple[str, ...], float]:
    """By name and label values, the queue manager's apart."""
    found = {}
    for family in parser.text_string_to_metric_families(text):
        for sample in family.samples:
            labels = tuple(value for key, value in sorted(sample.labels.items()) if key != "qmgr")
            assert sample.labels["qmgr"] == "QM1"
            found[(sample.name, *labels)] = sample.value
    return found


def test_the_official_parser_reads_it_and_the_counters_are_ours(engine: Engine) -> None:
    engine.alter("QM1", {"STATQ": "ON"}, "QMGR")
    app = engine.connect()
    app.put("Q", b"12345", persistence=1)
    app.put("Q", b"123")
    app.get("Q")
    found = samples(render(engine.qm, channels=3))
    assert found["flintmq_mqi_calls_total", "MQPUT"] == 2
    assert (
        found["flintmq_messages_put_total", "persistent"] == found["flintmq_messages_put_total", "nonpersistent"] == 1
    )
    assert found["flintmq_put_bytes_total", "persistent"] == 5
    assert found["flintmq_queue_depth", "Q"] == 1
    assert found["flintmq_queue_messages_put_total", "persistent", "Q"] == 1
    assert found["flintmq_queue_got_bytes_total", "persistent", "Q"] == 5
    assert found["flintmq_channels",] == 3 and found["flintmq_connections",] == 1
    assert found["flintmq_buffer_pool_buffers", "0"] == 25_000


def test_every_metric_has_a_type_and_help_and_its_unit(engine: Engine) -> None:
    engine.alter("QM1", {"STATQ": "ON"}, "QMGR")
    families = list(parser.text_string_to_metric_families(render(engine.qm)))
    assert len(families) > 40 and len({family.name for family in families}) == len(families)
    for family in families:
        assert family.type in ("counter", "gauge", "info") and family.documentation, family.name
        assert family.unit == ("bytes" if family.name.endswith("_bytes") else "")


def test_queues_that_statq_does_not_want_are_not_shown(engine: Engine) -> None:
    """B25, for metrics."""
    engine.alter("Q", {"STATQ": "ON"})
    found = samples(render(engine.qm))
    assert {key[1] for key in found if key[0] == "flintmq_queue_depth"} == {"Q"}


def test_what_would_break_the_text_is_escaped() -> None:
    family = Family("odd", "gauge", 'a "help"\nin two lines')
    family.add(1, queue='a"b\\c\n')
    text = "\n".join([*family.lines({"qmgr": "QM1"}), "# EOF"]) + "\n"
    (read,) = parser.text_string_to_metric_families(text)
    assert read.samples[0].labels["queue"] == 'a"b\\c\n'
    assert escaped("\\") == "\\\\"
