"""MQBroker: the connection, and the services of a broker for FastStream's applications."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

from faststream._internal.broker import BrokerUsecase
from faststream._internal.constants import EMPTY
from faststream._internal.context.repository import ContextRepo
from faststream._internal.di import FastDependsConfig
from faststream._internal.logger import DefaultLoggerStorage, make_logger_state
from faststream._internal.logger.logging import get_broker_logger
from faststream.message import gen_cor_id
from faststream.middlewares import AckPolicy
from faststream.response.publish_type import PublishType
from faststream.security import BaseSecurity
from faststream.specification.schema import BrokerSpec

from flintmq.client.remote.aio import AsyncRemoteQueueManager, aconnect
from flintmq.integrations.faststream.command import TIMEOUT_S, MQPublishCommand
from flintmq.integrations.faststream.config import MQBrokerConfig
from flintmq.integrations.faststream.connection import DEFAULT_URL, parse_url, public_url, security_options
from flintmq.integrations.faststream.message import MQMessage
from flintmq.integrations.faststream.producer import MQProducer
from flintmq.integrations.faststream.registrator import MQRegistrator
from flintmq.mqi.call_errors import MQError


class _LogLines(DefaultLoggerStorage):
    """The layout of log lines: as wide as the longest queue name."""

    def __init__(self) -> None:
        super().__init__()
        self._width = 4

    def register_subscriber(self, params: dict[str, Any]) -> None:
        self._width = max(self._width, len(params.get("queue", "")))

    def get_logger(self, *, context: ContextRepo) -> Any:
        logger = self._get_logger_ref()
        if logger is None:
            logger = get_broker_logger(
                name="mq",
                default_context={"queue": ""},
                message_id_ln=10,
                fmt=(f"%(asctime)s %(levelname)-8s - %(queue)-{self._width}s | %(message_id)-10s - %(message)s"),
                context=context,
                log_level=self.logger_log_level,
            )
            self._logger_ref.add(logger)
        return logger


class MQBroker(MQRegistrator, BrokerUsecase[Any, AsyncRemoteQueueManager, MQBrokerConfig]):
    """FastStream's broker for FlintMQ.

    `url` is mq://user:password@host:1414/QM1?channel=DEV.APP.SVRCONN, or mqs:// for TLS (connection.py). The keyword
    arguments `queue_manager`, `channel`, `conn`, `user`, `password`, `application`, `cipher_spec`, `key_repository` and
    so on are those of `flintmq.aconnect` and count more than the URL; `security` counts most.

    A lost connection is made again (`reconnect="yes"`). `create_queues` defines queues that are not there when they are
    subscribed or put to; that needs authority for commands, and is for development and tests. `graceful_timeout` is how
    many seconds handlers have to finish at `stop`. The rest is FastStream's.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        queue_manager: str | None = None,
        security: BaseSecurity | None = None,
        create_queues: bool = False,
        graceful_timeout: float | None = 15.0,
        ack_policy: AckPolicy = EMPTY,
        decoder: Any = None,
        parser: Any = None,
        codec: Any = None,
        dependencies: Sequence[Any] = (),
        middlewares: Sequence[Any] = (),
        routers: Iterable[MQRegistrator] = (),
        id_generator: Any = gen_cor_id,
        specification_url: str | None = None,
        protocol: str | None = None,
        protocol_version: str | None = None,
        description: str | None = None,
        tags: Iterable[Any] = (),
        logger: Any = EMPTY,
        log_level: int = logging.INFO,
        apply_types: bool = True,
        serializer: Any = EMPTY,
        provider: Any = None,
        context: ContextRepo | None = None,
        **options: Any,
    ) -> None:
        name, from_url = parse_url(url)
        connection = {"reconnect": "yes", **from_url, **options, **security_options(security)}
        self._queue_manager = name if queue_manager is None else queue_manager
        super().__init__(
            **connection,
            routers=routers,
            config=MQBrokerConfig(
                producer=MQProducer(parser, decoder, create_queues),
                create_queues=create_queues,
                broker_middlewares=middlewares,
                broker_parser=parser,
                broker_decoder=decoder,
                broker_codec=codec,
                logger=make_logger_state(logger=logger, log_level=log_level, default_storage_cls=_LogLines),
                fd_config=_injection(apply_types, serializer, provider, context),
                broker_dependencies=dependencies,
                graceful_timeout=graceful_timeout,
                ack_policy=ack_policy,
                id_generator=id_generator,
                extra_context={"broker": self},
            ),
            specification=BrokerSpec(
                description=description,
                url=[specification_url or public_url(self._queue_manager, connection)],
                protocol=protocol or ("ibmmq-secure" if connection.get("cipher_spec") else "ibmmq"),
                protocol_version=protocol_version,
                tags=tags,
                security=security,
            ),
        )

    # -- lifecycle ----------------------------------------------------------------------------------------------------

    async def _connect(self) -> AsyncRemoteQueueManager:
        """Raises flintmq.MQError if the queue manager cannot be reached."""
        told = self._connection_kwargs.get("on_event", self._on_event)
        qm = await aconnect(self._queue_manager, **{**self._connection_kwargs, "on_event": told})
        self.config.broker_config.connect(qm)
        return qm

    def _on_event(self, reason: int, text: str) -> None:
        self.config.logger.log(text, logging.WARNING, {"queue": "", "message_id": ""})

    async def start(self) -> None:
        """Connect, and start the subscribers. Raises flintmq.MQError."""
        await self.connect()
        await super().start()

    async def stop(
        self,
        exc_type: type[BaseException] | None = None,
        exc_val: BaseException | None = None,
        exc_tb: TracebackType | None = None,
    ) -> None:
        """Stop the subscribers and disconnect. A unit of work that is not committed is backed out."""
        await super().stop(exc_type, exc_val, exc_tb)
        qm, self._connection = self._connection, None
        if qm is not None:
            await qm.close()
        self.config.broker_config.disconnect()

    async def ping(self, timeout: float | None = None) -> bool:
        """Return whether the queue manager answers in time."""
        qm = self._connection
        if qm is None:
            return False
        try:
            async with asyncio.timeout(timeout):
                await qm.flush()
        except (MQError, TimeoutError):
            return False
        return True

    # -- publish ------------------------------------------------------------------------------------------------------

    async def publish(
        self,
        message: Any = None,
        queue: str = "",
        *,
        topic: str = "",
        reply_to: str = "",
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
        retain: bool = False,
        syncpoint: bool | None = None,
    ) -> bytes:
        """Put a message to `queue`, or publish it to `topic`, and return its message id.

        `reply_to` is the queue for the answer. `headers` become message properties (headers.py). `priority` is 0 to 9,
        `persistent` whether the message survives a restart of the queue manager; None leaves both to the queue.
        `expiry` and `delay` are seconds: until the message is discarded, and before it can be got. A publication with
        `retain` is sent to later subscribers too.

        In a handler the put is part of the unit of work of the message that is handled: it can be got when that is
        acknowledged. With `syncpoint=False` it can be got at once.
        """
        command = MQPublishCommand(
            message,
            queue=queue,
            topic=topic,
            reply_to=reply_to,
            headers=headers,
            correlation_id=correlation_id or self.config.id_generator(),
            priority=priority,
            persistent=persistent,
            expiry=expiry,
            delay=delay,
            retain=retain,
            syncpoint=syncpoint,
            _publish_type=PublishType.PUBLISH,
        )
        found: bytes = await self._basic_publish(command, producer=self.config.producer)
        return found

    async def publish_batch(
        self,
        *messages: Any,
        queue: str = "",
        topic: str = "",
        reply_to: str = "",
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
        delay: float | None = None,
        syncpoint: bool | None = None,
    ) -> list[bytes]:
        """Put messages in one unit of work, all or none; return their message ids."""
        if not messages:
            return []
        command = MQPublishCommand(
            *messages,
            queue=queue,
            topic=topic,
            reply_to=reply_to,
            headers=headers,
            correlation_id=correlation_id or self.config.id_generator(),
            priority=priority,
            persistent=persistent,
            expiry=expiry,
            delay=delay,
            syncpoint=syncpoint,
            _publish_type=PublishType.PUBLISH,
        )
        found: list[bytes] = await self._basic_publish_batch(command, producer=self.config.producer)
        return found

    async def request(  # type: ignore[override]
        self,
        message: Any = None,
        queue: str = "",
        *,
        timeout: float = TIMEOUT_S,
        headers: dict[str, Any] | None = None,
        correlation_id: str | None = None,
        priority: int | None = None,
        persistent: bool | None = None,
        expiry: float | None = None,
    ) -> MQMessage:
        """Put a request to `queue` and return its answer. Raises TimeoutError if none comes in `timeout` seconds.

        The answer comes to a temporary queue that belongs to a connection of the broker.
        """
        command = MQPublishCommand(
            message,
            queue=queue,
            headers=headers,
            correlation_id=correlation_id or self.config.id_generator(),
            priority=priority,
            persistent=persistent,
            expiry=expiry,
            timeout=timeout,
            _publish_type=PublishType.REQUEST,
        )
        found: MQMessage = await self._basic_request(command, producer=self.config.producer)
        return found


def _injection(apply_types: bool, serializer: Any, provider: Any, context: ContextRepo | None) -> FastDependsConfig:
    """Return the settings of dependency injection. Without a provider, FastStream's own is used."""
    given: dict[str, Any] = {} if provider is None else {"provider": provider}
    return FastDependsConfig(
        use_fastdepends=apply_types, serializer=serializer, context=context or ContextRepo(), **given
    )
