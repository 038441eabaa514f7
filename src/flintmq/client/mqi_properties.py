"""The calls of the MQI about message handles: MQCRTMH, MQSETMP, MQINQMP ... A part of `qm.mqi`.

    hmsg = qm.mqi.crtmh()
    qm.mqi.setmp(hmsg, "color", "red")
    pmo = MQPMO()
    pmo.version, pmo.new_msg_handle = 3, hmsg
    qm.mqi.put(handle, md, pmo, b"data")

    gmo = MQGMO()
    gmo.version, gmo.msg_handle = 4, hmsg
    data = qm.mqi.get(handle, md, gmo)
    qm.mqi.inqmp(hmsg, "color").value       'red'
    qm.mqi.dltmh(hmsg)

A message handle is a number. Structures that are left away have MQ's initial values.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from operator import index
from typing import TYPE_CHECKING

from flintmq.client.lazy import lazy
from flintmq.mqi.constants import MQTYPE_AS_SET, MQTYPE_BYTE_STRING
from flintmq.mqi.md import MQMD
from flintmq.mqi.property_values import Value

if TYPE_CHECKING:
    from flintmq.mqi.bmho import MQBMHO
    from flintmq.mqi.cmho import MQCMHO
    from flintmq.mqi.dmho import MQDMHO
    from flintmq.mqi.dmpo import MQDMPO
    from flintmq.mqi.impo import MQIMPO
    from flintmq.mqi.mhbo import MQMHBO
    from flintmq.mqi.pd import MQPD
    from flintmq.mqi.smpo import MQSMPO
    from flintmq.qmgr import calls
    from flintmq.qmgr.calls import Calls as Engine
    from flintmq.qmgr.calls import PropertyInquiry
    from flintmq.qmgr.connection import Connection as EngineConnection
else:
    calls = lazy("flintmq.qmgr.calls")


class PropertyCalls:
    """The calls of `MQI` about message handles."""

    #: The engine that has the message handles, and the connection that owns them.
    _engine: Engine
    _holder: EngineConnection
    data_length: int

    def _calling(self) -> AbstractContextManager[object]:
        raise NotImplementedError

    def _end_call(self, name: str = "") -> int:
        raise NotImplementedError

    def crtmh(self, cmho: MQCMHO | None = None, unassociated: bool = False) -> int:
        """Create a message handle for MQPMO and MQGMO (MQCRTMH). With `unassociated` it outlives the connection."""
        from flintmq.mqi.cmho import MQCMHO

        options = cmho or MQCMHO()
        options.pack()
        with self._calling():
            made = self._engine.create_message_handle(self._holder, options, unassociated)
            self._end_call()
        assert made is not None
        return made.number

    def dltmh(self, hmsg: int, dmho: MQDMHO | None = None) -> None:
        """Delete a message handle (MQDLTMH)."""
        from flintmq.mqi.dmho import MQDMHO

        number = index(hmsg)
        options = dmho or MQDMHO()
        options.pack()
        with self._calling():
            self._engine.delete_message_handle(self._holder, number, options)
            self._end_call()

    def setmp(
        self,
        hmsg: int,
        name: str,
        value: Value,
        type: int = MQTYPE_AS_SET,
        pd: MQPD | None = None,
        smpo: MQSMPO | None = None,
    ) -> None:
        """Set a property (MQSETMP).

        The value is one of Python; without a type it is a string, an int32 or int64, a float64 ... Bytes with a type
        other than MQTYPE_BYTE_STRING are a value in a buffer, in the encoding and the character set that `smpo` names.
        """
        from flintmq.mqi.pd import MQPD
        from flintmq.mqi.smpo import MQSMPO

        _check_name(name)
        number, kind = index(hmsg), index(type)
        options, described = smpo or MQSMPO(), pd or MQPD()
        options.pack(), described.pack()
        engine, connection = self._engine, self._holder
        with self._calling():
            if isinstance(value, bytes) and kind not in (MQTYPE_AS_SET, MQTYPE_BYTE_STRING):
                engine.set_property(connection, number, options, name, described, kind, value)
            else:
                engine.set_property_value(connection, number, options.options, name, described, kind, value)
            self._end_call(name)

    def inqmp(
        self,
        hmsg: int,
        name: str = "%",
        impo: MQIMPO | None = None,
        pd: MQPD | None = None,
        type: int = MQTYPE_AS_SET,
        max_length: int = -1,
        name_length: int = -1,
    ) -> PropertyInquiry:
        """Inquire a property (MQINQMP): `value` is the Python value, `data` the buffer, `kind` the type.

        `impo` has the options and gets the name that was found. With a buffer that is too short (2469) the call fails,
        and `data_length` of this object is the length needed.
        """
        from flintmq.mqi.impo import MQIMPO
        from flintmq.mqi.pd import MQPD

        _check_name(name)
        number, kind = index(hmsg), index(type)
        room, name_room = index(max_length), index(name_length)
        options, described = impo or MQIMPO(), pd or MQPD()
        options.pack(), described.pack()
        answer = calls.PropertyInquiry()
        engine, connection = self._engine, self._holder
        with self._calling():
            engine.inquire_property(connection, number, options, name, described, kind, answer, room, name_room)
            self.data_length = answer.data_length
            self._end_call(name)
        return answer

    def dltmp(self, hmsg: int, name: str, dmpo: MQDMPO | None = None) -> None:
        """Delete a property (MQDLTMP). A property that is not there is a warning, 2471."""
        from flintmq.mqi.dmpo import MQDMPO

        _check_name(name)
        number = index(hmsg)
        options = dmpo or MQDMPO()
        options.pack()
        with self._calling():
            self._engine.delete_property(self._holder, number, options, name)
            self._end_call(name)

    def bufmh(self, hmsg: int, md: MQMD, data: bytes, bmho: MQBMHO | None = None) -> bytes:
        """Move the properties of the message in `data` to the handle (MQBUFMH). Return the data without them."""
        from flintmq.mqi.bmho import MQBMHO

        if not isinstance(data, bytes):
            raise TypeError(f"message data is bytes, not {type(data).__name__}")
        options = bmho or MQBMHO()
        options.pack(), md.pack()
        number = index(hmsg)
        connection = self._holder
        with self._calling():
            self._engine.buffer_to_message_handle(connection, number, options, md, data)
            self._end_call()
            self.data_length = connection.data_length
            return connection.data

    def mhbuf(
        self, hmsg: int, name: str = "%", md: MQMD | None = None, mhbo: MQMHBO | None = None, max_length: int = -1
    ) -> bytes:
        """Return an MQRFH2 with the properties that `name` matches, for data that `md` describes (MQMHBUF)."""
        from flintmq.mqi.mhbo import MQMHBO

        _check_name(name)
        options, described = mhbo or MQMHBO(), md or MQMD()
        options.pack(), described.pack()
        number, room = index(hmsg), index(max_length)
        engine, connection = self._engine, self._holder
        with self._calling():
            engine.message_handle_to_buffer(connection, number, options, name, described, room)
            self.data_length = connection.data_length
            self._end_call(name)
            return connection.data


def _check_name(name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a property is a str, not {type(name).__name__}")
