"""NAMELIST: a list of names."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, integer, names, shown, text
from flintmq.catalogue.kind import ADMIN, MQSC, PCF, Authority, Kind, Messages
from flintmq.catalogue.limits import NAMELIST_NAMES_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.values.services import MQZAO_INQUIRE

_ATTRIBUTES: Final = (
    *altered(),
    text("DESCR", mq.MQCA_NAMELIST_DESC, 64),
    shown(integer("NAMCOUNT", mq.MQIA_NAME_COUNT, 0, 0, NAMELIST_NAMES_MAX)),
    names("NAMES", mq.MQCA_NAMES, NAMELIST_NAMES_MAX),
)

KINDS: Final = (
    Kind(
        keyword="NAMELIST",
        title="Namelist",
        order=60,
        dump_order=60,
        attributes=_ATTRIBUTES,
        number=mq.MQOT_NAMELIST,
        opened=True,
        inquired=True,
        default_object="SYSTEM.DEFAULT.NAMELIST",
        counted=("NAMES", "NAMCOUNT"),
        mqsc=MQSC(
            description="a list of names",
            example="ORDER.QUEUES",
            parameters="NAMES(ORDERS.IN,ORDERS.OUT)",
            synonyms=("NL",),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_NAMELIST,
            change=pcf.MQCMD_CHANGE_NAMELIST,
            delete=pcf.MQCMD_DELETE_NAMELIST,
            inquire=pcf.MQCMD_INQUIRE_NAMELIST,
            copy=pcf.MQCMD_COPY_NAMELIST,
            inquire_names=pcf.MQCMD_INQUIRE_NAMELIST_NAMES,
            name=mq.MQCA_NAMELIST_NAME,
            copy_from=pcf.MQCACF_FROM_NAMELIST_NAME,
            copy_to=pcf.MQCACF_TO_NAMELIST_NAME,
            attributes=pcf.MQIACF_NAMELIST_ATTRS,
            names=pcf.MQCACF_NAMELIST_NAMES,
        ),
        messages=Messages(
            created="AMQ8552I",
            changed="AMQ8551I",
            deleted="AMQ8553I",
            shown="AMQ8550I",
            heading="Display namelist details.",
        ),
        authority=Authority(
            object_type="NAMELIST",
            title="Namelist",
            number=mq.MQOT_NAMELIST,
            takes=ADMIN | MQZAO_INQUIRE,
            words=("namelist", "nl"),
        ),
    ),
)
