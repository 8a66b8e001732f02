"""Tally one reading of a feed: its records, each once, and counts of all that became of the others."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from outings.configuration import FeedTable
from pipeline.clean.cleaning import make_problem
from pipeline.clean.expectations import ExpectationSurvey
from pipeline.clean.feed_read import (
    CleanedRecord,
    EncodedRecord,
    FeedRead,
    locate_problems,
    name_line,
    number_line,
)
from pipeline.clean.text_counts import TextCounts
from pipeline.fetch.formats import RawRecord
from pipeline.fetch.source import FeedSource
from pipeline.records.record import Problem

# A feed keyed by ids has as many names as records: a report needs the frequent ones.
SHOWN_UNKNOWN = 50
OTHERS = "(others)"
_SHOWN_MERGES = 3


class ReadTally:
    """The tally of a feed's records while they are read. A new count of `ReadCounts` is counted here alone."""

    def __init__(self, feed: FeedTable) -> None:
        self._feed = feed
        self._read = self._quarantined = 0
        self._records: dict[tuple[str, ...], CleanedRecord] = {}
        self._merges: list[tuple[EncodedRecord, EncodedRecord]] = []
        self._passed_over, self._filled, self._unknown = Counter[str](), Counter[str](), Counter[str]()
        self._items: set[str] = set()
        self._files: dict[str, int] = {}
        self._problems: list[Problem] = []
        self._survey = ExpectationSurvey(feed)
        # The reader of the format adds to these.
        self.texts = TextCounts()
        self.decided: list[str] = []
        self.unplaced: list[str] = []

    def add_raw(self, raw: RawRecord) -> RawRecord | None:
        """Count a raw record. Return it with its line in the whole feed, or None if it is not to be cleaned."""
        if raw.passed_over is not None:
            self._passed_over[raw.passed_over] += 1
            return None
        self._read += 1
        if raw.item is not None:
            self._items.add(raw.item)
        if raw.is_superseded:
            return None
        if raw.file is not None:
            raw = raw._replace(line=number_line(self._files.setdefault(raw.file, len(self._files)), raw.line))
        self._survey.add(raw.value)
        self.texts.add_record(raw.value, is_mapped=bool(self._feed.map))
        self._filled.update(_list_filled(raw.value, self._feed.defaults))
        self._problems += [
            make_problem(*note, quarantines=False, line=raw.line, feed=self._feed.name, source_id=raw.source_id)
            for note in raw.notes
        ]
        return raw

    def add_cleaned(
        self, cleaned: CleanedRecord | None, problems: Iterable[Problem], unknown: Mapping[str, int]
    ) -> None:
        """Add a record that was cleaned, or None in place of a quarantined one. Of several with one identity, the last
        is taken, at the place where it was read."""
        self._problems += problems
        self._unknown.update(unknown)
        if cleaned is None:
            self._quarantined += 1
            return
        if (replaced := self._records.pop(cleaned.identity, None)) is not None:
            self._merges.append((replaced.encoded, cleaned.encoded))
        self._records[cleaned.identity] = cleaned

    def locate_problems(self) -> Iterator[Problem]:
        return locate_problems(self._problems, list(self._files))

    def finish(self, source: FeedSource, problems: Iterable[Problem]) -> FeedRead:
        """Return the result of the reading. `problems`: those of `locate_problems`, as the format explains them."""
        files, records = list(self._files), list(self._records.values())
        lines = [(one.line, by.line) for one, by in self._merges if one.digest != by.digest]
        cut = next((file.cut for file in source.files if file.cut is not None), None)
        spans = _describe_spans(self._feed, sum(record.is_span for record in records))
        return FeedRead(
            feed=self._feed.name,
            hash=source.hash,
            cleaned=records,
            problems=tuple(problems),
            unknown=_sum_unknown(self._unknown),
            files=tuple(files),
            items=tuple(sorted(self._items)),
            decided=(*self.decided, *([] if cut is None else [cut]), *spans),
            passed_over=dict(self._passed_over),
            cut=cut,
            read=self._read,
            merged=self._read - self._quarantined - len(records),
            quarantined=self._quarantined,
            missed=tuple(self._survey.list_missed(self._read)),
            removals=sum(record.is_removal for record in records),
            repeated=len(self._merges) - len(lines),
            merges=tuple(" by ".join(name_line(line, files) for line in pair) for pair in lines[:_SHOWN_MERGES]),
            filled=dict(sorted(self._filled.items())),
            unplaced=tuple(self.unplaced),
            unread=tuple(self.texts.describe()),
        )


def _list_filled(raw: object, defaults: Mapping[str, Any]) -> list[str]:
    """Return the names of the defaults that a raw record needs, because it does not state these members."""
    if not isinstance(raw, dict) or raw.get("deleted") is True:
        return []
    return [name for name in defaults if raw.get(name) is None]


def _describe_spans(feed: FeedTable, count: int) -> Iterator[str]:
    events = "1 event lasts" if count == 1 else f"{count:,} events last"
    when = "each of their days" if feed.spans == "daily" else "their first day alone"
    if count:
        yield f'{events} several days without a rule: shown on {when} (spans = "{feed.spans}")'


def _sum_unknown(unknown: Counter[str]) -> dict[str, int]:
    """Return the counts of the most frequent unknown members by path, and the sum of the others."""
    common = {path: count for path, count in unknown.most_common(SHOWN_UNKNOWN) if count}
    rest = unknown.total() - sum(common.values())
    return dict(sorted(common.items())) | ({OTHERS: rest} if rest else {})
