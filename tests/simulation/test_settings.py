"""Each setting, each header of an answer and each order is changed alone: the next build gives what a build from
nothing gives. Settings are those of the configuration's structs, so that a new one is tested by itself."""

import io
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
import xlsxwriter
from msgspec import inspect

from outings.configuration import Configuration, FeedTable, MetroTable
from outings.configuration.tables import DERIVED, GeocoderTable, SearchTable, SiteTable, ZipTable
from outings.contract.languages import language
from outings.contract.vocabulary import Vocabulary
from tests.pipeline.city import Record, make_event, make_place
from tests.pipeline.fetch.web import Page, Web, serve_web
from tests.simulation.deployment import Deployment, find_differences

DAY = date(2026, 8, 10)
SAME = "0d5c0000-0000-4000-8000-000000000001"
# It has a relative address.
LINKED = {
    "@context": "https://schema.org", "@type": "Event", "@id": "https://walks.example/1", "name": "Linked walk",
    "startDate": "2026-08-12T10:00:00-07:00", "url": "walks/1",
}  # fmt: skip
# Places, secrets and limits of commands and servers; no build makes anything of them.
OTHER_TABLES = {"store", "build", "edge", "weather", "plans", "signing", "mirror", "static"}
AREA = {
    "type": "Polygon",
    "coordinates": [[[-122.4, 47.6], [-122.3, 47.6], [-122.3, 47.7], [-122.4, 47.7], [-122.4, 47.6]]],
}
TABLE = {
    "metro": "seattle", "format": "table", "defaults": {"type": "event", "confidence": 0.9},
    "map": {"source_id": "id", "name": "title", "starts_local": "when", "slug": "word"},
}  # fmt: skip


def make_rows(feed: str, *, clock: str = "10:00") -> list[Record]:
    """Make the rows of a table, with slugs of their feed's own: a slug that was published stays, so names alone would
    have others in a build from nothing."""
    return [
        {"id": "1", "title": "Niño walk", "when": f"2026-08-12 {clock}", "kind": "a", "word": f"{feed}-1"},
        {"id": "2", "title": "Late walk", "when": f"2026-08-13 {clock}", "kind": "b", "word": f"{feed}-2"},
    ]


def write_lines(*records: Record) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def write_csv(rows: list[Record]) -> bytes:
    return "\n".join(["written by hand", *[",".join(rows[0])] * 2, *(",".join(row.values()) for row in rows)]).encode(
        "cp1252"
    )


def write_book() -> bytes:
    data = io.BytesIO()
    with xlsxwriter.Workbook(data) as book:
        for name, rows in (("One", make_rows("book")), ("Two", make_rows("book", clock="12:00"))):
            sheet = book.add_worksheet(name)
            for number, row in enumerate([[*rows[0]], *(row.values() for row in rows)]):
                sheet.write_row(number, 0, row)
    return data.getvalue()


def write_zip() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as packed:
        for name, rows in (("a.json", make_rows("packed")), ("b.json", make_rows("packed", clock="12:00"))):
            packed.writestr(name, json.dumps(rows))
    return data.getvalue()


def write_database(path: Path) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        for name, rows in (("one", make_rows("base")), ("two", make_rows("base", clock="12:00"))):
            database.execute(f"CREATE TABLE {name} (id, title, 'when', kind, word)")
            database.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)", [tuple(row.values()) for row in rows])
        database.commit()
    return path.read_bytes()


