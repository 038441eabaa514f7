"""The origin of a connection: everything that is known before the first byte of its protocol."""

from __future__ import annotations


class Protection:
    """TLS of one connection, as client and server have agreed."""

    def __init__(self, suite: str, version: str, peer_name: str, issuer: str = "", label: str = "") -> None:
        #: OpenSSL's names: `TLS_AES_256_GCM_SHA384`, `TLSv1.3`.
        self.suite = suite
        self.version = version
        #: The distinguished name of the client's certificate, `CN=app,O=us`; "" if the client has shown none.
        self.peer_name = peer_name
        #: The distinguished name of its issuer.
        self.issuer = issuer
        #: The label of the certificate that the client was shown (CERTLABL).
        self.label = label


class Origin:
    """The other end of a connection."""

    #: The user of a Unix socket, by the word of the system; "" for a connection over the network.
    user: str = ""
    #: TLS, if the connection began with a handshake.
    protection: Protection | None = None
    #: The reason why no client is served on this connection, "" if one is. The endpoint tells it to the client.
    refusal: str = ""

    def __init__(self, address: str) -> None:
        #: As CONNAME is written: `127.0.0.1(50123)`.
        self.address = address
