"""Types for arguments of handlers that FastStream fills in: the message, the broker, the connection's logger."""

from __future__ import annotations

from typing import Annotated

from faststream._internal.context import Context
from faststream.annotations import ContextRepo, Logger
from faststream.params import NoCast

from flintmq.integrations.faststream.broker import MQBroker as _MQBroker
from flintmq.integrations.faststream.message import MQMessage as _MQMessage

__all__ = ["ContextRepo", "Logger", "MQBroker", "MQMessage", "NoCast"]

MQMessage = Annotated[_MQMessage, Context("message")]
MQBroker = Annotated[_MQBroker, Context("broker")]