def make_tables(web: Web) -> dict[str, Any]:
    metro = {
        "language": "en", "aliases": ["sea"], "center": {"lat": 47.6, "lng": -122.3}, "neighborhoods": "map.geojson",
        "bounds": {"south": 47.0, "west": -123.0, "north": 48.0, "east": -122.0},
    }  # fmt: skip
    feeds = {
        "news": {"format": "ndjson", "metro": "seattle", "url": "news.ndjson"},
        "second": {"format": "ndjson", "metro": "seattle", "url": "second.ndjson"},
        "changes": {"format": "ndjson", "metro": "boston", "url": "changes.ndjson", "mode": "delta"},
        "moving": {"format": "ndjson", "url": "moving.ndjson"},
        "page": {"format": "jsonld", "metro": "seattle", "url": f"{web.url}/a/page", "allow_private": True},
        "sheet": {**TABLE, "url": "sheet.csv", "skip": 1, "encoding": "cp1252", "keep": {"kind": ["a", "b"]}},
        "rows": {**TABLE, "url": "rows.json", "records": "rows"},
        "book": {**TABLE, "url": "book.xlsx", "sheet": "One"},
        "base": {**TABLE, "url": "base.sqlite", "table": "one"},
        "packed": {**TABLE, "url": "packed.zip", "file": "a.json"},
        "chosen": {key: TABLE[key] for key in ("metro", "format")} | {"url": "rows.ndjson", "select": "chosen.sql"},
        "web": {**TABLE, "url": f"{web.url}/web", "allow_private": True, "headers": {"x-kind": "a"}},
    }  # fmt: skip
    return {
        "metros": [
            {"slug": "seattle", "name": "Seattle", "timezone": "America/Los_Angeles", **metro},
            {
                "slug": "boston",
                "name": "Boston",
                "timezone": "America/New_York",
                **metro,
                "aliases": [],
                "language": "own",
            },
        ],
        "feeds": [{"name": name, **settings} for name, settings in feeds.items()],
        "site": {"enabled": False},
        "geocoder": {"build": True},
        "search": {"related_words": "related.csv"},
        "zip": {"centroids": "zip.csv"},
        "languages": {"own": "spanish"},
        "vocabulary": {"categories": ["arts_creative", "swim_water"], "teams": ["storm"]},
    }


def make_files(folder: Path) -> dict[str, bytes | None]:
    record = {
        "organization": {"name": "Town Parks"},
        "categories": ["swim_water"],
        "teams": ["storm"],
        "seasons": ["summer"],
        "occasions": ["halloween"],
    }
    news = [
        make_place("hall", slug="hall", name="Hall", type_hint="library"),
        make_event("1", slug="w1", name="Walk 1", place={"name": "Hall"}, **record),
        make_event("2", slug="w2", name="Walk 2", ends_local="2026-08-14T18:00:00", location={"address": "1 Pine St"}),
        make_event("3", slug="w3", name="Walk 3", confidence=None, id=SAME),
    ]  # fmt: skip
    second = [
        make_event("3", slug="s3", name="Second 3", id=SAME),
        make_event("4", slug="s4", name="Second 4", organization={"name": "TOWN PARKS"}, location={"zip": "98101"}),
    ]  # fmt: skip
    area = {"type": "Feature", "properties": {"name": "Downtown"}, "geometry": AREA}
    select = """SELECT 'event' AS type, id AS source_id, word AS slug, title AS name,
        strptime("when", '%Y-%m-%d %H:%M') AS starts_local FROM feed"""
    languages = {
        f"{name}/{path.name}": path.read_bytes()
        for name, code in (("spanish", "es"), ("english", "en"))
        for path in (Path(language.__file__).parent / code).iterdir()
        if path.is_file()
    }
    return {
        **languages,
        "news.ndjson": write_lines(*news),
        "second.ndjson": write_lines(*second),
        "changes.ndjson": write_lines(
            make_event("8", slug="c8"), make_event("5"), {"type": "event", "source_id": "5", "deleted": True}
        ),
        "moving.ndjson": write_lines(
            make_event("6", slug="m6", metro="boston"), make_event("7", slug="m7", metro="seattle")
        ),
        "sheet.csv": write_csv(make_rows("sheet")),
        "rows.json": json.dumps({"rows": make_rows("rows"), "more": make_rows("rows", clock="12:00")}).encode(),
        "book.xlsx": write_book(),
        "base.sqlite": write_database(folder / "base.sqlite"),
        "packed.zip": write_zip(),
        "rows.ndjson": write_lines(*make_rows("chosen")),
        "chosen.sql": select.encode(),
        "map.geojson": json.dumps({"type": "FeatureCollection", "features": [area]}).encode(),
        "other.geojson": json.dumps(
            {"type": "FeatureCollection", "features": [{**area, "properties": {"name": "Uptown"}}]}
        ).encode(),
        "other.sql": select.replace("FROM", ", title AS description FROM").encode(),
        "words.toml": b'[home]\ntitle = "Out and about"\n',
        "other.csv": b"walk,wander\n",
        "other_zip.csv": b"zip,lat,lng\n98101,47.62,-122.34\n",
        "related.csv": b"walk,stroll\n",
        "zip.csv": b"zip,lat,lng\n98101,47.61,-122.33\n",
    }


