"""Every number appears under its name, in a registry of its own."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from pipeline.metrics import Metrics


def samples(metrics: Metrics) -> dict[str, float]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    return {
        sample.name
        + "".join(f"[{value}]" for key, value in sample.labels.items() if key != "le"): sample.value
        for family in families
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def test_histograms_count_and_sum_what_they_are_told() -> None:
    metrics = Metrics()
    metrics.ttfb(0.012)
    metrics.queue_wait(0.25)
    metrics.rtf(0.01)
    metrics.ring_fill(0.5)
    metrics.loop_lag(0.002)
    seen = samples(metrics)
    for name, value in {
        "utter_ttfb_seconds": 0.012,
        "utter_queue_wait_seconds": 0.25,
        "utter_rtf": 0.01,
        "utter_ring_fill_ratio": 0.5,
        "utter_event_loop_lag_seconds": 0.002,
    }.items():
        assert seen[f"{name}_count"] == 1
        assert seen[f"{name}_sum"] == value


def test_counters_and_the_gauge_follow() -> None:
    metrics = Metrics()
    metrics.session_opened()
    metrics.session_opened()
    metrics.session_closed()
    metrics.utterance_ended("complete")
    metrics.utterance_ended("cancelled")
    metrics.utterance_ended("cancelled")
    metrics.device_busy(0.5)
    metrics.device_busy(0.25)
    metrics.underruns()
    metrics.underruns(3)
    seen = samples(metrics)
    assert seen["utter_sessions"] == 1
    assert seen["utter_utterances_total[complete]"] == 1
    assert seen["utter_utterances_total[cancelled]"] == 2
    assert seen["utter_device_busy_seconds_total"] == 0.75
    assert seen["utter_underruns_total"] == 4


def test_two_servers_in_one_process_share_no_number() -> None:
    first, second = Metrics(), Metrics()
    first.session_opened()
    assert samples(second)["utter_sessions"] == 0


def test_the_content_type_is_prometheus_text() -> None:
    assert Metrics.content_type.startswith("text/plain; version=0.0.4")
