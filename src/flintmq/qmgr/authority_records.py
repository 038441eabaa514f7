"""Authority records: what SET AUTHREC and setmqaut have said. Kept in the catalogue as objects of kind AUTHREC.

A record is for a type of object, a profile (profile.py) and an entity, which is a principal or a group. Its name in the
catalogue is these four, with blanks in between: `QUEUE DEV.** PRINCIPAL app`. The queue manager has one profile, SELF.

    what an entity may      the record of the most specific profile that is for the object and has one for the entity
    what a user may         that as a principal, and that of each group it is in; all of them together
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue import authorities, profile
from flintmq.qmgr.catalogue import Catalogue

PRINCIPAL: Final = "PRINCIPAL"
GROUP: Final = "GROUP"
#: The profile of the queue manager itself.
SELF: Final = "SELF"
KIND: Final = "AUTHREC"


class _Profile:
    """One profile of a type of object, and what it gives to whom."""

    def __init__(self, name: str) -> None:
        self.name = name
        #: "PRINCIPAL app" -> authorities.
        self.given: dict[str, int] = {}


class _Type:
    """The profiles of one type of object: those that are names, and those with wildcards, most specific first."""

    def __init__(self) -> None:
        self.exact: dict[str, _Profile] = {}
        self.generic: list[_Profile] = []


def entity_key(entity_type: str, entity: str) -> str:
    """How an entity is called in here."""
    return f"{entity_type} {entity}"


class AuthorityRecords:
    """The records of a catalogue, found quickly."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._types: dict[str, _Type] = {}
        self._read = False

    def changed(self) -> None:
        """Records were set or deleted: they are read again when they are next asked for."""
        self._read = False

    def granted(self, object_type: str, name: str, entities: list[str]) -> int:
        """What these entities may do with an object, together."""
        result = 0
        for entity in entities:
            found = self._deciding(object_type, name, entity)
            if found is not None:
                result |= found.given[entity]
        return result

    def deciding(self, object_type: str, name: str, entities: list[str]) -> list[str]:
        """The records that decide, in words: `DEV.** PRINCIPAL(app) BROWSE,GET`."""
        result: list[str] = []
        for entity in entities:
            found = self._deciding(object_type, name, entity)
            if found is not None:
                kind, _, who = entity.partition(" ")
                words = ",".join(authorities.words_of(found.given[entity])) or authorities.NONE
                result.append(f"{found.name} {kind}({who}) {words}")
        return result

    def _deciding(self, object_type: str, name: str, entity: str) -> _Profile | None:
        if not self._read:
            self._build()
        profiles = self._types.get(object_type)
        if profiles is None:
            return None
        exact = profiles.exact.get(name)
        if exact is not None and entity in exact.given:
            return exact
        for each in profiles.generic:
            if entity in each.given and profile.matches(each.name, name):
                return each
        return None

    def _build(self) -> None:
        self._types = {}
        generic: dict[str, dict[str, _Profile]] = {}
        for record in self._catalogue.match(KIND):
            object_type, name = record.text("OBJTYPE"), record.text("PROFILE")
            profiles = self._types.setdefault(object_type, _Type())
            of_type = generic.setdefault(object_type, {}) if profile.is_generic(name) else profiles.exact
            found = of_type.setdefault(name, _Profile(name))
            given = 0
            for word in record.names("AUTHLIST"):
                given |= authorities.bits_of(word, object_type)
            found.given[entity_key(record.text("ENTTYPE"), record.text("ENTITY"))] = given
        for object_type, by_name in generic.items():
            self._types[object_type].generic = sorted(by_name.values(), key=_order)
        self._read = True


def _order(each: _Profile) -> list[int]:
    return profile.order(each.name)


# -- changes ----------------------------------------------------------------------------------------------------------


def record_name(object_type: str, profile_name: str, entity_type: str, entity: str) -> str:
    """The name of a record in the catalogue."""
    return f"{object_type} {profile_name} {entity_type} {entity}"
