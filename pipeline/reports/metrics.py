"""The last build as a Prometheus textfile, for node-exporter's textfile collector.

A build has ended before anyone can scrape it, so it leaves a file. Samples that an attempt does not know are copied
from the previous file: when each metro was last built in full, and what the last published build did.
"""

from collections.abc import Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile
from prometheus_client.parser import text_string_to_metric_families

from outings.release.root import parse_release_id
from pipeline.reports.attempt import Attempt
from pipeline.reports.build import CHANGES

PREFIX = "outings_last_build_"

# Metric → its labels and its description.
METRICS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "timestamp_seconds": ((), "When the last build ended, whatever its outcome."),
    "exit_code": ((), "Its exit code: 0 published, 1 failed, 2 wrong usage, 3 refused, 4 or 5 a feed, 143 stopped."),
    "duration_seconds": ((), "How long it took."),
    "success_timestamp_seconds": (("metro",), "When a build of the metro last published."),
    "release_number": ((), "The release of the last build that published."),
    "records": (("feed", "outcome"), "Records of each feed when it was last published."),
    "feed_read_timestamp_seconds": (("feed",), "When the version of each feed that is in force was read."),
    "changes": (("kind",), "Versions made by the last build that published."),
    "stage_seconds": (("stage",), "How long its stages took."),
}
# Metrics of which a published build replaces all samples.
_WHOLE = ("release_number", "changes", "stage_seconds")

Samples = dict[tuple[str, ...], float]


def write_metrics(attempt: Attempt, path: Path, *, metros: frozenset[str] | None, feeds: frozenset[str] | None) -> None:
    """Add the figures of a build to the metrics file. Raises OSError.

    `metros`, `feeds`: the names in the configuration. Figures of others are removed. None keeps all: the configuration
    could not be read.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {"metro": metros, "feed": feeds}
    samples = merge_samples(read_samples(path), describe_samples(attempt), known=known)
    registry = CollectorRegistry()
    for name, (labels, says) in METRICS.items():
        if samples[name]:
            gauge = Gauge(PREFIX + name, says, labels, registry=registry)
            for values, value in sorted(samples[name].items()):
                (gauge.labels(*values) if labels else gauge).set(value)
    write_to_textfile(str(path), registry)


def describe_samples(attempt: Attempt) -> dict[str, Samples]:
    """Return the samples of this attempt: by metric, then by the values of its labels."""
    ended = attempt.ended_at.timestamp()
    samples: dict[str, Samples] = {
        "timestamp_seconds": {(): ended},
        "exit_code": {(): attempt.exit_code},
        "duration_seconds": {(): attempt.seconds},
    }
    built = attempt.built
    if built is None:
        return samples
    return samples | {
        "success_timestamp_seconds": {(slug,): ended for slug in attempt.metros},
        "release_number": {(): parse_release_id(built.published.id)[0]},
        "records": {
            (feed.feed, outcome): getattr(feed.memory, outcome)
            for feed in built.feeds
            for outcome in ("listings", "merged", "quarantined")
        },
        "feed_read_timestamp_seconds": {
            (feed.feed,): feed.memory.read_at.timestamp() for feed in built.feeds if feed.memory.read_at is not None
        },
        "changes": {(kind,): built.changes.get(kind, 0) for kind in CHANGES},
        "stage_seconds": {(stage,): seconds for stage, seconds in built.seconds.items() if stage != "all"},
    }


def merge_samples(
    before: Mapping[str, Samples], samples: Mapping[str, Samples], *, known: Mapping[str, frozenset[str] | None]
) -> dict[str, Samples]:
    """Return the samples of an earlier file with those of this attempt over them, by metric. `known`: the configured
    names by label; samples of other names are dropped."""
    merged = {}
    for name, (labels, _) in METRICS.items():
        earlier = {} if name in _WHOLE and name in samples else before.get(name, {})
        allowed = known.get(labels[0]) if labels else None
        merged[name] = {
            values: value
            for values, value in {**earlier, **samples.get(name, {})}.items()
            if allowed is None or values[0] in allowed
        }
    return merged


def read_samples(path: Path) -> dict[str, Samples]:
    """Read the samples of an earlier file; none if it is missing or not ours. Then it is written from scratch."""
    samples: dict[str, Samples] = {}
    try:
        for family in text_string_to_metric_families(path.read_text()):
            name = family.name.removeprefix(PREFIX)
            if family.name.startswith(PREFIX) and name in METRICS:
                labels = METRICS[name][0]
                read = ((sample.labels, sample.value) for sample in family.samples)
                samples[name] = {tuple(own[label] for label in labels): value for own, value in read}
    except (FileNotFoundError, UnicodeDecodeError, ValueError, KeyError):
        return {}
    return samples
