"""Exceptions of ibmmq: pymqi's, with its own texts."""

from __future__ import annotations

from typing import Any, ClassVar

from flintmq.ibmmq import CMQSTRC
from flintmq.pymqi import errors


class Error(errors.Error):
    """Root of the exceptions here."""


class MQMIError(errors.MQMIError, Error):
    """A call of the MQI ended with a warning, or failed."""

    errStringDicts: ClassVar[Any] = (CMQSTRC.MQRC_DICT, CMQSTRC.MQRCCF_DICT)

    def __str__(self) -> str:
        return f"MQI Error. Comp {self.comp}, Reason {self.reason}: {self.error_as_string()}"

    def error_as_string(self) -> str:
        """The reason by name, behind WARNING or FAILED."""
        return errors.MQMIError.errorAsString(self)

    errorAsString = error_as_string

    def get(self, k: str) -> Any:
        """Return the addition of the call under this name."""
        return getattr(self, k)


class PYIFError(errors.PYIFError, Error):
    """The call was not made; `error` says why."""

    def __str__(self) -> str:
        return f"PYIBMMQ Error: {self.error}"