# Other values of settings whose type does not say one. Those of feeds come with the feed's name.
CHANGES: dict[str, Any] = {
    "metros.language": "es",
    "metros.timezone": "America/Phoenix",
    "metros.aliases": ["sound"],
    "metros.center": {"lat": 47.5, "lng": -122.2},
    "metros.bounds": {"south": 47.0, "west": -123.0, "north": 47.9, "east": -122.0},
    "metros.neighborhoods": "other.geojson",
    "feeds.metro": ("moving", "boston"),
    "feeds.mode": ("news", "delta"),
    "feeds.expect": ("news", {"rows": ">= 9"}),
    "feeds.defaults": ("sheet", {"type": "event", "confidence": 0.8}),
    "feeds.select": ("chosen", "other.sql"),
    "feeds.map": ("sheet", {**TABLE["map"], "description": "kind"}),
    "feeds.encoding": ("sheet", "cp1250"),
    "feeds.records": ("rows", "more"),
    "feeds.references": ("rows", {"kind": "kinds"}),
    "feeds.follow": ("page", "^/b/"),
    "feeds.skip": ("sheet", 2),
    "feeds.sheet": ("book", "Two"),
    "feeds.table": ("base", "two"),
    "feeds.file": ("packed", "b.json"),
    "feeds.headers": ("web", {"x-kind": "b"}),
    "feeds.keep": ("sheet", {"kind": "a"}),
    "feeds.drop": ("sheet", {"kind": "b"}),
    "search.related_words": "other.csv",
    "zip.centroids": "other_zip.csv",
    "site.url": "https://example.org/outings",
    "site.words": "words.toml",
    "site.key": "visitors",
    "site.pictures": ["images.example"],
    "site.colors": {"accent": "#0b6e4f"},
    "languages.own": "english",
}
# These can't be changed alone, or need a server.
COMPOUND = {
    "feeds.url",
    "feeds.name",
    "metros.slug",
    "feeds.format",
    "feeds.pages",
    "feeds.preset",
    "geocoder.url",
    "geocoder.provider",
    "site.basemap",
}
TABLES: dict[str, type[msgspec.Struct]] = {
    "metros": MetroTable, "feeds": FeedTable, "geocoder": GeocoderTable, "zip": ZipTable, "search": SearchTable,
    "site": SiteTable, "vocabulary": Vocabulary,
}  # fmt: skip


def list_settings() -> Iterator[tuple[str, Any]]:
    """List each setting of a build, as `<table or feed>.<name>`, with another value than the one that is set."""
    tables = {field.name for field in msgspec.structs.fields(Configuration)} - {*DERIVED, *OTHER_TABLES, "languages"}
    assert tables == TABLES.keys(), "a table of the configuration is neither of builds nor of OTHER_TABLES"
    yield "languages.own", CHANGES["languages.own"]
    for table, struct in TABLES.items():
        for field in msgspec.structs.fields(struct):
            if f"{table}.{field.name}" in COMPOUND:
                continue
            path = f"{table}.{field.name}"
            value = CHANGES[path] if path in CHANGES else derive_value(field)
            yield path, ("news", value) if table == "feeds" and path not in CHANGES else value


