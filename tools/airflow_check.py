"""Run Airflow's published provider for IBM MQ on `flintmq.ibmmq`, against a queue manager that is started for it.

    python tools/airflow_check.py                  installs Airflow and the provider into a directory that is gone after
    python tools/airflow_check.py --venv DIR       the same in DIR, which stays; used as it is if it exists

The provider is apache-airflow-providers-ibm-mq from the package index, without IBM's ibmmq: `import ibmmq` finds ours
by PYTHONPATH, as docs/pymqi.md describes. Each check calls the provider's hook, trigger or queue provider; the result
is a table in Markdown, the exit code 1 if one failed. Airflow is large (about 150 packages), so no suite runs this.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.pymqi_suite import NAME, Manager

PROVIDER = "apache-airflow-providers-ibm-mq==0.1.0"
#: The provider is installed without its extra `ibmmq`.
NEEDS = ("apache-airflow", "apache-airflow-providers-common-messaging>=2.0.0", PROVIDER)
#: What our package imports in the foreign environment.
OURS = ("crc32c", "lmdb", "lz4", "mypy-extensions")

#: Runs in Airflow's environment; prints one JSON line for each check.
CHECKS = '''
import asyncio, json, os, sys, traceback
from airflow.providers.ibm.mq.hooks import mq as hooks
from airflow.providers.ibm.mq.queues.mq import IBMMQMessageQueueProvider
from airflow.providers.ibm.mq.triggers.mq import AwaitMessageTrigger
from airflow.providers.common.compat.sdk import BaseHook
import ibmmq

QUEUE, OTHER = "DEV.QUEUE.1", "DEV.QUEUE.2"
hook = hooks.IBMMQHook("mq")

async def first(trigger):
    async for event in trigger.run():
        return event.payload

def ours():
    assert hooks.ibmmq is ibmmq and "flintmq" in sys.modules, ibmmq.__file__

def names():
    """Each name of ibmmq and CMQC that the provider's source has is in ours."""
    import pathlib, re
    text = "".join(path.read_text() for path in pathlib.Path(hooks.__file__).parents[1].rglob("*.py"))
    for name in sorted(set(re.findall(r"ibmmq\\.CMQC\\.(MQ\\w+)", text))):
        assert hasattr(ibmmq.CMQC, name), name
    for name in sorted(set(re.findall(r"\\bibmmq\\.([A-Z]\\w+)\\(", text)) | {"MQMIError", "PYIFError"}):
        assert hasattr(ibmmq, name), name
    for name in hooks._TRANSIENT_REASON_NAMES:
        assert hasattr(ibmmq.CMQC, name), name

def connection():
    with hook.get_conn() as conn:
        assert conn.is_connected

def options():
    parse = hook.parse_open_options
    both = ibmmq.CMQC.MQOO_INPUT_SHARED | ibmmq.CMQC.MQOO_FAIL_IF_QUIESCING
    assert parse("MQOO_INPUT_SHARED | MQOO_FAIL_IF_QUIESCING") == both == parse(both) and parse("0x2002") == both
    assert {"MQOO_INPUT_SHARED", "MQOO_FAIL_IF_QUIESCING"} <= set(hook.get_open_options_flags(both))

def produce():
    hook.produce(BaseHook.get_connection("mq"), QUEUE, "synchronously: \\u00fc")
    assert asyncio.run(hook.aconsume(QUEUE, 1)) == "synchronously: \\u00fc"

def both_async():
    async def main():
        await hook.aproduce(QUEUE, "asynchronously")
        return await asyncio.wait_for(hook.aconsume(QUEUE, 1), 30)
    assert asyncio.run(main()) == "asynchronously"

def many():
    async def main():
        await asyncio.gather(*(hook.aproduce(QUEUE, str(number)) for number in range(20)))
        return sorted([int(await hook.aconsume(QUEUE, 1)) for _ in range(20)])
    assert asyncio.run(main()) == list(range(20))

def waits():
    async def main():
        waiting = asyncio.create_task(hook.aconsume(QUEUE, 10))
        await asyncio.sleep(0.3)
        await hook.aproduce(QUEUE, "late")
        return await asyncio.wait_for(waiting, 30)
    assert asyncio.run(main()) == "late"

def rfh2():
    """A message with an MQRFH2 in front: the provider returns what is behind it."""
    header = ibmmq.RFH2()
    header["Format"] = ibmmq.CMQC.MQFMT_STRING
    header["CodedCharSetId"] = header["NameValueCCSID"] = 1208
    header.add_folder(b"<usr><color>red</color></usr>")
    md = ibmmq.MD()
    md.Format = ibmmq.CMQC.MQFMT_RF_HEADER_2
    with hook.get_conn() as conn:
        queue = ibmmq.Queue(conn, OTHER, ibmmq.CMQC.MQOO_OUTPUT)
        queue.put(header.pack() + b"behind a header", md)
        queue.close()
    assert asyncio.run(hook.aconsume(OTHER, 1)) == "behind a header"

