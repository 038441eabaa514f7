"""The catalogue keeps definitions by kind and name, and resolves queue names as MQOPEN does."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.catalogue.attributes import STORED, is_object_name
from flintmq.mqi.reason import (
    MQRC_ALIAS_BASE_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_TYPE_ERROR,
    MQRC_DEF_XMIT_Q_USAGE_ERROR,
    MQRC_REMOTE_Q_NAME_ERROR,
    MQRC_UNKNOWN_ALIAS_BASE_Q,
    MQRC_UNKNOWN_DEF_XMIT_Q,
    MQRC_UNKNOWN_OBJECT_NAME,
    MQRC_UNKNOWN_REMOTE_Q_MGR,
    MQRC_UNKNOWN_XMIT_Q,
    MQRC_XMIT_Q_TYPE_ERROR,
    MQRC_XMIT_Q_USAGE_ERROR,
)
from flintmq.qmgr.catalogue import (
    Catalogue,
    RecordError,
    check_catalogue,
    from_record,
    matches,
)


@pytest.fixture
def catalogue() -> Catalogue:
    result = Catalogue()
    result.add("QMGR", "QM1", {})
    return result


def test_the_queue_kinds_share_one_name_space(catalogue: Catalogue) -> None:
    local = catalogue.add("QLOCAL", "A", {})

    assert catalogue.find("QUEUE", "A") is local
    assert catalogue.find("QALIAS", "A") is None
    assert catalogue.taken("QALIAS", "A") is local
    assert catalogue.taken("PROCESS", "A") is None
    check_catalogue(catalogue)


def test_names_are_case_sensitive(catalogue: Catalogue) -> None:
    catalogue.add("QLOCAL", "orders", {})
    assert catalogue.find("QLOCAL", "ORDERS") is None


def test_an_object_id_is_never_given_twice(catalogue: Catalogue) -> None:
    first = catalogue.add("QLOCAL", "A", {})
    catalogue.remove(first)
    second = catalogue.add("QLOCAL", "A", {})
    assert second.object_id > first.object_id

    restored = Catalogue()
    restored.restore(second.copy())
    assert restored.next_object_id == second.object_id + 1


def test_a_generic_name_finds_all_that_begin_alike_in_order(catalogue: Catalogue) -> None:
    for kind, name in (("QLOCAL", "B.2"), ("QALIAS", "B.1"), ("QLOCAL", "C"), ("QLOCAL", "b.3")):
        catalogue.add(kind, name, {})
    assert [each.name for each in catalogue.match("QUEUE", "B*")] == ["B.1", "B.2"]
    assert [each.name for each in catalogue.match("QLOCAL", "*")] == ["B.2", "C", "b.3"]
    assert [each.name for each in catalogue.match("QLOCAL", "C")] == ["C"]
    assert matches("*", "") and not matches("A", "AB") and matches("A*", "A")


def test_page_sets_are_in_order_of_number(catalogue: Catalogue) -> None:
    for number in ("10", "2", "0"):
        catalogue.add("PSID", number, {})
    assert [each.name for each in catalogue.match("PSID")] == ["0", "2", "10"]


def test_a_queue_is_on_the_page_set_of_its_storage_class(catalogue: Catalogue) -> None:
    catalogue.add("STGCLASS", "BIG", {"PSID": 7})
    assert catalogue.page_set_of(catalogue.add("QLOCAL", "A", {"STGCLASS": "BIG"})) == 7
    assert catalogue.page_set_of(catalogue.add("QLOCAL", "B", {"STGCLASS": "NONE"})) == 0


@pytest.mark.parametrize(
    ("kind", "name", "allowed"),
    [
        ("QLOCAL", "Any.Name_1/%", True),
        ("QLOCAL", "", False),
        ("QLOCAL", "A*", False),
        ("PSID", "0", True),
        ("PSID", "99", True),
        ("PSID", "100", False),
        ("PSID", "04", False),
        ("PSID", "9" * 5000, False),
        ("BUFFPOOL", "x", False),
        ("STGCLASS", "DEFAULT", True),
        ("STGCLASS", "lower", False),
        ("STGCLASS", "9TH", False),
        ("STGCLASS", "NINECHARS", False),
    ],
)
def test_each_kind_has_its_rule_for_names(kind: str, name: str, allowed: bool) -> None:
    assert is_object_name(kind, name) == allowed


def test_namcount_follows_names(catalogue: Catalogue) -> None:
    namelist = catalogue.add("NAMELIST", "N", {"NAMES": ["A", "B"]})
    assert namelist.number("NAMCOUNT") == 2
    namelist.change({"NAMES": []})
    assert namelist.number("NAMCOUNT") == 0
    check_catalogue(catalogue)


# -- records ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", STORED)
def test_a_record_gives_back_the_definition(kind: str) -> None:
    name = "7" if kind in ("PSID", "BUFFPOOL") else "NAME"
    definition = Catalogue().add(kind, name, {"DESCR": "Grüße €"} if kind == "QLOCAL" else {})
    again = from_record(definition.to_record())
    assert (again.kind, again.name, again.object_id) == (kind, name, definition.object_id)
    assert again.attributes == definition.attributes and not again.stopped


def test_a_record_tells_of_a_channel_that_is_stopped() -> None:
    definition = Catalogue().add("CHANNEL", "A", {})
    assert b"stopped" not in definition.to_record()
    definition.stopped = True
    assert from_record(definition.to_record()).stopped and definition.copy().stopped


def test_an_attribute_that_a_later_release_added_has_its_default() -> None:
    definition = Catalogue().add("QLOCAL", "A", {})
    content = json.loads(definition.to_record())
    del content["attributes"]["STRMQOS"]
    assert from_record(json.dumps(content).encode()).text("STRMQOS") == "BESTEF"


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"kind": "TEAPOT"},
        {"name": "A B"},
        {"name": 7},
        {"id": 0},
        {"id": True},
        {"attributes": []},
        {"attributes": {"DESCR": None}},
        {"attributes": {"NAMES": [1]}},
        {"stopped": True},
        {"kind": "CHANNEL", "stopped": 1},
        {"kind": "CHANNEL", "stopped": "yes"},
    ],
)
def test_a_record_that_cannot_be_right_is_refused(change: dict[str, object]) -> None:
    content = json.loads(Catalogue().add("QLOCAL", "A", {}).to_record())
    with pytest.raises(RecordError):
        from_record(json.dumps({**content, **change}).encode())


@given(st.binary(max_size=200))
def test_bytes_that_are_no_record_are_refused(data: bytes) -> None:
    with pytest.raises(RecordError):
        from_record(data)
    with pytest.raises(RecordError):
        from_record(b"[" * 100_000)


# -- name resolution --------------------------------------------------------------------------------------------------


@pytest.fixture
def network(catalogue: Catalogue) -> Catalogue:
    """QM1 with a queue, a transmission queue to QM2, and definitions that lead to both."""
    for kind, name, attributes in (
        ("QLOCAL", "LOCAL", {}),
        ("QMODEL", "MODEL", {}),
        ("QLOCAL", "QM2", {"USAGE": "XMITQ"}),
        ("QLOCAL", "XMIT", {"USAGE": "XMITQ"}),
        ("QALIAS", "ALIAS", {"TARGET": "LOCAL"}),
        ("QALIAS", "ALIAS.REMOTE", {"TARGET": "REMOTE"}),
        ("QALIAS", "ALIAS.ALIAS", {"TARGET": "ALIAS"}),
        ("QALIAS", "ALIAS.NOTHING", {"TARGET": "NOTHING"}),
        ("QALIAS", "ALIAS.TOPIC", {"TARGET": "PRICES", "TARGTYPE": "TOPIC"}),
        ("QREMOTE", "REMOTE", {"RNAME": "FAR", "RQMNAME": "QM2"}),
        ("QREMOTE", "REMOTE.VIA", {"RNAME": "FAR", "RQMNAME": "QM3", "XMITQ": "XMIT"}),
        ("QREMOTE", "REMOTE.BAD.VIA", {"RNAME": "FAR", "RQMNAME": "QM3", "XMITQ": "NOTHING"}),
        ("QREMOTE", "REMOTE.LOCAL.VIA", {"RNAME": "FAR", "RQMNAME": "QM3", "XMITQ": "LOCAL"}),
        ("QREMOTE", "REMOTE.ALIAS.VIA", {"RNAME": "FAR", "RQMNAME": "QM3", "XMITQ": "ALIAS"}),
        ("QREMOTE", "REMOTE.NAMELESS", {"RQMNAME": "QM2"}),
        ("QREMOTE", "REMOTE.HERE", {"RNAME": "LOCAL", "RQMNAME": "QM1"}),
        ("QREMOTE", "QM9", {"RQMNAME": "QM2"}),
        ("QREMOTE", "HERE", {"RQMNAME": "QM1"}),
    ):
        catalogue.add(kind, name, dict(attributes))
    return catalogue


@pytest.mark.parametrize(
    ("q_name", "q_mgr_name", "queue", "remote"),
    [
        ("LOCAL", "", "LOCAL", ("", "")),
        ("LOCAL", "QM1", "LOCAL", ("", "")),
        ("MODEL", "", "MODEL", ("", "")),
        ("ALIAS", "", "LOCAL", ("", "")),
        ("ALIAS.REMOTE", "", "QM2", ("FAR", "QM2")),
        ("REMOTE", "", "QM2", ("FAR", "QM2")),
        ("REMOTE.VIA", "", "XMIT", ("FAR", "QM3")),
        ("ANY", "QM2", "QM2", ("ANY", "QM2")),
        ("ANY", "QM9", "QM2", ("ANY", "QM2")),
        ("LOCAL", "HERE", "LOCAL", ("", "")),
    ],
)
def test_a_name_leads_to_a_queue(
    network: Catalogue, q_name: str, q_mgr_name: str, queue: str, remote: tuple[str, str]
) -> None:
    resolution = network.resolve(q_name, q_mgr_name)
    assert resolution.reason == 0 and resolution.queue is not None
    assert resolution.queue.name == queue
    assert (resolution.remote_q_name, resolution.remote_q_mgr_name) == remote


@pytest.mark.parametrize(
    ("q_name", "q_mgr_name", "reason"),
    [
        ("NOTHING", "", MQRC_UNKNOWN_OBJECT_NAME),
        ("local", "", MQRC_UNKNOWN_OBJECT_NAME),
        ("ALIAS.NOTHING", "", MQRC_UNKNOWN_ALIAS_BASE_Q),
        ("ALIAS.ALIAS", "", MQRC_ALIAS_BASE_Q_TYPE_ERROR),
        ("REMOTE.BAD.VIA", "", MQRC_UNKNOWN_XMIT_Q),
        ("REMOTE.LOCAL.VIA", "", MQRC_XMIT_Q_USAGE_ERROR),
        ("REMOTE.ALIAS.VIA", "", MQRC_XMIT_Q_TYPE_ERROR),
        ("REMOTE.NAMELESS", "", MQRC_REMOTE_Q_NAME_ERROR),
        ("REMOTE.HERE", "", MQRC_REMOTE_Q_NAME_ERROR),
        ("ANY", "QM77", MQRC_UNKNOWN_REMOTE_Q_MGR),
        ("ANY", "LOCAL", MQRC_XMIT_Q_USAGE_ERROR),
    ],
)
def test_a_name_that_leads_nowhere_has_its_reason(
    network: Catalogue, q_name: str, q_mgr_name: str, reason: int
) -> None:
    resolution = network.resolve(q_name, q_mgr_name)
    assert resolution.reason == reason and resolution.queue is None


@pytest.mark.parametrize(
    ("default", "reason"),
    [
        ("XMIT", 0),
        ("NOTHING", MQRC_UNKNOWN_DEF_XMIT_Q),
        ("ALIAS", MQRC_DEF_XMIT_Q_TYPE_ERROR),
        ("LOCAL", MQRC_DEF_XMIT_Q_USAGE_ERROR),
    ],
)
def test_an_unknown_queue_manager_is_reached_by_the_default_transmission_queue(
    network: Catalogue, default: str, reason: int
) -> None:
    network.q_mgr().change({"DEFXMITQ": default})
    assert network.resolve("ANY", "QM77").reason == reason


def test_an_alias_may_lead_to_a_topic(network: Catalogue) -> None:
    resolution = network.resolve("ALIAS.TOPIC")
    assert (resolution.reason, resolution.topic, resolution.queue) == (0, "PRICES", None)
