"""The files of a metro's offline folder. Pure: of the snapshot and the settings alone."""

import base64
from typing import Any

import msgspec
import numpy as np
import polars as pl

from outings.answers.documents.fields import cut_document
from outings.answers.listings.density_cells import PER_DEGREE, open_cells
from outings.answers.snapshot.areas import open_areas
from outings.answers.snapshot.reader import open_snapshot
from outings.contract.instants import DAY
from outings.contract.vocabulary import AGE_BANDS, COLLECTIONS, PRICE_BANDS, TIME_BLOCKS, TYPES, WEEKDAYS
from outings.pages.assets import OFFLINE_SCRIPT, find_asset, make_asset
from outings.pages.colors import make_colors
from outings.pages.explorer import list_values
from outings.pages.layout import render_page
from outings.pages.offline.filters import tell_filters
from outings.pages.offline.tables import (
    FolderTable,
    Rows,
    choose_rows,
    encode_parquet,
    list_organizations,
    make_tables,
)
from outings.pages.page import Page
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot
from outings.release.tables import HAPPENINGS

# Where these folders lie in what the command writes, each under its metro's slug.
FOLDER = "offline/"
# The styles and scripts that the page names. None is a module: only a server can give one to a page.
_NAMED = ("site.css", "explorer.css", "icon.svg", "theme.js", OFFLINE_SCRIPT)
# The members of a listing that the page shows or saves.
_SHOWN = (
    "id", "type", "name", "description", "categories", "confidence", "updated_at", "type_hint", "place.name",
    "location.address", "location.neighborhood", "location.city", "location.lat", "location.lng", "organization.name",
    "ages.min", "ages.max", "price.is_free", "price.min", "price.max", "price.currency", "starts_local", "ends_local",
    "has_time", "is_recurring", "starts_on", "ends_on", "term.starts_on", "term.ends_on", "schedule.days",
    "registration.url", "registration_url", "ticket_url", "website_url",
)  # fmt: skip
# Rows of the listings as they are shown that are read at once: the script knows the number too (`cards.js`).
_GROUP = 256


def render_folder(snapshot: Snapshot, settings: SiteSettings) -> tuple[Page, ...]:
    """What lies in the folder, which is whole in itself. `index.html` opens it."""
    data = make_asset("data.js", b"globalThis.outingsData = " + msgspec.json.encode(_make_data(snapshot)) + b";\n")
    values = {
        **list_values(settings),
        "metro": snapshot.metro,
        "changed_on": open_snapshot(snapshot).date,
        "data": data.path,
    }
    page = render_page("", "offline.html", settings=settings, page_words="explorer", values=values)
    own = (make_colors(settings.accent),) if settings.accent else ()
    return (page, data, *map(find_asset, _NAMED), *own)


def _make_data(snapshot: Snapshot) -> Any:
    filters = {kind: tell_filters(kind, snapshot.vocabulary) for kind in COLLECTIONS}
    rows = choose_rows(snapshot, filters)
    tables = make_tables(snapshot, filters, rows)
    buckets = {
        "category": snapshot.vocabulary.categories, "weekday": WEEKDAYS, "time_block": tuple(TIME_BLOCKS),
        "price_band": tuple(PRICE_BANDS), "age_band": tuple(AGE_BANDS),
    }  # fmt: skip
    metro = snapshot.metro
    return {
        "metro": {"slug": metro.slug, "name": metro.name, "timezone": metro.timezone, "bounds": metro.bounds},
        "types": filters,
        "happenings": HAPPENINGS,
        "vocabulary": {
            "buckets": buckets,
            "block_starts": [hour * DAY // 24 for hour in TIME_BLOCKS.values()],
            "organizations": list_organizations(snapshot),
        },
        "neighborhoods": _list_neighborhoods(snapshot),
        "cells": _list_cells(snapshot, rows),
        "tables": {name: _encode_table(table) for name, table in tables.items()},
        "cards": _encode_bytes(encode_parquet(_make_cards(snapshot, rows), group=_GROUP)),
    }


def _list_neighborhoods(snapshot: Snapshot) -> list[Any]:
    """As the API lists them."""
    areas = open_snapshot(snapshot).open_index(open_areas)
    return [
        {"slug": areas.slugs[number], "name": areas.names[number], "bounds": areas.read_bounds(number)}
        for number in areas.are_known(TYPES).nonzero()[0].tolist()
    ]


def _list_cells(snapshot: Snapshot, rows: Rows) -> Any:
    """Where the map's squares lie, by the number that the column `cell` has; of those without a listing nothing."""
    cells = open_snapshot(snapshot).open_index(open_cells)
    numbers = np.unique(cells.number_rows(rows))
    filled = numbers[numbers >= 0]
    corners = zip(filled.tolist(), cells.list_corners(filled), strict=True)
    return {"degrees": 1 / PER_DEGREE, "corners": {str(number): corner for number, corner in corners}}


def _make_cards(snapshot: Snapshot, rows: Rows) -> pl.DataFrame:
    """Each listing in JSON, cut to what is shown of it."""
    reader = open_snapshot(snapshot)
    types = [TYPES[code] for code in reader.rows.types[rows].tolist()]
    cards = [
        cut_document(kind, _SHOWN)(reader.read_document(row)).decode()
        for kind, row in zip(types, rows.tolist(), strict=True)
    ]
    return pl.DataFrame({"card": cards}, schema={"card": pl.String()})


def _encode_table(table: FolderTable) -> Any:
    return {"parquet": _encode_bytes(encode_parquet(table.frame)), "sets": table.sets}


def _encode_bytes(data: bytes) -> str:
    """In a script, which is the only file that a page from a folder may read."""
    return base64.b64encode(data).decode()
