"""Run FastStream's own test classes for brokers, unchanged, against MQBroker, TestMQBroker and a queue manager.

    python tools/faststream_suite.py ../faststream              a checkout of the public repository; nothing is changed
    python tools/faststream_suite.py ../faststream -k requests  the rest goes to pytest
    python tools/faststream_suite.py ../faststream --needs DIR  packages that the tests import, installed before

FastStream tests each of its brokers by subclasses of tests/brokers/base. This program writes such subclasses into a
directory that is gone afterwards, starts a queue manager with developer defaults on a free port of the loopback, and
runs pytest. The FastStream that is installed is tested, not that of the checkout. The result is printed as the table of
docs/faststream.md; the exit code is that of pytest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.pymqi_suite import NAME, Manager, table

#: What the tests import beside FastStream and pytest.
NEEDS = (
    "pytest-asyncio==1.3.0",
    "fastapi",
    "httpx",
    "dirty-equals",
    "freezegun",
    "typer",
    "uvicorn",
    "pyyaml",
    "email-validator",
    "msgspec",
    "pydantic-settings",
)

#: Names of queues are random there, but not MQ's: they have hyphens.
CONFTEST = """
from uuid import uuid4
import os
import pytest
from tests.conftest import *  # noqa: F403
from flintmq.integrations.faststream import MQRouter

@pytest.fixture()
def queue():
    return uuid4().hex

@pytest.fixture()
def router():
    return MQRouter()

@pytest.fixture()
def settings():
    return os.environ["FASTSTREAM_SUITE_URL"]

@pytest.fixture()
def fake_producer_cls():
    from flintmq.integrations.faststream.testing import FakeProducer
    return FakeProducer
"""

BASIC = '''
import os
from faststream import BaseMiddleware
from flintmq.integrations.faststream import MQBroker, MQRouter, TestMQBroker
from tests.brokers.base.basic import BaseTestcaseConfig

URL = os.environ["FASTSTREAM_SUITE_URL"]

class Real(BaseTestcaseConfig):
    timeout = 10.0

    def get_broker(self, apply_types=False, **kwargs):
        return MQBroker(URL, apply_types=apply_types, create_queues=True, **kwargs)

    def get_router(self, **kwargs):
        return MQRouter(**kwargs)

class Memory(Real):
    def patch_broker(self, *brokers, **kwargs):
        return TestMQBroker(*brokers, **kwargs)

class Local(MQBroker):
    """A broker that knows where the queue manager is."""
    def __init__(self, url=URL, **kwargs):
        super().__init__(url, **{"create_queues": True, **kwargs})

class Repeat(BaseMiddleware):
    async def consume_scope(self, call_next, msg):
        msg.body *= 2
        return await call_next(msg)

class RepeatAll(BaseMiddleware):
    async def consume_scope(self, call_next, msg):
        msg.body *= 4
        return await call_next(msg)
'''

#: File, and its text.
FILES = {
    "test_connection": """
from tests.brokers.base.connection import BrokerConnectionTestcase
from .basic import Local
class TestConnection(BrokerConnectionTestcase):
    broker = Local
""",
    "test_consume": """
from tests.brokers.base.consume import BrokerRealConsumeTestcase
from .basic import Real
class TestConsume(Real, BrokerRealConsumeTestcase): ...
""",
    "test_publish": """
from tests.brokers.base.publish import BrokerPublishTestcase
from .basic import Real
class TestPublish(Real, BrokerPublishTestcase): ...
""",
    "test_requests": """
import pytest
from tests.brokers.base.requests import RequestsTestcase
from .basic import Memory, Real, RepeatAll
@pytest.mark.asyncio()
class Requests(RequestsTestcase):
    def get_middleware(self, **kwargs):
        return RepeatAll
class TestRequests(Real, Requests): ...
class TestRequestsInMemory(Memory, Requests): ...
""",
    "test_router": """
from flintmq.integrations.faststream import MQRoute, MQRoutePublisher
from tests.brokers.base.router import RouterLocalTestcase, RouterTestcase
from .basic import Memory, Real
class TestRouter(Real, RouterTestcase):
    route_class, publisher_class = MQRoute, MQRoutePublisher
