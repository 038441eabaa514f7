"""Tables by kind, made from the declarations in kinds/, rules.py and parameters.py.

`ATTRIBUTES["QLOCAL"]` is the list for local queues, in the order in which DISPLAY shows it. The defaults are those of
the SYSTEM.DEFAULT objects of a new queue manager.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import Attribute, Value
from flintmq.catalogue.kind import OBJECT_NAMES, Kind
from flintmq.catalogue.kinds import KINDS
from flintmq.catalogue.kinds.queue import KINDS as _QUEUES
from flintmq.catalogue.parameters import PARAMETERS
from flintmq.catalogue.rules import RULES

#: Every kind and every rule, by keyword.
KIND_OF: Final[dict[str, Kind]] = {kind.keyword: kind for kind in (*KINDS, *RULES)}
#: The kinds whose definitions a queue manager stores.
STORED: Final = tuple(keyword for keyword, kind in KIND_OF.items() if kind.stored)
RULE_KINDS: Final = tuple(kind.keyword for kind in RULES)
QUEUE_KINDS: Final = tuple(kind.keyword for kind in _QUEUES)

#: kind -> the name space that it shares.
NAME_SPACES: Final = {keyword: kind.space for keyword, kind in KIND_OF.items()}

#: The attributes of every kind, and the sets of parameters that SET LOG, SET SYSTEM and ALTER SECURITY change.
ATTRIBUTES: Final[dict[str, tuple[Attribute, ...]]] = {
    **{keyword: kind.attributes for keyword, kind in KIND_OF.items()},
    **PARAMETERS,
}

#: MQIA_Q_TYPE of each queue kind.
QUEUE_TYPES: Final = {kind.keyword: kind.queue_type for kind in _QUEUES}

#: The selector of an object's own name.
NAME_SELECTORS: Final = {keyword: kind.pcf.name for keyword, kind in KIND_OF.items() if kind.pcf.name}

#: MQOT_* -> the kind that MQOPEN opens for MQINQ alone. Queues and topics are opened in ways of their own.
INQUIRED_TYPES: Final = {kind.number: kind.keyword for kind in KINDS if kind.inquired and not kind.queue_type}


def _by_keyword() -> dict[str, dict[str, Attribute]]:
    result: dict[str, dict[str, Attribute]] = {}
    for kind, attributes in ATTRIBUTES.items():
        of_kind: dict[str, Attribute] = {}
        for attribute in attributes:
            of_kind[attribute.keyword] = attribute
            for synonym in attribute.synonyms:
                of_kind[synonym] = attribute
        result[kind] = of_kind
    return result


def _by_selector() -> dict[str, dict[int, Attribute]]:
    result: dict[str, dict[int, Attribute]] = {}
    for kind, attributes in ATTRIBUTES.items():
        result[kind] = {attribute.selector: attribute for attribute in attributes if attribute.selector}
    return result


#: kind -> keyword or its synonym -> attribute.
BY_KEYWORD: Final = _by_keyword()
#: kind -> MQIA_, MQCA_ selector -> attribute.
BY_SELECTOR: Final = _by_selector()


def find_attribute(kind: str, keyword: str) -> Attribute | None:
    """Return the attribute of objects of `kind` that is written `keyword`."""
    return BY_KEYWORD[kind].get(keyword)


def default_attributes(kind: str) -> dict[str, Value]:
    """Return every attribute of `kind` that is kept in the catalogue, with its default."""
    return {attribute.keyword: attribute.copy_default() for attribute in ATTRIBUTES[kind] if not attribute.live}


def settable_defaults(kind: str) -> dict[str, Value]:
    """Return every attribute of `kind` that DEFINE sets, with its default."""
    return {attribute.keyword: attribute.copy_default() for attribute in ATTRIBUTES[kind] if not attribute.read_only}


def is_object_name(kind: str, name: str) -> bool:
    """Return whether an object of `kind` may be called `name`. Other nouns take the names of queues."""
    found = KIND_OF.get(kind)
    return OBJECT_NAMES.is_name(name) if found is None else found.names.is_name(name)
