"""What the server counts and measures, for `/metrics`.

Knows neither who asks nor what any of it is for. Every method may be called on any thread and returns at
once. Each `Metrics` has a registry of its own, so that two servers in one process do not share a number.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

LATENCY_BUCKETS_S = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.015,
    0.025,
    0.04,
    0.06,
    0.1,
    0.15,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
)
RTF_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
FILL_BUCKETS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


class Metrics:
    """Counters and histograms of one server."""

    content_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()

        def histogram(name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(name, text, buckets=buckets, registry=registry)

        self._ttfb = histogram(
            "utter_ttfb_seconds",
            "Text received to first audio message handed to the socket.",
            LATENCY_BUCKETS_S,
        )
        self._queue_wait = histogram(
            "utter_queue_wait_seconds", "First segment determined to its synthesis begun.", LATENCY_BUCKETS_S
        )
        self._rtf = histogram("utter_rtf", "Synthesis seconds per audio second, by utterance.", RTF_BUCKETS)
        self._ring_fill = histogram(
            "utter_ring_fill_ratio", "Fill of a ring buffer after a chunk was written to it.", FILL_BUCKETS
        )
        self._loop_lag = histogram(
            "utter_event_loop_lag_seconds", "How late the event loop ran a timer.", LATENCY_BUCKETS_S
        )
        self._sessions = Gauge("utter_sessions", "Sessions open now.", registry=registry)
        self._detached = Gauge(
            "utter_sessions_detached", "Open sessions without a connection.", registry=registry
        )
        self._resumes = Counter(
            "utter_resumes", "Sessions that connections asked to go on with.", ["outcome"], registry=registry
        )
        self._utterances = Counter(
            "utter_utterances", "Utterances ended, by outcome.", ["outcome"], registry=registry
        )
        self._device_busy = Counter(
            "utter_device_busy_seconds", "Time spent in model steps, all workers together.", registry=registry
        )
        self._underruns = Counter("utter_underruns", "Underruns that players reported.", registry=registry)

    def ttfb(self, seconds: float) -> None:
        """Count one utterance's time from text to first audio message."""
        self._ttfb.observe(seconds)

    def queue_wait(self, seconds: float) -> None:
        """Count how long one first segment waited for a worker."""
        self._queue_wait.observe(seconds)

    def rtf(self, ratio: float) -> None:
        """Count one utterance's synthesis seconds per audio second."""
        self._rtf.observe(ratio)

    def ring_fill(self, ratio: float) -> None:
        """Count how full a ring buffer was, in [0, 1]."""
        self._ring_fill.observe(ratio)

    def loop_lag(self, seconds: float) -> None:
        """Count how late the event loop was once."""
        self._loop_lag.observe(seconds)

    def session_opened(self) -> None:
        """Count a session as open."""
        self._sessions.inc()

    def session_closed(self) -> None:
        """Count a session as open no more."""
        self._sessions.dec()

    def sessions_detached(self, count: int) -> None:
        """Say how many open sessions have no connection."""
        self._detached.set(count)

    def resume(self, outcome: str) -> None:
        """Count a request to go on with a session: `resumed` or `refused`."""
        self._resumes.labels(outcome).inc()

    def utterance_ended(self, outcome: str) -> None:
        """Count an utterance's end: `complete`, `idle`, `cancelled` or `failed`."""
        self._utterances.labels(outcome).inc()

    def device_busy(self, seconds: float) -> None:
        """Add the length of one model step."""
        self._device_busy.inc(seconds)

    def underruns(self, count: int = 1) -> None:
        """Add underruns that a player reported."""
        self._underruns.inc(count)

    def exposition(self) -> bytes:
        """Return everything in Prometheus's text format, whose type is `content_type`."""
        return generate_latest(self._registry)
