"""flint up: a queue manager to develop with: created if there is none, started if it does not run.

    flint up
    flint up -p 1415 ORDERS
    MQ_APP_PASSWORD=passw0rd MQ_ADMIN_PASSWORD=adm1n flint up

It has the objects of `crtmqm --dev -q`: the queues DEV.QUEUE.1 to 3, the topic DEV.BASE.TOPIC (dev/), the channels
DEV.APP.SVRCONN and DEV.ADMIN.SVRCONN, the users app and admin, whose passwords come from MQ_APP_PASSWORD and
MQ_ADMIN_PASSWORD when it is created, and a listener for this machine only. A queue manager that has no listener, one
that `flintmq.open` made for example, gets what it lacks of that; what is there already is left as it is. Then it says
how to connect from the shell, from Python and from Java. `flint down` ends it; nothing is lost.

Exit codes: 0 it runs; otherwise those of crtmqm and strmqm.
"""

from __future__ import annotations

import argparse
import os

import flintmq
from flintmq.cli import _control, crtmqm, main, strmqm
from flintmq.cli._launcher import launcher
from flintmq.command.defaults import APP
from flintmq.host import instance, lifecycle
from flintmq.host.host import Host
from flintmq.host.lock import holder_of
from flintmq.server import users
from flintmq.server.control import Control, NotRunning

NAME = "up"
SUMMARY = "a queue manager to develop with: create it, start it, say how to connect"

DEFAULT_NAME = "QM1"
DEFAULT_PORT = "1414"
CHANNEL = "DEV.APP.SVRCONN"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", default=DEFAULT_NAME, help=f"the queue manager ({DEFAULT_NAME})")
    parser.add_argument("-p", metavar="PORT", default=DEFAULT_PORT, help=f"where a new one listens ({DEFAULT_PORT})")


def run(options: argparse.Namespace) -> int:
    try:
        place = instance.locate(options.name)
    except flintmq.QueueManagerError as error:
        return _control.refuse(f"AMQ7048E: {error.text}", _control.BAD_NAME)
    if not place.exists():
        default = ["-q"] if not instance.default_name() else []
        code = _run(crtmqm.NAME, ["--dev", *default, "-z", "-p", options.p, options.name])
        if code:
            return code
        print(f"{place.name} was created.")
    if holder_of(place.lock_path) is None:
        try:
            added = _complete(place, crtmqm.port_number(options.p))
        except (flintmq.QueueManagerError, ValueError) as error:
            return _control.refuse(str(error), _control.UNEXPECTED)
        if added:
            print(f"{place.name} listened nowhere: a listener and {added} other objects to develop with were added.")
        code = _run(strmqm.NAME, [options.name])
        if code:
            return code
    try:
        with Control(place) as control:
            addresses = control.ask({"do": "ping"}).get("addresses", [])
    except (NotRunning, OSError):
        holder = holder_of(place.lock_path)
        text = f"AMQ5625E: queue manager {place.name} is open in {holder}; close it there, then `flint up` again"
        return _control.refuse(text, _control.RUNNING)
    print(f"{place.name} is running.\n")
    if addresses:
        print(how_to_connect(place, addresses[0][0], addresses[0][1]))
    else:
        print(f"It listens nowhere. `{launcher()} down {place.name}`, then `up` once more, adds a listener;")
        print("if it has one, its error log says why it does not listen:", place.errors_directory / "AMQERR01.LOG")
    return 0


def _complete(place: instance.Instance, port: int) -> int:
    """Add the objects that a queue manager without a listener lacks; return their number, without the listener."""
    host = Host(*lifecycle.open_on_disk(place), place)
    try:
        if lifecycle.listens(host.engine):
            return 0
        users.define_missing_developers(place.directory / users.NAME, os.environ)
        known = users.names(place.directory / users.NAME)
        return lifecycle.add_developer_objects(host.engine, port, any(name == APP and has for name, has, *_ in known))
    finally:
        host.close()


def _run(name: str, words: list[str]) -> int:
    """Another command, in this process."""
    command = main.load(name)
    return command.run(main.parser_of(command, name).parse_args(words))


def how_to_connect(place: instance.Instance, host: str, port: int) -> str:
    """Return the lines to copy and paste."""
    host = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    name = place.name
    known = {user: has_password for user, has_password, *_ in users.names(place.directory / users.NAME)}
    has_password = known.get(APP, False)
    python = ', user="app", password=os.environ["MQ_APP_PASSWORD"]' if has_password else ""
    java = "MQSAMP_USER_ID=app " if has_password else ""
    return TEXT.format(
        flint=launcher(),
        installed="; elsewhere `pip install .` first" if "FLINT_HOME" in os.environ else "",
        name=name,
        host=host,
        port=port,
        channel=CHANNEL,
        imports="import os\n\n    import flintmq" if has_password else "import flintmq",
        python=python,
        user=java,
        java='\n    factory.setStringProperty(WMQConstants.USERID, "app");\n    factory.setStringProperty('
        'WMQConstants.PASSWORD, System.getenv("MQ_APP_PASSWORD"));'
        if has_password
        else "",
    )


TEXT = """\
From the shell:

    echo hello | {flint} amqsput DEV.QUEUE.1 {name}
    {flint} amqsget --wait 1 DEV.QUEUE.1 {name}
    {flint} runmqsc {name}
    {user}MQSERVER='{channel}/TCP/{host}({port})' {flint} amqsput DEV.QUEUE.1 {name}

From Python (`{flint} python program.py` runs it{installed}):

    {imports}

    with flintmq.connect("{name}", channel="{channel}", conn="{host}({port})"{python}) as qm:
        qm.queue("DEV.QUEUE.1").put(b"hello")
        print(qm.queue("DEV.QUEUE.1").get(wait=1.0).data)

    (on this machine flintmq.connect("{name}") is enough)

From Java (com.ibm.mq:com.ibm.mq.allclient):

    JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
    factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "{host}");
    factory.setIntProperty(WMQConstants.WMQ_PORT, {port});
    factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "{channel}");
    factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
    factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, "{name}");{java}
    try (JMSContext context = factory.createContext()) {{
        Queue queue = context.createQueue("queue:///DEV.QUEUE.1");
        context.createProducer().send(queue, "hello");
        System.out.println(context.createConsumer(queue).receiveBody(String.class, 1000));
    }}

`{flint} down {name}` ends it; `{flint} up {name}` goes on where it was."""
