"""A disk in memory that does to unsynced writes what a crash may do: keep, lose, tear and reorder them.

It is a `flintmq.log.files.FileSystem`. What is promised there (F1 to F5) holds here, and nothing more:

* a file has durable content and, sector by sector (512 bytes), every version written since its last sync. After `crash`
  each sector is one of them, chosen independently of the others;
* creates, renames and removes wait in a list until their directory is synced. After `crash` a first part of the list
  happened;
* a sync may fail, as it does on Linux when the device refuses a page: the error is reported once, some of the sectors
  reached the disk, and all of them count as clean from then on. Reads return the new bytes, a later sync succeeds
  without writing them, and `crash` brings the old bytes back. Only another write of the sector makes it dirty again.

    disk = SimulatedDisk()
    disk.fail_at(17)                  # the 17th operation that changes something raises SimulatedCrash, half done
    disk.fail_sync(3, random)         # the third sync of a file from now on fails with EIO and marks its pages clean
    ...
    disk = disk.crash(random)         # what is found after the power came back
    disk = disk.kill()                # what is found after only the process died: all writes, still not durable
"""

import errno
from random import Random

SECTOR = 512

Bytes = bytes | memoryview


class SimulatedCrash(BaseException):
    """The machine stopped. Not an Exception: nothing under test may catch it and go on."""


