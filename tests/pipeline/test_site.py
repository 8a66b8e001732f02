"""The pages of a release follow its listings: through builds, a takedown, a rollback and a prune."""

import gzip
import json
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import brotli
import pytest

from outings.pages.settings import SiteSettingsError
from outings.release.manifest import list_references
from outings.release.pruning import prune
from outings.release.publishing import publish
from outings.release.site import SiteFile
from outings.release.store import hash_of, object_name
from outings.release.trust import ANYBODY
from outings.release.verifying import verify_releases
from pipeline.publish.objects.site import compose_site
from pipeline.publish.rollback import roll_back
from pipeline.publish.takedown.takedown import take_down
from tests.pages.basemap import write_basemap
from tests.pipeline.city import City, make_event

LATER = datetime(2026, 8, 10, 18, tzinfo=UTC)
SHOWN = '[site]\nname = "Harbor for families"\nkey = "a-key-for-all"\n'
WALK = "0d5c0000-0000-4000-8000-0000000000a1"
YEARS = 10 * 365 * 86_400


def read_page(city: City, path: str = "") -> str:
    return city.open().site[path].read(b"").decode()


def read_numbers(city: City) -> dict[str, int]:
    """Return from the home page how many events each metro has."""
    rows = re.findall(r'cities/([a-z]+)/">[^\n]*?data-count="events">(\d+)</td>', read_page(city))
    return {name: int(count) for name, count in rows}


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path)
    city.site = SHOWN
    city.write([make_event("a", id=WALK), make_event("b")])
    return city


def test_the_home_page_says_how_many_listings_each_metro_has(city: City) -> None:
    city.add_metro("boston", "America/New_York")
    city.build()
    assert read_numbers(city) == {"boston": 0, "seattle": 2}
    assert "Harbor for families" in read_page(city)
    assert "a-key-for-all" in read_page(city)


def test_a_release_has_no_page_where_pages_are_turned_off(city: City) -> None:
    city.site = "[site]\nenabled = false\n"
    city.build()
    assert not city.open().site
    assert city.open().metros["seattle"].tables
    take_down(city.store, [WALK], reason="asked", now=LATER, cache=city.cache)
    assert not city.open().site
    city.site = SHOWN
    city.build()
    assert read_numbers(city) == {"seattle": 1}


def test_a_metro_that_is_built_alone_shows_beside_the_others(city: City) -> None:
    city.add_metro("boston", "America/New_York")
    city.build(metros=["seattle"])
    city.build(metros=["boston"])
    assert read_numbers(city) == {"boston": 0, "seattle": 2}


def test_without_the_table_a_page_shows_no_listing_and_no_metro(city: City) -> None:
    city.site = ""
    city.build()
    assert read_numbers(city) == {}
    assert "seattle</bdi>" not in read_page(city)
    assert "$KEY" in read_page(city)


def test_switching_the_pages_off_takes_their_numbers_away(city: City) -> None:
    city.build()
    city.site = ""
    city.build()
    assert read_numbers(city) == {}


def test_an_unchanged_rebuild_writes_no_page(city: City) -> None:
    city.build()
    before = city.list_objects()
    first = city.current
    built = city.build()
    assert city.current.root.site == first.root.site
    assert city.list_objects().keys() - before.keys() == {f"objects/{city.current.sha[:2]}/{city.current.sha}"}
    assert built.objects.written == 0


def test_another_name_is_on_the_pages_of_the_next_build(city: City) -> None:
    city.build()
    city.site = SHOWN.replace("Harbor", "Lakeside")
    city.build()
    assert "Lakeside for families" in read_page(city)
    assert len(city.read_versions()) == 2


def test_what_is_taken_down_is_on_no_page(city: City) -> None:
    city.build()
    published = 'data-count="events">{}</td>'
    assert published.format(2) in read_page(city, "cities/seattle/")
    take_down(city.store, [WALK], reason="asked", now=LATER, cache=city.cache)
    assert read_numbers(city) == {"seattle": 1}
    assert published.format(1) in read_page(city, "cities/seattle/")


