"""The invariants of a page set (S1 to S4 and S7, see the docstring of this room) as a function, for tests."""

from flintmq.store.chunk import NO_ID, Chunk
from flintmq.store.expiry import START, place_of
from flintmq.store.pageset import PageSet


def check_page_set(page_set: PageSet) -> None:
    """Raise AssertionError with the number of the first invariant that does not hold. Reads every chunk."""
    for queue in page_set.queues():
        lanes = page_set.lanes(queue)
        assert lanes, f"S3: queue {queue} is listed but has no lane"
        for volatile, lane, first, last, live in lanes:
            where = f"queue {queue}, lane {lane}, {'volatile' if volatile else 'stable'}"
            counted = 0
            sequence = 0
            chunk = page_set.chunk_at(volatile, queue, lane, 0)
            assert chunk is not None and chunk.first == first, f"S3: {where} begins at {first}, its chunks do not"
            while chunk is not None:
                assert chunk.first >= sequence, f"S1: {where}: chunk {chunk.first} begins before {sequence}"
                assert chunk.live_count() > 0, f"S2: {where}: chunk {chunk.first} has no live slot"
                counted += chunk.live_count()
                _check_index(page_set, volatile, chunk)
                _check_expiry(page_set, volatile, chunk)
                sequence = chunk.last + 1
                chunk = page_set.chunk_at(volatile, queue, lane, sequence)
            assert sequence == last + 1, f"S3: {where} ends at {last}, its chunks at {sequence - 1}"
            assert counted == live, f"S3: {where} counts {live} messages, its chunks have {counted}"


def _check_index(page_set: PageSet, volatile: bool, chunk: Chunk) -> None:
    for slot in range(chunk.count):
        key = chunk.index_key(slot)
        if key and key != NO_ID:
            found = page_set.lookup(volatile, chunk.queue, key)
            assert (chunk.lane, chunk.first) in found, f"S4: {key.hex()} of chunk {chunk.first} is not in the index"


def _check_expiry(page_set: PageSet, volatile: bool, chunk: Chunk) -> None:
    expiries = chunk.expiries()
    for slot in range(chunk.count):
        if expiries[slot] and not chunk.is_dead(slot):
            found = page_set.expiring(volatile, expiries[slot], START, 1 << 30)
            place = (chunk.queue, chunk.lane, chunk.first)
            assert place in [place_of(entry) for entry in found], f"S7: {place} is not found by expiry {expiries[slot]}"
