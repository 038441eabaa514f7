"""GADGET: a kind of object that MQ does not have, declared in this one file. See ../../test_new_kind.py."""

from __future__ import annotations

from typing import Final

from flintmq.catalogue.attribute_makers import altered, enum, integer, names, shown, text
from flintmq.catalogue.kind import ADMIN, MQSC, PCF, Authority, Kind, Messages
from flintmq.mqi.values.services import MQZAO_INQUIRE

#: Numbers that MQ does not use: of the type of object, of attributes, and of commands.
MQOT_GADGET: Final = 900
MQIA_SIZE: Final = 1900
MQIA_COLOUR: Final = 1901
MQIA_PART_COUNT: Final = 1902
MQCA_GADGET_NAME: Final = 3900
MQCA_GADGET_DESC: Final = 3901
MQCA_PARTS: Final = 3902
MQCMD_CREATE: Final = 9001
MQCMD_COPY: Final = 9002
MQCMD_CHANGE: Final = 9003
MQCMD_DELETE: Final = 9004
MQCMD_INQUIRE: Final = 9005
MQCMD_INQUIRE_NAMES: Final = 9006
MQCACF_FROM: Final = 9101
MQCACF_TO: Final = 9102
MQIACF_ATTRS: Final = 9103
MQCACF_NAMES: Final = 9104

KINDS: Final = (
    Kind(
        keyword="GADGET",
        title="Gadget",
        order=900,
        dump_order=900,
        attributes=(
            *altered(),
            enum("COLOUR", MQIA_COLOUR, {"RED": 1, "BLUE": 2}),
            text("DESCR", MQCA_GADGET_DESC, 64),
            shown(integer("PARTCNT", MQIA_PART_COUNT, 0, 0, 10)),
            names("PARTS", MQCA_PARTS, 10),
            integer("SIZE", MQIA_SIZE, 1, 1, 99),
        ),
        number=MQOT_GADGET,
        opened=True,
        inquired=True,
        default_object="SYSTEM.DEFAULT.GADGET",
        since="SYSTEM.DEFAULT.GADGET",
        counted=("PARTS", "PARTCNT"),
        mqsc=MQSC(description="a gadget", example="TOOL", parameters="SIZE(7)", synonyms=("GDG",)),
        pcf=PCF(
            create=MQCMD_CREATE,
            copy=MQCMD_COPY,
            change=MQCMD_CHANGE,
            delete=MQCMD_DELETE,
            inquire=MQCMD_INQUIRE,
            inquire_names=MQCMD_INQUIRE_NAMES,
            name=MQCA_GADGET_NAME,
            copy_from=MQCACF_FROM,
            copy_to=MQCACF_TO,
            attributes=MQIACF_ATTRS,
            names=MQCACF_NAMES,
        ),
        messages=Messages(
            created="AMQ9901I",
            changed="AMQ9902I",
            deleted="AMQ9903I",
            shown="AMQ9904I",
            heading="Display gadget details.",
        ),
        authority=Authority(
            object_type="GADGET",
            title="Gadget",
            number=MQOT_GADGET,
            takes=ADMIN | MQZAO_INQUIRE,
            words=("gadget", "gdg"),
        ),
    ),
)