def test_a_rollback_brings_the_numbers_of_then_under_the_name_of_now(city: City) -> None:
    city.build()
    first = city.current
    city.write([make_event("a", id=WALK)])
    city.site = SHOWN.replace("Harbor", "Lakeside")
    city.build()
    assert read_numbers(city) == {"seattle": 1}
    roll_back(
        city.store, current=city.current, target=first, stamp=LATER, today={"seattle": date(2026, 8, 10)},
        cache=city.cache,
    )  # fmt: skip
    assert read_numbers(city) == {"seattle": 2}
    assert "Lakeside for families" in read_page(city)


def test_a_publish_that_makes_no_pages_keeps_those_that_there_are(city: City) -> None:
    city.build()
    site = city.current.root.site
    publish(city.store, base=city.current.root, parts={}, changes=[], feeds={}, now=LATER)
    assert city.current.root.site == site


def test_a_publish_after_another_metros_shows_both(city: City) -> None:
    """The home page is made again for each attempt, of the parts that will be current."""
    city.build()
    city.add_metro("boston", "America/New_York")
    city.build(metros=["boston"])
    made = compose_site(city.store)(city.current.root.parts, city.current.root.site)
    assert (made.site, made.objects) == (city.current.root.site, ())


def test_a_publish_reads_each_manifest_once_however_many_attempts_it_takes(
    city: City, monkeypatch: pytest.MonkeyPatch
) -> None:
    city.add_metro("boston", "America/New_York")
    city.build()
    parts, site = city.current.root.parts, city.current.root.site
    names: list[str] = []
    store = city.store
    get = store.get

    def record(name: str) -> bytes:
        names.append(name)
        return get(name)

    monkeypatch.setattr(store, "get", record)
    make_site = compose_site(store)
    for _ in range(3):
        make_site(parts, site)
    assert [names.count(object_name(part.manifest)) for part in parts.values()] == [1, 1]


def test_a_prune_keeps_the_pages_of_kept_releases_alone(city: City) -> None:
    city.build()
    old = set(list_references(city.store, city.current.root))
    city.site = SHOWN.replace("Harbor", "Lakeside")
    city.build("2026-08-11")
    kept = set(list_references(city.store, city.current.root))
    prune(city.store, keep_days=0.0, now=datetime.now(UTC).timestamp() + YEARS, is_clock_right=True)
    assert all(city.has_object(sha) for sha in kept)
    assert not any(city.has_object(sha) for sha in old - kept)
    assert "Lakeside for families" in read_page(city)
    assert verify_releases(city.store, trust=ANYBODY).releases


def test_words_of_the_operators_own_replace_those_of_the_program(city: City) -> None:
    (city.folder / "words.toml").write_text('[home]\nheading = "Was Familien unternehmen"\n')
    city.site = SHOWN + 'language = "es"\nwords = "words.toml"\n'
    city.build()
    assert ">Was Familien unternehmen</h2>" in read_page(city)
    assert "<h1>Qué hacer este fin de semana</h1>" in read_page(city)


def test_a_word_that_no_page_has_is_refused(city: City) -> None:
    (city.folder / "words.toml").write_text('[home]\nheadline = "Hello"\n')
    city.site = SHOWN + 'words = "words.toml"\n'
    with pytest.raises(SiteSettingsError, match=r"words\.toml has home\.headline"):
        city.build()


def test_a_colour_of_the_operators_own_can_be_read_on_light_and_on_dark(city: City) -> None:
    city.site = SHOWN + 'colors = { accent = "#ffd400" }\n'
    city.build()
    files: dict[str, SiteFile] = dict(city.open().site)
    (style,) = [file.read(b"").decode() for path, file in files.items() if path.startswith("assets/colors.")]
    light, dark, light_tint, dark_tint = re.findall(r"#[0-9a-f]{6}", style)
    pairs = [(light, "#ffffff"), (light, light_tint), (dark, "#16191c"), (dark, dark_tint)]
    assert [pair for pair in pairs if find_contrast(*pair) < 4.5] == []


