"""TimeoutControl and TimeoutNotification: messages that a flow gets later.

TimeoutControl reads a request at `requestLocation` and sends its message on. TimeoutNotification with the same
`uniqueIdentifier` starts a flow when the time has come: in mode `controlled` with the message of the request, in mode
`automatic` with an empty one every `timeoutInterval` seconds. The request, or one like it, is at
LocalEnvironment.TimeoutRequest.

    Action           SET or CANCEL
    Identifier       names the request
    StartDate        TODAY, or yyyy-mm-dd               default TODAY
    StartTime        NOW, or hh:mm:ss                   default NOW
    Interval         seconds between notifications      default 0
    Count            how many; -1 = without end         default 1
    IgnoreMissed     skip notifications that are late   default TRUE
    AllowOverwrite   a request of the same name may be replaced   default TRUE

Requests are trees in the store, so a run time may keep them over a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from flintmq.broker.errors import BrokerError
from flintmq.broker.esql import clock
from flintmq.broker.flow.engine import Invocation, NodeProblem, RuntimeNode, runs
from flintmq.broker.flow.locations import text_of, trees_of
from flintmq.broker.flow.nodes.http_request import location_of
from flintmq.broker.flow.nodes.inputs import Incoming, InputNode
from flintmq.broker.flow.services import TimeoutRequest
from flintmq.broker.flow.state import Timer
from flintmq.broker.tree.assembly import Assembly, new_root
from flintmq.broker.tree.element import Element, copy_element
from flintmq.broker.tree.headers import Template, parse_message
from flintmq.broker.tree.types import NAME
from flintmq.broker.values import Date, Time, Timestamp, parse_date, parse_time, timestamp_of

#: An identifier of a pair of nodes is at most this long.
IDENTIFIER_MAX: Final = 12
_BAD_REQUEST: Final = 4606
_NOT_THERE: Final = 4607
_OVERWRITE: Final = 4608
_PAST: Final = 4609
_MICROS: Final = 1_000_000
#: A hundred years: no timer waits longer.
SECONDS_MAX: Final = 3_200_000_000


def address_of(identifier: str) -> str:
    """Return the address of the timers of a pair of nodes; it is also the area of their requests."""
    return f"timeout:{identifier}"


def checked_identifier(node: RuntimeNode) -> str:
    """Return uniqueIdentifier of a node; raise NodeProblem if it cannot pair two nodes."""
    identifier = node.text("uniqueIdentifier")
    if not identifier:
        raise NodeProblem(f"{node.label}: the property uniqueIdentifier is empty; it pairs two nodes")
    if len(identifier) > IDENTIFIER_MAX:
        raise NodeProblem(f"{node.label}: uniqueIdentifier {identifier!r} is longer than {IDENTIFIER_MAX} characters")
    return identifier


@dataclass(slots=True)
class _Request:
    """A request as a TimeoutControl node reads it."""

    action: str
    identifier: str
    delay: float
    interval: float
    count: int
    ignore_missed: bool
    allow_overwrite: bool


@runs
class TimeoutControl(RuntimeNode):
    """TimeoutControl: sets and cancels timers of a TimeoutNotification node."""

    uses_state = True
    types = ("ComIbmTimeoutControl.msgnode",)

    def prepare(self) -> None:
        self.identifier = checked_identifier(self)
        self.location = location_of(self, "requestLocation", "InputLocalEnvironment.TimeoutRequest")

    def process(self, invocation: Invocation, assembly: Assembly, terminal: str) -> None:
        folder = self.location.find(trees_of(assembly))
        if folder is None:
            raise self._bad("there is no request", self.location.text)
        request = self._read(folder)
        services = invocation.services
        address = address_of(self.identifier)
        known = services.store.get(address, request.identifier) is not None
        if request.action == "CANCEL":
            if not known:
                raise BrokerError(
                    _NOT_THERE,
                    f"there is no request {request.identifier!r} to cancel",
                    inserts=(self.label, request.identifier),
                )
            services.store.delete(address, request.identifier)
            services.cancel_timer(address, request.identifier)
        else:
            if known and not request.allow_overwrite:
                raise BrokerError(
                    _OVERWRITE,
                    f"the request {request.identifier!r} is there already, and AllowOverwrite is FALSE",
                    inserts=(self.label, request.identifier),
                )
            kept = Element("Timeout", None, NAME)
            kept.add("Interval", request.interval)
            kept.add("Left", request.count)
            kept.append(copy_element(folder)).name = "TimeoutRequest"
            message = kept.append(copy_element(assembly.message))
            message.name = "Message"
            services.store.put(address, request.identifier, kept)
            services.set_timer(Timer(address, request.identifier, request.delay))
        services.timeout(
            TimeoutRequest(
                self.label,
                self.identifier,
                request.identifier,
                request.action,
                request.delay,
                request.interval,
                request.count,
                b"",
                assembly.message,
            )
        )
        self.send("out", invocation, assembly)

    def _bad(self, text: str, *inserts: object) -> BrokerError:
        return BrokerError(_BAD_REQUEST, f"the timeout request is not valid: {text}", inserts=(self.label, *inserts))

    def _read(self, folder: Element) -> _Request:
        action = self._text(folder, "Action").upper()
        if action not in ("SET", "CANCEL"):
            raise self._bad(f"Action is {action!r}; it must be SET or CANCEL", action)
        identifier = self._text(folder, "Identifier")
        if not identifier:
            raise self._bad("Identifier is missing")
        if action == "CANCEL":
            return _Request(action, identifier, 0, 0, 0, True, True)
        count = int(self._number(folder, "Count", 1))
        interval = self._number(folder, "Interval", 0)
        if count < -1 or count == 0:
            raise self._bad(f"Count is {count}; it must be -1 or more than 0", count)
        if interval < 0 or interval == 0 and count != 1:
            raise self._bad(f"Interval is {interval}; {count} notifications need one of more than 0 seconds", interval)
        ignore_missed = self._flag(folder, "IgnoreMissed")
        delay = self._delay(folder)
        if delay < 0:
            # The start is over: the notifications that should have come by now are skipped, or come at once.
            if count == 1:
                raise BrokerError(
                    _PAST,
                    f"the start of the request {identifier!r} is {-delay:.0f} seconds ago",
                    inserts=(self.label, identifier),
                )
            if ignore_missed:
                missed = int(-delay // interval) + 1
                if count != -1:
                    count -= missed
                    if count <= 0:
                        raise BrokerError(
                            _PAST,
                            f"all notifications of the request {identifier!r} are over",
                            inserts=(self.label, identifier),
                        )
                delay += missed * interval
            delay = max(0.0, delay)
        return _Request(action, identifier, delay, interval, count, ignore_missed, self._flag(folder, "AllowOverwrite"))

    def _text(self, folder: Element, name: str) -> str:
        value = folder.get(name)
        return "" if value is None else text_of(value).strip()

    def _number(self, folder: Element, name: str, default: float) -> float:
        text = self._text(folder, name)
        if not text:
            return default
        try:
            number = float(text)
        except ValueError:
            raise self._bad(f"{name} is {text!r}, not a number", text) from None
        if not -1 <= number <= SECONDS_MAX:
            raise self._bad(f"{name} is {text}; it must be -1 to {SECONDS_MAX}", text)
        return number

    def _flag(self, folder: Element, name: str) -> bool:
        text = self._text(folder, name).upper()
        if text not in ("", "TRUE", "FALSE"):
            raise self._bad(f"{name} is {text!r}; it must be TRUE or FALSE", text)
        return text != "FALSE"

    def _delay(self, folder: Element) -> float:
        """Return the seconds from now to the start; negative if it is over."""
        now = clock.now().timestamp()
        date, time = folder.get("StartDate"), folder.get("StartTime")
        is_now = time is None or isinstance(time, str) and time.strip().upper() in ("", "NOW")
        is_today = date is None or isinstance(date, str) and date.strip().upper() in ("", "TODAY")
        if is_now and is_today:
            return 0.0
        try:
            day = now.date() if is_today else _date(date)
            moment = now.time() if is_now else _time(time)
        except ValueError as error:
            raise self._bad(f"StartDate or StartTime cannot be read: {error}") from None
        delay = (timestamp_of(day, moment).micros() - now.micros()) / _MICROS
        if delay > SECONDS_MAX:
            raise self._bad("StartDate is too far away")
        return delay


def _date(value: object) -> Date:
    if isinstance(value, Date):
        return value
    if isinstance(value, Timestamp):
        return value.date()
    return parse_date(str(value).strip())


def _time(value: object) -> Time:
    if isinstance(value, Timestamp):
        return clock.to_local(value).time()
    if isinstance(value, Time):
        return clock.time_to_local(value)
    return parse_time(str(value).strip())


@runs
class TimeoutNotification(InputNode):
    """TimeoutNotification: starts a flow when a timer is due."""

    uses_state = True
    types = ("ComIbmTimeoutNotification.msgnode",)
    is_response: ClassVar[bool] = True

    def prepare(self) -> None:
        super().prepare()
        self.identifier = checked_identifier(self)
        self.automatic = self.text("operationMode", "automatic") == "automatic"
        self.interval = self.number("timeoutInterval", 1)
        if self.automatic and not 0 < self.interval <= SECONDS_MAX:
            raise NodeProblem(f"{self.label}: timeoutInterval is {self.interval}; it must be more than 0 seconds")

    @property
    def timer_address(self) -> str:
        """Return the address of the timers of this node."""
        return address_of(self.identifier)

    def first_timers(self) -> list[Timer]:
        """Return the timers that run from the start of the flow."""
        return [Timer(self.timer_address, self.identifier, self.interval)] if self.automatic else []

    def take(self, invocation: Invocation, incoming: Incoming) -> None:
        """Notify now: with a message that is given, or an empty one."""
        invocation.transactional = self.text("transactionMode", "yes") == "yes"
        incoming.local_environment = incoming.local_environment or self._local(None)

        def read() -> Element:
            if not incoming.data:
                return self._empty()
            return parse_message(
                incoming.md, incoming.data, self.template, models=self.flow.models, switches=self.flow.switches
            )

        self.run(invocation, incoming, read, self._empty)

    def due(self, invocation: Invocation, key: str) -> None:
        """Notify for a timer, and set it again if more are to come."""
        services = invocation.services
        if self.automatic:
            services.set_timer(Timer(self.timer_address, key, self.interval))
            self.take(invocation, Incoming())
            return
        kept = services.store.get(self.timer_address, key)
        if kept is None:
            return
        interval, left = kept.get("Interval"), kept.get("Left")
        assert isinstance(interval, int | float) and isinstance(left, int)
        if left == -1 or left > 1:
            following = copy_element(kept)
            following.put("Left", -1 if left == -1 else left - 1)
            services.store.put(self.timer_address, key, following)
            services.set_timer(Timer(self.timer_address, key, float(interval)))
        else:
            services.store.delete(self.timer_address, key)
        message = kept.child("Message")
        assert message is not None
        root = copy_element(message)
        root.name = "Root"
        request = kept.child("TimeoutRequest")
        self.take(invocation, Incoming(root=root, local_environment=self._local(request)))

    def _local(self, request: Element | None) -> Element:
        local = Element("LocalEnvironment", None, NAME)
        if request is not None:
            local.append(copy_element(request))
            return local
        now = clock.now()
        folder = local.folder("TimeoutRequest")
        folder.add("Action", "SET")
        folder.add("Identifier", self.identifier)
        folder.add("StartDate", now.date())
        folder.add("StartTime", now.time())
        folder.add("Count", -1)
        folder.add("Interval", int(self.interval))
        folder.add("IgnoreMissed", "TRUE")
        folder.add("AllowOverwrite", "TRUE")
        return local

    def _empty(self) -> Element:
        """Return the message of an automatic notification: Properties alone."""
        made = parse_message(None, b"", Template(), reply_protocol="")
        return made if made.first_child() is not None else new_root()
