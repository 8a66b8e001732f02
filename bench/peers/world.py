"""The listings that all servers hold: generated, built into a release, and read from its own tables and packs."""

import subprocess
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl
from msgspec import Struct

from bench.servers import OUTINGS
from command.sample_cities import write_world
from command.sample_cities.geography import SEATTLE
from outings.answers.documents.occurrences import read_event
from outings.answers.organizations import encode_organization, list_copies
from outings.answers.plan import AnswerContext
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration import read_configuration
from outings.contract.query import Entitlement
from outings.contract.vocabulary import AUDIENCES, PRICE_BANDS, STATUSES, TIME_BLOCKS, TYPES, WEEKDAYS
from outings.release.pointer import list_releases
from outings.release.snapshot import Release, Snapshot, open_release
from outings.release.store import open_store

METRO = SEATTLE
# Past every age and every date that is asked for: an end that is not stated is open.
NO_AGE = 999
# The bit of the bucket "unspecified", of categories.
NO_CATEGORY = 1 << 62


class World(Struct, frozen=True, kw_only=True):
    """`today` is the metro's local date, on which documents of series show their next occurrence."""

    config: Path
    release: Release
    snapshot: Snapshot
    today: date


class Bucket(Struct, frozen=True):
    """A bucket of a facet, and its bit in the dimension's bit set."""

    dimension: str
    position: int
    value: str
    bit: int


# What its build printed: it is whole.
MADE = "made.txt"


def make_world(folder: Path, *, listings: int) -> World:
    """Built where it is not there yet, whole. SystemExit with the build's own words where it fails."""
    config, made = folder / "outings.toml", folder / MADE
    today = datetime.now(ZoneInfo(METRO.timezone)).date()
    if not made.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_world(config, today=today, size=listings, metros=(METRO,))
        done = subprocess.run([*OUTINGS, "build", "-c", str(config)], check=False, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"the build of {listings:,} listings ended with {done.returncode}:\n{done.stderr}")
        made.write_text(done.stdout)
    configuration = read_configuration(config, {})
    store = open_store(configuration.store.url)
    release = open_release(store, next(list_releases(store)), cache=configuration.edge.cache)
    return World(config=config, release=release, snapshot=release.metros[METRO.slug], today=today)


def read_listings(world: World) -> pl.DataFrame:
    """All rows of all types and statuses, with what the peers ask of them in columns of plain numbers.

    `is_listed`: what the lists show by default. `single` is the date of an event that is no series.
    """
    tables = world.snapshot.tables
    occurrences = pl.read_parquet(tables["occurrences"].path, columns=["row", "date"])
    dates = occurrences.group_by("row").agg(first_on=pl.min("date"), last_on=pl.max("date"))
    organizations = read_organizations(world).select("number", organization_id="id")
    frame = pl.read_parquet(tables["listings"].path).with_columns(pl.col("row").cast(pl.Int64))
    frame = frame.join(dates.with_columns(pl.col("row").cast(pl.Int64)), on="row", how="left")
    frame = frame.join(organizations, on="organization_id", how="left")
    lat, lng = pl.col("lat").radians(), pl.col("lng").radians()
    least = pl.when(pl.col("type") == TYPES.index("place")).then(0.5).otherwise(0.7)
    shown = (pl.col("status") == STATUSES.index("published")) & (pl.col("audience") != AUDIENCES.index("adults"))
    return frame.select(
        "row", "id", "type", "status", "audience", "confidence", "updated_at", "starts_at", "is_recurring",
        "first_on", "last_on", "is_free", "price_min", "is_indoor", "lat", "lng",
        is_listed=shown & (pl.col("confidence") >= least),
        categories=pl.col("categories").fill_null(0).replace({0: NO_CATEGORY}).cast(pl.Int64),
        age_low=pl.col("age_min").fill_null(0),
        age_high=pl.col("age_max").fill_null(NO_AGE),
        price_bit=_pack_price(),
        organization=pl.col("number"),
        x=lat.cos() * lng.cos(), y=lat.cos() * lng.sin(), z=lat.sin(),
    ).sort("row")  # fmt: skip


