"""Reads a feed: its records, each once, and every problem found. Each feed is read independently of the others."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from outings.configuration import FORMATS, Configuration, FeedTable
from outings.contract.did_you_mean import list_nearest
from outings.contract.vocabulary import Vocabulary
from pipeline.clean.cleaning import Origin, clean_record, is_stated, make_problem
from pipeline.clean.expectations import ALIASES, ExpectationSurvey, list_names
from pipeline.clean.feed_read import (
    CleanedRecord,
    EncodedRecord,
    FeedRead,
    encode_cleaned,
    locate_problems,
    name_line,
    number_line,
)
from pipeline.clean.text_counts import TextCounts
from pipeline.fetch.formats import FeedSetting, RawRecord, Reader, load_reader
from pipeline.fetch.opening import is_remote, open_sources
from pipeline.fetch.source import FeedError, FeedSource, SettingError, SourceFile, check_unchanged
from pipeline.fetch.text_files import HEAD, refuse_markup
from pipeline.records.record import Problem, explain_fault, make_members
from pipeline.scratch import open_scratch

# A feed keyed by ids has as many names as records: a report needs the frequent ones.
SHOWN_UNKNOWN = 50
OTHERS = "(others)"
_SHOWN_MERGES = 3
_KEY_BYTES = 16

# A reference is one way of naming: a default's name beside a record's own source_id would be two.
WHOLE_MEMBERS = frozenset({"organization", "place"})


def read_feed(
    feed: FeedTable,
    configuration: Configuration,
    *,
    tell: Callable[[str], None] = lambda _: None,
    run: Callable[[Callable[[], FeedRead], FeedTable], FeedRead] = lambda read, _: read(),
) -> FeedRead:
    """Open and read all of `feed`. Raises what `read_source` and `open_sources` raise.

    `run` calls the function that reads the opened files, in this process or in another one (`run_bounded`).
    """
    with open_scratch() as scratch:
        source = open_sources([feed], configuration, scratch=scratch, tell=tell)[feed.name]
        load_reader(feed.format)  # here, not in each child of `run`
        return run(lambda: read_source(feed, configuration, source), feed)


def read_source(
    feed: FeedTable, configuration: Configuration, source: FeedSource, *, before: Sequence[CleanedRecord] = ()
) -> FeedRead:
    """Read and clean an opened feed. Raises `FeedError` if it can't be read, `SettingError` if its SQL is wrong.

    `before`: the records that this program read of it last time. Equal ones are not cleaned again.
    """
    check_defaults(feed, configuration.vocabulary)
    decided: list[str] = []
    unplaced: list[str] = []
    texts = TextCounts()
    # Times that are converted need the metro's zone.
    timezone = find_timezone(feed, configuration) if FORMATS[feed.format].has_zones or feed.map else ""
    setting = FeedSetting(
        feed=feed, timezone=timezone, vocabulary=configuration.vocabulary, day=source.day, tell_decided=decided.append,
        tell_unplaced=unplaced.extend, tell_text=texts.add,
    )  # fmt: skip
    origin = Origin(
        feed=feed.name, metro=feed.metro, delta=feed.mode == "delta", vocabulary=configuration.vocabulary,
        metros=configuration.metro_slugs, is_mapped=bool(feed.map),
    )  # fmt: skip
    reader, unknown, passed_over = load_reader(feed.format), Counter[str](), Counter[str]()
    kept: dict[tuple[str, ...], CleanedRecord] = {}
    recalled = {record.key: record for record in before if record.key}
    problems, items, places = list[Problem](), set[str](), dict[str, int]()
    read = quarantined = 0
    survey, merges, filled = ExpectationSurvey(feed), list[tuple[EncodedRecord, EncodedRecord]](), Counter[str]()
    for count, raw in enumerate(_list_raw(source.files, reader, setting), start=1):
        if count > feed.max_rows:
            raise FeedError(feed.name, feed.url, f"has more than the {feed.max_rows:,} rows that max_rows allows")
        if raw.passed_over is not None:
            passed_over[raw.passed_over] += 1
            continue
        read += 1
        if raw.item is not None:
            items.add(raw.item)
        if raw.is_superseded:
            continue
        if raw.file is not None:
            raw = raw._replace(line=number_line(places.setdefault(raw.file, len(places)), raw.line))
        survey.add(raw.value)
        texts.add_record({} if feed.map else raw.value)  # of a table the columns are counted
        filled.update(_list_filled(raw.value, feed.defaults))
        problems += [
            make_problem(*note, quarantines=False, line=raw.line, feed=feed.name, source_id=raw.source_id)
            for note in raw.notes
        ]
        cleaned, faults = _clean_raw(raw, feed, origin, unknown, recalled)
        problems += faults
        if cleaned is None:
            quarantined += 1
        else:
            # The last wins, and keeps the place where it was read.
            if (replaced := kept.pop(cleaned.identity, None)) is not None:
                merges.append((replaced.encoded, cleaned.encoded))
            kept[cleaned.identity] = cleaned
    if not is_remote(feed):
        check_unchanged(feed, source.files, configuration.directory)
    cut = next((file.cut for file in source.files if file.cut is not None), None)
    decided += [] if cut is None else [cut]
    decided += _describe_spans(feed, sum(record.is_span for record in kept.values()))
    lines = [(one.line, by.line) for one, by in merges if one.digest != by.digest]
    located = locate_problems(problems, list(places))
    return FeedRead(
        feed=feed.name, hash=source.hash, read=read, merged=read - quarantined - len(kept), quarantined=quarantined,
        cleaned=list(kept.values()), unknown=_sum_unknown(unknown), files=tuple(places),
        problems=tuple(located if reader.explain is None else reader.explain(located, setting)),
        items=tuple(sorted(items)), decided=tuple(decided), passed_over=dict(passed_over),
        missed=tuple(survey.list_missed(read)), cut=cut,
        removals=sum(record.is_removal for record in kept.values()), repeated=len(merges) - len(lines),
        merges=tuple(" by ".join(name_line(line, list(places)) for line in pair) for pair in lines[:_SHOWN_MERGES]),
        filled=dict(sorted(filled.items())), unplaced=tuple(unplaced),
        unread=tuple(texts.describe()),
    )  # fmt: skip


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


def _list_raw(files: Sequence[SourceFile], reader: Reader, setting: FeedSetting) -> Iterator[RawRecord]:
    if reader.read_together is not None:
        yield from reader.read_together(files, setting)
        return
    assert reader.read is not None, "a reader has one of both"
    for file in files:
        try:
            if not reader.reads_markup:
                with file.path.open("rb") as opened:
                    refuse_markup(opened.read(HEAD))
            for raw in reader.read(file, setting):
                yield raw if len(files) == 1 else raw._replace(file=file.name)
        except OSError as error:
            raise FeedError(setting.feed.name, file.name, f"can't be read: {error.strerror}") from error
        except ValueError as error:
            raise FeedError(setting.feed.name, file.name, str(error)) from error


def _clean_raw(
    raw: RawRecord,
    feed: FeedTable,
    origin: Origin,
    unknown: Counter[str],
    recalled: Mapping[bytes, CleanedRecord],
) -> tuple[CleanedRecord | None, tuple[Problem, ...]]:
    """Return the cleaned record, None if quarantined, and its problems. `recalled`: the last read's, by raw hash."""
    reason, source_id = raw.reason, raw.source_id
    if reason is None:
        try:
            key = _hash_value(raw.value)
            if (known := recalled.get(key)) is not None:
                return replace(known, encoded=replace(known.encoded, line=raw.line)), ()
            value, strange = _fill_record(raw.value, feed.defaults, origin.vocabulary), Counter[str]()
            cleaned = clean_record(value, line=raw.line, origin=origin, unknown=strange)
            if strange or cleaned.problems:
                unknown += strange
                key = b""
            return None if cleaned.record is None else encode_cleaned(cleaned.record, key=key), cleaned.problems
        except Exception as error:  # noqa: BLE001 - whatever it is, the other records are read
            reason = explain_fault(error)
            # So that its last good version stays.
            own = raw.value.get("source_id") if isinstance(raw.value, dict) else None
            source_id = source_id or (own if isinstance(own, str) else None)
    problem = make_problem(
        None, reason, raw.value, quarantines=True, line=raw.line, feed=feed.name, source_id=source_id
    )  # fmt: skip
    return None, (problem,)


