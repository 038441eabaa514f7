"""The domains MQPCF and MQADMIN: PCF messages as trees (BA 2.3, 17), and the constants of MQ for ESQL.

    MQPCF
      Type StrucLength Version Command MsgSeqNumber Control CompCode Reason ParameterCount
      Parameter        value = identifier; one child without name: INTEGER, CHARACTER or BLOB
      ParameterList    value = identifier; children without names: INTEGER or CHARACTER
      ParameterGroup   value = identifier; parameters as children
      ParameterFilter  value = identifier; Operator, and one child without name

    SET OutputRoot.MQPCF.Command = MQCMD_INQUIRE_Q;
    SET OutputRoot.MQPCF.Parameter[1] = MQCA_Q_NAME;
    SET OutputRoot.MQPCF.Parameter[1].* = 'ORDERS.*';

The message is read at the first touch. On the way back the types of the values choose the structures (an INTEGER of
more than 32 bits is MQCFIN64); unchanged parameters are written from the input. StrucLength and ParameterCount are
computed, whatever the tree says. Strings keep their trailing blanks.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, final

from flintmq.broker.errors import BrokerError, parser_error
from flintmq.broker.formats.registry import Context, register
from flintmq.broker.tree.element import Element, Source
from flintmq.broker.tree.header_fields import HEADER_READ, HEADER_WRITE, integer_field
from flintmq.broker.tree.types import NAME, NAME_VALUE, VALUE
from flintmq.mqi import channel_constants, constants, pcf_constants
from flintmq.mqi import reason as reasons
from flintmq.mqi.errors import StructureError
from flintmq.mqi.pcf import (
    MQCFBF,
    MQCFBS,
    MQCFGR,
    MQCFIF,
    MQCFIL,
    MQCFIL64,
    MQCFIN,
    MQCFIN64,
    MQCFSF,
    MQCFSL,
    MQCFST,
    NESTING_MAX,
    SIZE,
    PCFMessage,
    parse,
)
from flintmq.mqi.pcf_parameters import Parameter

_HEADER: Final = {
    "Type": "type",
    "Version": "version",
    "Command": "command",
    "MsgSeqNumber": "msg_seq_number",
    "Control": "control",
    "CompCode": "comp_code",
    "Reason": "reason",
}
_COMPUTED: Final = ("StrucLength", "ParameterCount")
_INT_MAX: Final = 2**31 - 1
_INT_MIN: Final = -(2**31)


@final
class PcfSource(Source):
    """The bytes of a PCF message. The entry of a parameter is its number, from 1."""

    def __init__(self, body: bytes, encoding: int, ccsid: int) -> None:
        super().__init__("MQPCF")
        self.body: Final = body
        self.encoding: Final = encoding
        self.ccsid: Final = ccsid
        self._message: PCFMessage | None = None

    def message(self) -> PCFMessage:
        """Return the message, read once. Raises BIP 6118."""
        if self._message is None:
            try:
                self._message = parse(self.body, 0, self.encoding & 0xF == 1, self.ccsid)
            except StructureError as error:
                raise parser_error(HEADER_READ, "MQPCF", text=f"the PCF message cannot be read: {error.text}") from None
        return self._message

    def more(self, element: Element) -> None:
        """Append the header's leaves and all parameters to the folder, or the values of a parameter to its element."""
        message = self.message()
        if element.entry > 0:
            _fill(element, message.parameters[element.entry - 1])
            element.pending = False
            return
        header = message.header
        for name, value in (
            ("Type", header.type),
            ("StrucLength", SIZE),
            ("Version", header.version),
            ("Command", header.command),
            ("MsgSeqNumber", header.msg_seq_number),
            ("Control", header.control),
            ("CompCode", header.comp_code),
            ("Reason", header.reason),
            ("ParameterCount", header.parameter_count),
        ):
            element.append_built(_built(Element(name, value, NAME_VALUE)))
        for number, parameter in enumerate(message.parameters):
            made = _empty_element(parameter)
            made.source = self
            made.entry = number + 1
            made.pending = True
            element.append_built(made)
        element.pending = False


