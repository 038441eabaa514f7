"""The user of a client: USERID_DATA, the user that it runs as, and CONAUTH_INFO, user and password.

USERID_DATA:                                         CONAUTH_INFO:

    offset  field       type                             offset  field           type
         0  StrucId     char 4   "UID "                       0  StrucId         char 4   "CAUT"
         4  UserId      char 12                               4  AuthType        int32    1 user id and password
        16  Password    char 12  28 bytes before level 5      8  UserIdMaxLen    int32
        28  LongUserId  char 64  the one that counts         12  PasswordMaxLen  int32
        92  SidLength   uint8                                16  UserIdLength    int32
        93  SidType     uint8                                20  PasswordLength  int32
        94  Sid         byte 38  132 bytes                   24  the two, one after the other

A client sends USERID_DATA in the first conversation of a socket only, and in compatibility mode
(USER_AUTHENTICATION_MQCSP false) it has the password. The other conversations are of the same user, by the same
password, unless they say otherwise: `inherit`.
"""

from typing import Final

from flintmq.mqi.fields import read_text
from flintmq.wire.mq.calls import read_longs
from flintmq.wire.mq.errors import STATUS_PROTOCOL_DATA, STATUS_PROTOCOL_LENGTH, ChannelError

UID_SIZE_MIN: Final = 28
UID_SIZE: Final = 132
USER_MAX: Final = 1024
PASSWORD_MAX: Final = 8192


class Identity:
    """The user of a conversation, as its segments have told so far."""

    #: The user that the client's process runs as, by its own word.
    user: str = ""
    #: User and password given by the application; `password` is never written anywhere.
    claimed_user: str = ""
    password: str = ""
    has_password: bool = False
    #: User and password are those of the first conversation of the socket.
    inherited: bool = False
    #: The names in the certificate that the client has shown, and in that of its issuer.
    peer_name: str = ""
    peer_issuer: str = ""
    #: Set by the gatekeeper: the hash that the password was compared with, and the result.
    compared_with: str = ""
    is_right: bool = False
    #: The host's: too many passwords are to be compared; this one is not.
    put_off: bool = False

    def inherit(self, first: "Identity") -> None:
        """Start with USERID_DATA of the first conversation of the socket. The password is checked again.

        USERID_DATA of this conversation replaces all of it, so that no user is believed by the password of another;
        CONAUTH_INFO replaces the password and its user.
        """
        self.user = first.user
        self.claimed_user, self.password, self.has_password = first.claimed_user, first.password, first.has_password
        self.inherited = True

    def read_user(self, body: bytes, ccsid: int) -> None:
        """Read USERID_DATA. Raises ChannelError."""
        if self.inherited:
            self.claimed_user, self.password, self.has_password, self.inherited = "", "", False, False
        if len(body) < UID_SIZE_MIN or read_text(body[:4], ccsid) != "UID":
            raise ChannelError(STATUS_PROTOCOL_DATA, f"USERID_DATA has {len(body)} bytes or another identifier")
        self.user = read_text(body[4:16], ccsid)
        if len(body) >= UID_SIZE:
            self.user = read_text(body[28:92], ccsid) or self.user
        password = read_text(body[16:28], ccsid)
        if password:
            self.claimed_user, self.password, self.has_password = self.user, password, True
            self.compared_with = ""

    def read_authority(self, body: bytes, big_endian: bool, ccsid: int) -> None:
        """Read CONAUTH_INFO. Raises ChannelError."""
        if len(body) < 24 or read_text(body[:4], ccsid) != "CAUT":
            raise ChannelError(STATUS_PROTOCOL_DATA, f"CONAUTH_INFO has {len(body)} bytes or another identifier")
        _, _, _, user, password = read_longs(body, 4, 5, big_endian)
        if not 0 <= user <= USER_MAX or not 0 <= password <= PASSWORD_MAX or len(body) < 24 + user + password:
            raise ChannelError(STATUS_PROTOCOL_LENGTH, f"CONAUTH_INFO has {user} and {password} in {len(body)} bytes")
        self.claimed_user = read_text(body[24 : 24 + user], ccsid)
        self.password = read_text(body[24 + user : 24 + user + password], ccsid)
        self.has_password, self.inherited = True, False
        self.compared_with = ""
