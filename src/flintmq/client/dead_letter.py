"""The dead-letter handler: takes messages off a dead-letter queue according to its rules table.

    with flintmq.open("QM1") as qm:
        table = read_rules("WAIT(NO)\\nREASON(MQRC_Q_FULL) ACTION(RETRY)\\nACTION(FWD) FWDQ(REST)")
        print(DeadLetterHandler(qm, table).run())

The rules are explained in command/dead_letter_rules.py. Messages are treated like this:

    without a dead-letter header   left on the queue, and reported once
    no rule matches                left on the queue
    a rule matches                 its action is tried, RETRY times, RETRYINT apart; when all tries have failed the next
                                   rule that matches is applied in the same way; after the last the message is left

This handler does not look at a message again that it has left, but another one, started later, begins anew.

    D1  A message is got, put and committed in one unit of work: whatever fails or crashes, it is on exactly one queue.
    D2  Its descriptor and context are not changed, but for Format, Encoding and CodedCharSetId when the header goes.

A message is known by its token, so equal message ids do no harm. The handler browses the queue from the first message
to the last; at the end it waits for a message behind the last one, at most RETRYINT seconds, and browses it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from flintmq.client.inquiries import inquired, queue_of_dead_letters
from flintmq.client.message import header_of, without_header
from flintmq.client.mqi import MQI
from flintmq.command.dead_letter_rules import DISCARD, FWD, IGNORE, Rule, RulesTable
from flintmq.mqi.call_errors import MQError, NoMessageAvailable
from flintmq.mqi.constants import (
    MQGMO_BROWSE_FIRST,
    MQGMO_BROWSE_NEXT,
    MQGMO_FAIL_IF_QUIESCING,
    MQGMO_MSG_UNDER_CURSOR,
    MQGMO_PROPERTIES_FORCE_MQRFH2,
    MQGMO_SYNCPOINT,
    MQGMO_WAIT,
    MQMO_NONE,
    MQOO_BROWSE,
    MQOO_FAIL_IF_QUIESCING,
    MQOO_INPUT_AS_Q_DEF,
    MQOO_SAVE_ALL_CONTEXT,
    MQPMO_ALTERNATE_USER_AUTHORITY,
    MQPMO_FAIL_IF_QUIESCING,
    MQPMO_PASS_ALL_CONTEXT,
    MQPMO_SYNCPOINT,
)
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.dlh import SIZE as HEADER_SIZE
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.md import MQMD
from flintmq.mqi.od import MQOD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.reason import MQRC_NO_MSG_UNDER_CURSOR, reason_name
from flintmq.qmgr.connection import Handle


@dataclass
class Summary:
    """Number of messages by outcome."""

    discarded: int = 0
    retried: int = 0
    forwarded: int = 0
    #: Left on the queue: no rule, ACTION(IGNORE), or every try has failed.
    ignored: int = 0
    #: Left on the queue because they do not begin with a dead-letter header.
    without_header: int = 0

    def __str__(self) -> str:
        return (
            f"{self.discarded} discarded, {self.retried} delivered, {self.forwarded} forwarded, "
            f"{self.ignored} left, {self.without_header} without a dead-letter header"
        )


class Connected(Protocol):
    """A queue manager that is open in this process, or a connection to one that runs."""

    @property
    def name(self) -> str:
        """Return the queue manager's name."""

    @property
    def closed(self) -> bool:
        """Return whether it can no longer be used."""

    @property
    def mqi(self) -> MQI:
        """Return the calls of the MQI."""


class _Progress:
    """State of a message that is still on the queue."""

    #: The rule to try next, and the number of tries.
    rule: int = 0
    tries: int = 0
    #: When to try again.
    due: float = 0.0
    abandoned: bool = False


