"""Differences between PCF and MQSC: the parameter of an object's name, and that of a list of attributes to show.

All else (commands, attributes, words and their numbers) stands in the model and holds for both.
"""

from __future__ import annotations

from flintmq.catalogue.attributes import NAME_SELECTORS, QUEUE_KINDS, QUEUE_TYPES
from flintmq.command.form import NO_NAME, OPTIONAL_NAME, Form
from flintmq.command.model import FORMS
from flintmq.mqi import channel_constants as ch
from flintmq.mqi import constants as mq
from flintmq.mqi import pcf_constants as pcf

#: Noun -> the parameter that stands for the name after it, where it is not that of the kind of object.
_NAMES = {
    "BUFFPOOL": pcf.MQIACF_BUFFER_POOL_ID,
    "CHLAUTH": pcf.MQCACH_CHANNEL_NAME,
    "SECURITY": pcf.MQCACF_USER_IDENTIFIER,
    "PSID": mq.MQIA_PAGESET_ID,
    "QUEUE": mq.MQCA_Q_NAME,
    "QSTATS": mq.MQCA_Q_NAME,
    "QSTATUS": mq.MQCA_Q_NAME,
    "SUB": pcf.MQCACF_SUB_NAME,
    "SBSTATUS": pcf.MQCACF_SUB_NAME,
    "TPSTATUS": mq.MQCA_TOPIC_STRING,
    "TOPICSTR": mq.MQCA_TOPIC_STRING,
}

#: Noun -> the MQCFIL that lists the attributes to show.
_ATTRIBUTE_LISTS = {
    "AUTHINFO": pcf.MQIACF_AUTH_INFO_ATTRS,
    "AUTHREC": pcf.MQIACF_AUTH_PROFILE_ATTRS,
    "AUTHSERV": pcf.MQIACF_AUTH_SERVICE_ATTRS,
    "CHANNEL": pcf.MQIACF_CHANNEL_ATTRS,
    "COMMINFO": pcf.MQIACF_COMM_INFO_ATTRS,
    "CHLAUTH": pcf.MQIACF_CHLAUTH_ATTRS,
    "CHSTATUS": pcf.MQIACH_CHANNEL_INSTANCE_ATTRS,
    "CONN": pcf.MQIACF_CONNECTION_ATTRS,
    "LISTENER": pcf.MQIACF_LISTENER_ATTRS,
    "LSSTATUS": pcf.MQIACF_LISTENER_STATUS_ATTRS,
    "NAMELIST": pcf.MQIACF_NAMELIST_ATTRS,
    "PROCESS": pcf.MQIACF_PROCESS_ATTRS,
    "PUBSUB": pcf.MQIACF_PUBSUB_STATUS_ATTRS,
    "QMGR": pcf.MQIACF_Q_MGR_ATTRS,
    "QMSTATUS": pcf.MQIACF_Q_MGR_STATUS_ATTRS,
    "QSTATUS": pcf.MQIACF_Q_STATUS_ATTRS,
    "QUEUE": pcf.MQIACF_Q_ATTRS,
    "SBSTATUS": pcf.MQIACF_SUB_STATUS_ATTRS,
    "SECURITY": pcf.MQIACF_SECURITY_ATTRS,
    "SERVICE": pcf.MQIACF_SERVICE_ATTRS,
    "STGCLASS": pcf.MQIACF_STORAGE_CLASS_ATTRS,
    "SUB": pcf.MQIACF_SUB_ATTRS,
    "SVSTATUS": pcf.MQIACF_SERVICE_STATUS_ATTRS,
    "TOPIC": pcf.MQIACF_TOPIC_ATTRS,
    "TPSTATUS": pcf.MQIACF_TOPIC_STATUS_ATTRS,
}

#: Kind of object -> FROM and TO of its COPY command.
COPY_PARAMETERS = {
    "AUTHINFO": (pcf.MQCACF_FROM_AUTH_INFO_NAME, pcf.MQCACF_TO_AUTH_INFO_NAME),
    "CHANNEL": (pcf.MQCACF_FROM_CHANNEL_NAME, pcf.MQCACF_TO_CHANNEL_NAME),
    "COMMINFO": (pcf.MQCACF_FROM_COMM_INFO_NAME, pcf.MQCACF_TO_COMM_INFO_NAME),
    "LISTENER": (pcf.MQCACF_FROM_LISTENER_NAME, pcf.MQCACF_TO_LISTENER_NAME),
    "NAMELIST": (pcf.MQCACF_FROM_NAMELIST_NAME, pcf.MQCACF_TO_NAMELIST_NAME),
    "PROCESS": (pcf.MQCACF_FROM_PROCESS_NAME, pcf.MQCACF_TO_PROCESS_NAME),
    "SERVICE": (pcf.MQCACF_FROM_SERVICE_NAME, pcf.MQCACF_TO_SERVICE_NAME),
    "STGCLASS": (pcf.MQCACF_FROM_STORAGE_CLASS, pcf.MQCACF_TO_STORAGE_CLASS),
    "SUB": (pcf.MQCACF_FROM_SUB_NAME, pcf.MQCACF_TO_SUB_NAME),
    "TOPIC": (pcf.MQCACF_FROM_TOPIC_NAME, pcf.MQCACF_TO_TOPIC_NAME),
    **dict.fromkeys(QUEUE_KINDS, (pcf.MQCACF_FROM_Q_NAME, pcf.MQCACF_TO_Q_NAME)),
}

