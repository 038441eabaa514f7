"""The source and the sink `mq` over TCP: with a password, a client channel definition table, and TLS."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="the pipeline needs PySpark: the spark extra")

import pyarrow as pa
from pyspark.sql.streaming.datasource import ReadMaxRows

from flintmq.pipeline.sources.mq_connection import MQConnection, Refused
from flintmq.pipeline.sources.mq_options import sink_options, source_options
from flintmq.pipeline.sources.mq_read import MqStreamReader
from flintmq.pipeline.sources.mq_write import Unit, decide, write_task
from tests.pipeline.manager import NAME, Manager
from tests.server.test_tls import make_key

CHANNEL = "DEV.APP.SVRCONN"
SECRET = "passw0rd"


@pytest.fixture
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> Iterator[Manager]:
    """One that wants the password of `app`, and has a key if it is reached by TLS."""
    monkeypatch.setenv("MQ_APP_PASSWORD", SECRET)
    manager = Manager(tmp_path)
    if way == "tls":
        key, certificate = make_key(tmp_path, "server", f"/CN={NAME}")
        ssl = manager.place.directory / "ssl"
        ssl.mkdir(exist_ok=True)
        (ssl / "key.pem").write_bytes(key.read_bytes() + certificate.read_bytes())
        (tmp_path / "trust.pem").write_bytes(certificate.read_bytes())
    manager.start()
    manager.command("DEFINE QLOCAL(DEV.STATE)")
    yield manager
    manager.end()


def moved(place: dict[str, str]) -> list[Any]:
    """Write a row to a queue, and read and remove it, as Spark does."""
    sink = sink_options({**place, "queue": "DEV.QUEUE.1", "stateQueue": "DEV.STATE"}, streaming=True)
    unit = Unit(random.randbytes(16), 0)
    decide(sink, unit, write_task(iter([pa.record_batch({"body": [b"over there" * 10_000]})]), sink, unit).branches)
    reader = MqStreamReader(source_options({**place, "queue": "DEV.QUEUE.1", "columns": "body"}))
    end = reader.latestOffset({}, ReadMaxRows(9))
    rows = [row for work in reader.partitions({}, end) for batch in reader.read(work) for row in batch.to_pylist()]
    reader.commit(end)
    reader.stop()
    return [row["body"] for row in rows]


@pytest.mark.parametrize("way", ["conn", "alone", "ccdt", "compressed", "tls"])
def test_a_row_goes_there_and_back_over_tcp(guarded: Manager, tmp_path: Path, way: str) -> None:
    (tmp_path / "secret").write_text(SECRET + "\n")
    place = {"queueManager": NAME, "user": "app", "passwordFile": str(tmp_path / "secret")}
    if way == "alone":
        guarded.command(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SHARECNV(0)")
    if way == "compressed":
        guarded.command(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) COMPHDR(SYSTEM) COMPMSG(ZLIBFAST)")
    if way in ("ccdt", "compressed"):
        at = {"connection": [{"host": "127.0.0.1", "port": guarded.port}], "queueManager": NAME}
        channel: dict[str, Any] = {"name": CHANNEL, "type": "clientConnection", "clientConnection": at}
        if way == "compressed":
            channel["compression"] = {"header": ["system"], "message": ["zlibfast"]}
        table = {"channel": [channel]}
        (tmp_path / "ccdt.json").write_text(json.dumps(table))
        place["ccdt"] = str(tmp_path / "ccdt.json")
    else:
        place |= {"channel": CHANNEL, "conn": f"127.0.0.1({guarded.port})"}
    if way == "tls":
        guarded.command(f"ALTER CHANNEL({CHANNEL}) CHLTYPE(SVRCONN) SSLCIPH(ANY_TLS13) SSLCAUTH(OPTIONAL)")
        with pytest.raises(Refused, match="2397|2393|2059|2539"):
            moved(place)
        place |= {"cipherSpec": "ANY_TLS13", "keyRepository": str(tmp_path / "trust")}

    with MQConnection(source_options({**place, "queue": "DEV.QUEUE.1"}).place) as link:
        assert link.in_bulk == (way != "alone")
        assert (link.mqi.wire.session.compression is not None) == (way == "compressed")
    assert moved(place) == [b"over there" * 10_000]
    assert guarded.bodies("DEV.QUEUE.1") == []

    (tmp_path / "secret").write_text("guess\n")
    with pytest.raises(Refused, match="2035") as refused:
        moved(place)
    assert "guess" not in str(refused.value)
