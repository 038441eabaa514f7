"""Exceptions of pymqi.

    Error           all of them
    ├── MQMIError   a call of the MQI ended with a warning or failed: `comp`, `reason`, and the additions of the call
    └── PYIFError   the call was not made: not connected, not open, a header that cannot be read

`str(error)` of an MQMIError is the text that log scrapers look for: "MQI Error. Comp: 2, Reason 2033: FAILED:
MQRC_NO_MSG_...".
"""

from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Final

from flintmq.mqi.reason import MQCC_OK, MQCC_WARNING, MQRC_NONE
from flintmq.pymqi import CMQC, CMQCFC

#: Of two names for one number, these.
_PREFERRED: Final = ("MQRC_PAGESET_FULL", "MQRCCF_MODE_VALUE_ERROR", "MQRCCF_ADDRESS_ERROR")


class _MQConst2String:
    """Number to name, for the constants of a module that begin with a prefix."""

    def __init__(self, module: ModuleType, prefix: str) -> None:
        self._module = module
        self._prefix = prefix
        self._names: dict[Any, str] = {}

    def _build(self) -> dict[Any, str]:
        if not self._names:
            names: dict[Any, str] = {}
            for name, value in vars(self._module).items():
                if not name.startswith(self._prefix) or name.endswith("_LAST_USED"):
                    continue
                if names.get(value) not in _PREFERRED:
                    names[value] = name
            self._names = names
        return self._names

    def __getitem__(self, code: Any) -> str:
        return self._build()[code]

    def __contains__(self, key: object) -> bool:
        return key in self._build()

    def has_key(self, key: object) -> bool:
        """The same as `in`."""
        return key in self


class Error(Exception):
    """Root of the exceptions here."""


class MQMIError(Error):
    """A call of the MQI ended with a warning, or failed."""

    errStringDicts: ClassVar[Any] = (_MQConst2String(CMQC, "MQRC_"), _MQConst2String(CMQCFC, "MQRCCF_"))
    comp: int = MQCC_OK
    reason: int = MQRC_NONE

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, comp: int, reason: int, **kw: Any) -> None:
        super().__init__(comp, reason)
        self.comp, self.reason = comp, reason
        for name, value in kw.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return f"MQI Error. Comp: {self.comp}, Reason {self.reason}: {self.errorAsString()}"

    def errorAsString(self) -> str:
        """The reason by name, behind WARNING or FAILED."""
        if self.comp == MQCC_OK:
            return "OK"
        prefix = "WARNING: " if self.comp == MQCC_WARNING else "FAILED: "
        for names in self.errStringDicts:
            if self.reason in names:
                return str(prefix + names[self.reason])
        return f"{prefix}Error code {self.reason} not defined"


class PYIFError(Error):
    """The call was not made; `error` says why."""

    def __init__(self, e: object) -> None:
        super().__init__(e)
        self.error = e

    def __str__(self) -> str:
        return f"PYMQI Error: {self.error}"
