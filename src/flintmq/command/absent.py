"""MQSC of MQ that FlintMQ does not have yet: commands, parameters and values of parameters.

    DEFINE CHANNEL(TO.QM2) CHLTYPE(SDR)
    AMQ8101S: The command failed with reason 2298 (MQRC_FUNCTION_NOT_SUPPORTED). FlintMQ does not have message channels
    (CHLTYPE(SDR)) yet, see docs/limits.md.

A command that MQ accepts must not look like a typing error. execute.py looks here before it reports a syntax error. A
test compares these tables with the command model: nothing in the model is listed here.
"""

from __future__ import annotations

#: Where a user finds the limits and the alternatives.
WHERE_TO_READ = "docs/limits.md"

_MESSAGE_CHANNELS = "message channels"
_CLIENT_CHANNELS = "client-connection channels"
_CLUSTERS = "clusters"
_SHARING = "queue-sharing groups"
_PROTECTION = "message protection"
_Z_OS = "the parameters of the z/OS channel initiator"
_LDAP = "LDAP"
_NATIVE_HA = "Native HA"
_EXITS = "channel exits"
_TRANSPORTS = "transports other than TCP"
_AMQP = "AMQP channels"
_MQTT = "MQTT channels"
_OPEN_TELEMETRY = "tracing with OpenTelemetry"
_ANY = ""

#: (verb, noun) of a command -> the part of MQ that it belongs to. The verb "" stands for every verb.
COMMANDS: dict[tuple[str, str], str] = {
    **dict.fromkeys([(_ANY, noun) for noun in ("CFSTRUCT", "CFSTATUS", "GROUP", "SMDS", "SMDSCONN")], _SHARING),
    **dict.fromkeys([(_ANY, noun) for noun in ("CLUSQMGR", "CLUSTER", "TCLUSTER", "QCLUSTER")], _CLUSTERS),
    ("SUSPEND", "QMGR"): _CLUSTERS,
    ("RESUME", "QMGR"): _CLUSTERS,
    ("PING", "CHANNEL"): _MESSAGE_CHANNELS,
    ("RESET", "CHANNEL"): _MESSAGE_CHANNELS,
    ("RESOLVE", "CHANNEL"): _MESSAGE_CHANNELS,
    ("PURGE", "CHANNEL"): _MQTT,
    (_ANY, "POLICY"): _PROTECTION,
    (_ANY, "APSTATUS"): "application balancing",
    (_ANY, "CHINIT"): "a channel initiator",
    (_ANY, "CMDSERV"): "commands for the command server (strmqcsv, endmqcsv and dspmqcsv control it)",
    ("START", "QMGR"): "START QMGR (strmqm starts a queue manager)",
    ("STOP", "QMGR"): "STOP QMGR (endmqm ends a queue manager)",
    ("SET", "ARCHIVE"): "the archive parameters of z/OS",
    ("DISPLAY", "ARCHIVE"): "the archive parameters of z/OS",
    ("DEFINE", "LOG"): "logs that are added while it runs",
    ("RECOVER", "BSDS"): "a bootstrap data set",
    ("RESUME", "LOG"): "a log that can be suspended",
    ("SUSPEND", "LOG"): "a log that can be suspended",
    (_ANY, "THREAD"): "DISPLAY THREAD (DISPLAY CONN shows connections)",
    ("RESOLVE", "INDOUBT"): "RESOLVE INDOUBT (rsvmqtrn resolves units of work)",
    ("RESET", "TPIPE"): "the IMS bridge",
    ("DEFINE", "MAXSMSGS"): "MAXSMSGS (ALTER QMGR MAXUMSGS limits a unit of work)",
    ("DISPLAY", "MAXSMSGS"): "MAXSMSGS (DISPLAY QMGR MAXUMSGS shows the limit)",
    ("ALTER", "TRACE"): "ALTER TRACE (STOP TRACE and START TRACE change a trace)",
}  # fmt: skip

