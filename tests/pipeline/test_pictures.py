"""Pictures of listings: whose are fetched, what is made of them, and when they leave."""

import json
import os
import re
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
from outings.release.manifest import list_references
from outings.release.pointer import list_releases
from outings.release.site import WEBP, Picture, locate_picture
from outings.release.store import hash_of
from outings.release.trust import ANYBODY
from outings.release.verifying import verify_releases
from pipeline.fetch.pictures import fetch_pictures
from pipeline.publish.rollback import roll_back
from pipeline.publish.takedown.takedown import take_down
from tests.pipeline.city import City, make_event
from tests.pipeline.fetch.web import PATIENT, Page, Web, serve_web

pytestmark = pytest.mark.slow("each makes pictures small in two sizes")

WALK = "0d5c0000-0000-4000-8000-0000000000a1"
SWIM = "0d5c0000-0000-4000-8000-0000000000a2"


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


def read_pictures(city: City) -> dict[str, Picture]:
    """Return the pictures of the current release by id, and ensure that its files are those."""
    pictures = dict(city.open().pictures)
    files = {path for path, file in city.open().site.items() if file.media == WEBP}
    assert files == {
        locate_picture("seattle", listing, is_large=large) for listing in pictures for large in (False, True)
    }
    return pictures


def list_picture_objects(city: City) -> set[str]:
    return {reduced.object for one in read_pictures(city).values() for reduced in (one.small, one.large)}


def fetch(web: Web, *names: str, hosts: tuple[str, ...] = ()) -> set[str]:
    """Return the names of the pictures that can be had."""
    host = web.url.removeprefix("http://")
    addresses = [name if "://" in name else f"{web.url}/{name}" for name in names]
    had = fetch_pictures(hosts or (host,), addresses, lambda data: f"{len(data):064}", policy=PATIENT)
    return {name for name, address in zip(names, addresses, strict=True) if address in had}


def test_pictures_are_reduced_to_two_sizes_without_metadata_and_a_rebuild_writes_the_same_bytes(
    city: City, web: Web, tmp_path: Path
) -> None:
    assert build(city) == "metro seattle: built; pictures: 2, and 0 that could not be fetched"
    assert {
        listing: [(reduced.width, reduced.height) for reduced in (picture.small, picture.large)]
        for listing, picture in read_pictures(city).items()
    } == {WALK: [(160, 107), (640, 427)], SWIM: [(53, 160), (100, 300)]}
    release = city.open()
    for listing, picture in release.pictures.items():
        for reduced, is_large in ((picture.small, False), (picture.large, True)):
            file = release.site[locate_picture("seattle", listing, is_large=is_large)]
            assert (file.media, file.sha256) == ("image/webp", reduced.object)
            with Image.open(BytesIO(file.read(b""))) as made:
                assert (made.format, made.size) == ("WEBP", (reduced.width, reduced.height))
                assert not made.getexif()
    assert list_picture_objects(city) <= set(list_references(city.store, city.current.root))
    assert f"data-pictures='[\"{web.url.removeprefix('http://')}\"]'" in release.site["explore/"].read(b"").decode()
    assert verify_releases(city.store, trust=ANYBODY).releases
    ran = CliRunner().invoke(main, ["site", str(tmp_path / "pages"), "-c", str(city.folder / "outings.toml")])
    assert ran.exit_code == 0, ran.output
    with Image.open(tmp_path / "pages/cities/seattle/pictures" / f"{SWIM}-large.webp") as made:
        assert made.size == (100, 300)
    (tmp_path / "again").mkdir()
    again = City(tmp_path / "again")
    again.site = city.site
    again.write(json.loads(line) for line in (city.folder / "samples.ndjson").read_text().splitlines())
    build(again)  # from nothing
    assert again.current.root.parts == city.current.root.parts


