"""The attributes of status displays, in the order in which they are shown.

These are not part of any definition: the queue manager makes them up when asked (Administration). `n` is a number, `t`
a text, `p` a pair, `f` a bare word.
"""

from __future__ import annotations

from flintmq.catalogue.attribute import FLAG, INT, PAIR, STRING, Attribute
from flintmq.catalogue.attributes import ATTRIBUTES
from flintmq.command.status_parameters import parameter_of

_KINDS = {"n": INT, "t": STRING, "p": PAIR, "f": FLAG}
_BOUND = 1 << 62


def _list(table: str, display: str = "") -> list[Attribute]:
    """Return the attributes of DISPLAY `display`, with their parameters and values in PCF (status_parameters.py)."""
    attributes: list[Attribute] = []
    for entry in table.split():
        keyword, kind = entry.split(":")
        attribute = Attribute(keyword, _KINDS[kind], 0, "")
        attribute.selector, attribute.words = _in_pcf(display, keyword)
        attribute.read_only = attribute.live = True
        attribute.low, attribute.high = -_BOUND, _BOUND
        attributes.append(attribute)
    return attributes


#: Display -> the kind of object of which it shows some attributes, under the same names and numbers.
_SHARED = {"TPSTATUS": "TOPIC", "CHSTATUS": "CHANNEL", "LSSTATUS": "LISTENER", "SVSTATUS": "SERVICE"}


def _in_pcf(display: str, keyword: str) -> tuple[int, dict[str, int]]:
    for attribute in ATTRIBUTES[_SHARED[display]] if display in _SHARED else ():
        if attribute.keyword == keyword:
            return attribute.selector, attribute.words
    return parameter_of(display, keyword)


QUEUE_STATUS = _list("""
    CURDEPTH:n CURFSIZE:n CURMAXFS:n IPPROCS:n LGETDATE:t LGETTIME:t LPUTDATE:t LPUTTIME:t
    MEDIALOG:t MONQ:t MSGAGE:n OPPROCS:n QTIME:p UNCOM:t
""")

QUEUE_HANDLE = _list("""
    APPLDESC:t APPLTAG:t APPLTYPE:t BROWSE:t CHANNEL:t CONNAME:t ASTATE:t HSTATE:t INPUT:t INQUIRE:t
    OUTPUT:t PID:n QMURID:t SET:t TID:n URID:t URTYPE:t USERID:t
""")

#: HIQDEPTH is the deepest that the queue has been, RESETINT the seconds since the counts were last reset.
QUEUE_STATISTICS = _list("HIQDEPTH:n MSGSIN:n MSGSOUT:n RESETINT:n")

#: DISPLAY CHSTATUS. MSGS counts MQI calls, BUFS segments; of the pairs, one is for the last message, one for many.
CHANNEL_STATUS = _list(
    """
    CHLTYPE:t CONNAME:t CURRENT:f STATUS:t SUBSTATE:t
    BUFSRCVD:n BUFSSENT:n BYTSRCVD:n BYTSSENT:n CHSTADA:t CHSTATI:t COMPHDR:p COMPMSG:p COMPRATE:p COMPTIME:p
    CURSHCNV:n HBINT:n JOBNAME:t KAINT:n LOCLADDR:t LSTMSGDA:t LSTMSGTI:t MAXMSGL:n MAXSHCNV:n MCASTAT:t MCAUSER:t
    MONCHL:t MSGS:n RAPPLTAG:t RPRODUCT:t RQMNAME:t RVERSION:t SECPROT:t SSLCERTI:t SSLCERTU:t SSLCIPH:t SSLPEER:t
    SSLRKEYS:n STOPREQ:t
""",
    "CHSTATUS",
)
#: The part of it that is always shown.
CHANNEL_STATUS_SHORT = {"CHLTYPE", "CONNAME", "CURRENT", "STATUS", "SUBSTATE"}

LISTENER_STATUS = _list(
    """
    STATUS:t PID:n BACKLOG:n CONTROL:t DESCR:t IPADDR:t PORT:n STARTDA:t STARTTI:t TRPTYPE:t
""",
    "LSSTATUS",
)

#: DISPLAY SVSTATUS, of services with SERVTYPE(SERVER).
SERVICE_STATUS = _list(
    """
    STATUS:t PID:n CONTROL:t DESCR:t SERVTYPE:t STARTARG:t STARTCMD:t STARTDA:t STARTTI:t STDERR:t STDOUT:t STOPARG:t
    STOPCMD:t
""",
    "SVSTATUS",
)

CONNECTION = _list("""
    PID:n TID:n APPLDESC:t APPLTAG:t APPLTYPE:t ASTATE:t CHANNEL:t CLIENTID:t CONNAME:t CONNOPTS:t USERID:t
    UOWLOG:t UOWSTDA:t UOWSTTI:t UOWLOGDA:t UOWLOGTI:t URTYPE:t EXTURID:t QMURID:t UOWSTATE:t CONNTAG:t
""")

