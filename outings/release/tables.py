"""The columns of a snapshot's tables: the seam between the build, which writes them, and answers, which read them.

Units: instants are seconds since 1970 in UTC; clock times are seconds of the local day; ages are whole
years; a bit set has bit i for the i-th word of the vocabulary in the metro's manifest. Null means "not stated".
`row` is a listing's place in its table's natural order (`docs/decisions`), so that order by `row` is the order
of a list and a happening points to its listing by a small integer.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO

import polars as pl

from outings.contract.vocabulary import STATUSES
from outings.release.cache import MappedFile

# Of `status`: places in the vocabulary's STATUSES.
PUBLISHED, ARCHIVED, DRAFT = range(len(STATUSES))

# Where a row's document is: pack's index in the manifest, byte offset and length.
_DOCUMENT: Mapping[str, pl.DataType] = {
    "pack": pl.UInt16(),
    "offset": pl.UInt64(),
    "length": pl.UInt32(),
}

# What a build and the change feed know a row by. `source` is `<feed>/<source_id>`.
_IDENTITY: Mapping[str, pl.DataType] = {
    "row": pl.UInt32(),
    "id": pl.String(),
    "status": pl.UInt8(),  # PUBLISHED, ARCHIVED or DRAFT
    "slug": pl.String(),
    "name": pl.String(),
    "name_key": pl.String(),  # the name, case-folded
    "hash": pl.Binary(),  # 32 bytes
    "created_at": pl.Int64(),
    "updated_at": pl.Int64(),
    "reason": pl.String(),  # of an archived row: vocabulary.REMOVAL_REASONS
    "replaced_by": pl.String(),
    "source": pl.String(),
}

LISTINGS: Mapping[str, pl.DataType] = {
    **_IDENTITY,
    "type": pl.UInt8(),  # index in vocabulary.TYPES; rows are ordered by type first
    **_DOCUMENT,
    "audience": pl.UInt8(),  # index in vocabulary.AUDIENCES
    "categories": pl.UInt64(),
    "seasons": pl.UInt64(),
    "occasions": pl.UInt64(),
    "teams": pl.UInt64(),
    "confidence": pl.Float64(),
    "keywords": pl.String(),  # the source's own words, joined by line ends: read by `q` and search, shown nowhere
    "age_min": pl.Int16(),
    "age_max": pl.Int16(),
    "price_min": pl.Float64(),
    "is_free": pl.Boolean(),
    "lat": pl.Float64(),
    "lng": pl.Float64(),
    "neighborhood": pl.String(),  # the name as it is stated; null throughout in a release from before it was kept
    "neighborhood_slug": pl.String(),
    "neighborhood_key": pl.String(),  # the name as `neighborhood=` compares it
    "place_id": pl.String(),
    "organization_id": pl.String(),
    "is_indoor": pl.Boolean(),
    "is_outdoor": pl.Boolean(),
    "good_for_rainy": pl.Boolean(),
    "is_sensory_friendly": pl.Boolean(),
    "timezone": pl.String(),
    "starts_at": pl.Int64(),  # events: the anchor's instant; null when dateless
    "has_time": pl.Boolean(),
    "is_recurring": pl.Boolean(),
    "occurrences_total": pl.UInt32(),  # null when the series has no end (or the row is no event)
    # Of a series the first date after those that the table of occurrences has: its number, also where there is none,
    # its instant, and seconds of the local clock. Null throughout in a release from before they were kept.
    "beyond_index": pl.UInt32(),
    "beyond_starts_at": pl.Int64(),
    "beyond_starts_local": pl.Int64(),
    # Of a series what iCalendar says of it: the lines RRULE, EXDATE and RDATE, empty where its first date says it all.
    # Null where only its dates say it, and throughout in a release from before it was kept.
    "recurrence": pl.String(),
    "enrollment_type": pl.UInt8(),  # index in vocabulary.ENROLLMENT_TYPES
    "program_key": pl.String(),  # classes that are one card share it
    "year": pl.Int16(),
    "is_overnight": pl.Boolean(),
    "type_hint": pl.UInt8(),  # index in the vocabulary's type_hints
    "has_birthday_parties": pl.Boolean(),
    "has_classes": pl.Boolean(),
    # Null throughout in a release from before they were kept.
    "registration": pl.UInt8(),  # of classes: index in vocabulary.REGISTRATION_STATUSES
    "zip": pl.String(),
    # What the source block and coverage are made of; null throughout in a release from before they were kept.
    "verified_at": pl.Int64(),
    "source_url": pl.String(),
    "crawled_at": pl.Int64(),
    "verification": pl.UInt8(),  # index in vocabulary.VERIFICATION_STATUSES
    "checked_at": pl.Int64(),
    "changed_fields": pl.String(),  # joined by line ends
    "has_image": pl.Boolean(),
    "has_price": pl.Boolean(),
    "has_clock": pl.Boolean(),  # a clock time anywhere; of a place, hours
    "has_date": pl.Boolean(),  # null of a place
}

# One row an occurrence within the horizon, a dated single event included, ordered by starts_at, id, starts_local.
OCCURRENCES: Mapping[str, pl.DataType] = {
    "row": pl.UInt32(),
    "index": pl.UInt32(),  # 1 at the anchor, counted over live occurrences
    "starts_at": pl.Int64(),
    "ends_at": pl.Int64(),
    "starts_local": pl.Datetime("us"),
    "ends_local": pl.Datetime("us"),
    "date": pl.Date(),  # of starts_local
    "weekday": pl.UInt8(),  # index in vocabulary.WEEKDAYS
    "time": pl.Int32(),  # null without a clock time
}

# When a section or a session is, for whom, and what it costs.
_OFFER: Mapping[str, pl.DataType] = {
    "starts_on": pl.Date(),
    "ends_on": pl.Date(),
    "days": pl.UInt8(),  # bit set over WEEKDAYS; null when not stated
    "time": pl.Int32(),
    "age_min": pl.Int16(),
    "age_max": pl.Int16(),
    "price_min": pl.Float64(),
    "is_free": pl.Boolean(),
}

# One row a section; a class without sections is its own one section (section 0).
# Term, ages and price that a section does not state are its class's.
SECTIONS: Mapping[str, pl.DataType] = {
    "row": pl.UInt32(),
    "section": pl.UInt16(),
    **_OFFER,
    "openings": pl.Boolean(),
}

# One row a session; a camp without sessions is its own one session (session 0, without dates).
SESSIONS: Mapping[str, pl.DataType] = {
    "row": pl.UInt32(),
    "session": pl.UInt16(),
    **_OFFER,
    "is_overnight": pl.Boolean(),
    "openings": pl.Boolean(),
}

ORGANIZATIONS: Mapping[str, pl.DataType] = {
    **_IDENTITY,
    **_DOCUMENT,
    "website_url": pl.String(),
    "domain": pl.String(),
    "categories": pl.UInt64(),  # of the record alone
    "home": pl.String(),  # the other metro that has the record, where this one's listings refer to it there
}

# Those of the metro's map, and those that published listings state: these have no bounds, and no center where none of
# their listings has coordinates.
NEIGHBORHOODS: Mapping[str, pl.DataType] = {
    "slug": pl.String(),
    "name": pl.String(),
    "key": pl.String(),
    "lat": pl.Float64(),
    "lng": pl.Float64(),
    "south": pl.Float64(),
    "west": pl.Float64(),
    "north": pl.Float64(),
    "east": pl.Float64(),
}

# Where postal codes lie, ordered by `zip`; no table where the deployment has no centroids.
ZIPS: Mapping[str, pl.DataType] = {
    "zip": pl.String(),
    "lat": pl.Float64(),
    "lng": pl.Float64(),
}

# The text of a listing, by the part of it that a word stands in.
FIELDS = ("name", "category", "keywords", "description", "organization", "place", "location")

# One row a word of a published listing's text, ordered by word, row, field, position.
TERMS: Mapping[str, pl.DataType] = {
    "word": pl.String(),  # as contract.tokenizer splits it
    "row": pl.UInt32(),
    "field": pl.UInt8(),  # index in FIELDS
    "position": pl.UInt16(),  # of the word in its field, from 0; a word further in is left out
}

# One row a published event, class or camp that has any, ordered by row; releases from before them have no such table.
RELATED: Mapping[str, pl.DataType] = {
    "row": pl.UInt32(),
    "others": pl.List(pl.UInt32()),  # the most similar rows of each type, the most similar first
}

TABLES: Mapping[str, Mapping[str, pl.DataType]] = {
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


def read_columns(file: MappedFile | None, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Read columns of a table, all of them if none are named. Raises what Polars raises if the file is broken.

    An earlier program did not write every column or table. A column that the file lacks is null; without a file there
    are no rows.
    """
    kinds = TABLES[table]
    names = list(kinds if columns is None else columns)
    if file is None:
        return pl.DataFrame(schema={name: kinds[name] for name in names})
    data = BytesIO(file.view)
    known = pl.read_parquet_schema(data)
    frame = pl.read_parquet(data, columns=[name for name in names if name in known])
    missing = (pl.lit(None, dtype=kinds[name]).alias(name) for name in names if name not in known)
    return frame.with_columns(missing).select(names)