def find_contrast(first: str, second: str) -> float:
    """Compute the contrast by WCAG 2's definition, without the program."""

    def weigh(color: str) -> float:
        shares = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return sum(share * weight for share, weight in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    dark, light = sorted((weigh(first), weigh(second)))
    return (light + 0.05) / (dark + 0.05)


def test_both_codings_of_a_file_have_the_same_bytes(city: City) -> None:
    city.build()
    for file in city.open().site.values():
        plain = file.read(b"")
        assert gzip.decompress(file.read(b"gzip")) == plain
        assert brotli.decompress(file.read(b"br")) == plain
        assert len(plain) == file.extents.size


def make_area(name: str, west: float) -> dict[str, Any]:
    """A square with a jagged edge, which it shares with the next one to the east."""
    east = [[round(west + 0.1 + 1e-5 * (step % 2), 5), 47 + step / 100] for step in range(11)]
    before = [[round(x - 0.1, 5), y] for x, y in reversed(east)]
    ring = [*east, *before, east[0]]
    return {"type": "Feature", "properties": {"name": name}, "geometry": {"type": "Polygon", "coordinates": [ring]}}


def test_the_map_has_simpler_outlines_that_share_borders_and_outlive_takedown_and_rollback(city: City) -> None:
    city.map = {"type": "FeatureCollection", "features": [make_area("Low", -122.4), make_area("High", -122.3)]}
    city.build()
    first = city.current
    outlines = json.loads(read_page(city, "cities/seattle/outlines.json"))
    low, high = sorted(outlines["features"], key=lambda feature: feature["properties"]["at"][1])
    assert (low["properties"]["name"], high["properties"]["name"]) == ("Low", "High")
    rings = [{tuple(point) for point in item["geometry"]["coordinates"][0][0]} for item in (low, high)]
    assert max(map(len, rings)) < 8  # of 22
    assert len(rings[0] & rings[1]) >= 2
    assert low["properties"]["at"] == pytest.approx([47.05, -122.35], abs=0.01)
    take_down(city.store, [WALK], reason="asked", now=LATER, cache=city.cache)
    assert json.loads(read_page(city, "cities/seattle/outlines.json")) == outlines
    today = {"seattle": date(2026, 8, 10)}
    roll_back(city.store, current=city.current, target=first, stamp=LATER, today=today, cache=city.cache)
    assert json.loads(read_page(city, "cities/seattle/outlines.json")) == outlines


def test_a_city_without_polygons_has_a_map_without_outlines(city: City) -> None:
    city.build()
    assert json.loads(read_page(city, "cities/seattle/outlines.json"))["features"] == []


def test_a_base_map_is_published_once_and_leaves_with_its_setting(city: City) -> None:
    path = write_basemap(city.folder / "harbor.pmtiles", lat=47.6, lng=-122.3)
    city.site = f'{SHOWN}basemap = "harbor.pmtiles"\n'
    city.build()
    (name,) = [entry for entry in city.open().site if entry.endswith(".pmtiles")]
    assert city.open().site[name].read(b"") == path.read_bytes()
    page = read_page(city, "explore/")
    assert f'data-tiles="../{name}" data-zoom="11" data-credit="© The survey of &amp; for Harbor"' in page
    sha = hash_of(path.read_bytes())
    assert sha in set(list_references(city.store, city.current.root))
    take_down(city.store, [WALK], reason="asked", now=LATER, cache=city.cache)
    assert name in city.open().site
    city.build("2026-08-11")
    assert city.build("2026-08-11").objects.written == 0
    city.site = SHOWN
    city.build("2026-08-12")
    assert sha not in set(list_references(city.store, city.current.root))
    assert "data-tiles" not in read_page(city, "explore/")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "No such file or directory"),
        (b"PK not a map" * 20, "it is no PMTiles file of version 3"),
        (b"PMTiles\x03" + bytes(120), "its tiles are no vector tiles"),
    ],
)
def test_a_file_that_is_no_base_map_is_named_with_its_setting(city: City, content: bytes | None, reason: str) -> None:
    if content is not None:
        (city.folder / "harbor.pmtiles").write_bytes(content)
    city.site = f'{SHOWN}basemap = "harbor.pmtiles"\n'
    with pytest.raises(SiteSettingsError, match=rf"^\[site\] basemap: .*harbor\.pmtiles .*{reason}"):
        city.build()