class DeadLetterHandler:
    """One run over one dead-letter queue. `write` gets messages for the operator, a line at a time."""

    def __init__(
        self,
        qm: Connected,
        table: RulesTable,
        queue: str = "",
        write: Callable[[str], None] = print,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._qm = qm
        self._table = table
        self._write = write
        self._clock = clock
        self._mqi: MQI = qm.mqi
        self.queue = queue or table.control.input_q or inquired(self._mqi, queue_of_dead_letters())
        self.summary = Summary()
        self._known: dict[bytes, _Progress] = {}

    def run(self) -> Summary:
        """Handle messages until the control data ends the run. Raise MQError if the queue cannot be used."""
        od = MQOD()
        od.object_name = self.queue
        options = MQOO_INPUT_AS_Q_DEF | MQOO_BROWSE | MQOO_SAVE_ALL_CONTEXT | MQOO_FAIL_IF_QUIESCING
        handle = self._mqi.open(od, options)
        self._write(f"AMQ8708I: Dead-letter queue handler started to process INPUTQ({self.queue}).")
        try:
            self._run_passes(handle)
        finally:
            if handle.open and not self._qm.closed:
                with suppress(MQError):  # The queue manager may have ended.
                    self._mqi.close(handle)
            self._write(f"AMQ8709I: Dead-letter queue handler ending. Messages: {self.summary}.")
        return self.summary

    def _run_passes(self, handle: Handle) -> None:
        wait = self._table.control.wait
        idle_since = self._clock()
        while True:
            if self._pass(handle):
                idle_since = self._clock()
            due = [progress.due for progress in self._known.values() if not progress.abandoned]
            now = self._clock()
            if due:
                self.wait(handle, min(due) - now)
            elif wait is None:
                self.wait(handle, float(self._table.control.retry_interval))
            elif not wait or now - idle_since >= wait:
                return
            else:
                left = wait - (now - idle_since)
                self.wait(handle, min(left, self._table.control.retry_interval))

    def wait(self, handle: Handle, seconds: float) -> None:
        """Wait for a message behind the cursor, at most `seconds`. (Tests let simulated time pass here.)"""
        if seconds > 0:
            self._browse(handle, MQGMO_BROWSE_NEXT, int(seconds * 1000) + 1)

    def _pass(self, handle: Handle) -> bool:
        """Browse all messages once. Return whether an action was tried."""
        present: dict[bytes, _Progress] = {}
        tried = False
        direction = MQGMO_BROWSE_FIRST
        while True:
            found = self._browse(handle, direction)
            direction = MQGMO_BROWSE_NEXT
            if found is None:
                self._known = present
                return tried
            token, md, data = found
            progress = self._known.get(token) or _Progress()
            if not progress.abandoned and progress.due <= self._clock():
                tried = True
                if self._treat(handle, progress, md, data):
                    continue
            present[token] = progress

    def _browse(self, handle: Handle, direction: int, wait_ms: int = 0) -> tuple[bytes, MQMD, bytes] | None:
        md, gmo = MQMD(), MQGMO()
        md.version, gmo.version = 2, 3
        gmo.options = direction | MQGMO_FAIL_IF_QUIESCING | MQGMO_PROPERTIES_FORCE_MQRFH2
        if wait_ms:
            gmo.options |= MQGMO_WAIT
            gmo.wait_interval = wait_ms
        gmo.match_options = MQMO_NONE
        try:
            data = self._mqi.get(handle, md, gmo)
        except NoMessageAvailable:
            return None
        return gmo.msg_token, md, data

    # -- one message ------------------------------------------------------------------------------------------------

    def _treat(self, handle: Handle, progress: _Progress, md: MQMD, data: bytes) -> bool:
        """Apply the rules to the message under the cursor. Return whether it is off the queue."""
        dlh = header_of(md, data)
        if dlh is None:
            self.summary.without_header += 1
            progress.abandoned = True
            self._write(f"AMQ8721W: Dead-letter message not prefixed by a valid MQDLH: {md.msg_id.hex()}.")
            return False
        rules = self._table.rules
        while progress.rule < len(rules):
            rule = rules[progress.rule]
            if rule.matches(md, dlh):
                if rule.action == IGNORE:
                    break
                if self._apply(handle, rule, dlh):
                    return True
                progress.tries += 1
                if progress.tries < rule.retry:
                    progress.due = self._clock() + self._table.control.retry_interval
                    return False
            progress.rule += 1
            progress.tries = 0
        progress.abandoned = True
        self.summary.ignored += 1
        return False

    def _apply(self, handle: Handle, rule: Rule, dlh: MQDLH) -> bool:
        """Get the message under the cursor and carry out `rule`, in one unit of work (D1)."""
        mqi = self._mqi
        md, gmo = MQMD(), MQGMO()
        md.version = 2
        gmo.options = MQGMO_MSG_UNDER_CURSOR | MQGMO_SYNCPOINT | MQGMO_FAIL_IF_QUIESCING | MQGMO_PROPERTIES_FORCE_MQRFH2
        try:
            data = mqi.get(handle, md, gmo)
        except MQError as error:
            if error.reason == MQRC_NO_MSG_UNDER_CURSOR:
                return True  # Another application has got it.
            raise
        try:
            if rule.action != DISCARD:
                self._put(handle, rule, dlh, md, data)
            mqi.cmit()
        except BaseException as error:
            if not self._qm.closed:
                mqi.back()  # Raises if the queue manager has ended, which then has backed out.
            if not isinstance(error, MQError) or self._qm.closed:
                raise
            self._write(
                "AMQ8722W: Dead-letter queue handler unable to put message: "
                f"rule on line {rule.line}, reason {error.reason} ({reason_name(error.reason)})."
            )
            return False
        self._count(rule)
        return True

    def _count(self, rule: Rule) -> None:
        if rule.action == DISCARD:
            self.summary.discarded += 1
        elif rule.action == FWD:
            self.summary.forwarded += 1
        else:
            self.summary.retried += 1

    def _put(self, handle: Handle, rule: Rule, dlh: MQDLH, md: MQMD, data: bytes) -> None:
        od, pmo = MQOD(), MQPMO()
        forwarded = rule.action == FWD
        od.object_name = _meant(rule.forward_q, dlh, md) if forwarded else dlh.dest_q_name
        od.object_q_mgr_name = _meant(rule.forward_q_mgr, dlh, md) if forwarded else dlh.dest_q_mgr_name
        pmo.options = MQPMO_SYNCPOINT | MQPMO_PASS_ALL_CONTEXT | MQPMO_FAIL_IF_QUIESCING
        pmo.context = handle.number
        if rule.as_context_user:
            od.alternate_user_id = md.user_identifier
            pmo.options |= MQPMO_ALTERNATE_USER_AUTHORITY
        if not forwarded or not rule.keep_header:
            without_header(md, dlh)
            data = data[HEADER_SIZE:]
        self._mqi.put1(od, md, pmo, data)


def _meant(name: str, dlh: MQDLH, md: MQMD) -> str:
    """Replace &DESTQ, &DESTQM, &REPLYQ and &REPLYQM by the values of this message."""
    if name == "&DESTQ":
        return dlh.dest_q_name
    if name == "&DESTQM":
        return dlh.dest_q_mgr_name
    if name == "&REPLYQ":
        return md.reply_to_q
    return md.reply_to_q_mgr if name == "&REPLYQM" else name
