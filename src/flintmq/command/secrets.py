"""Which commands hold a password: they are kept out of logs and histories."""

from __future__ import annotations

import re

from flintmq.catalogue.attributes import ATTRIBUTES

#: Keywords with a secret value: those of the model, and those that MQ has and FlintMQ does not.
KEYWORDS = frozenset(
    {attribute.keyword for attributes in ATTRIBUTES.values() for attribute in attributes if attribute.secret}
    | {"LDAPPWD", "PASSWORD", "SSLKEYP"}
)

_SECRET = re.compile(rf"\b({'|'.join(sorted(KEYWORDS))})\b", re.IGNORECASE)


def has_secret(text: str) -> bool:
    """Return whether a command, or a part of one, names a keyword with a secret value."""
    return _SECRET.search(text) is not None
