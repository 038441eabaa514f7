"""How the tables of attributes.py are written: a short function for each kind of attribute, and for what is special."""

from __future__ import annotations

from flintmq.catalogue.attribute import ENUM, FLAG, HEX, INT, INTERVAL, LIST, NAME, STRING, Attribute, Value
from flintmq.mqi.constants import MQCA_ALTERATION_DATE, MQCA_ALTERATION_TIME


def integer(
    keyword: str, selector: int, default: Value, low: int, high: int, words: dict[str, int] | None = None
) -> Attribute:
    attribute = Attribute(keyword, INT, selector, default)
    attribute.low = low
    attribute.high = high
    if words is not None:
        attribute.words = words
    return attribute


def enum(keyword: str, selector: int, words: dict[str, int], default: str = "") -> Attribute:
    """One of `words`; the first is the default unless another is given."""
    attribute = Attribute(keyword, ENUM, selector, default or list(words)[0])
    attribute.words = words
    return attribute


def flag(keyword: str, selector: int, on: int, off: int, default: str) -> Attribute:
    attribute = Attribute(keyword, FLAG, selector, default)
    attribute.words = {keyword: on, "NO" + keyword: off}
    return attribute


def text(keyword: str, selector: int, length: int, default: str = "") -> Attribute:
    attribute = Attribute(keyword, STRING, selector, default)
    attribute.length = length
    return attribute


def name(keyword: str, selector: int, length: int = 48, default: str = "") -> Attribute:
    attribute = Attribute(keyword, NAME, selector, default)
    attribute.length = length
    return attribute


def hexadecimal(keyword: str, selector: int, length: int) -> Attribute:
    attribute = Attribute(keyword, HEX, selector, "")
    attribute.length = length
    return attribute


def names(keyword: str, selector: int, count_max: int, length: int = 48) -> Attribute:
    attribute = Attribute(keyword, LIST, selector, [])
    attribute.count_max = count_max
    attribute.length = length
    return attribute


def texts(keyword: str, selector: int, count_max: int, length: int) -> Attribute:
    attribute = names(keyword, selector, count_max, length)
    attribute.any_text = True
    return attribute


def words(keyword: str, selector: int, allowed: dict[str, int], default: str) -> Attribute:
    """A list of words."""
    attribute = Attribute(keyword, LIST, selector, [default])
    attribute.words = allowed
    attribute.count_max = len(allowed)
    return attribute


def choice(keyword: str, words: str, synonym: str = "", selector: int = 0, numbers: tuple[int, ...] = ()) -> Attribute:
    """Return a choice of `words`, by default the first. `selector` and `numbers` are parameter and values in PCF."""
    attribute = Attribute(keyword, ENUM, selector, words.split()[0])
    attribute.words = dict(zip(words.split(), numbers or range(len(words.split())), strict=True))
    attribute.synonyms = [synonym] if synonym else []
    return attribute


def interval(keyword: str, selector: int, default: str, low: int = 0) -> Attribute:
    attribute = Attribute(keyword, INTERVAL, selector, default)
    attribute.low = low
    return attribute


def shown(attribute: Attribute) -> Attribute:
    """Read only."""
    attribute.read_only = True
    return attribute


def live(attribute: Attribute) -> Attribute:
    """Read only, and counted by the engine rather than kept in the definition."""
    attribute.read_only = True
    attribute.live = True
    return attribute


def altered() -> list[Attribute]:
    """Return ALTDATE and ALTTIME, which every kind of object has."""
    return [
        shown(text("ALTDATE", MQCA_ALTERATION_DATE, 12)),
        shown(text("ALTTIME", MQCA_ALTERATION_TIME, 8)),
    ]


def fixed(attribute: Attribute) -> Attribute:
    attribute.fixed = True
    return attribute


def secret(attribute: Attribute) -> Attribute:
    attribute.secret = True
    return attribute


def settable(attribute: Attribute, reason: int) -> Attribute:
    """Let MQSET change an attribute, and refuse values that it does not allow with `reason`."""
    attribute.mqset_reason = reason
    return attribute


def renamed(attribute: Attribute, synonym: str) -> Attribute:
    attribute.synonyms = [synonym]
    return attribute
