"""A city comes from the addresses of its websites by one `init`, `check` and `build`."""

import json
import tomllib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from outings.configuration import Configuration, FeedTable, read_configuration
from outings.contract.resources.shared import Location
from outings.release.folder import FolderStore
from pipeline.clean.venues import bring_venues
from pipeline.feed_task import read_feed
from pipeline.fetch.formats import RawRecord
from pipeline.records.record import PlaceRecord, Reference
from tests.new_cities.exporting import run
from tests.settings import format_metro
from tests.takedown.towns import find_words
from tests.websites import city, systems
from tests.websites.internet import Internet

CITY = ("--metro", "Santa Rosa", "--yes")
CENTER = ("--center", "38.44,-122.71")
Draft = Callable[..., tuple[Result, list[dict[str, Any]]]]


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "FIRST", datetime.now(UTC).date() + timedelta(days=1))


@pytest.fixture
def draft(internet: Internet, tmp_path: Path) -> Draft:
    """Runs init for addresses, and returns its output and the feeds that it writes."""

    def draft_addresses(*words: str) -> tuple[Result, list[dict[str, Any]]]:
        config = tmp_path / "outings.toml"
        done = run("init", *words, *CITY, "-c", str(config))
        assert done.exit_code == 0, done.output
        return done, tomllib.loads(config.read_text())["feeds"]

    return draft_addresses


@pytest.mark.long
def test_a_city_of_twelve_websites_is_drafted_checked_and_built(
    draft: Draft, internet: Internet, tmp_path: Path
) -> None:
    city.open_city_of_twelve(internet)
    done, feeds = draft(*city.ADDRESSES)
    (tmp_path / "init.txt").write_text(done.stdout)
    assert {feed["name"]: feed.get("preset", feed.get("format")) for feed in feeds} == {
        "library-santarosa": "bibliocommons", "north-santarosa": "communico", "parks-santarosa": "trumba",
        "museum-santarosa": "squarespace", "zoo-santarosa": "tockify", "college-santarosa": "livewhale",
        "hikes-santarosa": "meetup", "playhouse-santarosa": "eventbrite", "farm-santarosa": "jsonld",
        "city-santarosa": "google-calendar", "ymca-santarosa": "libcal-rss", "theater-santarosa": "ics",
    }  # fmt: skip
    config = str(tmp_path / "outings.toml")
    checked = run("check", "-c", config)
    assert checked.exit_code == 0, checked.output
    (tmp_path / "check.txt").write_text(checked.output)
    built = run("build", "--workers", "1", "-c", config)
    assert built.exit_code == 0, built.output
    (tmp_path / "build.txt").write_text(built.output)
    printed = run(
        "query",
        "SELECT organization.name AS own, count(*) AS n FROM events GROUP BY 1",
        "--format",
        "json",
        "-c",
        config,
    )
    assert printed.exit_code == 0, printed.output
    assert {row["own"]: row["n"] for row in json.loads(printed.stdout)["rows"]} == {
        "Santa Rosa Library": 7, "North County Library": 4, "Parks": 5, "Art Museum": 4, "Zoo": 3, "Junior College": 4,
        "Family Hikes": 3, "Playhouse": 4, "Farm": 3, "City of Santa Rosa": 6, "YMCA": 2, "Theater": 5,
    }  # fmt: skip


def test_of_several_feeds_the_one_that_says_most_is_taken_with_the_reason(draft: Draft, internet: Internet) -> None:
    city.open_ymca(internet)
    done, (feed,) = draft("https://ymca.santarosa.example/", *CENTER)
    assert (feed["preset"], feed["url"]) == ("libcal-rss", "https://ymca.libcal.com/rss.php?m=month&cid=44")
    assert "2 events" in done.stdout
    assert "has no event that is still to come" in done.stdout
    assert feed["defaults"] == {"organization": {"name": "YMCA"}}


def test_news_are_no_events_and_what_robots_may_not_fetch_is_not_fetched(draft: Draft, internet: Internet) -> None:
    city.open_parks(internet)
    rules = b"User-agent: outings\nDisallow: /private\n"
    internet.pages["parks.santarosa.example/robots.txt"] = systems.Page(rules)
    home = internet.pages["parks.santarosa.example/"]
    home.body += city.link("/private/events", "Events").encode()
    done, (feed,) = draft("https://parks.santarosa.example/", *CENTER)
    assert feed["preset"] == "trumba"
    assert "a list of products or posts is no listing" in done.stdout
    assert "asks programs not to" in done.stdout
    assert not any("/private" in address for address in internet.addresses)
    assert all("calendar of events" in agent or agent == "outings/1" for agent in internet.agents)


