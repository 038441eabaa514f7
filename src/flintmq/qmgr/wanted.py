"""What a get looks for: the match options of the get, and the selection string of its handle. Both must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi.constants import (
    MQMO_MATCH_CORREL_ID,
    MQMO_MATCH_GROUP_ID,
    MQMO_MATCH_MSG_ID,
    MQMO_MATCH_MSG_SEQ_NUMBER,
    MQMO_MATCH_MSG_TOKEN,
    MQMO_MATCH_OFFSET,
)
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.qmgr import selection
from flintmq.qmgr.connection import Handle, IdSelector
from flintmq.qmgr.message import ENDS, NO_ID, Acceptor, Message

if TYPE_CHECKING:
    from flintmq.qmgr.queue import Queue
    from flintmq.qmgr.selection import Selection

_BY_ID: Final = MQMO_MATCH_MSG_ID | MQMO_MATCH_CORREL_ID
_TOKEN_SIZE: Final = 16
_HALF: Final = 8


class Wanted(Acceptor):
    """What a get looks for, worked out once."""

    #: Of the selection string of the handle: see selection.py.
    selection: Selection | None = None
    id_key: IdSelector | None = None
    #: The id that is selected is not the one that the get asks for.
    nothing: bool = False

    def __init__(self, md: MQMD, gmo: MQGMO, handle: Handle) -> None:
        match = gmo.match_options if gmo.version > 1 else _BY_ID
        self.match = match
        self.msg_id = md.msg_id if match & MQMO_MATCH_MSG_ID else NO_ID
        self.correl_id = md.correl_id if match & MQMO_MATCH_CORREL_ID else NO_ID
        #: What the get itself asks for; the two above may be narrowed by the selection string.
        self.asked_msg_id = self.msg_id
        self.asked_correl_id = self.correl_id
        self.group_id = md.group_id if match & MQMO_MATCH_GROUP_ID else NO_ID
        self.msg_seq_number = md.msg_seq_number
        self.offset = md.offset
        self.token = gmo.msg_token
        self.anything = (
            match & ~_BY_ID == 0 and self.msg_id == NO_ID and self.correl_id == NO_ID and self.group_id == NO_ID
        )
        if handle.selector:
            self._select(handle)

    def _select(self, handle: Handle) -> None:
        """Both hold: the match options of the get and the selection string of the handle."""
        if handle.selection is not None and handle.queue is not None:
            self.selection = selection.ready(handle)
        key = handle.id_key
        if key is None:
            return
        self.id_key = key
        self.anything = False
        given = self.msg_id if key.by_msg_id else self.correl_id
        self.nothing = given != NO_ID and given != key.key
        if key.by_msg_id:
            self.msg_id = key.key
        else:
            self.correl_id = key.key

    def accepts(self, message: Message) -> bool:
        """True if `message` meets every condition. Whether it is available is another question."""
        if self.selection is not None and not self.selection.holds(message):
            return False
        return self.agrees(message) and (self.id_key is None or self.id_key.accepts(message))

    def agrees(self, message: Message) -> bool:
        """True if `message` meets the match options."""
        if self.asked_msg_id != NO_ID and message.msg_id != self.asked_msg_id:
            return False
        if self.asked_correl_id != NO_ID and message.correl_id != self.asked_correl_id:
            return False
        if self.match & ~_BY_ID == 0:
            return True
        if self.group_id != NO_ID and message.group_id != self.group_id:
            return False
        if self.match & MQMO_MATCH_MSG_SEQ_NUMBER and message.msg_seq_number != self.msg_seq_number:
            return False
        if self.match & MQMO_MATCH_OFFSET and message.offset != self.offset:
            return False
        return not (self.match & MQMO_MATCH_MSG_TOKEN and msg_token(message) != self.token)


def by_token(queue: Queue, token: bytes) -> Message | None:
    """The message on `queue` that a token names, available or not."""
    if len(token) != _TOKEN_SIZE or token[:_HALF] != queue.tokens.front:
        return None
    return queue.message_at(int.from_bytes(token[_HALF:], "big"))


def msg_token(message: Message) -> bytes:
    """Sixteen bytes that name the message as long as it is on its queue."""
    return token_of(message.queue, message.sequence)


def token_of(queue: Queue, sequence: int) -> bytes:
    """Those of the message that has, or had, this place on `queue`."""
    block = sequence >> 8
    if block != queue.tokens.block:
        queue.tokens.block = block
        queue.tokens.prefix = queue.tokens.front + block.to_bytes(_HALF - 1, "big")
    return queue.tokens.prefix + ENDS[sequence & 0xFF]
