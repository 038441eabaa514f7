"""From the reply of a command to PCF responses.

Each response of the reply becomes one PCF response: the object's name, then its attributes as
catalogue/attribute_pcf.py writes them. A command that succeeds and shows nothing has one response without parameters. A
command that is refused has a response with the reason and, if a parameter was wrong, which; then the response
MQRCCF_COMMAND_FAILED, the last."""

from __future__ import annotations

from flintmq.catalogue.attribute import Attribute, number_of
from flintmq.catalogue.attribute_pcf import LENGTHS, parameters_of, string_of
from flintmq.catalogue.attributes import ATTRIBUTES, BY_KEYWORD, KIND_OF, NAME_SELECTORS, QUEUE_KINDS, QUEUE_TYPES
from flintmq.command.form import Form
from flintmq.command.pcf_names import NAME_LISTS, name_parameter
from flintmq.command.pcf_request import CommandRefused, PCFCommand
from flintmq.command.reply import Item, Reply, Response
from flintmq.command.status import BUFFER_POOL_USAGE, LOG_STATE, PAGE_SET_USAGE, QUEUE_STATISTICS
from flintmq.command.steps import RESPONSES_AT_ONCE, Steps
from flintmq.mqi.constants import MQCA_Q_MGR_NAME, MQCA_Q_NAME, MQIA_Q_TYPE
from flintmq.mqi.pcf import (
    MQCFBS,
    MQCFIL,
    MQCFIN,
    MQCFSL,
    MQCFST,
    Parameter,
    PCFMessage,
)
from flintmq.mqi.pcf_constants import (
    MQBACF_CONNECTION_ID,
    MQBACF_SUB_ID,
    MQCACF_ESCAPE_TEXT,
    MQCACF_SUB_NAME,
    MQCFC_LAST,
    MQCFC_NOT_LAST,
    MQCFT_RESPONSE,
    MQCMD_ESCAPE,
    MQET_MQSC,
    MQIACF_ESCAPE_TYPE,
    MQIACF_PARAMETER_ID,
    MQIACF_SELECTOR,
    MQRCCF_COMMAND_FAILED,
    MQRCCF_OBJECT_ALREADY_EXISTS,
)
from flintmq.mqi.reason import MQCC_FAILED, MQRC_UNKNOWN_OBJECT_NAME

#: Attributes of commands without a list of attributes to choose from: RESET QSTATS, DISPLAY USAGE.
_SHOWN_UNASKED = (*QUEUE_STATISTICS, *LOG_STATE, *BUFFER_POOL_USAGE, *PAGE_SET_USAGE)


def response_steps(command: int, bound: PCFCommand, reply: Reply) -> Steps[list[PCFMessage]]:
    """Return the responses to a command that was carried out, or refused by the queue manager; in slices (steps.py)."""
    if reply.failed:
        return refusal(command, _reason(bound, reply.reason))
    responses = [response for response in reply.take() if _is_of_type(bound, response)]
    if any(response.items for response in responses):
        responses = [response for response in responses if response.items]  # Without a closing "normal completion".
    if not responses:
        return refusal(command, _reason(bound, MQRC_UNKNOWN_OBJECT_NAME))
    if bound.names_only:
        return _numbered(command, [_names(command, responses)])
    contents: list[list[Parameter]] = []
    responses.reverse()
    while responses:
        contents.append(_parameters(bound.form, responses.pop()))
        if len(contents) % RESPONSES_AT_ONCE == 0:
            yield
    return _numbered(command, contents)


def refused(command: int, error: CommandRefused) -> list[PCFMessage]:
    """Return the responses to a command that was not understood."""
    if error.selector is not None:
        return refusal(command, error.reason, MQCFIN(MQIACF_SELECTOR, error.selector))
    if error.parameter:
        return refusal(command, error.reason, MQCFIN(MQIACF_PARAMETER_ID, error.parameter))
    return refusal(command, error.reason)


def refusal(command: int, reason: int, what: Parameter | None = None) -> list[PCFMessage]:
    """Return the response with the reason, then the summary."""
    made = _numbered(command, [[what] if what is not None else [], []])
    for response, its_reason in zip(made, (reason, MQRCCF_COMMAND_FAILED), strict=True):
        response.header.comp_code = MQCC_FAILED
        response.header.reason = its_reason
    return made


