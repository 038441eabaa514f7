"""Queue managers on disk: their names, their directories and their status. lifecycle.py creates and opens them.

$FLINTMQ_DATA, else $XDG_DATA_HOME/flintmq, else ~/.local/share/flintmq
├── mqs.ini                 the default queue manager, and the places of those that live elsewhere (crtmqm -md)
└── qmgrs/QM1/              `.` and `/` of a name are `!` and `&` here, as in MQ
    ├── qm.ini              its name, its log; written last: a directory without it was never completely created
    ├── lock                the process that has it open (lock.py)
    ├── log/                the recovery log (flintmq.log)
    ├── pageset/psid00/ ... the page sets (flintmq.store)
    ├── errors/AMQERR01.LOG messages to the operator
    ├── autocfg/            the last copy of automatic configuration (autoconfig.py)
    └── creating            only while it is created
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from flintmq.host import ini
from flintmq.host.environment import LOCAL_SOCKET as LOCAL_SOCKET
from flintmq.host.environment import data_directory as data_directory
from flintmq.host.lock import holder_of
from flintmq.mqi.call_errors import InvalidName, QueueManagerDamaged, QueueManagerNotFound
from flintmq.mqi.object_name import is_name

NAME_MAX = 48
MEMORY = ":memory:"
MEMORY_NAME = "MEMORY"
#: The stanzas of automatic configuration, as they were last read (autoconfig.py).
CACHED_INI = "autocfg/cached.ini"
INI_HEAD = "Made by FlintMQ. The geometry of the log is fixed when it is created; see `flint inspect`."

ENDED_NORMALLY = "Ended normally"
ENDED_UNEXPECTEDLY = "Ended unexpectedly"
RUNNING = "Running"
BEING_CREATED = "Being created"
NOT_AVAILABLE = "Status not available"


def check_name(name: str) -> str:
    """Return `name` if it is a valid queue manager name. Raise InvalidName otherwise."""
    if not is_name(name, NAME_MAX):
        raise InvalidName(f"{name!r} is not a queue manager name: it has 1 to {NAME_MAX} letters, digits and . / _ %")
    return name


def directory_name(name: str) -> str:
    """Return the directory name of the queue manager `name`."""
    return name.replace(".", "!").replace("/", "&")


class Instance:
    """One queue manager on disk, existing or not: its name and its directory."""

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        self.directory = directory

    def __repr__(self) -> str:
        return f"Instance({self.name!r}, {str(self.directory)!r})"

    @property
    def ini_path(self) -> Path:
        return self.directory / "qm.ini"

    @property
    def lock_path(self) -> Path:
        return self.directory / "lock"

    @property
    def creating_path(self) -> Path:
        return self.directory / "creating"

    @property
    def errors_directory(self) -> Path:
        return self.directory / "errors"

    @property
    def page_set_parent(self) -> Path:
        return self.directory / "pageset"

    def exists(self) -> bool:
        """Return whether it was completely created."""
        return self.ini_path.is_file()

    def half_made(self) -> bool:
        """Return whether a create was begun and not finished. True while it is being created, too."""
        return self.creating_path.exists() and not self.exists()

    def stanza(self, name: str) -> ini.Stanza:
        """Return a stanza of qm.ini, empty if there is none. Values of automatic configuration have precedence."""
        found = ini.find(ini.read(self.ini_path), name) or ini.Stanza(name)
        for automatic in ini.read(self.directory / CACHED_INI):
            if automatic.name.lower() == name.lower():
                for key, value in automatic.values.items():
                    found.set(key, value)
        return found

    def log_directory(self) -> Path:
        """Return the directory of the log."""
        return self.directory / (self.stanza("Log").get("LogPath") or "log")


def by_name(name: str) -> Instance:
    """Return the queue manager `name`, which need not exist."""
    check_name(name)
    for stanza in ini.read(data_directory() / "mqs.ini"):
        if stanza.name == "QueueManager" and stanza.get("Name") == name and stanza.get("DataPath"):
            return Instance(name, Path(stanza.get("DataPath")))
    return Instance(name, data_directory() / "qmgrs" / directory_name(name))


def by_path(path: str | os.PathLike[str], name: str = "") -> Instance:
    """Return the queue manager in a directory.

    Its name is in its qm.ini; a new one takes the name of the directory.
    """
    directory = Path(path).expanduser().absolute()
    instance = Instance("", directory)
    try:
        known = instance.stanza("QueueManager").get("Name")
    except ini.IniError as error:
        raise QueueManagerDamaged(f"the queue manager in {directory} cannot be opened: {error}") from None
    if known:
        if name and name != known:
            raise QueueManagerNotFound(f"the queue manager in {directory} is called {known}, not {name}")
        return Instance(check_name(known), directory)
    made = re.sub(r"[^A-Za-z0-9._%]", "_", directory.name)[:NAME_MAX]
    return Instance(check_name(name or made), directory)


def locate(name: str | os.PathLike[str]) -> Instance:
    """Return the queue manager of a first argument of `flintmq.open`: a name, or a path if it contains a separator."""
    if not isinstance(name, str) or os.sep in name or (os.altsep and os.altsep in name):
        return by_path(name)
    return by_name(name)


def instances() -> list[Instance]:
    """Return all queue managers that are known by name, in order of name; half-made ones among them."""
    found: dict[str, Instance] = {}
    parent = data_directory() / "qmgrs"
    directories = sorted(parent.iterdir()) if parent.is_dir() else []
    for directory in directories:
        instance = Instance(directory.name.replace("!", ".").replace("&", "/"), directory)
        if instance.exists() or instance.half_made():
            found[instance.name] = instance
    for stanza in ini.read(data_directory() / "mqs.ini"):
        if stanza.name == "QueueManager" and stanza.get("DataPath"):
            instance = Instance(stanza.get("Name"), Path(stanza.get("DataPath")))
            if instance.exists():
                found[instance.name] = instance
    return [found[name] for name in sorted(found)]


def default_name() -> str:
    """Return the default queue manager, "" if there is none."""
    stanza = ini.find(ini.read(data_directory() / "mqs.ini"), "DefaultQueueManager")
    return stanza.get("Name") if stanza else ""


def set_default(name: str) -> None:
    """Make `name` the default queue manager; "" for none."""
    _change_mqs_ini("DefaultQueueManager", {"Name": name} if name else {})


def remember_place(instance: Instance) -> None:
    """Write the place of a queue manager outside of the data directory to mqs.ini."""
    _change_mqs_ini("QueueManager", {"Name": instance.name, "DataPath": str(instance.directory)}, instance.name)


def _change_mqs_ini(name: str, values: dict[str, str], only: str = "") -> None:
    """Replace the stanza `name` (of the queue manager `only`) by one with `values`, or remove it."""
    path = data_directory() / "mqs.ini"
    path.parent.mkdir(parents=True, exist_ok=True)
    before = ini.read(path)
    after = [each for each in before if each.name != name or (only and each.get("Name") != only)]
    if values:
        after.append(ini.Stanza(name, values))
    if after != before:
        ini.write(path, after, private=False)  # Only names and places; dspmq of another user reads it.


def status(instance: Instance) -> str:
    """Return the status that dspmq shows."""
    if holder_of(instance.lock_path) is not None:
        return RUNNING if instance.exists() else BEING_CREATED
    if not instance.exists():
        return NOT_AVAILABLE
    from flintmq.log import LogError, RealFiles  # Here: a client of a local queue manager needs no log.
    from flintmq.log.control import load_control

    try:
        state = load_control(RealFiles(), [str(instance.log_directory())])
    except (LogError, OSError, ini.IniError):
        return NOT_AVAILABLE
    return ENDED_NORMALLY if state.clean else ENDED_UNEXPECTEDLY


def forget_place(instance: Instance) -> None:
    """Remove a queue manager from mqs.ini, as the default queue manager too."""
    if default_name() == instance.name:
        set_default("")
    _change_mqs_ini("QueueManager", {}, instance.name)
