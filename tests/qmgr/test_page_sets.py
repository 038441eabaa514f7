"""Page sets as an administrator sees them: how many messages fit, what happens when they are full, who leads to which.

The arithmetic itself is tested in tests/store/test_pages.py; here it is met through puts and gets.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from flintmq.catalogue.attribute import Value
from flintmq.mqi.reason import MQRC_NONE, MQRC_PAGESET_FULL
from flintmq.qmgr.place import SLOW_DOWN_MS
from flintmq.store.pages import (
    LAYOUT_SHARED,
    PageAccount,
    capacity,
    check_account,
    messages_per_page,
    pages_for,
)
from tests.qmgr.conftest import App
from tests.qmgr.machine import Definition, Machine, fill

DEEP: dict[str, Value] = {"MAXDEPTH": 999_999_999, "MAXMSGL": 104_857_600}


def page_set(psid: int, pages: int, expand: str = "NONE", pool: int = 0) -> Definition:
    return ("PSID", str(psid), {"PAGES": pages, "EXPAND": expand, "BUFFPOOL": pool})


def machine_with(pages: int, expand: str = "NONE", buffers: int = 100_000) -> Machine:
    return Machine("memory", None, [page_set(0, pages, expand), ("QLOCAL", "Q", DEEP)], buffers)


def account_of(machine: Machine, psid: int = 0) -> PageAccount:
    return machine.qm.accounts[psid]


def put_until_full(app: App, queue: str, length: int = 1024, **fields: Any) -> int:
    """How many messages fit; the last put was refused with 2192 (B139)."""
    count = 0
    while True:
        answered = app.put(queue, f"{count}:".encode().ljust(length, b"."), **fields)
        if answered.reason == MQRC_PAGESET_FULL:
            assert answered.completion == 2
            return count
        assert answered.reason == MQRC_NONE
        count += 1


# -- full -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("buffers", [100_000, 50])
def test_a_full_page_set_answers_2192_and_nothing_is_lost(buffers: int) -> None:
    """B139. It does not matter whether the messages are in memory or have been written."""
    machine = machine_with(300, buffers=buffers)
    app = machine.connect()
    count = put_until_full(app, "Q", persistence=1)
    assert count == capacity(300, 1024)
    assert machine.depth("Q") == count
    assert account_of(machine).full_count == 1
    assert put_until_full(app, "Q") == 0

    assert machine.contents("Q") == [f"{number}:".encode().ljust(1024, b".") for number in range(count)]
    assert app.get("Q").reason == MQRC_NONE
    assert put_until_full(app, "Q") == 1
    assert len(app.drain("Q")) == count


def test_a_put_under_syncpoint_takes_its_pages_at_once_and_gives_them_back_on_backout() -> None:
    machine = machine_with(74)
    app = machine.connect()
    fill(app, "Q", 72, syncpoint=True, persistence=1)
    assert account_of(machine).used == 73
    assert app.put("Q", b"", syncpoint=True).reason == MQRC_PAGESET_FULL
    assert machine.queue("Q").uncommitted == 72

    app.backout()
    assert account_of(machine).used == 0
    fill(app, "Q", 72, syncpoint=True)
    app.commit()
    assert machine.depth("Q") == 72


def test_2192_leaves_the_unit_of_work_intact() -> None:
    """B139: the application can commit what it has, or back it out."""
    machine = machine_with(12)
    app = machine.connect()
    put = fill(app, "Q", 11, persistence=1, syncpoint=True)
    assert app.put("Q", b"one too many", persistence=1, syncpoint=True).reason == MQRC_PAGESET_FULL
    app.commit()
    machine.log.flush()
    machine.crash()
    assert machine.contents("Q") == put


def test_page_sets_are_full_one_by_one() -> None:
    """B48: the page set of one queue is full, those of the others are not."""
    machine = Machine(
        "memory",
        None,
        [
            page_set(0, 1000),
            page_set(1, 30),
            ("STGCLASS", "SMALL", {"PSID": 1}),
            ("QLOCAL", "A", DEEP),
            ("QLOCAL", "B", {**DEEP, "STGCLASS": "SMALL"}),
        ],
    )
    app = machine.connect()
    assert put_until_full(app, "B") == 29
    fill(app, "A", 500)
    assert (machine.depth("A"), machine.depth("B")) == (500, 29)


# -- how many fit ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [10, 40])
def test_the_depth_at_which_a_page_set_is_full_is_that_of_the_report(scale: int) -> None:
    """B48: 1 KiB messages stop at 19,980 of a 20,157-page set. Ours has one index page for each 72 messages (B131),
    which gives 19,880 (the report's text prints 19,881); the same at a tenth and at a fortieth of the size."""
    assert abs(capacity(20_157, 1024) - 19_881) <= 1
    pages = 20_157 // scale
    machine = machine_with(pages)
    assert put_until_full(machine.connect(), "Q") == capacity(pages, 1024)
    assert abs(machine.depth("Q") * scale - 19_881) <= 2 * scale


@pytest.mark.parametrize(
    ("length", "pages"), [(0, 1), (3635, 1), (3636, 2), (7683, 2), (7684, 3), (11_731, 3), (27_924, 8), (31_971, 8)]
)
def test_a_message_takes_the_pages_of_its_size_class(length: int, pages: int) -> None:
    """B130, B135; and one index page for the first message (B131)."""
    machine = machine_with(1000)
    app = machine.connect()
    app.put("Q", bytes(length), persistence=1)
    assert (account_of(machine).used, account_of(machine).persistent) == (pages + 1, pages)
    app.put("Q", bytes(length))
    assert (account_of(machine).used, account_of(machine).nonpersistent) == (2 * pages + 1, pages)
    assert machine.queue("Q").pool.used == 2 * pages


def test_an_index_page_covers_72_messages() -> None:
    """B131."""
    machine = machine_with(1000)
    app = machine.connect()
    for count, index in ((72, 1), (1, 2), (71, 2), (1, 3)):
        fill(app, "Q", count)
        assert account_of(machine).index_pages == index


@pytest.mark.parametrize(
    ("length", "share"), [(0, 8), (46, 8), (47, 7), (215, 6), (350, 5), (553, 4), (891, 3), (1567, 2), (1568, 1)]
)
def test_with_shared_pages_several_short_messages_fit_one(length: int, share: int) -> None:
    """B134, B136: TUNE MAXSHORTMSGS 0. No index pages then."""
    machine = machine_with(50)
    account = PageAccount(0, 50, "NONE", 0, LAYOUT_SHARED)
    machine.qm.accounts[0] = machine.queue("Q").account = account
    assert messages_per_page(length) == share
    app = machine.connect()
    count = 0
    while app.put("Q", bytes(length)).reason == MQRC_NONE:
        count += 1
    assert count == 50 * share == capacity(50, length, LAYOUT_SHARED)
    assert account.index_pages == 0
    assert len(app.drain("Q")) == count
    assert account.used == 0


# -- free -----------------------------------------------------------------------------------------------------------


def test_a_page_is_free_as_soon_as_its_message_is_gone() -> None:
    """B132: nothing runs in the background; the index page goes with the last of its messages."""
    machine = machine_with(1000)
    app = machine.connect()
    fill(app, "Q", 72, length=5000)
    assert account_of(machine).used == 72 * 2 + 1
    for left in range(71, 0, -1):
        app.get("Q")
        assert account_of(machine).used == left * 2 + 1
    app.get("Q")
    assert account_of(machine).used == 0


def test_a_message_got_under_syncpoint_keeps_its_page_until_the_commit() -> None:
    machine = machine_with(1000)
    app = machine.connect()
    fill(app, "Q", 1, persistence=1)
    app.get("Q", syncpoint=True)
    assert account_of(machine).used == 2
    app.commit()
    assert account_of(machine).used == 0


@pytest.mark.parametrize("seed", range(5))
def test_pages_in_use_are_those_of_the_messages_that_are_there(seed: int) -> None:
    """B132, over a random life with spills, expiry, units of work and restarts."""
    machine = machine_with(100_000, buffers=60)
    random = Random(seed)
    for _ in range(3):
        app = machine.connect()
        for _ in range(200):
            if random.random() < 0.6:
                app.put(
                    "Q",
                    bytes(random.choice([0, 3000, 4000, 30_000])),
                    persistence=random.randrange(2),
                    syncpoint=random.random() < 0.3,
                    expiry=random.choice([-1, -1, 5]),
                )
            elif random.random() < 0.8:
                app.get("Q", syncpoint=random.random() < 0.3)
            else:
                random.choice([app.commit, app.backout])()
            machine.clock.advance(10)
        app.backout()
        machine.log.flush()
        machine.crash()
        app = machine.connect()
        lengths = []
        while (got := app.browse("Q")).completion == 0:
            lengths.append(got.data_length)
        account = account_of(machine)
        expected = sum(pages_for(length) for length in lengths)
        assert (account.persistent, account.nonpersistent) == (expected, 0)
        check_account(account)


# -- expansion ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("expand", ["USER", "SYSTEM"])
def test_a_page_set_that_may_expand_does_and_is_never_full(expand: str) -> None:
    machine = machine_with(100, expand)
    fill(machine.connect(), "Q", 500)
    account = account_of(machine)
    assert account.total > 500 and account.expansions > 0 and account.full_count == 0


def test_an_expanded_page_set_is_as_large_after_a_restart() -> None:
    machine = machine_with(100, "SYSTEM")
    fill(machine.connect(), "Q", 300, persistence=1)
    total, expansions = account_of(machine).total, account_of(machine).expansions
    machine.bounce()
    assert (account_of(machine).total, account_of(machine).expansions) == (total, expansions)
    machine.connect().drain("Q")
    machine.bounce()
    assert account_of(machine).total == total


def test_a_page_set_that_was_full_is_full_after_a_restart() -> None:
    """B139."""
    machine = machine_with(100)
    count = put_until_full(machine.connect(), "Q", persistence=1)
    machine.log.flush()
    for restart in (machine.crash, machine.bounce):
        restart()
        assert account_of(machine).total == 100
        assert put_until_full(machine.connect(), "Q") == 0
        assert machine.depth("Q") == count


def test_a_full_page_set_does_not_keep_restart_from_going_through_all_it_once_held() -> None:
    """The page set is newer than the checkpoint: replay puts again what was got meanwhile, beside what came instead."""
    machine = machine_with(60, buffers=20)
    app = machine.connect()
    count = put_until_full(app, "Q", persistence=1)
    for number in range(200):
        app.get("Q")
        fill(app, "Q", 1, 1000 + number, persistence=1)
    machine.log.flush()
    put = machine.contents("Q")
    machine.crash(lose_page_sets=False)
    assert machine.contents("Q") == put and len(put) == count
    assert account_of(machine).total == 60
    assert put_until_full(machine.connect(), "Q") == 0


def test_a_full_page_set_can_be_made_to_expand_while_it_is_in_use() -> None:
    machine = machine_with(50)
    app = machine.connect()
    count = put_until_full(app, "Q")
    assert machine.admin.alter("PSID", "0", {"EXPAND": "USER"}, False) == MQRC_NONE
    fill(app, "Q", 100)
    assert machine.depth("Q") == count + 100


def test_puts_are_slowed_down_from_85_percent_on_so_that_the_page_set_can_expand() -> None:
    """B140: the host holds the reply back for as long as connection.delay_ms says."""
    machine = machine_with(1000, "USER")
    app = machine.connect()
    slowed_at = 0
    while not app.connection.delay_ms:
        slowed_at += 1
        fill(app, "Q", 1)
    account = account_of(machine)
    assert app.connection.delay_ms == SLOW_DOWN_MS
    assert account.used == 851 and account.total == 1000
    while account.total == 1000:
        app.connection.delay_ms = 0
        fill(app, "Q", 1)
    app.connection.delay_ms = 0
    fill(app, "Q", 1)
    assert app.connection.delay_ms == 0, "it has expanded"


def test_puts_to_a_page_set_that_cannot_expand_are_not_slowed_down() -> None:
    """B139, B140: there is nothing to wait for; it is full when it is full."""
    machine = machine_with(100)
    app = machine.connect()
    put_until_full(app, "Q")
    assert app.connection.delay_ms == 0


# -- STGCLASS to PSID to BUFFPOOL -----------------------------------------------------------------------------------


@pytest.fixture
def chain() -> Iterator[Machine]:
    """Three page sets on two buffer pools, and a storage class for each page set."""
    machine = Machine(
        "memory",
        None,
        [
            ("BUFFPOOL", "1", {"BUFFERS": 50}),
            page_set(0, 10_000),
            page_set(1, 10_000, pool=1),
            page_set(2, 10_000, pool=1),
            ("STGCLASS", "ONE", {"PSID": 1}),
            ("STGCLASS", "TWO", {"PSID": 2}),
            ("QLOCAL", "Q0", DEEP),
            ("QLOCAL", "Q1", {**DEEP, "STGCLASS": "ONE"}),
            ("QLOCAL", "Q2", {**DEEP, "STGCLASS": "TWO"}),
            ("QLOCAL", "LOST", {**DEEP, "STGCLASS": "NOWHERE"}),
        ],
    )
    yield machine
    machine.qm.check()


def test_a_queue_is_on_the_page_set_and_in_the_pool_that_its_storage_class_leads_to(chain: Machine) -> None:
    places = {name: (queue.pager.psid, queue.pool.pool) for name, queue in chain.qm.queues.items()}
    assert places == {"Q0": (0, 0), "Q1": (1, 1), "Q2": (2, 1), "LOST": (0, 0)}


def test_page_sets_that_share_a_pool_spill_together_and_others_do_not(chain: Machine) -> None:
    """B145: a page set with a pool of its own is not disturbed by the others."""
    app = chain.connect()
    fill(app, "Q0", 100)
    fill(app, "Q1", 40)
    fill(app, "Q2", 40)
    spilled = {name: chain.queue(name).spilled_count for name in ("Q0", "Q1", "Q2")}
    assert spilled["Q0"] == 0 and spilled["Q1"] + spilled["Q2"] > 30
    assert chain.qm.pools[1].used <= 50
    assert [len(app.drain(name)) for name in ("Q0", "Q1", "Q2")] == [100, 40, 40]


def test_messages_are_accounted_for_on_the_page_set_of_their_queue(chain: Machine) -> None:
    app = chain.connect()
    fill(app, "Q1", 3, persistence=1)
    fill(app, "Q2", 5, length=5000)
    assert [chain.qm.accounts[psid].used for psid in (0, 1, 2)] == [0, 4, 11]


def test_an_empty_queue_follows_its_storage_class_to_another_page_set(chain: Machine) -> None:
    app = chain.connect()
    fill(app, "Q1", 200, persistence=1)
    app.drain("Q1")
    assert chain.admin.alter("STGCLASS", "ONE", {"PSID": 2}, False) == MQRC_NONE
    assert chain.queue("Q1").pager.psid == 2
    put = fill(app, "Q1", 200, persistence=1)
    chain.log.flush()
    assert chain.qm.accounts[1].used == 0
    chain.crash()
    assert (chain.queue("Q1").pager.psid, chain.contents("Q1")) == (2, put)


def test_a_smaller_pool_is_relieved_at_once(chain: Machine) -> None:
    app = chain.connect()
    put = fill(app, "Q0", 1000)
    assert chain.queue("Q0").spilled_count == 0
    assert chain.admin.alter("BUFFPOOL", "0", {"BUFFERS": 100}, False) == MQRC_NONE
    assert chain.qm.pools[0].used <= 100
    assert app.drain("Q0") == put


def test_page_sets_of_one_queue_manager_come_back_with_their_queues(chain: Machine) -> None:
    app = chain.connect()
    put = {name: fill(app, name, 150, persistence=1) for name in ("Q0", "Q1", "Q2")}
    chain.bounce()
    assert {name: chain.contents(name) for name in put} == put
    assert [chain.qm.accounts[psid].used for psid in (0, 1, 2)] == [153, 153, 153]


# -- replay over a page set that is newer than the log record ---------------------------------------------------------


def test_a_message_put_after_a_clear_and_got_does_not_come_back_though_the_clear_read_it_from_the_page_set() -> None:
    """R1. Replay clears what it had spilled itself, in a range that also has a later message of the newer page set."""
    objects: list[Definition] = [
        ("PSID", "0", {}),
        ("PSID", "1", {}),
        ("STGCLASS", "OTHER", {"PSID": 1}),
        ("QLOCAL", "Q", DEEP),
        ("QLOCAL", "FILLER", {**DEEP, "STGCLASS": "OTHER"}),
    ]
    machine = Machine("memory", None, objects, 12)
    app = machine.connect()
    app.put("Q", b"1", persistence=1)
    fill(app, "FILLER", 40, persistence=1)
    app.put("Q", b"2")
    app.close("Q")
    assert machine.admin.clear("Q") == MQRC_NONE
    app.put("Q", b"3", persistence=1)
    fill(app, "FILLER", 40)
    machine.memory(0).sync()
    assert machine.memory(0).lanes(machine.queue("Q").queue_id)
    assert app.get("Q").data == b"3"
    machine.log.flush()
    machine.crash()
    assert (machine.depth("Q"), machine.depth("FILLER")) == (0, 40)
