"""Reads a feed: its records, each once, and every problem found. Each feed is read independently of the others."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from msgspec import Struct, structs

from outings.configuration import Configuration, FeedTable
from outings.contract.suggestions import list_nearest
from outings.contract.vocabulary import Vocabulary
from pipeline.feeds.cleaned_records import CleanedRecord, Records, encode_cleaned, hash_line, hash_value
from pipeline.feeds.ndjson import decode_record
from pipeline.feeds.opening import is_remote, open_sources
from pipeline.feeds.reader import FeedSetting, RawRecord, Reader, load_reader
from pipeline.feeds.source import FeedError, FeedSource, SettingError, SourceFile, check_unchanged, is_zoned
from pipeline.feeds.text_files import HEAD, refuse_markup
from pipeline.records.cleaning import (
    Origin,
    clean_record,
    explain_fault,
    is_stated,
    quarantine_unread,
    report_left_out,
)
from pipeline.records.members import make_members
from pipeline.records.record import Problem, Record
from pipeline.scratch import open_scratch

# A feed keyed by ids has as many names as records: a report needs the frequent ones.
SHOWN_UNKNOWN = 50
OTHERS = "(others)"

# A reference is one way of naming: a default's name beside a record's own source_id would be two.
WHOLE_MEMBERS = frozenset({"organization", "place"})


class FeedRead(Struct, frozen=True, kw_only=True):
    """`read` = `records` + `merged` + `quarantined` + `withdrawn`. `records` hold a delta's removals too (`deleted`).

    A record's line is numbered through all `files`, (name, lines in the files before it): `locate_problems` finds
    the file again. `unknown` counts members that no record has, by path. `items`: all that this said of them is in
    `records` and `problems`, whatever was said before. `decided`: how files were read, where that was a choice.
    `passed_over`: what is no listing, by its type.
    """

    feed: str
    hash: str
    read: int
    merged: int
    quarantined: int
    records: Sequence[Record]
    problems: tuple[Problem, ...]
    unknown: dict[str, int]
    files: tuple[tuple[str, int], ...]
    items: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    withdrawn: int = 0
    passed_over: Mapping[str, int] = {}


def read_feed(
    feed: FeedTable,
    configuration: Configuration,
    *,
    tell: Callable[[str], None] = lambda _: None,
    run: Callable[[Callable[[], FeedRead], FeedTable], FeedRead] = lambda read, _: read(),
) -> FeedRead:
    """Reads and cleans all of `feed`, whatever was read before. Raises what `read_source` and `open_sources` raise.

    `run`: what calls the function that reads what was opened, such as `run_bounded`.
    """
    check_defaults(feed, configuration.vocabulary)
    with open_scratch() as scratch:
        source = open_sources([feed], configuration, scratch=scratch, tell=tell)[feed.name]
        load_reader(feed.format)  # here, not in each child of `run`
        return run(lambda: read_source(feed, configuration, source), feed)


def read_source(
    feed: FeedTable, configuration: Configuration, source: FeedSource, *, recalled: Mapping[bytes, CleanedRecord] = {}
) -> FeedRead:
    """Reads what was opened. Cleans only what is not in `recalled`, which is keyed by the hash of its line or value.

    Raises `FeedError` if it cannot be read, and `SettingError` if its SQL is wrong.
    """
    check_defaults(feed, configuration.vocabulary)
    files = source.files
    reader, setting = load_reader(feed.format), make_setting(feed, configuration)
    whole = None if reader.read_files is None else reader.read_files(files, setting)
    named = _number_lines(files, reader)
    origin = make_origin(feed, configuration)
    unknown: Counter[str] = Counter()
    passed_over: Counter[str] = Counter()
    kept: dict[tuple[str, ...], CleanedRecord] = {}
    problems: list[Problem] = []
    items: set[str] = set()
    read = quarantined = 0
    for raw in _bound_rows(whole or _read_each(files, named, reader, setting), feed):
        if raw.passed_over is not None:
            passed_over[raw.passed_over] += 1
            continue
        read += 1
        if raw.item is not None:
            items.add(raw.item)
        if raw.is_superseded:
            continue
        raw, key, known = _recall_record(raw, recalled)
        problems += [
            report_left_out(*note, line=raw.line, feed=feed.name, source_id=raw.source_id) for note in raw.notes
        ]
        if known is None or raw.reason is not None:
            known, more, own = _clean_raw(raw, feed, origin, key=key)
        else:
            known = known.move(raw.line)
            more, own = known.problems, known.unknown
        problems += more
        for path, number in own:
            unknown[path] += number
        if known is None:
            quarantined += 1
            continue
        # The last wins, and stands where it was read.
        kept.pop(known.identity, None)
        kept[known.identity] = known
    if not is_remote(feed):
        check_unchanged(feed, files, configuration.directory)
    if whole is None:
        located = locate_problems(problems, named)
    else:
        named = tuple(whole.files)
        located = whole.explain(locate_problems(problems, named))
    return FeedRead(
        feed=feed.name, hash=source.hash, read=read, merged=read - quarantined - len(kept), quarantined=quarantined,
        records=Records(list(kept.values())), problems=located, unknown=_sum_unknown(unknown),
        files=named, items=tuple(sorted(items)), decided=() if whole is None else tuple(whole.decided),
        passed_over=dict(passed_over),
    )  # fmt: skip


def _bound_rows(raws: Iterable[RawRecord], feed: FeedTable) -> Iterator[RawRecord]:
    for count, raw in enumerate(raws, start=1):
        if count > feed.max_rows:
            raise FeedError(feed.name, feed.url, f"has more than the {feed.max_rows:,} rows that max_rows allows")
        yield raw


def _recall_record(
    raw: RawRecord, recalled: Mapping[bytes, CleanedRecord]
) -> tuple[RawRecord, bytes, CleanedRecord | None]:
    """With its hash, and what was made of the same before. A line is decoded only where there is none."""
    key = hash_value(raw.value) if raw.encoded is None else hash_line(raw.encoded)
    known = recalled.get(key)
    if known is None and raw.encoded is not None:
        raw = decode_record(raw.encoded, line=raw.line)
    return raw, key, known


def _clean_raw(
    raw: RawRecord, feed: FeedTable, origin: Origin, *, key: bytes
) -> tuple[CleanedRecord | None, tuple[Problem, ...], Iterable[tuple[str, int]]]:
    """None where it is quarantined; its problems, and what members it has that no record has."""
    reason, source_id = raw.reason, raw.source_id
    if reason is None:
        unknown: Counter[str] = Counter()
        try:
            value = fill_record(raw.value, feed.defaults, origin.vocabulary)
            cleaned = clean_record(value, line=raw.line, origin=origin, unknown=unknown)
            if cleaned.record is None:
                return None, cleaned.problems, unknown.items()
            known = encode_cleaned(cleaned.record, key=key, problems=cleaned.problems, unknown=tuple(unknown.items()))
            return known, cleaned.problems, known.unknown
        except Exception as error:  # noqa: BLE001 - whatever it is, the other records are read
            reason = explain_fault(error)
            source_id = source_id or find_source_id(raw.value)
    problem = quarantine_unread(
        raw.value, reason, line=raw.line, feed=feed.name, source_id=source_id, file=raw.file
    )  # fmt: skip
    return None, (problem,), ()


def find_source_id(raw: object) -> str | None:
    """The source id of a record that cannot be cleaned, so that its last good version stays."""
    source_id = raw.get("source_id") if isinstance(raw, dict) else None
    return source_id if isinstance(source_id, str) else None


def locate_problems(problems: Iterable[Problem], files: Sequence[tuple[str, int]]) -> tuple[Problem, ...]:
    """Problems with the file of several that their line is in, and their line there. Line 0 is in none."""
    if len(files) < 2:
        return tuple(problems)
    starts = [start for _, start in files]
    located = []
    for problem in problems:
        if problem.line == 0 or problem.file is not None:
            located.append(problem)
            continue
        name, start = files[bisect_left(starts, problem.line) - 1]
        located.append(structs.replace(problem, file=name, line=problem.line - start))
    return tuple(located)


def make_origin(feed: FeedTable, configuration: Configuration) -> Origin:
    metros = {name: metro.slug for metro in configuration.metros for name in (metro.slug, *metro.aliases)}
    return Origin(
        feed=feed.name, metro=feed.metro, delta=feed.mode == "delta", metros=metros,
        vocabulary=configuration.vocabulary,
    )  # fmt: skip


def check_defaults(feed: FeedTable, vocabulary: Vocabulary) -> None:
    """Raises `SettingError` if a default is not a member of any type."""
    known = {name for members in make_members(vocabulary).values() for name in members}
    for name in feed.defaults:
        if name not in known:
            near = ", ".join(list_nearest(name, known) or sorted(known))
            raise SettingError(feed.name, f"defaults.{name}", f"is not a member of a record; the nearest: {near}")


def fill_record(raw: object, defaults: Mapping[str, Any], vocabulary: Vocabulary) -> object:
    """The record with the defaults for the members that its type has."""
    if not defaults or not isinstance(raw, dict) or raw.get("deleted") is True:
        return raw
    members = make_members(vocabulary).get(str(raw.get("type") or defaults.get("type")))
    return apply_defaults(raw, {name: value for name, value in defaults.items() if not members or name in members})


def apply_defaults(raw: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Adds from `defaults` what `raw` does not state. Null counts as not stated, and objects are merged member by
    member."""
    joined = dict(raw)
    for name, default in defaults.items():
        own = raw.get(name)
        if own is None or (name in WHOLE_MEMBERS and not is_stated(own)):
            joined[name] = default
        elif isinstance(own, dict) and isinstance(default, dict) and name not in WHOLE_MEMBERS:
            joined[name] = apply_defaults(own, default)
    return joined