def test_what_cannot_be_fetched_is_counted_and_what_the_previous_release_has_is_not_fetched_again(
    city: City, web: Web
) -> None:
    with serve_web() as gone:
        address = gone.url
    allow(city, web.url.removeprefix("http://"), address.removeprefix("http://"))
    lines = (city.folder / "samples.ndjson").read_text().splitlines()
    city.write([*lines, make_event("c", image_url=f"{address}/gone.jpg")])
    swim = web.pages.pop("/swim.png")
    assert build(city) == "metro seattle: built; pictures: 1, and 2 that could not be fetched"
    assert read_pictures(city).keys() == {WALK}
    web.pages["/swim.png"] = swim
    assert build(city, "2026-08-11") == "metro seattle: built; pictures: 2, and 1 that could not be fetched"
    assert web.targets.count("/walk.jpg") == 1


def test_nothing_is_fetched_where_the_setting_does_not_name_the_host(city: City, web: Web) -> None:
    allow(city, "images.example.org")
    assert build(city) == "metro seattle: built; pictures: 0, and 0 that could not be fetched"
    assert web.targets == []
    assert read_pictures(city) == {}


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


def test_a_picture_is_upright_and_the_first_of_a_moving_one(web: Web) -> None:
    turned, moving = BytesIO(), BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held upright
    Image.new("RGB", (300, 200)).save(turned, "JPEG", exif=exif)
    first, second = Image.new("P", (40, 30), 0), Image.new("P", (40, 30), 1)
    first.save(moving, "GIF", save_all=True, append_images=[second])
    web.pages |= {"/turned": Page(turned.getvalue()), "/moving": Page(moving.getvalue())}
    made: dict[str, bytes] = {}

    def put(data: bytes) -> str:
        made[hash_of(data)] = data
        return hash_of(data)

    addresses = [f"{web.url}/turned", f"{web.url}/moving"]
    had = fetch_pictures([web.url.removeprefix("http://")], addresses, put, policy=PATIENT)
    assert [(had[one].large.width, had[one].large.height) for one in addresses] == [(200, 300), (40, 30)]
    assert not any(b"ANIM" in data for data in made.values())


def test_a_decoder_that_crashes_costs_only_the_picture(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Image, "open", lambda *_, **__: os.abort())
    assert fetch(web, "walk.jpg") == set()


def test_what_is_no_picture_or_too_large_is_left_out(web: Web) -> None:
    web.pages |= {
        "/drawing.svg": Page(b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90"/>'),
        "/page": Page(b"<html>not a picture</html>"), "/cut": Page(draw()[:400]), "/dot": Page(draw(1, 1)),
        "/bomb": Page(draw(8_000, 8_000, kind="PNG", mode="1")), "/heavy": Page(bytes(10_000_001)),
    }  # fmt: skip
    assert fetch(web, "drawing.svg", "page", "cut", "dot", "bomb", "heavy", "walk.jpg") == {"walk.jpg"}


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
    assert read_pictures(city).keys() == {SWIM}
    roll_back(
        city.store, current=city.current, target=first, stamp=datetime(2026, 8, 11, 18, tzinfo=UTC),
        today={"seattle": date(2026, 8, 11)}, cache=city.cache,
    )  # fmt: skip
    assert read_pictures(city).keys() == {WALK, SWIM}
    assert list_picture_objects(city) == both
    take_down(city.store, [WALK], reason="asked", now=datetime(2026, 8, 11, 19, tzinfo=UTC), cache=city.cache)
    assert read_pictures(city).keys() == {SWIM}
    assert list_picture_objects(city) < both
    roll_back(
        city.store, current=city.current, target=list(list_releases(city.store))[1],
        stamp=datetime(2026, 8, 11, 20, tzinfo=UTC), today={"seattle": date(2026, 8, 11)}, cache=city.cache,
    )  # fmt: skip
    assert read_pictures(city).keys() == {SWIM}
    assert len(web.targets) == 2
    assert verify_releases(city.store, trust=ANYBODY).releases


def test_a_missing_extra_is_named(city: City, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    message = "[site] pictures: this needs the extra `pictures`, which is not installed"
    with pytest.raises(SiteSettingsError, match=f"^{re.escape(message)}"):
        city.build()
    checked = CliRunner().invoke(main, ["check", "-c", str(city.folder / "outings.toml")])
    assert checked.exit_code != 0
    assert message in checked.output


def test_a_host_is_stated_without_a_scheme(city: City) -> None:
    allow(city, "https://images.example.org/")
    with pytest.raises(ConfigurationError, match=r"without https://"):
        city.build()
