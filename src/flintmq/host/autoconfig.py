"""Automatic configuration: MQSC and stanzas of qm.ini that are applied at every start of a queue manager process.

    AutoConfig:                              crtmqm
       MQSCConfig=/etc/mqm/queues.mqsc       -ic    a file, or a directory: its *.mqsc in order of name
       IniConfig=/etc/mqm/qm.ini.d           -ii    a file, or a directory: its *.ini in order of name
    Variables:
       ENV=TEST                              -iv    +ENV+ in the MQSC is TEST; +QMNAME+ is the queue manager

The files are copied to the directory `autocfg` of the queue manager, as cached.mqsc and cached.ini. If a path cannot be
read, the queue manager starts with the cached copy and writes a warning to the error log; without a cached copy it does
not start. A command that fails does not stop the start.

    cached.ini       read with qm.ini (`Instance.stanza`); its values have precedence. QueueManager and Log, which are
                     fixed by crtmqm, AutoConfig and Variables are left out
    cached.mqsc      run, inserts replaced, before the first listener and service are started; the replies are in
                     errors/autocfgmqsc.LOG, commands with passwords without their text
"""

from __future__ import annotations

import os
from pathlib import Path

from flintmq.host import ini
from flintmq.host.host import Host
from flintmq.host.inserts import replaced
from flintmq.host.instance import CACHED_INI, Instance
from flintmq.mqi.call_errors import QueueManagerError

STANZA = "AutoConfig"
VARIABLES = "Variables"
MQSC_KEY = "MQSCConfig"
INI_KEY = "IniConfig"
CACHED_MQSC = "autocfg/cached.mqsc"
LOG_NAME = "autocfgmqsc.LOG"
#: Stanzas that a file of IniConfig cannot change.
FIXED_STANZAS = ("QueueManager", "Log", STANZA, VARIABLES)
_NUMBER = "AMQ5051"


class AutoConfigFailed(QueueManagerError):
    """The files of automatic configuration cannot be read, and there is no cached copy."""


def files(path: str, pattern: str) -> list[Path]:
    """Return the file itself, or the files of a directory in order of name. Raise OSError if `path` does not exist."""
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"{path} does not exist")
    return sorted(place.glob(pattern)) if place.is_dir() else [place]


def read_mqsc(path: str) -> str:
    """Return the text of all MQSC files. Raise OSError, UnicodeDecodeError."""
    return "".join(file.read_text("utf-8").rstrip("\n") + "\n" for file in files(path, "*.mqsc"))


def read_stanzas(path: str) -> list[ini.Stanza]:
    """Return the stanzas that files of IniConfig can change. Raise OSError, IniError."""
    found: list[ini.Stanza] = []
    for file in files(path, "*.ini"):
        found += ini.parse(file.read_text("utf-8", "replace"), str(file))
    fixed = {name.lower() for name in FIXED_STANZAS}
    return [stanza for stanza in found if stanza.name.lower() not in fixed]


def cache_stanzas(instance: Instance, stanzas: list[ini.Stanza]) -> None:
    """Write the stanzas of IniConfig to the file that `Instance.stanza` reads."""
    _write(instance.directory / CACHED_INI, ini.render(stanzas, "Made from IniConfig at every start."))


def apply_stanzas(instance: Instance) -> str:
    """Read IniConfig before the queue manager is opened. Return a warning, or "".

    Raise AutoConfigFailed if it cannot be read and there is no cached copy.
    """
    path = instance.stanza(STANZA).get(INI_KEY)
    cached = instance.directory / CACHED_INI
    if not path:
        cached.unlink(missing_ok=True)
        return ""
    try:
        cache_stanzas(instance, read_stanzas(path))
    except (OSError, ini.IniError) as error:
        return _unreadable(INI_KEY, error, cached)
    return ""


def apply_mqsc(host: Host) -> None:
    """Run the commands of MQSCConfig, and write the outcome to the error log.

    Raise AutoConfigFailed if they cannot be read and there is no cached copy.
    """
    instance = host.instance
    path = instance.stanza(STANZA).get(MQSC_KEY) if instance is not None else ""
    if instance is None or not path:
        return
    cached = instance.directory / CACHED_MQSC
    try:
        text = read_mqsc(path)
        _write(cached, text)
    except (OSError, UnicodeDecodeError) as error:
        host.errors.write(f"{_NUMBER}W", _unreadable(MQSC_KEY, error, cached))
        text = cached.read_text("utf-8")
    inserts = {**instance.stanza(VARIABLES).values, "QMNAME": instance.name}
    lines, read, failed = _run(host, replaced(text, inserts))
    log = instance.errors_directory / LOG_NAME
    try:
        _write(log, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        host.errors.write(f"{_NUMBER}W", f"{log} cannot be written: {error.strerror or error}.")
    severity, said = ("W", f"{failed} could not be run; {log} says why") if failed else ("I", "all were run")
    host.errors.write(f"{_NUMBER}{severity}", f"Automatic configuration: {read} MQSC commands of {path}, {said}.")


def _run(host: Host, text: str) -> tuple[list[str], int, int]:
    """Run commands. Return the lines for the log, the number of commands, and the number of those that failed."""
    from flintmq.command.display import render
    from flintmq.command.execute import execute
    from flintmq.command.interpreter import summary
    from flintmq.command.secrets import has_secret
    from flintmq.mqi.command_text import read_commands

    lines: list[str] = []
    commands = read_commands(text)
    syntax_errors = failures = 0
    for number, command in enumerate(commands, 1):
        hidden = has_secret(command.text)
        shown = "(a command with a password)" if hidden else " ".join(command.text.split())
        with host.call:
            host.close_idle_handles()
            reply = execute(command, host.admin)
            force = host.after_command()
        host.durable(force)
        answer = render(reply)
        lines += [f"{number:6d} : {shown}", *(answer[:1] if hidden else answer)]
        syntax_errors += reply.syntax_error
        failures += reply.failed and not reply.syntax_error
    return lines + summary(len(commands), syntax_errors, failures), len(commands), syntax_errors + failures


def _unreadable(key: str, error: Exception, cached: Path) -> str:
    """Return the warning that the cached copy is used. Raise AutoConfigFailed if there is none."""
    why = f"{key} of the stanza {STANZA} in qm.ini cannot be read: {error}"
    if not cached.exists():
        raise AutoConfigFailed(f"{why}. The queue manager does not start without it") from None
    return f"{why}. What was read at an earlier start is used."


def _write(path: Path, text: str) -> None:
    """Replace a file atomically. Only its owner may read it."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)