def test_what_robots_of_another_host_may_not_fetch_is_not_fetched_by_a_redirect(
    draft: Draft, internet: Internet
) -> None:
    city.open_theater(internet)
    home = internet.pages["theater.santarosa.example/"]
    assert isinstance(home, systems.Page)
    home.body += city.link("/calendar", "Calendar").encode()
    away = {"Location": "https://closed.santarosa.example/calendar"}
    internet.pages["theater.santarosa.example/calendar"] = systems.Page(b"", status=302, headers=away)
    internet.pages["closed.santarosa.example/robots.txt"] = systems.Page(b"User-agent: *\nDisallow: /\n")
    draft("https://theater.santarosa.example/", *CENTER)
    assert [address for address in internet.addresses if "closed" in address] == ["closed.santarosa.example/robots.txt"]


def test_a_site_without_events_says_what_was_looked_for(internet: Internet, tmp_path: Path) -> None:
    internet.pages["shop.santarosa.example/"] = city.make_home("Shop", city.link("/programs", "Programs"))
    internet.pages["shop.santarosa.example/programs"] = systems.make_html("Nothing yet")
    done = run("init", "https://shop.santarosa.example/", *CITY, "-c", str(tmp_path / "outings.toml"))
    assert done.exit_code == 1
    assert "no list of events was found" in done.stderr
    assert "https://shop.santarosa.example/programs" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_one_site_without_events_does_not_hinder_the_others(draft: Draft, internet: Internet) -> None:
    city.open_theater(internet)
    internet.pages["shop.santarosa.example/"] = city.make_home("Shop", "")
    addresses = [
        "https://shop.santarosa.example/",
        "https://theater.santarosa.example/",
        "https://gone.santarosa.example/",
    ]
    done, feeds = draft(*addresses, *CENTER)
    assert [feed["name"] for feed in feeds] == ["theater-santarosa"]
    assert "Not in the configuration:" in done.stdout
    assert "https://gone.santarosa.example/: answers 404" in done.stdout


def test_a_site_gets_at_most_thirty_requests(draft: Draft, internet: Internet) -> None:
    links = "".join(city.link(f"/events/{number}", f"Events {number}") for number in range(40))
    calendars = "".join(city.link(f"/c{number}.ics", "iCal") for number in range(40))
    internet.pages["big.santarosa.example/"] = city.make_home("Big", links + calendars)
    for number in range(40):
        body = "".join(city.link(f"/d{number}-{other}.ics", "iCal") for other in range(40))
        internet.pages[f"big.santarosa.example/events/{number}"] = systems.make_html(body)
    internet.pages["big.santarosa.example/c1.ics"] = city.make_hours(3, "Fair")
    draft("https://big.santarosa.example/", *CENTER)
    assert len(internet.requests) <= 30 + 1  # the feed itself is read once more, whole


def test_what_was_found_is_there_for_programs_too(internet: Internet, tmp_path: Path) -> None:
    city.open_library(internet)
    config = tmp_path / "outings.toml"
    done = run("init", "https://library.santarosa.example/", *CITY, "--json", "-c", str(config))
    (site,) = json.loads(done.stdout)["websites"]
    (taken,) = [candidate for candidate in site["candidates"] if candidate["taken"]]
    assert (taken["preset"], taken["events"], taken["total"]) == ("bibliocommons", 5, 10)
    assert (taken["hours"], taken["place"], taken["price"]) == (1.0, 1.0, 0.0)
    assert taken["first"] >= date.today().isoformat()
    assert site["requests"] <= 30


def test_closings_and_meetings_are_proposed_to_be_left_out(draft: Draft, internet: Internet, tmp_path: Path) -> None:
    city.open_parks(internet)
    done, _ = draft("https://parks.santarosa.example/", *CENTER)
    assert "1 of 5 is a closing or a meeting, such as “Parks Commission Meeting”" in done.stdout
    config = tmp_path / "outings.toml"
    proposed = '# drop = { title = ["*commission meeting*"] }'
    assert proposed in config.read_text()
    config.write_text(config.read_text().replace(proposed, proposed.removeprefix("# ")))
    checked = run("check", "-c", str(config))
    assert checked.exit_code == 0, checked.output
    assert "4 listings" in checked.stdout