class TestRouterInMemory(Memory, RouterLocalTestcase):
    route_class, publisher_class = MQRoute, MQRoutePublisher
""",
    "test_include_router": """
from tests.brokers.base.include_router import IncludePublisherTestcase, IncludeSubscriberTestcase
from .basic import Real
class TestSubscriber(Real, IncludeSubscriberTestcase): ...
class TestPublisher(Real, IncludePublisherTestcase): ...
""",
    "test_middlewares": """
from tests.brokers.base.middlewares import (
    ExceptionMiddlewareTestcase, LocalMiddlewareTestcase, MiddlewaresOrderTestcase, MiddlewareTestcase
)
from .basic import Memory, Real
class TestMiddlewares(Real, MiddlewareTestcase): ...
class TestExceptions(Real, ExceptionMiddlewareTestcase): ...
class TestOrder(Memory, MiddlewaresOrderTestcase): ...
class TestMiddlewaresInMemory(Memory, MiddlewareTestcase): ...
class TestExceptionsInMemory(Memory, ExceptionMiddlewareTestcase): ...
""",
    "test_parser": """
from tests.brokers.base.parser import CustomParserTestcase
from .basic import Real
class TestParser(Real, CustomParserTestcase): ...
""",
    "test_codec": '''
import pytest
from tests.brokers.base.codec import BatchCodecTestcase, CodecTestcase
from .basic import Memory
class TestCodec(Memory, CodecTestcase): ...
class TestBatchCodec(Memory, BatchCodecTestcase):
    """The tests publish with topic=, which is Kafka's word for a queue."""
    def get_broker(self, **kwargs):
        broker = super().get_broker(**kwargs)
        subscriber = broker.subscriber
        broker.subscriber = lambda name, **options: subscriber(topic=name, **options)
        return broker
