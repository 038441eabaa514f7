"""An attribute and its value as PCF parameters: in responses to commands, and in events that show an object.

    INT ENUM FLAG    MQCFIN, the word's number; MQCFIN64 if it does not fit
    STRING NAME      MQCFST, filled up with blanks to the length of the attribute, unless that is more than 256
    LIST             MQCFSL; of words, MQCFIL; an attribute that counts the elements follows: MQIA_NAME_COUNT for NAMES
    HEX              MQCFBS
    PAIR             MQCFIL
    INTERVAL         MQCFIN, minutes

An attribute without a parameter of its own in MQ has none here.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import (
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
from flintmq.catalogue.authorities import NUMBERS
from flintmq.catalogue.kinds import KINDS
from flintmq.mqi.constants import MQ_APPL_DESC_LENGTH, MQ_APPL_TAG_LENGTH
from flintmq.mqi.pcf import MQCFBS, MQCFIL, MQCFIN, MQCFIN64, MQCFSL, MQCFST, Parameter
from flintmq.mqi.pcf_constants import (
    MQBACF_FIRST,
    MQBACF_LAST_USED,
    MQCACF_APPL_DESC,
    MQCACF_APPL_TAG,
    MQCACF_OBJECT_NAME,
    MQCACF_USER_IDENTIFIER,
    MQIACF_AUTH_ADD_AUTHS,
    MQIACF_AUTH_REMOVE_AUTHS,
    MQIACF_AUTHORIZATION_LIST,
)

_FILLED_MAX: Final = 256
_INTEGER_MAX: Final = 0x7FFFFFFF
#: Lists whose words are authorities.
_AUTHORITY_LISTS: Final = (
    MQIACF_AUTH_ADD_AUTHS,
    MQIACF_AUTH_REMOVE_AUTHS,
    MQIACF_AUTHORIZATION_LIST,
)

#: The lengths of texts that status displays and names have; others are as long as they are.
LENGTHS: Final = {
    MQCACF_APPL_TAG: MQ_APPL_TAG_LENGTH,
    MQCACF_APPL_DESC: MQ_APPL_DESC_LENGTH,
    MQCACF_USER_IDENTIFIER: 12,
    MQCACF_OBJECT_NAME: 48,
    **{kind.pcf.name: kind.names.length for kind in KINDS if kind.names.length},
}


def _counts() -> dict[int, int]:
    """Return the parameter that counts the elements of a list, by the parameter of the list."""
    counts: dict[int, int] = {}
    for kind in KINDS:
        selectors = {attribute.keyword: attribute.selector for attribute in kind.attributes}
        elements, count = kind.counted
        if count:
            counts[selectors[elements]] = selectors[count]
    return counts


_COUNTS: Final = _counts()


def numbers_of(attribute: Attribute) -> dict[str, int]:
    """The numbers of the words that `attribute` has."""
    return NUMBERS if attribute.selector in _AUTHORITY_LISTS else attribute.words


def parameters_of(attribute: Attribute, value: Value) -> list[Parameter]:
    """The parameters that say what `attribute` is; none if PCF has none for it."""
    selector = attribute.selector
    if not selector:
        return []
    if isinstance(value, list):
        if attribute.kind == PAIR:
            return [MQCFIL(selector, [attribute.words.get(each, _whole(each)) for each in value])]
        return _list(attribute, value)
    if attribute.kind == HEX or MQBACF_FIRST <= selector <= MQBACF_LAST_USED:
        return [MQCFBS(selector, bytes.fromhex(str(value)))]
    if attribute.kind == INTERVAL:
        seconds = interval_seconds(str(value))
        return [MQCFIN(selector, seconds // 60 if seconds > 0 else seconds)]
    if attribute.words or isinstance(value, int):
        return _integer(attribute, value)
    return [string_of(selector, str(value), attribute.length, attribute.kind == NAME)]


def string_of(selector: int, text: str, length: int = 0, name: bool = False) -> Parameter:
    """A text, filled up to its length if it has one."""
    length = length or LENGTHS.get(selector, 0)
    return MQCFST(selector, text.ljust(length) if length <= _FILLED_MAX or name else text)


def _list(attribute: Attribute, values: list[str]) -> list[Parameter]:
    numbers = numbers_of(attribute)
    if numbers:
        return [MQCFIL(attribute.selector, [numbers[value] for value in values if value in numbers])]
    found: list[Parameter] = [MQCFSL(attribute.selector, [value.ljust(attribute.length) for value in values])]
    if attribute.selector in _COUNTS:
        found.append(MQCFIN(_COUNTS[attribute.selector], len(values)))
    return found


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