def derive_value(field: Any) -> Any:
    """Return another value of a setting than its default, by its type."""
    kind: Any = inspect.type_info(field.type)
    kind = kind.type if isinstance(kind, inspect.Metadata) else kind
    if isinstance(kind, inspect.BoolType):
        return not field.default
    if isinstance(kind, inspect.IntType):
        return field.default + 1
    if isinstance(kind, inspect.FloatType):
        return field.default / 2
    if isinstance(kind, inspect.LiteralType):
        return next(value for value in kind.values if value != field.default)
    if isinstance(kind, inspect.VarTupleType):
        return field.default[1:]
    assert isinstance(kind, inspect.StrType), f"{field.name}: name another value in CHANGES"
    return "another"


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with serve_web() as served:
        for path in ("/a/page", "/b/page"):
            script = f'<script type="application/ld+json">{json.dumps(LINKED)}</script><a href="/b/page">more</a>'
            served.pages[path] = Page(f"<html>{script}</html>".encode(), headers={"content-type": "text/html"})
        served.pages["/web"] = Page(
            write_csv(make_rows("web"))[len("written by hand\n") :],
            headers={"content-type": "text/csv; charset=cp1252"},
        )
        yield served


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, web: Web) -> Deployment:
    folder = tmp_path_factory.mktemp("built")
    deployment = Deployment(folder / "built", make_tables(web), make_files(folder))
    result = deployment.build(DAY)
    assert result.exit_code == 0, result.output
    return deployment


Change = Callable[[dict[str, Any], dict[str, bytes | None]], None]


def compare(built: Deployment, folder: Path, change: Change) -> tuple[Any, Any, Any]:
    """Return the answers before the change, those of the next build, and those of a build from nothing."""
    tables, files = deepcopy(built.tables), dict(built.files)
    change(tables, files)
    next_one, first = (Deployment(folder / name, tables, files) for name in ("next", "first"))
    shutil.copytree(built.folder, next_one.folder)
    for deployment in (next_one, first):
        result = deployment.build(DAY, "--allow-shrink")
        assert result.exit_code == 0, result.output
    return built.read_answers(DAY), next_one.read_answers(DAY), first.read_answers(DAY)


def set_value(path: str, value: Any) -> Change:
    def change(tables: dict[str, Any], files: object) -> None:
        table, name = path.split(".")
        if table == "feeds":
            feed, own = value
            next(settings for settings in tables["feeds"] if settings["name"] == feed)[name] = own
        else:
            (tables["metros"][0] if table == "metros" else tables[table])[name] = value

    return change


@pytest.mark.long
@pytest.mark.parametrize(("path", "value"), [pytest.param(*setting, id=setting[0]) for setting in list_settings()])
def test_a_setting_that_is_changed_alone_gives_what_a_build_from_nothing_gives(
    built: Deployment, tmp_path: Path, path: str, value: Any
) -> None:
    _, after, whole = compare(built, tmp_path, set_value(path, value))
    assert [*find_differences(after, whole)] == []


def swap(tables: dict[str, Any], _: object) -> None:
    """Swap two feeds that claim an id, and spell an organization differently."""
    tables["feeds"][:2] = reversed(tables["feeds"][:2])


def move(tables: dict[str, Any], _: object) -> None:
    """Read a page that is the same elsewhere, so that its relative addresses lead elsewhere."""
    (page,) = (feed for feed in tables["feeds"] if feed["name"] == "page")
    page["url"] = page["url"].replace("/a/", "/b/")


@pytest.mark.parametrize("change", [swap, pytest.param(move, marks=pytest.mark.long)])
def test_the_order_of_feeds_and_their_addresses_are_inputs(built: Deployment, tmp_path: Path, change: Change) -> None:
    before, after, whole = compare(built, tmp_path, change)
    assert [*find_differences(after, whole)] == []
    assert after != before


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "value", "is_shown"),
    [
        ("content-type", "text/csv; charset=cp1250", True),
        ("content-type", "text/tab-separated-values; charset=cp1252", False),
        ("etag", '"2"', False),
        ("last-modified", "Mon, 10 Aug 2026 00:00:00 GMT", False),
    ],
)
def test_a_header_of_an_answer_that_changes_alone_is_an_input(
    built: Deployment, web: Web, tmp_path: Path, name: str, value: str, is_shown: bool
) -> None:
    page = web.pages["/web"]
    assert isinstance(page, Page)
    web.pages["/web"] = Page(page.body, headers={**page.headers, name: value})
    before, after, whole = compare(built, tmp_path, lambda tables, files: None)
    web.pages["/web"] = page
    assert [*find_differences(after, whole)] == []
    assert (before != whole) == is_shown
