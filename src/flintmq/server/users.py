"""The users of a queue manager, and hashes of their passwords.

The file `users` in the queue manager's directory, for its owner only, has a stanza for each:

    User:
       Name=app
       Password=scrypt$16384$8$1$<salt>$<hash>      no Password: this user cannot give one
       Groups=clerks,readers                        for authority records
       Privileged=yes                               may administer; CHCKCLNT(REQDADM) asks these for a password

A password is never kept. One check costs some 50 ms and 16 MiB, which is the point of scrypt; threads do it while
others are served (password_checks.py). A thousand clients that come back after a restart would still wait for a minute,
so a password that was found right is remembered: HMAC-SHA-256 of user and password, with a key that is made anew by
every process and never leaves it. The value of that for an attacker:

    guesses online            nothing: only right passwords are remembered, and a wrong one is never answered sooner
    reads the disk            nothing: neither key nor hash is written anywhere
    reads our memory          has the passwords of clients that are just connecting anyway. Of those remembered it has a
                              hash that is fast to guess at, therefore for REMEMBERED_S at most, counted from the
                              scrypt and not from the last use; then scrypt says again
    was a user                nothing: all is forgotten when the file changes, and a check that was begun before that
                              is made again (`hash_of` differs)

A file that cannot be read or understood has no users: nobody is let in with a password until it is put right.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from flintmq.host import ini

NAME = "users"
_N, _R, _P = 16384, 8, 1
_MEMORY_MAX = 64 * 1024 * 1024
#: MQ's name of the user with full authority.
MQM = "mqm"
USER_MAX = 64
#: Limits of remembered passwords: the latest ones, and for this time.
REMEMBERED_MAX = 10_000
REMEMBERED_S = 600.0
#: user, environment variable with the password, privileged. The names are those of MQ's developer container.
APP_PASSWORD = "MQ_APP_PASSWORD"
DEVELOPERS = (("app", APP_PASSWORD, False), ("admin", "MQ_ADMIN_PASSWORD", True))


class Users:
    """The users of one queue manager."""

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        #: Why the file has no users, if it cannot be understood.
        self.trouble = ""
        self._stamp: tuple[int, int] | None = None
        self._passwords: dict[str, str] = {}
        self._privileged: set[str] = set()
        self._groups: dict[str, list[str]] = {}
        self._key = secrets.token_bytes(32)
        #: Remembered passwords with the time at which they were found right, the oldest first.
        self._right: dict[bytes, float] = {}

    def refresh(self) -> bool:
        """Read the file if it has changed. Return whether it has."""
        if self._path is None:
            return False
        try:
            state = os.stat(self._path)
        except OSError:
            had = self._stamp is not None
            self._stamp = None
            self._set([])
            return had
        stamp = (state.st_mtime_ns, state.st_ino)
        if stamp == self._stamp:
            return False
        before, self._stamp = self.trouble, stamp
        try:
            self._set([each for each in ini.read(self._path) if each.name == "User"])
        except (OSError, ValueError, ini.IniError) as error:
            self._set([])
            self.trouble = f"{self._path} cannot be used: {error}"
            if isinstance(error, OSError):
                self._stamp = None  # When it can be read it may look as it does now.
                return self.trouble != before
        return True

    def _set(self, stanzas: list[ini.Stanza]) -> None:
        self.trouble = ""
        self._right = {}
        self._passwords = {each.get("Name"): each.get("Password") for each in stanzas}
        self._privileged = {each.get("Name") for each in stanzas if each.get("Privileged").lower() == "yes"}
        self._groups = {each.get("Name"): _groups(each) for each in stanzas}

    def any(self) -> bool:
        """Return whether there are users."""
        return bool(self._passwords)

    def is_privileged(self, user: str) -> bool:
        """Return whether `user` may administer the queue manager."""
        return user == MQM or user in self._privileged

    def has(self, user: str) -> bool:
        """Return whether there is such a user, with or without a password."""
        return user in self._passwords

    def has_group(self, group: str) -> bool:
        """Return whether a user is in the group."""
        return any(group in groups for groups in self._groups.values())

    def groups_of(self, user: str) -> list[str]:
        """Return the groups of `user` in the file."""
        return self._groups.get(user, [])

    def hash_of(self, user: str) -> str:
        """Return the hash of the password of `user`. For an unknown user it is one that takes as long to compare."""
        return self._passwords.get(user, "") or _NOBODY

    def remembers(self, user: str, password: str) -> bool:
        """Return whether this password of `user` was found right not long ago."""
        found = self._right.get(self._keyed(user, password))
        return found is not None and self._clock() - found < REMEMBERED_S

    def compared(self, user: str, password: str, against: str, is_right: bool) -> bool:
        """Return whether `password`, compared with `against`, is that of `user`; if so remember it."""
        if not is_right or against != self._passwords.get(user, "") or not against:
            return False
        keyed = self._keyed(user, password)
        self._right.pop(keyed, None)
        if len(self._right) >= REMEMBERED_MAX:
            del self._right[next(iter(self._right))]
        self._right[keyed] = self._clock()
        return True

    def is_right(self, user: str, password: str) -> bool:
        """Return whether this is the password of `user`. The call takes long."""
        if self.remembers(user, password):
            return True
        against = self.hash_of(user)
        return self.compared(user, password, against, matches(password, against))

    def _keyed(self, user: str, password: str) -> bytes:
        return hmac.digest(self._key, f"{user}\0{password}".encode("utf-8", "surrogatepass"), "sha256")


def _groups(stanza: ini.Stanza) -> list[str]:
    return [word for word in stanza.get("Groups").replace(",", " ").split() if word]


def hashed(password: str) -> str:
    """Return the salted hash that is stored for a password."""
    salt = secrets.token_bytes(16)
    made = _scrypt(password, salt, _N, _R, _P)
    return f"scrypt${_N}${_R}${_P}${salt.hex()}${made.hex()}"


def matches(password: str, kept: str) -> bool:
    """Return whether `kept` was made from `password`."""
    try:
        kind, n, r, p, salt, made = kept.split("$")
        found = _scrypt(password, bytes.fromhex(salt), int(n), int(r), int(p))
    except ValueError:
        return False
    return kind == "scrypt" and hmac.compare_digest(found.hex(), made)


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    raw = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(raw, salt=salt, n=n, r=r, p=p, maxmem=_MEMORY_MAX, dklen=32)


_NOBODY = f"scrypt${_N}${_R}${_P}${bytes(16).hex()}${bytes(32).hex()}"


def define_developers(path: Path, environment: Mapping[str, str]) -> None:
    """Define the users of `crtmqm --dev`, with passwords from the environment or none."""
    for user, variable, privileged in DEVELOPERS:
        change(path, user, environment.get(variable) or None, privileged)


def define_missing_developers(path: Path, environment: Mapping[str, str]) -> None:
    """Define the users of `crtmqm --dev` that are missing."""
    known = {name for name, *_ in names(path)}
    for user, variable, privileged in DEVELOPERS:
        if user not in known:
            change(path, user, environment.get(variable) or None, privileged)


def change(path: Path, user: str, password: str | None, privileged: bool, groups: Sequence[str] = ()) -> None:
    """Define a user, or change the password of one. Replaces the file as a whole."""
    stanzas = [each for each in _read(path) if each.get("Name") != user]
    values = {"Name": user}
    if password is not None:
        values["Password"] = hashed(password)
    if groups:
        values["Groups"] = ",".join(groups)
    if privileged:
        values["Privileged"] = "yes"
    _write(path, [*stanzas, ini.Stanza("User", values)])


def remove(path: Path, user: str) -> bool:
    """Remove a user. Return False if there is none of that name."""
    before = _read(path)
    after = [each for each in before if each.get("Name") != user]
    if after != before:
        _write(path, after)
    return after != before


def names(path: Path) -> list[tuple[str, bool, bool, list[str]]]:
    """Return (name, has a password, is privileged, groups) of all users."""
    return [
        (each.get("Name"), bool(each.get("Password")), each.get("Privileged").lower() == "yes", _groups(each))
        for each in _read(path)
    ]


def _read(path: Path) -> list[ini.Stanza]:
    return ini.read(path) if path.exists() else []


def _write(path: Path, stanzas: list[ini.Stanza]) -> None:
    """Write the file so that no other user can read it at any moment."""
    mask = os.umask(0o177)
    try:
        ini.write(path, stanzas, "Made by `flint user`. Passwords are not in here.")
    finally:
        os.umask(mask)
