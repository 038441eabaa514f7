"""Errors that end a connection: bytes of the peer that violate the protocol."""

from typing import Final

# STATUS_DATA codes: why a channel ends, or never began. The words are those of the dissector.
STATUS_NO_CHANNEL: Final = 1
STATUS_CHANNEL_WRONG_TYPE: Final = 2
STATUS_QM_UNAVAILABLE: Final = 3
STATUS_QM_TERMINATING: Final = 5
STATUS_USER_CLOSED: Final = 7
STATUS_PROTOCOL_SEGMENT_TYPE: Final = 10
STATUS_PROTOCOL_LENGTH: Final = 11
STATUS_PROTOCOL_DATA: Final = 12
STATUS_PROTOCOL_ID: Final = 14
STATUS_MESSAGE_LENGTH: Final = 18
STATUS_SECURITY_FAILURE: Final = 20
STATUS_CHANNEL_UNAVAILABLE: Final = 22
STATUS_CIPHER_SPEC: Final = 24
STATUS_PEER_NAME: Final = 25
STATUS_CLIENT_CERTIFICATE: Final = 26
STATUS_CONVERSATION_ID: Final = 30
STATUS_SOCKET_ACTION_TYPE: Final = 31
STATUS_CCSID_NOT_SUPPORTED: Final = 240


class ChannelError(Exception):
    """An error that ends a connection. `status` is sent to the peer, `str(error)` goes to the error log."""

    def __init__(self, status: int, text: str, number: str = "AMQ9504E") -> None:
        super().__init__(text)
        self.status = status
        #: The number of the message in the error log.
        self.number = number
        #: The channel that the client has named, as far as it has.
        self.channel = ""
        #: The host counts such refusals and writes them down itself: there may be very many.
        self.counted = False
