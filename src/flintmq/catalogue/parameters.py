"""The sets of parameters that SET SYSTEM, SET LOG and ALTER SECURITY change. They belong to no object."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute import Attribute
from flintmq.catalogue.attribute_makers import enum, integer, interval, live, names, shown, text
from flintmq.catalogue.limits import SECURITY_MINUTES_MAX
from flintmq.catalogue.words import YES_NO
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

#: NEWSTATIME and NEWACCTIME are blank unless a change waits for the end of the running interval.
_SYSTEM: Final = (
    integer("ACELIM", pcf.MQIACF_SYSP_MAX_ACE_POOL, 0, 0, 999_999),
    interval("ACCTIME", pcf.MQIACF_SYSP_SMF_ACCT_TIME_MINS, "-1", -1),
    live(text("NEWACCTIME", 0, 8)),
    shown(enum("CLCACHE", pcf.MQIACF_SYSP_CLUSTER_CACHE, {"STATIC": 0, "DYNAMIC": 1}, "DYNAMIC")),
    names("EXCLMSG", pcf.MQCACF_EXCL_OPERATOR_MESSAGES, 16, 8),
    integer("LOGLOAD", pcf.MQIACF_SYSP_CHKPOINT_COUNT, 100_000, 200, 16_000_000),
    enum("QINDXBLD", pcf.MQIACF_SYSP_Q_INDEX_DEFER, {"WAIT": 0, "NOWAIT": 1}),
    text("SERVICE", pcf.MQCACF_SYSP_SERVICE, 32),
    shown(enum("SPLCAP", mq.MQIA_PROT_POLICY_CAPABILITY, YES_NO, "NO")),
    interval("STATIME", pcf.MQIACF_SYSP_SMF_STAT_TIME_MINS, "30.00"),
    live(text("NEWSTATIME", 0, 8)),
    integer("TRACTBL", pcf.MQIACF_SYSP_TRACE_SIZE, 99, 1, 999),
)

#: COMPLOG(LZ4) is our own; the rest are the words of z/OS.
_LOG: Final = (
    enum("COMPLOG", pcf.MQIACF_LOG_COMPRESSION, {"NONE": 0, "RLE": 1, "LZ4": 64}),
    integer("DEALLCT", pcf.MQIACF_SYSP_DEALLOC_INTERVAL, 0, 0, 1439, {"NOLIMIT": 1440}),
    integer("MAXARCH", pcf.MQIACF_SYSP_MAX_ARCHIVE, 500, 10, 1000),
    integer("MAXCNOFF", pcf.MQIACF_SYSP_MAX_CONC_OFFLOADS, 31, 1, 31, {"NOLIMIT": 32}),
    integer("MAXRTU", pcf.MQIACF_SYSP_MAX_READ_TAPES, 2, 1, 99),
    integer("WRTHRSH", pcf.MQIACF_SYSP_OUT_BUFFER_COUNT, 20, 1, 256),
    enum("ZHYLINK", pcf.MQIACF_SYSP_ZHYPERLINK, YES_NO, "NO"),
    enum("ZHYWRITE", pcf.MQIACF_SYSP_ZHYPERWRITE, YES_NO, "NO"),
)

#: How long answers about the authority of a user are cached (qmgr/authority.py), in minutes; the words of z/OS.
_SECURITY: Final = (
    integer("INTERVAL", pcf.MQIACF_SECURITY_INTERVAL, 12, 0, SECURITY_MINUTES_MAX),
    integer("TIMEOUT", pcf.MQIACF_SECURITY_TIMEOUT, 54, 0, SECURITY_MINUTES_MAX),
)

#: Noun -> parameters.
PARAMETERS: Final[dict[str, tuple[Attribute, ...]]] = {"SYSTEM": _SYSTEM, "LOG": _LOG, "SECURITY": _SECURITY}
