"""Asynchronous put: MQPUT and MQPUT1 without a wait for the reply (MQPMO_ASYNC_RESPONSE, DEFPRESP(ASYNC)).

A put is asynchronous if MQPMO_ASYNC_RESPONSE says so, or DEFPRESP of the queue with neither option, and

    conversations may share the socket     SHARECNV of the channel is not 0
    it is in syncpoint, or the message     a persistent message outside of syncpoint is waited for: its sender expects
      is not persistent                      it to be on disk
    it goes to no distribution list        the records of a list are in the reply

and synchronous otherwise. Asynchronous puts are sent to the queue manager together, in one write (session.py, `late`).

MQSTAT reports their outcome: how many, and the first that failed. If a persistent message in syncpoint could not be
put, MQCMIT backs out, with 2003. Of the descriptor only MsgId and CorrelId come back. They are assigned here, from
those that the queue manager has reserved (SPI RESERVE), as IBM's client for Java does it; if it reserves none, they are
random.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPMO_NEW_CORREL_ID,
    MQPMO_NEW_MSG_ID,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.fields import write_text
from flintmq.mqi.md import MQMD
from flintmq.mqi.pmo import MQPMO
from flintmq.wire.mq import segment as seg
from flintmq.wire.mq import spi
from flintmq.wire.mq.calls import API_SIZE, read_longs, write_longs
from flintmq.wire.mq.initial_data import CAP2_SPIREQUEST

if TYPE_CHECKING:
    from flintmq.client.remote.session import CallReply, ClientSession
    from flintmq.client.remote.steps import MQISteps, Steps

_NO_ID: Final = bytes(24)
_ID_LENGTH: Final = 24
#: Number of ids to reserve.
_LIKED: Final = 0xFFFFFF
#: Size of the reply: the frame, two numbers and an id.
_REPLY_SIZE: Final = 44


def is_eligible(md: MQMD, pmo: MQPMO, default_persistence: int) -> bool:
    """Return whether this put may be asynchronous: the table above."""
    if pmo.recs_present:
        return False
    if pmo.options & MQPMO_SYNCPOINT:
        return True
    persistence = default_persistence if md.persistence == MQPER_PERSISTENCE_AS_Q_DEF else md.persistence
    return persistence == MQPER_NOT_PERSISTENT


class MessageIds:
    """Ids that a connection may assign."""

    def __init__(self) -> None:
        self._left = 0
        self._next = 0
        self._end = _ID_LENGTH
        self._rest = b""

    def give(self, mqi: MQISteps, md: MQMD, pmo: MQPMO) -> Steps[None]:
        """Assign the ids in the descriptor that the queue manager would assign."""
        if md.msg_id == _NO_ID or pmo.options & MQPMO_NEW_MSG_ID:
            if not self._left:
                yield from self._reserve(mqi)
            md.msg_id = self._one()
            pmo.options &= ~MQPMO_NEW_MSG_ID
        if pmo.options & MQPMO_NEW_CORREL_ID:
            if not self._left:
                yield from self._reserve(mqi)
            md.correl_id = self._one()
            pmo.options &= ~MQPMO_NEW_CORREL_ID

    def one_at_hand(self) -> bytes | None:
        """Return a reserved id; None if there is none."""
        return self._one() if self._left else None

    def _one(self) -> bytes:
        self._left -= 1
        made = self._next.to_bytes(self._end, "big") + self._rest
        self._next += 1
        return made

    def _reserve(self, mqi: MQISteps) -> Steps[None]:
        session = mqi.wire.session
        if session.terms.cap_flags_2 & CAP2_SPIREQUEST:
            answer = yield seg.SPI, 0, _reserve_body(session), 0, True
            if not answer.completion and self._read(answer):
                return
        self._take(os.urandom(_ID_LENGTH - 4) + bytes(4), _LIKED, _ID_LENGTH)

    def _read(self, answer: CallReply) -> bool:
        """Read the reply to RESERVE. Return False if it has no usable ids."""
        body, at = answer.body, API_SIZE + spi.FRAME
        if len(body) < at + 8 + _ID_LENGTH:
            return False
        count, last = read_longs(body, at, 2, answer.big_endian)
        if count <= 0 or not 0 <= last < _ID_LENGTH:
            return False
        self._take(body[at + 8 : at + 8 + _ID_LENGTH], count, last + 1)
        return True

    def _take(self, first: bytes, count: int, end: int) -> None:
        self._next, self._left = int.from_bytes(first[:end], "big"), count
        self._end, self._rest = end, first[end:]


def _reserve_body(session: ClientSession) -> bytes:
    """Return the body of SPI RESERVE, behind the sixteen bytes."""
    big_endian, ccsid = session.big_endian, session.ccsid
    body = write_longs([spi.RESERVE, 1, _REPLY_SIZE], big_endian)
    body += write_text("SPRU", 4, ccsid, 0, "SPI") + write_longs([1, 12], big_endian)
    body += write_text("SPRI", 4, ccsid, 0, "SPI") + write_longs([1, 20, _ID_LENGTH, _LIKED], big_endian)
    return body
