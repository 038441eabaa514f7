"""From a PCF command to a request of the command model, with the forms, attributes and values that MQSC uses too.

    MQCFH.Command          the form: CREATE_Q with MQIA_Q_TYPE(LOCAL) is DEFINE QLOCAL, COPY_Q is DEFINE LIKE
    MQCFST, MQCFBS, MQCFIN the name; an option (MQIACF_REPLACE); an attribute to set (MQIA_MAX_Q_DEPTH)
    MQCFSL                 a list of names
    MQCFIL                 the attributes to show (MQIACF_Q_ATTRS)
    MQCFIF, MQCFSF, MQCFBF the filter, WHERE in MQSC

Parameters may come in any order. A fault is reported by reason and by the parameter that has it (`CommandRefused`), in
this order of checking: header, command, each parameter in its order, then missing parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flintmq.catalogue.attribute import (
    ENUM,
    FLAG,
    HEX,
    INTERVAL,
    LIST,
    NAME,
    STRING,
    Attribute,
    Value,
    ValueRejected,
    parse_value,
    value_of_number,
)
from flintmq.catalogue.attribute_pcf import numbers_of
from flintmq.catalogue.attributes import BY_KEYWORD, KIND_OF, is_object_name
from flintmq.catalogue.limits import TOPIC_STRING_LENGTH_MAX
from flintmq.command import pcf_authority
from flintmq.command.form import (
    CONNECTION_ID,
    GENERIC_CONNECTION_ID,
    GENERIC_NAME,
    GENERIC_SUBSCRIPTION_NAME,
    OBJECT_NAME,
    SUBSCRIPTION_NAME,
    Form,
)
from flintmq.command.model import FORMS
from flintmq.command.pcf_names import (
    COPIES,
    COPY_PARAMETERS,
    FORMS_OF_COMMAND,
    KINDS_OF_QUEUE,
    NAME_LISTS,
    SHARING,
    TYPES_OF_ALL,
    attribute_list,
    name_parameter,
)
from flintmq.command.request import Request
from flintmq.command.where import Filter, FilterError, filter_on
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.object_name import is_name
from flintmq.mqi.pcf import (
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFH,
    MQCFIF,
    MQCFIL,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    Parameter,
    PCFMessage,
)
from flintmq.mqi.reason import MQRC_SELECTOR_ERROR

_OPERATORS = {
    pcf.MQCFOP_LESS: "LT",
    pcf.MQCFOP_EQUAL: "EQ",
    pcf.MQCFOP_NOT_GREATER: "LE",
    pcf.MQCFOP_GREATER: "GT",
    pcf.MQCFOP_NOT_EQUAL: "NE",
    pcf.MQCFOP_NOT_LESS: "GE",
    pcf.MQCFOP_CONTAINS: "CT",
    pcf.MQCFOP_EXCLUDES: "EX",
    pcf.MQCFOP_LIKE: "LK",
    pcf.MQCFOP_NOT_LIKE: "NL",
    pcf.MQCFOP_CONTAINS_GEN: "CTG",
    pcf.MQCFOP_EXCLUDES_GEN: "EXG",
}

#: Structure -> the reasons for a parameter that the command does not have, and for one that is there twice.
_REASONS: dict[type[Parameter], tuple[int, int]] = {
    MQCFIN: (pcf.MQRCCF_CFIN_PARM_ID_ERROR, pcf.MQRCCF_CFIN_DUPLICATE_PARM),
    MQCFIN64: (pcf.MQRCCF_CFIN_PARM_ID_ERROR, pcf.MQRCCF_CFIN_DUPLICATE_PARM),
    MQCFST: (pcf.MQRCCF_CFST_PARM_ID_ERROR, pcf.MQRCCF_CFST_DUPLICATE_PARM),
    MQCFIL: (pcf.MQRCCF_CFIL_PARM_ID_ERROR, pcf.MQRCCF_CFIN_DUPLICATE_PARM),
    MQCFSL: (pcf.MQRCCF_CFSL_PARM_ID_ERROR, pcf.MQRCCF_CFSL_DUPLICATE_PARM),
    MQCFBS: (pcf.MQRCCF_CFBS_PARM_ID_ERROR, pcf.MQRCCF_CFBS_DUPLICATE_PARM),
    MQCFIF: (pcf.MQRCCF_CFIF_PARM_ID_ERROR, pcf.MQRCCF_TOO_MANY_FILTERS),
    MQCFSF: (pcf.MQRCCF_CFSF_PARM_ID_ERROR, pcf.MQRCCF_TOO_MANY_FILTERS),
    MQCFBF: (pcf.MQRCCF_CFBF_PARM_ID_ERROR, pcf.MQRCCF_TOO_MANY_FILTERS),
    MQCFGR: (pcf.MQRCCF_CFGR_PARM_ID_ERROR, pcf.MQRCCF_CFGR_PARM_ID_ERROR),
}

#: Options with a reason of their own for a wrong value.
_OPTION_REASONS = {
    pcf.MQIACF_FORCE: pcf.MQRCCF_FORCE_VALUE_ERROR,
    pcf.MQIACF_REPLACE: pcf.MQRCCF_REPLACE_VALUE_ERROR,
    pcf.MQIACF_PURGE: pcf.MQRCCF_PURGE_VALUE_ERROR,
    pcf.MQIACF_ACTION: pcf.MQRCCF_ACTION_VALUE_ERROR,
    mq.MQIA_Q_TYPE: pcf.MQRCCF_Q_TYPE_ERROR,
    pcf.MQIACH_CHANNEL_TYPE: pcf.MQRCCF_CHANNEL_TYPE_ERROR,
}

#: The kind of the queue with this name, "" if there is none.
KindOfQueue = Callable[[str], str]


class CommandRefused(Exception):
    """A command that cannot be carried out: the reason, and the parameter that is wrong, if it is one."""

    def __init__(self, reason: int, parameter: int = 0, selector: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.parameter = parameter
        #: The value in a list of attributes that is no attribute.
        self.selector = selector


@dataclass
class PCFCommand:
    """A command that has been understood."""

    form: Form
    request: Request
    #: One of NAME_LISTS: the answer is a list of names.
    names_only: bool = False
    #: The keywords of the options and attributes that were given.
    given: set[str] = field(default_factory=set)
    #: Show only those of this type: keyword and word, such as CHLTYPE and SVRCONN.
    of_type: tuple[str, str] = ("", "")


def check_header(header: MQCFH) -> None:
    """Raise CommandRefused for a header that no command has."""
    if header.type not in (pcf.MQCFT_COMMAND, pcf.MQCFT_COMMAND_XR):
        raise CommandRefused(pcf.MQRCCF_CFH_TYPE_ERROR)
    if header.msg_seq_number != 1:
        raise CommandRefused(pcf.MQRCCF_CFH_MSG_SEQ_NUMBER_ERR)
    if header.control != pcf.MQCFC_LAST:
        raise CommandRefused(pcf.MQRCCF_CFH_CONTROL_ERROR)


def bind(message: PCFMessage, kind_of_queue: KindOfQueue) -> PCFCommand:
    """Bind a message to the request that it makes. Raises CommandRefused."""
    command = message.header.command
    form = _form(message, kind_of_queue)
    bound = PCFCommand(form, Request(form.verb, form.noun, form.kind, ""), command in NAME_LISTS)
    _parameters(message, bound, copying=command in COPIES)
    if bound.request.shown and bound.of_type[0]:
        bound.request.shown.add(bound.of_type[0])
    if form.verb == "DISPLAY" and not bound.names_only and not bound.request.shown and "ALL" in _options(form):
        bound.request.options["ALL"] = "ALL"
    return bound


# -- the form ---------------------------------------------------------------------------------------------------------


def _form(message: PCFMessage, kind_of_queue: KindOfQueue) -> Form:
    command = message.header.command
    if command in NAME_LISTS:
        return FORMS["DISPLAY", NAME_LISTS[command][0]]
    forms = FORMS_OF_COMMAND.get(COPIES.get(command, command))
    if not forms:
        raise CommandRefused(pcf.MQRCCF_CFH_COMMAND_ERROR)
    if len(forms) == 1:
        return forms[0]
    kind = _kind_of_queue(message, forms[0].verb, kind_of_queue)
    return next(form for form in forms if form.kind == kind)


def _kind_of_queue(message: PCFMessage, verb: str, kind_of_queue: KindOfQueue) -> str:
    """Return the queue type that the command gives; DELETE may leave it out, and takes that of the queue."""
    number = message.integer(mq.MQIA_Q_TYPE)
    if number is None:
        if verb != "DELETE":
            raise CommandRefused(pcf.MQRCCF_PARM_MISSING, mq.MQIA_Q_TYPE)
        return kind_of_queue(message.string(mq.MQCA_Q_NAME) or "") or "QLOCAL"
    if number not in KINDS_OF_QUEUE:
        raise CommandRefused(pcf.MQRCCF_Q_TYPE_ERROR, mq.MQIA_Q_TYPE)
    return KINDS_OF_QUEUE[number]


def _options(form: Form) -> set[str]:
    return {attribute.keyword for attribute in form.options}


# -- parameters -------------------------------------------------------------------------------------------------------


def _parameters(message: PCFMessage, bound: PCFCommand, copying: bool) -> None:
    """Put the parameters of a message into the request. Raises CommandRefused."""
    form, request = bound.form, bound.request
    source, target = COPY_PARAMETERS.get(form.kind, (0, 0)) if copying else (0, 0)
    name = target if copying else name_parameter(form)
    seen: set[int] = set()
    named = False
    for parameter in message.parameters:
        _check_repetition(parameter, request, seen)
        named |= _take_parameter(bound, parameter, name, source)
    if name_parameter(form) and not named and not _may_do_without(form, request):
        raise CommandRefused(
            pcf.MQRCCF_PARM_COUNT_TOO_SMALL if not message.parameters else pcf.MQRCCF_PARM_MISSING, name
        )
    if copying and "LIKE" not in request.options:
        raise CommandRefused(pcf.MQRCCF_PARM_MISSING, source)
    _check_required(form, bound, copying)
    if form.noun in pcf_authority.NOUNS:
        pcf_authority.finish(request)


def _check_repetition(parameter: Parameter, request: Request, seen: set[int]) -> None:
    """Raise CommandRefused for a second filter, and for a parameter in `seen`; add the others to `seen`."""
    number = parameter.parameter
    if isinstance(parameter, MQCFIF | MQCFSF | MQCFBF):
        repeated = request.where is not None
    else:
        repeated = number in seen
        seen.add(number)
    if repeated:
        raise CommandRefused(_REASONS[type(parameter)][1], number)


def _take_parameter(bound: PCFCommand, parameter: Parameter, name: int, source: int) -> bool:
    """Put one parameter into the request. Return whether it names the object of the command.

    `name` is the parameter with the name of the object, `source` that of the object to copy; 0 for none.
    """
    form, request, number = bound.form, bound.request, parameter.parameter
    unknown = _REASONS[type(parameter)][0]
    if isinstance(parameter, MQCFIF | MQCFSF | MQCFBF):
        request.where = _filter(form, parameter, unknown)
    elif name and number == name:
        request.name = _name(form, parameter, unknown)
        return True
    elif form.noun == "CONN" and number in (pcf.MQBACF_CONNECTION_ID, pcf.MQBACF_GENERIC_CONNECTION_ID):
        request.name = _connection(form, parameter, unknown)
        return True
    elif source and number == source:
        request.options["LIKE"] = _name(form, parameter, unknown)
    elif number and number == attribute_list(form):
        _show(form, request, parameter, unknown)
    elif number not in SHARING and not _is_queue_type(form, number):
        _take(form, bound, parameter, unknown)
    return False


def _is_count(form: Form, parameter: Parameter) -> bool:
    """Return whether a parameter repeats the number of elements of a list attribute: NAMCOUNT of a NAMELIST."""
    kind = KIND_OF.get(form.kind)
    count = kind.counted[1] if kind is not None else ""
    return count != "" and parameter.parameter == BY_KEYWORD[form.kind][count].selector


def _is_queue_type(form: Form, number: int) -> bool:
    """Return whether a parameter repeats the queue type by which the form was found."""
    return number == mq.MQIA_Q_TYPE and form.noun != "QUEUE" and form.authority[1] == "queue"


def _may_do_without(form: Form, request: Request) -> bool:
    """Return whether the command needs no name: the id identifies a subscription, and an INQUIRE may want all."""
    if form.name == GENERIC_SUBSCRIPTION_NAME:
        request.name = request.name or ("" if "SUBID" in request.options else "*")
        return True
    return form.name == SUBSCRIPTION_NAME and "SUBID" in request.options


def _check_required(form: Form, bound: PCFCommand, copying: bool) -> None:
    if copying:
        return
    for keyword in form.required:
        if keyword not in bound.given:
            missing = next(each for each in (*form.options, *form.settable) if each.keyword == keyword)
            raise CommandRefused(pcf.MQRCCF_PARM_MISSING, missing.selector)


def _take(form: Form, bound: PCFCommand, parameter: Parameter, unknown: int) -> None:
    """Put an option, or an attribute to set, into the request."""
    for attributes, values in ((form.options, bound.request.options), (form.settable, bound.request.values)):
        for attribute in attributes:
            if _is_meant(attribute, parameter):
                values[attribute.keyword] = _value(attribute, parameter, unknown)
                bound.given.add(attribute.keyword)
                return
    if form.verb in ("ALTER", "DEFINE") and _is_fixed_type(form, parameter):
        return
    if form.verb == "DISPLAY" and _is_type(form, bound, parameter):
        return
    if _is_count(form, parameter):
        return
    if form.noun in pcf_authority.NOUNS and pcf_authority.take(bound.request, parameter):
        return
    raise CommandRefused(unknown, parameter.parameter)


def _is_meant(attribute: Attribute, parameter: Parameter) -> bool:
    """Return whether a parameter is this attribute. CURRENT, SAVED and SHORT are values of one parameter."""
    if not attribute.selector or attribute.selector != parameter.parameter:
        return False
    if attribute.selector == pcf.MQIACH_CHANNEL_INSTANCE_TYPE and isinstance(parameter, MQCFIN):
        return parameter.value in attribute.words.values()
    return True


def _is_fixed_type(form: Form, parameter: Parameter) -> bool:
    """Return whether a parameter is the type on a CHANGE, which must be given but cannot be changed."""
    define = FORMS.get(("DEFINE", form.noun))
    for attribute in define.settable if define is not None else ():
        if attribute.selector == parameter.parameter and attribute.fixed and attribute.kind == ENUM:
            _value(attribute, parameter, pcf.MQRCCF_CFIN_PARM_ID_ERROR)
            return True
    return False


def _is_type(form: Form, bound: PCFCommand, parameter: Parameter) -> bool:
    """Return whether a parameter selects a type of channel or authentication information in an INQUIRE, and note it."""
    attribute = next((each for each in form.shown if each.selector == parameter.parameter), None)
    if attribute is None or attribute.keyword not in TYPES_OF_ALL or not isinstance(parameter, MQCFIN):
        return False
    if parameter.value != TYPES_OF_ALL[attribute.keyword]:
        bound.of_type = (attribute.keyword, str(_value(attribute, parameter, pcf.MQRCCF_CFIN_PARM_ID_ERROR)))
    return True


def _value(attribute: Attribute, parameter: Parameter, unknown: int) -> Value:
    """Return the value of a parameter, as the catalogue keeps it."""
    wrong = CommandRefused(_OPTION_REASONS.get(attribute.selector, pcf.MQRCCF_ATTR_VALUE_ERROR), attribute.selector)
    try:
        if isinstance(parameter, MQCFIN | MQCFIN64) and attribute.kind not in (STRING, NAME, HEX, LIST):
            if attribute.kind == INTERVAL:
                return parse_value(attribute, [str(parameter.value)])
            return value_of_number(attribute, parameter.value)
        if isinstance(parameter, MQCFST) and attribute.kind in (STRING, NAME):
            if len(parameter.text().encode("utf-8", "surrogatepass")) > attribute.length:
                raise CommandRefused(pcf.MQRCCF_CFST_STRING_LENGTH_ERR, attribute.selector)
            return parse_value(attribute, [parameter.text()])
        if isinstance(parameter, MQCFSL) and attribute.kind == LIST:
            if len(parameter.strings) > attribute.count_max:
                raise CommandRefused(pcf.MQRCCF_CFSL_COUNT_ERROR, attribute.selector)
            return parse_value(attribute, parameter.texts())
        if isinstance(parameter, MQCFST) and attribute.kind == LIST and not numbers_of(attribute):
            return parse_value(attribute, [parameter.text()])  # One string is a list of one.
        if isinstance(parameter, MQCFBS) and attribute.kind == HEX:
            if len(parameter.string) not in (0, attribute.length):
                raise CommandRefused(pcf.MQRCCF_CFBS_STRING_LENGTH_ERR, attribute.selector)
            return parameter.string.hex().upper()
        if isinstance(parameter, MQCFIL) and attribute.kind in (ENUM, LIST) and numbers_of(attribute):
            return _words(attribute, parameter, wrong)
    except ValueRejected:
        raise wrong from None
    raise CommandRefused(unknown, parameter.parameter)


def _words(attribute: Attribute, parameter: MQCFIL, wrong: CommandRefused) -> Value:
    """Return the words for a list of numbers, such as the compression that a channel offers."""
    words = {number: word for word, number in numbers_of(attribute).items()}
    chosen: list[str] = []
    for number in parameter.values:
        if number not in words:
            raise wrong
        chosen.append(words[number])
    if attribute.kind == LIST:
        return chosen
    if len(chosen) != 1:
        raise wrong
    return chosen[0]


def _show(form: Form, request: Request, parameter: Parameter, unknown: int) -> None:
    """Put a list of attributes to show into the request."""
    if not isinstance(parameter, MQCFIL):
        raise CommandRefused(unknown, parameter.parameter)
    keywords = {attribute.selector: attribute.keyword for attribute in form.shown if attribute.selector}
    unasked = {attribute.selector for attribute in form.options} | {name_parameter(form), mq.MQCA_Q_MGR_NAME}
    for number in parameter.values:
        if number == pcf.MQIACF_ALL:
            request.options["ALL"] = "ALL"
        elif number in keywords:
            request.shown.add(keywords[number])
        elif number not in unasked:
            raise CommandRefused(MQRC_SELECTOR_ERROR, parameter.parameter, number)
    if not request.shown and "ALL" not in request.options:
        request.shown.add("")  # Nothing but the name.


# -- names and filters ------------------------------------------------------------------------------------------------


def _name(form: Form, parameter: Parameter, unknown: int) -> str:
    kind = KIND_OF.get(form.noun)
    if isinstance(parameter, MQCFIN) and kind is not None and kind.names.numbered:
        text = str(parameter.value)
    elif isinstance(parameter, MQCFST):
        text = parameter.text()
    else:
        raise CommandRefused(unknown, parameter.parameter)
    if form.name in (OBJECT_NAME, GENERIC_NAME):
        if form.name == GENERIC_NAME and (text == "*" or (text.endswith("*") and is_name(text[:-1]))):
            return text
        if not is_object_name(form.kind, text):
            kind = KIND_OF.get(form.kind)
            wrong = pcf.MQRCCF_OBJECT_NAME_ERROR if kind is None else kind.pcf.name_error
            raise CommandRefused(wrong, parameter.parameter)
    elif len(text) > TOPIC_STRING_LENGTH_MAX:
        raise CommandRefused(pcf.MQRCCF_CFST_STRING_LENGTH_ERR, parameter.parameter)
    return text


def _connection(form: Form, parameter: Parameter, unknown: int) -> str:
    """Return CONN of MQSC: the last 8 bytes of a connection id; a generic one is the beginning of an id."""
    if not isinstance(parameter, MQCFBS):
        raise CommandRefused(unknown, parameter.parameter)
    own = parameter.string[16:].hex().upper()
    generic = parameter.parameter == pcf.MQBACF_GENERIC_CONNECTION_ID
    if generic and form.name == GENERIC_CONNECTION_ID and len(parameter.string) < 24:
        return own + "*"
    if len(parameter.string) != 24 or form.name not in (CONNECTION_ID, GENERIC_CONNECTION_ID):
        raise CommandRefused(pcf.MQRCCF_CFBS_STRING_LENGTH_ERR, parameter.parameter)
    return own


def _filter(form: Form, parameter: Parameter, unknown: int) -> Filter:
    attribute = next((each for each in form.shown if each.selector == parameter.parameter and each.selector), None)
    if attribute is None or "WHERE" not in _options(form):
        raise CommandRefused(unknown, parameter.parameter)
    assert isinstance(parameter, MQCFIF | MQCFSF | MQCFBF)
    operation = _OPERATORS.get(parameter.operator, "")
    try:
        if isinstance(parameter, MQCFIF):
            word = _word(attribute, parameter.filter_value)
            return filter_on(attribute, operation, word)
        if isinstance(parameter, MQCFSF):
            return filter_on(attribute, operation, parameter.text())
        return filter_on(attribute, operation, parameter.filter_value.hex().upper())
    except FilterError:
        wrong = {
            MQCFIF: pcf.MQRCCF_CFIF_OPERATOR_ERROR,
            MQCFSF: pcf.MQRCCF_CFSF_OPERATOR_ERROR,
            MQCFBF: pcf.MQRCCF_CFBF_OPERATOR_ERROR,
        }
        raise CommandRefused(wrong[type(parameter)], parameter.parameter) from None


def _word(attribute: Attribute, number: int) -> str:
    """Return the number of a filter as MQSC writes it. A word of a switch is SHARE or NOSHARE."""
    if attribute.kind in (ENUM, FLAG) or attribute.words:
        for word, word_number in attribute.words.items():
            if word_number == number:
                return word
    return str(number)
