"""flint container: run a queue manager as the main process of a container, configured as MQ's developer image is.

    flint container
    flint container ready
    podman run -e LICENSE=accept -e MQ_QMGR_NAME=QM1 -e MQ_APP_PASSWORD=passw0rd -p 1414:1414 -v qm1:/mnt/mqm flintmq

`run`, the default, creates the queue manager if the volume has none, starts it in a process of its own, copies its
error log to standard output, and ends with it. SIGTERM, which `podman stop` sends, ends the queue manager
cleanly: clients are disconnected, their uncommitted work is backed out.

    MQ_QMGR_NAME                  the queue manager (the name of the host, without characters that names do not have)
    MQ_DEV                        false: without the developer objects (DEV.QUEUE.1 ...) and the users app and admin
    MQ_APP_PASSWORD               password of app; or the file /run/secrets/mqAppPassword
    MQ_ADMIN_PASSWORD             password of admin; or the file /run/secrets/mqAdminPassword
    MQ_QMGR_LOG_FILE_PAGES        size of a log file, when it is created: crtmqm -lf
    LICENSE                       is not looked at: FlintMQ's license needs no acceptance
    FLINTMQ_CONFIG                where configuration is read (/etc/mqm)
    FLINTMQ_LISTEN                address and port of the listener: `*(1414)`, if not set

All .ini and .mqsc files in /etc/mqm are applied at every start, in the order of their names, as `crtmqm -ii` and `-ic`
have it: before the queue manager listens. The answers are shown; a command that fails does not keep the rest from being
run, an .ini file that cannot be read keeps the queue manager from starting.

`started`, `healthy` and `ready` are for probes, like MQ's chkmqstarted, chkmqhealthy and chkmqready: the queue manager
answers; it is ready when it listens where it should, too.

Exit codes: 0 it ended normally, or the probe says yes; 1 the probe says no; otherwise those of crtmqm and strmqm.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import flintmq
from flintmq.cli import _control, crtmqm, main
from flintmq.cli._failure import CommandFailed
from flintmq.command.defaults import LISTENER
from flintmq.host import autoconfig, ini, instance
from flintmq.server import process, users
from flintmq.server.control import Control, NotRunning, run_session

NAME = "container"
SUMMARY = "run a queue manager in a container, configured as MQ's developer image is"

PROBES = ("started", "healthy", "ready")
CONFIGURATION = "/etc/mqm"
SECRETS = Path("/run/secrets")
#: Environment variable -> the file that has the same as a secret of the container engine.
SECRET_FILES = {users.APP_PASSWORD: "mqAppPassword", "MQ_ADMIN_PASSWORD": "mqAdminPassword"}
#: In the queue manager's directory: the process id of the server that listens as this container wants it.
CONFIGURED = "configured"
DEFAULT_LISTEN = "*(1414)"
#: How often the error log is looked at for new lines.
FOLLOW_S = 0.2


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("do", nargs="?", choices=["run", *PROBES], default="run", help="run it (run), or ask about it")


def run(options: argparse.Namespace) -> int:
    read_secrets(os.environ)
    try:
        place = instance.by_name(queue_manager_name(os.environ))
    except flintmq.QueueManagerError as error:
        return _control.refuse(f"AMQ7048E: {error.text}", _control.BAD_NAME)
    if options.do != "run":
        return 0 if answers(place, ready=options.do == "ready") else 1
    return Container(place, Path(os.environ.get("FLINTMQ_CONFIG") or CONFIGURATION)).run()


def queue_manager_name(environment: Mapping[str, str]) -> str:
    """Return MQ_QMGR_NAME, or else the host's name without the characters that a name must not have."""
    name = environment.get("MQ_QMGR_NAME", "")
    return name or re.sub(r"[^a-zA-Z0-9._%/]", "", socket.gethostname())[: instance.NAME_MAX]


def read_secrets(environment: Mapping[str, str], directory: Path = SECRETS) -> None:
    """Set the passwords that are files of the container engine, unless the environment has them."""
    for variable, name in SECRET_FILES.items():
        if not environment.get(variable) and (directory / name).is_file():
            os.environ[variable] = (directory / name).read_text("utf-8").rstrip("\r\n")


