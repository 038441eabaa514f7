"""Publish/subscribe: Publication nodes, psc commands, subscription points and content filters (MF 5, B258)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.runtime import content_filters
from flintmq.mqi import constants as mq
from flintmq.mqi.content_filter import FILTER_QUEUE, Route
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.rfh2 import MQRFH2
from flintmq.qmgr.security import Authority
from tests.broker.runtime import flows
from tests.broker.runtime.desk import Desk
from tests.waiting import PATIENCE, until

CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"
OK = "<pscr><Completion>ok</Completion></pscr>"
TRADE = b"<Trade><Symbol>%s</Symbol><Qty>%d</Qty></Trade>"


def publishing(tmp_path: Path, name: str = "Publish", source: str = "IN", point: str = "") -> Path:
    """A flow MQInput -> Publication."""
    return flows.write(
        tmp_path / "app",
        name,
        flows.node("In", "ComIbmMQInput", f'queueName="{source}" messageDomainProperty="XMLNSC"'),
        flows.node("Publish", "ComIbmPublication", f'subscriptionPoint="{point}"'),
        [("In", "out", "Publish")],
    )


def put(desk: Desk, queue: str, psc: str, body: bytes = b"", mcd: str = "", **fields: Any) -> bytes:
    """Put a command; return its MsgId. It is a request with its answer on ANSWERS unless fields say otherwise."""
    header = MQRFH2()
    header.format, header.coded_char_set_id = "MQSTR", 1208
    header.folders = [f"<psc>{psc}</psc>", *([f"<mcd>{mcd}</mcd>"] if mcd else [])]
    md, od, pmo = MQMD(), MQOD(), MQPMO()
    md.format, md.coded_char_set_id = mq.MQFMT_RF_HEADER_2, 1208
    md.msg_type, md.reply_to_q = mq.MQMT_REQUEST, "ANSWERS"
    for name, value in fields.items():
        setattr(md, name, value)
    od.object_name = queue
    pmo.options = mq.MQPMO_NO_SYNCPOINT
    if "user_identifier" in fields:
        pmo.options |= mq.MQPMO_SET_ALL_CONTEXT
        handle = desk.qm.mqi.open(od, mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT)
        desk.qm.mqi.put(handle, md, pmo, header.pack() + body)
        desk.qm.mqi.close(handle)
    else:
        desk.qm.mqi.put1(od, md, pmo, header.pack() + body)
    return md.msg_id


def answer(desk: Desk) -> str:
    """Return the pscr folder of the next answer."""
    got = desk.qm.queue("ANSWERS").get(wait=PATIENCE)
    assert got.md.msg_type == mq.MQMT_REPLY
    return MQRFH2.unpack(got.data).folders[0]


def say(desk: Desk, psc: str, queue: str = CONTROL, body: bytes = b"", **fields: Any) -> str:
    put(desk, queue, psc, body, **fields)
    return answer(desk)


def copies(desk: Desk, queue: str, count: int) -> list[tuple[str, bytes]]:
    """Return psc folder and body of the next messages of a subscriber; there is none after them."""
    found = []
    for _ in range(count):
        data = desk.qm.queue(queue).get(wait=PATIENCE).data
        header = MQRFH2.unpack(data)
        found.append((header.folders[0], data[header.struc_length :]))
    assert desk.qm.queue(queue).get_or_none() is None
    return found


def bodies(desk: Desk, queue: str, count: int) -> list[bytes]:
    return [body for _, body in copies(desk, queue, count)]


@pytest.fixture
def market(desk: Desk, tmp_path: Path) -> Desk:
    """A broker with a flow that publishes what comes to IN, and queues for subscribers."""
    for name in ("IN", "ANSWERS", "A", "B"):
        desk.queue(name)
    worker = desk.start(publishing(tmp_path), "Publish")
    assert worker.content_filters is not None
    until(lambda: worker.content_filters is not None and worker.content_filters.active)
    return desk


def subscribe(desk: Desk, topic: str, queue: str = "A", more: str = "") -> None:
    psc = f"<Command>RegSub</Command><Topic>{topic}</Topic><QName>{queue}</QName>{more}"
    assert say(desk, psc) == OK


def publish(desk: Desk, topic: str, symbol: bytes, qty: int, more: str = "", **fields: Any) -> None:
    psc = f"<Command>Publish</Command><Topic>{topic}</Topic>{more}"
    put(desk, "IN", psc, TRADE % (symbol, qty), msg_type=mq.MQMT_DATAGRAM, **fields)


def test_a_publication_of_a_flow_reaches_every_registered_subscriber(market: Desk) -> None:
    """B258: each subscriber has its own queue and gets a copy."""
    subscribe(market, "Stock/IBM", "A")
    subscribe(market, "Stock/#", "B")
    publish(market, "Stock/IBM", b"IBM", 100)
    (folder, body), *_ = copies(market, "A", 1)
    assert body == TRADE % (b"IBM", 100)
    assert "<Command>Publish</Command>" in folder and "<Topic>Stock/IBM</Topic>" in folder
    assert bodies(market, "B", 1) == [TRADE % (b"IBM", 100)]


def test_a_publisher_that_asks_gets_an_answer_from_the_flow(market: Desk) -> None:
    subscribe(market, "t", "A")
    assert say(market, "<Command>Publish</Command><Topic>t</Topic>", "IN", b"<a/>") == OK
    assert say(market, "<Command>Publish</Command><Topic>t/#</Topic>", "IN", b"<a/>") == (
        "<pscr><Completion>error</Completion><Response><Reason>3072</Reason><Topic>t/#</Topic></Response></pscr>"
    )
    said = say(market, "<Command>Publish</Command><Topic>t</Topic><Topic>+</Topic>", "IN", b"<a/>")
    assert said.startswith("<pscr><Completion>warning</Completion><Response><Reason>3072</Reason><Topic>+</Topic>")
    said = say(market, "<Command>Publish</Command><Topic>t</Topic><PubOpt>Loud</PubOpt>", "IN", b"<a/>")
    assert "<Reason>3084</Reason><PubOpt>Loud</PubOpt>" in said
    assert bodies(market, "A", 2) == [b"<a/>"] * 2


def test_commands_can_be_sent_to_the_queue_of_a_flow_that_publishes(market: Desk) -> None:
    """RegSub, ReqUpdate, DeletePub and DeregSub pass the node; the queue manager carries them out and answers."""
    publish(market, "t", b"old", 1, "<PubOpt>RetainPub</PubOpt>")
    until(lambda: market.qm.queue("IN").depth == 0)
    registered = "<Topic>t</Topic><QName>A</QName>"
    assert say(market, f"<Command>RegSub</Command>{registered}<RegOpt>PubOnReqOnly</RegOpt>", "IN") == OK
    assert say(market, f"<Command>ReqUpdate</Command>{registered}", "IN") == OK
    assert bodies(market, "A", 1) == [TRADE % (b"old", 1)]
    assert say(market, "<Command>DeletePub</Command><Topic>t</Topic>", "IN") == OK
    assert "<Reason>3077</Reason>" in say(market, f"<Command>ReqUpdate</Command>{registered}", "IN")
    assert say(market, f"<Command>DeregSub</Command>{registered}", "IN") == OK
    assert "<Reason>3073</Reason>" in say(market, f"<Command>DeregSub</Command>{registered}", "IN")
    assert "<Reason>2336</Reason>" in say(market, "<Command>Nonsense</Command>", "IN")


def test_a_content_filter_decides_by_the_body(market: Desk) -> None:
    """MF 5.2: an ESQL condition with three-valued logic; unknown is no match."""
    subscribe(market, "Stock/#", "A", "<Filter>Body.Trade.Qty &gt; 1000 AND Root.MQMD.Priority &gt; 2</Filter>")
    publish(market, "Stock/IBM", b"small", 10, priority=5)
    publish(market, "Stock/IBM", b"large", 2000, priority=5)
    publish(market, "Stock/IBM", b"dull", 2000, priority=1)
    put(market, "IN", "<Command>Publish</Command><Topic>Stock/X</Topic>", b"<Other/>", msg_type=mq.MQMT_DATAGRAM)
    put(market, "IN", "<Command>Publish</Command><Topic>Stock/X</Topic>", b"no XML <", msg_type=mq.MQMT_DATAGRAM)
    publish(market, "Stock/IBM", b"huge", 3000, priority=9)
    found = copies(market, "A", 2)
    assert sorted(body for _, body in found) == [TRADE % (b"huge", 3000), TRADE % (b"large", 2000)]
    assert all("content_filter" not in folder and "<Topic>Stock/IBM</Topic>" in folder for folder, _ in found)


def test_filters_use_esql_that_a_selector_does_not_know(market: Desk) -> None:
    subscribe(
        market, "t", "A", "<Filter>UPPER(Body.Trade.Symbol) LIKE &apos;IB%&apos; AND Body.Trade.*[2] = 7</Filter>"
    )
    subscribe(market, "t", "B", "<Filter>Body.Data.n.Item[2] = 9</Filter><SubUserData>mine &lt;</SubUserData>")
    publish(market, "t", b"ibm", 8)
    publish(market, "t", b"ibm", 7)
    for numbers in (b"[9, 1]", b"[1, 9]"):
        psc = "<Command>Publish</Command><Topic>t</Topic>"
        put(market, "IN", psc, b'{"n": ' + numbers + b"}", "<Msd>JSON</Msd>", msg_type=mq.MQMT_DATAGRAM)
    assert bodies(market, "A", 1) == [TRADE % (b"ibm", 7)]
    ((folder, body),) = copies(market, "B", 1)
    assert body == b'{"n": [1, 9]}' and "<SubUserData>mine &lt;</SubUserData>" in folder


@pytest.mark.parametrize(
    "text",
    [
        "Body.Trade.Qty &gt;",
        "PASSTHRU(&apos;DELETE&apos;)",
        "Body.x = (SELECT 1)",
        "REPLICATE(&apos;x&apos;, 999999999) = 1",
        "SLEEP(3600000)",
        "&quot;EVAL&quot;(&apos;SLEEP(3600000)&apos;)",
        "FOR ALL Body.X[] AS a (FOR ALL Body.X[] AS b (a = b))",
        "REPLACE(REPLACE(Body.x, &apos;a&apos;, &apos;aaaaaa&apos;), &apos;a&apos;, &apos;aaaaaa&apos;) = Body.y",
        "LENGTH(Body.x" + " || Body.x" * 30 + ") = 1",
        "&quot;Database&quot;.T.x = 1",
        "schema.procedure(Body.x) = 1",
        "(" * 300 + "Body.x = 1" + ")" * 300,
        "Body.x = 1" + " OR Body.x = 1" * 1000,
    ],
)
def test_a_filter_that_is_none_is_answered_with_3150(market: Desk, text: str) -> None:
    said = say(market, f"<Command>RegSub</Command><Topic>t</Topic><QName>A</QName><Filter>{text}</Filter>")
    assert said.startswith("<pscr><Completion>error</Completion><Response><Reason>3150</Reason><Filter>")


def test_a_filtered_registration_can_be_changed_and_ended(market: Desk) -> None:
    registered = "<Topic>t</Topic><QName>A</QName><Filter>Body.Trade.Qty &gt; 5</Filter>"
    assert say(market, f"<Command>RegSub</Command>{registered}<SubUserData>one</SubUserData>") == OK
    assert say(market, f"<Command>RegSub</Command>{registered}<SubUserData>two</SubUserData>") == OK
    publish(market, "t", b"x", 6)
    ((folder, _),) = copies(market, "A", 1)
    assert "<SubUserData>two</SubUserData>" in folder
    assert say(market, f"<Command>DeregSub</Command>{registered}") == OK
    assert "<Reason>3073</Reason>" in say(market, f"<Command>DeregSub</Command>{registered}")
    assert say(market, f"<Command>RegSub</Command>{registered}") == OK
    assert say(market, "<Command>DeregSub</Command><RegOpt>DeregAll</RegOpt><QName>A</QName>") == OK
    assert "<Reason>3073</Reason>" in say(market, f"<Command>DeregSub</Command>{registered}")


def test_registrations_survive_a_restart_of_the_broker_and_wait_for_it(market: Desk, tmp_path: Path) -> None:
    """Registrations are durable subscriptions of the queue manager; copies with a filter wait for the broker."""
    subscribe(market, "t", "A")
    subscribe(market, "t", "B", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    market.stop_workers()
    with_topic = market.qm.topic("t")
    with_topic.publish(b"<Trade><Qty>9</Qty></Trade>")
    with_topic.publish(b"<Trade><Qty>1</Qty></Trade>")
    assert len(bodies(market, "A", 2)) == 2
    assert market.qm.queue(FILTER_QUEUE).depth == 2
    market.start(publishing(tmp_path), "Publish")
    assert bodies(market, "B", 1) == [b"<Trade><Qty>9</Qty></Trade>"]


def test_a_retained_publication_is_delivered_at_registration_if_the_filter_holds(market: Desk) -> None:
    publish(market, "r/1", b"small", 1, "<PubOpt>RetainPub</PubOpt>")
    publish(market, "r/2", b"large", 10, "<PubOpt>RetainPub</PubOpt>")
    until(lambda: market.qm.queue("IN").depth == 0)
    subscribe(market, "r/#", "A", "<Filter>Body.Trade.Qty &gt; 5</Filter><RegOpt>InformIfRet</RegOpt>")
    ((folder, body),) = copies(market, "A", 1)
    assert body == TRADE % (b"large", 10) and "<PubOpt>IsRetainedPub</PubOpt>" in folder


def test_a_copy_that_its_subscriber_cannot_take_goes_to_the_dead_letter_queue(market: Desk) -> None:
    market.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    full = market.queue("FULL", maxdepth=1)
    full.put("in the way")
    subscribe(market, "t", "FULL", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    subscribe(market, "t", "B", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    publish(market, "t", b"x", 6)
    dead = market.qm.queue("SYSTEM.DEAD.LETTER.QUEUE").get(wait=PATIENCE)
    assert dead.dead_letter is not None and (dead.dead_letter.reason, dead.dead_letter.queue) == (2053, "FULL")
    assert bodies(market, "B", 1) == [TRADE % (b"x", 6)]


def test_garbage_on_the_filter_queue_is_dead_and_holds_nothing_up(market: Desk) -> None:
    market.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    market.qm.queue(FILTER_QUEUE).put(b"garbage")
    put(market, FILTER_QUEUE, "<Command>Publish</Command><SubUserData>{&quot;content_filter&quot;:9}</SubUserData>")
    subscribe(market, "t", "A", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    dead = market.qm.queue("SYSTEM.DEAD.LETTER.QUEUE")
    assert [dead.get(wait=PATIENCE).dead_letter.reason for _ in range(2)] == [2336, 2337]  # type: ignore[union-attr]


def test_subscription_points_carry_the_same_topic_apart(market: Desk, tmp_path: Path) -> None:
    """MF 5.2: a flow publishes the same data in different representations, each at a point of its own."""
    market.qm.mqsc("DEFINE TOPIC(PRICE.USD) TOPICSTR(USD)")
    market.qm.mqsc("ALTER NAMELIST(SYSTEM.QPUBSUB.SUBPOINT.NAMELIST) NAMES(SYSTEM.BROKER.DEFAULT.SUBPOINT,PRICE.USD)")
    market.queue("IN.USD")
    subscribe(market, "p/+", "A")
    subscribe(market, "p/+", "B", "<SubPoint>USD</SubPoint>")
    said = say(market, "<Command>RegSub</Command><Topic>p</Topic><QName>A</QName><SubPoint>EUR</SubPoint>")
    assert "<Reason>2337</Reason><SubPoint>EUR</SubPoint>" in said
    market.start(publishing(tmp_path, "Dollars", "IN.USD", "USD"), "Dollars")
    publish(market, "p/1", b"default", 1)
    put(market, "IN.USD", "<Command>Publish</Command><Topic>p/1</Topic>", b"<usd/>", msg_type=mq.MQMT_DATAGRAM)
    publish(market, "p/2", b"default", 2, "<SubPoint>USD</SubPoint>")
    assert bodies(market, "A", 1) == [TRADE % (b"default", 1)]
    assert sorted(bodies(market, "B", 2)) == sorted([b"<usd/>", TRADE % (b"default", 2)])


class Strict(Authority):
    """mallory may neither use the topic `secret` nor put to ANSWERS; everything else is allowed."""

    def may_publish(self, user: str, topic_string: str, names: list[str]) -> bool:
        return not (user == "mallory" and topic_string.startswith("secret"))

    def may_subscribe(self, user: str, topic_string: str, names: list[str]) -> bool:
        return not (user == "mallory" and topic_string.startswith("secret"))

    def may_open(self, user: str, object_kind: str, name: str, options: int) -> bool:
        return not (user == "mallory" and name == "ANSWERS")


def test_authority_is_that_of_the_author_of_a_command(market: Desk) -> None:
    """Topics are the queue manager's, and so is authority. No answer goes where its author may not put."""
    market.queue("OTHER")
    subscribe(market, "#", "A")
    market.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    market.serving.host.engine.authority = Strict()
    psc = "<Command>Publish</Command><Topic>secret</Topic><Topic>open</Topic>"
    put(market, "IN", psc, b"<a/>", user_identifier="mallory", reply_to_q="OTHER")
    told = MQRFH2.unpack(market.qm.queue("OTHER").get(wait=PATIENCE).data).folders[0]
    assert told == (
        "<pscr><Completion>warning</Completion><Response><Reason>3081</Reason><Topic>secret</Topic></Response></pscr>"
    )
    psc = "<Command>RegSub</Command><Topic>open</Topic><QName>B</QName><Filter>Body.a.b &gt;</Filter>"
    put(market, CONTROL, psc, user_identifier="mallory")
    put(market, "IN", "<Command>Publish</Command><Topic>open</Topic>", b"<b/>", user_identifier="mallory")
    assert bodies(market, "A", 2) == [b"<a/>", b"<b/>"]
    until(lambda: "may not put there" in market.said.getvalue())
    until(lambda: "its user may not put there" in market.said.getvalue())
    assert market.qm.queue("ANSWERS").depth == 0
    assert market.qm.queue("SYSTEM.DEAD.LETTER.QUEUE").depth == 0


