"""MQSC: the syntax of a command. The meaning of verbs, nouns and keywords is in model.py.

    VERB NOUN(name) KEYWORD(value) KEYWORD(value, value) KEYWORD ...

Two steps. `CommandReader` of mqi/command_text.py joins lines to commands; `parse` takes one command apart.

    word         ends at a blank, comma, quote or parenthesis; upper-cased. Within parentheses a word may carry
                 parentheses of its own: CONNAME(host(1414)).
    string       'single quotes', as written; '' inside is one quote
    separators   blanks and commas, any number of them, also before `(` and inside parentheses

Every part remembers where it stands, so that an error can show the command up to the word that failed.
"""

from __future__ import annotations

from dataclasses import dataclass

from flintmq.catalogue.kinds import KINDS

_BLANKS = " \t"
_SEPARATORS = " \t,"
_WORD_ENDS = " \t,()'"

VERB_SYNONYMS = {"ALT": "ALTER", "DEF": "DEFINE", "DEL": "DELETE", "DIS": "DISPLAY", "STA": "START"}
_STATUS_SYNONYMS = {"CHS": "CHSTATUS", "SBS": "SBSTATUS", "SEC": "SECURITY", "TPS": "TPSTATUS"}


def _short_forms(queues: bool) -> dict[str, str]:
    declared = [(kind, kind.mqsc) for kind in KINDS if kind.mqsc is not None and bool(kind.queue_type) == queues]
    return {synonym: kind.keyword for kind, mqsc in declared for synonym in mqsc.synonyms}


#: Those of queues first, the others in order.
NOUN_SYNONYMS = {
    "Q": "QUEUE",
    **_short_forms(queues=True),
    "QS": "QSTATUS",
    **dict(sorted({**_short_forms(queues=False), **_STATUS_SYNONYMS}.items())),
}


class CommandSyntaxError(Exception):
    """The command cannot be understood from `offset` on. `segment` is its text up to and with the failing word."""

    def __init__(self, text: str, offset: int, explanation: str) -> None:
        super().__init__(explanation)
        self.segment = text[:offset].rstrip()
        self.offset = offset
        self.explanation = explanation


@dataclass(frozen=True)
class Word:
    """One word or string of a command; `start` and `end` are its place in the command's text, quotes included."""

    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True)
class Parameter:
    """KEYWORD(values), or a bare KEYWORD, with None for `values`."""

    keyword: str
    start: int
    end: int
    values: tuple[Word, ...] | None = None
    #: Where the closing parenthesis, or a bare keyword, ends.
    close: int = 0

    @property
    def texts(self) -> list[str]:
        """Return the values as plain text; none for a bare keyword."""
        return [word.text for word in self.values or ()]


@dataclass(frozen=True)
class Command:
    """One command, taken apart. `verb` and `noun` are the full words, whichever synonym was written."""

    text: str
    verb: str
    noun: str
    name: Word | None
    parameters: tuple[Parameter, ...]
    verb_end: int
    noun_end: int


# -- one command ------------------------------------------------------------------------------------------------------


def parse(text: str) -> Command:
    """Take one command apart. Raises CommandSyntaxError and nothing else."""
    return _Parser(text).command()


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Take a list of KEYWORD(value) apart that has no verb and noun in front: an entry of a rules table."""
    parser = _Parser(text)
    parameters: list[Parameter] = []
    while parser.more():
        parameters.append(parser.parameter())
    return tuple(parameters)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def command(self) -> Command:
        verb = self.keyword("a command")
        verb_word = VERB_SYNONYMS.get(verb.text, verb.text)
        if not self.more():
            return Command(self.text, verb_word, "", None, (), verb.end, verb.end)
        noun = self.keyword("an object type")
        name = self.name(noun.text)
        parameters: list[Parameter] = []
        seen: set[str] = set()
        while self.more():
            parameter = self.parameter()
            if parameter.keyword in seen:
                raise CommandSyntaxError(self.text, parameter.end, f"{parameter.keyword} is given twice")
            seen.add(parameter.keyword)
            parameters.append(parameter)
        noun_word = NOUN_SYNONYMS.get(noun.text, noun.text)
        return Command(self.text, verb_word, noun_word, name, tuple(parameters), verb.end, noun.end)

    def more(self) -> bool:
        """Skip separators; whether anything follows."""
        while self.position < len(self.text) and self.text[self.position] in _SEPARATORS:
            self.position += 1
        return self.position < len(self.text)

    def opens(self) -> bool:
        """Return whether a parenthesis follows, perhaps after blanks; if so, step over it."""
        position = self.position
        while position < len(self.text) and self.text[position] in _BLANKS:
            position += 1
        if position < len(self.text) and self.text[position] == "(":
            self.position = position + 1
            return True
        return False

    def keyword(self, what: str) -> Word:
        self.more()
        start = self.position
        while self.position < len(self.text) and self.text[self.position] not in _WORD_ENDS:
            self.position += 1
        if self.position == start:
            found = self.text[start : start + 1]
            raise CommandSyntaxError(self.text, start + 1, f"{found or 'the end'} stands where {what} is expected")
        return Word(self.text[start : self.position].upper(), start, self.position)

    def name(self, noun: str) -> Word | None:
        if not self.opens():
            return None
        values = self.values(noun)
        if not values:
            raise CommandSyntaxError(self.text, self.position, f"{noun} has no name between its parentheses")
        if len(values) > 1:
            raise CommandSyntaxError(self.text, values[1].end, f"{noun} takes one name")
        return values[0]

    def parameter(self) -> Parameter:
        keyword = self.keyword("a keyword")
        if not self.opens():
            return Parameter(keyword.text, keyword.start, keyword.end, None, keyword.end)
        values = self.values(keyword.text)
        return Parameter(keyword.text, keyword.start, keyword.end, values, self.position)

    def values(self, keyword: str) -> tuple[Word, ...]:
        """Return the values up to the closing parenthesis, and step over it."""
        result: list[Word] = []
        while self.more():
            character = self.text[self.position]
            if character == ")":
                self.position += 1
                return tuple(result)
            result.append(self.string() if character == "'" else self.value())
        raise CommandSyntaxError(self.text, len(self.text), f"{keyword} has no closing parenthesis")

    def value(self) -> Word:
        """Return an unquoted value, which may end in a parenthesised part of its own."""
        start = self.position
        word = self.keyword("a value")
        if self.position < len(self.text) and self.text[self.position] == "(":
            self.enclosed()
        return Word(self.text[start : self.position].upper(), word.start, self.position)

    def enclosed(self) -> None:
        depth = 0
        while self.position < len(self.text):
            character = self.text[self.position]
            self.position += 1
            if character == "(":
                depth += 1
            elif character == ")":
                depth -= 1
                if depth == 0:
                    return
        raise CommandSyntaxError(self.text, len(self.text), "a parenthesis is not closed")

    def string(self) -> Word:
        start = self.position
        self.position += 1
        pieces: list[str] = []
        while True:
            end = self.text.find("'", self.position)
            if end < 0:
                raise CommandSyntaxError(self.text, len(self.text), "a quote is not closed")
            pieces.append(self.text[self.position : end])
            self.position = end + 1
            if self.text[end + 1 : end + 2] != "'":
                return Word("'".join(pieces), start, self.position, quoted=True)
            self.position = end + 2
