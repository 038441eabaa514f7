"""The Kombu transport, on a queue manager in this process and on one over a channel."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

kombu = pytest.importorskip("kombu", reason="Kombu is not installed: pip install 'flintmq[celery]'")

from kombu.exceptions import ChannelError  # noqa: E402

import flintmq  # noqa: E402
import flintmq.integrations.kombu  # noqa: E402
from flintmq.integrations.kombu import address, names  # noqa: E402
from tests.client.remote.serving import Serving  # noqa: E402
from tests.integrations.conftest import CHANNEL  # noqa: E402
from tests.waiting import PATIENCE, until  # noqa: E402
from tools.kombu_suite import Manager  # noqa: E402


@pytest.fixture
def connection(url: str) -> Iterator[Any]:
    with kombu.Connection(url) as made:
        yield made


@pytest.fixture
def queue() -> str:
    """A queue name that no other test has."""
    return f"test-{uuid4()}"


class Collector:
    """Callback that collects messages."""

    def __init__(self, connection: Any, queue: str, prefetch_count: int = 0, no_ack: bool = False) -> None:
        self.connection = connection
        self.channel = connection.channel()
        self.messages: list[Any] = []
        self.channel.queue_declare(queue, durable=True)
        if prefetch_count:
            self.channel.basic_qos(0, prefetch_count, False)
        self.tag = self.channel.basic_consume(queue, no_ack=no_ack, callback=self.messages.append)

    def drain(self, count: int) -> list[Any]:
        """Wait until `count` messages have come."""
        end = time.monotonic() + PATIENCE
        while len(self.messages) < count:
            self.connection.drain_events(timeout=max(0.0, end - time.monotonic()))
        return self.messages

    def nothing_more(self) -> bool:
        with pytest.raises(TimeoutError):
            self.connection.drain_events(timeout=0.3)
        return True


def bodies(messages: list[Any]) -> list[str]:
    return [message.body.decode() for message in messages]


def put(connection: Any, queue: str, *texts: str, **options: Any) -> None:
    channel = connection.default_channel
    channel.queue_declare(queue, durable=True)
    for text in texts:
        kombu.Producer(channel).publish(text, routing_key=queue, **options)


def depth(connection: Any, queue: str) -> int:
    count: int = connection.default_channel.queue_declare(queue, passive=True).message_count
    return count


def test_headers_properties_and_body_arrive_as_they_were_sent(connection: Any, queue: str) -> None:
    headers = {"task": "a.b", "timelimit": [None, 3], "nested": {"é": 1.5}}
    put(
        connection, queue, "text", headers=headers, priority=7, correlation_id="c" * 40, reply_to="reply-queue",
        content_type="text/plain", content_encoding="utf-8", expiration=60, app_id="me",
    )  # fmt: skip
    message = connection.default_channel.basic_get(queue)
    assert message.body == b"text"
    assert message.headers == headers
    assert (message.content_type, message.content_encoding) == ("text/plain", "utf-8")
    properties = message.properties
    assert (properties["correlation_id"], properties["reply_to"], properties["app_id"]) == (
        "c" * 40,
        "reply-queue",
        "me",
    )
    assert (properties["priority"], properties["delivery_mode"]) == (7, 2)
    assert message.delivery_info == {"exchange": "", "routing_key": queue, "redelivered": False, "priority": 7}
    message.ack()
    assert connection.default_channel.basic_get(queue) is None


def test_a_message_that_is_not_acknowledged_goes_back_when_the_connection_ends(url: str, queue: str) -> None:
    with kombu.Connection(url) as keeper:  # It keeps a queue manager in this process open.
        put(keeper, queue, "1", "2")
        with kombu.Connection(url) as first:
            assert bodies(Collector(first, queue).drain(2)) == ["1", "2"]
            assert depth(first, queue) == 0
        assert depth(keeper, queue) == 2
        again = Collector(keeper, queue).drain(2)
        assert bodies(again) == ["1", "2"]
        assert [message.delivery_info["redelivered"] for message in again] == [True, True]


def test_a_consumer_hears_that_its_connection_was_lost() -> None:
    """Kombu makes a new connection in place of one that is not connected; on that, nothing would be consumed."""
    serving = Serving()
    try:
        serving.qm.queue("Q", create=True)
        address = f"flintmq://127.0.0.1:{serving.port}/QM1?channel={CHANNEL}"
        with kombu.Connection(address) as consuming:
            got: list[Any] = []
            queue = kombu.Queue("Q", exchange=kombu.Exchange(""), routing_key="Q")
            consumer = kombu.Consumer(consuming.channel(), [queue], callbacks=[lambda body, message: got.append(body)])
            consumer.consume()
            with kombu.Connection(address) as sending:
                sending.Producer().publish("hello", routing_key="Q", exchange="")
            consuming.drain_events(timeout=PATIENCE)
            assert got == ["hello"]
            serving.cut()
            with pytest.raises(consuming.connection_errors):
                consuming.drain_events(timeout=PATIENCE)
    finally:
        serving.close()


def test_a_requeued_message_comes_before_later_ones(connection: Any, queue: str) -> None:
    put(connection, queue, "1", "2", "3")
    collector = Collector(connection, queue, prefetch_count=1)
    collector.drain(1)[0].requeue()
    assert bodies(collector.drain(2)) == ["1", "1"]


def test_no_more_messages_than_the_prefetch_count_are_taken(connection: Any, queue: str) -> None:
    put(connection, queue, *map(str, range(10)))
    collector = Collector(connection, queue, prefetch_count=3)
    collector.drain(3)
    assert collector.nothing_more() and depth(connection, queue) == 7
    collector.messages[1].ack()
    collector.drain(4)
    assert collector.nothing_more() and depth(connection, queue) == 6
    collector.channel.basic_qos(0, 5, False)
    assert bodies(collector.drain(6)) == list("012345")
    assert collector.nothing_more() and depth(connection, queue) == 4


def test_messages_are_acknowledged_one_by_one_and_by_other_threads(connection: Any, queue: str) -> None:
    put(connection, queue, *map(str, range(40)))
    collector = Collector(connection, queue)
    taken = list(collector.drain(40))
    threads = [threading.Thread(target=message.ack) for message in taken[::2]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    collector.channel.close()
    assert depth(connection, queue) == 20
    assert bodies(Collector(connection, queue).drain(20)) == [str(number) for number in range(1, 40, 2)]


def test_acknowledging_several_takes_those_before(connection: Any, queue: str) -> None:
    put(connection, queue, "1", "2", "3")
    collector = Collector(connection, queue)
    collector.drain(3)[1].ack(multiple=True)
    collector.channel.close()
    assert bodies(Collector(connection, queue).drain(1)) == ["3"]


def test_a_cancelled_consumer_takes_nothing_and_its_messages_can_be_acknowledged(connection: Any, queue: str) -> None:
    put(connection, queue, "1")
    collector = Collector(connection, queue)
    message = collector.drain(1)[0]
    assert collector.nothing_more()  # By now the puller waits for long.
    collector.channel.basic_cancel(collector.tag)
    put(connection, queue, "2")
    other = connection.default_channel.basic_get(queue)
    assert other.body == b"2" and not other.delivery_info["redelivered"]
    message.ack()
    other.ack()
    collector.channel.close()
    assert depth(connection, queue) == 0


def test_a_channel_consumes_from_several_queues_with_one_prefetch_count(connection: Any, queue: str) -> None:
    queues = [f"{queue}-{number}" for number in range(3)]
    collector = Collector(connection, queues[0], prefetch_count=1)
    for other in queues[1:]:
        collector.channel.queue_declare(other, durable=True)
        collector.channel.basic_consume(other, callback=collector.messages.append)
    for turn in range(3):
        for name in queues:
            put(connection, name, f"{name}/{turn}")
    for count in range(1, 10):
        collector.drain(count)[-1].ack()
    assert sorted(bodies(collector.messages)) == sorted(f"{name}/{turn}" for name in queues for turn in range(3))


def test_a_consumer_without_acknowledgements_leaves_nothing_behind(connection: Any, queue: str) -> None:
    put(connection, queue, "1", "2")
    collector = Collector(connection, queue, no_ack=True)
    collector.drain(2)
    collector.channel.close()
    assert depth(connection, queue) == 0


def test_a_message_expires(connection: Any, queue: str) -> None:
    put(connection, queue, "short", expiration=0.1)
    put(connection, queue, "long")
    over = time.monotonic() + 0.2
    until(lambda: time.monotonic() > over)
    assert connection.default_channel.basic_get(queue).body == b"long"


def test_bindings_are_seen_by_other_connections(url: str, queue: str) -> None:
    exchange = kombu.Exchange(f"ex-{queue}", type="topic")
    with kombu.Connection(url) as consumer, kombu.Connection(url) as producer:
        temporary = kombu.Queue(f"tmp-{queue}", exchange, routing_key="task.#", auto_delete=True, durable=False)
        durable = kombu.Queue(queue, exchange, routing_key="task.*.done")
        for each in (temporary, durable):
            each(consumer.default_channel).declare()
        publish = kombu.Producer(producer.default_channel, exchange).publish
        for key in ("task", "task.a", "task.a.done", "other"):
            publish(key, routing_key=key)
        assert depth(consumer, temporary.name) == 3
        assert depth(consumer, queue) == 1
        durable(consumer.default_channel).unbind_from(exchange, "task.*.done")
        publish("x", routing_key="task.b.done")
        assert depth(consumer, queue) == 1


def test_a_queue_that_is_bound_twice_gets_one_copy(connection: Any, queue: str) -> None:
    channel = connection.default_channel
    channel.exchange_declare(f"ex-{queue}", "topic")
    channel.queue_declare(queue, durable=True)
    for key in ("a.*", "#"):
        channel.queue_bind(queue, f"ex-{queue}", key)
    kombu.Producer(channel).publish("1", exchange=f"ex-{queue}", routing_key="a.b")
    assert depth(connection, queue) == 1


def test_a_temporary_queue_ends_with_its_connection(url: str, queue: str) -> None:
    with kombu.Connection(url) as keeper:
        with kombu.Connection(url) as owner:
            owner.default_channel.queue_declare(queue, exclusive=True)
            kombu.Producer(keeper.default_channel).publish("persistent", routing_key=queue)
            assert depth(keeper, queue) == 1
        with pytest.raises(ChannelError, match="NOT_FOUND"):
            depth(keeper, queue)


def test_purge_delete_and_what_is_not_there(connection: Any, queue: str) -> None:
    channel = connection.default_channel
    put(connection, queue, "1", "2")
    assert channel.queue_purge(queue) == 2
    put(connection, queue, "3")
    assert channel.queue_delete(queue, if_empty=True) == 0 and depth(connection, queue) == 1
    assert channel.queue_delete(queue) == 1
    assert channel.queue_delete(queue) == 0
    for call in (channel.queue_purge, channel.basic_get, channel.basic_consume):
        with pytest.raises(ChannelError, match="NOT_FOUND"):
            call(queue)
    kombu.Producer(channel).publish("nobody", routing_key=queue)  # Dropped, as AMQP says.
    with pytest.raises(ChannelError, match="NOT_FOUND"):
        kombu.Producer(channel).publish("nobody", routing_key=queue, mandatory=True)


def test_an_exchange_of_a_kind_that_is_not_served_is_refused(connection: Any) -> None:
    channel = connection.default_channel
    with pytest.raises(ChannelError, match="headers"):
        channel.exchange_declare("ex", "headers")
    channel.exchange_declare("ex", "direct")
    with pytest.raises(ChannelError, match="PRECONDITION_FAILED"):
        channel.exchange_declare("ex", "topic")
    with pytest.raises(ChannelError, match="NOT_FOUND"):
        channel.exchange_declare("other", passive=True)


def test_a_message_of_another_mq_program_is_readable(manager: Manager, queue: str) -> None:
    with kombu.Connection(f"{manager.url}?channel={CHANNEL}") as connection:
        put(connection, queue)
        with flintmq.connect(
            "", channel=CHANNEL, conn=f"127.0.0.1({manager.port})", user="admin", password=manager.password
        ) as qm:
            name = names.queue_name(queue)
            qm.queue(name).put("hello", properties={"color": "red"}, priority=3)
            qm.queue(name).put(b"\x00\x01")
        text, data = (connection.default_channel.basic_get(queue) for _ in range(2))
        assert (text.payload, text.headers, text.delivery_info["priority"]) == ("hello", {"color": "red"}, 3)
        assert (data.body, data.content_type) == (b"\x00\x01", "application/data")


def test_a_message_that_is_requeued_too_often_goes_to_the_backout_queue(manager: Manager, queue: str) -> None:
    with kombu.Connection(f"{manager.url}?channel={CHANNEL}") as connection:
        put(connection, "backout")
        put(connection, queue, "poison")
        name = names.queue_name(queue)
        with flintmq.connect(
            "", channel=CHANNEL, conn=f"127.0.0.1({manager.port})", user="admin", password=manager.password
        ) as qm:
            qm.mqsc(f"ALTER QLOCAL('{name}') BOTHRESH(2) BOQNAME('backout')")
        with kombu.Connection(f"{manager.url}?channel={CHANNEL}") as consumer:
            collector = Collector(consumer, queue)
            for count in (1, 2):
                collector.drain(count)[-1].requeue()
            assert collector.nothing_more()
            until(lambda: collector.nothing_more() and depth(connection, "backout") == 1)


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("flintmq://host/QM1", "name the server-connection channel"),
        ("flintmq://host/QM1?channel=A&colour=red", "colour"),
        ("flintmq+embedded://host/QM1", "without a host"),
        ("flintmq+embedded:///", "without a host"),
    ],
)
def test_a_url_that_is_wrong_says_why(url: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        kombu.Connection(url).connect()


def test_the_parts_of_a_url_and_transport_options_become_arguments_of_connect() -> None:
    url = "flintmq://us%40er:pass%2Fword@host:1415/QM1?channel=A&cipher_spec=ANY_TLS12_OR_HIGHER"
    found = address.address_of(url, "", "", None, "/", {"channel": "B", "queue_prefix": "DEV."}, 5)
    assert (found.name, found.queue_prefix) == ("QM1", "DEV.")
    assert found.options == {
        "channel": "B", "cipher_spec": "ANY_TLS12_OR_HIGHER", "conn": "host(1415)", "user": "us@er",
        "password": "pass/word", "timeout": 5.0, "reconnect": "no",
    }  # fmt: skip


def test_a_password_is_not_shown() -> None:
    shown = kombu.Connection("flintmq://app:secret@host/QM1?channel=A").as_uri()
    assert "secret" not in shown and "app" in shown


def test_the_transport_can_be_given_by_its_path() -> None:
    found = kombu.Connection("any://host/QM1?channel=A", transport="flintmq.integrations.kombu:Transport").transport
    assert isinstance(found, flintmq.integrations.kombu.Transport)
