"""orderMode, units of work of several messages, and the other properties of MQInput, with several instances (B245)."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.flow.function import load
from flintmq.broker.runtime.foreground import plans
from flintmq.mqi import constants as mq
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.waiting import PATIENCE, until

#: A flow that takes longer for some messages than for others, and fails for those that say so.
UNEVEN = """
CREATE COMPUTE MODULE Work
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot = InputRoot;
    IF InputRoot.XMLNSC.a.slow = 'yes' THEN
      DECLARE i INTEGER 0;
      WHILE i < 3000 DO SET i = i + 1; END WHILE;
    END IF;
    IF InputRoot.XMLNSC.a.fail = 'once' AND InputRoot.MQMD.BackoutCount = 0 THEN
      THROW USER EXCEPTION VALUES ('once');
    END IF;
    IF InputRoot.XMLNSC.a.fail = 'always' THEN
      THROW USER EXCEPTION VALUES ('always');
    END IF;
    RETURN TRUE;
  END;
END MODULE;
"""


def put_as(desk: Desk, user: str, text: str) -> None:
    """Put a message with a UserIdentifier."""
    mqi = desk.qm.mqi
    od, md, pmo = MQOD(), MQMD(), MQPMO()
    od.object_name = "IN"
    md.user_identifier, md.format, md.persistence = user, "MQSTR", 1
    pmo.options = mq.MQPMO_SET_ALL_CONTEXT | mq.MQPMO_NO_SYNCPOINT
    handle = mqi.open(od, mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT)
    mqi.put(handle, md, pmo, text.encode())
    mqi.close(handle)


def arrived(desk: Desk, count: int, name: str = "OUT") -> list[str]:
    """Return the texts of messages in the order of the queue."""
    queue = desk.qm.queue(name)
    return [queue.get(wait=PATIENCE).text for _ in range(count)]


def uneven(tmp_path: Path, **properties: Any) -> Path:
    return flows.computed(tmp_path / "app", UNEVEN, **properties)


def message(user: int, number: int, **more: str) -> str:
    return f"<a><u>{user}</u><n>{number}</n>" + "".join(f"<{name}>{v}</{name}>" for name, v in more.items()) + "</a>"


def numbers_by_user(texts: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for text in texts:
        found[text.partition("<u>")[2].partition("<")[0]].append(int(text.partition("<n>")[2].partition("<")[0]))
    return found


def load_messages(desk: Desk, count: int, users: int) -> None:
    """Put messages of some users; some take long, some fail at their first delivery."""
    dice = random.Random(17)
    for number in range(count):
        user = dice.randrange(users)
        more = {"slow": "yes"} if dice.random() < 0.2 else {"fail": "once"} if dice.random() < 0.02 else {}
        put_as(desk, f"user{user}", message(user, number, **more))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the pause after a failure short."""
    monkeypatch.setattr("flintmq.broker.runtime.instance.PAUSE_S", 0.05)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "properties",
    [{"orderMode": "byUserId"}, {"orderMode": "userDefined", "orderFieldLocation": "$Body/a/u"}],
    ids=["byUserId", "userDefined"],
)
def test_messages_of_a_user_keep_their_order_with_four_instances(
    desk: Desk, tmp_path: Path, properties: dict[str, str]
) -> None:
    """B245: orderMode governs order. Nothing is lost or doubled though some messages fail once and come again."""
    desk.queue("IN", bothresh=10), desk.queue("OUT")
    load_messages(desk, 200, 5)
    worker = desk.start(uneven(tmp_path, **properties), "Work", instances=4)
    texts = arrived(desk, 200)
    assert sorted(n for numbers in numbers_by_user(texts).values() for n in numbers) == list(range(200))
    assert all(numbers == sorted(numbers) for numbers in numbers_by_user(texts).values())
    assert sum(each.failures for each in worker.instances) > 0
    assert sum(1 for each in worker.instances if each.messages) > 1, "the users are worked for side by side"


@pytest.mark.usefixtures("quick")
def test_by_queue_order_hands_out_one_message_at_a_time(desk: Desk, tmp_path: Path) -> None:
    desk.queue("IN", bothresh=10), desk.queue("OUT")
    load_messages(desk, 100, 3)
    desk.start(uneven(tmp_path, orderMode="byQueueOrder"), "Work", instances=4)
    texts = arrived(desk, 100)
    assert [int(text.partition("<n>")[2].partition("<")[0]) for text in texts] == list(range(100))


def test_a_user_whose_message_is_under_way_does_not_hold_up_others(desk: Desk, tmp_path: Path) -> None:
    desk.queue("IN", bothresh=50), desk.queue("OUT")
    put_as(desk, "stuck", message(1, 1, fail="always"))
    put_as(desk, "stuck", message(1, 2))
    put_as(desk, "other", message(2, 3))
    desk.start(uneven(tmp_path, orderMode="byUserId"), "Work", instances=2)
    assert numbers_by_user(arrived(desk, 1)) == {"2": [3]}
    assert desk.qm.queue("IN").depth == 2, "the second message of the user waits for the first"


def test_commit_count_takes_several_messages_into_a_unit_of_work(desk: Desk, tmp_path: Path) -> None:
    """MF 3.5: nothing is visible before the commit; the rest is committed when the queue is empty."""
    desk.queue("IN"), desk.queue("OUT")
    path = flows.pass_through(tmp_path / "app")
    for number in range(25):
        desk.qm.queue("IN").put(f"{number}")
    worker = desk.start(path, "Pass", overrides={"Pass#commitCount": "10"})
    assert sorted(map(int, arrived(desk, 25))) == list(range(25))
    until(lambda: sum(each.commits for each in worker.instances) == 3)