def answers(place: instance.Instance, ready: bool) -> bool:
    """Whether the queue manager answers; with `ready`, whether it listens and is configured as well."""
    try:
        with Control(place) as control:
            reply = control.ask({"do": "ping"})
    except (NotRunning, OSError):
        return False
    if not ready:
        return True
    configured = place.directory / CONFIGURED
    return bool(reply.get("addresses")) and configured.exists() and configured.read_text() == str(reply["pid"])


class Container:
    """The main process of a container and the queue manager it runs."""

    def __init__(self, place: instance.Instance, configuration: Path) -> None:
        self._place = place
        self._configuration = configuration
        self._developer = os.environ.get("MQ_DEV", "true").lower() != "false"
        self._server: subprocess.Popen[bytes] | None = None
        self._told_to_end = False
        log = place.errors_directory / "AMQERR01.LOG"
        self._follower = Follower(log, lambda text: print(text, end="", flush=True))

    def run(self) -> int:
        """Create, configure and start the queue manager; return its exit code when it has ended."""
        listen = parse_listen(os.environ.get("FLINTMQ_LISTEN") or DEFAULT_LISTEN)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._end)
        if not self._place.exists():
            code = self._create(listen[1])
            if code:
                return code
        passwords = self._set_passwords()
        self._use_configuration()
        (self._place.directory / CONFIGURED).unlink(missing_ok=True)
        # What the queue manager starts (triggered programs, for one) has no business with passwords.
        for variable in SECRET_FILES:
            os.environ.pop(variable, None)
        ended = self._start()
        if ended is not None:
            return ended
        self._configure(listen, passwords)
        return self._wait()

    def _create(self, port: int) -> int:
        words = ["-q", "-p", str(port)] + (["--dev"] if self._developer else [])
        if os.environ.get("MQ_QMGR_LOG_FILE_PAGES"):
            words += ["-lf", os.environ["MQ_QMGR_LOG_FILE_PAGES"]]
        return crtmqm.run(main.parser_of(main.load(crtmqm.NAME), crtmqm.NAME).parse_args([*words, self._place.name]))

    def _set_passwords(self) -> list[str]:
        """Give app and admin the passwords of the environment; return the users that have one from there."""
        if not self._developer:
            return []
        path = self._place.directory / users.NAME
        known = users.Users(path)
        known.refresh()
        given = [user for user, variable, _ in users.DEVELOPERS if os.environ.get(variable)]
        for user, variable, privileged in users.DEVELOPERS:
            password = os.environ.get(variable, "")
            if password and not known.is_right(user, password):
                users.change(path, user, password, privileged, known.groups_of(user))
        if "app" not in given:
            say(f"{users.APP_PASSWORD} is not set: a client that reaches the port may be user app without a password")
        return given

    def _use_configuration(self) -> None:
        """Have the files of the configuration applied at every start (autoconfig.py), if there are any."""
        stanzas = [each for each in ini.read(self._place.ini_path) if each.name != autoconfig.STANZA]
        if self._configuration.is_dir():
            place = str(self._configuration)
            stanzas.append(ini.Stanza(autoconfig.STANZA, {autoconfig.MQSC_KEY: place, autoconfig.INI_KEY: place}))
        ini.write(self._place.ini_path, stanzas, instance.INI_HEAD)

    def _start(self) -> int | None:
        """Start the server and wait until it is ready; the exit code if it does not get so far."""
        reading, writing = os.pipe()
        self._server = subprocess.Popen(
            process.server_command(self._place, writing),
            stdin=subprocess.DEVNULL,
            pass_fds=[writing],
            env=process.server_environment(),
        )
        os.close(writing)
        threading.Thread(target=self._follower.run, daemon=True).start()
        if self._told_to_end:
            self._server.terminate()
        # A long log may have to be read first. Probes see that it is not ready; nothing else waits.
        said = process.heard(reading, threading.TIMEOUT_MAX)
        if said == process.READY:
            return None
        return as_exit_code(self._server.wait()) or _control.UNEXPECTED

    def _configure(self, listen: tuple[str, int], passwords: list[str]) -> None:
        """Show the answers of the .mqsc files, run our own settings, and note that it was done."""
        assert self._server is not None
        commands: list[str] = []
        if "app" in passwords:
            rule = "SET CHLAUTH('DEV.APP.SVRCONN') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)"
            commands.append(f"{rule} CHCKCLNT(REQUIRED) ACTION(REPLACE)")
        try:
            answers = self._place.errors_directory / autoconfig.LOG_NAME
            if self._configuration.is_dir() and answers.exists():
                print(answers.read_text("utf-8"), end="", flush=True)
            self._run([*commands, *self._commands_to_listen(listen)])
            (self._place.directory / CONFIGURED).write_text(str(self._server.pid))
        except (OSError, UnicodeDecodeError) as error:
            say(f"the configuration was not completed: {error}")
        except NotRunning:
            return  # It was ended meanwhile.

    def _commands_to_listen(self, listen: tuple[str, int]) -> list[str]:
        """Return the MQSC that moves the listener, which is created for this machine only; [] if it is there."""
        with Control(self._place) as control:
            now = [tuple(each) for each in control.ask({"do": "ping"}).get("addresses", [])]
        address, port = listen
        if any((each, port) in now for each in ([address] if address else ["::", "0.0.0.0"])):
            return []
        commands = [f"ALTER LISTENER({LISTENER}) TRPTYPE(TCP) PORT({port}) IPADDR('{address}')"]
        commands += [f"STOP LISTENER({LISTENER})"] if now else []
        return [*commands, f"START LISTENER({LISTENER})"]

    def _run(self, lines: list[str]) -> None:
        """Run MQSC in the queue manager, and show failures."""
        said: list[str] = []
        with Control(self._place) as control:
            code = run_session(control, lines, said.append, echo=False, verify=False)
        if code:
            print("\n".join(said), flush=True)
            say("some command of the container failed")

    def _wait(self) -> int:
        """Wait for the server, and for every orphan that the container's first process inherits."""
        assert self._server is not None
        pid = 0
        while pid != self._server.pid:
            pid, status = os.wait()
        self._server.returncode = code = os.waitstatus_to_exitcode(status)
        self._follower.pass_on()  # Its last words.
        return as_exit_code(code)

    def _end(self, number: int, frame: object) -> None:
        self._told_to_end = True
        if self._server is not None and self._server.returncode is None:
            # Not by Popen: that asks first whether the process has ended, and takes the answer away from os.wait().
            with suppress(ProcessLookupError):
                os.kill(self._server.pid, signal.SIGTERM)


