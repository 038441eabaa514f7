"""From the text of one command to its answer: parse, bind to the command model, check, run.

    text --parse--> Command --bind--> Request --handler--> Reply

`bind` checks everything that can be checked without the queue manager: verb, noun, name, keywords, values. What it
refuses is a syntax error (AMQ8405I, with the command up to the failing word, then why, then the valid syntax).

Then the issuer's authority: a command on one object is refused whole (AMQ8135E); one with a generic name leaves out the
objects that its issuer may not see (objects.py, queues.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from flintmq.command.administration import Administration
from flintmq.command.model import (
    CHANNEL_PROFILE,
    CONNECTION_ID,
    FORMS,
    GENERIC_CONNECTION_ID,
    GENERIC_NAME,
    GENERIC_SUBSCRIPTION_NAME,
    GENERIC_TRACE_TYPE,
    NO_NAME,
    OPTIONAL_NAME,
    SUBSCRIPTION_NAME,
    TOPIC_STRING,
    TRACE_TYPE,
    USER_NAME,
    VERBS,
    WHERE,
    Form,
    nouns,
    syntax,
)
from flintmq.command.parser import Command, CommandSyntaxError, CommandText, Parameter, Word, parse
from flintmq.command.reply import Answer, Reply, refused
from flintmq.command.request import Request
from flintmq.command.where import FilterError, parse_filter
from flintmq.mqi.pcf_constants import MQRCCF_COMMAND_FAILED, MQRCCF_FILTER_ERROR
from flintmq.mqi.reason import MQRC_NOT_AUTHORIZED
from flintmq.qmgr.attribute import FLAG, Attribute, ValueRejected, is_name, parse_value
from flintmq.qmgr.attributes import PAGE_SET_ID_MAX, TOPIC_STRING_LENGTH_MAX
from flintmq.qmgr.catalogue import CHANNEL_NAME_LENGTH, is_object_name
from flintmq.qmgr.traces import CLASSES, SYNONYMS

_NUMBERED = ("PSID", "BUFFPOOL")
_HEXADECIMAL = frozenset("0123456789ABCDEF")
CONNECTION_ID_LENGTH = 16


@dataclass(frozen=True)
class Bound:
    """A command that has been understood."""

    form: Form
    request: Request


def execute(text: str | CommandText, administration: Administration | None) -> Reply:
    """Run one command. Without `administration` it is only checked, as `runmqsc -v` does."""
    try:
        if isinstance(text, CommandText):
            if text.problem:
                raise CommandSyntaxError(text.text, len(text.text), text.problem)
            text = text.text
        bound = bind(parse(text))
    except CommandSyntaxError as error:
        return syntax_error(error)
    except FilterError as error:
        return Reply([Answer("AMQ8569E", {"explanation": str(error)})], MQRCCF_FILTER_ERROR)
    if administration is None:
        return Reply()
    reply = carry_out(bound.form, bound.request, administration)
    if not reply.failed:
        administration.command_done(bound.form.verb, bound.form.pcf_command, text.strip(), [])
    return reply


def carry_out(form: Form, request: Request, administration: Administration) -> Reply:
    """Run a command that has been understood, if its issuer may."""
    name = request.name or administration.name
    one_by_one = name.endswith("*") and form.authority[1] != "qmgr"
    if not one_by_one and not administration.may(request.verb, request.kind or request.noun, name):
        administration.command_refused(form.pcf_command, request.kind or request.noun, name)
        return refused(MQRC_NOT_AUTHORIZED, name, administration.name)
    return form.handler(request, administration)


def bind(command: Command) -> Bound:
    """Find the command's form and check the command against it."""
    form = FORMS.get((command.verb, command.noun))
    if form is None:
        raise _unknown(command)
    request = Request(command.verb, command.noun, form.kind, _name(command, form))
    known = _parameters(form)
    given: set[str] = set()
    for parameter in command.parameters:
        found = known.get(parameter.keyword)
        if found is None:
            raise CommandSyntaxError(
                command.text, parameter.end, f"{parameter.keyword} is not a parameter of {form.verb} {form.noun}"
            )
        part, attribute = found
        if attribute.keyword in given:
            raise CommandSyntaxError(command.text, parameter.end, f"{attribute.keyword} is given twice")
        given.add(attribute.keyword)
        _take(request, form, command, part, attribute, parameter)
    for keyword in form.required:
        if keyword not in given:
            raise CommandSyntaxError(command.text, len(command.text), f"{keyword} is missing")
    return Bound(form, request)


