"""Asynchronous put: MQPUT and MQPUT1 whose answer nobody waits for (MQPMO_ASYNC_RESPONSE, DEFPRESP(ASYNC)).

A put is made so if it is asked for by MQPMO_ASYNC_RESPONSE, or by DEFPRESP of the queue if the put says nothing, and

    conversations may share the socket     SHARECNV of the channel is not 0
    it is in syncpoint, or the message     a persistent message outside of syncpoint is waited for: its sender expects
      is not persistent                      it to be on disk
    it goes to no distribution list        whose records are in the answer

and else as any other put. What was put so is told the queue manager with others, in one write (session.py, `late`).

MQSTAT says what became of it: how many, and the first that failed. If a persistent message in syncpoint could not be
put, MQCMIT backs out, with 2003. Of the descriptor only MsgId and CorrelId come back. They are given out here, from
those that the queue manager has reserved (SPI RESERVE), as IBM's client for Java does it; if it reserves none, they are
random.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from flintmq.channel import segment as seg
from flintmq.channel import spi
from flintmq.channel.calls import API_SIZE, read_longs, write_longs
from flintmq.channel.initial_data import CAP2_SPIREQUEST
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

if TYPE_CHECKING:
    from flintmq.client.remote.session import CallReply, ClientSession
    from flintmq.client.remote.steps import MQISteps, Steps

_NO_ID: Final = bytes(24)
_ID_LENGTH: Final = 24
#: So many ids are asked for.
_LIKED: Final = 0xFFFFFF
#: The answer: as much as the frame, two numbers and an id.
_REPLY_SIZE: Final = 44


def is_eligible(md: MQMD, pmo: MQPMO, default_persistence: int) -> bool:
    """Whether nobody need wait for this put: the table above."""
    if pmo.recs_present:
        return False
    if pmo.options & MQPMO_SYNCPOINT:
        return True
    persistence = default_persistence if md.persistence == MQPER_PERSISTENCE_AS_Q_DEF else md.persistence
    return persistence == MQPER_NOT_PERSISTENT


class MessageIds:
    """Ids that a connection may give out."""

    def __init__(self) -> None:
        self._left = 0
        self._next = 0
        self._end = _ID_LENGTH
        self._rest = b""

    def give(self, mqi: MQISteps, md: MQMD, pmo: MQPMO) -> Steps[None]:
        """What the queue manager would write into the descriptor, as far as a put without an answer has it."""
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
        """What RESERVE has answered. False if that is of no use."""
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
    """SPI RESERVE, behind the sixteen bytes."""
    big_endian, ccsid = session.big_endian, session.ccsid
    body = write_longs([spi.RESERVE, 1, _REPLY_SIZE], big_endian)
    body += write_text("SPRU", 4, ccsid, 0, "SPI") + write_longs([1, 12], big_endian)
    body += write_text("SPRI", 4, ccsid, 0, "SPI") + write_longs([1, 20, _ID_LENGTH, _LIKED], big_endian)
    return body
