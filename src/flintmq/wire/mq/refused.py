"""Refusals of a channel for `flint explain`: the setting that decided, and the commands that allow the client.

number               the client hears  decided by
AMQ9519E             2540              there is no such channel
AMQ9558E             2537              STOP CHANNEL
AMQ9489E, AMQ9490E   2537              MAXINST, MAXINSTC
AMQ9631E, AMQ9639E   2393              SSLCIPH: the client has another CipherSpec, or no TLS
AMQ9637E             2393              SSLCAUTH(REQUIRED)
AMQ9673E             2393              CERTLABL: the client was shown another certificate
AMQ9636E             2398              SSLPEER
"""

from __future__ import annotations

from typing import Final

from flintmq.mqi.reason import (
    MQRC_CHANNEL_NOT_AVAILABLE,
    MQRC_SSL_INITIALIZATION_ERROR,
    MQRC_SSL_PEER_NAME_MISMATCH,
    MQRC_UNKNOWN_CHANNEL_NAME,
)
from flintmq.qmgr.calls import Calls, Refusal, no_command, object_word
from flintmq.wire.mq.cipher_spec import SUITES, Protection
from flintmq.wire.mq.errors import ChannelError

REASONS: Final = {
    "AMQ9519E": MQRC_UNKNOWN_CHANNEL_NAME,
    "AMQ9558E": MQRC_CHANNEL_NOT_AVAILABLE,
    "AMQ9489E": MQRC_CHANNEL_NOT_AVAILABLE,
    "AMQ9490E": MQRC_CHANNEL_NOT_AVAILABLE,
    "AMQ9631E": MQRC_SSL_INITIALIZATION_ERROR,
    "AMQ9639E": MQRC_SSL_INITIALIZATION_ERROR,
    "AMQ9637E": MQRC_SSL_INITIALIZATION_ERROR,
    "AMQ9673E": MQRC_SSL_INITIALIZATION_ERROR,
    "AMQ9636E": MQRC_SSL_PEER_NAME_MISMATCH,
}
_NAMES_MAX: Final = 8
_CHANNEL_MAX: Final = 20
_PEER_MAX: Final = 1024


def refusal_of(
    engine: Calls, error: ChannelError, address: str, text: str, protection: Protection | None
) -> Refusal | None:
    """Return the record of a refused channel; None for an error of a client that is no refusal."""
    reason = REASONS.get(error.number)
    if reason is None:
        return None
    refused = Refusal(error.number, reason, text)
    refused.channel, refused.address = error.channel, address
    name = error.channel
    word = object_word(name, _CHANNEL_MAX)
    alter = f"ALTER CHANNEL({word}) CHLTYPE(SVRCONN)"
    if error.number == "AMQ9519E":
        refused.rule = "there is no such channel"
        define = f"DEFINE CHANNEL({word}) CHLTYPE(SVRCONN)" if word else no_command("the name of the channel")
        refused.remedies = [_defined(engine), define]
    elif error.number == "AMQ9558E":
        refused.rule = "the channel was stopped by a command"
        refused.remedies = [f"START CHANNEL({word})"]
    elif error.number in ("AMQ9489E", "AMQ9490E"):
        keyword = "MAXINST" if error.number == "AMQ9489E" else "MAXINSTC"
        refused.rule = f"{keyword}({_value(engine, name, keyword)}) of the channel"
        refused.remedies = [
            f"DISPLAY CHSTATUS({word})",
            f"* Find out which clients do not disconnect; raise {keyword} if so many are meant.",
        ]
    elif error.number == "AMQ9637E":
        refused.rule = "SSLCAUTH(REQUIRED) of the channel; the client has shown no certificate that is trusted here"
        refused.remedies = [
            "* Give the client a certificate, and put who has signed it into trusted.pem beside the key repository.",
        ]
    elif error.number == "AMQ9673E":
        label = _value(engine, name, "CERTLABL")
        refused.rule = f"CERTLABL({label}) of the channel; the client did not name the channel when TLS began"
        refused.remedies = [
            "* Let the client name its channel: OutboundSNI=CHANNEL in the SSL stanza of mqclient.ini.",
            f"{alter} CERTLABL(' ')",
        ]
    elif error.number == "AMQ9636E":
        refused.rule = f"SSLPEER({_value(engine, name, 'SSLPEER')}) of the channel"
        refused.remedies = [_accepting(alter, protection.peer_name if protection is not None else "")]
    else:
        _about_cipher(engine, refused, alter, protection)
    return refused


def _accepting(alter: str, peer_name: str) -> str:
    """Return the command that accepts a client's certificate, the issuer of which is trusted here."""
    if not peer_name or len(peer_name) > _PEER_MAX or not (peer_name.isascii() and peer_name.isprintable()):
        return no_command("the name in the certificate")
    quoted = peer_name.replace("'", "''")
    return f"{alter} SSLPEER('{quoted}')"


def _about_cipher(engine: Calls, refused: Refusal, alter: str, protection: Protection | None) -> None:
    wanted = _value(engine, refused.channel, "SSLCIPH")
    if protection is None:
        refused.rule = f"SSLCIPH({wanted}) of the channel; the client has not begun with TLS"
        refused.remedies = [f"* Give the client the CipherSpec {wanted}, or another that the channel takes."]
        return
    offered = cipher_spec_of(protection)
    refused.rule = f"SSLCIPH({wanted or ' '}) of the channel; the client came with {offered} ({protection.version})"
    refused.remedies = [f"{alter} SSLCIPH({offered})", f"{alter} SSLCIPH(ANY_TLS12_OR_HIGHER)"]
    if wanted:
        refused.remedies.append(f"* Give the client the CipherSpec {wanted}.")


def cipher_spec_of(protection: Protection) -> str:
    """Return MQ's name for the suite of a client."""
    for name, suite in SUITES.items():
        if suite == protection.suite:
            return name
    return protection.suite


def _value(engine: Calls, channel: str, keyword: str) -> str:
    definition = engine.catalogue.find("CHANNEL", channel)
    return "" if definition is None else str(definition.attributes[keyword])


def _defined(engine: Calls) -> str:
    names = [each.name for each in engine.catalogue.match("CHANNEL") if not each.name.startswith("SYSTEM.")]
    if not names:
        return "* No channel for clients is defined."
    more = " ..." if len(names) > _NAMES_MAX else ""
    return f"* These are defined: {', '.join(names[:_NAMES_MAX])}{more}"
