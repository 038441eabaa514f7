"""Channel authentication records: who may use which channel, and as whom. In the catalogue they are of kind CHLAUTH.

    type         compares                                     decides
    BLOCKADDR    the address, before anything was said        the socket is closed
    SSLPEERMAP   SSLPEER and SSLCERTI with the certificate    USERSRC: MAP to MCAUSER, NOACCESS, or as the CHANNEL says;
    USERMAP      CLNTUSER with the client's user              CHCKCLNT: whether a password is needed
    QMGRMAP      QMNAME with the queue manager's name
    ADDRESSMAP   ADDRESS
    BLOCKUSER    USERLIST with the user that came out of it   it is refused

All maps compare the channel's name and, if they have one, the ADDRESS. One map decides, the first in this order: the
most specific channel profile; then SSLPEERMAP, USERMAP or QMGRMAP, ADDRESSMAP; then the most specific value; then the
most specific address. Without a map it is as the channel says. Of BLOCKUSER the one with the most specific channel
profile decides alone; `*MQADMIN` in its list is everybody who is privileged. WARN(YES) tells, and lets in.

Addresses: IPv4 with 4 parts, IPv6 with 8; a part is a number, a range `1-5`, or `*`; one `*` may stand for several.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Final

from flintmq.catalogue import profile
from flintmq.catalogue.attribute import Value
from flintmq.log.errors import LogError
from flintmq.mqi import distinguished_name
from flintmq.mqi.pcf_constants import MQRCCF_CHLAUTH_ALREADY_EXISTS, MQRCCF_CHLAUTH_NOT_FOUND
from flintmq.mqi.reason import MQRC_NONE, MQRC_RESOURCE_PROBLEM
from flintmq.qmgr.catalogue import Catalogue, MQObject
from flintmq.qmgr.objects import log_definition, log_deletion
from flintmq.qmgr.security import Entities

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

KIND: Final = "CHLAUTH"
BLOCK_ADDRESS: Final = "BLOCKADDR"
BLOCK_USER: Final = "BLOCKUSER"
#: The maps, in order of precedence.
MAPS: Final = {"SSLPEERMAP": 0, "USERMAP": 1, "QMGRMAP": 1, "ADDRESSMAP": 2}
#: What identifies a record, beside type and channel profile.
COMPARED: Final = ("SSLPEER", "SSLCERTI", "CLNTUSER", "QMNAME", "ADDRESS")
#: The list of a record that blocks.
LISTS: Final = {BLOCK_ADDRESS: "ADDRLIST", BLOCK_USER: "USERLIST"}
ADMINISTRATORS: Final = "*MQADMIN"
EVERY_CHANNEL: Final = "*"

_BETWEEN: Final = "\x1f"
_ANY: Final = (0, 1 << 32)


# -- addresses --------------------------------------------------------------------------------------------------------


def parts_of(pattern: str) -> list[tuple[int, int]]:
    """The lowest and the highest value of each of the 4 or 8 parts of an address pattern. ValueError if it is none."""
    base, separator, count, limit = 10, ".", 4, 0xFF
    if ":" in pattern:
        base, separator, count, limit = 16, ":", 8, 0xFFFF
    if "*" not in pattern and "-" not in pattern:
        return [(value, value) for value in _address(pattern)]
    words = pattern.split(separator)
    stars = words.count("*")
    if len(words) > count or (len(words) < count and stars != 1):
        raise ValueError(f"{pattern} does not have {count} parts")
    result: list[tuple[int, int]] = []
    for word in words:
        if word == "*":
            result += [_ANY] * (1 + count - len(words) if stars == 1 else 1)
            continue
        low, dash, high = word.partition("-")
        first, last = int(low, base), int(high if dash else low, base)
        if not 0 <= first <= last <= limit:
            raise ValueError(f"{word} is no part of an address")
        result.append((first, last))
    return result


def _address(text: str) -> list[int]:
    found = ipaddress.ip_address(text)
    if isinstance(found, ipaddress.IPv6Address):
        mapped = found.ipv4_mapped
        if mapped is None:
            packed = found.packed
            return [packed[at] * 256 + packed[at + 1] for at in range(0, 16, 2)]
        return list(mapped.packed)
    return list(found.packed)


def is_address_pattern(pattern: str) -> bool:
    """Whether it is an address or stands for several."""
    try:
        return pattern == "*" or bool(parts_of(pattern))
    except ValueError:
        return False


def address_matches(pattern: str, address: str) -> bool:
    """Whether an address, as `10.0.0.7`, is meant by a pattern. The blank pattern and `*` are for every address."""
    if pattern in ("", "*"):
        return True
    try:
        wanted, given = parts_of(pattern), _address(address)
    except ValueError:
        return False
    if len(wanted) != len(given):
        return False
    for index in range(len(wanted)):
        if not wanted[index][0] <= given[index] <= wanted[index][1]:
            return False
    return True


def _address_order(pattern: str) -> list[int]:
    """The first is the most specific: parts with fewer values come first, from the left."""
    if pattern in ("", "*"):
        return [_ANY[1] + (1 if not pattern else 0)]
    try:
        return [high - low for low, high in parts_of(pattern)]
    except ValueError:
        return [_ANY[1]]


# -- who may ----------------------------------------------------------------------------------------------------------


class Client:
    """What is known of one that connects."""

    def __init__(self, channel: str, address: str) -> None:
        self.channel = channel
        #: Without a port.
        self.address = address
        self.user = ""
        self.q_mgr = ""
        #: The names in its certificate and in that of who signed it.
        self.peer = ""
        self.issuer = ""


def describe(rule: MQObject) -> str:
    """A record as SET CHLAUTH writes it, so that it is recognised in a log."""
    words = [f"CHLAUTH({rule.text('CHLAUTH')})", f"TYPE({rule.text('TYPE')})"]
    for keyword in COMPARED:
        if rule.text(keyword):
            words.append(f"{keyword}({rule.text(keyword)})")
    listed = LISTS.get(rule.text("TYPE"), "")
    if listed:
        words.append(f"{listed}({','.join(rule.names(listed))})")
    else:
        words.append(f"USERSRC({rule.text('USERSRC')})")
    return " ".join(words)


def blocked_address(catalogue: Catalogue, address: str) -> tuple[MQObject | None, str]:
    """The BLOCKADDR record that an address is in, and how; (None, "") if there is none."""
    for rule in catalogue.match(KIND, f"{BLOCK_ADDRESS}{_BETWEEN}*"):
        for pattern in rule.names("ADDRLIST"):
            if address_matches(pattern, address):
                return rule, pattern
    return None, ""


def deciding_map(catalogue: Catalogue, client: Client) -> MQObject | None:
    """The map that decides about a client."""
    best: MQObject | None = None
    for rule in catalogue.match(KIND):
        if rule.text("TYPE") in MAPS and _is_for(rule, client):
            if best is None or _order(rule) < _order(best):
                best = rule
    return best


def _is_for(rule: MQObject, client: Client) -> bool:
    if not profile.like(rule.text("CHLAUTH"), client.channel):
        return False
    if not address_matches(rule.text("ADDRESS"), client.address):
        return False
    kind = rule.text("TYPE")
    if kind == "SSLPEERMAP":
        if not client.peer or not distinguished_name.matches(rule.text("SSLPEER"), client.peer):
            return False
        return distinguished_name.matches(rule.text("SSLCERTI"), client.issuer)
    if kind == "USERMAP":
        return profile.like(rule.text("CLNTUSER"), client.user)
    if kind == "QMGRMAP":
        return client.q_mgr != "" and profile.like(rule.text("QMNAME"), client.q_mgr)
    return True


def _order(rule: MQObject) -> tuple[list[int], int, tuple[int, int], tuple[int, int], list[int], list[int]]:
    value = rule.text("CLNTUSER") or rule.text("QMNAME")
    return (
        profile.order(rule.text("CHLAUTH")),
        MAPS[rule.text("TYPE")],
        distinguished_name.order(rule.text("SSLPEER")),
        distinguished_name.order(rule.text("SSLCERTI")),
        profile.order(value),
        _address_order(rule.text("ADDRESS")),
    )


def blocking_rule(catalogue: Catalogue, channel: str, user: str, entities: Entities) -> MQObject | None:
    """The BLOCKUSER record that a user is in, if it is the one that decides for the channel."""
    best: MQObject | None = None
    for rule in catalogue.match(KIND, f"{BLOCK_USER}{_BETWEEN}*"):
        if profile.like(rule.text("CHLAUTH"), channel):
            if best is None or profile.order(rule.text("CHLAUTH")) < profile.order(best.text("CHLAUTH")):
                best = rule
    if best is None:
        return None
    for listed in best.names("USERLIST"):
        if listed == user or (listed == ADMINISTRATORS and entities.is_privileged(user)):
            return best
    return None


# -- changes ----------------------------------------------------------------------------------------------------------


def record_name(values: dict[str, Value]) -> str:
    """The name of a record in the catalogue: its type, channel profile, and what it compares."""
    return _BETWEEN.join(
        [str(values["TYPE"]), str(values["CHLAUTH"]), *(str(values.get(keyword, "")) for keyword in COMPARED)]
    )


def change(qm: QueueManager, values: dict[str, Value], action: str, stamps: dict[str, Value]) -> tuple[int, int]:
    """SET CHLAUTH: (reason, position to force). `values` are those that were given."""
    if action == "REMOVEALL":
        return _remove_all(qm, str(values["TYPE"]), str(values["CHLAUTH"]))
    name = record_name(values)
    found = qm.catalogue.find(KIND, name)
    listed = LISTS.get(str(values["TYPE"]), "")
    if action == "REMOVE" and (found is None or not listed):
        return (MQRCCF_CHLAUTH_NOT_FOUND, 0) if found is None else _remove(qm, found)
    if found is not None and action == "ADD" and not listed:
        return MQRCCF_CHLAUTH_ALREADY_EXISTS, 0
    changes: dict[str, Value] = {**values, **stamps}
    if listed and action != "REPLACE" and found is not None:
        changes[listed] = _changed_list(found.names(listed), values[listed], action)
        if not changes[listed]:
            return _remove(qm, found)
    return _write(qm, name, found, changes)


def _changed_list(before: list[str], given: Value, action: str) -> list[str]:
    assert isinstance(given, list)
    if action == "REMOVE":
        return [each for each in before if each not in given]
    return before + [each for each in given if each not in before]


def _write(qm: QueueManager, name: str, found: MQObject | None, changes: dict[str, Value]) -> tuple[int, int]:
    record = qm.catalogue.add(KIND, name, {}) if found is None else found
    before: dict[str, Value] = dict(record.attributes)
    record.change(changes)
    try:
        return MQRC_NONE, log_definition(qm, record)
    except LogError:
        record.attributes = before
        if found is None:
            qm.catalogue.remove(record)
            qm.changed_objects.pop(record.object_id, None)
        return MQRC_RESOURCE_PROBLEM, 0


def _remove(qm: QueueManager, record: MQObject) -> tuple[int, int]:
    try:
        force = log_deletion(qm, record)
    except LogError:
        return MQRC_RESOURCE_PROBLEM, 0
    qm.catalogue.remove(record)
    return MQRC_NONE, force


def _remove_all(qm: QueueManager, kind: str, channel: str) -> tuple[int, int]:
    """All records of a type and exactly this channel profile. That there is none is no error."""
    force = 0
    for record in qm.catalogue.match(KIND, f"{kind}{_BETWEEN}{channel}{_BETWEEN}*"):
        reason, done = _remove(qm, record)
        if reason:
            return reason, force
        force = max(force, done)
    return MQRC_NONE, force
