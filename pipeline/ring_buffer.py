"""The one place where audio crosses threads: a worker writes PCM, the encoder thread reads it.

Does not know what the audio is, who waits for it, or at what rate it plays. One writer and one reader at a
time, each on any thread; cancelling and looking may happen on any other. Nothing here ever waits: one lock is
held for the length of a copy, and whoever needs room or audio is woken by `synthesis`, not by the buffer.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from pipeline.audio import Pcm

Mark = TypeVar("Mark")


@dataclass(frozen=True, slots=True)
class Passage(Generic[Mark]):
    """What one read gives: PCM up to the next mark, and that mark if the read has come to it."""

    pcm: Pcm
    mark: Mark | None


class RingBuffer(Generic[Mark]):
    """PCM and marks in the order they were written.

    Holds at most `capacity` samples. When it is full, `write` takes less than it was given, and the writer
    keeps the rest. Marks stand between two samples at exact positions; they take no room.
    """

    def __init__(self, capacity: int) -> None:
        self._lock = threading.Lock()
        self._capacity = capacity
        self._pcm: Pcm = np.empty(capacity, np.float32)
        self._marks: deque[tuple[int, Mark]] = deque()
        self._written = 0
        self._read = 0
        self._ended = False
        self._closed = False

    @property
    def capacity(self) -> int:
        """Samples it can hold."""
        return self._capacity

    @property
    def fill(self) -> int:
        """Samples it holds now."""
        with self._lock:
            return self._written - self._read

    @property
    def written(self) -> int:
        """Samples written so far in all: the position of the next one."""
        with self._lock:
            return self._written

    @property
    def ended(self) -> bool:
        """True once the writer has said that nothing more comes."""
        with self._lock:
            return self._ended

    @property
    def drained(self) -> bool:
        """True when it has ended and everything was read."""
        with self._lock:
            return self._ended and self._read == self._written and not self._marks

    def write(self, pcm: Pcm) -> int:
        """Append as much of `pcm` as fits and return how much that was. A closed buffer drops it all."""
        with self._lock:
            if self._closed:
                return len(pcm)
            assert not self._ended, "nothing may be written after the end"
            count = min(len(pcm), self._capacity - (self._written - self._read))
            at = self._written % self._capacity
            before_wrap = min(count, self._capacity - at)
            self._pcm[at : at + before_wrap] = pcm[:before_wrap]
            self._pcm[: count - before_wrap] = pcm[before_wrap:count]
            self._written += count
            return count

    def mark(self, mark: Mark) -> None:
        """Put `mark` before the next sample written."""
        with self._lock:
            if not self._closed:
                self._marks.append((self._written, mark))

    def end(self) -> None:
        """Say that nothing more will be written. Idempotent."""
        with self._lock:
            self._ended = True

    def read(self, most: int) -> Passage[Mark]:
        """Take up to `most` samples, not beyond the next mark; with the last one before a mark, the mark too.

        The PCM is a copy that the caller owns; it is empty when there is nothing to read.
        """
        with self._lock:
            limit = min(most, self._written - self._read)
            if self._marks:
                limit = min(limit, self._marks[0][0] - self._read)
            at = self._read % self._capacity
            before_wrap = min(limit, self._capacity - at)
            pcm: Pcm = np.empty(limit, np.float32)
            pcm[:before_wrap] = self._pcm[at : at + before_wrap]
            pcm[before_wrap:] = self._pcm[: limit - before_wrap]
            self._read += limit
            reached = bool(self._marks) and self._marks[0][0] == self._read
            return Passage(pcm, self._marks.popleft()[1] if reached else None)

    def close(self) -> None:
        """Empty it for good and free its memory; what is written from now on is dropped. Idempotent."""
        with self._lock:
            self._closed = True
            self._read = self._written
            self._marks.clear()
            self._pcm = np.empty(0, np.float32)
