"""From the answer of a command to PCF responses.

One response for each answer: the object's name, then its attributes, each as its kind says:

    INT ENUM FLAG    MQCFIN, the word's number; MQCFIN64 if it does not fit
    STRING NAME      MQCFST, filled up with blanks to the length of the attribute, unless that is more than 256
    LIST             MQCFSL; of words, MQCFIL; NAMES also MQIA_NAME_COUNT
    HEX              MQCFBS
    PAIR             MQCFIL
    INTERVAL         MQCFIN, minutes

What was done without anything to show is one response without parameters. What was refused is a response with the
reason and, if a parameter was wrong, which; then the response MQRCCF_COMMAND_FAILED, the last.

An attribute without a parameter of its own in MQ is not in the response.
"""

from __future__ import annotations

from flintmq.command import pcf_authority
from flintmq.command.model import Form
from flintmq.command.pcf_names import NAME_LISTS, name_parameter
from flintmq.command.pcf_request import CommandRefused, PCFCommand
from flintmq.command.reply import Answer, Item, Reply
from flintmq.command.status import BUFFER_POOL_USAGE, LOG_STATE, PAGE_SET_USAGE, QUEUE_STATISTICS
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.pcf import (
    MQCFBS,
    MQCFIL,
    MQCFIN,
    MQCFIN64,
    MQCFSL,
    MQCFST,
    Parameter,
    PCFMessage,
)
from flintmq.mqi.reason import MQCC_FAILED, MQRC_UNKNOWN_OBJECT_NAME
from flintmq.qmgr.attribute import (
    HEX,
    INTERVAL,
    LIST,
    NAME,
    PAIR,
    Attribute,
    Value,
    ValueRejected,
    interval_seconds,
    number_of,
)
from flintmq.qmgr.attributes import ATTRIBUTES, BY_KEYWORD, QUEUE_KINDS, QUEUE_TYPES

_FILLED_MAX = 256
_INTEGER_MAX = 0x7FFFFFFF
#: Byte strings have the numbers of MQBACF_FIRST to MQBACF_LAST_USED.
_BYTE_STRINGS = range(pcf.MQBACF_FIRST, pcf.MQBACF_LAST_USED + 1)

#: What PCF calls a reason that commands on these nouns end with.
_REASONS_OF_CHANNELS = {
    MQRC_UNKNOWN_OBJECT_NAME: pcf.MQRCCF_CHANNEL_NOT_FOUND,
    pcf.MQRCCF_OBJECT_ALREADY_EXISTS: pcf.MQRCCF_CHANNEL_ALREADY_EXISTS,
}

#: The lengths of texts that status displays have; others are as long as they are.
_LENGTHS = {
    pcf.MQCACF_APPL_TAG: mq.MQ_APPL_TAG_LENGTH,
    pcf.MQCACF_APPL_DESC: mq.MQ_APPL_DESC_LENGTH,
    pcf.MQCACF_USER_IDENTIFIER: 12,
    pcf.MQCACF_OBJECT_NAME: 48,
    pcf.MQCACH_CHANNEL_NAME: 20,
    pcf.MQCACH_LISTENER_NAME: 48,
    mq.MQCA_Q_NAME: 48,
    mq.MQCA_Q_MGR_NAME: 48,
    mq.MQCA_PROCESS_NAME: 48,
    mq.MQCA_NAMELIST_NAME: 48,
    mq.MQCA_TOPIC_NAME: 48,
    mq.MQCA_AUTH_INFO_NAME: 48,
    mq.MQCA_STORAGE_CLASS: 8,
}

#: What commands show that has no list of attributes to choose from: RESET QSTATS, DISPLAY USAGE.
_SHOWN_UNASKED = (*QUEUE_STATISTICS, *LOG_STATE, *BUFFER_POOL_USAGE, *PAGE_SET_USAGE)


def responses(command: int, bound: PCFCommand, reply: Reply) -> list[PCFMessage]:
    """The responses to a command that was carried out, or refused by the queue manager."""
    if reply.failed:
        return refusal(command, _reason(bound, reply.reason))
    answers = [answer for answer in reply.answers if _is_of_type(bound, answer)]
    if any(answer.items for answer in answers):
        answers = [answer for answer in answers if answer.items]  # Without a closing "normal completion".
    if not answers:
        return refusal(command, _reason(bound, MQRC_UNKNOWN_OBJECT_NAME))
    if bound.names_only:
        return _numbered(command, [_names(command, answers)])
    return _numbered(command, [_parameters(bound.form, answer) for answer in answers])


