"""Pictures of listings: whose are fetched, what is made of them, and when they leave."""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from command import main
from outings.configuration import ConfigurationError
from outings.pages.settings import SiteSettingsError
from outings.release.manifest import list_references, read_manifest
from outings.release.pointer import list_releases
from outings.release.site import Picture
from outings.release.trust import ANYBODY
from outings.release.verifying import verify_releases
from pipeline.fetch.pictures import fetch_pictures
from pipeline.publish.rollback import roll_back
from pipeline.publish.takedown.takedown import take_down
from tests.pipeline.city import City, make_event
from tests.pipeline.fetch.web import PATIENT, Page, Web, serve_web

WALK = "0d5c0000-0000-4000-8000-0000000000a1"
SWIM = "0d5c0000-0000-4000-8000-0000000000a2"
INDEX = "cities/seattle/pictures.json"


def draw(width: int = 1200, height: int = 800, *, kind: str = "JPEG", mode: str = "RGB") -> bytes:
    target = BytesIO()
    exif = Image.Exif()
    exif[0x0131] = "a camera that says where it was"
    Image.new(mode, (width, height), 80).save(target, kind, **({"exif": exif} if kind == "JPEG" else {}))
    return target.getvalue()


@pytest.fixture
def web() -> Iterator[Web]:
    with serve_web() as served:
        served.pages["/walk.jpg"] = Page(draw())
        served.pages["/swim.png"] = Page(draw(100, 300, kind="PNG", mode="RGBA"))
        yield served


@pytest.fixture
def city(tmp_path: Path, web: Web) -> City:
    city = City(tmp_path)
    allow(city, web.url.removeprefix("http://"))
    city.write([
        make_event("a", id=WALK, image_url=f"{web.url}/walk.jpg"),
        make_event("b", id=SWIM, image_url=f"{web.url}/swim.png"),
        make_event("for adults", audience="adults", image_url=f"{web.url}/bar.jpg"),
        make_event("not yet", status="draft", image_url=f"{web.url}/draft.jpg"),
    ])  # fmt: skip
    return city


def allow(city: City, *hosts: str) -> None:
    city.site = f'[site]\nkey = "a-key-for-all"\npictures = {json.dumps(hosts)}\n'


def build(city: City, day: str = "2026-08-10") -> str:
    """Return what is said of the metro."""
    lines: list[str] = []
    city.build(day, progress=lines.append)
    (line,) = [line for line in lines if line.startswith("metro seattle: built")]
    return line.removesuffix(" (1 of 1)")


def read_index(city: City) -> dict[str, tuple[str, int, int]]:
    return {row_id: tuple(entry) for row_id, entry in json.loads(city.open().site[INDEX].read(b"")).items()}


def read_pictures(city: City) -> dict[str, Picture]:
    site = read_manifest(city.store, city.current.root.parts["seattle"].manifest).site
    assert site is not None
    return dict(site.pictures)


def list_picture_objects(city: City) -> set[str]:
    return {thumbnail.object for one in read_pictures(city).values() for thumbnail in (one.small, one.large)}


def fetch(web: Web, *names: str, hosts: tuple[str, ...] = ()) -> set[str]:
    """Return the names of the pictures that can be had."""
    host = web.url.removeprefix("http://")
    addresses = [name if "://" in name else f"{web.url}/{name}" for name in names]
    had = fetch_pictures(hosts or (host,), addresses, lambda data: f"{len(data):064}", policy=PATIENT)
    return {name for name, address in zip(names, addresses, strict=True) if address in had}


def test_pictures_are_made_small_at_two_sizes_without_what_their_files_say_besides(
    city: City, web: Web, tmp_path: Path
) -> None:
    assert build(city) == "metro seattle: built; pictures: 2, and 0 that could not be had"
    assert {row_id: size for row_id, (_, *size) in read_index(city).items()} == {WALK: [160, 107], SWIM: [53, 160]}
    for picture in read_pictures(city).values():
        for thumbnail in (picture.small, picture.large):
            file = city.open().site[thumbnail.path]
            assert (file.media, file.sha256) == ("image/webp", thumbnail.object)
            with Image.open(BytesIO(file.read(b""))) as made:
                assert (made.format, made.size) == ("WEBP", (thumbnail.width, thumbnail.height))
                assert not made.getexif()
    assert read_pictures(city)[f"{web.url}/walk.jpg"].large.width == 640
    assert read_pictures(city)[f"{web.url}/swim.png"].large.width == 100
    assert list_picture_objects(city) <= set(list_references(city.store, city.current.root))
    assert 'data-pictures="../"' in city.open().site["explore/"].read(b"").decode()
    assert verify_releases(city.store, trust=ANYBODY).releases
    ran = CliRunner().invoke(main, ["site", str(tmp_path / "pages"), "-c", str(city.folder / "outings.toml")])
    assert ran.exit_code == 0, ran.output
    for path, *size in read_index(city).values():
        with Image.open(tmp_path / "pages" / path) as made:
            assert [*made.size] == size