def test_a_site_whose_feed_breaks_off_is_left_out_with_the_reason(draft: Draft, internet: Internet) -> None:
    city.open_library(internet)
    city.open_theater(internet)
    serve = internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"]
    assert callable(serve)
    refused = systems.Page(b"", status=403)
    internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"] = lambda target: (
        refused if "page=2" in target else serve(target)
    )
    done, feeds = draft("https://library.santarosa.example/", "https://theater.santarosa.example/", *CENTER)
    assert [feed["name"] for feed in feeds] == ["theater-santarosa"]
    assert "answers 403" in done.stdout.partition("Not in the configuration:")[2]


def test_the_branches_of_a_library_come_along_as_places(draft: Draft, internet: Internet, tmp_path: Path) -> None:
    city.open_library(internet)
    events = [systems.make_biblio_event(number) for number in range(1, 5)]
    events[1] |= {"branchLocationId": None, "locationDetails": "Courthouse Square"}
    events[2] |= {"isCancelled": True}
    internet.pages["gateway.bibliocommons.com/v2/libraries/city/events"] = systems.make_bibliocommons(events)
    _, (feed,) = draft("https://library.santarosa.example/", *CENTER)
    assert feed["venues"] is True
    records = read_feed(*read_first(tmp_path / "outings.toml")).records
    (branch,) = [record for record in records if isinstance(record, PlaceRecord)]
    assert (branch.name, branch.organization) == ("Central Branch", Reference(name="Santa Rosa Library"))
    assert branch.location == Location(
        address="Central Branch", street_address="211 E St", city="Santa Rosa", state="CA", zip="95404", lat=38.441,
        lng=-122.711,
    )  # fmt: skip
    there = {record.name: record.place and record.place.source_id for record in records if record is not branch}
    assert there == {
        "Baby Bounce 1": "venue-central-branch", "Baby Bounce 2": None, "Baby Bounce 3": "venue-central-branch",
        "Baby Bounce 4": "venue-central-branch",
    }  # fmt: skip


def test_an_address_of_a_known_system_brings_its_branches_too(draft: Draft, internet: Internet) -> None:
    city.open_library(internet)
    _, (feed,) = draft("https://city.bibliocommons.com/v2/events", *CENTER)
    assert (feed["preset"], feed["venues"]) == ("bibliocommons", True)


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ({"address": "Playhouse, 1 Main St", "lat": "38.44", "lng": -122.7}, "Playhouse"),
        ({"address": "1 Main St, Santa Rosa", "lat": 38.44, "lng": -122.7}, None),
        ({"address": "Santa Rosa, CA", "city": "Santa Rosa", "lat": 38.44, "lng": -122.7}, None),
        ({"address": "Online event", "lat": 38.44, "lng": -122.7}, None),
        ({"address": "Playhouse"}, None),
        ({"address": "Playhouse", "lat": 0, "lng": 0}, None),
    ],
)
def test_a_venue_has_a_name_and_a_point(where: dict[str, Any], name: str | None) -> None:
    event = {"type": "event", "source_id": "1", "name": "Show", "location": where}
    away = {**event, "source_id": "2", "location": where | {"lat": 39.0}}
    *places, first, other = bring_venues([RawRecord(1, event), RawRecord(2, away)], type_="")
    assert [place.value["name"] for place in places] == ([] if name is None else [name])
    assert (first.value.get("place"), other.value) == (name and {"source_id": "venue-playhouse"}, away)


def test_venues_have_ids_of_their_own_in_any_script() -> None:
    events = [
        RawRecord(number, {"type": "event", "location": {"address": name, "lat": 1, "lng": 2}})
        for number, name in enumerate(("中央図書館", "市民ホール", "Ягода"), start=1)
    ]
    made = [raw.value for raw in bring_venues(events, type_="")]
    assert [value["name"] for value in made if value["type"] == "place"] == ["中央図書館", "市民ホール", "Ягода"]


