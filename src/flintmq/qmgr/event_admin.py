"""Configuration and command events: what was changed by whom, and which commands were given.

    ALTER QMGR   event                                                                event queue
    CONFIGEV     2367 object created, 2368 changed (two: before, after), 2369 deleted SYSTEM.ADMIN.CONFIG.EVENT
    CMDEV        2412 an MQSC command, 2413 a PCF command did what was asked;         SYSTEM.ADMIN.COMMAND.EVENT
                 with NODISPLAY not for those that only look

Both say who: the user, and how the command came (MQIACF_EVENT_ORIGIN): typed or from a program (CONSOLE), in a message
(MSG, with the context of its descriptor), by MQSET. A configuration event then shows the object with every attribute. A
command event has two groups: the context, and the command as it was given: its text, or its parameters. Passwords in it
are not told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.attribute_pcf import parameters_of, string_of
from flintmq.catalogue.attributes import ATTRIBUTES, KIND_OF
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.md import MQMD
from flintmq.mqi.pcf import MQCFBS, MQCFGR, MQCFIN, MQCFST, Parameter, PCFMessage
from flintmq.mqi.reason import (
    MQRC_COMMAND_MQSC,
    MQRC_COMMAND_PCF,
    MQRC_CONFIG_CHANGE_OBJECT,
    MQRC_CONFIG_CREATE_OBJECT,
    MQRC_CONFIG_DELETE_OBJECT,
)
from flintmq.qmgr import event
from flintmq.qmgr.catalogue import MQObject

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

CONFIG_EVENT_QUEUE: Final = "SYSTEM.ADMIN.CONFIG.EVENT"
COMMAND_EVENT_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.EVENT"

#: Commands that only look: CMDEV(NODISPLAY) leaves them out.
LOOKING: Final = ("DISPLAY", "PING")


class Issuer:
    """Who gives a command, and how it came."""

    def __init__(self, user: str, origin: int, context: MQMD | None = None) -> None:
        self.user = user
        self.origin = origin
        #: The descriptor of the message that the command came in.
        self.context = context


# -- configuration events ----------------------------------------------------------------------------------------


def object_created(qm: QueueManager, issuer: Issuer, definition: MQObject) -> None:
    """DEFINE."""
    if _wanted(qm, definition):
        _configuration(qm, issuer, MQRC_CONFIG_CREATE_OBJECT, definition, [definition.attributes])


def object_changed(qm: QueueManager, issuer: Issuer, definition: MQObject, before: dict[str, Value]) -> None:
    """ALTER, DEFINE REPLACE or MQSET."""
    if _wanted(qm, definition) and before != definition.attributes:
        _configuration(qm, issuer, MQRC_CONFIG_CHANGE_OBJECT, definition, [before, definition.attributes])


def object_deleted(qm: QueueManager, issuer: Issuer, definition: MQObject) -> None:
    """DELETE."""
    if _wanted(qm, definition):
        _configuration(qm, issuer, MQRC_CONFIG_DELETE_OBJECT, definition, [definition.attributes])


def _wanted(qm: QueueManager, definition: MQObject) -> bool:
    return KIND_OF[definition.kind].number != 0 and qm.definition().text("CONFIGEV") == "ENABLED"


def _configuration(
    qm: QueueManager, issuer: Issuer, reason: int, definition: MQObject, states: list[dict[str, Value]]
) -> None:
    """One event for each state of the object; those of one change have one CorrelId."""
    correl_id = qm.new_msg_id()
    number = 0
    for values in states:
        number += 1
        made = event.header(pcf.MQCMD_CONFIG_EVENT, reason)
        made.header.msg_seq_number = number
        made.header.control = pcf.MQCFC_LAST if number == len(states) else pcf.MQCFC_NOT_LAST
        made.parameters += _context(qm, issuer)
        made.parameters += _object(definition, values)
        event.send(qm, CONFIG_EVENT_QUEUE, made, correl_id)


def _object(definition: MQObject, values: dict[str, Value]) -> list[Parameter]:
    kind = KIND_OF[definition.kind]
    found: list[Parameter] = [MQCFIN(pcf.MQIACF_OBJECT_TYPE, kind.number)]
    found.append(string_of(kind.pcf.name, definition.name))
    if kind.queue_type:
        found.append(MQCFIN(mq.MQIA_Q_TYPE, kind.queue_type))
    for attribute in kind.attributes:
        if attribute.keyword in values and not attribute.secret and not attribute.live:
            found += parameters_of(attribute, values[attribute.keyword])
    return found


# -- command events ----------------------------------------------------------------------------------------------


def command_done(
    qm: QueueManager, issuer: Issuer, verb: str, command: int, text: str, parameters: list[Parameter]
) -> None:
    """A command did what was asked: MQSC, with its `text`, or PCF, with its `parameters`."""
    wanted = qm.definition().text("CMDEV")
    if wanted == "DISABLED" or (wanted == "NODISPLAY" and verb in LOOKING):
        return
    made: PCFMessage = event.header(pcf.MQCMD_COMMAND_EVENT, MQRC_COMMAND_MQSC if text else MQRC_COMMAND_PCF)
    context = [*_context(qm, issuer), MQCFIN(pcf.MQIACF_COMMAND, command)]
    data: list[Parameter] = [MQCFST(pcf.MQCACF_COMMAND_MQSC, _without_secrets(text))] if text else []
    for parameter in parameters:
        if parameter.parameter not in _SECRETS:
            data.append(parameter)
    made.parameters += [MQCFGR(pcf.MQGACF_COMMAND_CONTEXT, context), MQCFGR(pcf.MQGACF_COMMAND_DATA, data)]
    event.send(qm, COMMAND_EVENT_QUEUE, made)


def _secret_selectors() -> set[int]:
    result: set[int] = set()
    for attributes in ATTRIBUTES.values():
        for attribute in attributes:
            if attribute.secret:
                result.add(attribute.selector)
    return result


def _secret_keywords() -> set[str]:
    result: set[str] = set()
    for attributes in ATTRIBUTES.values():
        for attribute in attributes:
            if attribute.secret:
                result.add(attribute.keyword)
    return result


_SECRETS: Final = _secret_selectors()
_SECRET_KEYWORDS: Final = _secret_keywords()


def _without_secrets(text: str) -> str:
    """A command without the values of what is secret: a keyword and what follows it in parentheses."""
    upper = text.upper()
    for keyword in _SECRET_KEYWORDS:
        place = upper.find(keyword)
        if place >= 0:
            return text[: place + len(keyword)] + "(********)"
    return text


def _context(qm: QueueManager, issuer: Issuer) -> list[Parameter]:
    """Who, and how it came."""
    found: list[Parameter] = [
        MQCFST(pcf.MQCACF_EVENT_USER_ID, issuer.user.ljust(12)),
        MQCFIN(pcf.MQIACF_EVENT_ORIGIN, issuer.origin),
        MQCFST(pcf.MQCACF_EVENT_Q_MGR, qm.name.ljust(48)),
    ]
    md = issuer.context
    if md is not None:
        found += [
            MQCFBS(pcf.MQBACF_EVENT_ACCOUNTING_TOKEN, md.accounting_token),
            MQCFST(pcf.MQCACF_EVENT_APPL_IDENTITY, md.appl_identity_data.ljust(32)),
            MQCFIN(pcf.MQIACF_EVENT_APPL_TYPE, md.put_appl_type),
            MQCFST(pcf.MQCACF_EVENT_APPL_NAME, md.put_appl_name.ljust(28)),
            MQCFST(pcf.MQCACF_EVENT_APPL_ORIGIN, md.appl_origin_data.ljust(4)),
        ]
    return found
