"""The settings of records and metrics: the stanza `Telemetry` of qm.ini.

    Telemetry:
       SMFStat=1,4,5            statistics classes that are started with the queue manager
       SMFAcct=3                accounting classes that are started with the queue manager
       SMFDirectory=smf         where dump files go; below the queue manager's directory unless absolute
       SMFFileSize=256          MiB of a dump file
       SMFFiles=0               dump files that are kept, 0 for all
       SMFCompression=none      none, gzip or zstd (Python 3.14, or zstandard or pyarrow), when a file is closed
       SMFSystem=HOST           four characters, the system in the records; else the beginning of the host's name
       SMFSubsystem=QM1         four characters, the queue manager in the records; else the beginning of its name
       SystemInterval=30.00     the meaning of STATIME(0)
       MetricsPort=9157         an endpoint for Prometheus on this port; 0, as without it: none
       MetricsAddress=127.0.0.1

An invalid value is reported in the error log and ignored; the queue manager starts without it.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from flintmq.catalogue.attribute import ValueRejected, interval_seconds, parse_value
from flintmq.catalogue.attributes import find_attribute
from flintmq.mqi.trace_words import ACCTG, CLASSES, STAT
from flintmq.qmgr.calls import SYSTEM_INTERVAL_S

#: How a dump file is compressed when it is closed, and the suffix that it gets.
COMPRESSIONS = {"none": "", "gzip": ".gz", "zstd": ".zst"}
FILE_SIZE_MAX = 2047
PORT_MAX = 65_535


class BadSetting(Exception):
    """A value that a setting does not allow; the text names both."""


@dataclass
class Settings:
    """The stanza, understood."""

    statistics: tuple[int, ...] = ()
    accounting: tuple[int, ...] = ()
    directory: str = "smf"
    file_bytes: int = 256 * 1024 * 1024
    files_max: int = 0
    compression: str = "none"
    system: str = ""
    subsystem: str = ""
    system_interval_s: int = SYSTEM_INTERVAL_S
    metrics_port: int = 0
    metrics_address: str = "127.0.0.1"


def read(values: Mapping[str, str], q_mgr: str, problem: Callable[[str], None]) -> Settings:
    """Read the settings, and call `problem` with a text for each invalid value."""
    settings = Settings(system=_four(socket.gethostname().partition(".")[0].upper()), subsystem=_four(q_mgr))
    readers: dict[str, Callable[[str], None]] = {
        "smfstat": lambda text: setattr(settings, "statistics", _classes(STAT, text)),
        "smfacct": lambda text: setattr(settings, "accounting", _classes(ACCTG, text)),
        "smfdirectory": lambda text: setattr(settings, "directory", _some(text)),
        "smffilesize": lambda text: setattr(settings, "file_bytes", _number(text, 1, FILE_SIZE_MAX) << 20),
        "smffiles": lambda text: setattr(settings, "files_max", _number(text, 0, 999)),
        "smfcompression": lambda text: setattr(settings, "compression", _word(text, tuple(COMPRESSIONS))),
        "smfsystem": lambda text: setattr(settings, "system", _four(_some(text))),
        "smfsubsystem": lambda text: setattr(settings, "subsystem", _four(_some(text))),
        "systeminterval": lambda text: setattr(settings, "system_interval_s", _interval(text)),
        "metricsport": lambda text: setattr(settings, "metrics_port", _number(text, 0, PORT_MAX)),
        "metricsaddress": lambda text: setattr(settings, "metrics_address", _some(text)),
    }
    for key, text in values.items():
        reader = readers.get(key.lower())
        try:
            if reader is None:
                raise BadSetting("is not a key of this stanza")
            reader(text.strip())
        except BadSetting as error:
            problem(f"qm.ini, stanza Telemetry: {key}={text}: {error}; it is left out")
    return settings


def _four(text: str) -> str:
    return text[:4]


def _some(text: str) -> str:
    if not text:
        raise BadSetting("a value is missing")
    return text


def _number(text: str, low: int, high: int) -> int:
    if not text.isascii() or not text.isdigit() or not low <= int(text[:9]) <= high:
        raise BadSetting(f"must be a number from {low} to {high}")
    return int(text)


def _word(text: str, words: tuple[str, ...]) -> str:
    if text.lower() not in words:
        raise BadSetting(f"must be {', '.join(words)}")
    return text.lower()


def _classes(kind: str, text: str) -> tuple[int, ...]:
    allowed = CLASSES[kind]
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isascii() and word.isdigit() and int(word[:4]) in allowed for word in words):
        raise BadSetting(f"must be classes of {kind}: {', '.join(str(each) for each in allowed)}")
    return tuple(sorted({int(word) for word in words}))


def _interval(text: str) -> int:
    attribute = find_attribute("SYSTEM", "STATIME")
    assert attribute is not None
    try:
        seconds = interval_seconds(str(parse_value(attribute, [text])))
    except ValueRejected:
        seconds = 0
    if not seconds:
        raise BadSetting("must be minutes or minutes.seconds, from 0.01 to 1440")
    return seconds
