"""PSID: a page set.

PAGES is our own word: z/OS takes the size of a page set from the data set that DSN names.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import enum, fixed, integer, text
from flintmq.catalogue.kind import MQSC, NUMBERS, PCF, Z_OS_MESSAGES, Kind
from flintmq.catalogue.limits import PAGE_SET_ID_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

_ATTRIBUTES: Final = (
    integer("BUFFPOOL", pcf.MQIACF_BUFFER_POOL_ID, 0, 0, PAGE_SET_ID_MAX),
    fixed(text("DSN", 0, 44)),
    enum(
        "EXPAND",
        pcf.MQIACF_USAGE_EXPAND_TYPE,
        {
            "USER": pcf.MQUSAGE_EXPAND_USER,
            "SYSTEM": pcf.MQUSAGE_EXPAND_SYSTEM,
            "NONE": pcf.MQUSAGE_EXPAND_NONE,
        },
    ),
    integer("PAGES", 0, 1_048_576, 32, 16_777_215),
)

KINDS: Final = (
    Kind(
        keyword="PSID",
        title="Page set",
        order=40,
        dump_order=30,
        attributes=_ATTRIBUTES,
        names=NUMBERS,
        mqsc=MQSC(description="a page set", example="5", parameters="BUFFPOOL(4) EXPAND(SYSTEM)", like=False),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_PAGE_SET,
            change=pcf.MQCMD_CHANGE_PAGE_SET,
            delete=pcf.MQCMD_DELETE_PAGE_SET,
            inquire=pcf.MQCMD_INQUIRE_USAGE,
            name=mq.MQIA_PAGESET_ID,
        ),
        messages=Z_OS_MESSAGES,
    ),
)
