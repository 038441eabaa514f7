"""The topic tree: what holds at a topic, and who is meant by it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attributes import default_attributes
from flintmq.command.defaults import default_objects
from flintmq.mqi.pcf_constants import MQRCCF_TOPICSTR_ALREADY_EXISTS
from flintmq.mqi.reason import (
    MQRC_NONE,
    MQRC_OBJECT_IN_USE,
    MQRC_TOPIC_NOT_ALTERABLE,
    MQRC_TOPIC_STRING_ERROR,
)
from flintmq.mqi.topic_words import join_topic
from flintmq.qmgr.admin import Admin
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.subscription import WILDCARD_CHAR, WILDCARD_TOPIC, RecordError, Subscription, from_record
from flintmq.qmgr.topic_tree import TopicTree, has_wildcard, is_subscribable, is_topic_string, tokens, tokens_match
from tests.qmgr.conftest import Engine


def topic(name: str, topic_string: str, **values: Value) -> MQObject:
    attributes = default_attributes("TOPIC")
    attributes.update(values)
    attributes["TOPICSTR"] = topic_string
    return MQObject("TOPIC", name, 1, attributes)


def tree_of(*topic_strings: str, wildcard: int = WILDCARD_TOPIC) -> TopicTree:
    tree = TopicTree()
    for topic_string in topic_strings:
        subscription = Subscription(bytes(24), topic_string, topic_string)
        subscription.wildcard = wildcard
        tree.add(subscription)
    return tree


def found(tree: TopicTree, topic_string: str) -> list[str]:
    return sorted(each.name for each in tree.match(topic_string))


# -- topic strings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic_string", "object_string", "whole"),
    [
        ("Football/Scores", "", "Football/Scores"),
        ("", "Football/Scores", "Football/Scores"),
        ("Football", "Scores", "Football/Scores"),
        ("Football", "/Scores", "Football//Scores"),
        ("/Football", "Scores", "/Football/Scores"),
        ("dev/", "prices", "dev/prices"),
        ("", "", ""),
    ],
)
def test_a_slash_joins_the_string_of_the_object_and_that_of_the_application(
    topic_string: str, object_string: str, whole: str
) -> None:
    assert join_topic(topic_string, object_string) == whole


def test_a_topic_string_has_up_to_10240_characters_and_may_not_be_empty() -> None:
    assert is_topic_string("a" * 10_240) and is_topic_string("/") and is_topic_string(" ")
    assert not is_topic_string("a" * 10_241)
    assert not is_topic_string("")
    assert not is_topic_string("a\0b")


def test_in_the_character_scheme_an_escape_stands_before_a_wildcard_or_another_escape() -> None:
    assert is_subscribable("100%% of %*%?", WILDCARD_CHAR)
    assert not is_subscribable("100% of", WILDCARD_CHAR)
    assert not is_subscribable("100%", WILDCARD_CHAR)
    assert not is_subscribable("%%%", WILDCARD_CHAR)
    assert is_subscribable("100%", WILDCARD_TOPIC)


def test_wildcards_are_whole_levels_or_characters() -> None:
    assert has_wildcard("a/+/b", WILDCARD_TOPIC) and has_wildcard("#", WILDCARD_TOPIC)
    assert not has_wildcard("a+/#b", WILDCARD_TOPIC) and not has_wildcard("a*", WILDCARD_TOPIC)
    assert has_wildcard("a*", WILDCARD_CHAR) and has_wildcard("?", WILDCARD_CHAR)
    assert not has_wildcard("a/+/%*", WILDCARD_CHAR)


# -- attributes --------------------------------------------------------------------------------------------------------


def test_without_any_object_the_values_of_the_base_topic_hold() -> None:
    attributes = TopicTree().attributes("a/b")
    assert (attributes.publish_enabled, attributes.subscribe_enabled, attributes.durable_allowed) == (True, True, True)
    assert (attributes.persistent_delivery, attributes.non_persistent_delivery) == ("ALLDUR", "ALLAVAIL")
    assert (attributes.def_priority, attributes.def_persistence, attributes.cap_expiry) == (0, 0, 0)
    assert attributes.use_dead_letter_queue and attributes.durable_model == "SYSTEM.DURABLE.MODEL.QUEUE"


def test_what_an_object_leaves_to_its_parent_the_next_one_above_says() -> None:
    tree = TopicTree()
    tree.define(topic("SYSTEM.BASE.TOPIC", "", DEFPRTY=3, MNDURMDL="BASE.MODEL"))
    tree.define(topic("A", "a", PUB="DISABLED", DEFPSIST="YES", MNDURMDL="A.MODEL"))
    tree.define(topic("ABC", "a/b/c", PUB="ENABLED", CAPEXPRY=50))
    here = tree.attributes("a/b/c/d")
    assert (here.name, here.topic_string) == ("ABC", "a/b/c")
    assert here.publish_enabled and here.def_persistence == 1 and here.def_priority == 3 and here.cap_expiry == 50
    assert here.non_durable_model == "A.MODEL"
    above = tree.attributes("a/b")
    assert not above.publish_enabled and above.name == "A" and above.cap_expiry == 0
    beside = tree.attributes("ab")
    assert beside.publish_enabled and beside.name == "SYSTEM.BASE.TOPIC" and beside.non_durable_model == "BASE.MODEL"
    assert [each.name for each in tree.ancestors("a/b/c")] == ["ABC", "A", "SYSTEM.BASE.TOPIC"]


def test_a_change_of_an_object_holds_at_once_and_below() -> None:
    tree = TopicTree()
    definition = topic("A", "a")
    tree.define(definition)
    assert tree.attributes("a/b").publish_enabled
    generation = tree.generation
    definition.attributes["PUB"] = "DISABLED"
    tree.define(definition)
    assert not tree.attributes("a/b").publish_enabled and tree.generation > generation
    tree.remove(definition)
    assert tree.attributes("a/b").publish_enabled
    assert tree.object_at("a") is None


def test_an_object_that_ends_with_a_slash_is_for_what_is_below() -> None:
    tree = TopicTree()
    tree.define(topic("DEV.BASE.TOPIC", "dev/", PUB="DISABLED"))
    assert tree.attributes("dev/x").name == "DEV.BASE.TOPIC" and tree.attributes("dev/").name == "DEV.BASE.TOPIC"
    assert tree.attributes("dev").name == "" and tree.attributes("devx").name == ""
    tree.define(topic("DEV", "dev"))
    assert tree.attributes("dev").name == "DEV" and tree.attributes("dev/x").name == "DEV.BASE.TOPIC"
    assert [each.name for each in tree.ancestors("dev/x")] == ["DEV.BASE.TOPIC", "DEV"]


def test_the_default_topic_has_no_place_in_the_tree() -> None:
    tree = TopicTree()
    tree.define(topic("SYSTEM.DEFAULT.TOPIC", "", PUB="DISABLED"))
    assert tree.attributes("a").publish_enabled


# -- matching ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("a/b", ["a/b"], ["a", "a/b/c", "a/B", "/a/b", "a/b/"]),
        ("a/+", ["a/b", "a/"], ["a", "a/b/c"]),
        ("+", ["a", ""], ["a/b", "/"]),
        ("+/+", ["a/b", "/"], ["a"]),
        ("#", ["a", "a/b", "/", "$SYS/x"], []),
        ("a/#", ["a", "a/b", "a/b/c", "a/"], ["ab", "b/a"]),
        ("#/c", ["c", "a/c", "a/b/c"], ["c/d", "ac"]),
        ("a/#/c", ["a/c", "a/b/c", "a/b/b/c", "a/c/c"], ["a", "c", "a/c/d"]),
        ("a/#/#", ["a", "a/b"], ["b"]),
        ("#/b/#/d/#", ["b/d", "a/b/c/d/e", "b/b/d/d"], ["d/b", "b"]),
        ("+/#/+", ["a/b", "a/b/c"], ["a"]),
        ("a+/b#", ["a+/b#"], ["ab/bb"]),
    ],
)
def test_wildcards_of_the_topic_scheme_stand_for_levels(pattern: str, matching: list[str], others: list[str]) -> None:
    tree = tree_of(pattern)
    for each in matching:
        assert found(tree, each) == [pattern], each
    for each in others:
        assert found(tree, each) == [], each


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("a/b", ["a/b"], ["a", "a/b/c"]),
        ("a*", ["a", "ab", "a/b/c"], ["b", ""]),
        ("a/b*", ["a/b", "a/bc", "a/b/c"], ["a/c", "a"]),
        ("a/*", ["a/", "a/b", "a/b/c"], ["a", "ab"]),
        ("*/c", ["a/c", "a/b/c", "/c"], ["c", "a/c/d"]),
        ("a?c", ["abc", "a/c"], ["ac", "abbc"]),
        ("*", ["a", "a/b", "/"], []),
        ("a%*", ["a*"], ["ab"]),
        ("50%%*", ["50%", "50%x"], ["50"]),
        ("a/+/#", ["a/+/#"], ["a/b/c"]),
        ("a/b/x*y?z*", ["a/b/xyaz", "a/b/x//y/z/"], ["a/b/xyz", "a/x"]),
    ],
)
def test_wildcards_of_the_character_scheme_stand_for_characters(
    pattern: str, matching: list[str], others: list[str]
) -> None:
    tree = tree_of(pattern, wildcard=WILDCARD_CHAR)
    for each in matching:
        assert found(tree, each) == [pattern], each
    for each in others:
        assert found(tree, each) == [], each


def test_block_hides_a_topic_from_wildcards_that_reach_above_it() -> None:
    tree = tree_of("#", "a/#", "a/+/c", "a/b/#", "a/b/c", "+/b/c", "a/b/+")
    assert found(tree, "a/b/c") == ["#", "+/b/c", "a/#", "a/+/c", "a/b/#", "a/b/+", "a/b/c"]
    tree.define(topic("AB", "a/b", WILDCARD="BLOCK"))
    assert found(tree, "a/b/c") == ["a/b/#", "a/b/+", "a/b/c"]
    assert found(tree, "a/b") == ["a/b/#"]
    assert found(tree, "a/x/c") == ["#", "a/#", "a/+/c"]
    tree.define(topic("ABC", "a/b/c"))  # PASSTHRU below does not open what is closed above.
    assert found(tree, "a/b/c") == ["a/b/#", "a/b/+", "a/b/c"]


def test_block_holds_for_characters_too() -> None:
    tree = tree_of("a*", "a/b*", "a/b/*", "*", wildcard=WILDCARD_CHAR)
    tree.define(topic("AB", "a/b", WILDCARD="BLOCK"))
    assert found(tree, "a/b/c") == ["a/b/*"]
    assert found(tree, "a/c") == ["*", "a*"]


def test_many_wildcards_cost_no_more_than_levels_times_nodes() -> None:
    tree = tree_of("/".join(["#", "a"] * 20))
    assert found(tree, "/".join(["a"] * 200)) == ["/".join(["#", "a"] * 20)]
    assert found(tree, "/".join(["a"] * 200 + ["b"])) == []
    assert not tokens_match(tokens("*a" * 40), "a" * 2000 + "b")


_LEVEL = st.sampled_from(["a", "b", "", "ab", "+", "#"])
_PATTERN = st.lists(_LEVEL, min_size=1, max_size=5).map("/".join).filter(bool)
_TOPIC = st.lists(st.sampled_from(["a", "b", "", "ab", "c"]), min_size=1, max_size=6).map("/".join).filter(bool)
_CHARACTERS = st.text(alphabet="ab/*?%", min_size=1, max_size=8).filter(lambda text: is_subscribable(text, 1))


def naive(pattern: str, wildcard: int) -> re.Pattern[str]:
    """The pattern as a regular expression, written without a thought of speed."""
    if wildcard == WILDCARD_CHAR:
        parts = {"": "[^\n]", "**": "[^\n]*"}
        return re.compile("".join(parts[each] if each in parts else re.escape(each) for each in tokens(pattern)))
    expression = ""
    for level in pattern.split("/"):
        one = "/[^/]*" if level == "+" else "(?:/[^/]*)*" if level == "#" else "/" + re.escape(level)
        expression += one
    return re.compile(expression)


def plain_levels(subscription: Subscription) -> list[str]:
    """The levels of a topic string that are plain text, up to the first that is not."""
    if subscription.wildcard == WILDCARD_TOPIC:
        levels = subscription.topic_string.split("/")
        return levels[: min([levels.index(each) for each in ("+", "#") if each in levels], default=len(levels))]
    text = ""
    for token in tokens(subscription.topic_string):
        if token in ("", "**"):
            return text.split("/")[:-1]
        text += token
    return text.split("/")


@settings(max_examples=400, deadline=None)
@given(
    st.lists(_PATTERN, max_size=8, unique=True),
    st.lists(_CHARACTERS, max_size=8, unique=True),
    st.lists(_TOPIC, min_size=1, max_size=6),
    st.lists(st.integers(0, 15), max_size=8),
    st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3),
)
def test_the_tree_finds_what_a_regular_expression_finds(
    by_level: list[str], by_character: list[str], topics: list[str], gone: list[int], blocked: list[str]
) -> None:
    tree = TopicTree()
    if blocked:
        tree.define(topic("BLOCKED", "/".join(blocked), WILDCARD="BLOCK"))
    subscriptions: list[Subscription] = []
    for wildcard, patterns in ((WILDCARD_TOPIC, by_level), (WILDCARD_CHAR, by_character)):
        for pattern in patterns:
            subscription = Subscription(bytes(24), f"{wildcard}:{pattern}", pattern)
            subscription.wildcard = wildcard
            subscriptions.append(subscription)
            tree.add(subscription)
    for number in gone:
        if number < len(subscriptions):
            tree.discard(subscriptions.pop(number))
    for each in topics:
        expected = []
        for subscription in subscriptions:
            text = each if subscription.wildcard == WILDCARD_CHAR else "/" + each
            closed = blocked if each.split("/")[: len(blocked)] == blocked else []
            if plain_levels(subscription)[: len(closed)] != closed:
                continue
            if naive(subscription.topic_string, subscription.wildcard).fullmatch(text):
                expected.append(subscription.name)
        assert found(tree, each) == sorted(expected), each
    for subscription in subscriptions:
        assert subscription.wildcard == WILDCARD_CHAR or subscription in tree.at(subscription.topic_string)
    for subscription in subscriptions:
        tree.discard(subscription)
    assert tree.root.is_empty() and tree.subscription_count == 0 and tree.character_count == 0


# -- definitions -------------------------------------------------------------------------------------------------------


def test_a_topic_string_belongs_to_one_object_and_never_changes(engine: Engine) -> None:
    admin = Admin(engine.qm)
    values = default_attributes("TOPIC")
    assert admin.define("TOPIC", "A", {**values, "TOPICSTR": "a"}, False) == MQRC_NONE
    assert admin.define("TOPIC", "B", {**values, "TOPICSTR": "a"}, False) == MQRCCF_TOPICSTR_ALREADY_EXISTS
    assert admin.define("TOPIC", "B", {**values, "TOPICSTR": ""}, False) == MQRC_TOPIC_STRING_ERROR
    assert admin.define("TOPIC", "A", {**values, "TOPICSTR": "b"}, True) == MQRC_TOPIC_NOT_ALTERABLE
    assert admin.alter("TOPIC", "A", {"PUB": "DISABLED"}, False) == MQRC_NONE
    assert not engine.qm.topics.attributes("a/b").publish_enabled
    assert admin.delete("TOPIC", "A", False) == MQRC_NONE
    assert engine.qm.topics.attributes("a/b").publish_enabled


def test_the_base_topic_is_never_deleted(engine: Engine) -> None:
    admin = Admin(engine.qm)
    row = next(row for row in default_objects() if row.name == "SYSTEM.BASE.TOPIC")
    engine.qm.topics.define(engine.qm.catalogue.add("TOPIC", row.name, row.attributes))
    assert admin.delete("TOPIC", "SYSTEM.BASE.TOPIC", False) == MQRC_OBJECT_IN_USE


# -- subscriptions -----------------------------------------------------------------------------------------------------


def test_a_durable_subscription_comes_back_from_its_record() -> None:
    subscription = Subscription(b"x" * 24, "name/ä", "a/+")
    subscription.correl_id = b"c" * 24
    subscription.accounting_token = b"t" * 32
    subscription.selector = "colour = 'red'"
    subscription.grouped = subscription.managed = True
    subscription.pub_priority = 7
    subscription.expires_ms = 1 << 45
    again = from_record(subscription.to_record())
    assert again.durable and again.to_record() == subscription.to_record()
    assert (again.sub_id, again.name, again.selector, again.pub_priority) == (b"x" * 24, "name/ä", "colour = 'red'", 7)


@pytest.mark.parametrize(
    "record", [b"", b"[]", b"{}", b'{"v":2}', b'{"v":1,"id":"00"}', b"\xff", b'{"v":1,"id":1}', b"[" * 9999]
)
def test_a_record_that_is_no_subscription_is_refused(record: bytes) -> None:
    with pytest.raises(RecordError):
        from_record(record)
