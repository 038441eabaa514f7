"""Completion of a command that is being typed: verbs, nouns, names of objects, keywords, words of values.

DEF|                DEFINE
DEFINE QL|          QLOCAL
DISPLAY QL(OR|      the names that begin so; the caller asks the queue manager
DEF QL(A) MAXD|     MAXDEPTH(
DEF QL(A) GET(|     ENABLED, DISABLED
"""

from __future__ import annotations

import re
from collections.abc import Callable

from flintmq.catalogue.attribute import FLAG, Attribute
from flintmq.command.form import LEAVING, Form
from flintmq.command.model import FORMS, VERBS, nouns
from flintmq.command.parser import NOUN_SYNONYMS, VERB_SYNONYMS

#: Characters that end the word to complete.
DELIMITERS = " \t,()'"

#: Given a noun and the beginning of a name, return the names that begin so.
Names = Callable[[str, str], list[str]]


def completions(before: str, word: str, names: Names) -> list[str]:
    """Return the completions of `word` after the text `before` it, in the case in which the word was begun."""
    words = re.findall(rf"[^{re.escape(DELIMITERS)}]+", before)
    if not words:
        return _like(word, sorted({*VERBS, *LEAVING}))
    verb = VERB_SYNONYMS.get(words[0].upper(), words[0].upper())
    if len(words) == 1 and "(" not in before:
        return _like(word, nouns(verb))
    noun = words[1].upper() if len(words) > 1 else ""
    form = FORMS.get((verb, NOUN_SYNONYMS.get(noun, noun)))
    if form is None:
        return []
    opened = re.search(rf"([^{re.escape(DELIMITERS)}]+)\s*\(\s*'?[^()]*$", before)
    if opened is None:
        return _like(word, _keywords(form))
    keyword = opened[1].upper()
    if keyword == noun and before.count("(") == 1:
        return [name for name in names(form.noun, word.upper()) if name.upper().startswith(word.upper())]
    return _like(word, _values(form, keyword))


def _keywords(form: Form) -> list[str]:
    found: set[str] = {attribute.keyword for attribute in form.shown} | set(form.always) | set(form.groups)
    for attribute in (*form.options, *form.settable):
        found.discard(attribute.keyword)
        found |= set(attribute.words) if attribute.kind == FLAG else {f"{attribute.keyword}("}
    return sorted(found)


def _values(form: Form, keyword: str) -> list[str]:
    every: tuple[Attribute, ...] = (*form.options, *form.settable)
    found = next((each for each in every if keyword in (each.keyword, *each.synonyms)), None)
    return list(found.words) if found is not None else []


def _like(word: str, known: list[str]) -> list[str]:
    found = [each for each in known if each.startswith(word.upper())]
    return [each.lower() for each in found] if word and word == word.lower() else found