def _unknown(command: Command) -> CommandSyntaxError:
    if command.verb not in VERBS:
        return CommandSyntaxError(command.text, command.verb_end, f"{command.verb} is not a command")
    if not command.noun:
        return CommandSyntaxError(command.text, command.verb_end, f"{command.verb} needs an object type")
    return CommandSyntaxError(command.text, command.noun_end, f"there is no {command.verb} {command.noun}")


def _parameters(form: Form) -> dict[str, tuple[str, Attribute]]:
    """Every way to write a parameter of `form`: keyword, synonym, or a flag's NO form."""
    known: dict[str, tuple[str, Attribute]] = {}
    for part, attributes in (("shown", form.shown), ("settable", form.settable), ("options", form.options)):
        for attribute in attributes:
            words = [attribute.keyword, *attribute.synonyms]
            if attribute.kind == FLAG and part != "shown":
                words = list(attribute.words)
            for word in words:
                known[word] = (part, attribute)
    return known


def _take(
    request: Request, form: Form, command: Command, part: str, attribute: Attribute, parameter: Parameter
) -> None:
    """Put one parameter into the request."""
    if attribute.keyword == WHERE:
        request.where = parse_filter(parameter, form.shown)
        return
    if parameter.values is None and part == "options" and attribute.keyword == "TYPE":
        return  # DISPLAY QUEUE(*) TYPE: the type is always shown.
    if parameter.values is None and part == "options" and _is_shown(form, attribute.keyword):
        part = "shown"  # DISPLAY SUB(*) SUBTYPE shows it, SUBTYPE(ADMIN) chooses.
    bare = part == "shown" or attribute.kind == FLAG
    if bare and parameter.values is not None:
        raise CommandSyntaxError(command.text, parameter.close, f"{parameter.keyword} takes no value here")
    if not bare and parameter.values is None:
        raise CommandSyntaxError(command.text, parameter.end, f"{parameter.keyword} needs a value")
    if part == "shown":
        request.shown.add(attribute.keyword)
        return
    try:
        value = parse_value(attribute, [parameter.keyword] if attribute.kind == FLAG else parameter.texts)
    except ValueRejected as error:
        raise CommandSyntaxError(command.text, parameter.close, str(error)) from None
    (request.values if part == "settable" else request.options)[attribute.keyword] = value


def _is_shown(form: Form, keyword: str) -> bool:
    return any(attribute.keyword == keyword for attribute in form.shown)


# -- names ------------------------------------------------------------------------------------------------------------


def _name(command: Command, form: Form) -> str:
    word = command.name
    if form.name in (SUBSCRIPTION_NAME, GENERIC_SUBSCRIPTION_NAME):
        return _subscription_name(command, form, word)
    if form.name == OPTIONAL_NAME:
        return ""
    if form.name == NO_NAME:
        if word is not None:
            raise CommandSyntaxError(command.text, word.end, f"{form.verb} {form.noun} takes no name")
        return ""
    if form.name in (TRACE_TYPE, GENERIC_TRACE_TYPE):
        return _trace_type(command, form, word)
    if word is None:
        raise CommandSyntaxError(command.text, command.noun_end, f"{form.noun} needs a name")
    if form.name == TOPIC_STRING:
        return _long_name(command, word, "a topic string")
    if form.name == USER_NAME:
        return word.text.strip()
    if form.name == CHANNEL_PROFILE:
        return _channel_profile(command, word)
    text = word.text.rstrip(" ")
    if form.name in (CONNECTION_ID, GENERIC_CONNECTION_ID):
        return _connection_name(command, form, word, text.upper())
    if form.name == GENERIC_NAME and text.endswith("*"):
        return _generic_name(command, word, text)
    return _object_name(command, form, word, text)


def _channel_profile(command: Command, word: Word) -> str:
    text = word.text.strip()
    if not is_name(text.replace("*", "A"), CHANNEL_NAME_LENGTH):
        why = f"a channel profile has at most {CHANNEL_NAME_LENGTH} letters, digits and . / _ %, with * anywhere"
        raise CommandSyntaxError(command.text, word.end, why)
    return text