CONNECTION_HANDLE = _list("""
    OBJNAME:t OBJTYPE:t ASTATE:t HSTATE:t OPENOPTS:t READA:t SUBID:t SUBNAME:t TOPICSTR:t DEST:t DESTQMGR:t
""")

#: DISPLAY SBSTATUS. ACTCONN is the connection that has the subscription open, RESM* when it was last resumed.
SUBSCRIPTION_STATUS = _list("""
    ACTCONN:t DURABLE:t LMSGDATE:t LMSGTIME:t MCASTREL:p NUMMSGS:n RESMDATE:t RESMTIME:t SUBTYPE:t SUBUSER:t TOPICSTR:t
""")

#: DISPLAY TPSTATUS: attributes in force at a topic, its subscribers, its publishers.
TOPIC_STATUS = _list(
    """
    ADMIN:t CAPEXPRY:t CLROUTE:t CLUSTER:t COMMINFO:t DEFPRESP:t DEFPRTY:t DEFPSIST:t DURSUB:t MCAST:t MDURMDL:t
    MNDURMDL:t NPMSGDLV:t PMSGDLV:t PUB:t PUBCOUNT:n PUBSCOPE:t RETAINED:t SUB:t SUBCOUNT:n SUBSCOPE:t USEDLQ:t
""",
    "TPSTATUS",
)
TOPIC_SUBSCRIPTION = _list("""
    SUBID:t ACTCONN:t DURABLE:t LMSGDATE:t LMSGTIME:t MCASTREL:p NUMMSGS:n RESMDATE:t RESMTIME:t SUBTYPE:t SUBUSER:t
""")
TOPIC_PUBLISHER = _list("ACTCONN:t LPUBDATE:t LPUBTIME:t MCASTREL:p NUMPUBS:n")

#: DISPLAY PUBSUB. TPCOUNT is how many topics the tree has.
PUBSUB_STATUS = _list("STATUS:t SUBCOUNT:n TPCOUNT:n", "PUBSUB")

Q_MGR_STATUS = _list(
    """
    STATUS:t AUTOCLUS:t CHINIT:t CHKPTCNT:n CHKPTOPS:n CHKPTSZ:n CMDSERV:t CONNS:n DATFSSZ:t DATFSUSE:t DATPATH:t
    HOSTNAME:t INSTDESC:t INSTNAME:t INSTPATH:t LDAPCONN:t LOGEXTSZ:n LOGFSSZ:t LOGFSUSE:t LOGINUSE:n LOGPATH:t
    LOGPRIM:n LOGSEC:n LOGSTRDA:t LOGSTRL:t LOGSTRTI:t LOGTYPE:t LOGUTIL:n
    CURRLOG:t RECLOG:t RECSZ:n MEDIALOG:t MEDIASZ:n ARCHLOG:t ARCHSZ:n
    QMFSENC:t QMFSSZ:t QMFSUSE:t REUSESZ:n STANDBY:t STARTDA:t STARTTI:t UNICLUS:t
""",
    "QMSTATUS",
)

#: TOTAL, UNUSED, PERSIST and NONPERS are pages of 4 KiB; EXPCOUNT how often the page set has grown.
PAGE_SET_USAGE = _list("""
    BUFFPOOL:n TOTAL:n UNUSED:n PERSIST:n NONPERS:n EXPAND:t EXPCOUNT:n MESSAGES:n PERCENT:n STATUS:t
""")

#: FREE and USED are buffers of 4 KiB; PGSIN and PGSOUT pages read from and written to page sets.
BUFFER_POOL_USAGE = _list("""
    BUFFERS:n FREE:n FREEPERC:n USED:n LOCATION:t PAGECLAS:t PGSIN:n PGSOUT:n STALLS:n STATUS:t
""")

#: The state of the log, shown after the attributes that SET LOG changes.
LOG_STATE = _list("""
    LOGTYPE:t LOGPATH:t LOGCOPY:t LOGPRIM:n LOGSEC:n LOGEXTSZ:n LOGEND:n LOGDUR:n LOGCHKPT:n LOGUSED:n ARCHPATH:t
    RECORDS:n BYTES:n FLUSHES:n SYNCS:n COMPREQ:n COMPFAIL:n COMPIN:n COMPOUT:n DECREQ:n DECFAIL:n DECIN:n DECOUT:n
""")

#: DISPLAY TRACE.
TRACE = _list("TYPE:t CLASS:t DEST:t USERID:t")

LOG = [*ATTRIBUTES["LOG"], *LOG_STATE]
SYSTEM = list(ATTRIBUTES["SYSTEM"])