def _read_each(
    files: Sequence[SourceFile], named: Sequence[tuple[str, int]], reader: Reader, setting: FeedSetting
) -> Iterator[RawRecord]:
    assert reader.read_file is not None, "a reader has one of both"
    for file, (name, before) in zip(files, named, strict=True):
        try:
            if not reader.reads_markup:
                with file.path.open("rb") as opened:
                    refuse_markup(opened.read(HEAD))
            yield from reader.read_file(file, setting, before)
        except OSError as error:
            raise FeedError(setting.feed.name, name, f"can't be read: {error.strerror}") from error
        except ValueError as error:
            raise FeedError(setting.feed.name, name, str(error)) from error


def make_setting(feed: FeedTable, configuration: Configuration) -> FeedSetting:
    timezone = find_timezone(feed, configuration) if is_zoned(feed) else ""
    return FeedSetting(feed=feed, timezone=timezone, vocabulary=configuration.vocabulary)


def find_timezone(feed: FeedTable, configuration: Configuration) -> str:
    """The time zone of the feed's metro. Raises `SettingError` if the feed names no metro."""
    stated = feed.metro or feed.defaults.get("metro")
    for metro in configuration.metros:
        if stated in (metro.slug, *metro.aliases):
            return metro.timezone
    raise SettingError(feed.name, "metro", f"is missing; {feed.format} does not state its metro")


def _number_lines(files: Sequence[SourceFile], reader: Reader) -> tuple[tuple[str, int], ...]:
    """Each file with how many lines stand before it. (A line of files that are one whole is in none of them.)"""
    if reader.read_files is not None:
        return ()
    before = [0]
    if len(files) > 1:
        assert reader.count_lines is not None, "a format of one file alone"
        before += map(reader.count_lines, (file.path for file in files[:-1]))
    return tuple((file.name, start) for file, start in zip(files, accumulate(before), strict=True))


def _sum_unknown(unknown: Counter[str]) -> dict[str, int]:
    """The most frequent by name, the rest as one number."""
    common = {path: count for path, count in unknown.most_common(SHOWN_UNKNOWN) if count}
    rest = unknown.total() - sum(common.values())
    return dict(sorted(common.items())) | ({OTHERS: rest} if rest else {})