class Inode:
    """The content of a file, whatever its name."""

    def __init__(self, durable: bytes = b"") -> None:
        self.durable = bytearray(durable)
        self.content = bytearray(durable)
        self.pending: dict[int, list[bytes]] = {}  #: sector -> versions since the last sync, oldest first

    def write(self, offset: int, data: bytes) -> None:
        end = offset + len(data)
        if len(self.content) < end:
            self.content.extend(bytes(end - len(self.content)))
        self.content[offset:end] = data
        for sector in range(offset // SECTOR, (end + SECTOR - 1) // SECTOR):
            version = bytes(self.content[sector * SECTOR : (sector + 1) * SECTOR])
            self.pending.setdefault(sector, []).append(version)

    def sync(self) -> None:
        if len(self.durable) < len(self.content):
            self.durable.extend(bytes(len(self.content) - len(self.durable)))
        for sector in self.pending:
            start = sector * SECTOR
            self.durable[start : start + SECTOR] = self.content[start : start + SECTOR]
        self.pending.clear()

    def fail_sync(self, random: Random) -> None:
        """Let some of the pending sectors reach the disk, and mark all of them clean."""
        self._store_some(self.durable, random)
        self.pending.clear()

    def crashed(self, random: Random) -> "Inode":
        after = Inode(bytes(self.durable))
        self._store_some(after.durable, random)
        after.content[:] = after.durable
        return after

    def _store_some(self, durable: bytearray, random: Random) -> None:
        """Write any version of each pending sector to `durable`, or none."""
        for sector, versions in sorted(self.pending.items()):
            choice = random.randint(0, len(versions))  # 0: none of them reached the disk.
            if choice:
                start = sector * SECTOR
                version = versions[choice - 1]
                if len(durable) < start + len(version):
                    durable.extend(bytes(start + len(version) - len(durable)))
                durable[start : start + len(version)] = version


class SimulatedFile:
    """An open file."""

    def __init__(self, disk: "SimulatedDisk", path: str, inode: Inode) -> None:
        self._disk = disk
        self._path = path
        self._inode = inode

    def write_at(self, offset: int, parts: list[Bytes]) -> None:
        data = b"".join(parts)
        failing = self._disk.count("write", len(data))
        if self._path in self._disk.bad_writes:
            raise OSError(errno.EIO, "Input/output error", self._path)
        self._inode.write(offset, data)
        self._disk.stop(failing)

    def read_at(self, offset: int, length: int) -> bytes:
        self._disk.check_alive()
        if self._path in self._disk.bad_reads:
            raise OSError(errno.EIO, "Input/output error", self._path)
        return bytes(self._inode.content[offset : offset + length])

    def sync(self) -> None:
        failing = self._disk.count("sync")
        self._disk.stop(failing)
        random = self._disk.sync_fails()
        if random is not None:
            self._inode.fail_sync(random)
            raise OSError(errno.EIO, "Input/output error", self._path)
        self._inode.sync()

    def allocate(self, size: int) -> None:
        failing = self._disk.count("allocate", size)
        if self._disk.space is not None:
            if self._disk.space < size:
                raise OSError(errno.ENOSPC, "No space left on device", self._path)
            self._disk.space -= size
        if self._disk.sync_fails() is not None:
            self._inode.content[:] = bytes(size)  # Nothing of it is on the disk.
            self._inode.pending.clear()
            raise OSError(errno.EIO, "Input/output error", self._path)
        made = size // 2 if failing else size
        self._inode.durable[:] = self._inode.content[:] = bytes(made)
        self._inode.pending.clear()
        self._disk.stop(failing)

    def size(self) -> int:
        self._disk.check_alive()
        return len(self._inode.content)

    def close(self) -> None:
        pass


class SimulatedDisk:
    """The file system. Every operation that changes something has a number, from 1."""

    def __init__(self) -> None:
        self.operations = 0
        self.counts: dict[str, int] = {}  #: operations by name
        self.bytes_written = 0
        self.bad_reads: set[str] = set()  #: paths that cannot be read
        self.bad_writes: set[str] = set()  #: paths that cannot be written
        self.space: int | None = None  #: bytes that can still be allocated
        self._names: dict[str, Inode] = {}
        self._durable_names: dict[str, Inode] = {}
        self._pending: list[tuple[str, str, str, Inode]] = []  #: operation, old name, new name, file
        self._directories: set[str] = {""}
        self._fail_at = 0
        self._syncs_left = 0
        self._sync_random = Random(0)
        self._dead = False

    # The file system.

    def open(self, path: str, create: bool) -> SimulatedFile:
        self.check_alive()
        inode = self._names.get(path)
        if inode is None:
            if not create:
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
            if path.rpartition("/")[0] not in self._directories:
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
            failing = self.count("create")
            inode = Inode()
            self._names[path] = inode
            self._pending.append(("create", "", path, inode))
            self.stop(failing)
        return SimulatedFile(self, path, inode)

    def exists(self, path: str) -> bool:
        self.check_alive()
        return path in self._names or path in self._directories

    def listdir(self, path: str) -> list[str]:
        self.check_alive()
        return [name.rpartition("/")[2] for name in self._names if name.rpartition("/")[0] == path]

    def rename(self, old: str, new: str) -> None:
        failing = self.count("rename")
        if old not in self._names:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", old)
        inode = self._names.pop(old)
        self._names[new] = inode
        self._pending.append(("rename", old, new, inode))
        self.stop(failing)

    def remove(self, path: str) -> None:
        failing = self.count("remove")
        if path not in self._names:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        inode = self._names.pop(path)
        self._pending.append(("remove", path, "", inode))
        self.stop(failing)

    def mkdir(self, path: str) -> None:
        self.check_alive()
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            self._directories.add("/".join(parts[:length]))

    def sync_directory(self, path: str) -> None:
        failing = self.count("sync_directory")
        self.stop(failing)
        if self.sync_fails() is not None:  # The journal of a file system keeps names; they are not lost, nor durable.
            raise OSError(errno.EIO, "Input/output error", path)
        waiting = []
        for operation in self._pending:
            if path in (operation[1].rpartition("/")[0], operation[2].rpartition("/")[0]):
                _apply(self._durable_names, operation)
            else:
                waiting.append(operation)
        self._pending = waiting

    # What the test does to it.

    def fail_at(self, number: int) -> None:
        """Let the operation after `number` - 1 more of them raise SimulatedCrash; it has then been started."""
        self._fail_at = self.operations + number

    def fail_sync(self, number: int, random: Random) -> None:
        """Let the sync after `number` - 1 more of them, of a file or a directory, fail; 0: none."""
        self._syncs_left = number
        self._sync_random = random

    def sync_fails(self) -> Random | None:
        """Return what decides which sectors a failing sync still writes; None if this sync does not fail."""
        self._syncs_left -= 1
        return self._sync_random if self._syncs_left == 0 else None

    def crash(self, random: Random) -> "SimulatedDisk":
        """Return the disk as it is found after a power failure now. This one is dead."""
        names = dict(self._durable_names)
        for operation in self._pending[: random.randint(0, len(self._pending))]:
            _apply(names, operation)
        after = SimulatedDisk()
        after._directories = set(self._directories)
        for path, inode in names.items():
            after._names[path] = inode.crashed(random)
        after._durable_names = dict(after._names)
        self._dead = True
        return after

    def kill(self) -> "SimulatedDisk":
        """Return the disk as the next process finds it: all that was written, no more durable than before."""
        after = SimulatedDisk()
        after._directories = self._directories
        after._names, after._durable_names, after._pending = self._names, self._durable_names, self._pending
        self._dead = True
        return after

    def copy(self) -> "SimulatedDisk":
        """Return an independent disk with the content of this one, all durable."""
        after = SimulatedDisk()
        after._directories = set(self._directories)
        after._names = {path: Inode(bytes(inode.content)) for path, inode in self._names.items()}
        after._durable_names = dict(after._names)
        return after

    def paths(self) -> list[str]:
        return sorted(self._names)

    def content(self, path: str) -> bytes:
        return bytes(self._names[path].content)

    def set_content(self, path: str, data: bytes) -> None:
        """Replace a file, durably and behind the back of whoever has it open."""
        inode = self._names.setdefault(path, Inode())
        self._durable_names[path] = inode
        inode.durable[:] = inode.content[:] = data
        inode.pending.clear()

    def flip(self, path: str, offset: int, mask: int = 1) -> None:
        """Change bits of one byte, durably."""
        data = bytearray(self.content(path))
        data[offset] ^= mask
        self.set_content(path, bytes(data))

    def discard(self, path: str) -> None:
        """Remove a file, durably."""
        del self._names[path]
        self._durable_names.pop(path, None)

    # Counting.

    def count(self, name: str, size: int = 0) -> bool:
        """Count an operation; say whether it is the one that fails."""
        self.check_alive()
        self.operations += 1
        self.counts[name] = self.counts.get(name, 0) + 1
        if name == "write":
            self.bytes_written += size
        return self.operations == self._fail_at

    def stop(self, failing: bool) -> None:
        if failing:
            self._dead = True
            raise SimulatedCrash(f"operation {self.operations}")

    def check_alive(self) -> None:
        if self._dead:
            raise SimulatedCrash("the disk is dead")


def _apply(names: dict[str, Inode], operation: tuple[str, str, str, Inode]) -> None:
    _, old, new, inode = operation
    if old:
        names.pop(old, None)
    if new:
        names[new] = inode
