"""The ring buffer keeps every sample, once and in order, whoever reads and writes when."""

from __future__ import annotations

import threading
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.audio import Pcm
from pipeline.ring_buffer import RingBuffer


def ramp(start: int, count: int) -> Pcm:
    return np.arange(start, start + count, dtype=np.float32)


operations = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.integers(0, 30)),
        st.tuples(st.just("read"), st.integers(0, 30)),
        st.tuples(st.just("mark"), st.just(0)),
    ),
    max_size=60,
)


@given(operations, st.integers(1, 20))
def test_it_behaves_like_a_queue_of_samples_and_marks(steps: list[tuple[str, int]], capacity: int) -> None:
    ring: RingBuffer[int] = RingBuffer(capacity)
    model: deque[float | str] = deque()
    written = marks = 0
    for step, amount in steps:
        if step == "write":
            count = ring.write(ramp(written, amount))
            assert count == min(amount, capacity - sum(isinstance(item, float) for item in model))
            model.extend(float(value) for value in range(written, written + count))
            written += count
        elif step == "mark":
            ring.mark(marks)
            model.append(f"mark {marks}")
            marks += 1
        else:
            passage = ring.read(amount)
            expected: list[float | str] = []
            while model and len(expected) < amount and isinstance(model[0], float):
                expected.append(model.popleft())
            assert passage.pcm.tolist() == expected
            if model and isinstance(model[0], str):
                assert f"mark {passage.mark}" == model.popleft()
            else:
                assert passage.mark is None
        assert ring.fill == sum(isinstance(item, float) for item in model) <= capacity
        assert ring.written == written


def test_nothing_is_lost_doubled_or_reordered_between_threads() -> None:
    ring: RingBuffer[int] = RingBuffer(1_000)
    total = 200_000
    done = threading.Event()
    overfull: list[int] = []
    generator = np.random.default_rng(1)
    sizes = generator.integers(1, 700, total).tolist()

    def write() -> None:
        at = 0
        for size in sizes:
            if at >= total:
                break
            ring.mark(at)
            pcm = ramp(at, min(size, total - at))
            at += len(pcm)
            while len(pcm):
                pcm = pcm[ring.write(pcm) :]
        ring.end()

    def watch() -> None:
        while not done.is_set():
            fill = ring.fill
            if not 0 <= fill <= ring.capacity:
                overfull.append(fill)

    threads = [threading.Thread(target=target) for target in (write, watch, watch)]
    for thread in threads:
        thread.start()
    pieces: list[Pcm] = []
    read = 0
    misplaced = []
    reads = np.random.default_rng(2).integers(1, 900, total).tolist()
    for most in reads:
        if ring.drained:
            break
        passage = ring.read(most)
        pieces.append(passage.pcm)
        read += len(passage.pcm)
        if passage.mark not in (None, read):
            misplaced.append((passage.mark, read))
    done.set()
    for thread in threads:
        thread.join()
    while not ring.drained:
        pieces.append(ring.read(total).pcm)
    assert np.array_equal(np.concatenate(pieces), ramp(0, total))
    assert not misplaced
    assert not overfull


def test_a_read_stops_at_a_mark_and_goes_on_behind_it() -> None:
    ring: RingBuffer[str] = RingBuffer(10)
    ring.write(ramp(0, 3))
    ring.mark("here")
    ring.write(ramp(3, 3))
    before = ring.read(10)
    assert (before.pcm.tolist(), before.mark) == ([0, 1, 2], "here")
    behind = ring.read(10)
    assert (behind.pcm.tolist(), behind.mark) == ([3, 4, 5], None)


def test_it_is_drained_only_when_ended_and_all_samples_and_marks_are_read() -> None:
    ring: RingBuffer[str] = RingBuffer(10)
    assert not ring.drained
    ring.write(ramp(0, 2))
    ring.mark("last")
    ring.end()
    assert ring.ended
    assert not ring.drained
    ring.read(1)
    assert not ring.drained
    ring.read(1)
    assert ring.drained


def test_writing_after_the_end_is_our_own_fault() -> None:
    ring: RingBuffer[str] = RingBuffer(10)
    ring.end()
    with pytest.raises(AssertionError):
        ring.write(ramp(0, 1))


def test_what_is_read_stays_the_readers_own() -> None:
    ring: RingBuffer[str] = RingBuffer(4)
    ring.write(ramp(0, 4))
    pcm = ring.read(4).pcm
    ring.write(ramp(10, 4))
    assert pcm.tolist() == [0, 1, 2, 3]


def test_a_closed_ring_buffer_is_empty_and_swallows_what_is_written() -> None:
    ring: RingBuffer[str] = RingBuffer(4)
    ring.write(ramp(0, 3))
    ring.mark("gone")
    ring.close()
    ring.close()
    assert ring.fill == 0
    assert ring.write(ramp(0, 100)) == 100
    ring.mark("gone too")
    passage = ring.read(10)
    assert len(passage.pcm) == 0
    assert passage.mark is None
    assert ring.fill == 0


def test_closing_while_others_write_and_read_leaves_it_empty() -> None:
    for _ in range(50):
        ring: RingBuffer[int] = RingBuffer(64)
        stop = threading.Event()

        def write(ring: RingBuffer[int] = ring, stop: threading.Event = stop) -> None:
            while not stop.is_set():
                ring.write(ramp(0, 50))

        def read(ring: RingBuffer[int] = ring, stop: threading.Event = stop) -> None:
            while not stop.is_set():
                ring.read(40)

        threads = [threading.Thread(target=write), threading.Thread(target=read)]
        for thread in threads:
            thread.start()
        ring.close()
        assert ring.fill == 0
        stop.set()
        for thread in threads:
            thread.join()
        assert ring.fill == 0
