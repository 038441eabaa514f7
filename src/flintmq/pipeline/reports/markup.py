"""Text that comes from records, made safe to stand in HTML and SVG.

Names in a record come from outside: a queue manager of another make, a client's application name, bytes that were never
text. So nothing of it is markup, controls (which HTML forbids) and signs that turn the direction of reading are shown
as the replacement character, and a lone surrogate does not stop the page from being written.
"""

from __future__ import annotations

import html
import re
import unicodedata

_ALWAYS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_CODE = re.compile(r"`([^`\n]+)`")
_NOT_PLAIN = re.compile(r"[^a-z0-9]+")


def escaped(text: str) -> str:
    """Escape text for an element or for an attribute in quotes."""
    return html.escape(_ALWAYS.sub("\ufffd", text), quote=True)


def sentence(text: str) -> str:
    """Escape a sentence; what it has between backticks is set as code."""
    return _CODE.sub(r"<code>\1</code>", escaped(text))


def slug(text: str) -> str:
    """Return an anchor within the page: letters, digits and hyphens, never empty."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _NOT_PLAIN.sub("-", plain).strip("-") or "part"