#: COPY command -> the command of which it is the LIKE form.
COPIES = {
    pcf.MQCMD_COPY_AUTH_INFO: pcf.MQCMD_CREATE_AUTH_INFO,
    pcf.MQCMD_COPY_CHANNEL: pcf.MQCMD_CREATE_CHANNEL,
    pcf.MQCMD_COPY_COMM_INFO: pcf.MQCMD_CREATE_COMM_INFO,
    pcf.MQCMD_COPY_LISTENER: pcf.MQCMD_CREATE_LISTENER,
    pcf.MQCMD_COPY_NAMELIST: pcf.MQCMD_CREATE_NAMELIST,
    pcf.MQCMD_COPY_PROCESS: pcf.MQCMD_CREATE_PROCESS,
    pcf.MQCMD_COPY_Q: pcf.MQCMD_CREATE_Q,
    pcf.MQCMD_COPY_SERVICE: pcf.MQCMD_CREATE_SERVICE,
    pcf.MQCMD_COPY_STG_CLASS: pcf.MQCMD_CREATE_STG_CLASS,
    pcf.MQCMD_COPY_SUBSCRIPTION: pcf.MQCMD_CREATE_SUBSCRIPTION,
    pcf.MQCMD_COPY_TOPIC: pcf.MQCMD_CREATE_TOPIC,
}

#: Commands that answer with names only -> the noun of DISPLAY, the list of names, the list of types and its attribute.
NAME_LISTS = {
    pcf.MQCMD_INQUIRE_AUTH_INFO_NAMES: (
        "AUTHINFO",
        pcf.MQCACF_AUTH_INFO_NAMES,
        pcf.MQIACH_AUTH_INFO_TYPES,
        "AUTHTYPE",
    ),
    pcf.MQCMD_INQUIRE_CHANNEL_NAMES: ("CHANNEL", pcf.MQCACH_CHANNEL_NAMES, pcf.MQIACH_CHANNEL_TYPES, "CHLTYPE"),
    pcf.MQCMD_INQUIRE_NAMELIST_NAMES: ("NAMELIST", pcf.MQCACF_NAMELIST_NAMES, 0, ""),
    pcf.MQCMD_INQUIRE_PROCESS_NAMES: ("PROCESS", pcf.MQCACF_PROCESS_NAMES, 0, ""),
    pcf.MQCMD_INQUIRE_Q_NAMES: ("QUEUE", pcf.MQCACF_Q_NAMES, pcf.MQIACF_Q_TYPES, "TYPE"),
    pcf.MQCMD_INQUIRE_STG_CLASS_NAMES: ("STGCLASS", pcf.MQCACF_STORAGE_CLASS_NAMES, 0, ""),
    pcf.MQCMD_INQUIRE_TOPIC_NAMES: ("TOPIC", pcf.MQCACF_TOPIC_NAMES, 0, ""),
}

#: Parameters for queue-sharing groups. There are none here: a value that means this queue manager is taken.
SHARING = (pcf.MQCACF_COMMAND_SCOPE, mq.MQIA_QSG_DISP)

#: Types that an INQUIRE may choose, and the number that chooses all.
TYPES_OF_ALL = {"CHLTYPE": ch.MQCHT_ALL, "AUTHTYPE": mq.MQAIT_ALL}

#: MQIA_Q_TYPE -> kind of queue.
KINDS_OF_QUEUE = {number: kind for kind, number in QUEUE_TYPES.items()}


def _forms() -> dict[int, list[Form]]:
    forms: dict[int, list[Form]] = {}
    for form in FORMS.values():
        if form.pcf_command:
            forms.setdefault(form.pcf_command, []).append(form)
    forms[pcf.MQCMD_INQUIRE_Q] = [FORMS["DISPLAY", "QUEUE"]]
    forms[pcf.MQCMD_INQUIRE_USAGE] = [FORMS["DISPLAY", "USAGE"]]
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
