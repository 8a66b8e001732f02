"""Feeds of known systems, from an address as a person has it to records, against servers that answer as documented."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outings.configuration import Configuration, ConfigurationError, read_configuration
from outings.configuration.presets import read_presets, recognize_preset
from pipeline.clean.feed_read import FeedRead
from pipeline.clean.reading import read_source
from pipeline.feed_warnings import warn_of_reading
from pipeline.fetch.opening import open_sources
from pipeline.fetch.source import FeedError
from tests.pipeline.fetch.presets import calendars, portals
from tests.pipeline.fetch.web import PATIENT, Page, Web
from tests.settings import format_metro

PROGRAMS = Path(__file__).parents[1] / "programs"
VARIABLES = ("LIBCAL_TOKEN", "EVENTBRITE_TOKEN", "TICKETMASTER_KEY", "TOKEN")
CKAN_ID = "12345678-1234-1234-1234-123456789abc"


Configure = Callable[..., Configuration]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    def write(preset: str, url: str, settings: str = "") -> Configuration:
        feed = (
            f'[[feeds]]\nname = "city"\nmetro = "seattle"\nallow_private = true\npreset = "{preset}"\nurl = "{url}"\n'
        )
        (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed + settings)
        return read_configuration(tmp_path / "outings.toml", dict.fromkeys(VARIABLES, "secret"))

    return write


Read = Callable[..., FeedRead]


@pytest.fixture
def read_preset(configure: Configure, web: Web, tmp_path: Path) -> Read:
    def read(preset: str, path: str, settings: str = "") -> FeedRead:
        configuration = configure(preset, web.url + path, settings)
        sources = open_sources(configuration.feeds, configuration, scratch=tmp_path / "scratch", policy=PATIENT)
        return read_source(configuration.feeds[0], configuration, sources["city"])

    return read


def show(read: FeedRead, *members: str) -> list[tuple[Any, ...]]:
    return [tuple(getattr(record, member) for member in members) for record in read.records]


def map_columns(prefix: str = "", *, type_: str = "event", **rules: str) -> str:
    named = {"name": f"{prefix}title", "starts_local": f"{prefix}begins"} | rules
    lines = [f'{member} = "{column}"' for member, column in named.items() if column]
    return "\n".join(["[feeds.map]", f'type = {{ value = "{type_}" }}', *lines, ""])


BEGINS = [f"2026-12-0{number}T10:00:00" for number in range(1, 6)]
UTC_BEGINS = [f"2026-12-0{number}T09:00:00" for number in range(1, 6)]


@pytest.mark.parametrize(
    "path",
    [
        "/resource/abcd-1234.json",
        "/Recreation/Activities/abcd-1234",
        "/Recreation/Activities/abcd-1234/about_data",
        "/d/abcd-1234",
        "/resource/abcd-1234.json?$where=fee%3E1&$limit=2",
    ],
)
def test_a_dataset_of_socrata_is_read_by_any_of_its_addresses(read_preset: Read, web: Web, path: str) -> None:
    web.pages["/resource/abcd-1234.json"] = portals.serve_socrata
    read = read_preset("socrata", path, map_columns())
    assert [begins.isoformat() for (begins,) in show(read, "starts_local")] == BEGINS
    assert show(read, "source_id", "name")[0] == ("row-swim", "Swim")
    assert all("$where=fee%3E1" in target or "$where" not in path for target in web.targets)


def test_a_dataset_of_socrata_is_read_by_its_newer_address(read_preset: Read, web: Web) -> None:
    web.pages["/api/v3/views/abcd-1234/query.json"] = portals.serve_soda_3
    settings = 'headers = { X-App-Token = "${TOKEN}" }\npages = { by = "page", size = 2 }\n'
    read = read_preset("socrata", "/api/v3/views/abcd-1234/query.json", settings + map_columns())
    assert show(read, "source_id", "name")[4] == ("row-hike", "Hike")
    assert web.targets[1] == "/api/v3/views/abcd-1234/query.json?pageSize=2&pageNumber=2"
    assert {headers.get("x-app-token") for _, headers in web.requests} == {"secret"}


LAYER = "/arcgis/rest/services/Parks/FeatureServer/0"
PARKS = map_columns(type_="place", name="attributes.NAME", starts_local="")


@pytest.mark.parametrize("path", [LAYER, f"{LAYER}/", f"{LAYER}/query?outFields=OBJECTID,NAME"])
def test_a_layer_of_arcgis_is_read_whatever_its_limit(read_preset: Read, web: Web, path: str) -> None:
    web.pages[f"{LAYER}/query"] = portals.make_arcgis(limit=2)
    read = read_preset("arcgis", path, PARKS)
    assert show(read, "source_id", "name") == [(str(number), title) for number, title in enumerate(portals.TITLES)]
    assert {(location.lat, location.lng) for (location,) in show(read, "location")} == {(47.6, -122.3)}
    assert len(web.requests) == 3


def test_a_layer_of_a_server_without_pages_is_read_if_it_fits_into_one(read_preset: Read, web: Web) -> None:
    web.pages[f"{LAYER}/query"] = portals.make_arcgis(limit=1000, has_pages=False)
    assert len(read_preset("arcgis", LAYER, PARKS).records) == 5
    web.pages[f"{LAYER}/query"] = portals.make_arcgis(limit=2, has_pages=False)
    with pytest.raises(FeedError, match=r"server says: Unable to complete operation\. Pagination is not supported"):
        read_preset("arcgis", LAYER, PARKS)


def test_a_layer_of_arcgis_is_read_as_geojson(read_preset: Read, web: Web) -> None:
    web.pages[f"{LAYER}/query"] = portals.make_arcgis(limit=2)
    settings = map_columns(type_="place", name="NAME", starts_local="")
    read = read_preset("arcgis", f"{LAYER}/query?f=geojson", settings)
    assert show(read, "source_id", "name")[4] == ("4", "Hike")
    located = [location is not None and location.lat for (location,) in show(read, "location")]
    # The first is an area: its position is a point in it.
    assert located == [0.5, 47.6, 47.6, 47.6, 47.6]


@pytest.mark.parametrize("path", ["/explore/dataset/agenda/information/", "/fr/explore/dataset/agenda/table/?sort=a"])
def test_a_dataset_of_opendatasoft_is_exported_whole(read_preset: Read, web: Web, path: str) -> None:
    web.pages["/api/explore/v2.1/catalog/datasets/agenda/exports/json"] = portals.serve_opendatasoft_export
    read = read_preset("opendatasoft", path, map_columns(source_id="uid"))
    assert [begins.isoformat() for (begins,) in show(read, "starts_local")] == UTC_BEGINS
    assert {location.lat for (location,) in show(read, "location")} == {47.6}


@pytest.mark.parametrize(
    ("version", "path", "prefix", "source_id"),
    [
        ("2.1", "/api/explore/v2.1/catalog/datasets/agenda/records", "", "e0"),
        ("2.0", "/api/explore/v2.0/catalog/datasets/agenda/records", "record.fields.", "re0"),
        ("1.0", "/api/records/1.0/search/", "fields.", "re0"),
    ],
)
def test_each_version_of_opendatasoft_gives_its_pages(
    read_preset: Read, web: Web, version: str, path: str, prefix: str, source_id: str
) -> None:
    web.pages[path] = portals.make_opendatasoft(version, count=205)
    own = {"source_id": "uid"} if version == "2.1" else {}
    read = read_preset("opendatasoft", f"{path}?dataset=agenda", map_columns(prefix, **own))
    assert (len(read.records), len(web.requests)) == (205, 3)
    assert show(read, "source_id", "name")[0] == (source_id, "Swim")
    assert {location.lng for (location,) in show(read, "location")} == {-122.3}


def test_a_list_that_has_as_many_rows_as_its_server_gives_is_whole(read_preset: Read, web: Web) -> None:
    path = "/api/explore/v2.1/catalog/datasets/agenda/records"
    web.pages[path] = portals.make_opendatasoft("2.1", count=10_000)
    read = read_preset("opendatasoft", path, map_columns(source_id="uid"))
    assert (read.read, read.cut) == (10_000, None)


@pytest.mark.parametrize(
    "path", [f"/api/3/action/datastore_search?resource_id={CKAN_ID}", f"/en/dataset/agenda/resource/{CKAN_ID}?view=1"]
)
@pytest.mark.parametrize(("most", "has_total"), [(2, True), (2, False), (32_000, True)])
def test_a_resource_of_ckan_is_read_whatever_its_limit(
    read_preset: Read, web: Web, path: str, most: int, has_total: bool
) -> None:
    web.pages["/api/3/action/datastore_search"] = portals.make_ckan(most=most, has_total=has_total)
    read = read_preset("ckan", path, map_columns())
    assert [begins.isoformat() for (begins,) in show(read, "starts_local")] == UTC_BEGINS
    assert [source_id for (source_id,) in show(read, "source_id")] == ["1", "2", "3", "4", "5"]


def test_a_resource_that_is_not_there_is_reported(read_preset: Read, web: Web) -> None:
    web.pages["/api/3/action/datastore_search"] = portals.make_ckan()
    with pytest.raises(FeedError, match="answers 404"):
        read_preset("ckan", "/api/3/action/datastore_search?resource_id=other", map_columns())


TRIBE = "/wp-json/tribe/events/v1/events"


@pytest.mark.parametrize("path", ["", "/", TRIBE, f"{TRIBE}?categories=kids"])
def test_the_events_calendar_is_read_by_the_address_of_its_site(read_preset: Read, web: Web, path: str) -> None:
    events = [calendars.make_tribe_event(number) for number in range(1, 5)]
    web.pages[TRIBE] = calendars.make_tribe([*events, calendars.make_tribe_event(5, **calendars.BARE)])
    read = read_preset("the-events-calendar", path)
    assert (len(read.records), read.problems, len(web.requests)) == (5, (), 3)
    first, *_, bare = read.records
    assert (first.name, first.description, first.starts_local.isoformat()) == (
        "Tot & Play 1",
        "Songs.",
        "2026-12-01T10:00:00",
    )
    assert (first.timezone, first.ends_local.isoformat()) == ("America/Los_Angeles", "2026-12-01T11:30:00")
    assert (first.price.min, first.price.note, first.organization.name) == (5, "$5 – $12", "Parks Department")
    assert (first.location.address, first.location.zip) == ("Green Lake, 7201 E Green Lake Dr N", "98115")
    assert (first.location.lat, first.keywords) == (47.68, ("Toddlers", "Music"))
    assert (bare.name, bare.price.note, bare.location, bare.organization) == ("Tot & Play 5", None, None, None)


@pytest.mark.parametrize("is_old", [False, True])
def test_a_calendar_with_nothing_to_come_has_no_records(read_preset: Read, web: Web, is_old: bool) -> None:
    web.pages[TRIBE] = calendars.make_tribe([], is_old=is_old)
    assert read_preset("the-events-calendar", "").read == 0


def test_events_that_all_lack_a_venue_are_read_and_so_are_those_of_a_site_with_an_offset(
    read_preset: Read, web: Web
) -> None:
    event = calendars.make_tribe_event(1, **calendars.BARE | {"timezone": "UTC-8", "cost": "Free", "all_day": True})
    web.pages[TRIBE] = calendars.make_tribe([event])
    (record,) = read_preset("the-events-calendar", "").records
    assert (record.timezone, record.price.type, record.all_day) == (None, "free", True)


def test_what_a_feed_says_itself_wins_over_its_preset(read_preset: Read, web: Web) -> None:
    web.pages[TRIBE] = calendars.make_tribe([calendars.make_tribe_event(1)])
    settings = """
    [feeds.map]
    categories = { column = "categories[].name", lookup = { "Toddlers" = "storytime_books" } }
    "price.note" = ""
    price.min = { column = "cost_details.values[1]" }
    """
    (record,) = read_preset("the-events-calendar", "", settings).records
    assert (record.categories, record.price.note, record.price.min) == (("storytime_books",), None, 12)


def test_events_of_libcal_are_read_with_a_token(read_preset: Read, web: Web) -> None:
    web.pages["/1.1/events"] = calendars.make_libcal(3)
    read = read_preset("libcal", "/1.1/events?cal_id=7")
    assert (len(read.records), read.problems) == (3, ())
    first, bare, gone = read.records
    assert (first.source_id, first.starts_local.isoformat(), first.price.min) == ("1", "2026-12-05T18:30:00", 5)
    assert (first.location.address, first.location.lat) == ("Children's Room, Main", 47.6)
    assert (first.registration_url, first.keywords) == ("https://l.example/event/1", ("Storytime", "Babies"))
    assert (bare.location, bare.price.note, bare.image_url) == (None, None, None)
    assert (gone.location, gone.price.note, gone.image_url) == (None, None, None)
    assert {headers.get("authorization") for _, headers in web.requests} == {"Bearer secret"}


def test_a_calendar_of_libcal_that_is_cut_off_at_its_limit_is_read_with_a_warning(read_preset: Read, web: Web) -> None:
    web.pages["/1.1/events"] = calendars.make_libcal(501)
    read = read_preset("libcal", "/1.1/events?cal_id=7")
    assert len(read.records) == 500
    (warning,) = warn_of_reading(read)
    assert (warning.code, warning.message) == (
        "page_limit",
        "500 rows, and the server gives 500 at most: others may be missing",
    )


@pytest.mark.parametrize("path", ["", "/api/2/events", "/api/2.1/events?type=4"])
def test_each_date_of_an_event_of_localist_is_read(read_preset: Read, web: Web, path: str) -> None:
    dates = [calendars.make_localist_event(number, number * 1000, 1 + number % 28) for number in range(1, 120)]
    again = calendars.make_localist_event(1, 1001, 30, free=False, ticket_cost="$4", status="canceled", geo={})
    web.pages["/api/2/events"] = web.pages["/api/2.1/events"] = calendars.make_localist([*dates, again])
    read = read_preset("localist", path)
    assert (len(read.records), read.problems, len(web.requests)) == (120, (), 2)
    first, second = (record for record in read.records if record.name == "Kite day 1")
    assert (first.source_id, first.starts_local.isoformat(), first.price.type) == (
        "1-1000",
        "2026-12-02T10:00:00",
        "free",
    )
    assert (first.location.lat, first.location.address) == (47.6456, "Gas Works Park, 2101 N Northlake Way")
    assert (first.keywords, first.status) == (("Outdoors", "wind"), "published")
    assert (second.source_id, second.status, second.reason) == ("1-1001", "archived", "cancelled")
    assert (second.price.type, second.price.note, second.location.lat) == (None, "$4", None)


@pytest.mark.parametrize(
    ("preset", "path", "target", "program"),
    [
        (
            "google-calendar", "/calendar/ical/city%40example.org/public/basic.ics",
            "/calendar/ical/city%40example.org/public/basic.ics", "google",
        ),
        (
            "civicplus", "/calendar.aspx?view=list&CID=14",
            "/common/modules/iCalendar/iCalendar.aspx?catID=14&feed=calendar", "civicplus",
        ),
        (
            "civicplus", "/common/modules/iCalendar/iCalendar.aspx?catID=14&feed=calendar",
            "/common/modules/iCalendar/iCalendar.aspx?catID=14&feed=calendar", "civicplus",
        ),
        ("libcal-calendar", "?cid=1234", "/ical_subscribe.php?cid=1234&src=p", "libcal"),
    ],
)  # fmt: skip
def test_calendars_are_read_as_icalendar(
    read_preset: Read, web: Web, preset: str, path: str, target: str, program: str
) -> None:
    body = (PROGRAMS / f"{program}.ics").read_bytes()
    web.pages[target] = Page(body, headers={"Content-Type": "text/calendar"})
    assert len(read_preset(preset, path).records) > 0
    assert web.targets == [target]


@pytest.mark.parametrize(
    ("preset", "url", "completed"),
    [
        (
            "google-calendar", "https://calendar.google.com/calendar/embed?height=600&src=a%40b.org&ctz=Etc",
            "https://calendar.google.com/calendar/ical/a%40b.org/public/basic.ics",
        ),
        (
            "google-calendar", "webcal://calendar.google.com/calendar/ical/a/public/basic.ics",
            "https://calendar.google.com/calendar/ical/a/public/basic.ics",
        ),
        ("socrata", "/saved/rows.json", "/saved/rows.json"),
        *(
            ("socrata", url, "https://data.example.gov/resource/abcd-1234.json?$select=:*,*&$order=:id")
            for url in (
                "https://dev.socrata.com/foundry/data.example.gov/abcd-1234",
                "https://data.example.gov/api/views/abcd-1234/rows.csv?accessType=DOWNLOAD",
                "https://data.example.gov/resource/abcd-1234.csv",
            )
        ),
        (
            "socrata", "https://data.example.gov/resource/abcd-1234?$select=a&$order=b",
            "https://data.example.gov/resource/abcd-1234.json?$select=a&$order=b",
        ),
    ],
)  # fmt: skip
def test_an_address_becomes_that_of_the_feed(configure: Configure, preset: str, url: str, completed: str) -> None:
    settings = map_columns() if preset == "socrata" else ""
    (feed,) = configure(preset, url, settings).feeds
    assert feed.url == completed


@pytest.mark.parametrize(
    ("preset", "url", "message"),
    [
        ("socrta", "https://a.example/", 'preset: is "socrta"; did you mean socrata?; allowed: arcgis,'),
        ("arcgis", "https://a.example/FeatureServer", "allowed: …/FeatureServer/0, with the number of a layer"),
        ("civicplus", "https://a.example/", "allowed: …/calendar.aspx?CID=14, with the number of a calendar"),
        ("libcal", "https://a.example/", "allowed: …?cal_id= with the number of a calendar"),
        (
            "google-calendar",
            "https://calendar.google.com/calendar/u/0/r",
            "allowed: …/calendar/ical/ID/public/basic.ics",
        ),
    ],
)
def test_an_address_that_is_none_of_the_system_is_reported_with_what_is(
    configure: Configure, preset: str, url: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        configure(preset, url)
    assert message in "\n".join(map(str, raised.value.problems))


@pytest.mark.parametrize("name", read_presets())
def test_an_address_of_a_system_tells_its_preset(configure: Configure, name: str) -> None:
    preset = read_presets()[name]
    (feed,) = configure(name, preset.url, map_columns() if preset.feed["format"] == "table" else "").feeds
    assert recognize_preset(feed.url) == name


def test_a_saved_page_is_read_with_the_preset_of_its_server(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "page.json").write_text(json.dumps({"events": [calendars.make_tribe_event(1)]}))
    configuration = configure("the-events-calendar", "page.json")
    sources = open_sources(configuration.feeds, configuration, scratch=tmp_path)
    assert len(read_source(configuration.feeds[0], configuration, sources["city"]).records) == 1
