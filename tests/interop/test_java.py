"""IBM's own Java client against our queue manager: the classes for Java (Mqi.java), JMS (Jms.java) and PCF (Pcf.java).

The client is fetched with Maven into build/, once. Where Java or Maven is missing, or Maven reaches nothing, these
tests are skipped and say so.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from benchmarks.server.ports import free_port
from flintmq.cli.main import main
from flintmq.host import instance
from flintmq.host.lock import holder_of
from flintmq.server import process
from flintmq.server.control import Control, run_session
from tests.server.test_process import Manager
from tests.server.test_tls import CHANNELS, Keys
from tests.waiting import PATIENCE, until

HERE = Path(__file__).resolve().parent / "java"
STORE_PASSWORD = "changeit"
BUILD = HERE.parents[2] / "build" / "interop-java"
#: What a queue manager needs to be told for messages of 10 MiB, and what the programs do beyond what `app` may.
SCRIPT = """
ALTER QMGR MAXMSGL(104857600)
ALTER QLOCAL(DEV.QUEUE.1) MAXMSGL(104857600)
DEFINE QLOCAL(DEV.CONTEXT.QUEUE)
DEFINE QLOCAL(DEV.SMALL) MAXDEPTH(1)
ALTER CHANNEL(DEV.APP.SVRCONN) CHLTYPE(SVRCONN) MAXMSGL(104857600) COMPHDR(SYSTEM,NONE) COMPMSG(ANY)
SET AUTHREC PROFILE('DEV.**') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(SET)
SET AUTHREC PROFILE('SYSTEM.DEFAULT.MODEL.QUEUE') OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(DSP,PUT,GET,INQ)
SET AUTHREC PROFILE('**') OBJTYPE(TOPIC) PRINCIPAL('app') AUTHADD(ALLMQI)
DEFINE QLOCAL(DEV.AHEAD) DEFREADA(YES)
DEFINE QLOCAL(DEV.AHEAD.GET) DEFREADA(YES)
DEFINE QLOCAL(DEV.AHEAD.RECEIVE) DEFREADA(YES)
DEFINE QLOCAL(DEV.AHEAD.LISTENER) DEFREADA(YES)
DEFINE CHANNEL(AHEAD.0) CHLTYPE(SVRCONN) SHARECNV(0) MCAUSER('app')
DEFINE CHANNEL(AHEAD.1) CHLTYPE(SVRCONN) SHARECNV(1) MCAUSER('app')
SET CHLAUTH('AHEAD.*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL)
"""


#: Where the programs put messages.
QUEUES = ("DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.SMALL", "DEV.CONTEXT.QUEUE", "DEV.AHEAD", "DEV.DEAD.LETTER.QUEUE")

#: The queue managers of this process, by port: each module that takes the fixture `port` has another.
PLACES: dict[int, instance.Instance] = {}

#: What JMS 3 calls otherwise than JMS 2.
JAKARTA = {
    "javax.jms": "jakarta.jms",
    "com.ibm.msg.client.jms": "com.ibm.msg.client.jakarta.jms",
    "com.ibm.msg.client.wmq": "com.ibm.msg.client.jakarta.wmq",
    "WMQConstants.WMQ_PROVIDER": "WMQConstants.JAKARTA_WMQ_PROVIDER",
}


def scenarios(program: str) -> list[str]:
    return re.findall(r'add\((?:scenarios, )?"(\w+)"', (HERE / f"{program}.java").read_text())


def built(project: Path, library: Path, artifact: str, sources: list[Path], made: Path) -> str:
    """The class path: IBM's client of a Maven project, fetched once, and our programs, compiled to `made`.

    Several processes test at once: one of them fetches, and none compiles what another runs.
    """
    for tool in ("java", "javac", "mvn"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: the IBM MQ client for Java cannot be run")
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "fetching").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        if not list(library.glob(f"{artifact}-*.jar")):
            fetch = ["mvn", "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
            fetched = subprocess.run(
                [*fetch, f"-DoutputDirectory={library}", "-DincludeScope=runtime"],
                capture_output=True,
                text=True,
                timeout=600,
            )
            if fetched.returncode:
                pytest.skip(f"Maven cannot fetch {artifact}: {fetched.stdout.strip()[-300:]}")
    command = ["javac", "-d", str(made), "-cp", f"{library}/*", *map(str, sources)]
    compiled = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert compiled.returncode == 0, compiled.stderr
    return f"{library}/*:{made}"


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """IBM's client for Java and JMS 2, and our programs."""
    made = tmp_path_factory.mktemp("classes")
    return built(HERE / "pom.xml", BUILD / "lib", "com.ibm.mq.allclient", sorted(HERE.glob("*.java")), made)


@pytest.fixture(scope="session")
def jakarta_classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """IBM's client for Jakarta Messaging 3, and the programs for JMS 2 with the packages of the other."""
    place = tmp_path_factory.mktemp("jakarta")
    sources: list[Path] = []
    for name in ("Jms", "Scenarios"):
        text = (HERE / f"{name}.java").read_text()
        for before, after in JAKARTA.items():
            text = text.replace(before, after)
        sources.append(place / f"{name}.java")
        sources[-1].write_text(text)
    library = BUILD / "jakarta" / "lib"
    return built(HERE / "jakarta" / "pom.xml", library, "com.ibm.mq.jakarta.client", sources, place / "classes")


@pytest.fixture(scope="session")
def port(classes: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A running queue manager."""
    with pytest.MonkeyPatch.context() as patch:
        directory = tmp_path_factory.mktemp("java")
        patch.setenv("FLINTMQ_DATA", str(directory))
        script = directory / "script.mqsc"
        script.write_text(SCRIPT + CHANNELS)
        chosen = free_port()
        with pytest.MonkeyPatch.context() as passwords:  # Of this queue manager, not of those of other tests.
            passwords.setenv("MQ_APP_PASSWORD", "passw0rd")
            passwords.setenv("MQ_ADMIN_PASSWORD", "passw0rd")
            assert main(["crtmqm", "--dev", "-q", "-p", str(chosen), "-ic", str(script), "QM1"]) == 0
        place = PLACES[chosen] = instance.by_name("QM1")
        if shutil.which("openssl"):
            Keys(directory).install(Manager(chosen))
            make_stores(directory)
        process.start(place)
        yield chosen
        assert main(["endmqm", "-i", f"{place.directory}/"]) == 0
        assert holder_of(place.lock_path) is None
        assert instance.status(place) == "Ended normally"
        assert not list(place.errors_directory.glob("*.FDC"))


def said_of(port: int, *commands: str) -> str:
    """What the queue manager at a port says to MQSC commands."""
    said: list[str] = []
    with Control(PLACES[port]) as control:
        run_session(control, list(commands), said.append, echo=False, verify=False)
    return " ".join(said)


def clear(port: int) -> None:
    said_of(port, *(f"CLEAR QLOCAL({name})" for name in QUEUES))


class Run:
    """One run of a program with all its scenarios, or with those that are named. One that hangs is ended.

    What a program that failed has left on the queues is not found by the next one.
    """

    def __init__(self, program: str, classes: str, port: int, options: list[str] | None = None, only: str = "") -> None:
        if port in PLACES:
            clear(port)
        command = ["java", *(options or []), "-cp", classes, program, str(port), only]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=BUILD) as running:
            try:
                said, self.errors = running.communicate(timeout=600)
            except subprocess.TimeoutExpired:
                running.kill()
                said, self.errors = running.communicate()
        self.lines = said.splitlines()

    def check(self, scenario: str) -> None:
        failed = [line for line in self.lines if line.startswith(f"FAILED {scenario}:")]
        assert not failed, failed[0]
        assert f"ok {scenario}" in self.lines, f"{scenario} did not run: {self.lines} {self.errors[-2000:]}"


@pytest.fixture(scope="session")
def mqi(classes: str, port: int) -> Run:
    return Run("Mqi", classes, port)


@pytest.fixture(scope="session")
def jms(classes: str, port: int) -> Run:
    return Run("Jms", classes, port)


@pytest.fixture(scope="session")
def pcf(classes: str, port: int) -> Run:
    return Run("Pcf", classes, port)


@pytest.fixture(scope="session")
def jakarta(jakarta_classes: str, port: int) -> Run:
    return Run("Jms", jakarta_classes, port)


@pytest.fixture(scope="session")
def compressed(classes: str, port: int) -> Run:
    return Run("Compressed", classes, port)


@pytest.fixture(scope="session")
def ahead(classes: str, port: int) -> Run:
    return Run("Ahead", classes, port)


@pytest.fixture(scope="session")
def sessions(classes: str, port: int) -> Run:
    return Run("Sessions", classes, port)


@pytest.fixture(scope="session")
def tls(classes: str, port: int) -> Run:
    return Run("Tls", classes, port, tls_options(port))


@pytest.fixture(scope="session")
def tls_host(classes: str, port: int) -> Run:
    return Run("TlsHost", classes, port, [*tls_options(port), "-Dcom.ibm.mq.cfg.SSL.outboundSNI=HOSTNAME"])


def tls_options(port: int) -> list[str]:
    """What Java is told of its key stores."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed: there are no keys to try TLS with")
    directory = PLACES[port].directory.parents[1]
    stores = [("trustStore", "trust.p12"), ("keyStore", "key.p12")]
    options = [f"-Djavax.net.ssl.{kind}={directory / name}" for kind, name in stores]
    options += [f"-Djavax.net.ssl.{kind}Password={STORE_PASSWORD}" for kind, _ in stores]
    return [*options, "-Dcom.ibm.mq.cfg.useIBMCipherMappings=false"]


def make_stores(directory: Path) -> None:
    """The key stores of a Java client, from the keys that were made for it."""
    export = ["openssl", "pkcs12", "-export", "-inkey", str(directory / "client.key"), "-name", "app"]
    export += ["-in", str(directory / "client.crt"), "-out", str(directory / "key.p12")]
    subprocess.run([*export, "-passout", f"pass:{STORE_PASSWORD}"], check=True, capture_output=True, timeout=PATIENCE)
    for name in ("server", "orders"):
        trust = ["keytool", "-importcert", "-noprompt", "-alias", name, "-file", str(directory / f"{name}.crt")]
        trust += ["-keystore", str(directory / "trust.p12"), "-storetype", "PKCS12", "-storepass", STORE_PASSWORD]
        subprocess.run(trust, check=True, capture_output=True, timeout=PATIENCE)


@pytest.mark.parametrize("scenario", scenarios("Tls"))
def test_the_classes_for_jms_over_tls(tls: Run, scenario: str) -> None:
    tls.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("TlsHost"))