#: Noun -> keyword -> the part of MQ that the parameter belongs to. The noun "" stands for every noun.
PARAMETERS: dict[str, dict[str, str]] = {
    _ANY: {"CMDSCOPE": _SHARING, "QSGDISP": _SHARING},
    "QUEUE": {
        "CFSTRUCT": _SHARING,
        "TPIPE": "the IMS bridge",
        "OTELPCTL": _OPEN_TELEMETRY,
        "OTELTRAC": _OPEN_TELEMETRY,
        "CLUSDATE": _CLUSTERS,
        "CLUSTIME": _CLUSTERS,
        "CLUSQMGR": _CLUSTERS,
        "CLUSQT": _CLUSTERS,
        "CLUSINFO": _CLUSTERS,
        "QMID": _CLUSTERS,
    },
    "QMGR": {
        "AUTHEVSC": "a scope for authority events",
        "OTELPCTL": _OPEN_TELEMETRY,
        "OTELTRAC": _OPEN_TELEMETRY,
        **dict.fromkeys(
            ["CFCONLOS", "GROUPUR", "IGQ", "IGQAUT", "IGQUSER", "QSGNAME", "SQQMNAME", "QSGCERT"], _SHARING
        ),
        **dict.fromkeys(
            "ACTCHL ADOPTCHK ADOPTMCA BRIDGEEV CERTQSGL CHIADAPS CHIDISPS CHISERVP CPILEVEL DNSGROUP DNSWLM LSTRTMR "
            "LU62ARM LU62CHL LUGROUP LUNAME MAXCHL OPORTMAX OPORTMIN RCVTIME RCVTMIN RCVTTYPE SCYCASE SSLTASKS TCPCHL "
            "TCPKEEP TCPNAME TCPSTACK TRAXSTR TRAXTBL".split(),
            _Z_OS,
        ),
    },
    "CHANNEL": {
        **dict.fromkeys(
            "CONNAME XMITQ BATCHSZ BATCHLIM BATCHINT BATCHHB SHORTRTY SHORTTMR LONGRTY LONGTMR SEQWRAP NPMSPEED "
            "CONVERT PROPCTL USEDLQ PUTAUT MRRTY MRTMR LOCLADDR MCANAME MCATYPE MODENAME TPNAME USERID PASSWORD "
            "RESETSEQ STATCHL SPLPROT".split(),
            _MESSAGE_CHANNELS,
        ),
        **dict.fromkeys(["QMNAME", "AFFINITY", "CLNTWGHT", "DEFRECON"], _CLIENT_CHANNELS),
        **dict.fromkeys(
            "SCYEXIT SCYDATA SENDEXIT SENDDATA RCVEXIT RCVDATA MSGEXIT MSGDATA MREXIT MRDATA".split(), _EXITS
        ),
        **dict.fromkeys(["CLUSTER", "CLUSNL", "CLWLPRTY", "CLWLRANK", "CLWLWGHT", "NETPRTY"], _CLUSTERS),
        **dict.fromkeys(["AMQPKA", "PORT", "TPROOT", "USECLTID", "TMPMODEL", "TMPQPRFX", "BACKLOG"], _AMQP),
        **dict.fromkeys(["JAASCFG", "PROTOCOL", "SSLKEYR", "SSLKEYP"], _MQTT),
        "AUTOSTART": _TRANSPORTS,
        "CHLTABLE": _CLIENT_CHANNELS,
    },
    "CHSTATUS": {
        **dict.fromkeys(
            "XMITQ BATCHES BATCHSZ CURLUWID CURMSGS CURSEQNO INDOUBT LONGRTS LSTLUWID LSTSEQNO NETTIME NPMSPEED "
            "SHORTRTS XBATCHSZ XQMSGSA XQTIME STATCHL".split(),
            _MESSAGE_CHANNELS,
        ),
        "EXITTIME": _EXITS,
        "SSLKEYDA": "TLS key resets",
        "SSLKEYTI": "TLS key resets",
        "MONITOR": "DISPLAY CHSTATUS MONITOR",
        "AMQPKA": _AMQP,
    },
    "AUTHINFO": {
        **dict.fromkeys(
            "AUTHORMD BASEDNU BASEDNG CLASSUSR CLASSGRP USRFIELD SHORTUSR GRPFIELD FINDGRP NESTGRP CONNAME LDAPUSER "
            "LDAPPWD SECCOMM".split(),
            _LDAP,
        ),
        "OCSPURL": "OCSP",
    },
    "LISTENER": dict.fromkeys(
        ["ADAPTER", "COMMANDS", "LOCLNAME", "NTBNAMES", "SESSIONS", "SOCKET", "TPNAME"], _TRANSPORTS
    ),
    "NAMELIST": {"NLTYPE": "types of namelists"},
    "CONN": {"URDISP": _SHARING},
    "QMSTATUS": dict.fromkeys(
        ["INSTANCE", "GRPNAME", "GRPROLE", "GRPLSN", "DISKLSN", "QUORUM", "NHATYPE", "INSYNC", "REPLADDR"], _NATIVE_HA
    ),
}

