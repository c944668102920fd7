"""The threads, and whose turn it is: workers that run the model, and one thread that encodes.

What they do in a turn is `steps`'s. Knows no event loop: results leave through `post`, which runs a callback
on the loop. One lock guards every job and the schedulers of the three lanes (streaming voices, the others,
encoding); each lane has its condition on that lock. The lock is never held during a model step, an encoder
call or a wait for a client, and a ring buffer's own lock is only ever taken inside it, never around it. No
thread here waits for a client: a job whose ring buffer is full, or whose packets are not taken, is in no
lane.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from pipeline.encoder import Encoder
from pipeline.job import Job
from pipeline.messages import Cut, Failed, FinishReason, Manner
from pipeline.metrics import Metrics
from pipeline.scheduler import Scheduler
from pipeline.speech import SynthesisFailed, Synthesizer
from pipeline.splitter import Sentence, Unfinished
from pipeline.steps import Encoded, Steps

log = logging.getLogger(__name__)


class Post(Protocol):
    """Runs a callback on the event loop, soon. Any thread."""

    def __call__(self, callback: Callable[..., object], /, *args: object) -> None: ...


class _Lane:
    """Jobs of one kind that can be worked on, and whoever waits for one."""

    def __init__(self, lock: threading.Lock, due: Callable[[Job], float]) -> None:
        self.ready: Scheduler[Job] = Scheduler(due)
        self.wanted = threading.Condition(lock)

    def add(self, job: Job) -> None:
        if self.ready.add(job):
            self.wanted.notify()


class Synthesis:
    """Workers and encoder over a set of jobs.

    Every public method may be called on any thread and returns at once. Errors in a model step end the
    job they belong to with `Failed`; the thread lives on.
    """

    def __init__(
        self,
        synthesizers: Mapping[str, Synthesizer],
        *,
        workers: int,
        post: Post,
        thread_ended: Callable[[], object],
        clock: Callable[[], float],
        metrics: Metrics,
    ) -> None:
        self._synthesizers = synthesizers
        self._post = post
        self._thread_ended = thread_ended
        self._clock = clock
        self._steps = Steps(synthesizers, clock=clock, metrics=metrics)
        self._lock = threading.Lock()
        self._streaming = _Lane(self._lock, Job.produced_due)
        self._slow = _Lane(self._lock, Job.produced_due)
        self._encoding = _Lane(self._lock, Job.encoded_due)
        self._jobs: set[Job] = set()
        self._stopping = False
        self._threads = [
            self._thread(f"utter-worker-{n}", self._work, self._streaming) for n in range(workers)
        ]
        self._threads.append(self._thread("utter-encoder", self._encode, self._encoding))
        self._slow_threads: list[threading.Thread] = []
        if not all(synthesizer.streams for synthesizer in synthesizers.values()):
            self._slow_threads.append(self._thread("utter-slow-worker", self._work, self._slow))

    def start(self) -> int:
        """Start the threads and return how many calls of `thread_ended` to expect after `stop`.

        The thread of voices that do not stream is not among them: it may be seconds in one step, and nobody
        waits for that.
        """
        for thread in (*self._threads, *self._slow_threads):
            thread.start()
        return len(self._threads)

    def stop(self) -> None:
        """Tell every thread to end after its current step. Idempotent."""
        with self._lock:
            self._stopping = True
            for lane in (self._streaming, self._slow, self._encoding):
                lane.wanted.notify_all()

    def join(self) -> None:
        """Wait for the threads that have announced their end."""
        for thread in self._threads:
            thread.join()

    # What utterances ask for

    def open(self, job: Job) -> None:
        """Take `job` in."""
        with self._lock:
            self._jobs.add(job)

    def push(
        self, job: Job, sentences: Iterable[Sentence], unfinished: Unfinished | None = None
    ) -> float | None:
        """Speak `sentences` after what was pushed before, and of `unfinished` what cannot wait.

        Returns:
            The moment to `look` if nothing is pushed before; None for never.
        """
        with self._lock:
            if job.closed:
                return None
            job.segments.push(sentences, unfinished)
            return self._look(job)

    def look(self, job: Job) -> float | None:
        """Look whether the lead has fallen so far that more of the unfinished sentence is to be spoken.

        Returns:
            The moment to look again, as `push` does.
        """
        with self._lock:
            return None if job.closed else self._look(job)

    def set_manner(self, job: Job, offset: int, manner: Manner) -> None:
        """Speak segments of `job` that begin at `offset` or later in `manner`."""
        with self._lock:
            job.set_manner(offset, manner)

    def end_input(self, job: Job, reason: FinishReason) -> None:
        """Finish `job` once all that was pushed is spoken."""
        with self._lock:
            job.input_ended = reason
            self._review(job)

    def taken(self, job: Job, packets: int) -> None:
        """Note that `packets` have left the packet queue."""
        with self._lock:
            job.queued -= packets
            job.first_taken = True
            self._review(job)

    def cancel(self, job: Job, cut: Callable[[], Cut]) -> Cut:
        """Stop working on `job`, at the next chunk boundary if a step is under way.

        Returns:
            What `cut` says; the first call's answer, however often it is called.
        """
        with self._lock:
            if job.cut is None:
                job.cut = cut()
            self._close(job)
            return job.cut

    # Under the lock

    def _look(self, job: Job) -> float | None:
        now = self._clock()
        if job.determined_at is None and job.segments.ready(job.lead_ms(now)):
            job.determined_at = now
            job.timings.split = now - job.first_text_at
        self._review(job)
        return job.look_at(now)

    def _review(self, job: Job) -> None:
        """Put `job` into the lanes it belongs in now."""
        if job.closed:
            return
        working = job.busy or job.has_work(self._clock())
        if not working and job.input_ended:
            job.ring.end()
        fill = job.ring.fill
        if not job.busy and working and fill < job.high_water:
            self._lane_of(job).add(job)
        audio = fill > 0 or job.ring.drained
        if audio and not job.encoding and job.may_encode:
            self._encoding.add(job)
        was_dry, job.dry = job.dry, not (working or audio or job.encoding)
        if job.dry and not was_dry and job.queued:
            # Fewer packets than somebody waits for may be all that comes for a while. The loop may look
            # before this thread goes on, so `dry` is set before it is woken.
            self._post(job.wake)

    def _lane_of(self, job: Job) -> _Lane:
        """Return the lane for the job's next step; what needs no model belongs where it is quick."""
        if job.has_unwritten:
            return self._streaming
        synthesizer = job.synthesizer
        if synthesizer is None and job.upcoming is not None:
            synthesizer = self._synthesizers[job.upcoming.manner.voice]
        return self._streaming if synthesizer is None or synthesizer.streams else self._slow

    def _close(self, job: Job) -> None:
        """Take `job` out for good."""
        if job.closed:
            return
        job.closed = True
        self._jobs.discard(job)
        for lane in (self._streaming, self._slow, self._encoding):
            lane.ready.remove(job)
        job.ring.close()
        if not job.busy:
            job.release()

    # Workers

    def _work(self, lane: _Lane) -> bool:
        """Wait for a turn and take it; False when the thread is to end."""
        jobs = self._next_turn(lane)
        if not jobs:
            return False
        try:
            for fault in self._steps.synthesize(jobs):
                self._fail(fault.job, fault.cause)
            for job in jobs:
                unreadable = job.take_unreadable()
                if unreadable is not None:
                    self._post(job.deliver, [unreadable])
        finally:
            with self._lock:
                for job in jobs:
                    job.busy = False
                    if job.closed:
                        job.release()
                    self._review(job)
        return True

    def _next_turn(self, lane: _Lane) -> list[Job]:
        """Wait for work and return the jobs of the next step, at most what the synthesizer can batch.

        Returns an empty list when the thread is to end.
        """
        with self._lock:
            while not self._stopping:
                job = lane.ready.pick()
                if job is None:
                    lane.wanted.wait()
                    continue
                undecided = not job.has_unwritten and job.state is None and job.upcoming is None
                if undecided and not job.take_segment(self._clock()):
                    job.pay_pause()
                    if not job.has_unwritten:
                        # The lead has grown meanwhile: an unfinished sentence can wait again.
                        self._review(job)
                        continue
                home = self._lane_of(job)
                if home is not lane:
                    home.add(job)
                    continue
                jobs = [job, *self._companions(job, lane)]
                for job in jobs:
                    job.busy = True
                return jobs
        return []

    def _companions(self, job: Job, lane: _Lane) -> list[Job]:
        """Take out jobs whose next step can be computed together with that of `job`."""
        synthesizer = job.synthesizer
        if synthesizer is None or job.has_unwritten:
            return []

        def alike(other: Job) -> bool:
            return other.synthesizer is synthesizer and not other.has_unwritten

        return lane.ready.pick_like(alike, synthesizer.max_batch - 1)

    def _fail(self, job: Job, cause: Exception) -> None:
        """End `job` alone."""
        log.error("utterance %d failed", job.number, exc_info=cause)
        error = SynthesisFailed()
        error.__cause__ = cause
        with self._lock:
            if job.closed:
                return
            self._close(job)
        self._post(job.deliver, [Failed(error)])

    # The encoder thread

    def _encode(self, lane: _Lane) -> bool:
        """Wait for audio and encode some; False when the thread is to end."""
        turn = self._next_to_encode(lane)
        if turn is None:
            return False
        job, encoder = turn
        try:
            self._hand_over(job, self._steps.encode(job, encoder))
        except Exception as cause:
            self._fail(job, cause)
        finally:
            with self._lock:
                job.encoding = False
                self._review(job)
        return True

    def _next_to_encode(self, lane: _Lane) -> tuple[Job, Encoder] | None:
        """Wait for audio and return the job whose next packet is due first; None to end the thread."""
        with self._lock:
            while not self._stopping:
                job = lane.ready.pick()
                if job is None:
                    lane.wanted.wait()
                elif job.encoder is not None:
                    job.encoding = True
                    return job, job.encoder
        return None

    def _hand_over(self, job: Job, encoded: Encoded) -> None:
        """Send across what was encoded, unless `job` was cancelled meanwhile."""
        with self._lock:
            if job.closed:
                return
            job.queued += encoded.packets
            if encoded.finished:
                self._close(job)
        if encoded.items:
            self._post(job.deliver, encoded.items)

    # Threads

    def _thread(self, name: str, body: Callable[[_Lane], bool], lane: _Lane) -> threading.Thread:
        return threading.Thread(target=self._live, args=(body, lane), name=name, daemon=True)

    def _live(self, body: Callable[[_Lane], bool], lane: _Lane) -> None:
        """Run `body` until it is to end. A fault of our own ends every open utterance, never the thread.

        `body` is one turn, and nothing of it stays here while the thread waits for the next: a thread must
        not keep the last utterance alive.
        """
        going = True
        while going:
            try:
                going = body(lane)
            except Exception as cause:
                log.critical("a fault of our own; every open utterance is ended", exc_info=cause)
                self._fail_all(cause)
        if threading.current_thread() in self._threads:
            self._post(self._thread_ended)

    def _fail_all(self, cause: Exception) -> None:
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            self._fail(job, cause)
