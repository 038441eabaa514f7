"""An application that uses message handles: the calls of `App`, and those about properties.

app = PropertyApp(driver.qm)
hmsg = app.create()
assert app.set(hmsg, "color", "red") == 0
assert app.put_with(q, b"data", new=hmsg) == 0
"""

from __future__ import annotations

from flintmq.mqi.bmho import MQBMHO
from flintmq.mqi.cmho import MQCMHO
from flintmq.mqi.constants import (
    MQCMHO_DEFAULT_VALIDATION,
    MQGMO_NO_SYNCPOINT,
    MQGMO_SYNCPOINT,
    MQMHBO_PROPERTIES_IN_MQRFH2,
    MQPMO_NEW_MSG_ID,
    MQPMO_NO_SYNCPOINT,
    MQTYPE_AS_SET,
)
from flintmq.mqi.dmho import MQDMHO
from flintmq.mqi.dmpo import MQDMPO
from flintmq.mqi.gmo import MQGMO
from flintmq.mqi.impo import MQIMPO
from flintmq.mqi.md import MQMD
from flintmq.mqi.mhbo import MQMHBO
from flintmq.mqi.pd import MQPD
from flintmq.mqi.pmo import MQPMO
from flintmq.mqi.property_values import Value
from flintmq.qmgr import message_handle
from flintmq.qmgr.calls import Calls
from flintmq.qmgr.connection import Handle
from flintmq.qmgr.message_handle import PropertyInquiry
from tests.qmgr.driver import App


class PropertyApp(App):
    """An application with message handles. `impo`, `pd` and `inquiry` are of the last `inquire`."""

    def __init__(self, qm: Calls, name: str = "app", user: str = "user") -> None:
        super().__init__(qm, name, user)
        self.impo = MQIMPO()
        self.pd = MQPD()
        self.inquiry = PropertyInquiry()

    def create(self, options: int = MQCMHO_DEFAULT_VALIDATION, unassociated: bool = False) -> int:
        """The number of a new handle, or 0 if there is none."""
        cmho = MQCMHO()
        cmho.options = options
        handle = message_handle.create(self.qm, self.connection, cmho, unassociated)
        return 0 if handle is None else handle.number

    def delete(self, hmsg: int, options: int = 0) -> int:
        dmho = MQDMHO()
        dmho.options = options
        return message_handle.delete(self.qm, self.connection, hmsg, dmho)

    def set(
        self, hmsg: int, name: str, value: Value, kind: int = MQTYPE_AS_SET, pd: MQPD | None = None, options: int = 0
    ) -> int:
        return message_handle.set_value(self.qm, self.connection, hmsg, options, name, pd, kind, value)

    def inquire(
        self,
        hmsg: int,
        name: str = "%",
        options: int = 0,
        kind: int = MQTYPE_AS_SET,
        value_length: int = -1,
        name_length: int = -1,
        encoding: int = 546,
        ccsid: int = 1208,
    ) -> int:
        self.impo = MQIMPO()
        self.impo.options = options
        self.impo.requested_encoding, self.impo.requested_ccsid = encoding, ccsid
        self.pd = MQPD()
        self.inquiry = PropertyInquiry()
        return message_handle.inquire(
            self.qm,
            self.connection,
            hmsg,
            self.impo,
            name,
            self.pd,
            kind,
            self.inquiry,
            value_length,
            name_length,
        )

    def value(self, hmsg: int, name: str) -> Value:
        """The value of a property that is there."""
        assert self.inquire(hmsg, name) == 0, (name, self.connection.reason)
        return self.inquiry.value

    def remove(self, hmsg: int, name: str, options: int = 0) -> int:
        dmpo = MQDMPO()
        dmpo.options = options
        return message_handle.delete_property(self.qm, self.connection, hmsg, dmpo, name)

    def held(self, hmsg: int) -> dict[str, Value]:
        """All properties of a handle."""
        handle = message_handle.find(self.qm, self.connection, hmsg)
        assert handle is not None
        return {item.name: item.value for item in handle.properties.items if item.hidden is None}

    def from_buffer(self, hmsg: int, md: MQMD, data: bytes, options: int = 1) -> int:
        bmho = MQBMHO()
        bmho.options = options
        return message_handle.from_buffer(self.qm, self.connection, hmsg, bmho, md, data)

    def to_buffer(
        self,
        hmsg: int,
        name: str = "%",
        md: MQMD | None = None,
        options: int = MQMHBO_PROPERTIES_IN_MQRFH2,
        room: int = -1,
    ) -> int:
        mhbo = MQMHBO()
        mhbo.options = options
        return message_handle.to_buffer(self.qm, self.connection, hmsg, mhbo, name, md or MQMD(), room)

    def put_with(
        self,
        handle: Handle,
        data: bytes = b"data",
        new: int = 0,
        original: int = 0,
        action: int = 0,
        md: MQMD | None = None,
        options: int = 0,
        context: int = 0,
    ) -> int:
        pmo = MQPMO()
        pmo.version = 3
        pmo.options = options | MQPMO_NO_SYNCPOINT | MQPMO_NEW_MSG_ID
        pmo.context = context
        pmo.original_msg_handle, pmo.new_msg_handle, pmo.action = original, new, action
        self.md = md or MQMD()
        return self.qm.put(self.connection, handle, self.md, pmo, data)

    def get_with(
        self, handle: Handle, hmsg: int = 0, options: int = 0, max_length: int = -1, md: MQMD | None = None
    ) -> int:
        self.md = md or MQMD()
        self.gmo = MQGMO()
        self.gmo.version = 4
        self.gmo.options = options | (0 if options & (0xC70 | MQGMO_SYNCPOINT) else MQGMO_NO_SYNCPOINT)
        self.gmo.msg_handle = hmsg
        return self.qm.get(self.connection, handle, self.md, self.gmo, max_length)
