"""The columns of a snapshot's tables: the seam between the build, which writes them, and answers, which read them.

Units: instants are seconds since 1970 in UTC; clock times are seconds of the local day; ages are whole
years; a bit set has bit i for the i-th word of the vocabulary in the metro's manifest. Null means "not stated".
`row` is a listing's place in its table's natural order (`docs/decisions`), so that order by `row` is the order
of a list and a happening points to its listing by a small integer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO

from outings.contract.vocabulary import STATUSES
from outings.lazy_polars import pl
from outings.release.cache import MappedFile

# Of `status`: places in the vocabulary's STATUSES.
PUBLISHED, ARCHIVED, DRAFT = range(len(STATUSES))

# Column → the name of its type in Polars, or `List` and that of its values.
Columns = Mapping[str, str]

# Where a row's document is: pack's index in the manifest, byte offset and length.
_DOCUMENT: Columns = {
    "pack": "UInt16",
    "offset": "UInt64",
    "length": "UInt32",
}

# What a build and the change feed know a row by. `source` is `<feed>/<source_id>`.
_IDENTITY: Columns = {
    "row": "UInt32",
    "id": "String",
    "status": "UInt8",  # PUBLISHED, ARCHIVED or DRAFT
    "slug": "String",
    "name": "String",
    "name_key": "String",  # the name, case-folded
    "hash": "Binary",  # 32 bytes
    "created_at": "Int64",
    "updated_at": "Int64",
    "reason": "String",  # of an archived row: vocabulary.REMOVAL_REASONS
    "replaced_by": "String",
    "source": "String",
}

LISTINGS: Columns = {
    **_IDENTITY,
    "type": "UInt8",  # index in vocabulary.TYPES; rows are ordered by type first
    **_DOCUMENT,
    "audience": "UInt8",  # index in vocabulary.AUDIENCES
    "categories": "UInt64",
    "seasons": "UInt64",
    "occasions": "UInt64",
    "teams": "UInt64",
    "confidence": "Float64",
    "keywords": "String",  # the source's own words, joined by line ends: read by `q` and search, shown nowhere
    "age_min": "Int16",
    "age_max": "Int16",
    # Ages in the name or the description of a listing that states none, by which search ranks; null throughout in a
    # release from before they were kept.
    "text_age_min": "Int16",
    "text_age_max": "Int16",
    "price_min": "Float64",
    "is_free": "Boolean",
    "lat": "Float64",
    "lng": "Float64",
    "neighborhood": "String",  # the name as it is stated; null throughout in a release from before it was kept
    "neighborhood_slug": "String",
    "neighborhood_key": "String",  # the name as `neighborhood=` compares it
    "place_id": "String",
    "organization_id": "String",
    "is_indoor": "Boolean",
    "is_outdoor": "Boolean",
    "good_for_rainy": "Boolean",
    "is_sensory_friendly": "Boolean",
    "timezone": "String",
    "starts_at": "Int64",  # events: the anchor's instant; null when dateless
    "has_time": "Boolean",
    "is_recurring": "Boolean",
    "occurrences_total": "UInt32",  # null when the series has no end (or the row is no event)
    # Of a series the first date after those that the table of occurrences has: its number, also where there is none,
    # its instant, and seconds of the local clock. Null throughout in a release from before they were kept.
    "beyond_index": "UInt32",
    "beyond_starts_at": "Int64",
    "beyond_starts_local": "Int64",
    # Of a series what iCalendar says of it: the lines RRULE, EXDATE and RDATE, empty where its first date says it all.
    # Null where only its dates say it, and throughout in a release from before it was kept.
    "recurrence": "String",
    "enrollment_type": "UInt8",  # index in vocabulary.ENROLLMENT_TYPES
    "program_key": "String",  # classes that are one card share it
    "year": "Int16",
    "is_overnight": "Boolean",
    "type_hint": "UInt8",  # index in the vocabulary's type_hints
    "has_birthday_parties": "Boolean",
    "has_classes": "Boolean",
    # Null throughout in a release from before they were kept.
    "registration": "UInt8",  # of classes: index in vocabulary.REGISTRATION_STATUSES
    "zip": "String",
    # What the source block and coverage are made of; null throughout in a release from before they were kept.
    "verified_at": "Int64",
    "source_url": "String",
    "crawled_at": "Int64",
    "verification": "UInt8",  # index in vocabulary.VERIFICATION_STATUSES
    "checked_at": "Int64",
    "changed_fields": "String",  # joined by line ends
    "has_image": "Boolean",
    "has_price": "Boolean",
    "has_clock": "Boolean",  # a clock time anywhere; of a place, hours
    "has_date": "Boolean",  # null of a place
}

# One row an occurrence within the horizon, a dated single event included, ordered by starts_at, id, starts_local.
OCCURRENCES: Columns = {
    "row": "UInt32",
    "index": "UInt32",  # 1 at the anchor, counted over live occurrences
    "starts_at": "Int64",
    "ends_at": "Int64",
    "starts_local": "Datetime",
    "ends_local": "Datetime",
    "date": "Date",  # of starts_local
    "weekday": "UInt8",  # index in vocabulary.WEEKDAYS
    "time": "Int32",  # null without a clock time
}

# When a section or a session is, for whom, and what it costs.
_OFFER: Columns = {
    "starts_on": "Date",
    "ends_on": "Date",
    "days": "UInt8",  # bit set over WEEKDAYS; null when not stated
    "time": "Int32",
    "age_min": "Int16",
    "age_max": "Int16",
    "price_min": "Float64",
    "is_free": "Boolean",
}

# One row a section; a class without sections is its own one section (section 0).
# Term, ages and price that a section does not state are its class's.
SECTIONS: Columns = {
    "row": "UInt32",
    "section": "UInt16",
    **_OFFER,
    "openings": "Boolean",
}

# One row a session; a camp without sessions is its own one session (session 0, without dates).
SESSIONS: Columns = {
    "row": "UInt32",
    "session": "UInt16",
    **_OFFER,
    "is_overnight": "Boolean",
    "openings": "Boolean",
}

ORGANIZATIONS: Columns = {
    **_IDENTITY,
    **_DOCUMENT,
    "website_url": "String",
    "domain": "String",
    "categories": "UInt64",  # of the record alone
    "home": "String",  # the other metro that has the record, where this one's listings refer to it there
}

# Those of the metro's map, and those that published listings state: these have no bounds, and no center where none of
# their listings has coordinates.
NEIGHBORHOODS: Columns = {
    "slug": "String",
    "name": "String",
    "key": "String",
    "lat": "Float64",
    "lng": "Float64",
    "south": "Float64",
    "west": "Float64",
    "north": "Float64",
    "east": "Float64",
}

# Where postal codes lie, ordered by `zip`; no table where the deployment has no centroids.
ZIPS: Columns = {
    "zip": "String",
    "lat": "Float64",
    "lng": "Float64",
}

# The text of a listing, by the part of it that a word stands in.
FIELDS = ("name", "category", "keywords", "description", "organization", "place", "location")

# One row a word of a published listing's text, ordered by word, row, field, position.
TERMS: Columns = {
    "word": "String",  # as contract.tokenizer splits it
    "row": "UInt32",
    "field": "UInt8",  # index in FIELDS
    "position": "UInt16",  # of the word in its field, from 0; a word further in is left out
}

# One row a published event, class or camp that has any, ordered by row; releases from before them have no such table.
RELATED: Columns = {
    "row": "UInt32",
    "others": "List UInt32",  # the most similar rows of each type, the most similar first
}

TABLES: Mapping[str, Columns] = {
    "listings": LISTINGS,
    "occurrences": OCCURRENCES,
    "sections": SECTIONS,
    "sessions": SESSIONS,
    "organizations": ORGANIZATIONS,
    "neighborhoods": NEIGHBORHOODS,
    "terms": TERMS,
    "related": RELATED,
}

# Of each listing type: its happenings' table.
HAPPENINGS = {"event": "occurrences", "class": "sections", "camp": "sessions"}


def make_schema(columns: Columns) -> dict[str, pl.DataType]:
    """Return Polars' type of each column."""
    schema = {}
    for name, kind in columns.items():
        own = getattr(pl, kind.removeprefix("List "))()
        schema[name] = pl.List(own) if kind.startswith("List ") else own
    return schema


def read_columns(file: MappedFile | None, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read the named columns of a table, or all. Raises the errors of Polars if the file is broken.

    A column that the file lacks, as files of earlier programs may, is null; without a file there are no rows.
    """
    kinds = make_schema(TABLES[table])
    names = list(kinds if columns is None else columns)
    if file is None:
        return pl.DataFrame(schema={name: kinds[name] for name in names})
    data = BytesIO(file.view)
    known = pl.read_parquet_schema(data)
    frame = pl.read_parquet(data, columns=[name for name in names if name in known])
    missing = (pl.lit(None, dtype=kinds[name]).alias(name) for name in names if name not in known)
    return frame.with_columns(missing).select(names)
