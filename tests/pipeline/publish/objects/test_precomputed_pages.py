"""Static equals dynamic: every body written ahead is what answers computes for its request, byte for byte."""

import gzip
from datetime import date, timedelta
from types import SimpleNamespace

import pytest

from outings.answers.routes import answer
from outings.configuration import read_configuration
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.release.pointer import list_releases
from outings.release.snapshot import open_release
from outings.release.store import open_store, read_object
from pipeline.publish.objects.precomputed_pages import list_pages
from tests.built_once import build_once
from tests.contract.conformance import check_success
from tests.edge.sample_edge import build_sample


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    configuration = read_configuration(build_once("sample", build_sample) / "outings.toml", {})
    store = open_store(configuration.store.url)
    listed = next(list_releases(store))
    release = open_release(store, listed, cache=tmp_path_factory.mktemp("cache"))
    return SimpleNamespace(store=store, root=listed.root, release=release)


def compute(built: SimpleNamespace, request: str, day: date) -> bytes:
    path, _, query_string = request.partition("?")
    match = match_route(path)
    assert match is not None
    vocabulary = built.release.metros["seattle"].vocabulary
    query = parse_query(match, query_string.encode(), vocabulary=vocabulary)
    dates = dict.fromkeys(built.release.metros, day)
    body = b"".join(answer(query, release=built.release, dates=dates, entitlement=Entitlement()).parts)
    check_success(request, body, vocabulary=vocabulary)
    return body


ON_ALL = "age_band,category,organization"
DATED = "age_band,category,organization,price_band,time_block,weekday"
FACETS = {"events": DATED, "classes": DATED, "camps": DATED, "places": ON_ALL}
MONTHS = ("from=2026-08-01&to=2026-08-31", "from=2026-09-01&to=2026-09-30", "from=2026-10-01&to=2026-10-31")


DIRECTORIES = [
    "organizations", "organizations?limit=200", "neighborhoods", "neighborhoods?limit=200", "neighborhoods?sort=count",
]  # fmt: skip


def test_first_pages_facets_and_three_months_are_written_for_today_and_tomorrow(built: SimpleNamespace) -> None:
    lists = [
        f"{collection}{params}"
        for collection, facets in FACETS.items()
        for params in ("", "?limit=200", f"?facets={facets}", f"?facets={facets}&limit=0")
    ]
    for slug, snapshot in built.release.metros.items():
        assert set(snapshot.pages) == {
            f"/v1/{slug}/{params}@{day}"
            for params in (*lists, *DIRECTORIES, *(f"events/calendar?{month}" for month in MONTHS))
            for day in ("2026-08-10", "2026-08-11")
        }


@pytest.mark.parametrize(
    ("today", "months"),
    [
        (date(2026, 8, 10), {"2026-08", "2026-09", "2026-10"}),
        (date(2026, 1, 31), {"2026-01", "2026-02", "2026-03", "2026-04"}),  # tomorrow is in the next month
        (date(2027, 12, 30), {"2027-12", "2028-01", "2028-02"}),
    ],
)
def test_the_months_are_whole_and_follow_the_day(built: SimpleNamespace, today: date, months: set[str]) -> None:
    windows = {
        (query.values["from"], query.values["to"])
        for query, _ in list_pages(built.release.metros["seattle"], today)
        if query.route == "events.calendar"
    }
    assert {first.isoformat() for first, _ in windows} == {f"{month}-01" for month in months}
    assert all((last + timedelta(days=1)).day == 1 for _, last in windows)
    assert all((last - first).days in (27, 28, 29, 30) for first, last in windows)


def test_every_page_is_what_answers_computes(built: SimpleNamespace) -> None:
    for snapshot in built.release.metros.values():
        for name, page in snapshot.pages.items():
            request, _, day = name.rpartition("@")
            body = gzip.decompress(read_object(built.store, page.object))
            assert len(body) == page.size
            assert body == compute(built, request, date.fromisoformat(day)), name


def test_no_body_names_its_release(built: SimpleNamespace) -> None:
    for snapshot in built.release.metros.values():
        for page in snapshot.pages.values():
            body = gzip.decompress(read_object(built.store, page.object))
            assert built.release.id.encode() not in body
