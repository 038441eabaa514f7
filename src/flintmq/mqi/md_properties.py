"""Fields of the message descriptor under their names as properties: Root.MQMD.MsgId, Root.MQMD.Priority ...

Selectors and MQINQMP read them so. They are not in any folder and do not count as properties of the message.
"""

from typing import Final

from flintmq.mqi.errors import PropertyError
from flintmq.mqi.md import MQMD
from flintmq.mqi.properties import Property
from flintmq.mqi.property_names import DESCRIPTOR_PREFIX, SYNONYMS
from flintmq.mqi.property_values import check_value
from flintmq.mqi.reason import MQRC_PROPERTY_NAME_ERROR
from flintmq.mqi.values.calls import MQTYPE_BYTE_STRING, MQTYPE_INT32, MQTYPE_STRING

# Field of the manual: attribute of MQMD, type.
FIELDS: Final = {
    "Report": ("report", MQTYPE_INT32),
    "MsgType": ("msg_type", MQTYPE_INT32),
    "Expiry": ("expiry", MQTYPE_INT32),
    "Feedback": ("feedback", MQTYPE_INT32),
    "Encoding": ("encoding", MQTYPE_INT32),
    "CodedCharSetId": ("coded_char_set_id", MQTYPE_INT32),
    "Format": ("format", MQTYPE_STRING),
    "Priority": ("priority", MQTYPE_INT32),
    "Persistence": ("persistence", MQTYPE_INT32),
    "MsgId": ("msg_id", MQTYPE_BYTE_STRING),
    "CorrelId": ("correl_id", MQTYPE_BYTE_STRING),
    "BackoutCount": ("backout_count", MQTYPE_INT32),
    "ReplyToQ": ("reply_to_q", MQTYPE_STRING),
    "ReplyToQMgr": ("reply_to_q_mgr", MQTYPE_STRING),
    "UserIdentifier": ("user_identifier", MQTYPE_STRING),
    "AccountingToken": ("accounting_token", MQTYPE_BYTE_STRING),
    "ApplIdentityData": ("appl_identity_data", MQTYPE_STRING),
    "PutApplType": ("put_appl_type", MQTYPE_INT32),
    "PutApplName": ("put_appl_name", MQTYPE_STRING),
    "PutDate": ("put_date", MQTYPE_STRING),
    "PutTime": ("put_time", MQTYPE_STRING),
    "ApplOriginData": ("appl_origin_data", MQTYPE_STRING),
    "GroupId": ("group_id", MQTYPE_BYTE_STRING),
    "MsgSeqNumber": ("msg_seq_number", MQTYPE_INT32),
    "Offset": ("offset", MQTYPE_INT32),
    "MsgFlags": ("msg_flags", MQTYPE_INT32),
    "OriginalLength": ("original_length", MQTYPE_INT32),
}


def is_descriptor_name(name: str) -> bool:
    """Return whether the name, or the name that it is a synonym of, is a field of the descriptor."""
    return SYNONYMS.get(name, name).startswith(DESCRIPTOR_PREFIX)


def read_descriptor(md: MQMD, name: str) -> Property:
    """The field as a property. Raises PropertyError (MQRC_PROPERTY_NAME_ERROR) when there is no such field."""
    attribute, kind = _field(name)
    return Property(SYNONYMS.get(name, name), kind, getattr(md, attribute))


def write_descriptor(md: MQMD, name: str, value: bool | int | float | str | bytes | None) -> None:
    """Set the field from a property's value. Raises PropertyError. The caller decides on authority for a field."""
    attribute, kind = _field(name)
    setattr(md, attribute, check_value(value, kind))


def _field(name: str) -> tuple[str, int]:
    full = SYNONYMS.get(name, name)
    field = FIELDS.get(full[len(DESCRIPTOR_PREFIX) :]) if full.startswith(DESCRIPTOR_PREFIX) else None
    if field is None:
        raise PropertyError(f"{name!r} is not a field of the message descriptor", MQRC_PROPERTY_NAME_ERROR)
    return field
