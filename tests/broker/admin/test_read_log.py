"""Reading logs and traces: entries over several lines, files that were full, and lines that are no entries."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from flintmq.broker.admin import read_log
from flintmq.broker.admin.place import Place
from flintmq.broker.runtime.log import BrokerLog
from flintmq.broker.runtime.user_trace import TraceFile, trace_path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place("BRK", tmp_path)
    made.log.parent.mkdir()
    return made


def test_entries_of_the_log_are_read_by_group_and_the_older_file_comes_first(place: Place) -> None:
    for name, file in (("a", place.log.with_name("broker.log.1")), ("b", place.log)):
        BrokerLog("BRK.default", file, io.StringIO()).write("2648W", "Orders/In", f"moved {name}: with a colon")
        BrokerLog("BRK.other", file, io.StringIO()).write("2230E", "", "failed")
    place.log.write_text(place.log.read_text() + "no entry\n")
    found = list(read_log.read_log(place, "default"))
    assert [(each.number, each.severity, each.source, each.text) for each in found] == [
        ("2648", "W", "Orders/In", "moved a: with a colon"),
        ("2648", "W", "Orders/In", "moved b: with a colon"),
    ]
    assert len(list(read_log.read_log(place))) == 4


def test_a_trace_entry_has_all_of_its_lines(place: Place) -> None:
    log = BrokerLog("BRK", stream=io.StringIO())
    for group in ("default", "other"):
        trace = TraceFile(trace_path(str(place.log.parent), "BRK", group), log)
        trace.say("2632I", "Message received")
        trace.say("3904I", "tree:\n  ( Root\n  \x01)")
    found = list(read_log.read_trace(place, "default"))
    assert [each.number for each in found] == ["2632", "3904"] and found[1].text.count("\n") == 2
    assert len(list(read_log.read_trace(place))) == 4
    root = ET.fromstring(read_log.as_xml(read_log.read_trace(place)))
    assert [each.get("executionGroup") for each in root] == ["default", "default", "other", "other"]
    assert "\ufffd" in str(root[1].get("text")) and root[0].get("threadId")


def test_no_log_is_no_error(place: Place) -> None:
    assert list(read_log.read_log(place)) == list(read_log.read_trace(place)) == []
