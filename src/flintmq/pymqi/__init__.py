"""pymqi without IBM's C library: the classes, methods, constants and error texts of pymqi 1.12, in pure Python.

    import flintmq.pymqi as pymqi

    qmgr = pymqi.connect("QM1", "DEV.APP.SVRCONN", "127.0.0.1(1414)", "app", "passw0rd")
    queue = pymqi.Queue(qmgr, "DEV.QUEUE.1")
    queue.put("Hello")
    queue.close()
    qmgr.disconnect()

With a channel and an address it goes over the network, to FlintMQ or IBM MQ. Without them it uses MQSERVER, the running
queue manager of that name, or opens it in this process. docs/pymqi.md describes the switch and the differences.

    CMQC CMQCFC CMQXC CMQZC const   the constants; names.py makes them from ours
    text.py opts.py                 bytes and text; MQOpts, the base of structures
    structures.py pcf_structures.py rfh2.py     the structures
    errors.py kit.py                exceptions; base classes of this package and of ibmmq
    queue_manager.py queue.py topic.py message_handle.py pcf.py filters.py     the classes
    pymqe.py                        the calls: bytes in, tuples out
    native.py records.py channel.py between a C program's bytes and our structures
    binding.py                      connections: network, local socket, this process
    shim.py __main__.py             `import pymqi` without the original
"""

from flintmq.pymqi import CMQC, CMQCFC, CMQXC, CMQZC, pymqe
from flintmq.pymqi.errors import Error, MQMIError, PYIFError, _MQConst2String
from flintmq.pymqi.filters import ByteString, Filter, FilterOperator, IntegerFilter, StringFilter, _Filter
from flintmq.pymqi.message_handle import MessageHandle
from flintmq.pymqi.opts import MQOpts
from flintmq.pymqi.pcf import PCFExecute, _Method
from flintmq.pymqi.pcf_structures import (
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
)  # fmt: skip
from flintmq.pymqi.pymqe import __mqbuild__, __mqlevels__, __version__
from flintmq.pymqi.queue import Queue
from flintmq.pymqi.queue_manager import (
    QueueManager,
    common_q_args,
    commonQArgs,
    connect,
    make_q_desc,
    makeQDesc,
)
from flintmq.pymqi.rfh2 import RFH2
from flintmq.pymqi.structures import (
    CD,
    CMHO,
    GMO,
    IMPO,
    MD,
    OD,
    PD,
    PMO,
    SCO,
    SD,
    SMPO,
    SRO,
    TM,
    TMC2,
    XQH,
    cd,
    gmo,
    md,
    od,
    pmo,
    sco,
)  # fmt: skip
from flintmq.pymqi.text import (
    INTEGER64_TYPE,
    MQLONG_TYPE,
    default,
    ensure_bytes,
    ensure_not_unicode,
    is_py2,
    is_py3,
    is_unicode,
    padded_count,
    py23long,
)
from flintmq.pymqi.topic import Subscription, Topic

__all__ = [
    "ByteString", "CD", "CFBF", "CFBS", "CFGR", "CFH", "CFIF", "CFIL", "CFIL64", "CFIN", "CFIN64", "CFSF", "CFSL",
    "CFST", "CMHO", "CMQC", "CMQCFC", "CMQXC", "CMQZC", "Error", "Filter", "FilterOperator", "GMO", "IMPO",
    "INTEGER64_TYPE", "IntegerFilter", "MD", "MQLONG_TYPE", "MQMIError", "MQOpts", "MessageHandle", "OD",
    "PCFExecute", "PD", "PMO", "PYIFError", "Queue", "QueueManager", "RFH2", "SCO", "SD", "SMPO", "SRO",
    "StringFilter", "Subscription", "TM", "TMC2", "Topic", "XQH", "_Filter", "_MQConst2String", "_Method",
    "__mqbuild__", "__mqlevels__", "__version__", "cd", "commonQArgs", "common_q_args", "connect", "default",
    "ensure_bytes", "ensure_not_unicode", "gmo", "is_py2", "is_py3", "is_unicode", "makeQDesc", "make_q_desc", "md",
    "od", "padded_count", "pmo", "py23long", "pymqe", "sco",
]  # fmt: skip
