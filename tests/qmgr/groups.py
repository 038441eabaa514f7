"""Short ways to put and get groups, for the tests of group.py, logical_get.py and headers.py."""

from __future__ import annotations

from typing import Any

from flintmq.mqi.constants import (
    MQGMO_LOGICAL_ORDER,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMF_SEGMENTATION_ALLOWED,
    MQMO_NONE,
    MQPMO_LOGICAL_ORDER,
)
from flintmq.mqi.reason import (
    MQRC_NONE,
)
from tests.qmgr.conftest import Answered, App

GROUP_A = b"A" * 24
GROUP_B = b"B" * 24
MIG = MQMF_MSG_IN_GROUP
LAST = MQMF_LAST_MSG_IN_GROUP
SEG = MQMF_SEGMENT
LAST_SEG = MQMF_LAST_SEGMENT
ALLOWED = MQMF_SEGMENTATION_ALLOWED


def put(app: App, data: bytes, flags: int, logical: bool = True, queue: str = "Q", **fields: Any) -> Answered:
    """A put with a version 2 descriptor, in logical order unless said otherwise."""
    options = MQPMO_LOGICAL_ORDER if logical else 0
    return app.put(queue, data, version=2, msg_flags=flags, options=options, **fields)


def get(app: App, options: int = MQGMO_LOGICAL_ORDER, queue: str = "Q", **fields: Any) -> Answered:
    """A get in logical order, matching nothing in particular, unless said otherwise."""
    fields.setdefault("match_options", MQMO_NONE)
    return app.get(queue, options=options, **fields)


def place(answered: Answered) -> tuple[int, int]:
    return answered.md.msg_seq_number, answered.md.offset


def group(app: App, group_id: bytes, *parts: tuple[int, int, bytes, int], queue: str = "Q") -> None:
    """Put messages (sequence number, offset, data, flags) of a group in the order given."""
    for number, offset, data, flags in parts:
        answered = put(
            app, data, flags, logical=False, queue=queue, group_id=group_id, msg_seq_number=number, offset=offset
        )
        assert answered.reason == MQRC_NONE
