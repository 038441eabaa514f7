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

Large values are not read through LMDB's map but with pread(): where a value is in the file follows from where LMDB's
view of it is in memory. The first touch of a mapped page costs three times a pread() of the same bytes, and touched
pages count as memory of the process. Those that LMDB itself touches are let go now and then (release()), which keeps
the resident set small however much has been read.
"""

import ctypes
import importlib
import os
import struct
import sys
from typing import Final

from flintmq.store.errors import PageSetDamaged

PAGE: Final = 4096
DATA_FILE: Final = "data.mdb"
_MAGIC: Final = 0xBEEFC0DE
_MADV_DONTNEED: Final = 4
_PAGE_HEADER: Final = 16
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
    """Raise PageSetDamaged unless LMDB can be trusted with the file. A missing or empty file is fine: LMDB makes a
    new one.

    The quick check costs two page reads. `thorough` walks every page of every tree, at about 100 MB of tree a second.
    """
    try:
        size = os.stat(path).st_size
        if size == 0:
            return
        with open(path, "rb") as file:
            head = file.read(2 * PAGE)
    except FileNotFoundError:
        return
    if len(head) < 2 * PAGE:
        raise PageSetDamaged(path, f"has {size} bytes, less than its two meta pages; {_ADVICE}")
    if sys.byteorder != "little":
        return
    newest = max(_meta(path, head[:PAGE], 0), _meta(path, head[PAGE:], 1))
    needed = (newest[1] + 1) * PAGE
    if size < needed or thorough:
        _walk(path, size, needed)


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


class _Buffer(ctypes.Structure):
    """The beginning of CPython's Py_buffer, and more than enough room for the rest of it."""

    _fields_ = (("buf", ctypes.c_void_p), ("rest", ctypes.c_byte * 248))


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = (ctypes.POINTER(_Buffer),)
_release_buffer.restype = None


class DataFile:
    """The data file of an open environment."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._buffer = _Buffer()
        self._buffer_at = ctypes.pointer(self._buffer)
        self._start = 0
        self._size = 0
        self.find_map()

    def close(self) -> None:
        os.close(self._fd)

    def find_map(self) -> None:
        """Find out where the file is mapped. To be called again after LMDB has mapped it anew."""
        wanted = os.path.realpath(self.path).encode()
        self._start = self._size = 0
        try:
            with open("/proc/self/maps", "rb") as file:
                for line in file:
                    fields = line.split(maxsplit=5)
                    if len(fields) == 6 and fields[5].rstrip(b"\n") == wanted and int(fields[2], 16) == 0:
                        start, _, stop = fields[0].partition(b"-")
                        self._start = int(start, 16)
                        self._size = int(stop, 16) - self._start
        except (OSError, ValueError):
            return

    def locate(self, view: memoryview) -> int:
        """The offset in the file of a value that LMDB shows, or -1.

        Only for values on pages of their own, which stay where they are until they are deleted; LMDB puts those right behind
        the header of a page. A small value shares a page and moves whenever another one on that page changes: -1. So is
        everything where the system does not tell how files are mapped.
        """
        if _get_buffer(view, self._buffer_at, 0) != 0:
            return -1
        offset = (self._buffer.buf or 0) - self._start
        _release_buffer(self._buffer_at)
        return offset if 0 <= offset < self._size and offset % PAGE == _PAGE_HEADER else -1

    def read(self, offset: int, length: int) -> bytes:
        """Part of the file; shorter than asked for only if the file is."""
        return os.pread(self._fd, length, offset)

    def release(self) -> bool:
        """Let the kernel take back the mapped pages. Views of them stay good. False where that cannot be done."""
        if self._start == 0:
            return False
        libc = ctypes.CDLL(None, use_errno=True)
        done: int = libc.madvise(ctypes.c_void_p(self._start), ctypes.c_size_t(self._size), _MADV_DONTNEED)
        return done == 0


def mapped_pages() -> int:
    """4 KiB pages of files that count as memory of this process, or 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[2])
    except (OSError, IndexError, ValueError):
        return 0


def room_for(path: str, more: int) -> int:
    """Whether a file could grow by `more` bytes: 0, or the errno of what prevents it. The file stays as it is."""
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
