"""MQ's page accounting."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flintmq.store.pages import (
    EXPAND_NONE,
    EXPAND_SYSTEM,
    EXPAND_USER,
    LAYOUT_ONE_EACH,
    LAYOUT_SHARED,
    LAYOUT_V6,
    PAGES_4GB,
    PAGES_64GB,
    PageAccount,
    capacity,
    check_account,
    messages_per_page,
    pages_for,
)


@pytest.mark.parametrize(
    ("smallest", "largest", "pages"),
    [
        (0, 3635, 1),
        (3636, 7683, 2),
        (7684, 11731, 3),
        (11732, 15779, 4),
        (15780, 19827, 5),
        (19828, 23875, 6),
        (23876, 27923, 7),
        (27924, 31971, 8),
    ],
)
def test_a_message_takes_pages_by_its_length(smallest: int, largest: int, pages: int) -> None:
    """B130, B135."""
    assert pages_for(smallest) == pages_for(largest) == pages
    assert pages_for(largest + 1) == pages + 1


@pytest.mark.parametrize(
    ("smallest", "largest", "share"),
    [
        (0, 46, 8),
        (47, 118, 7),
        (119, 215, 6),
        (216, 350, 5),
        (351, 553, 4),
        (554, 891, 3),
        (892, 1567, 2),
        (1568, 3635, 1),
    ],
)
def test_short_messages_share_pages_under_maxshortmsgs_0(smallest: int, largest: int, share: int) -> None:
    """B136."""
    assert messages_per_page(smallest, LAYOUT_SHARED) == messages_per_page(largest, LAYOUT_SHARED) == share
    assert messages_per_page(largest, LAYOUT_ONE_EACH) == 1


def test_the_v6_table() -> None:
    """B137."""
    limits = [33, 78, 135, 207, 304, 439, 642, 980, 1655, 3697]
    assert [messages_per_page(each, LAYOUT_V6) for each in limits] == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert [messages_per_page(each + 1, LAYOUT_V6) for each in limits[:-1]] == [9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert [pages_for(each, LAYOUT_V6) for each in (3697, 3698, 7746, 7747, 32040, 32041)] == [1, 2, 2, 3, 8, 9]


def test_a_page_set_of_20157_pages_takes_19880_messages_of_one_page() -> None:
    """B48, with one index page for 72 messages (B131)."""
    account = PageAccount(5, 20157, EXPAND_NONE)
    taken = 0
    while account.put(1024, False):
        taken += 1
    assert taken == 19880
    assert (account.used, account.index_pages, account.full_count) == (20157, 277, 1)
    assert capacity(20157, 1024) == 19880
    check_account(account)
    account.remove(1024, False)
    assert account.put(1024, False)  # B132: a page is free as soon as its message is gone.


def test_how_many_messages_fit() -> None:
    """B138: about 1M on 4 GB and 16M on 64 GB; a 30 KB message takes eight pages."""
    assert capacity(PAGES_4GB, 100) == 1_034_211
    assert capacity(PAGES_64GB, 100) == 16_547_391
    assert 125_000 < capacity(PAGES_4GB, 30_000) < 131_072
    assert capacity(PAGES_4GB, 10, LAYOUT_SHARED) == 8 * PAGES_4GB
    assert capacity(PAGES_4GB, 5000, LAYOUT_SHARED) == PAGES_4GB // 2
    assert capacity(0, 10) == 0


def test_a_full_page_set_refuses_and_keeps_what_it_has() -> None:
    """B139: the caller gives 2192."""
    account = PageAccount(0, 10, EXPAND_NONE)
    assert all(account.put(3000, True) for _ in range(9))
    assert not account.put(3000, True)
    assert not account.would_fit(0)
    assert (account.messages, account.persistent, account.nonpersistent, account.unused()) == (9, 9, 0, 0)
    check_account(account)


def test_puts_are_slowed_at_85_percent_until_the_page_set_has_expanded() -> None:
    """B140. At 90 % it expands, by a tenth or by the secondary quantity."""
    account = PageAccount(0, 1000, EXPAND_SYSTEM)
    while account.used < 850:
        assert account.put(100, True)
    assert not account.slowed()
    account.put(100, True)
    assert account.slowed()
    while account.expansions == 0:
        assert account.slowed()
        account.put(100, True)
    assert account.total == 1100
    assert account.used == 901
    assert not account.slowed()

    user = PageAccount(0, 1000, EXPAND_USER, secondary=5)
    for _ in range(2000):
        assert user.put(100, False)
    assert user.total > 2000
    assert (user.total - 1000) % 5 == 0
    check_account(user)


def test_expand_none_neither_slows_nor_grows() -> None:
    account = PageAccount(0, 100, EXPAND_NONE)
    while account.put(100, True):
        assert not account.slowed()
    assert account.total == 100
    account.alter(EXPAND_SYSTEM)
    assert account.put(100, True)
    assert account.total > 100


def test_a_page_set_grows_to_its_limit_and_no_further() -> None:
    account = PageAccount(0, 1000, EXPAND_USER, secondary=300, limit=1500)
    while account.put(5000, True):
        pass
    assert account.total == 1500
    assert account.unused() < 3
    assert not account.grow()
    account.raise_total(1 << 40)
    assert account.total == 1500


messages = st.lists(st.tuples(st.integers(0, 40000), st.booleans()), max_size=200)


@pytest.mark.parametrize("layout", [LAYOUT_ONE_EACH, LAYOUT_SHARED, LAYOUT_V6])
@given(sizes=messages, order=st.randoms())
def test_what_comes_and_goes_leaves_nothing(layout: int, sizes: list[tuple[int, bool]], order: object) -> None:
    account = PageAccount(3, 500, EXPAND_NONE, layout=layout)
    there = [message for message in sizes if account.put(*message)]
    check_account(account)
    twin = PageAccount(3, 500, EXPAND_NONE, layout=layout)
    twin.restore(account.pack())
    assert vars_of(twin) == vars_of(account)
    order.shuffle(there)  # type: ignore[attr-defined]
    for length, persistent in there:
        account.remove(length, persistent)
        check_account(account)
        twin.remove(length, persistent)
    assert account.used == twin.used == 0


def vars_of(account: PageAccount) -> tuple[int, ...]:
    return (
        account.total,
        account.used,
        account.messages,
        account.persistent,
        account.nonpersistent,
        account.index_pages,
    )


def test_non_persistent_pages_are_forgotten_at_restart() -> None:
    account = PageAccount(3, 500, EXPAND_NONE)
    for i in range(100):
        account.put(5000, i % 2 == 0)
    account.drop_nonpersistent(50)
    assert (account.messages, account.persistent, account.nonpersistent, account.used) == (50, 100, 0, 101)
    check_account(account)


@given(st.binary(max_size=80))
def test_an_account_is_not_restored_from_garbage(garbage: bytes) -> None:
    account = PageAccount(3, 500, EXPAND_NONE)
    with pytest.raises(ValueError, match="page set 03"):
        account.restore(b"\x07" + garbage)
    with pytest.raises(ValueError, match="page set 03"):
        account.restore(PageAccount(3, 10).pack() + b"\x00" + garbage)
