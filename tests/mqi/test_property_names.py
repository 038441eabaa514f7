"""Names of properties: the rules N1 to N8, synonyms, the canonical name."""

import pytest

from flintmq.mqi import PropertyError
from flintmq.mqi.property_names import canonical, check_name, is_accessible, is_identifier


@pytest.mark.parametrize(
    "name",
    ["color", "usr.color", "shop.color", "shop.size.width", "_x", "$x", "größe", "x1", "mq_usr.a.b.c", "mqext.Arm",
     "JMSReplyTo", "JMSCorrelationID", "JMSType", "JMSXGroupID", "JMSXGroupSeq", "Root.MQMD.Priority", "nullable",
     "jmsx"],
)  # fmt: skip
def test_good_names(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("", "N2"), (".a", "N2"), ("a.", "N2"), ("a..b", "N2"),
        ("a b", "N3"), ("1a", "N3"), ("a=b", "N3"), ("a-b", "N3"), ("a%", "N3"), ("a.1", "N3"), ("a😀", "N3"),
        ("Body.x", "N4"), ("Root.x", "N4"), ("Rootless", "N4"),
        ("NULL", "N5"), ("true", "N5"), ("usr.Between", "N5"), ("eScApE", "N5"), ("in", "N5"),
        ("JMSFoo", "N6"), ("usr.JMSFoo", "N6"), ("JMSMessageID", "N6"), ("JMSDestination", "N6"), ("usr.JMSType", "N6"),
        ("mq.a.b", "N7"), ("MQsomething.a.b", "N7"), ("usr.a.b", "N8"),
    ],
)  # fmt: skip
def test_bad_names_break_a_rule(name: str, rule: str) -> None:
    with pytest.raises(PropertyError, match=rule) as caught:
        check_name(name)
    assert caught.value.reason == 2442


def test_the_length_has_a_reason_of_its_own() -> None:
    check_name("a" * 4095)
    with pytest.raises(PropertyError, match="N1") as caught:
        check_name("a" * 4096)
    assert caught.value.reason == 2513


def test_canonical_names() -> None:
    assert canonical("usr.color") == canonical("color") == "color"
    assert canonical("JMSReplyTo") == "jms.Rto" and canonical("JMSMessageID") == "Root.MQMD.MsgId"


def test_elements_that_no_program_can_name() -> None:
    assert is_accessible("usr", ["color"]) and is_accessible("shop", ["size", "width"])
    assert not is_accessible("usr", ["a", "b"]) and not is_accessible("usr", ["JMSFoo"])
    assert (
        not is_accessible("usr", ["null"]) and not is_accessible("shop", ["a.b"]) and not is_accessible("shop", ["a-b"])
    )
    assert not is_identifier("")
