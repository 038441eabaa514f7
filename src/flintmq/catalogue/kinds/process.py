"""PROCESS: the application that a trigger message names."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, integer, text
from flintmq.catalogue.kind import ADMIN, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import NUMBER_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values.services import MQZAO_INQUIRE, MQZAO_SET

_APPLICATION_TYPE: Final = integer(
    "APPLTYPE",
    mq.MQIA_APPL_TYPE,
    "UNIX",
    0,
    NUMBER_MAX,
    {
        "CICS": mq.MQAT_CICS,
        "DOS": mq.MQAT_DOS,
        "IMS": mq.MQAT_IMS,
        "MVS": mq.MQAT_MVS,
        "NOTESAGENT": mq.MQAT_NOTES_AGENT,
        "NSK": mq.MQAT_NSK,
        "OPENVMS": mq.MQAT_VMS,
        "OS400": mq.MQAT_OS400,
        "UNIX": mq.MQAT_UNIX,
        "WINDOWS": mq.MQAT_WINDOWS,
        "WINDOWSNT": mq.MQAT_WINDOWS_NT,
    },
)
_APPLICATION_TYPE.word_synonyms = {"DEF": "UNIX", "AIX": "UNIX", "ZOS": "MVS", "OS390": "MVS", "VMS": "OPENVMS"}
_ATTRIBUTES: Final = (
    *altered(),
    text("APPLICID", mq.MQCA_APPL_ID, 256),
    _APPLICATION_TYPE,
    text("DESCR", mq.MQCA_PROCESS_DESC, 64),
    text("ENVRDATA", mq.MQCA_ENV_DATA, 128),
    text("USERDATA", mq.MQCA_USER_DATA, 128),
)

KINDS: Final = (
    Kind(
        keyword="PROCESS",
        title="Process",
        order=50,
        dump_order=50,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_PROCESS,
        opened=True,
        inquired=True,
        default_object="SYSTEM.DEFAULT.PROCESS",
        mqsc=MQSC(
            description="a process, for triggering",
            example="ORDERS.PROCESS",
            parameters="APPLICID('/opt/orders/start')",
            synonyms=("PRO",),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_PROCESS,
            change=pcf.MQCMD_CHANGE_PROCESS,
            delete=pcf.MQCMD_DELETE_PROCESS,
            inquire=pcf.MQCMD_INQUIRE_PROCESS,
            copy=pcf.MQCMD_COPY_PROCESS,
            inquire_names=pcf.MQCMD_INQUIRE_PROCESS_NAMES,
            name=mq.MQCA_PROCESS_NAME,
            copy_from=pcf.MQCACF_FROM_PROCESS_NAME,
            copy_to=pcf.MQCACF_TO_PROCESS_NAME,
            attributes=pcf.MQIACF_PROCESS_ATTRS,
            names=pcf.MQCACF_PROCESS_NAMES,
        ),
        messages=Messages(
            created="AMQ8010I",
            changed="AMQ8012I",
            deleted="AMQ8011I",
            shown="AMQ8407I",
            heading="Display Process details.",
        ),
        authority=Authority(
            object_type="PROCESS",
            title="Process",
            number=mq.MQOT_PROCESS,
            takes=ADMIN | MQZAO_INQUIRE | MQZAO_SET,
            words=("process", "prcs"),
        ),
    ),
)
