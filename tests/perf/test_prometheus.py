"""The text exposition format of Prometheus, with all that a file can have wrong."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from flintmq.pipeline.errors import PipelineError
from flintmq.pipeline.runs.prometheus import parse, read

TEXT = """
# HELP mq_depth Messages on a queue.
# TYPE mq_depth gauge
mq_depth{queue="ORDERS",note="a \\"quote\\", a brace } and \\\\ more"} 12 1718000000000
mq_depth{queue="B"} 3.5e2
# a comment
up 1
mq_rate{} NaN
mq_top +Inf
broken{queue="x} 5
also broken
"""


def test_samples_labels_kinds_and_times_are_read() -> None:
    found = parse(TEXT.splitlines())
    first, second, up, rate, top = found.samples
    assert (first.name, first.value, first.at_ms) == ("mq_depth", 12.0, 1718000000000)
    assert first.labels == (("queue", "ORDERS"), ("note", 'a "quote", a brace } and \\ more'))
    assert second.value == 350.0 and second.series() == 'mq_depth{queue="B"}'
    assert up.series() == "up"
    assert math.isnan(rate.value) and math.isinf(top.value)
    assert found.kinds == {"mq_depth": "gauge"} and found.damaged == 2


def test_a_file_that_is_no_export_is_refused_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\x00\xff{{{{\n" * 100)
    with pytest.raises(PipelineError, match="no sample"):
        read(tmp_path / "x")
    with pytest.raises(PipelineError, match="No such file"):
        read(tmp_path / "y")
