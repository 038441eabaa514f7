"""The common base of brokers and routers: `subscriber` and `publisher`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from faststream._internal.broker.registrator import Registrator
from faststream._internal.broker.router import ArgsContainer, BrokerRouter, SubscriberRoute
from faststream._internal.constants import EMPTY
from faststream._internal.endpoint.subscriber.call_item import CallsCollection
from faststream.exceptions import SetupError
from faststream.middlewares import AckPolicy

from flintmq.integrations.faststream.config import (
    MQBrokerConfig,
    MQPublisherConfig,
    MQPublisherSpecificationConfig,
    MQSubscriberConfig,
    MQSubscriberSpecificationConfig,
    Place,
)
from flintmq.integrations.faststream.publisher import MQPublisher, MQPublisherSpecification
from flintmq.integrations.faststream.subscriber import MQSubscriber, MQSubscriberSpecification


class MQRegistrator(Registrator[Any, MQBrokerConfig]):
    """Declares subscribers and publishers."""

    def subscriber(  # type: ignore[override]
        self,
        queue: str = "",
        *,
        topic: str = "",
        durable_name: str | None = None,
        selector: str = "",
        max_workers: int = 1,
        batch: bool = False,
        max_records: int = 10,
        batch_wait: float = 0.0,
        create: bool | Mapping[str, Any] = False,
        ack_policy: AckPolicy = EMPTY,
        no_reply: bool = False,
        dependencies: Sequence[Any] = (),
        parser: Any = None,
        decoder: Any = None,
        codec: Any = None,
        persistent: bool = True,
        title: str | None = None,
        description: str | None = None,
        include_in_schema: bool = True,
    ) -> MQSubscriber:
        """Subscribe a handler to a queue or a topic.

        `queue` is the name of a queue; `topic` a topic string, with the wildcards + and #, or with parameters as in
        prices/{metal}. A subscription with a `durable_name` stays when the program ends; another sees only messages
        published meanwhile. `selector` is an SQL-92 condition on properties: "color = 'red' AND size > 3".

        `max_workers` messages are handled at a time, each on a connection of its own. With `batch` the handler gets a
        list of up to `max_records` messages that are there, or come in `batch_wait` seconds, in one unit of work.

        `create` defines the queue if it is not there; a mapping has its attributes: {"bothresh": 3}.

        `ack_policy` sets the end of the unit of work; REJECT_ON_ERROR unless the router or the broker says otherwise.
        `no_reply`, `dependencies`, `parser`, `decoder`, `codec`, `persistent` and the rest are FastStream's.
        """
        if durable_name and not topic:
            raise SetupError("durable_name is for subscribers of a topic")
        _check_limits(max_workers, max_records, batch_wait)
        config = MQSubscriberConfig(
            _outer_config=cast("Any", self.config),
            _ack_policy=ack_policy,
            no_reply=no_reply,
            place=Place.of(queue, topic),
            selector=selector,
            durable_name=durable_name,
            max_workers=max_workers,
            batch=batch,
            max_records=max_records,
            batch_wait=batch_wait,
            create=create,
        )
        described = MQSubscriberSpecificationConfig(
            place=config.place, title_=title, description_=description, include_in_schema=include_in_schema
        )
        subscriber = _make_subscriber(config, described)
        super().subscriber(subscriber, persistent=persistent)
        parser, decoder = parser or self._parser, decoder or self._decoder
        return subscriber.add_call(parser_=parser, decoder_=decoder, codec_=codec, dependencies_=dependencies)

    def publisher(  # type: ignore[override]
        self,
        queue: str = "",
        *,
        topic: str = "",
        reply_to: str = "",
        headers: dict[str, Any] | None = None,
        priority: int | None = None,
        persistence: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
        retain: bool = False,
        batch: bool = False,
        persistent: bool = True,
        title: str | None = None,
        description: str | None = None,
        schema: Any | None = None,
        include_in_schema: bool = True,
    ) -> MQPublisher:
        """Declare a publisher to a queue or a topic: a decorator, and an object with `publish` and `request`.

        `reply_to`, `headers`, `priority`, `expiry`, `delay` and `retain` are for each message; see MQBroker.publish.
        `persistence` says whether messages are persistent; None leaves it to the queue (DEFPSIST). `persistent` is
        FastStream's word for an endpoint that the broker keeps. With `batch` a handler returns a list of messages.
        """
        place = Place.of(queue, topic)
        outer: Any = self.config
        config = MQPublisherConfig(
            _outer_config=outer,
            place=place,
            reply_to=reply_to,
            headers=headers or {},
            priority=priority,
            persistent=persistence,
            expiry=expiry,
            delay=delay,
            retain=retain,
            batch=batch,
        )
        specification = MQPublisherSpecification(
            outer,
            MQPublisherSpecificationConfig(
                place=place,
                schema_=schema,
                title_=title,
                description_=description,
                include_in_schema=include_in_schema,
            ),
        )
        publisher = MQPublisher(config, specification)
        super().publisher(publisher, persistent=persistent)
        return publisher

    def include_router(self, router: Registrator[Any, Any], **options: Any) -> None:
        """Include the subscribers and publishers of a router. Raises SetupError for a router of another broker."""
        if not isinstance(router, MQRegistrator):
            raise SetupError(f"MQBroker includes an MQRouter, not {type(router).__name__}")
        super().include_router(router, **options)


class MQRoutePublisher(ArgsContainer):
    """The arguments of `publisher`, for an MQRoute."""


class MQRoute(SubscriberRoute):
    """A handler with the arguments of `subscriber`, for MQRouter(handlers=...)."""

    def __init__(
        self, call: Callable[..., Any], queue: str = "", *, publishers: Iterable[MQRoutePublisher] = (), **options: Any
    ) -> None:
        super().__init__(call, queue, publishers=publishers, **options)


class MQRouter(MQRegistrator, BrokerRouter[Any, MQBrokerConfig]):
    """Subscribers and publishers that a broker includes."""

    def __init__(
        self,
        prefix: str = "",
        handlers: Iterable[MQRoute] = (),
        *,
        dependencies: Sequence[Any] = (),
        middlewares: Sequence[Any] = (),
        routers: Iterable[MQRegistrator] = (),
        parser: Any = None,
        decoder: Any = None,
        codec: Any = None,
        include_in_schema: bool | None = None,
        ack_policy: AckPolicy = EMPTY,
    ) -> None:
        super().__init__(
            handlers=handlers,
            config=MQBrokerConfig(
                prefix=prefix,
                ack_policy=ack_policy,
                broker_dependencies=dependencies,
                broker_middlewares=middlewares,
                broker_parser=parser,
                broker_decoder=decoder,
                broker_codec=codec,
                include_in_schema=include_in_schema,
            ),
            routers=routers,
        )


def _make_subscriber(config: MQSubscriberConfig, described: MQSubscriberSpecificationConfig) -> MQSubscriber:
    """Return a subscriber without handlers."""
    calls: CallsCollection[Any] = CallsCollection()
    specification = MQSubscriberSpecification(cast("Any", config._outer_config), described, calls)
    return MQSubscriber(config, specification, calls)


def _check_limits(max_workers: int, max_records: int, batch_wait: float) -> None:
    if max_workers < 1 or max_records < 1 or batch_wait < 0:
        raise SetupError("max_workers and max_records are at least 1, batch_wait is not negative")
