"""The contract of a format, and the registry of formats by domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from flintmq.broker.errors import parser_error
from flintmq.broker.tree.element import Element

if TYPE_CHECKING:
    from flintmq.broker.esql.switches import Switches

#: Options of PARSE and ASBITSTREAM (MF 2.8).
ROOT_BIT_STREAM = 0
FOLDER_BIT_STREAM = 1
EMBEDDED_BIT_STREAM = 2
VALIDATE_IMMEDIATE = 256
VALIDATE_COMPLETE = 512
VALIDATE_LOCAL_ERROR = 1024
VALIDATE_EXCEPTION = 2048
VALIDATE_CONTENT = 4096
VALIDATE_VALUE = 8192


@dataclass(slots=True)
class Context:
    """How a body is read or written: settings of Properties, the header before the body and the node."""

    ccsid: int = 1208
    #: Numeric encoding: 273 big-endian IEEE, 546 little-endian IEEE, 785 z/OS.
    encoding: int = 546
    message_set: str = ""
    message_type: str = ""
    message_format: str = ""
    #: Sum of the options above.
    options: int = 0
    #: Options of the node for this domain: `parserXmlnscMixedContentRetainMode` and the like, by attribute name.
    parser_options: dict[str, str] = field(default_factory=dict)
    #: Returns the model of a message set or a library of schemas by name: a registry of `formats/model`.
    models: Callable[[str], object] | None = None
    #: The switches for what the documentation leaves open; None = the defaults.
    switches: Switches | None = None


class Format(Protocol):
    """One domain. Stateless: one object serves all messages."""

    #: The name of the domain, which is also the name of the folder below Root.
    domain: str

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a body. May leave everything to a source; then errors show at the first touch.

        With FOLDER_BIT_STREAM, the bytes are one element and the folder's single child is that element.
        """
        ...

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a body: an unchanged one as it came if character set and encoding are the same.

        With FOLDER_BIT_STREAM, write the element itself, so that `parse` with the same option rebuilds it.
        """
        ...


#: Modules that register formats when they are imported, by domain.
MODULES = {
    "BLOB": "flintmq.broker.formats.blob",
    "XMLNSC": "flintmq.broker.formats.xml_formats",
    "XMLNS": "flintmq.broker.formats.xml_formats",
    "XML": "flintmq.broker.formats.xml_formats",
    "SOAP": "flintmq.broker.formats.soap",
    "JSON": "flintmq.broker.formats.json_format",
    "MQPCF": "flintmq.broker.formats.pcf",
    "MQADMIN": "flintmq.broker.formats.pcf",
    "MIME": "flintmq.broker.formats.mime",
    "MRM": "flintmq.broker.formats.mrm",
    "DFDL": "flintmq.broker.formats.dfdl",
}

#: Headers of MQ, for CREATE ... DOMAIN ... PARSE and ASBITSTREAM. They are no domains of bodies.
HEADERS = "MQMD MQRFH2 MQRFH2C MQRFH MQDLH MQCIH MQIIH MQMDE MQRMH MQSAPH MQWIH".split()
MODULES |= dict.fromkeys(HEADERS, "flintmq.broker.formats.header_formats")

_FORMATS: dict[str, Format] = {}


def register(domain: str, format: Format) -> None:
    """Make a format known under the name of its domain."""
    _FORMATS[domain] = format


def known(domain: str) -> bool:
    """Return whether a name is the name of a domain."""
    return domain in MODULES or domain in _FORMATS


def format_of(domain: str) -> Format:
    """Return the format of a domain; raise BIP 5712 if there is none."""
    found = _FORMATS.get(domain)
    if found is None:
        module = MODULES.get(domain)
        if module is None:
            raise parser_error(5712, domain, text=f"there is no parser {domain!r}; known: {', '.join(sorted(MODULES))}")
        import_module(module)
        found = _FORMATS[domain]
    return found
