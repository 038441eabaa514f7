"""Distinguished names as SSLPEER writes them: `CN=app, O="us, them"`. Which names a pattern means."""

from __future__ import annotations

#: The attributes of a distinguished name, as Python's ssl calls them, and how MQ writes them.
_SHORT = {
    "commonName": "CN",
    "countryName": "C",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "emailAddress": "MAIL",
    "title": "T",
}


def attributes(name: str) -> list[tuple[str, str]]:
    """(key, value) of each part, keys in upper case."""
    parts: list[str] = [""]
    quoted = False
    for character in name:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    pairs: list[tuple[str, str]] = []
    for part in parts:
        key, equals, value = part.partition("=")
        if equals:
            pairs.append((key.strip().upper(), value.strip()))
    return pairs


def matches(pattern: str, name: str) -> bool:
    """Whether a name has every attribute of a pattern; a value may end in `*`, and the blank pattern is anybody."""
    have: dict[str, list[str]] = {}
    for key, value in attributes(name):
        have.setdefault(key, []).append(value)
    for key, value in attributes(pattern):
        found = have.get(key, [])
        if value.endswith("*"):
            if not [each for each in found if each.startswith(value[:-1])]:
                return False
        elif value not in found:
            return False
    return True


def order(pattern: str) -> tuple[int, int]:
    """Return the sort key of patterns: the first has most attributes, and of these most without `*`."""
    pairs = attributes(pattern)
    return -len(pairs), sum(1 for _, value in pairs if value.endswith("*"))


def in_certificate(certificate: object, whose: str) -> str:
    """The name of the `subject` or the `issuer` in a certificate as Python's ssl shows it, as SSLPEER has it."""
    found = certificate.get(whose, ()) if isinstance(certificate, dict) else ()
    parts = [f"{_SHORT.get(key, key)}={value}" for relative in found for key, value in relative]
    return ",".join(reversed(parts))
