"""`outings site --internal`: pages that show operators what each feed brought and lost, and its problems."""

import base64
import hashlib
import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner

from command import main
from outings.pages.settings import BuildRow
from outings.release.pointer import list_releases
from outings.release.site import SiteSettings
from pipeline.publish.takedown.takedown import take_down
from pipeline.reports.feed_pages import ReleaseColumn, render_feeds
from tests.pipeline.city import City, make_event

SITE = '[site]\nname = "Harbor"\n'
WALK = "0d5c0000-0000-4000-8000-0000000000a1"


def write_site(city: City, *words: str) -> Path:
    folder = city.folder / "pages"
    done = CliRunner().invoke(main, ["site", str(folder), "-c", str(city.folder / "outings.toml"), *words])
    assert done.exit_code == 0, done.stderr
    return folder


def read_text(path: Path) -> str:
    """Return the visible text of a page, on one line."""
    body = re.sub(r"<style>.*?</style>|<[^>]*>", " ", path.read_text(), flags=re.DOTALL)
    return " ".join(unescape(body).split())


@pytest.fixture
def city(tmp_path: Path) -> City:
    """Two releases: a walk and a swim, then a talk instead of the swim, and a row that is wrong."""
    city = City(tmp_path)
    city.site = SITE
    city.write([make_event("walk", id=WALK, name="Walk"), make_event("swim", name="Swim")], feed="museum")
    city.write([make_event("else", name="Something else")], feed="library")
    city.build()
    rows = [make_event("walk", id=WALK, name="Walk"), make_event("talk", name="Talk"), make_event("bad", name="Bad")]
    rows[2]["price"] = {"min": "five <dollars>"}
    city.write(rows, feed="museum")
    city.build("2026-08-11")
    return city


def test_without_the_option_nothing_of_it_is_written(city: City) -> None:
    assert not (write_site(city) / "internal").exists()
    write_site(city, "--internal")
    assert (city.folder / "pages/internal/museum.html").exists()
    write_site(city)
    assert not (city.folder / "pages/internal/museum.html").exists()


def test_who_keeps_a_feed_reads_which_line_is_wrong_and_why(city: City) -> None:
    text = read_text(write_site(city, "--internal") / "internal/museum.html")
    assert "What to correct in museum" in text
    assert "1 of 3 records have errors." in text
    assert "The value cannot be read: price 1 × price.min : expected a number" in text
    assert "3 bad five <dollars>" in text


@pytest.mark.long
def test_a_feed_without_faults_is_reported_that_nothing_has_to_be_mended(city: City) -> None:
    text = read_text(write_site(city, "--internal") / "internal/library.html")
    assert "There is nothing to correct." in text
    assert "Refused records" not in text


def test_a_feed_reads_what_it_brought_and_what_is_not_there_any_more(city: City) -> None:
    text = read_text(write_site(city, "--internal") / "internal/museum.html")
    assert "Gone: 1 These listings were published on 10 August 2026." in text
    assert re.search(r"check your file\. Swim ", text)
    assert re.search(r"New: 1 These listings were not published on 10 August 2026\. Talk ", text)


def test_builds_that_change_nothing_in_a_feed_do_not_hide_what_it_lost(city: City) -> None:
    city.write([make_event("else", name="Something new")], feed="library")
    city.build("2026-08-12")
    assert "Gone: 1" in read_text(write_site(city, "--internal") / "internal/museum.html")


def test_releases_are_shown_side_by_side_with_their_quarantined_records(city: City) -> None:
    text = read_text(write_site(city, "--internal") / "internal/index.html")
    second, first = (release.id for release in list_releases(city.store))
    assert text.index(second) < text.index(first)
    assert re.search(r"museum 2 1 refused 2 library|museum 2 1 refused 2 Changes", text)