def _built(element: Element) -> Element:
    """Return an element that agrees with its source."""
    element.changed = False
    return element


def _empty_element(parameter: Parameter) -> Element:
    """Return the element of a parameter without its values."""
    if isinstance(parameter, MQCFGR):
        return _built(Element("ParameterGroup", parameter.parameter, NAME))
    name = "Parameter"
    if isinstance(parameter, (MQCFIL, MQCFIL64, MQCFSL)):
        name = "ParameterList"
    elif isinstance(parameter, (MQCFIF, MQCFSF, MQCFBF)):
        name = "ParameterFilter"
    return _built(Element(name, parameter.parameter, NAME_VALUE))


def _fill(element: Element, parameter: Parameter) -> None:
    """Append the values or members of a parameter. The reader bounds the nesting of groups, so this recurses."""
    values: list[object] = []
    if isinstance(parameter, MQCFGR):
        for member in parameter.parameters:
            made = _empty_element(member)
            _fill(made, member)
            element.append_built(made)
    elif isinstance(parameter, (MQCFIN, MQCFIN64)):
        values = [parameter.value]
    elif isinstance(parameter, (MQCFST, MQCFBS)):
        values = [parameter.string]
    elif isinstance(parameter, (MQCFIL, MQCFIL64)):
        values = list(parameter.values)
    elif isinstance(parameter, MQCFSL):
        values = list(parameter.strings)
    else:
        assert isinstance(parameter, (MQCFIF, MQCFSF, MQCFBF))
        element.append_built(_built(Element("Operator", parameter.operator, NAME_VALUE)))
        values = [parameter.filter_value]
    for value in values:
        element.append_built(_built(Element("", value, VALUE)))


class PcfFormat:
    """PCF messages. Stateless."""

    domain = "MQPCF"

    def parse(self, body: bytes, context: Context) -> Element:
        """Return the folder of a message; it is read when it is touched."""
        folder = Element("MQPCF", None, NAME)
        folder.domain = "MQPCF"
        folder.source = PcfSource(body, context.encoding, context.ccsid or 1208)
        folder.pending = True
        folder.changed = False
        return folder

    def write(self, body: Element, context: Context) -> bytes:
        """Return the bytes of a message. Raises BIP 6119."""
        ccsid = context.ccsid or 1208
        source = body.source
        if not body.changed and isinstance(source, PcfSource):
            if source.encoding & 0xF == context.encoding & 0xF and source.ccsid == ccsid:
                return source.body
            return _packed(source.message(), context.encoding, ccsid)
        message = PCFMessage()
        for child in body.children():
            attribute = _HEADER.get(child.name)
            if attribute is not None:
                if child.value is not None:
                    setattr(message.header, attribute, integer_field(child.value, "MQPCF", child.name))
            elif child.name not in _COMPUTED:
                message.parameters.append(_parameter_of(child, 0))
        packed = _packed(message, context.encoding, ccsid)
        if isinstance(source, PcfSource):
            # Whatever followed the parameters stays.
            packed += source.body[source.message().end :]
        return packed


def _packed(message: PCFMessage, encoding: int, ccsid: int) -> bytes:
    """Return the bytes of a message. Raises BIP 6119."""
    try:
        return message.pack(encoding & 0xF == 1, ccsid)
    except StructureError as error:
        raise parser_error(HEADER_WRITE, "MQPCF", error.text, text=f"MQPCF cannot be written: {error.text}") from None


