"""From the text of one command to its reply: parse, bind to the command model, check, run.

    text --parse--> Command --bind--> Request --handler--> Reply

`bind` checks everything that can be checked without the queue manager: verb, noun, name, keywords, values. A command
that it refuses has a syntax error: AMQ8405I, the command up to the failing word, and one line that says why and
suggests a correction. A command of MQ that FlintMQ does not have is no syntax error (absent.py). `?` in the place of a
verb, a noun or a parameter asks for the list of possible words (AMQ8426I, AMQ8427I).

Then the issuer's authority: a command on one object is refused whole (AMQ8135E); one with a generic name leaves out the
objects that its issuer may not see (objects.py, queues.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from flintmq.catalogue.attribute import FLAG, Attribute, ValueRejected, parse_value
from flintmq.catalogue.attributes import ATTRIBUTES, KIND_OF, QUEUE_KINDS
from flintmq.catalogue.kind import OBJECT_NAMES
from flintmq.catalogue.limits import CHANNEL_NAME_LENGTH, TOPIC_STRING_LENGTH_MAX
from flintmq.command import absent
from flintmq.command.administration import Administration
from flintmq.command.form import (
    CHANNEL_PROFILE,
    CONNECTION_ID,
    GENERIC_CONNECTION_ID,
    GENERIC_NAME,
    GENERIC_SUBSCRIPTION_NAME,
    GENERIC_TRACE_TYPE,
    LEAVING,
    NO_NAME,
    OPTIONAL_NAME,
    SUBSCRIPTION_NAME,
    TOPIC_STRING,
    TRACE_TYPE,
    USER_NAME,
    Form,
)
from flintmq.command.model import FORMS, VERBS, nouns, syntax
from flintmq.command.options import WHERE
from flintmq.command.parser import Command, CommandSyntaxError, Parameter, Word, parse
from flintmq.command.reply import Reply, Response, refused
from flintmq.command.request import Request
from flintmq.command.steps import RESPONSES_AT_ONCE, Steps, to_the_end
from flintmq.command.where import FilterError, parse_filter
from flintmq.mqi.command_text import CommandText
from flintmq.mqi.object_name import is_name
from flintmq.mqi.pcf_constants import MQRCCF_COMMAND_FAILED, MQRCCF_FILTER_ERROR
from flintmq.mqi.reason import MQRC_FUNCTION_NOT_SUPPORTED, MQRC_NOT_AUTHORIZED, reason_name
from flintmq.mqi.trace_words import CLASSES, SYNONYMS

_HEXADECIMAL = frozenset("0123456789ABCDEF")
CONNECTION_ID_LENGTH = 16
#: How alike a word must be to one that exists, from 0 to 1, to be taken for a typing error.
_ALIKE = 0.7
_HELP = "?"


@dataclass(frozen=True)
class Bound:
    """A command that has been understood."""

    form: Form
    request: Request


def execute(text: str | CommandText, administration: Administration | None) -> Reply:
    """Run one command. Without `administration` it is only checked, as `runmqsc -v` does."""
    return to_the_end(execute_steps(text, administration))


def execute_steps(text: str | CommandText, administration: Administration | None) -> Steps[Reply]:
    """Run one command in slices (steps.py). Without `administration` it is only checked."""
    try:
        if isinstance(text, CommandText):
            if text.problem:
                raise CommandSyntaxError(text.text, len(text.text), text.problem)
            text = text.text
        command = parse(text)
        if _asks_for_help(command):
            return Reply([_valid(command.verb, command.noun)])
        bound = bind(command)
    except CommandSyntaxError as error:
        return syntax_error(error)
    except absent.NotHere as error:
        return _not_here(error)
    except FilterError as error:
        return Reply([Response("AMQ8569E", {"explanation": str(error)})], MQRCCF_FILTER_ERROR)
    if administration is None:
        return Reply()
    reply = carry_out(bound.form, bound.request, administration)
    while reply.make(RESPONSES_AT_ONCE):
        yield
    if not reply.failed:
        administration.command_done(bound.form.verb, bound.form.pcf_command, text.strip(), [])
    return reply


def carry_out(form: Form, request: Request, administration: Administration) -> Reply:
    """Run a command that has been understood, if its issuer may. Some of its answers may be pending (`Reply.make`)."""
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
        if parameter.values is None and _shows(form, parameter.keyword):
            request.shown.add(parameter.keyword)
            continue
        if parameter.values is None and parameter.keyword in form.groups:
            request.shown |= form.groups[parameter.keyword]
            continue
        found = known.get(parameter.keyword)
        if found is None:
            absent.check_parameter(form.noun, parameter.keyword)
            why = f"{parameter.keyword} is not a parameter of {form.verb} {form.noun}"
            raise CommandSyntaxError(command.text, parameter.end, why + _hint(form, parameter.keyword, list(known)))
        part, attribute = found
        if attribute.keyword in given:
            raise CommandSyntaxError(command.text, parameter.end, f"{attribute.keyword} is given twice")
        given.add(attribute.keyword)
        _take(request, form, command, part, attribute, parameter)
    for keyword in form.required:
        if keyword not in given:
            raise CommandSyntaxError(command.text, len(command.text), f"{keyword} is missing")
    return Bound(form, request)


def _shows(form: Form, keyword: str) -> bool:
    """Return whether DISPLAY accepts the bare keyword of an attribute that it always shows, or never."""
    return keyword in form.always or (form.verb == "DISPLAY" and absent.is_of_other_type(form.noun, keyword))


def _unknown(command: Command) -> CommandSyntaxError:
    """Return the syntax error for a verb or noun that does not exist. Raises NotHere for one that MQ has."""
    verb, noun = command.verb, command.noun
    absent.check_command(verb, noun)
    if verb not in VERBS:
        meant = _suggestion(verb, [*VERBS, *LEAVING]) or f"; commands are {', '.join(VERBS)}"
        return CommandSyntaxError(command.text, command.verb_end, f"{verb} is not a command{meant}")
    known = nouns(verb)
    every = f": {', '.join(known)}" if known else ""
    if not noun:
        return CommandSyntaxError(command.text, command.verb_end, f"{verb} needs an object type{every}")
    meant = _suggestion(noun, known) or (f"; {verb} is for{every[1:]}" if known else "")
    return CommandSyntaxError(command.text, command.noun_end, f"there is no {verb} {noun}{meant}")


def _suggestion(word: str, known: list[str]) -> str:
    """Return "; did you mean X?" for a word that is like one of `known`, else nothing."""
    found = get_close_matches(word, known, 1, _ALIKE)
    return f"; did you mean {found[0]}?" if found else ""


def _hint(form: Form, keyword: str, known: list[str]) -> str:
    """Return advice about a keyword that the command does not have: the command that has it, or a correction."""
    for attribute in ATTRIBUTES.get(form.kind, []):
        if keyword in (attribute.keyword, *attribute.synonyms):
            return "; it is only displayed" if attribute.read_only else "; only DEFINE sets it"
    owners = [kind for kind in QUEUE_KINDS if any(each.keyword == keyword for each in ATTRIBUTES[kind])]
    if form.kind in QUEUE_KINDS and owners:
        return f"; it is an attribute of {', '.join(owners)}"
    return _suggestion(keyword, known) or f"; {form.verb} {form.noun} {_HELP} lists them"


def _parameters(form: Form) -> dict[str, tuple[str, Attribute]]:
    """Return every way to write a parameter of `form`: keyword, synonym, or a flag's NO form."""
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
    if attribute is WHERE:
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
        absent.check_value(form.noun, attribute.keyword, parameter.texts)
        meant = _suggestion(parameter.texts[0].upper(), list(attribute.words)) if len(parameter.texts) == 1 else ""
        raise CommandSyntaxError(command.text, parameter.close, f"{error}{meant}") from None
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
    names = KIND_OF[form.kind].names if form.kind in KIND_OF else OBJECT_NAMES
    if names.numbered and text.isascii() and text.isdigit() and len(text) < 9:
        text = str(int(text))
    if names.is_name(text):
        return text
    why = names.rule.format(noun=form.noun)
    if text == "*" or (text.endswith("*") and names.is_name(text[:-1])):
        why = f"{form.verb} takes no generic name"
    raise CommandSyntaxError(command.text, word.end, why)


