"""Write a metro's listings as columns in JSON, so that the explorer's page can filter and search them in the browser.

`index.json` has every place, class and camp that lists show by default, and the events of the first 60 days. Later
events are in a file for each period of 30 days, which the page loads when a window reaches it. `site/scripts/index`
reads these files; their form may change with the program.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import polars as pl
from msgspec import Struct

from outings.answers.rows.filters import list_audiences
from outings.answers.search.readings import ORDER
from outings.contract.languages.language import ENGLISH
from outings.contract.routes import LISTS
from outings.contract.values import DateDefault, number_day
from outings.contract.vocabulary import AGE_BANDS, COLLECTIONS, PRICE_BANDS, TIME_BLOCKS, TYPES, WEEKDAYS
from outings.release.snapshot import Snapshot
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED, read_columns

# The days that the first file covers, and those that each later file covers.
FIRST_DAYS, LATER_DAYS = 60, 30
# Coordinates are whole hundred-thousandths of a degree, about a metre.
_PER_DEGREE = 100_000
_MINUTE = 60
_LISTINGS = (
    "row", "type", "id", "status", "audience", "confidence", "slug", "name", "categories", "age_min", "age_max",
    "lat", "lng", "neighborhood", "neighborhood_slug", "place_name", "city", "address", "organization_id", "is_indoor",
    "is_outdoor", "good_for_rainy", "is_sensory_friendly", "is_recurring", "program_key", "type_hint",
    "pack", "offset", "length",
)  # fmt: skip
_OFFERS = ("row", "starts_on", "ends_on", "days", "time", "age_min", "age_max", "price_min", "is_free", "openings")
_PRICE = ("min", "max", "is_free", "currency")
_FACTS = ("is_indoor", "is_outdoor", "is_sensory_friendly", "good_for_rainy")
_BOUNDS = ("south", "west", "north", "east")
_MEAN = {name: pl.col(name).mean() for name in ("lat", "lng")}
_VENUE = ("place_name", "lat", "lng", "neighborhood_slug", "neighborhood", "city", "address")

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode


class IndexFile(Struct, frozen=True):
    """A file of the index, by its name within the folder of the metro's index."""

    name: str
    data: bytes


def make_index(snapshot: Snapshot, *, today: date) -> list[IndexFile]:
    """Return the files of a metro's index for its local date, the first file first."""
    maker = _Maker(snapshot, today)
    horizon = today + timedelta(days=FIRST_DAYS)
    later = []
    for first in maker.list_periods(horizon):
        tables = Tables()
        events = maker.make_events(first, first + timedelta(days=LATER_DAYS), tables=tables)
        later.append(IndexFile(f"{first}.json", _encode({"events": events, "tables": tables.list_values()})))
    tables = Tables()
    events = maker.make_events(today, horizon, tables=tables)
    types = {name: maker.make_type(type_, tables=tables) for type_, name in COLLECTIONS.items() if type_ != "event"}
    body = {
        "metro": {
            "slug": snapshot.metro.slug,
            "timezone": snapshot.metro.timezone,
            "language": ENGLISH if snapshot.language is None else snapshot.language.code,
            "is_southern": snapshot.metro.center.lat < 0,
        },
        "date": today,
        "later": [file.name.removesuffix(".json") for file in later],
        "rules": list_rules(),
        "categories": snapshot.vocabulary.categories,
        "type_hints": snapshot.vocabulary.type_hints,
        "neighborhoods": maker.list_neighborhoods(),
        "tables": tables.list_values(),
        "events": events,
        **types,
    }
    return [IndexFile("index.json", _encode(body)), *later]


@cache
def list_rules() -> Mapping[str, Any]:
    """Return what lists of each collection take and assume, from the contract's tables. A default that depends on the
    date is its number of days after today, or for the end after the beginning."""
    days = {DateDefault.LOCAL_DATE: 0, DateDefault.FROM_PLUS_30_DAYS: 30}
    rows = {route.collection: [row for row in route.parameters.values() if row.is_filter] for route in LISTS.values()}
    return {
        "takes": {collection: [row.name for row in taken] for collection, taken in rows.items()},
        "windows": {
            collection: {row.name: days[row.default] for row in taken if isinstance(row.default, DateDefault)}
            for collection, taken in rows.items()
        },
        "radius_m": LISTS["event"].parameters["radius_m"].default,
        "weekdays": WEEKDAYS,
        "time_blocks": TIME_BLOCKS,
        "price_bands": PRICE_BANDS,
        "age_bands": AGE_BANDS,
        "order": ORDER,
    }


class Tables:
    """The values of the columns that repeat few values, numbered in the order in which they come. The columns have the
    numbers."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[Any, int]] = {
            name: {} for name in ("organization", "venue", "categories", "price", "facts", "program", "hours")
        }

    def find(self, name: str, value: Any) -> Any:
        """Return a value's number, or the value itself if its column has no table."""
        numbers = self._numbers.get(name)
        return value if numbers is None or value is None else numbers.setdefault(value, len(numbers))

    def list_values(self) -> dict[str, list[Any]]:
        return {name: list(numbers) for name, numbers in self._numbers.items() if name != "program"}