class Follower:
    """Pass on lines that are appended to a file from now on, through renames."""

    def __init__(self, path: Path, write: Callable[[str], None]) -> None:
        self._path = path
        self._write = write
        self._at = path.stat().st_size if path.exists() else 0
        self._file = path.stat().st_ino if path.exists() else 0
        self._pause = threading.Event()
        #: The thread of run() and the end of the container pass on, one at a time.
        self._lock = threading.Lock()

    def run(self) -> None:
        """Follow until the process ends."""
        while True:
            self.pass_on()
            self._pause.wait(FOLLOW_S)

    def pass_on(self) -> None:
        """Pass on new lines. Lines written just before a file was renamed are taken from its new name."""
        with self._lock, suppress(OSError):
            now = self._path.stat()
            if self._file and now.st_ino != self._file:
                self._rest_of(self._path.with_name("AMQERR02.LOG"))
                self._at = 0
            self._file = now.st_ino
            self._rest_of(self._path)

    def _rest_of(self, path: Path) -> None:
        with open(path, "rb") as file:
            file.seek(self._at)
            data = file.read()
        self._at += len(data)
        if data:
            self._write(data.decode("utf-8", "replace"))


def parse_listen(text: str) -> tuple[str, int]:
    """Return the address, "" for all, and the port of `address(port)`, as a channel's CONNAME has them."""
    found = re.fullmatch(r"([^()\s']*)\((\d{1,5})\)", text)
    if found is None or not 0 < int(found[2]) < 65536:
        raise CommandFailed(f"FLINTMQ_LISTEN is address(port), for example 127.0.0.1(1414) or *(1414), not {text!r}")
    return "" if found[1] == "*" else found[1], int(found[2])


def as_exit_code(code: int) -> int:
    """Return the exit code of a process; of one that a signal has ended, the number that shells have for it."""
    return code if code >= 0 else 128 - code


def say(text: str) -> None:
    print(f"flint container: {text}", file=sys.stderr, flush=True)