def escape(texts: list[str], failed: bool) -> list[PCFMessage]:
    """Return the responses to an MQSC command, each with a part of its reply as text."""
    made = _numbered(
        MQCMD_ESCAPE,
        [[MQCFIN(MQIACF_ESCAPE_TYPE, MQET_MQSC), MQCFST(MQCACF_ESCAPE_TEXT, text)] for text in texts],
    )
    if failed:
        for response in made:
            response.header.comp_code = MQCC_FAILED
            response.header.reason = MQRCCF_COMMAND_FAILED
    return made


def _numbered(command: int, contents: list[list[Parameter]]) -> list[PCFMessage]:
    made: list[PCFMessage] = []
    for number, parameters in enumerate(contents, 1):
        response = PCFMessage()
        header = response.header
        header.type = MQCFT_RESPONSE
        header.command = command
        header.msg_seq_number = number
        header.control = MQCFC_LAST if number == len(contents) else MQCFC_NOT_LAST
        response.parameters = parameters
        made.append(response)
    return made


def _reason(bound: PCFCommand, reason: int) -> int:
    """Return the reason of a response. Kinds may have reasons of their own for one object that is named."""
    kind = KIND_OF.get(bound.form.kind)
    if kind is None or bound.request.name.endswith("*"):
        return reason
    if reason == MQRC_UNKNOWN_OBJECT_NAME:
        return kind.pcf.unknown
    return kind.pcf.already_exists if reason == MQRCCF_OBJECT_ALREADY_EXISTS else reason


def _is_of_type(bound: PCFCommand, response: Response) -> bool:
    keyword, word = bound.of_type
    return not keyword or any(item.keyword == keyword and item.value == word for item in response.items)


# -- contents ---------------------------------------------------------------------------------------------------------


def _names(command: int, responses: list[Response]) -> list[Parameter]:
    """Return the parameters of a response to INQUIRE_Q_NAMES and the other inquiries for names."""
    noun, names, types, keyword = NAME_LISTS[command]
    listed: list[str] = []
    numbers: list[int] = []
    for response in responses:
        listed.append(str(response.items[0].value))
        for item in response.items:
            if item.keyword == keyword:
                numbers.append(_type_number(noun, item))
    length = LENGTHS.get(NAME_SELECTORS.get(noun, MQCA_Q_NAME), 48)
    result: list[Parameter] = [MQCFSL(names, [name.ljust(length) for name in listed])]
    if types:
        result.append(MQCFIL(types, numbers))
    return result


def _type_number(noun: str, item: Item) -> int:
    if noun == "QUEUE":
        return QUEUE_TYPES[str(item.value)]
    return number_of(BY_KEYWORD[noun][item.keyword], item.value)


def _parameters(form: Form, response: Response) -> list[Parameter]:
    """Return the parameters of one response."""
    found: list[Parameter] = []
    attributes = _attributes(form, response)
    for number, item in enumerate(response.items):
        name = _name(form, item) if number == 0 and form.noun != "CONN" else []
        if name:
            found += name
        elif item.keyword == "TYPE" and item.value in QUEUE_KINDS:
            found.append(MQCFIN(MQIA_Q_TYPE, QUEUE_TYPES[str(item.value)]))
        elif item.keyword == "SUB" and form.noun in ("SUB", "SBSTATUS"):
            found.append(MQCFST(MQCACF_SUB_NAME, str(item.value)))
        elif form.noun == "CONN" and item.keyword == "EXTCONN":
            whole = bytes.fromhex(str(item.value) + str(response.items[0].value))
            found.append(MQCFBS(MQBACF_CONNECTION_ID, whole))
        else:
            attribute = attributes.get(item.keyword)
            if attribute is not None:
                found += parameters_of(attribute, item.value)
    return found


def _attributes(form: Form, response: Response) -> dict[str, Attribute]:
    """Return the declarations of the attributes in a response: those of its kind of queue, or of the command."""
    for item in response.items:
        if item.keyword == "TYPE" and item.value in QUEUE_KINDS:
            return {attribute.keyword: attribute for attribute in ATTRIBUTES[str(item.value)]}
    known = {attribute.keyword: attribute for attribute in form.options if attribute.selector}
    known.update({attribute.keyword: attribute for attribute in form.shown or _SHOWN_UNASKED})
    return known


def _name(form: Form, item: Item) -> list[Parameter]:
    selector = name_parameter(form) or (MQCA_Q_MGR_NAME if item.keyword == "QMNAME" else 0)
    if item.keyword == "SUBID":
        return [MQCFBS(MQBACF_SUB_ID, bytes.fromhex(str(item.value)))]
    kind = KIND_OF.get(item.keyword)
    if kind is not None and kind.names.numbered:
        return [MQCFIN(selector or kind.pcf.name, int(str(item.value)))]
    return [string_of(selector, str(item.value))] if selector else []
