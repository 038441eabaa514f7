"""Names of AMQP as names of MQ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("kombu", reason="Kombu is not installed: pip install 'flintmq[celery]'")

from flintmq.integrations.kombu import names  # noqa: E402
from flintmq.mqi.object_name import is_name  # noqa: E402


@pytest.mark.parametrize(
    ("name", "mapped"),
    [
        ("celery", "celery"),
        ("APP/ORDERS_1.IN", "APP/ORDERS_1.IN"),
        ("celery@host-1.celery.pidbox", "celery%40host%2D1.celery.pidbox"),
        ("100%", "100%25"),
        ("é", "%C3%A9"),
    ],
)
def test_a_name_is_mapped_and_mapped_back(name: str, mapped: str) -> None:
    assert names.queue_name(name) == mapped
    assert names.kombu_name(mapped) == name
    assert names.kombu_name(names.queue_name(name, "DEV."), "DEV.") == name


@given(st.text(min_size=1, max_size=80))
def test_every_text_has_a_name_that_mq_allows(name: str) -> None:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return
    for prefix in ("", "DEV.CELERY."):
        mapped = names.queue_name(name, prefix)
        assert is_name(mapped) and mapped.startswith(prefix)
        if names.HASHED not in mapped:
            assert names.kombu_name(mapped, prefix) == name


def test_long_names_that_begin_alike_differ() -> None:
    made = {names.queue_name("x" * 60 + str(number)) for number in range(1000)}
    assert len(made) == 1000
    assert all(len(name) == names.NAME_LENGTH for name in made)


def test_a_name_that_looks_like_a_hashed_one_is_another() -> None:
    hashed = names.queue_name("x" * 60)
    assert names.queue_name(hashed) != hashed


@pytest.mark.parametrize("bad", ["", None, 7])
def test_what_is_no_name_is_refused(bad: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        names.queue_name(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "key", "topic"),
    [
        ("fanout", "ignored", "FLINTMQ.KOMBU/ex/#"),
        ("direct", "a.b", "FLINTMQ.KOMBU/ex/a/b"),
        ("direct", "a.*", "FLINTMQ.KOMBU/ex/a/%2A"),
        ("topic", "a.*.#", "FLINTMQ.KOMBU/ex/a/+/#"),
        ("topic", "a/b.+", "FLINTMQ.KOMBU/ex/a%2Fb/%2B"),
        ("topic", "", "FLINTMQ.KOMBU/ex"),
        ("topic", "a..b", "FLINTMQ.KOMBU/ex/a/%/b"),
    ],
)
def test_a_binding_is_a_topic_string(kind: str, key: str, topic: str) -> None:
    assert names.binding_string("ex", kind, key) == topic
