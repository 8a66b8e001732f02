"""The page of a city: its figures are those of the API, and it is the same for the same snapshot and date."""

import gzip
import re
from datetime import date, timedelta
from html import unescape
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from outings.pages.city import count_city, draw_density, lay_out_days, render_city, share
from outings.release.site import SiteSettings
from tests.answers import documents
from tests.answers.asking import fetch
from tests.answers.coverage.worlds import enrich
from tests.answers.documents import make_uuid
from tests.answers.generated import make_world, seeds
from tests.answers.worlds import TODAY, World, open_release

SETTINGS = SiteSettings(shows_data=True)


def render(world: World, tmp_path_factory: pytest.TempPathFactory) -> str:
    release = open_release([world], tmp_path_factory.mktemp("world"))
    return render_city(release.metros[world.slug], today=TODAY, settings=SETTINGS).data.decode()


def read_rows(page: str, heading: str) -> dict[str, list[str]]:
    """The rows of the table of a section or part, by their first cell."""
    table = page.partition(f'aria-labelledby="{heading}"')[2].partition("</table>")[0]
    rows = [re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)]
    texts = [[unescape(re.sub(r"<.*?>", "", cell)).strip() for cell in row] for row in rows]
    return {row[0]: row[1:] for row in texts}


@given(seed=seeds, size=st.integers(min_value=0, max_value=60))
def test_every_figure_is_the_one_that_the_api_gives(
    tmp_path_factory: pytest.TempPathFactory, seed: int, size: int
) -> None:
    random = Random(seed)
    world = make_world(random, size=size)
    enrich(world, random)
    release = open_release([world], tmp_path_factory.mktemp("world"))
    figures = count_city(release.metros["harbor"], today=TODAY)

    coverage = fetch(release, "/v1/harbor/coverage")["data"]
    for figure in figures.types:
        measure = coverage["listings"][figure.collection]
        assert (figure.published, figure.dateless) == (measure["published"], measure["dateless"])
        listed = fetch(release, f"/v1/harbor/{figure.collection}", {"facets": "category", "limit": "0"})
        assert figure.listed == listed["facets"]["total"]
        quality = fetch(release, "/v1/harbor/coverage", {"types": figure.collection})["data"]["quality"]
        for name, count in figure.having.items():
            assert quality[f"with_{name}_share"] == (round_share(count, figure.published)), (figure.collection, name)
    verified, crawled, _ = figures.ages.values()
    assert coverage["freshness"]["verified_30d_share"] == round_share(sum(verified[:2]), figures.published)
    assert coverage["freshness"]["crawled_7d_share"] == round_share(crawled[0], figures.published)
    assert {sum(counts) for counts in figures.ages.values()} == {figures.published}

    window = {"from": TODAY.isoformat(), "to": (TODAY + timedelta(days=34)).isoformat()}
    days = {day["date"]: day["count"] for day in fetch(release, "/v1/harbor/events/calendar", window)["data"]}
    assert {day.isoformat(): count for day, count in figures.days.items()} == days


def round_share(part: int, whole: int) -> float | None:
    return (2000 * part + whole) // (2 * whole) / 1000 if whole else None


