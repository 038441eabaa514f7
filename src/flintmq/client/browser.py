"""A browser of the sync API: an iterator over the messages of a queue that leaves them there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flintmq.client.message import Message, Wait
from flintmq.client.options import browse_options, cut, wanted
from flintmq.mqi.call_errors import NoMessageAvailable, Truncated
from flintmq.mqi.constants import MQOO_BROWSE, MQOO_FAIL_IF_QUIESCING

if TYPE_CHECKING:
    from flintmq.client.base_connection import BaseConnection


class Browser:
    """An iterator over the messages of a queue that leaves them there."""

    def __init__(
        self,
        connection: BaseConnection[Any],
        name: str,
        wait: Wait,
        correlation_id: bytes | None,
        message_id: bytes | None,
        selector: str,
        open_options: int = 0,
        max_length: int = -1,
    ) -> None:
        self._connection = connection
        self._name = name
        self._wait = wait
        self._correlation_id = correlation_id
        self._message_id = message_id
        self._max_length = max_length
        self._handle = connection._open(name, MQOO_BROWSE | MQOO_FAIL_IF_QUIESCING | open_options, selector)

    def __iter__(self) -> Browser:
        return self

    def __next__(self) -> Message:
        if not self._handle.open:
            raise StopIteration
        gmo = browse_options(self._wait, self._max_length)
        md = wanted(self._correlation_id, self._message_id)
        try:
            message = self._connection._browse(self._name, self._handle, md, gmo, self._max_length)
        except NoMessageAvailable:
            self.close()
            raise StopIteration from None
        except Truncated as error:
            message = cut(error, md, self._name)
        message.token = gmo.msg_token
        return message

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the browse cursor. A second close does nothing."""
        self._connection._close_handle(self._handle)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._connection._drop_handle(handle)