def _generic_name(command: Command, word: Word, text: str) -> str:
    if text != "*" and not is_name(text[:-1]):
        raise CommandSyntaxError(command.text, word.end, "a generic name is the beginning of a name, then *")
    return text


def _object_name(command: Command, form: Form, word: Word, text: str) -> str:
    if form.kind in _NUMBERED and text.isascii() and text.isdigit() and len(text) < 9:
        text = str(int(text))
    if is_object_name(form.kind, text):
        return text
    if form.kind in _NUMBERED:
        why = f"{form.noun} takes a number from 0 to {PAGE_SET_ID_MAX}"
    elif form.kind == "STGCLASS":
        why = "a storage class name has at most 8 upper-case letters, digits and . / _ %, the first no digit"
    elif text.endswith("*"):
        why = f"{form.verb} takes no generic name"
    else:
        why = "a name has at most 48 letters, digits and . / _ %"
    raise CommandSyntaxError(command.text, word.end, why)


def _subscription_name(command: Command, form: Form, word: Word | None) -> str:
    """The name of a subscription is any text; SUBID may stand for it."""
    if word is not None:
        return _long_name(command, word, "a subscription name")
    has_id = any(parameter.keyword == "SUBID" and parameter.texts for parameter in command.parameters)
    if not has_id:
        also = "" if form.verb == "DEFINE" else " or SUBID"
        raise CommandSyntaxError(command.text, command.noun_end, f"{form.noun} needs a name{also}")
    return ""


def _trace_type(command: Command, form: Form, word: Word | None) -> str:
    """STAT, ACCTG ... or a synonym. STOP must say what; START and DISPLAY need not."""
    if word is None:
        if form.verb == "STOP":
            raise CommandSyntaxError(command.text, command.noun_end, "STOP TRACE needs a type, or *")
        return ""
    text = word.text.strip(" ").upper()
    if text == "*" and form.name == GENERIC_TRACE_TYPE:
        return text
    text = SYNONYMS.get(text, text)
    if text not in CLASSES:
        raise CommandSyntaxError(command.text, word.end, f"a type of trace is {', '.join(CLASSES)}")
    return text


def _long_name(command: Command, word: Word, what: str) -> str:
    if len(word.text) > TOPIC_STRING_LENGTH_MAX:
        raise CommandSyntaxError(command.text, word.end, f"{what} has at most {TOPIC_STRING_LENGTH_MAX} characters")
    return word.text.rstrip(" ")


def _connection_name(command: Command, form: Form, word: Word, text: str) -> str:
    generic = form.name == GENERIC_CONNECTION_ID and text.endswith("*")
    digits = text[:-1] if generic else text
    complete = len(digits) == CONNECTION_ID_LENGTH or (generic and len(digits) < CONNECTION_ID_LENGTH)
    if not complete or not _HEXADECIMAL.issuperset(digits):
        why = f"a connection is named by {CONNECTION_ID_LENGTH} hexadecimal digits"
        raise CommandSyntaxError(command.text, word.end, why)
    return text


# -- what is said of a syntax error -----------------------------------------------------------------------------------


def syntax_error(error: CommandSyntaxError) -> Reply:
    """AMQ8405I with the segment and the reason, then what would have been valid."""
    why = error.explanation[:1].upper() + error.explanation[1:]
    lines = [error.segment, f"   {why}."]
    return Reply([Answer("AMQ8405I", lines=lines), _valid(error.segment)], MQRCCF_COMMAND_FAILED, syntax_error=True)


def _valid(segment: str) -> Answer:
    """The valid syntax for as much of a command as can be recognised."""
    verb, noun = _verb_and_noun(segment)
    form = FORMS.get((verb, noun))
    if form is not None:
        return Answer("AMQ8427I", lines=syntax(form))
    known = nouns(verb)
    if known:
        return Answer("AMQ8427I", lines=[f" {verb} {each}" for each in known])
    return Answer("AMQ8426I", lines=[f"   {each}" for each in VERBS])


def _verb_and_noun(segment: str) -> tuple[str, str]:
    """The first two words, whatever follows them."""
    words = segment.replace("(", " ").replace(",", " ").replace("'", " ").replace(")", " ").split()[:2]
    try:
        command = parse(" ".join(words))
    except CommandSyntaxError:
        return "", ""
    return command.verb, command.noun