''',
    "test_publish_command": """
from flintmq.integrations.faststream import MQPublishCommand
from tests.brokers.base.publish_command import BatchPublishCommandTestcase
class TestPublishCommand(BatchPublishCommandTestcase):
    publish_command_cls = MQPublishCommand
""",
    "test_address": """
from tests.brokers.base.address import AddressTemplateTestcase
from .basic import Real
class TestAddress(Real, AddressTemplateTestcase):
    template, broker_address = "logs/{level}", "logs/+"
    def get_subscriber_params(self, topic, **kwargs):
        return (), {"topic": topic, **kwargs}
    def get_subscriber_address(self, subscriber):
        return subscriber.address
""",
    "test_testclient": """
from flintmq.integrations.faststream.testing import FakeProducer
from tests.brokers.base.testclient import BrokerTestclientTestcase
from .basic import Memory
class TestClient(Memory, BrokerTestclientTestcase):
    def get_fake_producer_class(self):
        return FakeProducer
""",
    "test_fastapi": """
from flintmq.integrations.faststream import MQRouter
from flintmq.integrations.faststream.fastapi import MQRouter as StreamRouter
from tests.brokers.base.fastapi import FastAPILocalTestcase, FastAPITestcase
from .basic import Local, Memory, Real
class Router(StreamRouter):
    broker_class = Local
    def __init__(self, **kwargs):
        from .basic import URL
        super().__init__(URL, **kwargs)
class TestRouter(Real, FastAPITestcase):
    router_class, broker_router_class = Router, MQRouter
class TestRouterInMemory(Memory, FastAPILocalTestcase):
    router_class, broker_router_class = Router, MQRouter
""",
    "test_opentelemetry": """
from flintmq.integrations.faststream.opentelemetry import MQTelemetryMiddleware
from tests.opentelemetry.basic import LocalTelemetryTestcase
from .basic import Real
class TestTelemetry(Real, LocalTelemetryTestcase):
    messaging_system = "ibmmq"
    include_messages_counters = True
    telemetry_middleware_class = MQTelemetryMiddleware
""",
    "test_prometheus": """
from flintmq.integrations.faststream.prometheus import MQMetricsSettingsProvider, MQPrometheusMiddleware
from tests.prometheus.basic import LocalPrometheusTestcase, LocalRPCPrometheusTestcase
from .basic import Real
class TestPrometheus(Real, LocalPrometheusTestcase, LocalRPCPrometheusTestcase):
    messaging_system = "ibmmq"
    def get_middleware(self, **kwargs):
        return MQPrometheusMiddleware(**kwargs)
    def get_settings_provider(self):
        return MQMetricsSettingsProvider()
""",
}

for _version in ("v2_6_0", "v3_0_0"):
    FILES[f"test_asyncapi_{_version}"] = f"""
from flintmq.integrations.faststream import MQBroker, MQRoute, MQRoutePublisher, MQRouter
from tests.asyncapi.base.{_version}.arguments import ArgumentsTestcase
from tests.asyncapi.base.{_version}.naming import NamingTestCase
from tests.asyncapi.base.{_version}.publisher import PublisherTestcase
from tests.asyncapi.base.{_version}.router import RouterTestcase
class TestArguments(ArgumentsTestcase):
    broker_class = MQBroker
class TestNaming(NamingTestCase):
    broker_class = MQBroker
class TestPublisher(PublisherTestcase):
    broker_class = MQBroker
class TestRouter(RouterTestcase):
    broker_class, router_class = MQBroker, MQRouter
    route_class, publisher_class = MQRoute, MQRoutePublisher
"""


def write_suite(directory: Path, checkout: Path) -> Path:
    """Write the subclasses beside a link to the tests of the checkout, and return their directory."""
    directory.mkdir()
    (directory / "tests").symlink_to(checkout / "tests")
    (directory / "docs").symlink_to(checkout / "docs")
    suite = directory / "mq_suite"
    suite.mkdir()
    (suite / "__init__.py").touch()
    (suite / "conftest.py").write_text(CONFTEST)
    (suite / "basic.py").write_text(BASIC)
    for name, text in FILES.items():
        (suite / f"{name}.py").write_text(text)
    return suite


def install_needs(directory: Path) -> None:
    """Install what the tests import. Raises SystemExit if pip cannot."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target"]
    done = subprocess.run([*command, str(directory), *NEEDS], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"pip cannot install {', '.join(NEEDS)}: {done.stderr.strip()}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Run FastStream's own test classes for brokers against ours.")
    parser.add_argument("path", type=Path, help="a checkout of its repository")
    parser.add_argument("--needs", type=Path, help="packages that the tests import; installed if it is not there")
    given, more = parser.parse_known_args(arguments)
    checkout = given.path.resolve()
    if not (checkout / "tests" / "brokers" / "base" / "consume.py").exists():
        raise SystemExit(f"{given.path} is no checkout of FastStream: tests/brokers/base/consume.py is not there")
    with tempfile.TemporaryDirectory(prefix="flintmq-faststream-") as temporary:
        place = Path(temporary)
        needs = given.needs.resolve() if given.needs else place / "needs"
        if not needs.exists():
            install_needs(needs)
        suite = write_suite(place / "suite", checkout)
        manager = Manager(place / "data")
        report = place / "report.xml"
        try:
            manager.start()
            environment = manager.environment | {
                "PYTHONPATH": os.pathsep.join([manager.environment["PYTHONPATH"], str(suite.parent), str(needs)]),
                "FASTSTREAM_SUITE_URL": (
                    f"mq://admin:{manager.passwords['admin']}@127.0.0.1:{manager.port}/{NAME}?channel=DEV.ADMIN.SVRCONN"
                ),
            }
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(suite.parent)]
            command += ["-p", "pytest_asyncio", "-c", os.devnull, "-W", "ignore", "--tb=short"]
            command += [f"--junitxml={report}", "-o", "junit_family=xunit1", *more, str(suite)]
            code = subprocess.run(command, cwd=suite.parent, env=environment).returncode
        finally:
            manager.end()
        report.write_text(report.read_text().replace('classname="mq_suite.', 'classname="'))
        print(table(report))
    return code


if __name__ == "__main__":
    sys.exit(main())
