"""Other brokers of this machine, for comparison: the same request/reply, over the protocol each one speaks natively.

    peer        protocol     started as                                   what it promises of a 2 KiB request
    nats        NATS         nats-server on a free port of 127.0.0.1      nothing: it is given to who listens
    rabbitmq    AMQP 0-9-1   rabbitmq-server, with a directory of its own a queue in memory, no acknowledgement
    activemq    STOMP        its jar, without a store and without JMX     a queue in memory, no acknowledgement

`peers()` starts those that are installed, on ports of their own, with nothing kept after the run. A peer that is not
installed, or does not start, is left out, and the run says so. RabbitMQ listens on a second port, for TLS 1.3, with the
key of the queue manager. What is said to them is below; who says it is in peer_actors.py.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path

from benchmarks.server.ports import free_port

_START_S = 120.0


class Peer:
    """A broker that runs."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], pid: int, address: str, version: str) -> None:
        self.name = name
        self.pid = pid
        self.address = address
        #: Where it speaks TLS 1.3; "" nowhere.
        self.tls_address = ""
        self.version = version
        self._process = process

    def end(self) -> None:
        """Away with it, and with what it has started."""
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def peers(directory: Path, key: Path) -> tuple[list[Peer], list[str]]:
    """Those that run now, and why others do not. `key` has a key and its certificate."""
    running: list[Peer] = []
    missing: list[str] = []
    for found in (_nats(directory), _rabbitmq(directory, key), _activemq(directory)):
        if isinstance(found, Peer):
            running.append(found)
        else:
            missing.append(found)
    return running, missing


def nats(directory: Path) -> Peer | str:
    """Start nats-server with JetStream, or say why it does not run."""
    return _nats(directory, "-js", "-sd", str(directory / "jetstream"))


def rabbitmq(directory: Path) -> Peer | str:
    """Start rabbitmq-server without TLS, or say why it does not run."""
    return _rabbitmq(directory, None)


def _nats(directory: Path, *options: str) -> Peer | str:
    program = shutil.which("nats-server")
    if program is None:
        return "nats-server is not installed"
    port = free_port()
    command = [program, "-a", "127.0.0.1", "-p", str(port), "-l", str(directory / "nats.log"), *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not _listens(port, process):
        return "nats-server does not start"
    said = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
    return Peer("nats", process, process.pid, f"127.0.0.1:{port}", said)


def _rabbitmq(directory: Path, key: Path | None) -> Peer | str:
    program = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
    if not program.exists():
        return "rabbitmq-server is not installed"
    port, tls_port, home = free_port(), free_port(), directory / "rabbitmq"
    home.mkdir(exist_ok=True)
    settings = []
    if key is not None:
        settings += [f"listeners.ssl.default = 127.0.0.1:{tls_port}", "ssl_options.versions.1 = tlsv1.3"]
        settings += [f"ssl_options.certfile = {key}", f"ssl_options.keyfile = {key}"]
    (home / "rabbitmq.conf").write_text("\n".join(settings) + "\n")
    environment = {
        **os.environ,
        "HOME": str(home),
        "RABBITMQ_NODENAME": "bench@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(home),
        "RABBITMQ_LOG_BASE": str(home),
        "RABBITMQ_PID_FILE": str(home / "pid"),
        "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq.conf"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(free_port()),
    }
    process = subprocess.Popen([str(program)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    pid_file = home / "pid"
    rabbit = _Rabbit("rabbitmq", process, process.pid, f"127.0.0.1:{port}", "rabbitmq-server", environment)
    if not _listens(port, process) or not pid_file.exists():
        rabbit.end()
        return "rabbitmq-server does not start"
    rabbit.pid = int(pid_file.read_text())
    if key is not None and _listens(tls_port, process):
        rabbit.tls_address = f"127.0.0.1:{tls_port}"
    return rabbit


def _activemq(directory: Path) -> Peer | str:
    home, java = Path("/usr/share/activemq"), shutil.which("java")
    jar = home / "bin" / "activemq.jar"
    if not jar.exists() or java is None:
        return "activemq is not installed" if not jar.exists() else "activemq needs Java, and there is none"
    port, base = free_port(), directory / "activemq"
    base.mkdir(exist_ok=True)
    places = [f"-Dactivemq.home={home}", f"-Dactivemq.base={base}", f"-Dactivemq.data={base}"]
    broker = f"broker:(stomp+nio://127.0.0.1:{port})?persistent=false&useJmx=false&brokerName=bench"
    command = [java, "-Xmx512m", *places, "-jar", str(jar), "start", broker]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=base)
    peer = Peer("activemq", process, process.pid, f"127.0.0.1:{port}", "activemq")
    if not _listens(port, process):
        peer.end()
        return "activemq does not start"
    return peer


class _Rabbit(Peer):
    """It starts a process that names nodes, which ends with it."""

    def __init__(
        self,
        name: str,
        process: subprocess.Popen[bytes],
        pid: int,
        address: str,
        version: str,
        environment: dict[str, str],
    ) -> None:
        super().__init__(name, process, pid, address, version)
        self._environment = environment

    def end(self) -> None:
        super().end()
        subprocess.run(["epmd", "-kill"], env=self._environment, capture_output=True)


def _listens(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Wait until somebody takes connections."""
    until = time.monotonic() + _START_S
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


# -- what is said to them ---------------------------------------------------------------------------------------------


def stomp(command: str, headers: dict[str, str], data: bytes = b"") -> bytes:
    """STOMP: a frame."""
    lines = [command, *(f"{name}:{value}" for name, value in headers.items())]
    if data:
        lines.append(f"content-length:{len(data)}")
    return "\n".join(lines).encode() + b"\n\n" + data + b"\0"


def short_string(text: str) -> bytes:
    """AMQP: a length of one byte, and the text."""
    return bytes([len(text)]) + text.encode()


def frame(kind: int, channel: int, payload: bytes) -> bytes:
    """AMQP: a frame."""
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + b"\xce"


def method(channel: int, family: int, number: int, arguments: bytes) -> bytes:
    """AMQP: a method frame."""
    return frame(1, channel, struct.pack(">HH", family, number) + arguments)


def publish(queue: str, reply_to: str, data: bytes) -> bytes:
    """AMQP: basic.publish to a queue, with its content."""
    flags, properties = (0x0200, short_string(reply_to)) if reply_to else (0, b"")
    header = struct.pack(">HHQH", 60, 0, len(data), flags) + properties
    return (
        method(1, 60, 40, struct.pack(">H", 0) + short_string("") + short_string(queue) + b"\0")
        + frame(2, 1, header)
        + frame(3, 1, data)
    )


#: AMQP: what a client says before its first queue, and the answer that it waits for each time (class, method).
GREETING = (
    (b"AMQP\0\0\x09\x01", (10, 10)),
    (
        method(0, 10, 11, bytes(4) + short_string("PLAIN") + b"\0\0\0\x0c\0guest\0guest" + short_string("en_US")),
        (10, 30),
    ),
    (
        method(0, 10, 31, struct.pack(">HIH", 16, 131072, 0)) + method(0, 10, 40, short_string("/") + b"\0\0"),
        (10, 41),
    ),
    (method(1, 20, 10, b"\0"), (20, 11)),
)


def declare(queue: str) -> bytes:
    """AMQP: a queue that is not durable."""
    return method(1, 50, 10, bytes(2) + short_string(queue) + b"\0" + bytes(4))


def consume(queue: str) -> bytes:
    """AMQP: be sent what arrives, with no acknowledgement."""
    return method(1, 60, 20, bytes(2) + short_string(queue) + short_string("") + b"\2" + bytes(4))
