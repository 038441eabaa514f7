"""What keeps secret attributes (KEYRPWD, INITKEY) from being read in the log, the catalogue and in dumps of memory.

    seal    ALTER has a secret: what is kept in its place
    open    the secret is needed: what it was

A queue manager without files keeps nothing, and needs no more than this one; host/vault.py is for those with files.
"""

from __future__ import annotations

from mypy_extensions import mypyc_attr


class VaultError(Exception):
    """A secret cannot be sealed or opened; the text says why, and what to do."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Vault:
    """Leaves secrets as they are."""

    def seal(self, keyword: str, value: str) -> str:
        """What is kept for the secret `value`; of one that is sealed already, itself. Raises VaultError."""
        return value

    def open(self, keyword: str, kept: str) -> str:
        """The secret of which `kept` is kept. Raises VaultError."""
        return kept
