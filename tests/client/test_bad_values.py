"""Values that no field can hold: refused before anything is changed, and the queue manager goes on.

Fields of compiled structures refuse values of another type themselves; in plain Python None looks like an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import flintmq
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQOO_BROWSE,
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENT,
    MQPMO_NO_SYNCPOINT,
    MQPMO_SYNCPOINT,
    MQSO_CREATE,
    MQSO_MANAGED,
)
from flintmq.mqi.errors import MQStructuresError
from flintmq.mqi.gmo import FIELDS as GMO_FIELDS
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import FIELDS as MD_FIELDS
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import FIELDS as OD_FIELDS
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import FIELDS as PMO_FIELDS
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_EXPIRY_ERROR, MQRC_MD_ERROR, MQRC_PRIORITY_ERROR, MQRC_PRIORITY_EXCEEDS_MAXIMUM
from flintmq.mqi.sd import FIELDS as SD_FIELDS
from flintmq.mqi.sd import MQSD
from flintmq.testing import DiskQueueManager
from tests.client.remote.serving import QUEUE, Serving

NUMBERS = (2**31, 2**40, -(2**33), 2**64, 1.5, "x", None)
BYTES = (b"y" * 100, "text", None, 5)
TEXTS = ("z" * 20_000, b"", b"bytes", None, 5)
REFUSED = (flintmq.MQError, MQStructuresError, TypeError, ValueError)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[DiskQueueManager]:
    with DiskQueueManager(tmp_path / "QM1") as opened:
        yield opened


@pytest.fixture
def serving() -> Iterator[Serving]:
    made = Serving()
    yield made
    made.close()


def wrong_values(value: object) -> tuple[Any, ...]:
    if isinstance(value, int):
        return NUMBERS
    return BYTES if isinstance(value, bytes) else TEXTS if isinstance(value, str) else ()


def object_descriptor() -> MQOD:
    od = MQOD()
    od.version, od.object_name = 4, QUEUE
    return od


def put_with(structure: type[Any], field: str, value: object, persistence: int, options: int) -> Callable[[Any], None]:
    def call(qm: Any) -> None:
        md, od, pmo = MQMD(), object_descriptor(), MQPMO()
        md.version, pmo.version = 2, 3
        md.persistence, pmo.options = persistence, options
        setattr({MQMD.__name__: md, MQOD.__name__: od, MQPMO.__name__: pmo}[structure.__name__], field, value)
        qm.mqi.put1(od, md, pmo, b"data")

    return call


def get_with(field: str, value: object) -> Callable[[Any], None]:
    def call(qm: Any) -> None:
        gmo = MQGMO()
        gmo.version, gmo.options = 4, MQGMO_BROWSE_FIRST
        setattr(gmo, field, value)
        handle = qm.mqi.open(object_descriptor(), MQOO_BROWSE)
        try:
            qm.mqi.get(handle, MQMD(), gmo)
        finally:
            qm.mqi.close(handle)

    return call


def subscribe_with(field: str, value: object) -> Callable[[Any], None]:
    def call(qm: Any) -> None:
        sd = MQSD()
        sd.options, sd.object_string = MQSO_CREATE | MQSO_MANAGED, "a/b"
        setattr(sd, field, value)
        queue, subscription = qm.mqi.sub(sd)
        qm.mqi.close(subscription)
        qm.mqi.close(queue)

    return call


def calls() -> Iterator[tuple[str, Callable[[Any], None]]]:
    """Every field of the structures that a call takes, with every wrong value, and what the call is to be."""
    for structure, fields in ((MQMD, MD_FIELDS), (MQOD, OD_FIELDS), (MQPMO, PMO_FIELDS)):
        for field in fields:
            for value in wrong_values(getattr(structure(), field)):
                for persistence in (MQPER_NOT_PERSISTENT, MQPER_PERSISTENT):
                    for options in (MQPMO_NO_SYNCPOINT, MQPMO_SYNCPOINT):
                        said = f"{structure.__name__}.{field} = {value!r:.20}, {persistence}, {options}"
                        yield said, put_with(structure, field, value, persistence, options)
    for field in GMO_FIELDS:
        for value in wrong_values(getattr(MQGMO(), field)):
            yield f"MQGMO.{field} = {value!r:.20}", get_with(field, value)
    for field in SD_FIELDS:
        for value in wrong_values(getattr(MQSD(), field)):
            yield f"MQSD.{field} = {value!r:.20}", subscribe_with(field, value)


def refuses_all(qm: Any) -> None:
    """Make every call: nothing but a refusal comes of it, or nothing at all where the field is not looked at."""
    for said, call in calls():
        try:
            call(qm)
        except flintmq.NotConnected as stopped:
            pytest.fail(f"{said} has stopped the queue manager: {stopped}")
        except REFUSED:
            pass
        except Exception as error:
            pytest.fail(f"{said} is not refused, but fails: {error!r}")


def test_no_value_of_a_structure_stops_the_queue_manager_or_harms_its_log(disk: DiskQueueManager) -> None:
    before = disk.queue(QUEUE).put(b"before", persistent=True)

    refuses_all(disk)
    disk.mqi.back()
    disk.queue(QUEUE).put(b"after", persistent=True)
    disk.crash()

    assert disk.queue(QUEUE).get(message_id=before).data == b"before"
    assert b"after" in [message.data for message in disk.queue(QUEUE).browse()]


def test_no_value_of_a_structure_stops_a_queue_manager_at_the_other_end(serving: Serving) -> None:
    with serving.connect() as qm:
        refuses_all(qm)
        qm.mqi.back()

        qm.queue(QUEUE).put(b"after", correlation_id=b"1")
        assert qm.queue(QUEUE).get(correlation_id=b"1").data == b"after"


def test_a_priority_above_the_maximum_is_a_warning_and_is_kept_up_to_255(disk: DiskQueueManager) -> None:
    mqi = disk.mqi
    od, md, pmo = object_descriptor(), MQMD(), MQPMO()
    md.priority, md.persistence = 70_000, MQPER_PERSISTENT
    mqi.put1(od, md, pmo, b"data")
    assert mqi.reason == MQRC_PRIORITY_EXCEEDS_MAXIMUM

    disk.crash()

    assert disk.queue(QUEUE).get().priority == 255


@pytest.fixture
def qm() -> Iterator[flintmq.QueueManager]:
    with flintmq.open(":memory:", developer=True) as opened:
        yield opened


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("expiry", 2**40, MQRC_MD_ERROR),
        ("expiry", -7, MQRC_EXPIRY_ERROR),
        ("priority", -(2**31), MQRC_PRIORITY_ERROR),
        ("feedback", -(2**33), MQRC_MD_ERROR),
        ("put_date", "2" * 9, MQRC_MD_ERROR),
        ("msg_id", b"1" * 25, MQRC_MD_ERROR),
    ],
)
def test_a_number_out_of_range_has_its_reason_code(
    qm: flintmq.QueueManager, field: str, value: object, reason: int
) -> None:
    with pytest.raises((flintmq.MQError, MQStructuresError)) as refused:
        put_with(MQMD, field, value, MQPER_PERSISTENT, MQPMO_NO_SYNCPOINT)(qm)

    assert getattr(refused.value, "reason", 0) == reason
    assert qm.queue(QUEUE).depth == 0


@pytest.mark.parametrize("options", ["x", None, 1.5])
def test_options_that_are_no_number_are_refused_before_the_call(qm: flintmq.QueueManager, options: Any) -> None:
    handle = qm.mqi.open(object_descriptor(), MQOO_BROWSE)

    with pytest.raises(TypeError):
        qm.mqi.open(object_descriptor(), options)
    with pytest.raises(TypeError):
        qm.mqi.get(handle, MQMD(), MQGMO(), options)
    with pytest.raises(TypeError):
        qm.mqi.close(handle, options)

    qm.mqi.close(handle)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda qm: qm.queue(QUEUE).get(max_length="10"), TypeError),
        (lambda qm: qm.queue(QUEUE).get(max_length=-5), ValueError),
        (lambda qm: qm.queue(QUEUE).get(selector=5), TypeError),
        (lambda qm: qm.queue(QUEUE).browse(selector=b"a = 1"), TypeError),
        (lambda qm: qm.queue(QUEUE).get(wait=1e30), ValueError),
        (lambda qm: qm.queue(QUEUE).put(b"", properties=["a"]), TypeError),
        (lambda qm: qm.subscribe("a/b", queue=["A"]), TypeError),
        (lambda qm: qm.subscribe("a/b", expiry=float("inf")), ValueError),
        (lambda qm: qm.subscribe("a/b", expiry=-3), ValueError),
    ],
)
def test_an_argument_of_the_wrong_kind_is_refused_before_the_call(
    qm: flintmq.QueueManager, call: Callable[[Any], Any], expected: type[Exception]
) -> None:
    qm.queue(QUEUE).put(b"data")

    with pytest.raises(expected):
        call(qm)

    assert qm.queue(QUEUE).get().data == b"data"