def test_a_listing_that_was_taken_down_is_on_no_page_of_the_operators_either(city: City) -> None:
    now = datetime(2026, 8, 11, 18, tzinfo=UTC)
    take_down(city.store, [WALK], reason="asked", now=now, cache=city.cache)
    folder = write_site(city, "--internal")
    assert [path.name for path in (folder / "internal").iterdir() if "Walk" in path.read_text()] == []


def test_a_feeds_page_is_one_file_that_loads_nothing(city: City) -> None:
    page = (write_site(city, "--internal") / "internal/museum.html").read_text()
    assert re.findall(r"<(?:link|script|img)\b|(?:src|href)=|url\((?!\"?data:)", page) == []
    style = re.search(r"<style>(.*?)</style>", page, flags=re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src &#39;none&#39;; style-src &#39;sha256-{digest}&#39;" in page


def test_what_families_would_like_to_know_is_listed_by_listing(city: City) -> None:
    text = read_text(write_site(city, "--internal") / "internal/museum.html")
    assert "2 of 2 listings lack ages" in text
    assert re.search(r"Talk talk (missing )+", text)


def test_the_overview_has_the_styles_of_the_program_that_wrote_it_and_leads_to_each_feed(city: City) -> None:
    folder = write_site(city, "--internal") / "internal"
    links = re.findall(r'(?:href|src)="([^"#]+)"', (folder / "index.html").read_text())
    assert {"museum.html", "library.html"} <= set(links)
    paths = [folder / link for link in links]
    assert [path for path in paths if not (path / "index.html" if path.is_dir() else path).is_file()] == []


def test_a_build_that_could_not_read_a_feed_is_reported_first_on_the_page_of_the_feed(city: City) -> None:
    city.settings["museum"] = 'on_error = "stop"'
    assert city.configuration.feeds
    (city.folder / "museum.ndjson").rename(city.folder / "away")
    build = ["build", "-c", str(city.folder / "outings.toml"), "--workers", "1"]
    assert CliRunner().invoke(main, build).exit_code == 1
    folder = write_site(city, "--internal") / "internal"
    index, museum, library = (read_text(folder / f"{name}.html") for name in ("index", "museum", "library"))
    assert "The last build published nothing." in index
    assert re.search(r"UTC Failed feed museum: museum\.ndjson: \S.*? seattle \d+ s", index)
    assert re.search(r"could not read this feed\. Families still see the version of 11 August 2026\.", museum)
    assert "could not read" not in library
    (city.folder / "away").rename(city.folder / "museum.ndjson")
    assert CliRunner().invoke(main, build).exit_code == 0
    assert "could not read" not in read_text(write_site(city, "--internal") / "internal/museum.html")


def test_a_feeds_page_says_how_old_its_version_is_and_what_nobody_sees(city: City) -> None:
    city.write([make_event("walk", name="Walk"), make_event("poor", confidence=0.3)], feed="museum")
    city.settings["museum"] = "max_shrink = 1"
    city.build("2026-08-12")
    (city.folder / "museum.ndjson").unlink()
    city.build("2026-08-14")
    text = read_text(write_site(city, "--internal") / "internal/museum.html")
    assert "Families still see the version of" in text
    assert "museum.ndjson: can't be read: No such file or directory" in text
    assert "1 hidden by a confidence below 0.7, of places 0.5 (confidence, defaults.confidence)" in text
    assert "There is nothing to" not in text


def test_a_builds_message_names_the_release_once_and_keeps_its_lines() -> None:
    at = datetime(2026, 8, 11, 18, tzinfo=UTC)
    message = "release 7-0a1b2c3d is published, but\nfeed museum: not one listing of it is published"
    build = BuildRow(outcome="empty", started_at=at, seconds=1, metros=(), release="7-0a1b2c3d", error=message)
    release = ReleaseColumn(id="6-aaaaaaaa", built_on=at.date(), versions=None, feeds={})
    index, *_ = render_feeds(SiteSettings(), [release], [], builds=[build])
    text = index.data.decode()
    assert text.count("7-0a1b2c3d") == 1
    assert f'<td class="long" data-label="Release or error"><span lang="en" dir="auto">{message}</span>' in text