def test_a_picture_of_the_previous_release_is_not_fetched_again_and_a_rebuild_has_the_same_bytes(
    city: City, web: Web, tmp_path: Path
) -> None:
    build(city)
    first = city.current.root.parts["seattle"].manifest
    assert sorted(web.targets) == ["/swim.png", "/walk.jpg"]
    build(city, "2026-08-11")
    assert len(web.targets) == 2
    (tmp_path / "again").mkdir()
    again = City(tmp_path / "again")
    again.site = city.site
    again.write(json.loads(line) for line in (city.folder / "samples.ndjson").read_text().splitlines())
    build(again)
    assert again.current.root.parts["seattle"].manifest == first


def test_what_cannot_be_had_is_left_out_and_counted_and_what_is_had_stays(city: City, web: Web) -> None:
    with serve_web() as gone:
        address = gone.url
    allow(city, web.url.removeprefix("http://"), address.removeprefix("http://"))
    lines = (city.folder / "samples.ndjson").read_text().splitlines()
    city.write([*lines, make_event("c", image_url=f"{address}/gone.jpg")])
    swim = web.pages.pop("/swim.png")
    assert build(city) == "metro seattle: built; pictures: 1, and 2 that could not be had"
    assert read_index(city).keys() == {WALK}
    web.pages["/swim.png"] = swim
    assert build(city, "2026-08-11") == "metro seattle: built; pictures: 2, and 1 that could not be had"
    assert web.targets.count("/walk.jpg") == 1


def test_nothing_is_fetched_where_the_setting_does_not_name_the_host(city: City, web: Web) -> None:
    city.site = '[site]\nkey = "a-key-for-all"\n'
    assert build(city) == "metro seattle: built"
    allow(city, "images.example.org")
    assert build(city) == "metro seattle: built; pictures: 0, and 0 that could not be had"
    assert web.targets == []
    assert read_index(city) == {}


def test_a_redirect_leads_only_to_hosts_that_are_named(web: Web) -> None:
    with serve_web() as other:
        other.pages["/a.jpg"] = Page(draw())
        for name, target in (("near", f"{web.url}/walk.jpg"), ("far", f"{other.url}/a.jpg")):
            web.pages[f"/{name}"] = Page(status=302, headers={"Location": target})
        assert fetch(web, "near", "far") == {"near"}
        assert other.targets == []


def test_a_name_does_not_lead_into_a_private_network(web: Web) -> None:
    port = web.url.rpartition(":")[2]
    named = f"http://localhost:{port}/walk.jpg"
    web.pages["/in"] = Page(status=302, headers={"Location": named})
    assert fetch(web, named, "in", hosts=(f"localhost:{port}", f"127.0.0.1:{port}")) == set()
    assert web.targets == ["/in"]
    assert fetch(web, f"http://user@127.0.0.1:{port}/walk.jpg") == set()


def test_what_is_no_picture_or_too_large_is_left_out(web: Web) -> None:
    web.pages |= {
        "/page": Page(b"<html>not a picture</html>"), "/cut": Page(draw()[:400]), "/dot": Page(draw(1, 1)),
        "/bomb": Page(draw(8_000, 8_000, kind="PNG", mode="1")), "/heavy": Page(bytes(10_000_001)),
    }  # fmt: skip
    assert fetch(web, "page", "cut", "dot", "bomb", "heavy", "walk.jpg") == {"walk.jpg"}


def test_a_host_that_fails_is_left_alone(web: Web) -> None:
    names = [f"{number}.jpg" for number in range(30)]
    web.pages |= {f"/{name}": Page(status=503) for name in names}
    assert fetch(web, *names) == set()
    # Four at once, each of three attempts, until three have failed; what was under way then ends.
    assert len(set(web.targets)) <= 7


def test_pictures_leave_with_their_listing_and_come_back_with_it(city: City, web: Web) -> None:
    build(city)
    first, both = city.current, list_picture_objects(city)
    city.write([make_event("b", id=SWIM, image_url=f"{web.url}/swim.png")])
    city.build("2026-08-11", allow_shrink=True)
    assert read_index(city).keys() == {SWIM}
    roll_back(
        city.store, current=city.current, target=first, stamp=datetime(2026, 8, 11, 18, tzinfo=UTC),
        today={"seattle": date(2026, 8, 11)}, cache=city.cache,
    )  # fmt: skip
    assert read_index(city).keys() == {WALK, SWIM}
    assert list_picture_objects(city) == both
    take_down(city.store, [WALK], reason="asked", now=datetime(2026, 8, 11, 19, tzinfo=UTC), cache=city.cache)
    assert read_index(city).keys() == {SWIM}
    assert list_picture_objects(city) < both
    roll_back(
        city.store, current=city.current, target=list(list_releases(city.store))[1],
        stamp=datetime(2026, 8, 11, 20, tzinfo=UTC), today={"seattle": date(2026, 8, 11)}, cache=city.cache,
    )  # fmt: skip
    assert read_index(city).keys() == {SWIM}
    assert len(web.targets) == 2
    assert verify_releases(city.store, trust=ANYBODY).releases


def test_a_missing_extra_is_named(city: City, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(SiteSettingsError, match=r"^\[site\] pictures: the extra `pictures` is not installed"):
        city.build()


def test_a_host_is_stated_without_a_scheme(city: City) -> None:
    allow(city, "https://images.example.org/")
    with pytest.raises(ConfigurationError, match=r"without https://"):
        city.build()