def test_an_event_in_two_feeds_is_said_with_the_feed_that_says_more(internet: Internet, tmp_path: Path) -> None:
    show = systems.make_linked_event(2, name="Winter Show!")
    hall = {"@type": "Museum", "name": "Playhouse", "geo": show["location"]["geo"]}
    other = {"name": "Winter Show", "location": show["location"], "offers": None}
    elsewhere = {"name": "Farm Day", "location": {"@type": "Place", "name": "Barn"}}
    for name, events in {
        "city": [show, systems.make_linked_event(4, name="Farm Day"), systems.make_linked_event(5), hall],
        "seller": [systems.make_linked_event(2, **other), systems.make_linked_event(4, **elsewhere)],
    }.items():
        (tmp_path / f"{name}.html").write_bytes(systems.make_linked_page(events).body)
    feeds = "".join(
        f'[[feeds]]\nname = "{name}"\nmetro = "seattle"\nformat = "jsonld"\nurl = "{name}.html"\nvenues = {venues}\n'
        for name, venues in (("city", "false"), ("seller", "true"))
    )
    (tmp_path / "outings.toml").write_text(format_metro("seattle") + feeds)
    checked = run("check", "-c", str(tmp_path / "outings.toml"), "--json")
    warning, place = [own for own in json.loads(checked.stdout)["warnings"] if own["code"] == "repeated"]
    assert (place["feed"], place["count"], place["examples"]) == ("city", 1, ["Playhouse"])
    assert "1 place with the name and point of one in seller" in place["message"]
    assert "venues = false" in place["message"]
    assert (warning["feed"], warning["count"], warning["examples"]) == ("city", 1, ["Winter Show!"])
    assert "of one in seller; city says more of them" in warning["message"]
    assert "leave them out of seller" in warning["message"]


def open_gallery(internet: Internet, count: int) -> list[str]:
    """Open a site whose list has no dates, and whose pages of events have JSON-LD. Return the names of the events."""
    numbers = range(1, count + 1)
    links = "".join(city.link(f"/calendar/show-{number}", f"Show {number}") for number in numbers)
    internet.pages["gallery.santarosa.example/"] = city.make_home("Gallery", city.link("/calendar", "Calendar"))
    internet.pages["gallery.santarosa.example/calendar"] = systems.make_html(links + city.link("/shop/a", "Shop"))
    for number in numbers:
        address = f"gallery.santarosa.example/calendar/show-{number}"
        event = systems.make_linked_event(number, name=f"Show {number}", url=f"https://{address}")
        internet.pages[address] = systems.make_linked_page([event])
    return [f"Show {number}" for number in numbers]


def test_the_pages_of_events_that_a_list_links_to_are_a_feed(draft: Draft, internet: Internet, tmp_path: Path) -> None:
    names = open_gallery(internet, 5)
    done, (feed,) = draft("https://gallery.santarosa.example/", *CENTER)
    assert (feed["format"], feed["url"]) == ("jsonld", "https://gallery.santarosa.example/calendar")
    assert "3 of about 5 events" in done.stdout
    internet.pages["gallery.santarosa.example/calendar/show-2"] = systems.Page(b"", status=404)
    config = str(tmp_path / "outings.toml")
    built = run("build", "--workers", "1", "-c", config)
    assert built.exit_code == 0, built.output
    assert "answers 404, and is left out" in built.stderr
    printed = run("query", "SELECT name FROM events ORDER BY name", "--format", "json", "-c", config)
    shown = [row["name"] for row in json.loads(printed.stdout)["rows"]]
    assert shown == [name for name in names if name != "Show 2"]


def test_a_build_fetches_again_only_the_pages_that_changed(draft: Draft, internet: Internet, tmp_path: Path) -> None:
    names = open_gallery(internet, 4)
    for number in range(1, 5):
        page = internet.pages[f"gallery.santarosa.example/calendar/show-{number}"]
        assert isinstance(page, systems.Page)
        page.etag = f'"{number}"'
    draft("https://gallery.santarosa.example/", *CENTER)
    config = str(tmp_path / "outings.toml")
    assert run("build", "--workers", "1", "-c", config).exit_code == 0
    changed = systems.make_linked_event(
        3, name="Show 3, moved", url="https://gallery.santarosa.example/calendar/show-3"
    )
    internet.pages["gallery.santarosa.example/calendar/show-3"] = systems.make_linked_page([changed])
    internet.unchanged.clear()
    built = run("build", "--workers", "1", "-c", config)
    assert "4 of 4 linked pages, 3 unchanged" in built.stderr
    assert internet.unchanged == [f"gallery.santarosa.example/calendar/show-{number}" for number in (1, 2, 4)]
    shown = run("query", "SELECT name FROM events ORDER BY name", "--format", "csv", "-c", config).stdout.splitlines()
    assert [name.strip('"') for name in shown] == ["name", *names[:2], "Show 3, moved", names[3]]
    # The memory stays through a feed that fails.
    listed = internet.pages.pop("gallery.santarosa.example/calendar")
    assert run("build", "--workers", "1", "-c", config).exit_code == 4
    internet.pages["gallery.santarosa.example/calendar"] = listed
    assert "4 of 4 linked pages, 3 unchanged" in run("build", "--workers", "1", "-c", config).stderr