def refused(command: int, error: CommandRefused) -> list[PCFMessage]:
    """The responses to a command that was not understood."""
    if error.selector is not None:
        return refusal(command, error.reason, MQCFIN(pcf.MQIACF_SELECTOR, error.selector))
    if error.parameter:
        return refusal(command, error.reason, MQCFIN(pcf.MQIACF_PARAMETER_ID, error.parameter))
    return refusal(command, error.reason)


def refusal(command: int, reason: int, what: Parameter | None = None) -> list[PCFMessage]:
    """The reason, then the summary."""
    made = _numbered(command, [[what] if what is not None else [], []])
    for response, its_reason in zip(made, (reason, pcf.MQRCCF_COMMAND_FAILED), strict=True):
        response.header.comp_code = MQCC_FAILED
        response.header.reason = its_reason
    return made


def escape(texts: list[str], failed: bool) -> list[PCFMessage]:
    """The responses to an MQSC command: its answers, each as text."""
    made = _numbered(
        pcf.MQCMD_ESCAPE,
        [[MQCFIN(pcf.MQIACF_ESCAPE_TYPE, pcf.MQET_MQSC), MQCFST(pcf.MQCACF_ESCAPE_TEXT, text)] for text in texts],
    )
    if failed:
        for response in made:
            response.header.comp_code = MQCC_FAILED
            response.header.reason = pcf.MQRCCF_COMMAND_FAILED
    return made


def _numbered(command: int, contents: list[list[Parameter]]) -> list[PCFMessage]:
    made: list[PCFMessage] = []
    for number, parameters in enumerate(contents, 1):
        response = PCFMessage()
        header = response.header
        header.type = pcf.MQCFT_RESPONSE
        header.command = command
        header.msg_seq_number = number
        header.control = pcf.MQCFC_LAST if number == len(contents) else pcf.MQCFC_NOT_LAST
        response.parameters = parameters
        made.append(response)
    return made


def _reason(bound: PCFCommand, reason: int) -> int:
    """A generic name that means no channel is an unknown object; a channel that is not there is not found."""
    if bound.form.kind == "CHANNEL" and not bound.request.name.endswith("*"):
        return _REASONS_OF_CHANNELS.get(reason, reason)
    return reason


def _is_of_type(bound: PCFCommand, answer: Answer) -> bool:
    keyword, word = bound.of_type
    return not keyword or any(item.keyword == keyword and item.value == word for item in answer.items)


# -- contents ---------------------------------------------------------------------------------------------------------


def _names(command: int, answers: list[Answer]) -> list[Parameter]:
    """The answer to INQUIRE_Q_NAMES and its kin."""
    noun, names, types, keyword = NAME_LISTS[command]
    listed: list[str] = []
    numbers: list[int] = []
    for answer in answers:
        listed.append(str(answer.items[0].value))
        for item in answer.items:
            if item.keyword == keyword:
                numbers.append(_type_number(noun, item))
    length = _LENGTHS.get(_name_selector(noun), 48)
    result: list[Parameter] = [MQCFSL(names, [name.ljust(length) for name in listed])]
    if types:
        result.append(MQCFIL(types, numbers))
    return result


def _name_selector(noun: str) -> int:
    return {"CHANNEL": pcf.MQCACH_CHANNEL_NAME, "STGCLASS": mq.MQCA_STORAGE_CLASS}.get(noun, mq.MQCA_Q_NAME)


def _type_number(noun: str, item: Item) -> int:
    if noun == "QUEUE":
        return QUEUE_TYPES[str(item.value)]
    return number_of(BY_KEYWORD[noun][item.keyword], item.value)


