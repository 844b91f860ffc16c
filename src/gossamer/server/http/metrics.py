"""What the server counts, for Prometheus: calls, outcomes, times, answers, refusals; never what was asked.

Labels are bounded: names of published tools, words of the outcome vocabulary and `cancelled`, classes of status, our
own reasons. Counting is plain arithmetic on the event loop; Prometheus's types are made when somebody looks.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric

from gossamer.server.http.refusal import Refusal

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0)
_EDGES = (*(str(edge) for edge in _SECONDS), "+Inf")

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"


class _Times:
    """How long the calls of one tool took."""

    __slots__ = ("counts", "total_s")

    def __init__(self) -> None:
        self.counts = [0] * len(_EDGES)
        self.total_s = 0.0

    def add(self, seconds: float) -> None:
        self.counts[bisect_left(_SECONDS, seconds)] += 1
        self.total_s += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """How many took at most so long, for each edge."""
        below = 0
        found: list[tuple[str, float]] = []
        for edge, count in zip(_EDGES, self.counts, strict=True):
            below += count
            found.append((edge, below))
        return found


class Metrics:
    """The counters of one server."""

    def __init__(self, tools: Iterable[str]) -> None:
        self._running = 0
        self._calls: Counter[tuple[str, str]] = Counter()
        self._times = {name: _Times() for name in tools}
        self._answers: Counter[int] = Counter()
        self._refused: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._registry = CollectorRegistry()
        self._registry.register(self)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)

    def begin(self) -> None:
        """A call starts."""
        self._running += 1

    def end(self, tool: str, outcome: str, seconds: float) -> None:
        """A call of a published tool that began has ended."""
        self._running -= 1
        self._times[tool].add(seconds)
        self._calls[tool, outcome] += 1

    def fail(self, stage: str) -> None:
        """A stage of reading a page has failed."""
        self._failed[stage] += 1

    def answer(self, status: int) -> None:
        """An HTTP answer begins."""
        self._answers[status // 100] += 1

    def refuse(self, reason: str) -> None:
        """A request was refused for a reason of ours."""
        self._refused[reason] += 1

    def refuse_on_wire(self, refused: Refusal) -> None:
        """A connection answered by itself, before the application saw a request."""
        self.refuse(refused.reason)
        self.answer(refused.status)

    def page(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """What the registry asks for when it is read."""
        calls = CounterMetricFamily("gossamer_calls", "Tool calls by how they ended.", labels=["tool", "outcome"])
        for (tool, outcome), count in self._calls.items():
            calls.add_metric([tool, outcome], count)
        yield calls
        seconds = HistogramMetricFamily("gossamer_call_seconds", "Seconds that tool calls took.", labels=["tool"])
        for tool, times in self._times.items():
            if any(times.counts):
                seconds.add_metric([tool], times.buckets(), times.total_s)
        yield seconds
        yield GaugeMetricFamily("gossamer_calls_in_flight", "Tool calls that are running.", self._running)
        answers = CounterMetricFamily("gossamer_http_answers", "HTTP answers by class of status.", labels=["status"])
        for hundreds, count in self._answers.items():
            answers.add_metric([f"{hundreds}xx"], count)
        yield answers
        refused = CounterMetricFamily(
            "gossamer_http_refused", "Requests refused before MCP saw them.", labels=["reason"]
        )
        for reason, count in self._refused.items():
            refused.add_metric([reason], count)
        yield refused
        failed = CounterMetricFamily(
            "gossamer_page_stage_failures", "Stages of reading that failed on a page.", labels=["stage"]
        )
        for stage, count in self._failed.items():
            failed.add_metric([stage], count)
        yield failed
