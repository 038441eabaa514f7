"""DEFINE, ALTER, DELETE and DISPLAY SUB, SBSTATUS, TPSTATUS, PUBSUB and CLEAR TOPICSTR on a live queue manager."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.command.display import render
from flintmq.command.dump import Dump, dump
from flintmq.command.execute import execute
from flintmq.command.interpreter import run_script
from flintmq.command.reply import Reply
from flintmq.mqi.constants import MQSO_RESUME
from flintmq.qmgr.registration import MANAGED_DURABLE
from flintmq.qmgr.security import Authority
from tests.qmgr.pubsub import DURABLE, Broker, open_subscription, open_topic, publish, subscribe


@pytest.fixture
def broker() -> Iterator[Broker]:
    broker = Broker()
    broker.admin.user = "admin"
    yield broker
    broker.qm.check()


def run(broker: Broker, command: str) -> Reply:
    return execute(command, broker.admin)


def text(broker: Broker, command: str) -> str:
    return "\n".join(render(run(broker, command)))


def done(broker: Broker, *commands: str) -> None:
    for command in commands:
        reply = run(broker, command)
        assert not reply.failed, render(reply)


def rows(broker: Broker, command: str) -> list[dict[str, Value]]:
    """What a DISPLAY shows, a dictionary for each answer."""
    return [{item.keyword: item.value for item in answer.items} for answer in run(broker, command).responses]


# -- topics -----------------------------------------------------------------------------------------------------------


def test_the_life_of_a_topic(broker: Broker) -> None:
    assert text(broker, "DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit') PUB(DISABLED)") == "AMQ8690I: Topic created."
    assert text(broker, "DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit')") == "AMQ8150E: Object FRUIT already exists."
    assert "AMQ8101S" in text(broker, "DEFINE TOPIC(OTHER) TOPICSTR('price/fruit')")
    assert "Another TOPIC object has this topic string." in text(broker, "DEFINE TOPIC(OTHER) TOPICSTR('price/fruit')")
    assert "TOPICSTR is missing" in text(broker, "DEFINE TOPIC(OTHER)")
    assert "TOPICSTR is not a parameter of ALTER TOPIC" in text(broker, "ALTER TOPIC(FRUIT) TOPICSTR('x')")
    assert text(broker, "ALTER TOPIC(FRUIT) PUB(ASPARENT) DEFPRTY(4)") == "AMQ8691I: Topic changed."
    shown = text(broker, "DISPLAY TOPIC(FRUIT)").splitlines()
    assert shown[0] == "AMQ8633I: Display topic details."
    assert shown[1] == "   TOPIC(FRUIT)                            TYPE(LOCAL)"
    assert "   TOPICSTR(price/fruit)" in shown[2]
    assert any("PUB(ASPARENT)" in line for line in shown) and any("DEFPRTY(4)" in line for line in shown)
    assert text(broker, "DELETE TOPIC(FRUIT)") == "AMQ8692I: Topic deleted."
    assert text(broker, "DELETE TOPIC(FRUIT)") == "AMQ8147E: Object FRUIT not found."
    assert text(broker, "DELETE TOPIC(SYSTEM.BASE.TOPIC)") == "AMQ8148E: Object SYSTEM.BASE.TOPIC is in use."


def test_topics_are_shown_by_generic_name_type_and_filter(broker: Broker) -> None:
    done(broker, "DEFINE TOPIC(T.A) TOPICSTR('a')", "DEFINE TOPIC(T.B) TOPICSTR('b') LIKE(T.A) DURSUB(NO)")
    assert [row["TOPIC"] for row in rows(broker, "DISPLAY TOPIC(T.*)")] == ["T.A", "T.B"]
    assert rows(broker, "DISPLAY TOPIC(T.*)")[0] == {"TOPIC": "T.A", "TYPE": "LOCAL"}
    assert [row["TOPIC"] for row in rows(broker, "DISPLAY TOPIC(*) WHERE(DURSUB EQ NO)")] == ["T.B"]
    assert rows(broker, "DISPLAY TOPIC(T.*) TYPE(ALL) TOPICSTR")[1] == {
        "TOPIC": "T.B",
        "TYPE": "LOCAL",
        "TOPICSTR": "b",
    }
    assert text(broker, "DISPLAY TOPIC(*) TYPE(CLUSTER)") == "AMQ8147E: Object * not found."


def test_publish_subscribe_attributes_of_a_new_queue_manager(broker: Broker) -> None:
    command = "DISPLAY QMGR PSMODE PSCLUS PSNPMSG PSNPRES PSRTYCNT PSSYNCPT TREELIFE PARENT"
    assert rows(broker, command)[0] == {
        "QMNAME": "QM1",
        "PSMODE": "ENABLED",
        "PSCLUS": "ENABLED",
        "PSNPMSG": "DISCARD",
        "PSNPRES": "NORMAL",
        "PSRTYCNT": 5,
        "PSSYNCPT": "IFPER",
        "TREELIFE": 1800,
        "PARENT": "",
    }


# -- subscriptions ----------------------------------------------------------------------------------------------------


def test_a_subscription_that_is_defined_gets_publications_at_once_and_after_a_restart(broker: Broker) -> None:
    assert (
        text(broker, "DEFINE SUB('all fruit') TOPICSTR('price/fruit/#') DEST(A)") == "AMQ8094I: Subscription created."
    )
    assert broker.admin.force
    publish(broker.connect(), "price/fruit/apples", b"1")
    broker.bounce()
    app = broker.connect()
    publish(app, "price/fruit/pears", b"2", persistence=1)
    publish(app, "price/bread", b"3")
    assert broker.contents("A") == [b"2"]
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*)")] == ["all fruit"]


def test_the_attributes_of_a_subscription_are_shown_as_they_were_given(broker: Broker) -> None:
    done(
        broker,
        "DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit')",
        "DEFINE SUB(S) TOPICOBJ(FRUIT) TOPICSTR('+') DEST(A) DESTCORL(" + "AB" * 24 + ") EXPIRY(600) PSPROP(RFH2) "
        "PUBACCT(" + "01" * 32 + ") PUBAPPID('me') PUBPRTY(7) REQONLY(YES) SELECTOR('x > 1') SUBLEVEL(3) "
        "SUBSCOPE(QMGR) SUBUSER(joe) USERDATA('it''s mine') VARUSER(FIXED) WSCHEMA(TOPIC)",
    )
    for _ in range(2):
        (row,) = rows(broker, "DISPLAY SUB(S)")
        assert len(str(row["SUBID"])) == 48
        expected: dict[str, Value] = {
            "SUB": "S",
            "TOPICSTR": "price/fruit/+",
            "TOPICOBJ": "FRUIT",
            "DEST": "A",
            "DESTQMGR": "QM1",
            "DESTCLAS": "PROVIDED",
            "DESTCORL": "AB" * 24,
            "DURABLE": "YES",
            "EXPIRY": 600,
            "PSPROP": "RFH2",
            "PUBACCT": "01" * 32,
            "PUBAPPID": "me",
            "PUBPRTY": 7,
            "REQONLY": "YES",
            "SELECTOR": "x > 1",
            "SELTYPE": "STANDARD",
            "SUBLEVEL": 3,
            "SUBSCOPE": "QMGR",
            "SUBTYPE": "ADMIN",
            "SUBUSER": "JOE",
            "USERDATA": "it's mine",
            "VARUSER": "FIXED",
            "WSCHEMA": "TOPIC",
        }
        assert {keyword: row[keyword] for keyword in expected} == expected
        broker.bounce()


def test_the_first_line_of_a_subscription_is_its_id(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DEST(A)")
    lines = text(broker, "DISPLAY SUB(S) TOPICSTR DEST").splitlines()
    assert lines[0] == "AMQ8096I: Subscription inquired."
    assert lines[1].startswith("   SUBID(") and len(lines[1]) == 3 + 6 + 48 + 1
    assert lines[2] == "   SUB(S)                                  TOPICSTR(a)"


def test_the_defaults_of_a_subscription(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DEST(A)")
    (row,) = rows(broker, "DISPLAY SUB(S)")
    assert (row["EXPIRY"], row["PSPROP"], row["PUBPRTY"], row["REQONLY"]) == ("UNLIMITED", "MSGPROP", "ASPUB", "NO")
    assert (row["SUBLEVEL"], row["SUBSCOPE"], row["VARUSER"], row["WSCHEMA"]) == (1, "ALL", "ANY", "TOPIC")
    assert (row["SELTYPE"], row["SUBUSER"], row["PUBACCT"]) == ("NONE", "admin", "0" * 64)
    assert row["DESTCORL"] not in ("", "0" * 48)


def test_a_managed_destination_is_made_and_goes_with_the_subscription(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED)")
    (row,) = rows(broker, "DISPLAY SUB(S) DEST DESTCLAS")
    queue = str(row["DEST"])
    assert queue.startswith(MANAGED_DURABLE) and row["DESTCLAS"] == "MANAGED"
    publish(broker.connect(), "a", b"kept", persistence=1)
    broker.bounce()
    assert broker.qm.queues[queue].depth == 1
    assert text(broker, "DELETE SUB(S)") == "AMQ8097I: Subscription deleted."
    assert queue not in broker.qm.queues
    broker.bounce()
    assert queue not in broker.qm.queues and rows(broker, "DISPLAY SUB(*)") == [{}]


def test_a_retained_publication_is_delivered_when_the_subscription_is_defined(broker: Broker) -> None:
    publish(broker.connect(), "a/b", b"last", retain=True)
    done(broker, "DEFINE SUB(S) TOPICSTR('a/#') DEST(A)", "DEFINE SUB(R) TOPICSTR('a/#') DEST(B) REQONLY(YES)")
    assert broker.qm.queues["A"].depth == 1 and broker.qm.queues["B"].depth == 0


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("DEFINE SUB(S) TOPICSTR('a')", "reason 2522"),
        ("DEFINE SUB(S) DEST(A)", "reason 2425"),
        ("DEFINE SUB(S) TOPICSTR('a') DEST(NO)", "AMQ8147E"),
        ("DEFINE SUB(S) TOPICOBJ(NO) DEST(A)", "AMQ8147E"),
        ("DEFINE SUB(S) TOPICSTR('a') DEST(A) SELECTOR('x >')", "reason 2459"),
        ("DEFINE SUB(S) TOPICSTR('off') DEST(A)", "reason 2503"),
        ("DEFINE SUB(S) TOPICSTR('fleeting') DEST(A)", "reason 2436"),
        ("DEFINE SUB(THERE) TOPICSTR('a') DEST(A)", "AMQ8150E"),
        ("DEFINE SUB(S) TOPICSTR('a') DEST(A) LIKE(NO)", "AMQ8147E"),
        ("DEFINE SUB TOPICSTR('a') DEST(A)", "SUB needs a name"),
        ("DEFINE SUB(S) TOPICSTR('a') DEST(A) DESTCORL(AB)", "DESTCORL must be 48 hexadecimal digits"),
        ("DEFINE SUB(S) TOPICSTR('a') DEST(A) DURABLE(NO)", "DURABLE is not a parameter"),
        ("ALTER SUB(NO) USERDATA(X)", "AMQ8147E"),
        ("ALTER SUB(THERE) TOPICSTR('b')", "TOPICSTR is not a parameter of ALTER SUB"),
        ("DELETE SUB(NO)", "AMQ8147E"),
        ("DELETE SUB SUBID(" + "0" * 48 + ")", "AMQ8147E"),
        ("DISPLAY SUB(NO)", "AMQ8147E"),
        ("DISPLAY SUB", "SUB needs a name or SUBID"),
        ("DEFINE SUB(THERE) TOPICSTR('other') DEST(A) REPLACE", "reason 2510"),
        ("DEFINE SUB(THERE) TOPICSTR('there') DEST(A) SUBLEVEL(2) REPLACE", "reason 2512"),
        ("DEFINE SUB(THERE) TOPICSTR('there') DEST(A) SELECTOR('y=1') REPLACE", "reason 2524"),
        ("DEFINE SUB(THERE) TOPICSTR('there') DEST(A) DESTCLAS(MANAGED) REPLACE", "reason 2533"),
    ],
)
def test_what_is_refused_changes_nothing(broker: Broker, command: str, answer: str) -> None:
    done(
        broker,
        "DEFINE TOPIC(OFF) TOPICSTR('off') SUB(DISABLED)",
        "DEFINE TOPIC(FLEETING) TOPICSTR('fleeting') DURSUB(NO)",
        "DEFINE SUB(THERE) TOPICSTR('there') DEST(A)",
    )
    before = broker.admin.subscriptions()
    queues = set(broker.qm.queues)
    assert answer in text(broker, command)
    assert broker.admin.subscriptions() == before and set(broker.qm.queues) == queues


def test_alter_changes_what_can_be_changed_and_a_restart_finds_it(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DEST(A)")
    assert text(broker, "ALTER SUB(S) DEST(B) PUBPRTY(ASQDEF) USERDATA('new')") == "AMQ8095I: Subscription changed."
    broker.bounce()
    (row,) = rows(broker, "DISPLAY SUB(S)")
    assert (row["DEST"], row["PUBPRTY"], row["USERDATA"]) == ("B", "ASQDEF", "new")
    publish(broker.connect(), "a", b"x")
    assert broker.qm.queues["B"].depth == 1
    assert "AMQ8147E" in text(broker, "ALTER SUB(S) DEST(NO) USERDATA('never')")
    assert rows(broker, "DISPLAY SUB(S)") == [row]


def test_replace_alters_and_like_copies(broker: Broker) -> None:
    done(
        broker,
        "DEFINE SUB(S) TOPICSTR('a') DEST(A) USERDATA('one') SELECTOR('x=1')",
        "DEFINE SUB(S) TOPICSTR('a') DEST(B) SELECTOR('x=1') REPLACE",
        "DEFINE SUB(T) LIKE(S) PUBPRTY(3)",
        "DEFINE SUB(U) LIKE(S) TOPICSTR('other')",
    )
    shown = {row["SUB"]: row for row in rows(broker, "DISPLAY SUB(*) ALL")}
    assert (shown["S"]["DEST"], shown["S"]["USERDATA"]) == ("B", "")
    assert (shown["T"]["TOPICSTR"], shown["T"]["DEST"], shown["T"]["SELECTOR"]) == ("a", "B", "x=1")
    assert (shown["T"]["PUBPRTY"], shown["U"]["TOPICSTR"]) == (3, "other")
    assert len({row["DESTCORL"] for row in shown.values()}) == 3


def test_subscriptions_are_found_by_name_id_and_filter(broker: Broker) -> None:
    done(broker, "DEFINE SUB('s one') TOPICSTR('a') DEST(A)", "DEFINE SUB('s two') TOPICSTR('b') DEST(B)")
    app = broker.connect()
    subscribe(app, "c")
    subscribe(app, "d", DURABLE, sub_name="durable api")
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB('s *')")] == ["s one", "s two"]
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*)")] == ["", "durable api", "s one", "s two"]
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*) SUBTYPE(ADMIN)")] == ["s one", "s two"]
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*) DURABLE(NO) SUBTYPE")] == [""]
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*) WHERE(TOPICSTR EQ 'b')")] == ["s two"]
    assert rows(broker, "DISPLAY SUB(*) SUBTYPE DURABLE")[0].keys() == {"SUBID", "SUB", "SUBTYPE", "DURABLE"}
    (found,) = rows(broker, "DISPLAY SUB('s one') TOPICSTR")
    (by_id,) = rows(broker, f"DISPLAY SUB SUBID({found['SUBID']})")
    assert by_id["SUB"] == "s one" and "DEST" in by_id
    done(broker, f"ALTER SUB SUBID({found['SUBID']}) USERDATA(X)", f"DELETE SUB SUBID({found['SUBID']})")
    assert "AMQ8147E" in text(broker, "DISPLAY SUB('s one')")


def test_a_subscription_that_an_application_has_open_is_in_use(broker: Broker) -> None:
    app = broker.connect()
    hsub = subscribe(app, "a", DURABLE, sub_name="S")
    assert text(broker, "DELETE SUB(S)") == "AMQ8148E: Object S is in use."
    assert text(broker, "ALTER SUB(S) USERDATA(X)") == "AMQ8148E: Object S is in use."
    app.close(hsub)
    assert text(broker, "ALTER SUB(S) USERDATA(X)") == "AMQ8095I: Subscription changed."
    again = subscribe(app, "a", DURABLE | MQSO_RESUME, sub_name="S")
    assert again.subscription is not None and open_subscription(again).user_data == "X"


def test_a_subscription_whose_time_is_up_is_gone(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) EXPIRY(50)", "DEFINE SUB(T) TOPICSTR('a') DEST(A)")
    broker.clock.advance(4_000)
    done(broker, "ALTER SUB(S) USERDATA('the clock goes on')")
    broker.clock.advance(1_000)
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*)")] == ["T"]
    done(broker, "DEFINE SUB(S) TOPICSTR('b') DEST(A) EXPIRY(50)", "ALTER SUB(S) EXPIRY(UNLIMITED)")
    broker.clock.advance(60_000)
    assert rows(broker, "DISPLAY SUB(S) EXPIRY")[0]["EXPIRY"] == "UNLIMITED"
    assert not [name for name in broker.qm.queues if name.startswith(MANAGED_DURABLE)]


def test_authority_is_asked_for_the_topic_and_for_the_command(broker: Broker) -> None:
    class Wary(Authority):
        def may_subscribe(self, user: str, topic_string: str, topics: list[str]) -> bool:
            return topic_string != "secret"

        def may_command(self, user: str, verb: str, object_kind: str, name: str) -> bool:
            return not (object_kind == "SUB" and name == "THEIRS")

    done(broker, "DEFINE SUB(THEIRS) TOPICSTR('a') DEST(A)", "DEFINE SUB(MINE) TOPICSTR('a') DEST(A)")
    broker.qm.authority = Wary()
    assert text(broker, "DEFINE SUB(S) TOPICSTR('secret') DEST(A)") == "AMQ8135E: Not authorized."
    assert text(broker, "DELETE SUB(THEIRS)") == "AMQ8135E: Not authorized."
    assert [row["SUB"] for row in rows(broker, "DISPLAY SUB(*)")] == ["MINE"]


# -- status -----------------------------------------------------------------------------------------------------------


def test_the_status_of_subscriptions(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DEST(A)")
    app = broker.connect()
    subscribe(app, "a", DURABLE, sub_name="OPEN")
    publish(app, "a", b"1")
    publish(app, "a", b"2")
    open_one, closed = rows(broker, "DISPLAY SBSTATUS(*) ALL")
    assert (closed["SUB"], closed["NUMMSGS"], closed["ACTCONN"], closed["SUBTYPE"]) == ("S", 2, "0" * 48, "ADMIN")
    assert (open_one["SUB"], open_one["ACTCONN"]) == ("OPEN", app.connection.connection_id.hex().upper())
    assert closed["LMSGDATE"] and closed["TOPICSTR"] == "a" and closed["DURABLE"] == "YES"
    assert text(broker, "DISPLAY SBSTATUS(S) NUMMSGS").splitlines()[0] == "AMQ8099I: Subscription status inquired."
    assert "AMQ8147E" in text(broker, "DIS SBS(NO)")


def test_the_status_of_topics(broker: Broker) -> None:
    done(
        broker,
        "DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit') DEFPRTY(5) DURSUB(YES)",
        "DEFINE SUB(S) TOPICSTR('price/fruit/apples') DEST(A)",
        "DEFINE SUB(W) TOPICSTR('price/+/apples') DEST(A)",
    )
    app = broker.connect()
    publish(app, "price/bread", b"x", retain=True)
    names = [row["TOPICSTR"] for row in rows(broker, "DISPLAY TPSTATUS('price/#')")]
    assert names == ["price", "price/+", "price/+/apples", "price/bread", "price/fruit", "price/fruit/apples"]
    (apples,) = rows(broker, "DISPLAY TPSTATUS('price/fruit/apples')")
    assert (apples["ADMIN"], apples["DEFPRTY"], apples["SUBCOUNT"], apples["RETAINED"]) == ("", 5, 1, "NO")
    (fruit,) = rows(broker, "DISPLAY TPSTATUS('price/fruit') ADMIN DEFPSIST")
    assert fruit == {"TOPICSTR": "price/fruit", "ADMIN": "FRUIT", "DEFPSIST": "NO"}
    assert [row["TOPICSTR"] for row in rows(broker, "DIS TPS('#') WHERE(RETAINED EQ YES)")] == ["price/bread"]
    assert rows(broker, "DISPLAY TPSTATUS('') ADMIN")[0]["ADMIN"] == "SYSTEM.BASE.TOPIC"
    assert text(broker, "DISPLAY TPSTATUS('nobody/knows')") == "AMQ8147E: Object nobody/knows not found."
    assert text(broker, "DISPLAY TPSTATUS('price/bread')").splitlines()[0] == "AMQ8754I: Display topic status details."


def test_who_subscribes_and_who_publishes(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a') DEST(A)")
    app = broker.connect()
    handle = open_topic(app, "a")
    assert handle is not None
    assert app.put(handle, b"x").reason == 0
    (subscriber,) = rows(broker, "DISPLAY TPSTATUS('a') TYPE(SUB)")
    assert (subscriber["SUBTYPE"], subscriber["NUMMSGS"], subscriber["SUBUSER"]) == ("ADMIN", 1, "admin")
    (publisher,) = rows(broker, "DISPLAY TPSTATUS('a') TYPE(PUB)")
    assert (publisher["ACTCONN"], publisher["NUMPUBS"]) == (app.connection.connection_id.hex().upper(), 1)
    assert rows(broker, "DISPLAY TPSTATUS('a') PUBCOUNT SUBCOUNT")[0] == {"TOPICSTR": "a", "PUBCOUNT": 1, "SUBCOUNT": 1}


def test_clearing_a_topic_string_removes_its_retained_publication(broker: Broker) -> None:
    app = broker.connect()
    publish(app, "a/b", b"x", retain=True, persistence=1)
    publish(app, "a/c", b"y", retain=True, persistence=1)
    assert "CLRTYPE is missing" in text(broker, "CLEAR TOPICSTR('a/b')")
    done(broker, "CLEAR TOPICSTR('a/b') CLRTYPE(RETAINED)", "CLEAR TOPICSTR('none') CLRTYPE(RETAINED)")
    for _ in range(2):
        assert [row["TOPICSTR"] for row in rows(broker, "DIS TPS('a/#') WHERE(RETAINED EQ YES)")] == ["a/c"]
        broker.bounce()


def test_the_state_of_publish_subscribe(broker: Broker) -> None:
    done(broker, "DEFINE SUB(S) TOPICSTR('a/b') DEST(A)")
    (row,) = rows(broker, "DISPLAY PUBSUB")
    assert (row["QMNAME"], row["TYPE"], row["STATUS"], row["SUBCOUNT"]) == ("QM1", "LOCAL", "ACTIVE", 1)
    assert isinstance(row["TPCOUNT"], int) and row["TPCOUNT"] >= 3
    done(broker, "ALTER QMGR PSMODE(DISABLED)")
    assert rows(broker, "DISPLAY PUBSUB TYPE(LOCAL) STATUS")[0]["STATUS"] == "INACTIVE"
    assert "AMQ8147E" in text(broker, "DISPLAY PUBSUB TYPE(PARENT)")


# -- dmpmqcfg ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("everything", [False, True])
def test_a_dump_has_topics_and_durable_subscriptions_and_makes_them_again(broker: Broker, everything: bool) -> None:
    done(
        broker,
        "DEFINE TOPIC(FRUIT) TOPICSTR('price/fruit') WILDCARD(BLOCK)",
        "DEFINE TOPIC(BELOW) TOPICSTR('dev/')",
        "DEFINE SUB('it''s') TOPICOBJ(FRUIT) TOPICSTR('+/x') DEST(A) USERDATA(' blank *')",
        "DEFINE SUB(WHOLE) TOPICOBJ(FRUIT) DEST(A) SUBLEVEL(4)",
        "DEFINE SUB(UNDER) TOPICOBJ(BELOW) TOPICSTR('x') DEST(A) SELECTOR('a = ''b''')",
        "DEFINE SUB(MANAGED) TOPICSTR('a/#') DESTCLAS(MANAGED) VARUSER(FIXED) PUBACCT(" + "0A" * 32 + ")",
    )
    app = broker.connect()
    subscribe(app, "fleeting")
    subscribe(app, "durable", DURABLE, sub_name="API")
    what = Dump(("TOPIC", "SUB"), everything=everything)
    lines = list(dump(broker.admin, what))
    assert sum(line.startswith("DEFINE SUB(") for line in lines) == 5
    other = Broker()
    said: list[str] = []
    assert run_script(other.admin, lines, said.append) == 0, said
    assert list(dump(other.admin, what)) == lines
    assert run_script(other.admin, lines, said.append) == 0, said
    assert list(dump(other.admin, what)) == lines


def test_define_sub_says_where_a_selection_string_is_wrong(broker: Broker) -> None:
    shown = text(broker, "DEFINE SUB(S) TOPICSTR('a') DEST(A) SELECTOR('n > 3 AND')")
    assert "reason 2459" in shown and "SELECTOR, position 10: " in shown
