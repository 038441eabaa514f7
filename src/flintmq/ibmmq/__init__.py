"""IBM's ibmmq package without IBM's C library: its classes, structures and constants, in pure Python.

    import flintmq.ibmmq as ibmmq

    qmgr = ibmmq.connect("QM1", "DEV.APP.SVRCONN", "127.0.0.1(1414)", "app", "passw0rd")
    queue = ibmmq.Queue(qmgr, "DEV.QUEUE.1")
    queue.put("Hello")

ibmmq is pymqi's successor, so most of this is `flintmq.pymqi`; the differences are here: text in fields, newer
structures, MQSTAT, MQSUBRQ, callbacks, deletion of properties. docs/pymqi.md has the table.

    CMQC CMQCFC CMQXC CMQSTRC       the constants, and their names by number
    text.py opts.py structures.py pcf_structures.py rfh2.py     structures that take text
    errors.py kit.py                exceptions; base classes
    queue_manager.py queue.py topic.py message_handle.py pcf.py filters.py     the classes
    callback.py inquire.py calls.py MQCB; MQINQ and MQSET; the calls that pymqi does not have
"""

from typing import Any

from flintmq.ibmmq import CMQC, CMQCFC, CMQSTRC, CMQXC
from flintmq.ibmmq.errors import Error, MQMIError, PYIFError
from flintmq.ibmmq.filters import ByteStringFilter, Filter, FilterOperator, IntegerFilter, StringFilter
from flintmq.ibmmq.kit import IBMMQ
from flintmq.ibmmq.message_handle import MessageHandle
from flintmq.ibmmq.mq_object import MQObject
from flintmq.ibmmq.opts import MQOpts
from flintmq.ibmmq.pcf import PCFExecute
from flintmq.ibmmq.pcf_structures import (
    CFBF,
    CFBS,
    CFGR,
    CFH,
    CFIF,
    CFIL,
    CFIL64,
    CFIN,
    CFIN64,
    CFSF,
    CFSL,
    CFST,
)
from flintmq.ibmmq.queue import Queue
from flintmq.ibmmq.queue_manager import QueueManager, connect
from flintmq.ibmmq.rfh2 import RFH2
from flintmq.ibmmq.structures import (
    BNO,
    CBC,
    CBD,
    CD,
    CIH,
    CMHO,
    CNO,
    CSP,
    CTLO,
    DLH,
    DMHO,
    DMPO,
    GMO,
    IIH,
    IMPO,
    MD,
    MDE,
    OD,
    PD,
    PMO,
    SCO,
    SD,
    SMPO,
    SRO,
    STS,
    TM,
    TMC2,
    XQH,
    cd,
    gmo,
    md,
    od,
    pmo,
    sco,
)
from flintmq.ibmmq.text import (
    EncodingDefault,
    OTelFunctions,
    OTelOptions,
    ensure_bytes,
    ensure_not_unicode,
    ensure_strings_are_bytes,
    is_unicode,
    padded_count,
    to_string,
)
from flintmq.ibmmq.topic import Subscription, Topic
from flintmq.pymqi.filters import ByteString
from flintmq.pymqi.kit import message_args
from flintmq.pymqi.text import INTEGER64_TYPE, MQLONG_TYPE

__version__ = __py_version__ = __c_version__ = "2.1.2"
__cmdlevel__ = "10.0.0"
__mqbuild__ = "client"
otel_enabled = False
_CMQC_linux_x64 = CMQC  # The original has a module for each platform.


def get_versions() -> dict[str, str]:
    """Return the version of ibmmq that has these names, and the level of MQ."""
    return {"module": __version__, "MQ": __cmdlevel__}


def common_q_args(*opts: Any) -> tuple[Any, Any]:
    """Descriptor and options of a put or get."""
    return message_args(IBMMQ, opts[:2])


commonQArgs = common_q_args

__all__ = [
    "BNO", "ByteString", "ByteStringFilter", "CBC", "CBD", "CD", "CFBF", "CFBS", "CFGR", "CFH", "CFIF", "CFIL",
    "CFIL64", "CFIN", "CFIN64", "CFSF", "CFSL", "CFST", "CIH", "CMHO", "CMQC", "CMQCFC", "CMQSTRC", "CMQXC", "CNO",
    "CSP", "CTLO", "DLH", "DMHO", "DMPO", "EncodingDefault", "Error", "Filter", "FilterOperator", "GMO", "IIH",
    "IMPO", "INTEGER64_TYPE", "IntegerFilter", "MD", "MDE", "MQLONG_TYPE", "MQMIError", "MQObject", "MQOpts",
    "MessageHandle", "OD", "OTelFunctions", "OTelOptions", "PCFExecute", "PD", "PMO", "PYIFError", "Queue",
    "QueueManager", "RFH2", "SCO", "SD", "SMPO", "SRO", "STS", "StringFilter", "Subscription", "TM", "TMC2", "Topic",
    "XQH", "__c_version__", "__cmdlevel__", "__mqbuild__", "__py_version__", "__version__", "cd", "commonQArgs",
    "common_q_args", "connect", "ensure_bytes", "ensure_not_unicode", "ensure_strings_are_bytes", "get_versions",
    "gmo", "is_unicode", "md", "od", "otel_enabled", "padded_count", "pmo", "sco", "to_string",
]  # fmt: skip
