"""Clean the raw records of a feed into its records, each once, and every problem found. Each feed is read independently
of the others."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.contract.did_you_mean import list_nearest
from outings.contract.vocabulary import Vocabulary
from pipeline.clean.cleaning import Origin, clean_record, is_stated, make_problem
from pipeline.clean.expectations import ALIASES, list_names
from pipeline.clean.feed_read import CleanedRecord, FeedRead, encode_cleaned
from pipeline.clean.read_tally import ReadTally
from pipeline.clean.venues import bring_venues
from pipeline.fetch.formats import FeedSetting, RawRecord, load_reader
from pipeline.fetch.raw_records import find_timezone, list_raw_records
from pipeline.fetch.source import FeedSource, SettingError
from pipeline.records.record import Problem, explain_fault, make_members

_KEY_BYTES = 16

# A reference is one way of naming: a default's name beside a record's own source_id would be two.
WHOLE_MEMBERS = frozenset({"organization", "place"})

# A cleaned record, or None if it is quarantined; its problems; and the members that no record has.
_Cleaned = tuple[CleanedRecord | None, Sequence[Problem], Mapping[str, int]]


def read_source(
    feed: FeedTable, configuration: Configuration, source: FeedSource, *, before: Sequence[CleanedRecord] = ()
) -> FeedRead:
    """Read and clean an opened feed. Raises `FeedError` if it can't be read, `SettingError` if its SQL is wrong.

    `before`: the records that this program read of it last time. Equal ones are not cleaned again.
    """
    check_defaults(feed, configuration.vocabulary)
    tally, reader = ReadTally(feed), load_reader(feed.format)
    setting = FeedSetting(
        feed=feed, timezone=find_timezone(feed, configuration), vocabulary=configuration.vocabulary, day=source.day,
        tell_decided=tally.decided.append, tell_unplaced=tally.unplaced.extend, tell_text=tally.texts.add,
    )  # fmt: skip
    cleaner = _RawCleaner(feed, configuration, before)
    raws = list_raw_records(feed, configuration, source, reader=reader, setting=setting)
    for raw in bring_venues(raws, type_=feed.defaults.get("type", "")) if feed.venues else raws:
        if (counted := tally.add_raw(raw)) is not None:
            tally.add_cleaned(*cleaner.clean(counted))
    located = tally.locate_problems()
    return tally.finish(source, located if reader.explain is None else reader.explain(located, setting))


class _RawCleaner:
    """Cleans the raw records of one feed. `before`: its records of last time."""

    def __init__(self, feed: FeedTable, configuration: Configuration, before: Sequence[CleanedRecord]) -> None:
        self._feed = feed
        self._origin = Origin(
            feed=feed.name, metro=feed.metro, delta=feed.mode == "delta", vocabulary=configuration.vocabulary,
            metros=configuration.metro_slugs, is_mapped=bool(feed.map),
        )  # fmt: skip
        self._recalled = {record.key: record for record in before if record.key}

    def clean(self, raw: RawRecord) -> _Cleaned:
        reason, source_id = raw.reason, raw.source_id
        if reason is None:
            try:
                return self._clean_value(raw)
            except Exception as error:  # noqa: BLE001 - whatever it is, the other records are read
                reason = explain_fault(error)
                # So that its last good version is published.
                own = raw.value.get("source_id") if isinstance(raw.value, dict) else None
                source_id = source_id or (own if isinstance(own, str) else None)
        problem = make_problem(
            None, reason, raw.value, quarantines=True, line=raw.line, feed=self._feed.name, source_id=source_id
        )  # fmt: skip
        return None, (problem,), {}

    def _clean_value(self, raw: RawRecord) -> _Cleaned:
        key = _hash_value(raw.value)
        if (known := self._recalled.get(key)) is not None:
            return replace(known, encoded=replace(known.encoded, line=raw.line)), (), {}
        value, unknown = _fill_record(raw.value, self._feed.defaults, self._origin.vocabulary), Counter[str]()
        cleaned = clean_record(value, line=raw.line, origin=self._origin, unknown=unknown)
        if cleaned.record is None:
            return None, cleaned.problems, unknown
        # What is reported of a record is found again by each build.
        key = b"" if unknown or cleaned.problems else key
        return encode_cleaned(cleaned.record, key=key), cleaned.problems, unknown


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
    member.

    >>> apply_defaults({"name": "Walk", "price": {"min": 5}}, {"price": {"currency": "USD"}, "name": "?"})
    {'name': 'Walk', 'price': {'min': 5, 'currency': 'USD'}}
    """
    joined = dict(raw)
    for name, default in defaults.items():
        own = raw.get(name)
        if own is None or (name in WHOLE_MEMBERS and not is_stated(own)):
            joined[name] = default
        elif isinstance(own, dict) and isinstance(default, dict) and name not in WHOLE_MEMBERS:
            joined[name] = apply_defaults(own, default)
    return joined