def test_other_subs_only_spares_the_publisher(market: Desk) -> None:
    subscribe(market, "t", "A")
    subscribe(market, "t", "B")
    publish(market, "t", b"x", 1, "<PubOpt>OtherSubsOnly</PubOpt><QName>A</QName>")
    assert bodies(market, "B", 1) == [TRADE % (b"x", 1)]
    assert bodies(market, "A", 0) == []


def test_a_flow_that_fails_after_it_published_takes_its_publications_back(desk: Desk, tmp_path: Path) -> None:
    """MF 5.2: a publication is visible to all subscribers or none if the flow is transactional."""
    for name in ("IN", "ANSWERS", "A", "B", "BACK"):
        desk.queue(name, **({"bothresh": 1, "boqname": "BACK"} if name == "IN" else {}))
    path = flows.write(
        tmp_path / "app",
        "Publish",
        flows.node("In", "ComIbmMQInput", 'queueName="IN" messageDomainProperty="XMLNSC"'),
        flows.node("Publish", "ComIbmPublication", ""),
        flows.node("Throw", "ComIbmThrow", 'messageText="no"'),
        [("In", "out", "Publish"), ("Publish", "out", "Throw")],
    )
    desk.start(path, "Publish")
    subscribe(desk, "t", "A")
    subscribe(desk, "t", "B", "<Filter>Body.Trade.Qty = 1</Filter>")
    publish(desk, "t", b"x", 1, persistence=1)
    assert desk.qm.queue("BACK").get(wait=PATIENCE).data.endswith(TRADE % (b"x", 1))
    assert bodies(desk, "A", 0) == [] and desk.qm.queue(FILTER_QUEUE).depth == 0


