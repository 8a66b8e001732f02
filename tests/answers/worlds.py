"""A world: what one metro publishes, as documents, with what no document tells (a series' dates, programs).

Written out as the tables and packs of a snapshot, in plain Python: not by the program's own build.
"""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from outings.answers.derived import derive_tables
from outings.contract.languages.language import read_shipped_language
from outings.contract.resources.directories import Bounds, Center
from outings.contract.vocabulary import WEEKDAYS, Vocabulary
from outings.release.cache import MappedFile
from outings.release.manifest import MetroSettings
from outings.release.mapped_table import encode_mapped
from outings.release.snapshot import Release, Snapshot
from outings.release.tables import TABLES, ZIPS, make_schema
from pipeline.tables.similar import make_related

Document = dict[str, Any]

TYPES = ["event", "class", "camp", "place"]
COLLECTIONS = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}
STATUSES = ["published", "archived", "draft"]
AUDIENCES = ["kids", "families", "teens", "adults", "all_ages"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
REGISTRATIONS = ["open", "upcoming", "waitlist", "full", "closed", "unknown"]
ENROLLMENTS = ["drop_in", "registration", "membership", "unknown"]
VERIFICATIONS = ["clear", "changed", "flagged", "unverifiable", "unreachable", "gone"]
STAMP = datetime(2026, 8, 1, 12, tzinfo=UTC)
WORDS = Vocabulary()
# The local date of the build: other dates may be asked about.
TODAY = date(2026, 8, 10)

# A new pack begins after so many: small worlds have several, too.
PACK_BYTES = 4_096


@dataclass
class World:
    """`dates`: a series' or dated event's live occurrences by id, naive local, the anchor among them; `unending`: ids
    of series without an end; `lasts`: how long each date of an event is, by the clock. `programs`: a class's program by
    id. `organization_categories` by id. `neighborhoods`: as the table of them has each; `zips`: where
    each lies, none where the deployment knows none.
    `sources`: what a listing's feed says of where it came from, by id: `url`, `crawled_at`, `status`, `checked_at`,
    `changed_fields`."""

    slug: str = "harbor"
    timezone: str = "America/New_York"
    listings: list[Document] = field(default_factory=list)
    organizations: list[Document] = field(default_factory=list)
    dates: dict[str, list[datetime]] = field(default_factory=dict)
    unending: set[str] = field(default_factory=set)
    lasts: dict[str, timedelta] = field(default_factory=dict)
    programs: dict[str, str] = field(default_factory=dict)
    organization_categories: dict[str, list[str]] = field(default_factory=dict)
    neighborhoods: list[Document] = field(default_factory=list)
    zips: dict[str, tuple[float, float]] = field(default_factory=dict)
    sources: dict[str, Document] = field(default_factory=dict)

    def get(self, row_id: str) -> Document:
        return next(listing for listing in (*self.listings, *self.organizations) if listing["id"] == row_id)


def open_release(worlds: Sequence[World], folder: Path, *, release_id: str = "1-00000000") -> Release:
    metros = {world.slug: open_world(world, folder / world.slug) for world in worlds}
    return Release(id=release_id, sequence=1, latest_version_id=0, metros=metros)


def open_world(world: World, folder: Path, *, stamp: datetime = STAMP) -> Snapshot:
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(world.listings, key=lambda listing: _natural_key(listing))
    packs = [bytearray()]
    frames = {
        "listings": [_list_row(world, value, row=row, packs=packs) for row, value in enumerate(ordered)],
        "organizations": [
            _organization_row(world, organization, row=row, packs=packs)
            for row, organization in enumerate(sorted(world.organizations, key=_natural_key))
        ],
        "occurrences": _list_occurrences(world, ordered),
        "sections": [row for number, value in enumerate(ordered) for row in _list_sections(value, number)],
        "sessions": [row for number, value in enumerate(ordered) for row in _list_sessions(value, number)],
        "neighborhoods": world.neighborhoods,
        "terms": sorted(
            (term for number, value in enumerate(ordered) for term in _list_terms(value, number)),
            key=lambda term: (term["word"], term["row"], term["field"], term["position"]),
        ),
    }
    digest = hashlib.sha256(b"".join(packs) + stamp.isoformat().encode())
    paths, tables = {}, {}
    for name, rows in frames.items():
        schema = make_schema(TABLES[name])
        tables[name] = pl.DataFrame([{key: row.get(key) for key in schema} for row in rows], schema=schema)
    # Whoever asks judges it by what is answered.
    tables["related"] = make_related(tables, today=TODAY)
    for name, table in tables.items():
        paths[name] = folder / f"{name}.parquet"
        table.write_parquet(paths[name])
        digest.update(paths[name].read_bytes())
    if world.zips:
        paths["zips"] = folder / "zips.parquet"
        rows = [(code, *point) for code, point in sorted(world.zips.items())]
        pl.DataFrame(rows, schema=make_schema(ZIPS), orient="row").write_parquet(paths["zips"])
    settings = MetroSettings(
        slug=world.slug, name=world.slug.title(), timezone=world.timezone, aliases=(f"{world.slug}-city",),
        center=Center(lat=40.0, lng=-74.0), bounds=Bounds(south=39.0, west=-75.0, north=41.0, east=-73.0),
    )  # fmt: skip
    return Snapshot(
        metro=settings, hash=digest.hexdigest(), stamp=stamp, vocabulary=WORDS,
        tables=map_files(paths), packs=tuple(map(bytes, packs)), mapped=map_files(_write_mapped(tables, folder)),
        related=read_shipped_language("en").related,
    )  # fmt: skip


def map_files(paths: Mapping[str, Path]) -> dict[str, MappedFile]:
    return {name: MappedFile(path) for name, path in paths.items()}


def _write_mapped(tables: Mapping[str, pl.DataFrame], folder: Path) -> dict[str, Path]:
    """Write the mapped tables with the program itself. What it derives from tables is not derived again by tests."""
    paths = {}
    for name, frame in derive_tables(tables, today=TODAY):
        paths[name] = folder / f"{name}.arrow"
        paths[name].write_bytes(encode_mapped(frame))
    return paths


def find_instant(local: datetime, timezone: str) -> int:
    return int(local.replace(tzinfo=ZoneInfo(timezone)).timestamp())


def fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (sign for sign in decomposed if unicodedata.category(sign)[0] not in "P" and not unicodedata.combining(sign))
    return " ".join("".join(kept).casefold().split())


def split_text(text: str) -> list[str]:
    """Words of letters and digits, without case, accents and apostrophes."""
    text = text.replace("'", "").replace("’", "").replace("&", " and ")
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()
    return "".join(sign if sign.isalnum() else " " for sign in plain).split()


def list_texts(document: Document) -> list[str]:
    """List the texts of a listing that `q` reads: name, category, keywords, description, organization, place."""
    categories = " ".join(document["categories"]).replace("_", " ")
    place = (document.get("place") or {}).get("name")
    organization = document["organization"]["name"]
    return [document["name"], categories, "", document["description"] or "", organization or "", place or ""]


def show_where(document: Document) -> str:
    """List the texts that search reads besides those of `q`."""
    return " ".join(document["location"][name] or "" for name in ("address", "city", "neighborhood"))


def _list_terms(document: Document, number: int) -> list[Document]:
    if document["status"] != "published":
        return []
    return [
        {"word": word, "row": number, "field": field, "position": position}
        for field, text in enumerate([*list_texts(document), show_where(document)])
        for position, word in enumerate(split_text(text))
    ]


def _natural_key(document: Document) -> tuple[Any, ...]:
    kind, row_id = document["type"], document["id"]
    rank = TYPES.index(kind) if kind in TYPES else len(TYPES)
    if kind == "event":
        return rank, document["starts_at"] or "9999", row_id
    if kind == "camp":
        return rank, document["starts_on"] or "9999", row_id
    return rank, document["name"].casefold(), row_id


def _store(document: Document, packs: list[bytearray]) -> Document:
    data = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    if len(packs[-1]) > PACK_BYTES:
        packs.append(bytearray())
    place = {"pack": len(packs) - 1, "offset": len(packs[-1]), "length": len(data)}
    packs[-1] += data
    steady = {name: value for name, value in document.items() if name not in ("updated_at", "created_at")}
    return {**place, "hash": hashlib.sha256(json.dumps(steady).encode()).digest()}


def _read_seconds(text: str | None) -> int | None:
    return None if text is None else int(datetime.fromisoformat(text).timestamp())


def _identify(document: Document, *, row: int) -> Document:
    return {
        "row": row, "id": document["id"], "status": STATUSES.index(document["status"]), "slug": document["slug"],
        "name": document["name"], "name_key": document["name"].casefold(),
        "created_at": _read_seconds(document["created_at"]), "updated_at": _read_seconds(document["updated_at"]),
        "source": f"feed/{document['id']}",
    }  # fmt: skip


def _bits(words: Iterable[str], known: Sequence[str]) -> int:
    return sum({1 << known.index(word) for word in words})


def _list_row(world: World, document: Document, *, row: int, packs: list[bytearray]) -> Document:
    kind, location = document["type"], document["location"]
    price = document.get("price", {})
    enrollment = document.get("program", {}).get("enrollment_type")
    registration = document.get("registration", {}).get("status") if kind == "class" else None
    dates = world.dates.get(document["id"], [])
    name = location["neighborhood"]
    return {
        **_identify(document, row=row), **_store(document, packs),
        "type": TYPES.index(kind), "audience": AUDIENCES.index(document["audience"]),
        "categories": _bits(document["categories"], WORDS.categories),
        "seasons": _bits(document.get("traits", {}).get("seasons", ()), WORDS.seasons),
        "occasions": _bits(document.get("occasions", ()), WORDS.occasions),
        "teams": _bits(document.get("teams", ()), WORDS.teams),
        "confidence": document["confidence"],
        "age_min": document["ages"]["min"], "age_max": document["ages"]["max"],
        "price_min": price.get("min"), "is_free": price.get("is_free"),
        "lat": location["lat"], "lng": location["lng"],
        "neighborhood": name, "neighborhood_slug": location["neighborhood_slug"],
        "neighborhood_key": None if name is None else fold(name),
        "place_id": (document.get("place") or {}).get("id"), "place_name": (document.get("place") or {}).get("name"),
        "organization_id": document["organization"]["id"],
        "is_indoor": document.get("is_indoor"), "is_outdoor": document.get("is_outdoor"),
        "good_for_rainy": document.get("good_for_rainy"), "opening_hours": _write_hours(document.get("hours") or {}),
        "is_sensory_friendly": document.get("is_sensory_friendly"), "timezone": document.get("timezone"),
        "starts_at": _read_seconds(document.get("starts_at")), "has_time": document.get("has_time"),
        "is_recurring": document.get("is_recurring"),
        "occurrences_total": len(dates) if dates and document["id"] not in world.unending else None,
        "enrollment_type": None if enrollment is None else ENROLLMENTS.index(enrollment),
        "program_key": world.programs.get(document["id"]),
        "registration": None if registration is None else REGISTRATIONS.index(registration),
        **{name: location[name] for name in ("address", "street_address", "city", "state", "zip")},
        "year": document.get("year"), "is_overnight": document.get("is_overnight"),
        "type_hint": None if document.get("type_hint") is None else WORDS.type_hints.index(document["type_hint"]),
        "has_birthday_parties": document.get("birthday_parties", {}).get("available"),
        "has_classes": document["classes"]["available"] if kind == "place" else None,
        **_list_statements(document, world.sources.get(document["id"], {})),
    }  # fmt: skip


def _list_statements(document: Document, source: Document) -> Document:
    kind, status = document["type"], source.get("status")
    return {
        "verified_at": _read_seconds(document["verified_at"]), "crawled_at": _read_seconds(source.get("crawled_at")),
        "verification": None if status is None else VERIFICATIONS.index(status),
        "source_url": source.get("url"), "checked_at": _read_seconds(source.get("checked_at")),
        "changed_fields": "\n".join(source.get("changed_fields", ())) or None,
        "has_image": document["image_url"] is not None, "has_price": states_price(document),
        "has_clock": states_clock(document), "has_date": None if kind == "place" else states_date(document),
    }  # fmt: skip


def _is_any(*values: object) -> bool:
    return any(value is not None for value in values)


def states_price(document: Document) -> bool:
    if document["type"] == "place":
        return _is_any(*(document["admission"][name] for name in ("type", "child_price", "adult_price")))
    parts = [document, *document.get("sections", ()), *document.get("sessions", ())]
    prices = [part.get("price", {}) for part in parts]
    tuitions = [part.get("tuition", {}) for part in parts]
    return _is_any(
        *(price.get(name) for price in prices for name in ("min", "max", "is_free")),
        *(tuition.get(name) for tuition in tuitions for name in ("amount", "from", "drop_in_price")),
    )


def _write_hours(hours: Document) -> str | None:
    """Spans of minutes since Monday 00:00, of hours as generated places have them: `20:00-02:00`."""
    spans = []
    for number, day in enumerate(WEEKDAYS):
        for span in filter(None, (hours.get(day) or "").split(", ")):
            begin, end = (int(clock[:2]) * 60 + int(clock[3:]) for clock in span.split("-"))
            spans.append(f"{number * 1440 + begin}-{number * 1440 + end + 1440 * (end <= begin)}")
    return ",".join(spans) or None


def states_clock(document: Document) -> bool:
    if document["type"] == "place":
        return _is_any(*(document["hours"][day] for day in DAYS))
    if document["type"] == "event":
        return bool(document["has_time"])
    parts = [*document.get("sections", ()), *document.get("sessions", ())]
    schedules = [document["schedule"], *(part["schedule"] for part in parts)] if "schedule" in document else parts
    return _is_any(*(schedule["start_time"] for schedule in schedules))


def states_date(document: Document) -> bool:
    if document["type"] == "event":
        return bool(document["has_date"])
    if document["type"] == "camp":
        return _is_any(*(session["starts_on"] for session in document["sessions"]))
    parts = [document, *document["sections"]]
    dates = [part["term"][name] for part in parts for name in ("starts_on", "ends_on")]
    return _is_any(*dates) or any(part["schedule"]["days"] for part in parts)


def _organization_row(world: World, document: Document, *, row: int, packs: list[bytearray]) -> Document:
    categories = world.organization_categories.get(document["id"], [])
    return {
        **_identify(document, row=row), **_store(document, packs),
        "website_url": document["website_url"], "domain": document["domain"],
        "categories": _bits(categories, WORDS.categories),
    }  # fmt: skip


def _list_occurrences(world: World, ordered: Sequence[Document]) -> list[Document]:
    rows = []
    for number, document in enumerate(ordered):
        for index, local in enumerate(sorted(world.dates.get(document["id"], ()))):
            instant = find_instant(local, document["timezone"])
            seconds = local.hour * 3600 + local.minute * 60 + local.second
            ends = local + world.lasts[document["id"]] if document["id"] in world.lasts else None
            rows.append({
                "row": number, "index": index + 1, "starts_at": instant, "starts_local": local,
                "ends_at": None if ends is None else find_instant(ends, document["timezone"]), "ends_local": ends,
                "date": local.date(), "weekday": local.weekday(),
                "time": seconds if document["has_time"] else None, "id": document["id"],
            })  # fmt: skip
    return sorted(rows, key=lambda row: (row["starts_at"], row["id"], row["starts_local"]))


def _read_day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _read_clock(text: str | None) -> int | None:
    if text is None:
        return None
    hours, minutes, seconds = map(int, text.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def _find_openings(registration: Mapping[str, Any]) -> bool | None:
    if registration["has_spots_available"] is not None:
        return bool(registration["has_spots_available"])
    return None if registration["spots_remaining"] is None else registration["spots_remaining"] > 0


def _choose_ages(own: Document, whole: Document) -> Document:
    chosen = whole if own["min"] is None and own["max"] is None else own
    return {"age_min": chosen["min"], "age_max": chosen["max"]}


def _list_sections(document: Document, number: int) -> list[Document]:
    if document["type"] != "class":
        return []
    own = {**document, "tuition": {"amount": None}}
    rows = []
    for section, value in enumerate(document["sections"] or [own]):
        amount, term = value["tuition"]["amount"], value["term"]
        if not term["starts_on"] and not term["ends_on"]:
            term = document["term"]
        price = document["price"] if amount is None else {"min": amount, "is_free": amount == 0}
        rows.append({
            "row": number, "section": section, "starts_on": _read_day(term["starts_on"]),
            "ends_on": _read_day(term["ends_on"]), "days": _bits(value["schedule"]["days"], DAYS) or None,
            "time": _read_clock(value["schedule"]["start_time"]), **_choose_ages(value["ages"], document["ages"]),
            "price_min": price["min"], "is_free": price["is_free"], "openings": _find_openings(value["registration"]),
        })  # fmt: skip
    return rows


def _list_sessions(document: Document, number: int) -> list[Document]:
    if document["type"] != "camp":
        return []
    nothing = {**document, "starts_on": None, "ends_on": None, "days": [], "start_time": None}
    rows = []
    for session, entry in enumerate(document["sessions"] or [nothing]):
        stated = any(value is not None for value in entry["price"].values())
        price = entry["price"] if stated else document["price"]
        overnight = document["is_overnight"] if entry["is_overnight"] is None else entry["is_overnight"]
        rows.append({
            "row": number, "session": session, "starts_on": _read_day(entry["starts_on"]),
            "ends_on": _read_day(entry["ends_on"]), "days": _bits(entry["days"], DAYS) or None,
            "time": _read_clock(entry["start_time"]), **_choose_ages(entry["ages"], document["ages"]),
            "price_min": price["min"], "is_free": price["is_free"], "is_overnight": overnight,
            "openings": _find_openings(entry["registration"]),
        })  # fmt: skip
    return rows


def list_dates(first: datetime, *, days: int, count: int) -> list[datetime]:
    return [first + timedelta(days=days * number) for number in range(count)]