def _hash_value(value: object) -> bytes:
    """Return the hash of a raw record, or b"" for values that can't be encoded."""
    try:
        return blake2b(msgspec.msgpack.encode(value), digest_size=_KEY_BYTES).digest()
    except (TypeError, ValueError, OverflowError, RecursionError):
        return b""


def check_defaults(feed: FeedTable, vocabulary: Vocabulary) -> None:
    """Raise `SettingError` if the settings `defaults` or `expect` name a member that no type of record has."""
    member_names = {name for members in make_members(vocabulary).values() for name in members}
    for name in feed.defaults:
        if name not in member_names:
            near = ", ".join(list_nearest(name, member_names) or sorted(member_names))
            raise SettingError(feed.name, f"defaults.{name}", f"is not a member of a record; the nearest: {near}")
    for name in list_names(feed):
        if (first := name.partition(".")[0]) not in member_names | ALIASES.keys():
            near = ", ".join(list_nearest(first, member_names | ALIASES.keys()) or sorted(member_names))
            raise SettingError(feed.name, "expect", f"{name} is not a member of a record; the nearest: {near}")


def _fill_record(raw: object, defaults: Mapping[str, Any], vocabulary: Vocabulary) -> object:
    """Return the record with the feed's defaults for members that its type has and it does not state."""
    if not defaults or not isinstance(raw, dict) or raw.get("deleted") is True:
        return raw
    members = make_members(vocabulary).get(str(raw.get("type") or defaults.get("type")))
    return apply_defaults(raw, {name: value for name, value in defaults.items() if not members or name in members})


def apply_defaults(raw: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Add from `defaults` what `raw` does not state. Null counts as not stated, and objects are merged member by
    member."""
    joined = dict(raw)
    for name, default in defaults.items():
        own = raw.get(name)
        if own is None or (name in WHOLE_MEMBERS and not is_stated(own)):
            joined[name] = default
        elif isinstance(own, dict) and isinstance(default, dict) and name not in WHOLE_MEMBERS:
            joined[name] = apply_defaults(own, default)
    return joined


def find_timezone(feed: FeedTable, configuration: Configuration) -> str:
    """Return the time zone of the feed's metro. Raise `SettingError` if the feed names no metro."""
    stated = feed.metro or feed.defaults.get("metro")
    metros = (metro for metro in configuration.metros if stated in (metro.slug, *metro.aliases))
    if (metro := next(metros, None)) is not None:
        return metro.timezone
    raise SettingError(feed.name, "metro", f"is missing; {feed.format} does not state its metro")


def _sum_unknown(unknown: Counter[str]) -> dict[str, int]:
    """Return the counts of the most frequent unknown members by path, and the sum of the others."""
    common = {path: count for path, count in unknown.most_common(SHOWN_UNKNOWN) if count}
    rest = unknown.total() - sum(common.values())
    return dict(sorted(common.items())) | ({OTHERS: rest} if rest else {})