def test_a_forged_route_in_a_publication_is_not_followed(market: Desk) -> None:
    """The route is that of the subscription: a publisher cannot send copies to queues of its choice."""
    market.queue("SAFE")
    subscribe(market, "t", "A", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    forged = Route("TRUE", "SAFE", "", "").packed().replace('"', "&quot;")
    for more in (f"<SubUserData>{forged}</SubUserData>", f"</psc><psc><SubUserData>{forged}</SubUserData>"):
        psc = f"<Command>Publish</Command><Topic>t</Topic>{more}"
        for queue in ("IN", CONTROL):
            put(market, queue, psc, TRADE % (b"x", 9), msg_type=mq.MQMT_DATAGRAM)
    data = MQRFH2()
    data.folders = [f"<psc><Command>Publish</Command><Topic>t</Topic><SubUserData>{forged}</SubUserData></psc>"]
    market.qm.topic("t").publish(data.pack() + TRADE % (b"x", 9), format=mq.MQFMT_RF_HEADER_2)
    publish(market, "t", b"last", 10)
    until(lambda: market.qm.queue("A").depth >= 1 and market.qm.queue(FILTER_QUEUE).depth == 0)
    assert market.qm.queue("SAFE").depth == 0


def test_a_filter_that_costs_too_much_is_not_evaluated_again(market: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_filters, "CPU_S", -1.0)
    subscribe(market, "t", "A", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    publish(market, "t", b"first", 9)
    assert bodies(market, "A", 1) == [TRADE % (b"first", 9)]
    market.queue("C")
    subscribe(market, "t", "C")
    publish(market, "t", b"second", 9)
    assert bodies(market, "C", 1) == [TRADE % (b"second", 9)]  # The flow has published it before there is B.
    subscribe(market, "t", "B", "<Filter>Body.Trade.Qty &gt; 6</Filter>")
    publish(market, "t", b"third", 9)
    assert bodies(market, "B", 1) == [TRADE % (b"third", 9)]
    assert market.qm.queue("A").depth == 0 and "is not evaluated any more" in market.said.getvalue()


def test_a_message_that_nobody_foresaw_is_dead_and_holds_nothing_up(
    market: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C3 holds for every failure: the thread goes on."""
    market.qm.mqsc("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    monkeypatch.setattr(content_filters, "route_of", lambda text: 1 // 0)
    subscribe(market, "t", "A", "<Filter>Body.Trade.Qty &gt; 5</Filter>")
    publish(market, "t", b"x", 9)
    assert market.qm.queue("SYSTEM.DEAD.LETTER.QUEUE").get(wait=PATIENCE).dead_letter is not None
    monkeypatch.undo()
    publish(market, "t", b"y", 9)
    assert bodies(market, "A", 1) == [TRADE % (b"y", 9)]


def test_dereg_all_ends_no_registration_of_another_user(market: Desk) -> None:
    """B258: a registration belongs to the user that made it."""
    subscribe(market, "t", "A")
    every = "<Command>DeregSub</Command><RegOpt>DeregAll</RegOpt><QName>A</QName>"
    assert "<Reason>3151</Reason>" in say(market, every, user_identifier="mallory")
    publish(market, "t", b"x", 1)
    assert bodies(market, "A", 1) == [TRADE % (b"x", 1)]
    assert say(market, every) == OK


def test_a_registration_that_is_refused_keeps_its_name_and_identities(market: Desk) -> None:
    registered = "<Topic>t</Topic><QName>A</QName>"
    shared = "<SubIdentity>one</SubIdentity><RegOpt>JoinShared</RegOpt>"
    assert say(market, f"<Command>RegSub</Command>{registered}{shared}") == OK
    said = say(market, f"<Command>RegSub</Command>{registered}{shared}<RegOpt>AddName</RegOpt><SubName>new</SubName>")
    assert "<Reason>3157</Reason>" in said
    assert "<Reason>3073</Reason>" in say(market, "<Command>DeregSub</Command><SubName>new</SubName>")
    assert say(market, f"<Command>DeregSub</Command>{registered}<SubIdentity>one</SubIdentity>") == OK