def _parameters(form: Form, answer: Answer) -> list[Parameter]:
    """What one answer shows."""
    found: list[Parameter] = []
    attributes = _attributes(form, answer)
    for number, item in enumerate(answer.items):
        name = _name(form, item) if number == 0 and form.noun != "CONN" else []
        if name:
            found += name
        elif item.keyword == "TYPE" and item.value in QUEUE_KINDS:
            found.append(MQCFIN(mq.MQIA_Q_TYPE, QUEUE_TYPES[str(item.value)]))
        elif item.keyword == "SUB" and form.noun in ("SUB", "SBSTATUS"):
            found.append(MQCFST(pcf.MQCACF_SUB_NAME, str(item.value)))
        elif form.noun == "CONN" and item.keyword == "EXTCONN":
            whole = bytes.fromhex(str(item.value) + str(answer.items[0].value))
            found.append(MQCFBS(pcf.MQBACF_CONNECTION_ID, whole))
        else:
            attribute = attributes.get(item.keyword)
            if attribute is not None and attribute.selector:
                found += _attribute(attribute, item.value)
    return found


def _attributes(form: Form, answer: Answer) -> dict[str, Attribute]:
    """The declarations of what an answer shows: those of the kind of queue that it is about, or of the command."""
    for item in answer.items:
        if item.keyword == "TYPE" and item.value in QUEUE_KINDS:
            return {attribute.keyword: attribute for attribute in ATTRIBUTES[str(item.value)]}
    known = {attribute.keyword: attribute for attribute in form.options if attribute.selector}
    known.update({attribute.keyword: attribute for attribute in form.shown or _SHOWN_UNASKED})
    return known


def _name(form: Form, item: Item) -> list[Parameter]:
    selector = name_parameter(form) or (mq.MQCA_Q_MGR_NAME if item.keyword == "QMNAME" else 0)
    if item.keyword == "SUBID":
        return [MQCFBS(pcf.MQBACF_SUB_ID, bytes.fromhex(str(item.value)))]
    if item.keyword in ("PSID", "BUFFPOOL"):
        selector = selector or (mq.MQIA_PAGESET_ID if item.keyword == "PSID" else pcf.MQIACF_BUFFER_POOL_ID)
        return [MQCFIN(selector, int(str(item.value)))]
    return [_string(selector, str(item.value), 0)] if selector else []


def _attribute(attribute: Attribute, value: Value) -> list[Parameter]:
    selector = attribute.selector
    if attribute.kind == PAIR and isinstance(value, list):
        return [MQCFIL(selector, [attribute.words.get(each, _whole(each)) for each in value])]
    if isinstance(value, list):
        return _list(attribute, value)
    if attribute.kind == HEX or selector in _BYTE_STRINGS:
        return [MQCFBS(selector, bytes.fromhex(str(value)))]
    if attribute.kind == INTERVAL:
        seconds = interval_seconds(str(value))
        return [MQCFIN(selector, seconds // 60 if seconds > 0 else seconds)]
    if attribute.words or isinstance(value, int):
        return _integer(attribute, value)
    return [_string(selector, str(value), attribute.length, attribute.kind == NAME)]


def _list(attribute: Attribute, values: list[str]) -> list[Parameter]:
    numbers = pcf_authority.numbers_of(attribute)
    if numbers:
        return [MQCFIL(attribute.selector, [numbers[value] for value in values if value in numbers])]
    names: list[Parameter] = [MQCFSL(attribute.selector, [value.ljust(attribute.length) for value in values])]
    if attribute.selector == mq.MQCA_NAMES:
        names.append(MQCFIN(mq.MQIA_NAME_COUNT, len(values)))
    return names


def _integer(attribute: Attribute, value: Value) -> list[Parameter]:
    """A number, or a word that stands for one. A status has no number while there is nothing to say."""
    try:
        number = number_of(attribute, value)
    except ValueRejected:
        if attribute.kind == LIST or not str(value).strip():
            return []
        number = _whole(str(value))
    if number > _INTEGER_MAX or number < -_INTEGER_MAX - 1:
        return [MQCFIN64(attribute.selector, number)]
    return [MQCFIN(attribute.selector, number)]


def _whole(text: str) -> int:
    """A number in a status: decimal, hexadecimal with 0x; blank and everything else is -1, not known."""
    try:
        return int(text.strip(), 0)
    except ValueError:
        return -1


def _string(selector: int, text: str, length: int, name: bool = False) -> Parameter:
    length = length or _LENGTHS.get(selector, 0)
    return MQCFST(selector, text.ljust(length) if length <= _FILLED_MAX or name else text)