def _subscription_name(command: Command, form: Form, word: Word | None) -> str:
    """Return the name of a subscription, which is any text; "" if SUBID stands for it."""
    if word is not None:
        return _long_name(command, word, "a subscription name")
    has_id = any(parameter.keyword == "SUBID" and parameter.texts for parameter in command.parameters)
    if not has_id:
        also = "" if form.verb == "DEFINE" else " or SUBID"
        raise CommandSyntaxError(command.text, command.noun_end, f"{form.noun} needs a name{also}")
    return ""


def _trace_type(command: Command, form: Form, word: Word | None) -> str:
    """Return the type of a trace, by its name or a synonym. START and DISPLAY may leave it out, STOP must not."""
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


# -- replies to syntax errors -----------------------------------------------------------------------------------


def syntax_error(error: CommandSyntaxError) -> Reply:
    """Return AMQ8405I with the command up to the failing word, and one line that says why."""
    why = error.explanation[:1].upper() + error.explanation[1:]
    lines = [error.segment, f"   {why}" + ("" if why.endswith("?") else ".")]
    return Reply([Response("AMQ8405I", lines=lines)], MQRCCF_COMMAND_FAILED, syntax_error=True)


def _not_here(error: absent.NotHere) -> Reply:
    """Return the answer to a command that MQ has and FlintMQ does not."""
    reason = MQRC_FUNCTION_NOT_SUPPORTED
    inserts = {"reason": str(reason), "reason_name": reason_name(reason), "explanation": str(error)}
    return Reply([Response("AMQ8101S", inserts)], reason)


def _asks_for_help(command: Command) -> bool:
    """Return whether `?` stands in the place of a verb, a noun or a parameter."""
    return _HELP in (command.verb, command.noun) or any(each.keyword == _HELP for each in command.parameters)


def _valid(verb: str, noun: str) -> Response:
    """Return the valid syntax for as much of a command as is known."""
    form = FORMS.get((verb, noun))
    if form is not None:
        return Response("AMQ8427I", lines=syntax(form))
    known = nouns(verb)
    if known:
        return Response("AMQ8427I", lines=[f" {verb} {each}" for each in known])
    return Response("AMQ8426I", lines=[f"   {each}" for each in VERBS])
