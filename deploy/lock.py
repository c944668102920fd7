"""A lock between processes: a file that one of them holds at a time, let go by the system when it dies.

Knows nothing of what is guarded. Imports the standard library only, and can be imported by Python 3.8. Blocks
the thread that waits.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterator

if sys.platform == "win32":
    import errno
    import msvcrt

    def _take(descriptor: int, *, wait: bool) -> bool:
        while True:
            try:
                # LK_LOCK gives up after ten seconds.
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return True
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EDEADLK):
                    raise
                if not wait:
                    return False

else:
    import fcntl

    def _take(descriptor: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextlib.contextmanager
def held(path: pathlib.Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock `path` inside the `with`; `waiting` is called once if another process has it.

    The file stays: to remove it would give a third process a lock of its own. On POSIX a child started with
    `close_fds=False` holds the lock too, should it outlive this process.

    Raises:
        OSError: the file cannot be opened or locked.
    """
    with path.open("a") as file:
        os.set_inheritable(file.fileno(), True)
        if not _take(file.fileno(), wait=False):
            waiting()
            _take(file.fileno(), wait=True)
        yield
