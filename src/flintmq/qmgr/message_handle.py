"""Message handles: MQCRTMH, MQDLTMH, MQSETMP, MQINQMP, MQDLTMP, MQBUFMH, MQMHBUF.

A message handle holds the properties of a message that is not on a queue: one that an application is about to put, or
has got. It belongs to the connection that made it and ends with it, or to nobody (MQHC_UNASSOCIATED_HCONN): then any
connection may use it, and it lives until it is deleted.

    properties    folders and their properties, with the cursor that MQINQMP moves (mqi/properties.py)
    md, known     the message descriptor: Root.MQMD.MsgId ...; `known` names the fields that have been set or got

    H1  A handle that a waiting get will fill is in use: no other call takes it (2499).
    H2  A call that fails has changed nothing, but for the cursor of an inquiry whose buffer was too small (2465, 2469),
        so that the same property can be asked for again.

What can be wrong, in the order of checking:

    the connection (2018, 2500)   the handle (2460, 2499)   the options (2046)   the name (2513, 2442)   the rest
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flintmq.mqi import property_headers
from flintmq.mqi.bmho import MQBMHO
from flintmq.mqi.cmho import MQCMHO
from flintmq.mqi.constants import (
    MQBMHO_DELETE_PROPERTIES,
    MQCCSI_APPL,
    MQCCSI_Q_MGR,
    MQCMHO_NO_VALIDATION,
    MQCMHO_VALIDATE,
    MQDMPO_DEL_PROP_UNDER_CURSOR,
    MQENC_NATIVE,
    MQFMT_RF_HEADER_2,
    MQIMPO_CONVERT_TYPE,
    MQIMPO_CONVERT_VALUE,
    MQIMPO_INQ_NEXT,
    MQIMPO_INQ_PROP_UNDER_CURSOR,
    MQIMPO_QUERY_LENGTH,
    MQMHBO_DELETE_PROPERTIES,
    MQMHBO_PROPERTIES_IN_MQRFH2,
    MQSMPO_APPEND_PROPERTY,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQTYPE_AS_SET,
    MQTYPE_STRING,
)
from flintmq.mqi.dmho import MQDMHO
from flintmq.mqi.dmpo import MQDMPO
from flintmq.mqi.errors import MQStructuresError, PropertyError, StructureError
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.md import FIELDS as MD_FIELDS
from flintmq.mqi.md import MQMD
from flintmq.mqi.md_properties import FIELDS as DESCRIPTOR_FIELDS
from flintmq.mqi.md_properties import is_descriptor_name, read_descriptor, write_descriptor
from flintmq.mqi.message_properties import RulesHeader, block_of, collect_headers
from flintmq.mqi.mhbo import MQMHBO
from flintmq.mqi.pd import MQPD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.properties import MessageProperties, Property, matches
from flintmq.mqi.property_names import (
    DESCRIPTOR_PREFIX,
    NAME_LENGTH_MAX,
    SYNONYMS,
    canonical,
    check_name,
    is_identifier,
)
from flintmq.mqi.property_values import Value, check_value, convert_value, pack_value, unpack_value
from flintmq.mqi.reason import (
    MQRC_HANDLE_NOT_AVAILABLE,
    MQRC_HMSG_ERROR,
    MQRC_MSG_HANDLE_IN_USE,
    MQRC_NONE,
    MQRC_OPTIONS_ERROR,
    MQRC_PROP_TYPE_NOT_SUPPORTED,
    MQRC_PROP_VALUE_NOT_CONVERTED,
    MQRC_PROPERTY_NAME_ERROR,
    MQRC_PROPERTY_NAME_LENGTH_ERR,
    MQRC_PROPERTY_NAME_TOO_BIG,
    MQRC_PROPERTY_NOT_AVAILABLE,
    MQRC_PROPERTY_VALUE_TOO_BIG,
)
from flintmq.mqi.smpo import MQSMPO
from flintmq.qmgr.connection import Connection
from flintmq.qmgr.unit_of_work import fail, not_usable, succeed, warn

if TYPE_CHECKING:
    from flintmq.qmgr.queue_manager import QueueManager

_CURSOR_PLACES: Final = (
    0,
    MQSMPO_SET_PROP_UNDER_CURSOR,
    MQSMPO_SET_PROP_AFTER_CURSOR,
    MQSMPO_SET_PROP_BEFORE_CURSOR,
    MQSMPO_APPEND_PROPERTY,
)
_INQUIRY_PLACE: Final = MQIMPO_INQ_NEXT | MQIMPO_INQ_PROP_UNDER_CURSOR
_INQUIRY_OPTIONS: Final = _INQUIRY_PLACE | MQIMPO_CONVERT_TYPE | MQIMPO_QUERY_LENGTH | MQIMPO_CONVERT_VALUE
_BUFFER_OPTIONS: Final = MQMHBO_PROPERTIES_IN_MQRFH2 | MQMHBO_DELETE_PROPERTIES
_UTF8: Final = 1208
_TYPE_STRING_LENGTH: Final = 8
_NO_LIMIT: Final = -1


class MessageHandle:
    """One MQCRTMH."""

    #: How many waiting gets will fill it (H1).
    in_use: int = 0

    def __init__(self, number: int, validate: bool) -> None:
        self.number = number
        #: Names are checked when properties are set, else when the message is put.
        self.validate = validate
        self.properties: MessageProperties = MessageProperties()
        self.md = MQMD()
        self.md.version = 2
        #: The fields of `md` that have been set or got, by the name of the attribute.
        self.known: set[str] = set()

    def take(self, properties: MessageProperties, md: MQMD) -> None:
        """Hold another message from now on: what it held before is gone, and so is the cursor."""
        self.properties = properties
        md.copy_to(self.md)
        self.md.version = 2
        self.known = set(MD_FIELDS)


class Inquiry:
    """What MQINQMP returns beside the MQIMPO and the MQPD."""

    kind: int = MQTYPE_AS_SET
    #: As much of the value as there was room for, and its whole length.
    data: bytes = b""
    data_length: int = 0
    #: The same as a Python value, not converted to any encoding.
    value: Value = None


# -- the handles -------------------------------------------------------------------------------------------------------


def create(qm: QueueManager, connection: Connection, cmho: MQCMHO, unassociated: bool = False) -> MessageHandle | None:
    """MQCRTMH. The handle, or None with the reason in the connection."""
    connection.force = 0
    if not connection.usable:
        fail(connection, not_usable(connection))
        return None
    options = cmho.options
    if options & ~(MQCMHO_VALIDATE | MQCMHO_NO_VALIDATION) or options == MQCMHO_VALIDATE | MQCMHO_NO_VALIDATION:
        fail(connection, MQRC_OPTIONS_ERROR)
        return None
    holder = qm.message_handles if unassociated else connection.message_handles
    if len(holder) >= qm.max_handles:
        fail(connection, MQRC_HANDLE_NOT_AVAILABLE)
        return None
    handle = make(qm, holder, options != MQCMHO_NO_VALIDATION)
    succeed(connection)
    return handle


def make(qm: QueueManager, holder: dict[int, MessageHandle], validate: bool = True) -> MessageHandle:
    """A new handle, entered in `holder`."""
    qm.next_message_handle += 1
    handle = MessageHandle(qm.next_message_handle, validate)
    holder[handle.number] = handle
    return handle


def lend(qm: QueueManager, connection: Connection, pmo: MQPMO, properties: MessageProperties) -> None:
    """A handle for one put by a host that has the properties at hand; it takes the handle back itself."""
    handle = make(qm, connection.message_handles)
    handle.properties = properties
    pmo.version = 3
    pmo.new_msg_handle = handle.number


def delete(qm: QueueManager, connection: Connection, number: int, dmho: MQDMHO) -> int:
    """MQDLTMH."""
    connection.force = 0
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    if dmho.options:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if connection.message_handles.pop(number, None) is None:
        del qm.message_handles[number]
    return succeed(connection)


def find(qm: QueueManager, connection: Connection, number: int) -> MessageHandle | None:
    """The handle of this number that the connection may use, in use or not."""
    handle = connection.message_handles.get(number)
    return handle if handle is not None else qm.message_handles.get(number)


def check(qm: QueueManager, connection: Connection, number: int) -> int:
    """Why a call cannot be made with this handle, or MQRC_NONE."""
    if not connection.usable:
        return not_usable(connection)
    handle = find(qm, connection, number)
    if handle is None:
        return MQRC_HMSG_ERROR
    return MQRC_MSG_HANDLE_IN_USE if handle.in_use else MQRC_NONE


# -- the properties ----------------------------------------------------------------------------------------------------


def set_property(
    qm: QueueManager,
    connection: Connection,
    number: int,
    smpo: MQSMPO,
    name: str,
    pd: MQPD,
    kind: int,
    data: bytes,
) -> int:
    """MQSETMP, the value in a buffer, in the encoding and the character set that `smpo` names."""
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    try:
        value = unpack_value(data, kind, smpo.value_encoding, character_set(qm, smpo.value_ccsid))
    except PropertyError as error:
        return fail(connection, error.reason)
    return set_value(qm, connection, number, smpo.options, name, pd, kind, value)


def set_value(
    qm: QueueManager,
    connection: Connection,
    number: int,
    options: int,
    name: str,
    pd: MQPD | None,
    kind: int,
    value: Value,
) -> int:
    """MQSETMP, the value as one of Python; with MQTYPE_AS_SET its type follows from it."""
    connection.force = 0
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    handle = find(qm, connection, number)
    assert handle is not None
    if options not in _CURSOR_PLACES:
        return fail(connection, MQRC_OPTIONS_ERROR)
    reason = _check_length(name)
    if reason:
        return fail(connection, reason)
    try:
        if is_descriptor_name(name):
            _set_field(handle, name, value, kind)
        else:
            handle.properties.set(name, value, kind, pd, options, handle.validate)
    except MQStructuresError as error:
        return fail(connection, error.reason)
    return succeed(connection)


def _set_field(handle: MessageHandle, name: str, value: Value, kind: int) -> None:
    """Root.MQMD.*: a field of the message descriptor. Raises MQStructuresError."""
    check_name(name)
    attribute, field_kind = DESCRIPTOR_FIELDS.get(name[len(DESCRIPTOR_PREFIX) :], ("", 0))
    if not attribute:
        raise PropertyError(f"{name!r} is not a field of the message descriptor", MQRC_PROPERTY_NAME_ERROR)
    if kind != MQTYPE_AS_SET and kind != field_kind:
        value = convert_value(check_value(value, kind), kind, field_kind)
    md = handle.md.copy()
    write_descriptor(md, name, value)
    try:
        md = MQMD.unpack(md.pack(False, _UTF8), 0, False, _UTF8)
    except StructureError:
        raise PropertyError(f"the value of {name!r} is too long", MQRC_PROPERTY_VALUE_TOO_BIG) from None
    md.copy_to(handle.md)
    handle.known.add(attribute)


def inquire(
    qm: QueueManager,
    connection: Connection,
    number: int,
    impo: MQIMPO,
    name: str,
    pd: MQPD,
    kind: int,
    answer: Inquiry,
    value_length: int = _NO_LIMIT,
    name_length: int = _NO_LIMIT,
) -> int:
    """MQINQMP. `value_length` and `name_length` are the lengths of the buffers for both, -1 if they take any length."""
    connection.force = 0
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    options = impo.options
    if options & ~_INQUIRY_OPTIONS or options & _INQUIRY_PLACE == _INQUIRY_PLACE:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if not options & MQIMPO_INQ_PROP_UNDER_CURSOR:
        reason = _check_length(name) or _check_wanted(name)
        if reason:
            return fail(connection, reason)
    handle = find(qm, connection, number)
    assert handle is not None
    try:
        found = _found(handle, name, options)
        value = found.value
        answer.kind = found.type
        if options & MQIMPO_CONVERT_TYPE:
            value = convert_value(value, found.type, kind)
            answer.kind = found.type if kind == MQTYPE_AS_SET else kind
    except PropertyError as error:
        return fail(connection, error.reason)
    answer.value = value
    _describe(found, impo, pd)
    reason = _return_value(qm, impo, answer)
    if name_length >= 0 and len(impo.returned_name.encode("utf-8", "replace")) > name_length:
        answer.data = b""
        return fail(connection, MQRC_PROPERTY_NAME_TOO_BIG)
    if options & MQIMPO_QUERY_LENGTH:
        answer.data = b""
    elif value_length >= 0 and answer.data_length > value_length:
        answer.data = answer.data[:value_length]
        return fail(connection, MQRC_PROPERTY_VALUE_TOO_BIG)
    if not reason and found.type_string:
        reason = MQRC_PROP_TYPE_NOT_SUPPORTED
    return warn(connection, reason) if reason else succeed(connection)


def _found(handle: MessageHandle, name: str, options: int) -> Property:
    """The property that an inquiry is about. Raises PropertyError (2471)."""
    if is_descriptor_name(name) and not options & MQIMPO_INQ_PROP_UNDER_CURSOR:
        full = SYNONYMS.get(name, name)
        attribute, _ = DESCRIPTOR_FIELDS.get(full[len(DESCRIPTOR_PREFIX) :], ("", 0))
        if attribute not in handle.known or options & MQIMPO_INQ_NEXT:
            raise PropertyError(f"{name!r} has not been set", MQRC_PROPERTY_NOT_AVAILABLE)
        return read_descriptor(handle.md, name)
    return handle.properties.inquire(name, options & _INQUIRY_PLACE)


def _describe(found: Property, impo: MQIMPO, pd: MQPD) -> None:
    """What the property is, for the application."""
    impo.returned_name = found.name
    impo.type_string = found.type_string[:_TYPE_STRING_LENGTH]
    pd.support = found.support
    pd.context = found.context
    pd.copy_options = found.copy_options
    if found.name.startswith(DESCRIPTOR_PREFIX):
        pd.copy_options = 0  # MQCOPY_NONE, always.


def _return_value(qm: QueueManager, impo: MQIMPO, answer: Inquiry) -> int:
    """Write the value as it was asked for; a value that cannot be written so is written our way, with 2466."""
    encoding, ccsid = MQENC_NATIVE, _UTF8
    reason = MQRC_NONE
    if impo.options & MQIMPO_CONVERT_VALUE:
        encoding, ccsid = impo.requested_encoding, character_set(qm, impo.requested_ccsid)
    try:
        answer.data = pack_value(answer.value, answer.kind, encoding, ccsid)
    except PropertyError:
        encoding, ccsid = MQENC_NATIVE, _UTF8
        answer.data = pack_value(answer.value, answer.kind, encoding, ccsid)
        reason = MQRC_PROP_VALUE_NOT_CONVERTED
    answer.data_length = len(answer.data)
    impo.returned_encoding = encoding
    impo.returned_ccsid = ccsid if answer.kind == MQTYPE_STRING else 0
    return reason


def delete_property(qm: QueueManager, connection: Connection, number: int, dmpo: MQDMPO, name: str) -> int:
    """MQDLTMP. A property that is not there is a warning, 2471; with a cursor that is nowhere the call fails."""
    connection.force = 0
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    handle = find(qm, connection, number)
    assert handle is not None
    if dmpo.options & ~MQDMPO_DEL_PROP_UNDER_CURSOR:
        return fail(connection, MQRC_OPTIONS_ERROR)
    if not dmpo.options:
        reason = _check_length(name)
        if not reason and name.endswith("%"):
            reason = MQRC_PROPERTY_NAME_ERROR
        reason = reason or _check_wanted(name)
        if reason:
            return fail(connection, reason)
    if not dmpo.options and is_descriptor_name(name):
        full = SYNONYMS.get(name, name)
        attribute, _ = DESCRIPTOR_FIELDS.get(full[len(DESCRIPTOR_PREFIX) :], ("", 0))
        if attribute not in handle.known:
            return warn(connection, MQRC_PROPERTY_NOT_AVAILABLE)
        write_descriptor(handle.md, name, read_descriptor(MQMD(), name).value)
        handle.known.discard(attribute)
        return succeed(connection)
    try:
        handle.properties.delete(name, dmpo.options)
    except PropertyError as error:
        return fail(connection, error.reason) if dmpo.options else warn(connection, error.reason)
    return succeed(connection)


# -- buffers -----------------------------------------------------------------------------------------------------------


def from_buffer(qm: QueueManager, connection: Connection, number: int, bmho: MQBMHO, md: MQMD, buffer: bytes) -> int:
    """MQBUFMH: a message in a buffer becomes one in a handle. The data, without its properties, is in the connection.

    Folders that are not well formed fail the call (2334, 2421); the handle and the buffer are as they were.
    """
    connection.force = 0
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    handle = find(qm, connection, number)
    assert handle is not None
    if bmho.options & ~MQBMHO_DELETE_PROPERTIES:
        return fail(connection, MQRC_OPTIONS_ERROR)
    body = property_headers.Body(md.encoding, md.coded_char_set_id or qm.ccsid, md.format, buffer)
    found: list[RulesHeader] = []
    try:
        collect_headers(found, body.format, body.encoding, body.ccsid, buffer)
    except StructureError as error:
        return fail(connection, error.reason)
    properties = MessageProperties()
    for header in found:
        properties.items.extend(header.properties.items)
    if bmho.options & MQBMHO_DELETE_PROPERTIES and properties.items:
        property_headers.strip(body, found)
        body.describe_in(md)
    handle.take(properties, md)
    connection.data = body.data
    connection.data_length = len(body.data)
    return succeed(connection)


def to_buffer(
    qm: QueueManager,
    connection: Connection,
    number: int,
    mhbo: MQMHBO,
    name: str,
    md: MQMD,
    buffer_length: int = _NO_LIMIT,
) -> int:
    """MQMHBUF: the properties that `name` means as an MQRFH2, which is left in the connection.

    What `md` describes before is what the header says about the data behind it; afterwards `md` describes the header.
    """
    connection.force = 0
    reason = check(qm, connection, number)
    if reason:
        return fail(connection, reason)
    handle = find(qm, connection, number)
    assert handle is not None
    if mhbo.options & ~_BUFFER_OPTIONS:
        return fail(connection, MQRC_OPTIONS_ERROR)
    reason = _check_length(name) or _check_wanted(name)
    if reason:
        return fail(connection, reason)
    chosen = MessageProperties()
    for item in handle.properties.items:
        if matches(name, item.name):
            chosen.items.append(item)
    if not len(chosen):
        connection.data = b""
        connection.data_length = 0
        return fail(connection, MQRC_PROPERTY_NOT_AVAILABLE)
    try:
        block = block_of(chosen, handle.validate)
        header = property_headers.header_for(block, md.encoding, md.coded_char_set_id or qm.ccsid, md.format, qm.ccsid)
    except MQStructuresError as error:
        return fail(connection, error.reason)
    connection.data_length = len(header)
    if 0 <= buffer_length < len(header):
        connection.data = b""
        return fail(connection, MQRC_PROPERTY_VALUE_TOO_BIG)
    connection.data = header
    md.encoding = MQENC_NATIVE
    md.coded_char_set_id = qm.ccsid
    md.format = MQFMT_RF_HEADER_2
    if mhbo.options & MQMHBO_DELETE_PROPERTIES:
        handle.properties.items = [item for item in handle.properties.items if item not in chosen.items]
        handle.properties.cursor = -1
    return succeed(connection)


# -- small things ------------------------------------------------------------------------------------------------------


def character_set(qm: QueueManager, ccsid: int) -> int:
    """The character set that MQCCSI_APPL and MQCCSI_Q_MGR stand for: applications in here speak UTF-8."""
    if ccsid == MQCCSI_APPL:
        return _UTF8
    return qm.ccsid if ccsid == MQCCSI_Q_MGR else ccsid


def _check_length(name: str) -> int:
    return MQRC_NONE if 0 < len(name) <= NAME_LENGTH_MAX else MQRC_PROPERTY_NAME_LENGTH_ERR


def _check_wanted(name: str) -> int:
    """Whether a property can have this name, which may end in %."""
    plain = name[:-1] if name.endswith("%") else name
    parts = canonical(plain).split(".")
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if not is_identifier(part) and not (last and not part and plain != name):
            return MQRC_PROPERTY_NAME_ERROR
    return MQRC_NONE