class _Maker:
    """Makes the columns of one metro's listings."""

    def __init__(self, snapshot: Snapshot, today: date) -> None:
        self._snapshot, self._first_day = snapshot, number_day(today)
        listings = read_columns(snapshot.tables["listings"], "listings", _LISTINGS)
        is_shown = (pl.col("status") == PUBLISHED) & pl.col("audience").is_in(list_audiences(("not_adults",)))
        is_of_type = {name: pl.col("type") == TYPES.index(name) for name in TYPES}
        # A listing that is not shown moves nothing: places and ranks are among those that are.
        self._listings = {
            name: listings.filter(is_shown & is_of_type[name] & _is_confident(name))
            .with_columns(rank=pl.col("id").rank("ordinal").cast(pl.Int64()) - 1)
            .with_row_index("place")
            for name in TYPES
        }
        organizations = read_columns(snapshot.tables["organizations"], "organizations", ("id", "name", "slug"))
        self._organizations = {row[0]: row for row in organizations.iter_rows()}
        dates = read_columns(
            snapshot.tables.get("occurrences"), "occurrences",
            ("row", "starts_at", "starts_local", "ends_local", "date", "time"),
        )  # fmt: skip
        local, ends = (pl.col(name).dt.epoch("s") for name in ("starts_local", "ends_local"))
        self._dates = (
            dates.join(self._listings["event"].select("row"), on="row", how="semi")
            .filter(pl.col("date") >= today)
            .sort("row", "starts_at")
            .select(
                "row", "date", pl.col("time") / _MINUTE, day=pl.col("date").to_physical() - self._first_day,
                lasts=(ends - local) / _MINUTE, offset=(local - pl.col("starts_at")) / _MINUTE,
            )
        )  # fmt: skip

    def list_periods(self, horizon: date) -> list[date]:
        """Return the first day of each period from the horizon on that has events."""
        days = self._dates.filter(pl.col("date") >= horizon)["day"] - (number_day(horizon) - self._first_day)
        return [horizon + timedelta(days=LATER_DAYS * number) for number in (days // LATER_DAYS).unique().sort()]

    def make_events(self, first: date, end: date, *, tables: Tables) -> dict[str, Any]:
        """Return the events that have a date from `first` to the day before `end`, with these dates."""
        dates = self._dates.filter((pl.col("date") >= first) & (pl.col("date") < end))
        by_row: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for row, *date_ in dates.select("row", "time", "lasts", "offset", "day").iter_rows():
            by_row[row].append(tuple(map(_shorten, date_)))
        rows = self._listings["event"].filter(pl.col("row").is_in(list(by_row)))
        return self._make(rows, lambda row, _: {"dates": _group_dates(by_row[row["row"]])}, tables=tables)

    def make_type(self, listing_type: str, *, tables: Tables) -> dict[str, Any]:
        """Return all listings of a type other than events."""
        rows, table = self._listings[listing_type], OCCURRENCE_TABLES.get(listing_type)
        if table is None:
            return self._make(rows, lambda _, item: {"hours": _list_hours(item)}, tables=tables)
        offers: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for offer in read_columns(self._snapshot.tables.get(table), table, _OFFERS).iter_rows(named=True):
            offers[offer["row"]].append(offer)
        return self._make(
            rows, lambda row, item: {"offers": self._list_offers(offers[row["row"]], item)}, tables=tables
        )

    def list_neighborhoods(self) -> list[tuple[str, str, float, float]]:
        """Return the slug, name and middle of each neighborhood with a listing: that of its outline, or the mean of its
        listings."""
        outlined = read_columns(self._snapshot.tables.get("neighborhoods"), "neighborhoods", ("slug", *_BOUNDS))
        outlined = outlined.drop_nulls("south").select(
            "slug", middle_lat=(pl.col("south") + pl.col("north")) / 2, middle_lng=(pl.col("west") + pl.col("east")) / 2
        )
        return (
            pl.concat(self._listings.values())
            .drop_nulls("neighborhood_slug")
            .group_by(slug="neighborhood_slug")
            .agg(name=pl.col("neighborhood").fill_null(pl.col("neighborhood_slug")).min(), **_MEAN)
            .join(outlined, on="slug", how="left")
            .select(
                "slug", "name", pl.coalesce("middle_lat", "lat").round(5), pl.coalesce("middle_lng", "lng").round(5)
            )
            .sort("name", "slug")
            .rows()
        )

    def _make(
        self, rows: pl.DataFrame, list_more: Callable[[Mapping[str, Any], Any], Mapping[str, Any]], *, tables: Tables
    ) -> dict[str, Any]:
        """Return the columns of these rows, in their order, without those that state nothing. `list_more` returns what
        only this type has."""
        columns: dict[str, list[Any]] = defaultdict(list)
        for row in rows.iter_rows(named=True):
            item = _decode(self._snapshot.read_document(row["pack"], row["offset"], row["length"]))
            values = {
                "row": row["place"],
                "rank": row["rank"],
                "name": row["name"],
                "slug": shorten_slug(row["slug"], row["name"]),
                "organization": self._organizations.get(row["organization_id"]),
                "venue": _read_venue(row),
                "categories": _list_bits(row["categories"]),
                "age_min": row["age_min"],
                "age_max": row["age_max"],
                "price": _read_price(item),
                "facts": tuple(row[name] for name in _FACTS),
                "program": row["program_key"],
                "type_hint": row["type_hint"],
                "is_recurring": row["is_recurring"] or None,
                "is_sold_out": item.get("is_sold_out") or None,
                "registration": _read_registration(item),
                **list_more(row, item),
            }
            for name, value in values.items():
                columns[name].append(tables.find(name, value))
        made = {name: column for name, column in columns.items() if any(value is not None for value in column)}
        for name in {"row", "rank"} & made.keys():
            made[name] = [made[name][0], *(second - first for first, second in pairwise(made[name]))]
        return made

    def _list_offers(self, offers: Iterable[Mapping[str, Any]], item: Any) -> list[list[Any]]:
        """Return the sections of a class or the sessions of a camp; a listing without any is its own only one."""
        stated = item["sections" if item["type"] == "class" else "sessions"] or [item]
        return [
            [
                _count_days(offer["starts_on"], self._first_day),
                _count_days(offer["ends_on"], self._first_day),
                offer["days"],
                _count_minutes(offer["time"]),
                _read_end(document),
                offer["age_min"],
                offer["age_max"],
                *_read_offer_price(offer, document, item),
                offer["openings"],
                *(_read_registration(document) or (None, None)),
            ]
            for offer, document in zip(offers, stated, strict=True)
        ]


def _is_confident(listing_type: str) -> pl.Expr:
    """Return the condition of lists' default `min_confidence`."""
    least = LISTS[listing_type].parameters["min_confidence"].default
    assert isinstance(least, float | int)
    return pl.col("confidence") >= least


def shorten_slug(slug: str, name: str) -> str | None:
    """Return what a slug has after the words of its name, None if nothing, or `=` and the whole slug if it does not
    begin with them. The page makes the words of the name in the same way."""
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(mark))
    words = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    return slug.removeprefix(words) or None if slug.startswith(words) else f"={slug}"


def _shorten(number: float | int | None) -> float | int | None:
    """Return a whole number as such, so that it takes fewer characters."""
    return int(number) if number is not None and number == int(number) else number


def _group_dates(dates: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """Return an event's dates as groups of the same clock time, length and offset from UTC, all in minutes, then the
    first day and the steps between days."""
    groups: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for time, lasts, offset, day in dates:
        groups[time, lasts, offset].append(day)
    return [[*group, days[0], *(later - day for day, later in pairwise(days))] for group, days in groups.items()]


def _list_bits(bits: int | None) -> tuple[int, ...]:
    return tuple(bit for bit in range((bits or 0).bit_length()) if (bits or 0) >> bit & 1)


def _read_venue(row: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Return where a listing is. Its address is not needed where its place has a name."""
    values = {name: row[name] for name in _VENUE}
    if values["place_name"] or row["type"] == TYPES.index("place"):
        values["address"] = None
    for name in ("lat", "lng"):
        values[name] = None if values[name] is None else round(values[name] * _PER_DEGREE)
    return tuple(values.values()) if any(value is not None for value in values.values()) else None


def _read_price(item: Any) -> tuple[Any, ...] | None:
    price = tuple((item.get("price") or {}).get(name) for name in _PRICE)
    return price if price != (None,) * len(_PRICE) else None


def _read_registration(item: Any) -> tuple[str | None, int | None] | None:
    """Return the state of registration and the places left."""
    registration = item.get("registration") or {}
    status, spots = registration.get("status"), registration.get("spots_remaining")
    return None if status is None and spots is None else (status, spots)


def _read_offer_price(offer: Mapping[str, Any], document: Any, item: Any) -> tuple[Any, ...]:
    """Return the least and the highest price of a section or session, whether it is free, and the currency. What it
    does not state is its listing's."""
    for price in (document.get("price") or {}, item["price"] or {}):
        if (price.get("min"), price.get("is_free")) == (offer["price_min"], offer["is_free"]):
            return tuple(price.get(name) for name in _PRICE)
    currency = (document.get("tuition") or {}).get("currency") or (item["price"] or {}).get("currency")
    return offer["price_min"], offer["price_min"], offer["is_free"], currency


def _read_end(document: Any) -> int | None:
    """Return the minute of the day at which a section or session ends."""
    text = document.get("end_time") or (document.get("schedule") or {}).get("end_time")
    return None if text is None else int(text[:2]) * _MINUTE + int(text[3:5])


def _list_hours(item: Any) -> tuple[str | None, ...] | None:
    hours = tuple((item.get("hours") or {}).get(day) for day in WEEKDAYS)
    return hours if any(hours) else None


def _count_days(day: date | None, first: int) -> int | None:
    return None if day is None else number_day(day) - first


def _count_minutes(seconds: int | None) -> float | int | None:
    return None if seconds is None else _shorten(seconds / _MINUTE)
