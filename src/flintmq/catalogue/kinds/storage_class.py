"""STGCLASS: a storage class, which leads from a queue to its page set."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, integer, name, text
from flintmq.catalogue.kind import MQSC, PCF, Z_OS_MESSAGES, Kind, Names
from flintmq.catalogue.limits import PAGE_SET_ID_MAX
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf
from flintmq.mqi.object_name import is_name

_NAME_LENGTH: Final = 8
_ATTRIBUTES: Final = (
    *altered(),
    text("DESCR", mq.MQCA_STORAGE_CLASS_DESC, 64),
    name("PASSTKTA", mq.MQCA_PASS_TICKET_APPL, 8),
    integer("PSID", mq.MQIA_PAGESET_ID, 0, 0, PAGE_SET_ID_MAX),
    name("XCFGNAME", mq.MQCA_XCF_GROUP_NAME, 8),
    name("XCFMNAME", mq.MQCA_XCF_MEMBER_NAME, 16),
)


def _is_storage_class(name: str) -> bool:
    return is_name(name, _NAME_LENGTH) and name == name.upper() and not name[0].isdigit()


_NAMES: Final = Names(
    is_name=_is_storage_class,
    rule=f"a storage class name has at most {_NAME_LENGTH} upper-case letters, digits and . / _ %, the first no digit",
    length=_NAME_LENGTH,
)

KINDS: Final = (
    Kind(
        keyword="STGCLASS",
        title="Storage class",
        order=20,
        dump_order=40,
        attributes=_ATTRIBUTES,
        names=_NAMES,
        number=mq.MQOT_STORAGE_CLASS,
        mqsc=MQSC(
            description="a storage class, which leads from a queue to its page set",
            example="BIG",
            parameters="PSID(5)",
            synonyms=("STC",),
        ),
        pcf=PCF(
            create=pcf.MQCMD_CREATE_STG_CLASS,
            change=pcf.MQCMD_CHANGE_STG_CLASS,
            delete=pcf.MQCMD_DELETE_STG_CLASS,
            inquire=pcf.MQCMD_INQUIRE_STG_CLASS,
            copy=pcf.MQCMD_COPY_STG_CLASS,
            inquire_names=pcf.MQCMD_INQUIRE_STG_CLASS_NAMES,
            name=mq.MQCA_STORAGE_CLASS,
            copy_from=pcf.MQCACF_FROM_STORAGE_CLASS,
            copy_to=pcf.MQCACF_TO_STORAGE_CLASS,
            attributes=pcf.MQIACF_STORAGE_CLASS_ATTRS,
            names=pcf.MQCACF_STORAGE_CLASS_NAMES,
        ),
        messages=Z_OS_MESSAGES,
    ),
)
