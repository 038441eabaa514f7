"""Fixtures: a broker in this process on a queue manager that serves; its workers are processes of their own."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flintmq.broker.admin import control, process
from flintmq.broker.admin.administration import Administration
from flintmq.broker.admin.place import Place, locate
from flintmq.broker.admin.repository import Repository
from flintmq.broker.runtime.decisions import create_queue
from flintmq.broker.runtime.log import BrokerLog
from tests.client.remote.serving import CHANNEL, Serving


class Desk:
    """A broker with one execution group, driven by requests over its control socket."""

    def __init__(self, place: Place, serving: Serving) -> None:
        self.serving = serving
        self.qm = serving.qm
        self.place = place
        self.said = io.StringIO()
        process.create(place, "QM1", {"channel": CHANNEL, "conn": serving.conn})
        self.repository = Repository(place.name, place.repository_url())
        self.admin = Administration(place, self.repository, BrokerLog(place.name, stream=self.said), live=True)
        self.server = control.ControlServer(self.admin, lambda: None)
        self.server.start()

    def ask(self, do: str, **fields: Any) -> tuple[int, str]:
        """Send a request; return the exit code and the lines."""
        lines: list[str] = []
        code = control.ask(self.place, {"do": do, **fields}, lines.append)
        return code, "\n".join(lines)

    def do(self, do: str, **fields: Any) -> str:
        """Send a request that must be obeyed."""
        code, text = self.ask(do, **fields)
        assert code == 0, text
        return text

    def close(self) -> None:
        self.server.close()
        self.admin.stop_groups()
        self.repository.close()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One broker and group for the tests of a file; each test deploys what it needs with `clear`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLINTMQ_DATA", str(tmp_path_factory.mktemp("data")))
        serving = Serving()
        for name in ("IN", "OUT", "OTHER", "SYSTEM.BROKER.STATE.DEFAULT", "SYSTEM.BROKER.STATE.SECOND"):
            serving.qm.queue(name, create=True)
        create_queue(serving.qm)
        made = Desk(locate("BRK"), serving)
        try:
            made.do("create group", group="default")
            made.do("change properties", group="default", object="ExecutionGroup", values={"workers": "1"})
            yield made
        finally:
            made.close()
            serving.close()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data directory."""
    monkeypatch.setenv("FLINTMQ_DATA", str(tmp_path / "data"))
    assert os.environ["FLINTMQ_DATA"]
    return tmp_path / "data"
