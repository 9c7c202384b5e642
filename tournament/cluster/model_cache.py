"""The model files of a node: named by their contents, checked, and bounded."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from fiedler.support.errors import WorkError, system_reason


def default_folder() -> Path:
    """Return the folder of the cache of this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fiedler" / "models"


class ModelCache:
    """Files by `DIGEST/NAME`. Those that were used last stay."""

    def __init__(self, folder: Path, most_mb: int) -> None:
        """Keep at most `most_mb` MiB in `folder`, beside the files that are needed now, here or by other caches."""
        self._folder = folder
        self._most = most_mb << 20
        self._held: dict[str, int] = {}
        """Digest -> its folder, opened and locked: other runs on this machine leave it alone."""

    def close(self) -> None:
        """Let the files go: they may be removed for others."""
        while self._held:
            os.close(self._held.popitem()[1])

    def path(self, name: str) -> Path:
        """Return the path of a file, there or not."""
        digest, _, own = name.partition("/")
        return self._folder / digest / Path(own).name

    def missing(self, names: Collection[str]) -> list[str]:
        """Return the files that are not here; the others count as used now."""
        missing = []
        for name in names:
            try:
                self._hold(self.path(name).parent)
                os.utime(self.path(name))
            except OSError:
                missing.append(name)
        return missing

    def _hold(self, folder: Path) -> None:
        """Lock the folder of a file until `close`; raises OSError."""
        if folder.name not in self._held:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(handle, fcntl.LOCK_SH)
            self._held[folder.name] = handle

    def begin(self, name: str, size: int, needed: Collection[str]) -> None:
        """Make room for a file of `size` bytes; those that are `needed` stay.

        Raises:
            WorkError: the disk does not take it.

        """
        kept = {self.path(one).parent for one in needed}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            folders = sorted((one for one in self._folder.iterdir() if one not in kept), key=_used)
            total = size + sum(map(_size, self._folder.iterdir()))
            while folders and total > self._most:
                total -= _removed(folders.pop(0))
            path = self._partial(name)
            path.parent.mkdir(exist_ok=True)
            self._hold(path.parent)
            path.write_bytes(b"")
        except OSError as error:
            raise _failure(error, self._folder) from error

    def append(self, name: str, portion: bytes) -> None:
        """Append to the file that was begun.

        Raises:
            WorkError: the disk does not take it.

        """
        try:
            with self._partial(name).open("ab") as file:
                file.write(portion)
        except OSError as error:
            with suppress(OSError):
                self._partial(name).unlink()
            raise _failure(error, self._folder) from error

    def finish(self, name: str) -> None:
        """Check the file that was begun, and keep it.

        Raises:
            WorkError: its contents are others, or the disk does not take it.

        """
        path = self._partial(name)
        try:
            found = hashlib.sha256(path.read_bytes()).hexdigest()
            if found != name.partition("/")[0]:
                path.unlink()
                own = self.path(name).name
                raise WorkError(f"{own}: the transfer has changed it: expected {name[:12]}…, got {found[:12]}…")
            path.replace(self.path(name))
        except OSError as error:
            raise _failure(error, self._folder) from error

    def _partial(self, name: str) -> Path:
        path = self.path(name)
        return path.with_name(f"{path.name}.{os.getpid()}.part")


def _removed(folder: Path) -> int:
    """Remove a folder that nobody holds; return the bytes that this has freed."""
    size = _size(folder)
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return 0
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    except BlockingIOError:
        return 0
    finally:
        os.close(handle)
    return size


def _used(folder: Path) -> float:
    """Return the time at which a file of this folder was used last."""
    with suppress(OSError):
        return max((path.stat().st_mtime for path in folder.iterdir()), default=0.0)
    return 0.0


def _size(folder: Path) -> int:
    with suppress(OSError):
        return sum(path.stat().st_size for path in folder.iterdir())
    return 0


def _failure(error: OSError, folder: Path) -> WorkError:
    return WorkError(f"{folder}: cannot keep a model: {system_reason(error)}")
