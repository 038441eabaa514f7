"""The tool that runs the suites of IBM's Kafka connectors: what it answers for MQ's REST API, and its table.

The suites themselves need a checkout and Maven: docs/interop.md has their results.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import kafka_connectors

CONNECTIONS = """\
     1 : display conn(*) where (channel EQ 'DEV.APP.SVRCONN')
AMQ8276I: Display Connection details.
   CONN(6A00000000000001)                  EXTCONN(414D5143514D3120202020202020)
AMQ8276I: Display Connection details.
   CONN(6A00000000000002)                  EXTCONN(414D5143514D3120202020202020)
One MQSC command read.
"""
NOT_FOUND = "     1 : STOP CHANNEL(X)\nAMQ8147E: IBM MQ object X not found.\n"


def test_each_message_of_a_command_is_a_response() -> None:
    answer = kafka_connectors.rest_answer(0, CONNECTIONS)
    assert (answer["overallCompletionCode"], answer["overallReasonCode"]) == (0, 0)
    responses = answer["commandResponse"]
    assert isinstance(responses, list)
    assert [response["text"][0] for response in responses] == ["AMQ8276I: Display Connection details."] * 2


def test_a_command_that_fails_says_so_as_a_whole() -> None:
    answer = kafka_connectors.rest_answer(10, NOT_FOUND)
    assert (answer["overallCompletionCode"], answer["overallReasonCode"]) == (2, kafka_connectors.COMMAND_FAILED)
    responses = answer["commandResponse"]
    assert isinstance(responses, list) and len(responses) == 1


def test_the_table_counts_and_names_what_did_not_pass(tmp_path: Path) -> None:
    report = tmp_path / "TEST-a.BIT.xml"
    report.write_text(
        '<testsuite><testcase classname="a.BIT" name="good"/>'
        '<testcase classname="a.BIT" name="bad"><failure message="expected: 1&#10;was: 2"/></testcase>'
        '<testcase classname="a.AIT" name="left"><skipped message="not now"/></testcase></testsuite>'
    )
    text, missed = kafka_connectors.table([report])
    assert missed == 2
    assert text.splitlines() == [
        "| class | passed | skipped | failed |",
        "|---|---|---|---|",
        "| AIT | 0 | 1 | 0 |",
        "| BIT | 1 | 0 | 1 |",
        "| all | 1 | 1 | 1 |",
        "",
        "| test | result | reason |",
        "|---|---|---|",
        "| BIT.bad | failed | expected: 1 |",
        "| AIT.left | skipped | not now |",
    ]


def test_what_junit_4_says_at_its_end_is_counted() -> None:
    assert kafka_connectors.old_counts("Time: 3\n\nOK (10 tests)\n") == [10, 0, 0]
    assert kafka_connectors.old_counts("FAILURES!!!\nTests run: 9,  Failures: 2\n") == [7, 0, 2]
    assert kafka_connectors.old_counts("the virtual machine has ended\n") == [0, 0, 1]


def test_a_directory_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="is no checkout of a Kafka connector"):
        kafka_connectors.main([str(tmp_path)])


def test_only_users_of_the_container_may_use_the_rest_api(tmp_path: Path) -> None:
    manager = kafka_connectors.Manager(tmp_path)
    manager.passwords = {"app": "secret"}
    assert manager.is_right("Basic YXBwOnNlY3JldA==")
    assert (
        not manager.is_right("Basic YXBwOndyb25n") and not manager.is_right("Basic Ong=") and not manager.is_right("")
    )