def test_commit_interval_ends_a_batch_that_does_not_fill(desk: Desk, tmp_path: Path) -> None:
    desk.queue("IN"), desk.queue("OUT")
    settings = {"Pass#commitCount": "100", "Pass#commitInterval": "1"}
    worker = desk.start(flows.pass_through(tmp_path / "app"), "Pass", overrides=settings)
    desk.qm.queue("IN").put("one")
    until(lambda: worker.instances[0].messages == 1)
    assert desk.qm.queue("OUT").get_or_none() is None, "the unit of work is open"
    assert arrived(desk, 1) == ["one"]


@pytest.mark.usefixtures("quick")
def test_a_batch_that_fails_does_not_send_good_messages_aside(desk: Desk, tmp_path: Path) -> None:
    """A batch is backed out as a whole; BOTHRESH 1 moves the message that fails, and no other."""
    desk.queue("IN", bothresh=1, boqname="BACK"), desk.queue("OUT"), desk.queue("BACK")
    for number in range(10):
        desk.qm.queue("IN").put(message(0, number, **({"fail": "always"} if number == 6 else {})))
    desk.start(uneven(tmp_path), "Work", overrides={"Work#commitCount": "10"})
    assert numbers_by_user(arrived(desk, 9)) == {"0": [0, 1, 2, 3, 4, 5, 7, 8, 9]}
    assert numbers_by_user(arrived(desk, 1, "BACK")) == {"0": [6]}
    assert desk.qm.queue("IN").depth == 0


def put_group(desk: Desk, name: bytes, texts: list[str], last: bool = True) -> None:
    """Put messages of a group, one by one."""
    for number, text in enumerate(texts, 1):
        md = MQMD()
        md.version, md.group_id, md.msg_seq_number = 2, name.ljust(24, b"\0"), number
        md.msg_flags = mq.MQMF_MSG_IN_GROUP
        if last and number == len(texts):
            md.msg_flags |= mq.MQMF_LAST_MSG_IN_GROUP
        od, pmo = MQOD(), MQPMO()
        od.object_name = "IN"
        pmo.options = mq.MQPMO_NO_SYNCPOINT
        desk.qm.mqi.put1(od, md, pmo, text.encode())


def test_commit_by_message_group_commits_after_the_last_message_of_a_group(desk: Desk, tmp_path: Path) -> None:
    desk.queue("IN"), desk.queue("OUT")
    worker = desk.start(flows.pass_through(tmp_path / "app", commitByMessageGroup="true"), "Pass")
    put_group(desk, b"first", ["1", "2"], last=False)
    until(lambda: worker.instances[0].messages == 2)
    assert desk.qm.queue("OUT").get_or_none() is None
    md = MQMD()
    md.version, md.group_id, md.msg_seq_number = 2, b"first".ljust(24, b"\0"), 3
    md.msg_flags = mq.MQMF_LAST_MSG_IN_GROUP
    od, pmo = MQOD(), MQPMO()
    od.object_name = "IN"
    desk.qm.mqi.put1(od, md, pmo, b"3")
    out = desk.qm.queue("OUT")
    assert [out.get(wait=PATIENCE).data[-1:] for _ in range(3)] == [b"1", b"2", b"3"]
    until(lambda: worker.instances[0].commits == 1)


def test_an_input_node_takes_the_messages_that_match_and_leaves_the_others(desk: Desk, tmp_path: Path) -> None:
    source = desk.queue("IN")
    desk.queue("OUT")
    wanted = b"wanted".ljust(24, b"\0")
    desk.start(flows.pass_through(tmp_path / "app", matchCorrelId=wanted.hex()), "Pass")
    source.put("no", correlation_id=b"other")
    source.put("yes", correlation_id=wanted)
    assert arrived(desk, 1) == ["yes"]
    assert source.get().text == "no"


def test_a_node_that_browses_leaves_its_messages_on_the_queue(desk: Desk, tmp_path: Path) -> None:
    source = desk.queue("IN")
    desk.queue("OUT")
    for text in "abc":
        source.put(text)
    worker = desk.start(flows.pass_through(tmp_path / "app", browse="true"), "Pass", instances=3)
    assert arrived(desk, 3) == ["a", "b", "c"]
    source.put("d")
    assert arrived(desk, 1) == ["d"]
    assert source.depth == 4 and len(worker.instances) == 1


def test_browsing_begins_anew_after_the_reset_timeout(desk: Desk, tmp_path: Path) -> None:
    source = desk.queue("IN")
    desk.queue("OUT")
    source.put("a")
    desk.start(flows.pass_through(tmp_path / "app", browse="true", resetBrowseTimeout="100"), "Pass")
    assert arrived(desk, 2) == ["a", "a"]


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"orderMode": "byMood"}, "orderMode is 'bymood'"),
        ({"orderMode": "userDefined"}, "orderFieldLocation is empty"),
        ({"orderMode": "userDefined", "orderFieldLocation": "$Nowhere/a"}, "orderFieldLocation is '$Nowhere/a'"),
        ({"matchMsgId": "xyz"}, "matchMsgId is 'xyz'"),
    ],
)
def test_a_property_that_makes_no_sense_is_reported_before_the_start(
    desk: Desk, tmp_path: Path, properties: dict[str, str], text: str
) -> None:
    desk.queue("IN")
    worker = desk.start(flows.pass_through(tmp_path / "app", **properties), "Pass")
    assert text in " ".join(worker.problems["Pass"])


def test_instances_of_an_ordered_flow_are_placed_in_one_worker(tmp_path: Path) -> None:
    ordered = plans(load(flows.pass_through(tmp_path / "a", orderMode="byUserId")))
    free = plans(load(flows.pass_through(tmp_path / "b")))
    assert ordered[0].together and not free[0].together