def _parameter_of(element: Element, depth: int) -> Parameter:
    """Return the parameter that an element tells. Raises BIP 6119."""
    source = element.source
    if not element.changed and isinstance(source, PcfSource) and element.entry > 0:
        return source.message().parameters[element.entry - 1]
    name = element.name
    if name not in ("Parameter", "ParameterList", "ParameterGroup", "ParameterFilter"):
        raise _write_error(name, "this is no field of MQCFH and no parameter; use Parameter, ParameterList")
    if element.value is None:
        raise _write_error(name, "it has no identifier; assign one (MQCA_..., MQIA_...) to the element itself")
    identifier = integer_field(element.value, "MQPCF", name)
    if name == "ParameterGroup":
        if depth >= NESTING_MAX:
            raise _write_error(name, f"groups are nested more than {NESTING_MAX} deep")
        return MQCFGR(identifier, [_parameter_of(member, depth + 1) for member in element.children()])
    values: list[object] = []
    operator = 0
    for child in element.children():
        if name == "ParameterFilter" and child.name == "Operator":
            operator = integer_field(child.value, "MQPCF", "Operator")
        else:
            values.append(int(child.value) if isinstance(child.value, bool) else child.value)
    if name == "ParameterList":
        return _list_of(identifier, values)
    if len(values) != 1:
        raise _write_error(name, f"parameter {identifier} has {len(values)} values; it takes one, or use ParameterList")
    if name == "ParameterFilter":
        return _filter_of(identifier, operator, values[0])
    value = values[0]
    if isinstance(value, str):
        return MQCFST(identifier, value)
    if isinstance(value, bytes):
        return MQCFBS(identifier, value)
    if isinstance(value, int):
        return MQCFIN(identifier, value) if _INT_MIN <= value <= _INT_MAX else MQCFIN64(identifier, value)
    return MQCFIN(identifier, _number(value, identifier))


def _list_of(identifier: int, values: list[object]) -> Parameter:
    """Return a list of strings if all values are strings, otherwise a list of numbers."""
    strings = [value for value in values if isinstance(value, str)]
    if strings:
        if len(strings) != len(values):
            raise _write_error("ParameterList", f"list {identifier} mixes CHARACTER with other types")
        return MQCFSL(identifier, strings)
    numbers = [value if isinstance(value, int) else _number(value, identifier) for value in values]
    if all(_INT_MIN <= number <= _INT_MAX for number in numbers):
        return MQCFIL(identifier, numbers)
    return MQCFIL64(identifier, numbers)


def _filter_of(identifier: int, operator: int, value: object) -> Parameter:
    """Return the filter for the type of a value."""
    if isinstance(value, str):
        return MQCFSF(identifier, operator, value)
    if isinstance(value, bytes):
        return MQCFBF(identifier, operator, value)
    return MQCFIF(identifier, operator, _number(value, identifier))


def _number(value: object, identifier: int) -> int:
    """Return a value as a number of 32 bits; NULL has none."""
    if value is None:
        raise _write_error("Parameter", f"parameter {identifier} is NULL; assign a value")
    return integer_field(value, "MQPCF", f"parameter {identifier}")


def _write_error(name: str, reason: str) -> BrokerError:
    """Return BIP 6119 for an element of a PCF message."""
    return parser_error(HEADER_WRITE, "MQPCF", name, reason, text=f"MQPCF.{name}: {reason}")


@cache
def mq_constants() -> Mapping[str, int | str | bytes]:
    """Return all constants of MQ by name, as ESQL sees them: formats have 8 characters, structure identifiers 4."""
    found: dict[str, int | str | bytes] = {}
    for module in (constants, pcf_constants, channel_constants, reasons):
        for name, value in vars(module).items():
            if not name.startswith("MQ") or "_" not in name or not isinstance(value, (int, str, bytes)):
                continue
            if isinstance(value, str):
                if name.startswith("MQFMT_"):
                    value = value.ljust(8)
                elif name.endswith("_STRUC_ID"):
                    value = value.ljust(4)
            found[name] = value
    return MappingProxyType(found)


_FORMAT: Final = PcfFormat()
register("MQPCF", _FORMAT)
register("MQADMIN", _FORMAT)
