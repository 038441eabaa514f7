"""The rules table of the dead-letter handler (runmqdlq): text to rules, and which rule a message matches.

    * a comment
    INPUTQ(DLQ) RETRYINT(30) WAIT(NO)                           control data: at most once, as the first entry
    REASON(MQRC_Q_FULL) DESTQ('orders.*') +                     a rule: patterns ...
      ACTION(RETRY) RETRY(5)                                    ... and the action
    REASON(2035) ACTION(FWD) FWDQ(&REPLYQ) FWDQM(&REPLYQM) HEADER(NO)
    ACTION(FWD) FWDQ(REST)                                      no pattern: every message

Lines are joined and words quoted as in MQSC (parser.py). The first rule that matches is applied; a keyword that is left
out, or `*`, matches everything.

    control data          default
    INPUTQ  INPUTQM       ' '         the queue and queue manager, unless the command names them
    RETRYINT(seconds)     60          how long to wait before a message is tried again
    WAIT(YES|NO|seconds)  YES         once there is nothing left to do: wait, end, or wait for some seconds and end

    pattern                                              compared with
    REASON DESTQ DESTQM FORMAT                           the dead-letter header: FORMAT is that of the data behind it
    APPLIDAT APPLNAME APPLTYPE FEEDBACK MSGTYPE PERSIST  the message descriptor
    REPLYQ REPLYQM USERID                                the message descriptor

    action
    ACTION(DISCARD|IGNORE|RETRY|FWD)      delete; leave; put to DESTQ at DESTQM; put to FWDQ at FWDQM. Required
    FWDQ(name|&DESTQ|&REPLYQ)             FWD only, and required there
    FWDQM(name|&DESTQM|&REPLYQM|' ')      FWD only; ' ' is the queue manager itself
    HEADER(YES|NO)                        FWD: whether the dead-letter header stays. A RETRY takes it off
    PUTAUT(DEF|CTX)                       with the authority of the handler, or of the user in the message
    RETRY(n)                              1: how often to try before the next rule that matches is applied

Numbers are written as numbers or as MQ's names: REASON(2053), REASON(MQRC_Q_FULL). In texts `?` stands for one
character and `*` for any number of them. All faults of a table are reported at once, each with line and column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from flintmq.command.parser import CommandSyntaxError, Parameter, parse_parameters
from flintmq.mqi import constants, reason
from flintmq.mqi.command_text import CommandReader, CommandText
from flintmq.mqi.dlh import MQDLH
from flintmq.mqi.md import MQMD
from flintmq.mqi.object_name import is_name

NUMBER_MAX = 999_999_999
WAIT_SECONDS_MAX = 999_999

DISCARD, IGNORE, RETRY, FWD = "DISCARD", "IGNORE", "RETRY", "FWD"

CONTROL = ("INPUTQ", "INPUTQM", "RETRYINT", "WAIT")
ACTIONS = ("ACTION", "FWDQ", "FWDQM", "HEADER", "PUTAUT", "RETRY")

#: Patterns that are texts: the longest that the field holds.
TEXTS = {
    "APPLIDAT": 32,
    "APPLNAME": 28,
    "DESTQ": 48,
    "DESTQM": 48,
    "FORMAT": 8,
    "REPLYQ": 48,
    "REPLYQM": 48,
    "USERID": 12,
}
#: Patterns that are numbers: how the names of their values begin.
NUMBERS = {
    "APPLTYPE": ("MQAT_",),
    "FEEDBACK": ("MQFB_", "MQRC_"),
    "MSGTYPE": ("MQMT_",),
    "PERSIST": ("MQPER_",),
    "REASON": ("MQRC_", "MQFB_"),
}


class RulesError(Exception):
    """The rules table cannot be used. `problems` are sentences with line and column."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class _Wrong(Exception):
    """The fault of one value."""


@dataclass(frozen=True)
class Control:
    """The control data. `wait` is seconds; None is WAIT(YES), 0 is WAIT(NO)."""

    input_q: str = ""
    input_q_mgr: str = ""
    retry_interval: int = 60
    wait: int | None = None