def test_a_takedown_leaves_a_linked_page_in_no_object(draft: Draft, internet: Internet, tmp_path: Path) -> None:
    gone, *others = open_gallery(internet, 4)
    for number in range(1, 5):
        page = internet.pages[f"gallery.santarosa.example/calendar/show-{number}"]
        assert isinstance(page, systems.Page)
        page.etag = f'"{number}"'
    draft("https://gallery.santarosa.example/", *CENTER)
    config = str(tmp_path / "outings.toml")
    assert run("build", "--workers", "1", "-c", config).exit_code == 0
    store = FolderStore(tmp_path / "var/store")
    assert find_words(store, gone.casefold())
    asked = run("query", f"SELECT id FROM events WHERE name = '{gone}'", "--format", "csv", "-c", config)
    assert run("takedown", asked.stdout.split()[1], "-c", config).exit_code == 0
    assert run("releases", "prune", "-c", config).exit_code == 0
    assert find_words(store, gone.casefold()) == []
    assert "4 of 4 linked pages, 0 unchanged" in run("build", "--workers", "1", "-c", config).stderr
    shown = run("query", "SELECT name FROM events", "--format", "csv", "-c", config).stdout
    assert gone not in shown
    assert all(name in shown for name in others)
    assert find_words(store, gone.casefold()) == []


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": n, "title": f"Wooden Train {n}", "vendor": "Toys", "price": f"{n}9.00"} for n in range(1, 9)],
        [{"id": n, "title": f"Our Week {n}", "published": f"2026-10-0{n}", "body": "We did."} for n in range(1, 9)],
    ],
    ids=["products", "posts"],
)
def test_a_shops_products_and_a_blogs_posts_are_no_listings(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    words = ("init", str(tmp_path / "rows.json"), *CITY, *CENTER, "-c", str(tmp_path / "outings.toml"))
    refused = run(*words)
    assert refused.exit_code == 2
    assert "a list of products or posts is no listing" in refused.stderr
    assert not (tmp_path / "outings.toml").exists()
    assert run(*words, "--type", "place").exit_code == 0


def test_the_microdata_of_a_page_are_events(draft: Draft, internet: Internet, tmp_path: Path) -> None:
    shows = "".join(
        f"""<div itemscope itemtype="http://schema.org/MusicEvent"><a itemprop="url" href="/shows/{number}">
        <span itemprop="name">Kids <b>Concert</b> {number}</span></a><br>
        <time itemprop="startDate" datetime="{systems.name_day(number)}T15:00">3 pm</time>
        <div itemprop="location" itemscope itemtype="http://schema.org/Place"><span itemprop="name">Hall</span>
        <p itemprop="address">12 Elm St</p></div><meta itemprop="image" content="https://hall.santarosa.example/a.jpg">
        <span itemprop="offers" itemscope itemtype="http://schema.org/Offer"><data itemprop="price" value="8">$8</data>
        </span></div>"""
        for number in (1, 2, 3)
    )
    internet.pages["hall.santarosa.example/"] = city.make_home("Hall", shows)
    _, (feed,) = draft("https://hall.santarosa.example/", *CENTER)
    assert (feed["format"], feed["url"]) == ("jsonld", "https://hall.santarosa.example/")
    checked = run("check", "-c", str(tmp_path / "outings.toml"), "--json")
    assert json.loads(checked.stdout)["records"]["listings"] == 3
    read = read_feed(*read_first(tmp_path / "outings.toml"))
    first = next(record for record in read.records if record.name == "Kids Concert 1")
    assert first.starts_local.isoformat() == f"{systems.name_day(1)}T15:00:00"
    assert (first.location.address, first.price.min) == ("Hall, 12 Elm St", 8)


def read_first(config: Path) -> tuple[FeedTable, Configuration]:
    configuration = read_configuration(config, {})
    return configuration.feeds[0], configuration
