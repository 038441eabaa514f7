"""The commands about storage, the log, system parameters and traces. Part of model.py."""

from __future__ import annotations

from flintmq.catalogue.attribute import STRING
from flintmq.catalogue.attribute_makers import choice
from flintmq.command import status, storage, trace
from flintmq.command.form import GENERIC_TRACE_TYPE, NO_NAME, TRACE_TYPE, Form, settable
from flintmq.command.options import ALL, DEFAULT, USAGE_TYPE, numbered, numbers, page_set, text
from flintmq.mqi.pcf_constants import (
    MQCMD_ARCHIVE_LOG,
    MQCMD_INQUIRE_LOG,
    MQCMD_INQUIRE_SYSTEM,
    MQCMD_INQUIRE_USAGE,
    MQCMD_SET_LOG,
    MQCMD_SET_SYSTEM,
)

_STORAGE_FORMS = [
    Form(
        verb="DISPLAY",
        noun="USAGE",
        kind="",
        name=NO_NAME,
        handler=storage.usage,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_USAGE,
        summary="Show how full page sets, buffer pools and the log are.",
        example="DISPLAY USAGE TYPE(PAGESET) PSID(4)",
        options=(page_set(), USAGE_TYPE),
    ),
    Form(
        verb="DISPLAY",
        noun="LOG",
        kind="",
        name=NO_NAME,
        handler=storage.display_log,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_LOG,
        summary="Show the parameters and the state of the log.",
        example="DISPLAY LOG",
        options=(ALL,),
        shown=tuple(status.LOG),
    ),
    Form(
        verb="SET",
        noun="LOG",
        kind="",
        name=NO_NAME,
        handler=storage.set_log,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_SET_LOG,
        summary="Change parameters of the log. COMPLOG switches compression for the whole queue manager.",
        example="SET LOG COMPLOG(RLE)",
        options=(DEFAULT,),
        settable=settable("LOG", altering=True),
    ),
    Form(
        verb="ARCHIVE",
        noun="LOG",
        kind="",
        name=NO_NAME,
        handler=storage.archive_log,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_ARCHIVE_LOG,
        summary="Go on to a new log file and archive what is complete.",
        example="ARCHIVE LOG",
    ),
    Form(
        verb="DISPLAY",
        noun="SYSTEM",
        kind="",
        name=NO_NAME,
        handler=storage.display_system,
        authority=("dsp", "qmgr"),
        pcf_command=MQCMD_INQUIRE_SYSTEM,
        summary="Show the system parameters, and new intervals that have yet to begin.",
        example="DISPLAY SYSTEM STATIME ACCTIME",
        options=(ALL,),
        shown=tuple(status.SYSTEM),
    ),
    Form(
        verb="SET",
        noun="SYSTEM",
        kind="",
        name=NO_NAME,
        handler=storage.set_system,
        authority=("chg", "qmgr"),
        pcf_command=MQCMD_SET_SYSTEM,
        summary="Change system parameters. A new interval begins when the running one ends.",
        example="SET SYSTEM STATIME(1.00) ACCTIME(0.15)",
        options=(DEFAULT,),
        settable=settable("SYSTEM", altering=True),
    ),
]

_CLASS = numbers("CLASS", 1, 99)
_TNO = numbered("TNO", 0, 99)

#: MQ has them on z/OS only, where they have no PCF.
_TRACE_FORMS = [
    Form(
        verb="START",
        noun="TRACE",
        kind="",
        name=TRACE_TYPE,
        handler=trace.start,
        authority=("ctrl", "qmgr"),
        pcf_command=0,
        summary="Start to record statistics (STAT), accounting (ACCTG), calls (GLOBAL) or what goes over channels "
        "(CHINIT).",
        example="START TRACE(STAT) CLASS(1,4:5)",
        options=(_CLASS, choice("DEST", "SMF RES GTF SRV"), text("COMMENT", STRING, 64), choice("TDATA", "MSGDATA")),
    ),
    Form(
        verb="STOP",
        noun="TRACE",
        kind="",
        name=GENERIC_TRACE_TYPE,
        handler=trace.stop,
        authority=("ctrl", "qmgr"),
        pcf_command=0,
        summary="Stop traces: of a type, or * for all; with CLASS or TNO those that were started so.",
        example="STOP TRACE(STAT) CLASS(1,4:5)",
        options=(_CLASS, _TNO, text("COMMENT", STRING, 64)),
    ),
    Form(
        verb="DISPLAY",
        noun="TRACE",
        kind="",
        name=GENERIC_TRACE_TYPE,
        handler=trace.display,
        authority=("dsp", "qmgr"),
        pcf_command=0,
        summary="Show the traces that are started.",
        example="DISPLAY TRACE(*)",
        options=(_CLASS, _TNO),
    ),
]

FORMS = [*_STORAGE_FORMS, *_TRACE_FORMS]
