"""The data file of an LMDB environment, looked at from outside LMDB.

LMDB trusts its file: a file that is too short kills the process with SIGBUS, one with a wrong page size may do worse.
So the two meta pages are read and checked here before LMDB sees the file. As LMDB 0.9 writes them on a 64-bit
little-endian machine:

    offset  field     type  value
         0  pgno      u64   0 or 1
        10  flags     u16   8 = meta page
        16  magic     u32   0xBEEFC0DE
        20  version   u32   1
        32  map size  u64
        40  page size u32   4096 here; the first field of the free list's record
       136  last page u64   number of the last page in use
       144  txn id    u64   the larger one of the two counts

Whether the rest of the file is as it was written is told by walking through every page, which takes a hundredth of a
second for a megabyte; or, after a clean end, by the seal, a file of one line beside it, which takes next to nothing:

    FLSEAL 1 <txn id> <size> <CRC32C of the file in hexadecimal>

A file that is large and was not sealed (the process was killed) is only looked at by its meta pages.

The meta pages are written again, as they were read, before LMDB opens the file. LMDB writes a meta page after the data
it speaks of was synced, and leaves its own sync to the next commit. If that sync fails, Linux keeps the page in memory,
marks it clean and never writes it, so the disk has an older meta page. LMDB would reuse pages that the older one needs,
and a power failure would find a file that is not whole.
"""

import errno
import importlib
import os
import struct
import sys
from typing import Final

from crc32c import crc32c

from flintmq.store.errors import PageSetDamaged

PAGE: Final = 4096
DATA_FILE: Final = "data.mdb"
SEAL_FILE: Final = "data.seal"
LOCK_FILE: Final = "lock.mdb"
#: What a system call says of a disk, a quota or a file that can take no more.
DISK_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOCK_BYTES: Final = 8192
RESERVE_BYTES: Final = 1 << 17
WALK_BYTES_MAX: Final = 8 << 20
_MAGIC: Final = 0xBEEFC0DE
_ADVICE: Final = "restore it from a backup, or start from an empty page set and lose what it held"


def _meta(path: str, page: bytes, number: int) -> tuple[int, int]:
    """(transaction, last page) of a meta page that is as it should be."""
    pgno = struct.unpack_from("<Q", page, 0)[0]
    flags = struct.unpack_from("<H", page, 10)[0]
    magic, version = struct.unpack_from("<II", page, 16)
    if magic != _MAGIC or pgno != number or not flags & 8:
        raise PageSetDamaged(path, f"meta page {number} is not one of LMDB's; {_ADVICE}")
    if version != 1:
        raise PageSetDamaged(path, f"meta page {number} has data version {version}, this program reads version 1")
    size = struct.unpack_from("<I", page, 40)[0]
    if size != PAGE:
        raise PageSetDamaged(path, f"meta page {number} says pages have {size} bytes, not {PAGE}; {_ADVICE}")
    last, transaction = struct.unpack_from("<QQ", page, 136)
    return transaction, last


def check_data_file(path: str, thorough: bool = False) -> None:
    """Raise PageSetDamaged unless LMDB can be trusted with the file; `thorough`: walk through it whatever its size.

    A missing or empty file is fine: LMDB makes a new one.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(2 * PAGE)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        return
    if size == 0:
        return
    if len(head) < 2 * PAGE:
        raise PageSetDamaged(path, f"has {size} bytes, less than its two meta pages; {_ADVICE}")
    if sys.byteorder != "little":
        return
    transaction, last = max(_meta(path, head[:PAGE], 0), _meta(path, head[PAGE:], 1))
    needed = (last + 1) * PAGE
    sealed = _sealed_crc(path, transaction, size)
    if sealed >= 0:
        thorough = thorough or sealed != _crc(path)  # A batch that was cut off may have written free pages only.
    elif size <= WALK_BYTES_MAX:
        thorough = True
    if size < needed or thorough:
        _walk(path, size, needed)


def write_meta_again(path: str) -> None:
    """Write the two meta pages as they were read, and sync them. A missing or empty file is left alone.

    Raises OSError. Not for a file that LMDB is writing to.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        head = os.pread(fd, 2 * PAGE, 0)
        if len(head) == 2 * PAGE:
            os.pwrite(fd, head, 0)
            os.fdatasync(fd)
    finally:
        os.close(fd)


def reserve_lock_file(directory: str) -> None:
    """Give the lock file of an environment its blocks. Raises OSError if the disk has no room for them.

    LMDB writes to the file through a map. On a full disk that would kill the process with SIGBUS.
    """
    fd = os.open(os.path.join(directory, LOCK_FILE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, _LOCK_BYTES)
    except OSError as error:
        if error.errno in DISK_FULL:
            raise
    finally:
        os.close(fd)


def reserve_pages(path: str, used: int) -> None:
    """Give a file that LMDB uses up to `used` bytes some blocks behind them, if the disk has room. Raises nothing.

    LMDB never overwrites a page in place, so even a batch that only removes something writes new pages first. With the
    reserve it can do so on a full disk, and messages that are got make room.
    """
    try:
        size = os.path.getsize(path)
        if size >= used + RESERVE_BYTES:
            return
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.posix_fallocate(fd, size, used + 2 * RESERVE_BYTES - size)
        finally:
            os.close(fd)
    except OSError:
        return


def _crc(path: str) -> int:
    check = 0
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            check = crc32c(part, check)
    return check


def _sealed_crc(path: str, transaction: int, size: int) -> int:
    """The CRC32C in the seal, or -1 if there is none for the file as it is now."""
    try:
        with open(os.path.join(os.path.dirname(path), SEAL_FILE), encoding="ascii") as file:
            words = file.read(200).split()
        if words[:4] == ["FLSEAL", "1", str(transaction), str(size)]:
            return int(words[4], 16)
    except (OSError, ValueError, IndexError):
        return -1
    return -1


def seal_data_file(path: str) -> None:
    """Write the seal of a file that LMDB has closed. Without one the file is as good, only slower to check."""
    try:
        with open(path, "rb") as file:
            head = file.read(2 * PAGE)
            size = os.fstat(file.fileno()).st_size
        transaction, _ = max(_meta(path, head[:PAGE], 0), _meta(path, head[PAGE:], 1))
        with open(os.path.join(os.path.dirname(path), SEAL_FILE), "w", encoding="ascii") as seal:
            seal.write(f"FLSEAL 1 {transaction} {size} {_crc(path):08x}\n")
    except (OSError, struct.error, PageSetDamaged):
        return


def _walk(path: str, size: int, needed: int) -> None:
    """Check every page. A file may lawfully end before its last page if that page is free, so only this can tell."""
    errors: list[str]
    try:
        errors = list(importlib.import_module("lmdb.verify").verify(path))
    except ImportError:  # An LMDB binding before 3.0 brings no verifier.
        errors = ["pages are missing"] if size < needed else []
    except Exception as error:  # The verifier stops with one of its own when it cannot even begin.
        errors = [str(error)]
    if errors and size < needed:
        raise PageSetDamaged(path, f"is cut off: it has {size} bytes of {needed}; {_ADVICE}")
    if errors:
        raise PageSetDamaged(path, f"is damaged: {errors[0]}; {_ADVICE}")


def room_for(path: str, more: int) -> int:
    """Whether a file could grow by `more` bytes: 0, or the errno of the obstacle. The file stays as it is."""
    fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        size = os.fstat(fd).st_size
        try:
            os.posix_fallocate(fd, size, more)
        except OSError as error:
            return error.errno or 0
        finally:
            os.ftruncate(fd, size)
        return 0
    finally:
        os.close(fd)