#: Nouns whose objects are of several types in MQ. DISPLAY takes the attributes of the types that are missing here, and
#: shows nothing for them, as MQ does for an object that has not got the attribute.
OF_OTHER_TYPES = ("CHANNEL", "CHSTATUS", "AUTHINFO", "LISTENER")

_CHANNEL_TYPES = {
    **dict.fromkeys(["SDR", "SVR", "RCVR", "RQSTR"], _MESSAGE_CHANNELS),
    **dict.fromkeys(["CLUSSDR", "CLUSRCVR"], _CLUSTERS),
    "CLNTCONN": _CLIENT_CHANNELS,
    "AMQP": _AMQP,
    "MQTT": _MQTT,
}

#: (noun, keyword) -> value -> the part of MQ that the value belongs to.
VALUES: dict[tuple[str, str], dict[str, str]] = {
    ("CHANNEL", "CHLTYPE"): _CHANNEL_TYPES,
    ("CHANNEL", "TRPTYPE"): dict.fromkeys(["LU62", "NETBIOS", "SPX"], _TRANSPORTS),
    ("LISTENER", "TRPTYPE"): dict.fromkeys(["LU62", "NETBIOS", "SPX"], _TRANSPORTS),
    ("AUTHINFO", "AUTHTYPE"): {"CRLLDAP": _LDAP, "IDPWLDAP": _LDAP, "OCSP": "OCSP"},
    ("QUEUE", "DEFTYPE"): {"SHAREDYN": _SHARING},
    ("QUEUE", "TYPE"): {"QCLUSTER": _CLUSTERS},
    ("QMGR", "TYPE"): {
        "CONFIGEV": "REFRESH QMGR TYPE(CONFIGEV)",
        "EARLY": "the early code of z/OS",
        "PROXYSUB": "publish/subscribe between queue managers",
        "PUBSUB": "publish/subscribe between queue managers",
    },
    ("QMSTATUS", "TYPE"): {"NATIVEHA": _NATIVE_HA, "ALL": _NATIVE_HA},
    ("USAGE", "TYPE"): {"SMDS": _SHARING},
}

#: Nouns that have the parameters of another.
_SAME_AS = dict.fromkeys(["QLOCAL", "QALIAS", "QREMOTE", "QMODEL"], "QUEUE")


class NotHere(Exception):
    """A command of MQ, or a part of one, that FlintMQ does not have; the text says so in one sentence."""

    def __init__(self, part: str, written: str) -> None:
        also = "" if written in part else f" ({written})"
        super().__init__(f"FlintMQ does not have {part}{also} yet, see {WHERE_TO_READ}.")


def check_command(verb: str, noun: str) -> None:
    """Raise NotHere for a command that MQ has and FlintMQ does not."""
    part = COMMANDS.get((verb, noun)) or COMMANDS.get((_ANY, noun))
    if part is not None:
        raise NotHere(part, f"{verb} {noun}")


def is_of_other_type(noun: str, keyword: str) -> bool:
    """Return whether the attribute belongs to objects of this noun, but of a type that FlintMQ does not have."""
    return noun in OF_OTHER_TYPES and keyword in PARAMETERS[noun]


def check_parameter(noun: str, keyword: str) -> None:
    """Raise NotHere for a parameter that MQ has and FlintMQ does not."""
    part = PARAMETERS.get(_SAME_AS.get(noun, noun), {}).get(keyword) or PARAMETERS[_ANY].get(keyword)
    if part is not None:
        raise NotHere(part, keyword)


def check_value(noun: str, keyword: str, values: list[str]) -> None:
    """Raise NotHere for a value that MQ takes for `keyword` and FlintMQ does not."""
    known = VALUES.get((_SAME_AS.get(noun, noun), keyword), {})
    for value in values:
        part = known.get(value.upper())
        if part is not None:
            raise NotHere(part, f"{keyword}({value.upper()})")
