"""Differences between PCF and MQSC: the parameter of an object's name, and that of a list of attributes to show.

All else (commands, attributes, words and their numbers) stands in the model and holds for both.
"""

from __future__ import annotations

from flintmq.catalogue.attributes import KIND_OF, NAME_SELECTORS, QUEUE_TYPES
from flintmq.catalogue.kinds import KINDS
from flintmq.command.form import NO_NAME, OPTIONAL_NAME, Form
from flintmq.command.model import FORMS
from flintmq.mqi.channel_constants import MQCHT_ALL
from flintmq.mqi.constants import MQAIT_ALL, MQCA_Q_NAME, MQCA_TOPIC_STRING, MQIA_QSG_DISP
from flintmq.mqi.pcf_constants import (
    MQCACF_COMMAND_SCOPE,
    MQCACF_SUB_NAME,
    MQCACF_USER_IDENTIFIER,
    MQCMD_INQUIRE_Q,
    MQCMD_INQUIRE_USAGE,
    MQIACF_AUTH_SERVICE_ATTRS,
    MQIACF_CONNECTION_ATTRS,
    MQIACF_LISTENER_STATUS_ATTRS,
    MQIACF_PUBSUB_STATUS_ATTRS,
    MQIACF_Q_MGR_STATUS_ATTRS,
    MQIACF_Q_STATUS_ATTRS,
    MQIACF_SECURITY_ATTRS,
    MQIACF_SERVICE_STATUS_ATTRS,
    MQIACF_SUB_STATUS_ATTRS,
    MQIACF_TOPIC_STATUS_ATTRS,
    MQIACH_CHANNEL_INSTANCE_ATTRS,
)

#: Noun -> the parameter that stands for the name after it, of nouns that are no kinds of objects.
_NAMES = {
    "SECURITY": MQCACF_USER_IDENTIFIER,
    "QUEUE": MQCA_Q_NAME,
    "QSTATS": MQCA_Q_NAME,
    "QSTATUS": MQCA_Q_NAME,
    "SBSTATUS": MQCACF_SUB_NAME,
    "TPSTATUS": MQCA_TOPIC_STRING,
    "TOPICSTR": MQCA_TOPIC_STRING,
}

#: Noun -> the MQCFIL that lists the attributes to show.
_ATTRIBUTE_LISTS = {
    **{kind.space: kind.pcf.attributes for kind in KIND_OF.values() if kind.pcf.attributes},
    "AUTHSERV": MQIACF_AUTH_SERVICE_ATTRS,
    "CHSTATUS": MQIACH_CHANNEL_INSTANCE_ATTRS,
    "CONN": MQIACF_CONNECTION_ATTRS,
    "LSSTATUS": MQIACF_LISTENER_STATUS_ATTRS,
    "PUBSUB": MQIACF_PUBSUB_STATUS_ATTRS,
    "QMSTATUS": MQIACF_Q_MGR_STATUS_ATTRS,
    "QSTATUS": MQIACF_Q_STATUS_ATTRS,
    "SBSTATUS": MQIACF_SUB_STATUS_ATTRS,
    "SECURITY": MQIACF_SECURITY_ATTRS,
    "SVSTATUS": MQIACF_SERVICE_STATUS_ATTRS,
    "TPSTATUS": MQIACF_TOPIC_STATUS_ATTRS,
}

#: Kind of object -> FROM and TO of its COPY command.
COPY_PARAMETERS = {kind.keyword: (kind.pcf.copy_from, kind.pcf.copy_to) for kind in KINDS if kind.pcf.copy}

#: COPY command -> the command of which it is the LIKE form.
COPIES = {kind.pcf.copy: kind.pcf.create for kind in KINDS if kind.pcf.copy}

#: Commands that answer with names only -> the noun of DISPLAY, the list of names, the list of types and its attribute.
NAME_LISTS = {
    kind.pcf.inquire_names: (
        kind.space,
        kind.pcf.names,
        kind.pcf.types,
        (kind.type_attribute or "TYPE") if kind.pcf.types else "",
    )
    for kind in KINDS
    if kind.pcf.inquire_names
}

#: Parameters for queue-sharing groups. There are none here: a value that means this queue manager is taken.
SHARING = (MQCACF_COMMAND_SCOPE, MQIA_QSG_DISP)

#: Types that an INQUIRE may choose, and the number that chooses all.
TYPES_OF_ALL = {"CHLTYPE": MQCHT_ALL, "AUTHTYPE": MQAIT_ALL}

#: MQIA_Q_TYPE -> kind of queue.
KINDS_OF_QUEUE = {number: kind for kind, number in QUEUE_TYPES.items()}


def _forms() -> dict[int, list[Form]]:
    forms: dict[int, list[Form]] = {}
    for form in FORMS.values():
        if form.pcf_command:
            forms.setdefault(form.pcf_command, []).append(form)
    forms[MQCMD_INQUIRE_Q] = [FORMS["DISPLAY", "QUEUE"]]
    forms[MQCMD_INQUIRE_USAGE] = [FORMS["DISPLAY", "USAGE"]]
    return forms


#: Command -> its forms; more than one only for the four kinds of queue.
FORMS_OF_COMMAND = _forms()


def name_parameter(form: Form) -> int:
    """Return the parameter that stands for the name after the noun, 0 if there is none."""
    if form.name in (NO_NAME, OPTIONAL_NAME):
        return 0
    return _NAMES.get(form.noun) or NAME_SELECTORS.get(form.kind, 0)


def attribute_list(form: Form) -> int:
    """Return the parameter that lists the attributes to show, 0 if there is none."""
    return _ATTRIBUTE_LISTS.get(form.noun, 0) if form.shown else 0