def trigger():
    async def main():
        await hook.aproduce(QUEUE, "for the trigger")
        return await asyncio.wait_for(first(AwaitMessageTrigger("mq", QUEUE, poll_interval=1)), 30)
    assert asyncio.run(main()) == "for the trigger"

def queue_provider():
    provider = IBMMQMessageQueueProvider()
    uri = f"ibmmq://mq/{QUEUE}?open_options=MQOO_INPUT_SHARED|MQOO_FAIL_IF_QUIESCING"
    assert provider.queue_matches(uri) and not provider.queue_matches("kafka://x/y")
    async def main():
        await hook.aproduce(QUEUE, "by URI")
        return await asyncio.wait_for(first(provider.trigger_class()(**provider.trigger_kwargs(uri))), 30)
    assert asyncio.run(main()) == "by URI"

def message_queue_trigger():
    """Airflow's own trigger for message queues finds the provider by the scheme of the URI."""
    from airflow.providers.common.messaging.triggers.msg_queue import MessageQueueTrigger
    async def main():
        await hook.aproduce(QUEUE, "by common messaging")
        return await asyncio.wait_for(first(MessageQueueTrigger(queue=f"ibmmq://mq/{QUEUE}", poll_interval=1)), 30)
    assert asyncio.run(main()) == "by common messaging"

def cancelled():
    """A trigger that is cancelled while it waits takes nothing from the queue."""
    async def main():
        waiting = asyncio.create_task(first(AwaitMessageTrigger("mq", QUEUE, poll_interval=0.5)))
        await asyncio.sleep(0.3)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await hook.aproduce(QUEUE, "still there")
        return await asyncio.wait_for(hook.aconsume(QUEUE, 1), 30)
    assert asyncio.run(main()) == "still there"

def unknown_queue():
    """An error that is not transient is raised, with MQ's reason."""
    try:
        asyncio.run(asyncio.wait_for(hook.aconsume("NOT.THERE", 1), 30))
    except hooks.IBMMQError as error:
        assert error.reason == ibmmq.CMQC.MQRC_UNKNOWN_OBJECT_NAME and not error.transient, error
    else:
        raise AssertionError("no error")

def wrong_password():
    try:
        with hooks.IBMMQHook("wrong").get_conn():
            raise AssertionError("connected")
    except ConnectionError as error:
        assert "2035" in str(error), error

for check in (ours, names, connection, options, produce, both_async, many, waits, rfh2, trigger, queue_provider,
              message_queue_trigger, cancelled, unknown_queue, wrong_password):
    try:
        check()
        said = ""
    except BaseException as error:
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}"
    print("CHECK " + json.dumps([check.__name__, said]), flush=True)
'''


def make_environment(directory: Path) -> Path:
    """Make a virtual environment with Airflow and the provider, and return its Python. Raises SystemExit."""
    python = directory / "bin" / "python"
    if python.exists():
        return python
    subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *NEEDS, *OURS]
    if subprocess.run(command).returncode:
        raise SystemExit("pip cannot install Airflow and the provider")
    return python


def airflow_connection(manager: Manager, password: str) -> str:
    """Return an Airflow connection as its environment variables have it."""
    extra = {"queue_manager": NAME, "channel": "DEV.APP.SVRCONN"}
    return json.dumps(
        {
            "conn_type": "ibmmq",
            "host": "127.0.0.1",
            "port": manager.port,
            "login": "app",
            "password": password,
            "extra": extra,
        }
    )


def table(output: str) -> tuple[str, int]:
    """Return the checks as a table in Markdown, and how many failed."""
    found = [json.loads(line[6:]) for line in output.splitlines() if line.startswith("CHECK ")]
    lines = ["| check | result |", "|---|---|", *(f"| {name} | {said or 'passed'} |" for name, said in found)]
    return "\n".join(lines), sum(bool(said) for _, said in found) if found else 1


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Run Airflow's provider for IBM MQ on flintmq.ibmmq.")
    parser.add_argument("--venv", type=Path, help="a virtual environment to make, or to use")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="flintmq-airflow-") as temporary:
        place = Path(temporary)
        python = make_environment((given.venv or place / "venv").resolve())
        manager = Manager(place / "data")
        try:
            manager.start()
            environment = manager.environment | {
                "AIRFLOW_HOME": str(place / "airflow"),
                "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
                "AIRFLOW_CONN_MQ": airflow_connection(manager, manager.passwords["app"]),
                "AIRFLOW_CONN_WRONG": airflow_connection(manager, "wrong"),
            }
            command = [str(python), "-c", CHECKS]
            done = subprocess.run(command, env=environment, cwd=place, stdout=subprocess.PIPE, text=True, timeout=900)
        finally:
            manager.end()
    text, failed = table(done.stdout)
    print(text)
    return 1 if failed or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