@dataclass
class Rule:
    """One rule: patterns of messages, and an action."""

    line: int
    texts: dict[str, re.Pattern[str]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    action: str = ""
    forward_q: str = ""
    forward_q_mgr: str = ""
    keep_header: bool = True
    as_context_user: bool = False
    retry: int = 1

    def matches(self, md: MQMD, dlh: MQDLH) -> bool:
        """Return whether the rule applies to a message with this descriptor and this dead-letter header."""
        if self.numbers:
            found_numbers = {
                "APPLTYPE": md.put_appl_type,
                "FEEDBACK": md.feedback,
                "MSGTYPE": md.msg_type,
                "PERSIST": md.persistence,
                "REASON": dlh.reason,
            }
            if any(found_numbers[keyword] != number for keyword, number in self.numbers.items()):
                return False
        found = {
            "APPLIDAT": md.appl_identity_data,
            "APPLNAME": md.put_appl_name,
            "DESTQ": dlh.dest_q_name,
            "DESTQM": dlh.dest_q_mgr_name,
            "FORMAT": dlh.format,
            "REPLYQ": md.reply_to_q,
            "REPLYQM": md.reply_to_q_mgr,
            "USERID": md.user_identifier,
        }
        return all(pattern.fullmatch(found[keyword].rstrip(" \0")) for keyword, pattern in self.texts.items())


@dataclass(frozen=True)
class RulesTable:
    """Control data and rules, in their order."""

    control: Control
    rules: tuple[Rule, ...]


def read_rules(text: str) -> RulesTable:
    """Parse the rules table in `text`. Raises RulesError."""
    reader = CommandReader()
    entries: list[CommandText] = []
    for line in text.split("\n"):
        entries += reader.feed(line)
    entries += reader.finish()
    problems: list[str] = []
    control = Control()
    rules: list[Rule] = []
    for number, entry in enumerate(entries):
        try:
            parameters = _parameters(entry)
            if any(parameter.keyword in CONTROL for parameter in parameters):
                if number:
                    _refuse(entry, parameters[0], "control data must be the first entry of the table")
                control = _control(entry, parameters)
            else:
                rules.append(_rule(entry, parameters))
        except CommandSyntaxError as error:
            line_number, column = entry.place(max(0, error.offset - 1))
            problems.append(f"line {line_number}, column {column}: {error.explanation}")
    if not rules and not problems:
        problems.append("there is no rule in the table")
    if problems:
        raise RulesError(problems)
    return RulesTable(control, tuple(rules))


# -- entries ----------------------------------------------------------------------------------------------------------


def _parameters(entry: CommandText) -> tuple[Parameter, ...]:
    if entry.problem:
        raise CommandSyntaxError(entry.text, len(entry.text), entry.problem)
    parameters = parse_parameters(entry.text)
    seen: set[str] = set()
    for parameter in parameters:
        keyword = parameter.keyword
        if keyword not in CONTROL and keyword not in ACTIONS and keyword not in TEXTS and keyword not in NUMBERS:
            raise CommandSyntaxError(entry.text, parameter.end, f"{keyword} is not a keyword of the rules table")
        if keyword in seen:
            _refuse(entry, parameter, f"{keyword} is given twice")
        seen.add(keyword)
        if parameter.values is None:
            raise CommandSyntaxError(entry.text, parameter.end, f"{keyword} needs a value")
    return parameters


def _refuse(entry: CommandText, parameter: Parameter, why: str) -> None:
    raise CommandSyntaxError(entry.text, parameter.end, why)


def _control(entry: CommandText, parameters: tuple[Parameter, ...]) -> Control:
    values: dict[str, str | int | None] = {"INPUTQ": "", "INPUTQM": "", "RETRYINT": 60, "WAIT": None}
    for parameter in parameters:
        keyword = parameter.keyword
        if keyword not in CONTROL:
            _refuse(entry, parameter, f"{keyword} belongs to a rule, not to the control data")
        text = _value(entry, parameter)
        try:
            if keyword == "RETRYINT":
                values[keyword] = _number(keyword, text, 1, NUMBER_MAX)
            elif keyword == "WAIT":
                values[keyword] = None if text.upper() == "YES" else 0 if text.upper() == "NO" else _wait(text)
            else:
                values[keyword] = _name(keyword, text)
        except _Wrong as wrong:
            raise CommandSyntaxError(entry.text, parameter.close, str(wrong)) from None
    wait, interval = values["WAIT"], values["RETRYINT"]
    assert isinstance(interval, int) and not isinstance(wait, str)
    return Control(str(values["INPUTQ"]), str(values["INPUTQM"]), interval, wait)


def _wait(text: str) -> int:
    if not text.isdigit():
        raise _Wrong(f"WAIT must be YES, NO or a number of seconds, not {text}")
    return _number("WAIT", text, 0, WAIT_SECONDS_MAX)


def _rule(entry: CommandText, parameters: tuple[Parameter, ...]) -> Rule:
    rule = Rule(entry.place(0)[0])
    for parameter in parameters:
        text = _value(entry, parameter)
        try:
            _take(rule, parameter.keyword, text)
        except _Wrong as wrong:
            raise CommandSyntaxError(entry.text, parameter.close, str(wrong)) from None
    end = len(entry.text)
    if not rule.action:
        raise CommandSyntaxError(entry.text, end, "the rule has no ACTION")
    if rule.action == FWD and not rule.forward_q:
        raise CommandSyntaxError(entry.text, end, "ACTION(FWD) needs FWDQ")
    for parameter in parameters:
        if rule.action != FWD and parameter.keyword in ("FWDQ", "FWDQM"):
            _refuse(entry, parameter, f"{parameter.keyword} goes with ACTION(FWD) only")
    return rule


def _take(rule: Rule, keyword: str, text: str) -> None:
    """Put one keyword into the rule. Raises _Wrong."""
    if keyword in TEXTS:
        if len(text.replace("*", "")) > TEXTS[keyword]:
            raise _Wrong(f"{keyword} has at most {TEXTS[keyword]} characters")
        if text != "*":
            rule.texts[keyword] = _pattern(text)
    elif keyword in NUMBERS:
        if text != "*":
            rule.numbers[keyword] = _named_number(keyword, text)
    elif keyword == "ACTION":
        rule.action = _word(keyword, text, (DISCARD, IGNORE, RETRY, FWD))
    elif keyword == "FWDQ":
        rule.forward_q = _name(keyword, text, ("&DESTQ", "&REPLYQ"))
        if not rule.forward_q:
            raise _Wrong("FWDQ must be a name, &DESTQ or &REPLYQ")
    elif keyword == "FWDQM":
        rule.forward_q_mgr = _name(keyword, text, ("&DESTQM", "&REPLYQM"))
    elif keyword == "HEADER":
        rule.keep_header = _word(keyword, text, ("YES", "NO")) == "YES"
    elif keyword == "PUTAUT":
        rule.as_context_user = _word(keyword, text, ("DEF", "CTX")) == "CTX"
    else:
        rule.retry = _number(keyword, text, 1, NUMBER_MAX)


# -- values -----------------------------------------------------------------------------------------------------------


def _value(entry: CommandText, parameter: Parameter) -> str:
    texts = parameter.texts
    if len(texts) != 1 or not texts[0]:
        why = "takes one value" if len(texts) > 1 else "needs a value"
        raise CommandSyntaxError(entry.text, parameter.close, f"{parameter.keyword} {why}")
    return texts[0].rstrip(" ") or " "


def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern: `*` is any number of characters, `?` is one. A blank value matches the blank field."""
    parts = [{"*": ".*", "?": "."}.get(character, re.escape(character)) for character in re.sub(r"\*+", "*", text)]
    return re.compile("".join(parts) if text != " " else "", re.DOTALL)


def _word(keyword: str, text: str, words: tuple[str, ...]) -> str:
    word = text.upper()
    if word not in words:
        raise _Wrong(f"{keyword} must be {', '.join(words[:-1])} or {words[-1]}, not {text}")
    return word


def _name(keyword: str, text: str, variables: tuple[str, ...] = ()) -> str:
    if text.upper() in variables:
        return text.upper()
    if text != " " and not is_name(text):
        also = f", or {' or '.join(variables)}" if variables else ""
        raise _Wrong(f"{keyword} must be a name of at most 48 letters, digits and . / _ %{also}; not {text}")
    return text.strip()


def _number(keyword: str, text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18 or not low <= int(text) <= high:
        raise _Wrong(f"{keyword} must be a number between {low} and {high}, not {text}")
    return int(text)


def _named_number(keyword: str, text: str) -> int:
    """Return the value of a number, or of MQ's name for it."""
    if text.lstrip("-").isdigit() and text.isascii():
        return _number(keyword, text, 0, NUMBER_MAX)
    name = text.upper()
    if name.startswith(NUMBERS[keyword]):
        found = vars(reason).get(name, vars(constants).get(name))
        if isinstance(found, int):
            return found
    begins = " or ".join(prefix + "..." for prefix in NUMBERS[keyword])
    raise _Wrong(f"{keyword} must be a number, a name {begins}, or *; not {text}")
