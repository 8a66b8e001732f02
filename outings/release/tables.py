"""The columns of a snapshot's tables, which the build writes and answers read.

Instants are seconds since 1970 in UTC, clock times seconds of the local day, ages whole years. A bit set has bit i for
the i-th word of the vocabulary in the metro's manifest. Null means "not stated". `row` is the number of a listing in
the natural order of its list, from 0; occurrences, sections and sessions refer to their listing by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO

from outings.contract.vocabulary import STATUSES
from outings.lazy_polars import pl
from outings.release.cache import MappedFile

# Values of the column `status`: indexes in STATUSES.
PUBLISHED, ARCHIVED, DRAFT = range(len(STATUSES))

# The type of each column, as Polars names it. A list is `List` and the type of its values.
Columns = Mapping[str, str]

# The place of a row's document: the index of its pack in the manifest, and its bytes in the pack.
_DOCUMENT: Columns = {
    "pack": "UInt16",
    "offset": "UInt64",
    "length": "UInt32",
}

# Columns of listings and organizations. `source` is `<feed>/<source_id>`.
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
    "keywords": "String",  # the source's own words, joined by line ends; `q` and search read them, no answer shows them
    "age_min": "Int16",
    "age_max": "Int16",
    # Ages in the name or the description of a listing that states none, by which search ranks.
    "text_age_min": "Int16",
    "text_age_max": "Int16",
    "price_min": "Float64",
    "is_free": "Boolean",
    "lat": "Float64",
    "lng": "Float64",
    "neighborhood": "String",  # the name as stated
    "neighborhood_slug": "String",
    "neighborhood_key": "String",  # the name as `neighborhood=` compares it
    "place_id": "String",
    "place_name": "String",  # the name of the place that the listing refers to
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
    # The first date of a series after those in the table of occurrences: its number, even if there is no such date, its
    # instant, and its seconds by the local clock.
    "beyond_index": "UInt32",
    "beyond_starts_at": "Int64",
    "beyond_starts_local": "Int64",
    # The lines RRULE, EXDATE and RDATE of a series in iCalendar; empty if it has only its first date. Null if only a
    # list of dates can describe it.
    "recurrence": "String",
    "enrollment_type": "UInt8",  # index in vocabulary.ENROLLMENT_TYPES
    "program_key": "String",  # the same for all classes of a program, which lists show as one
    "year": "Int16",
    "is_overnight": "Boolean",
    "type_hint": "UInt8",  # index in the vocabulary's type_hints
    "opening_hours": "String",  # of places: spans of minutes since Monday 00:00, as outings.texts.opening writes them
    "has_birthday_parties": "Boolean",
    "has_classes": "Boolean",
    "registration": "UInt8",  # of classes: index in vocabulary.REGISTRATION_STATUSES
    "address": "String",
    "street_address": "String",
    "city": "String",
    "state": "String",
    "zip": "String",
    # For the source block and coverage.
    "verified_at": "Int64",
    "source_url": "String",
    "crawled_at": "Int64",
    "verification": "UInt8",  # index in vocabulary.VERIFICATION_STATUSES
    "checked_at": "Int64",
    "changed_fields": "String",  # joined by line ends
    "has_image": "Boolean",
    "has_price": "Boolean",
    "has_clock": "Boolean",  # it states any clock time; for a place, opening hours
    "has_date": "Boolean",  # null for a place
}

# One row for each occurrence in the dates that are expanded, also of single events, ordered by starts_at, id,
# starts_local.
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

# Columns of sections and sessions.
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

# One row for each section. A class without sections has one row, as section 0. Term, ages and price that a section does
# not state are its class's.
SECTIONS: Columns = {
    "row": "UInt32",
    "section": "UInt16",
    **_OFFER,
    "openings": "Boolean",
}

# One row for each session. A camp without sessions has one row, as session 0, without dates.
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
    "categories": "UInt64",  # stated by its own record
    "home": "String",  # the metro that has its record, if that is another one than this
}

# Neighborhoods of the metro's map, and those that published listings name. The latter have no bounds, and no center if
# none of their listings has coordinates.
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

# Centers of postal codes, ordered by `zip`. Deployments without centroids have no such table.
ZIPS: Columns = {
    "zip": "String",
    "lat": "Float64",
    "lng": "Float64",
}

# The parts of a listing's text.
FIELDS = ("name", "category", "keywords", "description", "organization", "place", "location")

# One row for each word in the text of a published listing, ordered by word, row, field, position.
TERMS: Columns = {
    "word": "String",  # as contract.text.split_words splits it
    "row": "UInt32",
    "field": "UInt8",  # index in FIELDS
    "position": "UInt16",  # the number of the word in its field, from 0; later words are left out
}

# One row for each published event, class or camp with similar listings, ordered by row.
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

# The table of occurrences, sections or sessions of each listing type.
OCCURRENCE_TABLES = {"event": "occurrences", "class": "sections", "camp": "sessions"}


def make_schema(columns: Columns) -> dict[str, pl.DataType]:
    """Return Polars' type of each column."""
    schema = {}
    for name, kind in columns.items():
        own = getattr(pl, kind.removeprefix("List "))()
        schema[name] = pl.List(own) if kind.startswith("List ") else own
    return schema


def read_columns(file: MappedFile | None, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read the named columns of a table, or all. Columns that an older release lacks are null. Without a file there are
    no rows. Raises Polars' errors if the file is broken."""
    kinds = make_schema(TABLES[table])
    names = list(kinds if columns is None else columns)
    if file is None:
        return pl.DataFrame(schema={name: kinds[name] for name in names})
    data = BytesIO(file.view)
    stored = pl.read_parquet_schema(data)
    frame = pl.read_parquet(data, columns=[name for name in names if name in stored])
    return frame.select(pl.col(name) if name in stored else pl.lit(None, kinds[name]).alias(name) for name in names)