def test_the_classes_for_jms_over_tls_when_they_do_not_name_their_channel(tls_host: Run, scenario: str) -> None:
    """CERTLABL: MQ shows the queue manager's certificate then, and refuses a channel that has one of its own."""
    tls_host.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Mqi"))
def test_the_classes_for_java(mqi: Run, scenario: str) -> None:
    mqi.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Jms"))
def test_the_classes_for_jms(jms: Run, scenario: str) -> None:
    jms.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Pcf"))
def test_administration_with_the_classes_for_pcf(pcf: Run, scenario: str) -> None:
    pcf.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Compressed"))
def test_both_on_channels_that_compress(compressed: Run, scenario: str) -> None:
    compressed.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Jms"))
def test_the_classes_for_jakarta_messaging(jakarta: Run, scenario: str) -> None:
    jakarta.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Ahead"))
def test_queues_that_are_read_ahead_with_messages_of_any_persistence(ahead: Run, scenario: str) -> None:
    """B171, and what must not be lost is sent to a get or a consumer that waits: nothing is lost, and nothing hangs."""
    ahead.check(scenario)


@pytest.mark.parametrize("scenario", scenarios("Sessions"))
def test_clients_with_several_threads_and_sessions(sessions: Run, scenario: str) -> None:
    """Issue 14: item 8, no receive hangs on a handle that reads ahead, and what is put while nobody receives stays on
    the queue; 8a, close ends a receive of another thread; 9, a password in compatibility mode is that of all sessions.
    """
    sessions.check(scenario)


def test_a_client_that_is_killed_has_no_persistent_message_but_the_one_that_it_got(classes: str, port: int) -> None:
    """The listener has not returned: its message was got in syncpoint, and is backed out."""
    command = ["java", "-cp", classes, "Ahead", str(port), "hold"]
    with subprocess.Popen(command, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None and client.stderr is not None
        said = client.stdout.readline().strip()
        client.kill()
        assert said == "held", client.stderr.read()
    depths = {"DEV.AHEAD.GET": 9, "DEV.AHEAD.RECEIVE": 9, "DEV.AHEAD.LISTENER": 10}
    for name, depth in depths.items():
        until(partial(is_closed, port, name), f"the client that is killed has {name} no longer open")
        assert f"CURDEPTH({depth})" in of_queue(port, name)


def is_closed(port: int, name: str) -> bool:
    return "IPPROCS(0)" in of_queue(port, name)


def of_queue(port: int, name: str) -> str:
    """What DISPLAY QSTATUS says of a queue."""
    return said_of(port, f"DISPLAY QSTATUS({name}) CURDEPTH IPPROCS")
