"""The errors of this room. Both carry the reason code that the call which met them must return.

MQStructuresError
  StructureError    bytes that are not the structure they should be, or a value that has no place in it
  ConversionError   data that cannot be converted for MQGMO_CONVERT; the message is then returned as it was put
  PropertyError     a property name, value or folder that breaks the rules of message properties
"""

from flintmq.mqi.reason import MQRC_NOT_CONVERTED, MQRC_PROPERTY_NAME_ERROR, MQRC_UNEXPECTED_ERROR, reason_name


class MQStructuresError(Exception):
    """Base of the errors of this room. `reason` is the reason code, `text` has the mistake and its place."""

    def __init__(self, text: str, reason: int = MQRC_UNEXPECTED_ERROR) -> None:
        super().__init__(text)
        self.text = text
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.text} [{reason_name(self.reason)} {self.reason}]"


class StructureError(MQStructuresError):
    """Bytes or values that do not make the structure. The sender's fault, never ours."""


class ConversionError(MQStructuresError):
    """The data cannot be converted; nothing of it was changed."""

    def __init__(self, text: str, reason: int = MQRC_NOT_CONVERTED) -> None:
        super().__init__(text, reason)


class PropertyError(MQStructuresError):
    """A message property that cannot be set, read or found as asked."""

    def __init__(self, text: str, reason: int = MQRC_PROPERTY_NAME_ERROR) -> None:
        super().__init__(text, reason)
