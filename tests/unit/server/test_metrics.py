"""What the server counts: bounded labels, numbers that agree, and nothing of what was asked."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gossamer.errors import Outcome
from gossamer.server.http.metrics import Metrics

SECRET = "a question of mine"


def samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample as Prometheus itself reads them."""
    families = text_string_to_metric_families(metrics.page().decode())
    return {(one.name, tuple(sorted(one.labels.items()))): one.value for family in families for one in family.samples}


def test_calls_are_counted_by_tool_and_outcome_and_timed_by_tool() -> None:
    metrics = Metrics(["web_search", "web_fetch"])
    for tool, outcome, seconds in (
        ("web_search", Outcome.OK, 0.003),
        ("web_search", Outcome.OK, 0.2),
        ("web_search", Outcome.TIMEOUT, 99.0),
        ("web_fetch", Outcome.INVALID, 0.005),
    ):
        metrics.begin()
        metrics.end(tool, outcome, seconds)
    seen = samples(metrics)
    assert seen["gossamer_calls_total", (("outcome", "ok"), ("tool", "web_search"))] == 2
    assert seen["gossamer_calls_total", (("outcome", "timeout"), ("tool", "web_search"))] == 1
    assert seen["gossamer_calls_total", (("outcome", "invalid"), ("tool", "web_fetch"))] == 1
    buckets = {edge: seen["gossamer_call_seconds_bucket", (("le", edge), ("tool", "web_search"))] for edge in EDGES}
    assert buckets == {"0.005": 1, "0.1": 1, "0.25": 2, "60.0": 2, "+Inf": 3}
    assert seen["gossamer_call_seconds_count", (("tool", "web_search"),)] == 3
    assert abs(seen["gossamer_call_seconds_sum", (("tool", "web_search"),)] - 99.203) < 1e-6
    assert seen["gossamer_call_seconds_bucket", (("le", "0.005"), ("tool", "web_fetch"))] == 1, "an edge is within"


EDGES = ("0.005", "0.1", "0.25", "60.0", "+Inf")


def test_calls_in_flight_go_up_and_down() -> None:
    metrics = Metrics(["web_search"])
    metrics.begin()
    metrics.begin()
    assert samples(metrics)["gossamer_calls_in_flight", ()] == 2
    metrics.end("web_search", Outcome.OK, 0.1)
    assert samples(metrics)["gossamer_calls_in_flight", ()] == 1


def test_a_name_that_is_no_published_tool_is_never_a_label() -> None:
    metrics = Metrics(["web_search"])
    metrics.begin()
    with pytest.raises(KeyError):
        metrics.end(SECRET, Outcome.OK, 0.1)
    assert SECRET not in metrics.page().decode()


def test_answers_and_refusals_have_a_label_each() -> None:
    metrics = Metrics([])
    for status in (200, 202, 404, 429, 503):
        metrics.answer(status)
    metrics.refuse("rate")
    seen = samples(metrics)
    classes = {status: seen["gossamer_http_answers_total", (("status", status),)] for status in ("2xx", "4xx", "5xx")}
    assert classes == {"2xx": 2, "4xx": 2, "5xx": 1}
    assert seen["gossamer_http_refused_total", (("reason", "rate"),)] == 1


def test_stages_that_failed_are_counted_by_name() -> None:
    metrics = Metrics(["web_fetch"])
    for stage in ("tables", "metadata", "tables"):
        metrics.fail(stage)
    seen = samples(metrics)
    assert seen["gossamer_page_stage_failures_total", (("stage", "tables"),)] == 2
    assert seen["gossamer_page_stage_failures_total", (("stage", "metadata"),)] == 1


def test_the_page_holds_no_content_and_tells_about_the_process() -> None:
    metrics = Metrics(["web_search"])
    metrics.begin()
    metrics.end("web_search", Outcome.OK, 0.1)
    page = metrics.page().decode()
    assert not [word for word in ("token", "query", "http://", "@") if word in page]
    assert "process_resident_memory_bytes " in page
    assert "python_info{" in page


def test_two_servers_in_one_process_count_apart() -> None:
    one, other = Metrics(["a"]), Metrics(["a"])
    one.answer(200)
    assert ("gossamer_http_answers_total", (("status", "2xx"),)) not in samples(other)