def _pack_price() -> pl.Expr:
    """A bit of one band: free is what is free, else the last band whose least price is not above."""
    bit = pl.lit(1 << len(PRICE_BANDS))
    for number, least in enumerate(PRICE_BANDS.values()):
        if least is not None:
            bit = pl.when(pl.col("price_min") >= least).then(1 << number).otherwise(bit)
    return pl.when(pl.col("is_free").fill_null(value=False)).then(1).otherwise(bit)


def read_occurrences(world: World) -> pl.DataFrame:
    """One row an occurrence, with the columns of its event that counting needs, and its weekday and block as bits."""
    frame = pl.read_parquet(world.snapshot.tables["occurrences"].path, columns=["row", "date", "weekday", "time"])
    block = pl.lit(1 << len(TIME_BLOCKS))
    for number, hour in enumerate(TIME_BLOCKS.values()):
        block = pl.when(pl.col("time") >= hour * 3600).then(1 << number).otherwise(block)
    listings = read_listings(world).select(
        "row", "is_listed", "is_free", "categories", "age_low", "age_high", "price_bit"
    )
    day = 2 ** pl.col("weekday").cast(pl.Int64)
    frame = frame.with_columns(pl.col("row").cast(pl.Int64), day=day, block=block)
    return frame.drop("weekday", "time").join(listings, on="row", how="inner", maintain_order="left")


def read_texts(world: World) -> pl.DataFrame:
    """`row`, `text`: the words of a listing's text as the release's index has them, in their order."""
    frame = pl.read_parquet(world.snapshot.tables["terms"].path).sort("row", "field", "position")
    return (
        frame.group_by("row", maintain_order=True)
        .agg(text=pl.col("word").str.join(" "))
        .with_columns(pl.col("row").cast(pl.Int64))
    )


def read_organizations(world: World) -> pl.DataFrame:
    """`number` orders them by name, then id."""
    frame = pl.read_parquet(world.snapshot.tables["organizations"].path, columns=["id", "name", "name_key"])
    return frame.sort("name_key", "id").with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))


def read_documents(world: World) -> Iterator[tuple[int, bytes]]:
    """(row, a listing's JSON as a list or a detail shows it today); empty where it may not be shown."""
    opened = open_snapshot(world.snapshot)
    listings = pl.read_parquet(world.snapshot.tables["listings"].path, columns=["row", "type", "status"])
    for row, kind, status in listings.rows():
        if status != STATUSES.index("published"):
            yield row, b""
        elif TYPES[kind] == "event":
            yield row, read_event(opened, row, world.today)
        else:
            yield row, opened.read_document(row)


def read_organization_documents(world: World) -> dict[str, bytes]:
    """Return id → JSON as its detail shows it today; none where it may not be shown."""
    context = AnswerContext(release=world.release, dates={METRO.slug: world.today}, entitlement=Entitlement())
    copies = {row_id: list_copies(row_id, context=context) for row_id in read_organizations(world)["id"]}
    return {row_id: encode_organization(copy, context=context) for row_id, copy in copies.items() if copy}


def list_buckets(world: World) -> list[Bucket]:
    """List the buckets of the facets that are requested, "unspecified" last."""
    categories = world.snapshot.vocabulary.categories
    named = {"category": categories, "weekday": WEEKDAYS, "time_block": TIME_BLOCKS, "price_band": PRICE_BANDS}
    made = []
    for dimension, values in named.items():
        made += [Bucket(dimension, number, value, 1 << number) for number, value in enumerate(values)]
        last = NO_CATEGORY if dimension == "category" else 1 << len(values)
        made.append(Bucket(dimension, len(values), "unspecified", last))
    return made