@given(seed=seeds)
def test_what_organizations_lack_adds_up_to_what_is_missing(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    world = make_world(Random(seed), size=60)
    figures = count_city(open_release([world], tmp_path_factory.mktemp("world")).metros["harbor"], today=TODAY)
    assert sum(gap["listings"] for gap in figures.gaps) == figures.published
    for name in ("ages", "price", "coordinates", "image", "time"):
        missing = figures.published - sum(figure.having[name] for figure in figures.types)
        assert sum(gap[name] for gap in figures.gaps) == missing


def test_an_organization_reads_how_many_of_its_listings_lack_what(tmp_path_factory: pytest.TempPathFactory) -> None:
    museum = {"id": make_uuid(90), "name": "Museum", "slug": "museum"}
    listings = [
        documents.make_place(make_uuid(1), organization=museum, image_url="https://a.example/1.png"),
        documents.make_place(make_uuid(2), organization=museum, ages=documents.make_ages(min=3)),
        documents.make_event(make_uuid(3)),
    ]
    organizations = [{**documents.make_organization(make_uuid(90)), "name": "Museum"}]
    rows = read_rows(render(World(listings=listings, organizations=organizations), tmp_path_factory), "gaps")
    assert rows["Museum"][:2] == ["2", "1"]
    assert rows["Museum"][4] == "1"


def test_twenty_organizations_have_a_row_and_the_others_one_together(tmp_path_factory: pytest.TempPathFactory) -> None:
    listings, organizations = [], []
    for number in range(25):
        known = {"id": make_uuid(100 + number), "name": f"Club {number:02}", "slug": f"club-{number}"}
        listings.append(documents.make_event(make_uuid(number), organization=known))
        organizations.append({**documents.make_organization(known["id"]), "name": known["name"]})
    rows = read_rows(render(World(listings=listings, organizations=organizations), tmp_path_factory), "gaps")
    assert len(rows) == 1 + 20 + 1
    assert rows["Other organizations (5)"][0] == "5"


def test_a_city_without_listings_says_so_and_shows_no_empty_table(tmp_path_factory: pytest.TempPathFactory) -> None:
    page = render(World(), tmp_path_factory)
    assert "Nothing is published here yet." in page
    assert "<table" not in page


def test_what_the_page_counts_leads_to_the_listings_in_the_explorer(tmp_path_factory: pytest.TempPathFactory) -> None:
    known = {"id": make_uuid(90), "name": "Museum", "slug": "museum"}
    location = documents.make_location(neighborhood="Old & New", neighborhood_slug="old-&-new")
    event = documents.make_event(make_uuid(1), organization=known, location=location)
    world = World(listings=[event], organizations=[{**documents.make_organization(make_uuid(90)), "name": "Museum"}])
    links = [unescape(link) for link in re.findall(r'href="([^"]*explore/\?[^"]*)"', render(world, tmp_path_factory))]
    assert "../../explore/?type=classes&metro=harbor" in links
    assert "../../explore/?neighborhood=old-%26-new&metro=harbor" in links
    assert f"../../explore/?organization_id={make_uuid(90)}&metro=harbor" in links


def test_a_name_is_text_in_its_own_direction(tmp_path_factory: pytest.TempPathFactory) -> None:
    known = {"id": make_uuid(90), "name": "<b>מוזיאון</b> & Co", "slug": "museum"}
    organization = {**documents.make_organization(make_uuid(90)), "name": known["name"]}
    world = World(listings=[documents.make_event(make_uuid(1), organization=known)], organizations=[organization])
    assert "<bdi>&lt;b&gt;מוזיאון&lt;/b&gt; &amp; Co</bdi>" in render(world, tmp_path_factory)


def test_the_same_snapshot_and_date_give_the_same_bytes(tmp_path_factory: pytest.TempPathFactory) -> None:
    world = make_world(Random(5), size=60)
    snapshot = open_release([world], tmp_path_factory.mktemp("world")).metros["harbor"]
    bare = replace(snapshot, mapped={})
    pages = [render_city(shown, today=TODAY, settings=SETTINGS) for shown in (snapshot, snapshot, bare)]
    assert len({page.data for page in pages}) == 1
    assert pages[0].path == "cities/harbor/"


def test_a_week_begins_on_monday_and_a_month_has_its_name_once() -> None:
    days = {date(2026, 8, 27) + timedelta(days=number): number for number in range(9)}
    weeks = list(lay_out_days(days))
    assert [[cell.count for cell in week] for week in weeks] == [
        [None, None, None, 0, 1, 2, 3], [4, 5, 6, 7, 8, None, None],
    ]  # fmt: skip
    assert [cell.day.isoformat() for week in weeks for cell in week if cell.has_month] == ["2026-08-27", "2026-09-01"]
    assert [cell.shade for cell in weeks[0][3:]] == [0, 1, 1, 2]


@pytest.mark.parametrize(("part", "whole", "percent"), [(0, 0, 0), (0, 9, 0), (1, 900, 1), (899, 900, 99), (9, 9, 100)])
def test_a_share_is_all_or_nothing_only_where_it_is(part: int, whole: int, percent: int) -> None:
    assert share(part, whole) == percent


def test_one_wrong_address_does_not_make_the_map_a_dot() -> None:
    lats = np.array([47.6 + number / 1000 for number in range(200)] + [0.0])
    lngs = np.array([-122.3 + number / 1000 for number in range(200)] + [0.0])
    drawn = draw_density(lats, lngs)
    assert drawn is not None
    assert drawn.outside <= 5
    assert sum(path.count("M") for path in drawn.paths) >= drawn.columns - 2


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_points_and_points_in_one_place_have_a_map(count: int) -> None:
    drawn = draw_density(np.full(count, 47.6), np.full(count, -122.3))
    assert drawn is not None
    assert (drawn.most, drawn.outside, drawn.located) == (count, 0, count)


def test_a_place_is_marked_at_its_point_and_not_off_the_map() -> None:
    lats, lngs = np.linspace(47.5, 47.7, 101), np.linspace(-122.4, -122.2, 101)
    drawn = draw_density(lats, lngs, places=[(47.6, -122.3), (None, None), (40.0, -74.0), (47.69, -122.39)])
    assert drawn is not None
    (first, *middle, is_east), (last, *corner, _) = drawn.markers
    assert (first, last, is_east) == (1, 4, False)
    assert middle == pytest.approx([drawn.columns / 2, drawn.rows / 2], abs=0.1)
    assert corner[0] < drawn.columns / 8
    assert corner[1] < drawn.rows / 8


def test_a_map_of_a_hundred_thousand_points_is_light() -> None:
    random = np.random.default_rng(1)
    drawn = draw_density(random.normal(47.6, 0.1, 100_000), random.normal(-122.3, 0.1, 100_000))
    assert drawn is not None
    assert len(gzip.compress("".join(drawn.paths).encode())) < 16_000
