"""BUFFPOOL: a buffer pool.

BUFFERS are of 4 KiB. LOCATION and PAGECLAS are kept and shown for scripts that set them.
"""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import enum, integer
from flintmq.catalogue.kind import MQSC, NUMBERS, PCF, Z_OS_MESSAGES, Kind
from flintmq.catalogue.limits import NUMBER_MAX
from flintmq.mqi import pcf_constants as pcf

_ATTRIBUTES: Final = (
    integer("BUFFERS", 0, 25_000, 4, NUMBER_MAX),
    enum(
        "LOCATION",
        pcf.MQIACF_BUFFER_POOL_LOCATION,
        {"ABOVE": pcf.MQBPLOCATION_ABOVE, "BELOW": pcf.MQBPLOCATION_BELOW},
    ),
    enum("PAGECLAS", pcf.MQIACF_PAGECLAS, {"4KB": pcf.MQPAGECLAS_4KB, "FIXED4KB": pcf.MQPAGECLAS_FIXED4KB}),
)

KINDS: Final = (
    Kind(
        keyword="BUFFPOOL",
        title="Buffer pool",
        order=30,
        dump_order=20,
        attributes=_ATTRIBUTES,
        names=NUMBERS,
        mqsc=MQSC(description="a buffer pool", example="4", parameters="BUFFERS(50000)"),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_BUFFER_POOL,
            change=pcf.MQCMD_CHANGE_BUFFER_POOL,
            delete=pcf.MQCMD_DELETE_BUFFER_POOL,
            inquire=pcf.MQCMD_INQUIRE_USAGE,
            name=pcf.MQIACF_BUFFER_POOL_ID,
        ),
        messages=Z_OS_MESSAGES,
    ),
)
