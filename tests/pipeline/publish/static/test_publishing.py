"""A static tree: the bytes that the API gives a public key, nothing that such a key may not read, only what changed."""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape
from itertools import chain, zip_longest
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import boto3
import polars as pl
import pytest
from openapi_spec_validator import validate

from edge.app import Edge
from outings.contract.routes import match_route
from outings.contract.static_files import INDEX, name_file
from outings.failures import GuardRefusal
from outings.release.s3 import S3Store
from pipeline.publish.static.hosts import FolderHost, HostFile, S3Host
from pipeline.publish.static.publishing import MANIFEST
from pipeline.publish.takedown.takedown import take_down
from tests.conftest import ROOT
from tests.contract.static_requests import parse_file
from tests.edge.asking import ask
from tests.edge.sample_edge import DAY, add_client, make_edge
from tests.pipeline.city import City, Record, make_event, make_place
from tests.pipeline.publish.static.trees import publish, read_tree


def read_index(folder: Path) -> Any:
    return json.loads((folder / INDEX).read_bytes())


def check_index(folder: Path) -> None:
    """Check that the index has the size and the hash of each file beside it."""
    files = {name: data for name, data in read_tree(folder).items() if name != INDEX}
    described = {name: {"size": len(data), "sha256": sha256(data).hexdigest()} for name, data in files.items()}
    assert read_index(folder)["files"] == described


def list_requests(index: Any) -> Iterator[tuple[str, list[str]]]:
    for listed in (index["requests"], *(metro["requests"] for metro in index["metros"].values())):
        yield from ((item["request"], item["files"]) for item in listed)


def draw_requests(listed: list[tuple[str, list[str]]], count: int) -> list[tuple[str, list[str]]]:
    """Requests of every route, as many of each as there are, as far as `count` allows."""
    by_route = defaultdict(list)
    for value in Random(1).sample(listed, len(listed)):
        match = match_route(value[0].partition("?")[0])
        assert match is not None
        by_route[match.route.name].append(value)
    turns = zip_longest(*by_route.values())
    return list(filter(None, chain.from_iterable(turns)))[:count]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Edge, str, Path]]:
    """An edge over two cities, a public key, and the tree of the same release on the same day."""
    folder = tmp_path_factory.mktemp("static")
    edge = make_edge(folder)
    city = City(folder)
    publish(city, FolderHost(folder / "tree"), day=DAY.isoformat(), requests=("/v1/seattle/events?audience=adults",))
    yield edge, add_client(folder, edge, plan="standard"), folder / "tree"
    edge.close()


# What the API makes of listings for adults alone too.
WITHOUT_ADULTS = {"coverage", "neighborhoods", "changes", "export", "export.file"}


@pytest.mark.xdist_group("static")  # one edge for all
@pytest.mark.parametrize("count", [400, pytest.param(2_000, marks=pytest.mark.long)])
def test_every_file_that_the_index_lists_is_the_apis_body(sample: tuple[Edge, str, Path], count: int) -> None:
    edge, key, folder = sample
    index, tree = read_index(folder), read_tree(folder)
    listed = list(list_requests(index))
    for request, files in draw_requests(listed, count):
        match = match_route(request.partition("?")[0])
        assert match is not None
        for file in files if match.route.name not in WITHOUT_ADULTS else ():
            assert tree[file] == ask(edge, parse_file(file), key=key).read_body(), file
            assert parse_file(file).partition("?")[0] == request.partition("?")[0]
    assert {slug: metro["date"] for slug, metro in index["metros"].items()} == dict.fromkeys(
        ("new-york", "seattle"), DAY.isoformat()
    )
    named = {file for _, files in listed for file in files}
    folders = ("assets/", "cities/", "explore/", "seattle/", "new-york/")
    pages = {name for name in tree if name.startswith(folders) or "/explorer/" in name}
    assert tree.keys() - named - pages == {
        INDEX, "404.json", "_headers", ".nojekyll", "openapi.json", "index.html", "404.html", "favicon.ico",
        "manifest.json", "robots.txt", "developers/index.html",
    }  # fmt: skip


@pytest.mark.xdist_group("static")  # one edge for all
def test_the_usual_requests_are_there(sample: tuple[Edge, str, Path]) -> None:
    _, _, folder = sample
    requests = dict(list_requests(read_index(folder)))
    events = json.loads((folder / "v1/seattle/events.json").read_bytes())["data"]
    event = events[0]
    place = next(event["place"]["id"] for event in events if event["place"])
    organization = next(event["organization"]["id"] for event in events if event["organization"]["id"])
    for request in (
        "/v1/metros", "/v1/seattle/places", "/v1/new-york/classes", "/v1/seattle/coverage", "/v1/seattle/organizations",
        "/v1/seattle/events?facets=category&limit=0", "/v1/seattle/events/calendar?from=2026-10-01&to=2026-10-31",
        "/v1/seattle/events?from=2026-08-10&to=2026-08-10", "/v1/seattle/events?from=2026-08-24&to=2026-08-24",
        "/v1/seattle/events?from=2026-08-15&to=2026-08-16",
        "/v1/seattle/events?free=true", "/v1/seattle/events?audience=adults",
        f"/v1/seattle/events?category={event['categories'][0]}",
        f"/v1/events/{event['id']}",
        f"/v1/places/{place}/events", f"/v1/organizations/{organization}",
    ):  # fmt: skip
        assert request in requests, request
        assert requests[request][0] == name_file(request)
    # One with listings in both cities has a list in each.
    shared = f"/v1/organizations/{organization}/events"
    assert requests.keys() & {shared, f"{shared}?metro=seattle"}


@pytest.fixture
def city(tmp_path: Path) -> City:
    city = City(tmp_path, has_pages=True)
    events = [make_event(f"e{number}", organization={"name": "Library"}) for number in range(60)]
    city.write([*events, *(make_place(f"p{number}") for number in range(8))])
    city.build()
    return city


HIDDEN = {
    "adult": {"name": "Burlesque night", "audience": "adults", "organization": {"name": "Cabaret"}},
    "draft": {"name": "Sketchy rehearsal", "status": "draft"},
    "archived": {"name": "Bygone picnic", "status": "archived", "reason": "cancelled"},
}


def find_word(tree: dict[str, bytes], word: str) -> list[str]:
    """The files that have a word in their name or, unpacked, in their bytes."""
    lower = word.lower().encode()
    return sorted(name for name, data in tree.items() if lower in name.lower().encode() + _unpack(name, data).lower())


def _unpack(name: str, data: bytes) -> bytes:
    return pl.read_parquet(data).write_json().encode() if name.endswith(".parquet") else data


def test_nothing_is_in_the_tree_that_a_public_key_does_not_list(tmp_path: Path) -> None:
    city, folder = City(tmp_path, has_pages=True), tmp_path / "tree"
    shown = [
        make_event("shown", name="Puppets"),
        make_event("secret", name="Xylophone"),
        make_event("gone", name="Quokka"),
    ]
    city.write([*shown, *(make_event(name, **members) for name, members in HIDDEN.items())])
    city.write([make_place("square", name="Agora")], feed="places")
    city.add_metro("boston", "America/New_York")
    city.write([make_event("elsewhere", name="Lobster")], feed="boston", metro="boston")
    city.build()
    city.write([*shown[:2], *(make_event(name, **members) for name, members in HIDDEN.items())])
    city.build(allow_shrink=True)
    done = publish(city, FolderHost(folder), metros=("seattle",))
    tree = read_tree(folder)
    for file in (
        "v1/seattle/events.json", "v1/seattle/events.ics", "v1/changes.json", "cities/seattle/index.html",
        "v1/seattle/export/places.parquet", "v1/seattle/export/places.jsonl",
    ):  # fmt: skip
        assert file in tree
    assert "v1/seattle/events.ics" in find_word(tree, "Xylophone")
    assert "v1/seattle/export/places.parquet" in find_word(tree, "Agora")
    assert find_word(tree, "Lobster") == find_word(tree, "Sketchy") == []
    assert find_word(tree, "Burlesque") == find_word(tree, "Cabaret") == []
    # The log names what is gone.
    assert find_word(tree, "Quokka") == ["v1/changes.json"]
    assert set(find_word(tree, "Bygone")) <= {"v1/changes.json"}
    assert "v1/seattle/export/events.parquet" in find_word(tree, "Xylophone")
    assert done.left_out == ()

    secret = city.ask("/v1/seattle/events?q=Xylophone")["data"][0]["id"]
    take_down(city.store, [secret], reason="asked", now=datetime(2026, 8, 11, tzinfo=UTC), cache=city.cache)
    publish(city, FolderHost(folder), metros=("seattle",))
    assert find_word(read_tree(folder), "Xylophone") == []

    publish(city, FolderHost(folder), metros=("seattle",), requests=("/v1/seattle/events?audience=adults",))
    adults = "v1/seattle/events/audience=adults.json"
    (shown,) = json.loads((folder / adults).read_bytes())["data"]
    assert {adults, f"v1/events/{shown['id']}.json"} <= {*find_word(read_tree(folder), "Burlesque")}
    assert find_word(read_tree(folder), "Sketchy") == []


def make_adults_only() -> tuple[list[Record], list[Record]]:
    """Events and places for adults alone that say what no other listing says, or the same otherwise."""
    night: Record = {"audience": "adults", "starts_local": "2026-08-15T23:30:00", "price": {"min": 40.0}}
    bar = {"neighborhood": "Soggy Dell", "lat": 47.2, "lng": -122.7}
    hill = {"neighborhood": "MAPLE HILL", "lat": 47.9, "lng": -122.9}
    velvet = {"neighborhood": "Vesper Row", "lat": 47.7, "lng": -122.4, "address": "9 Velvet Street", "zip": "98177"}
    cabaret, library = {"name": "Cabaret"}, {"name": "Library"}
    events = [
        make_event("a", name="Burlesque", organization=cabaret, location=velvet, categories=["food_cooking"], **night),
        make_event("b", name="Wine tassels", organization=library, place={"source_id": "bar"}, **night),
        *(make_event(f"c{number}", name="Wine", organization=library, location=hill, **night) for number in range(2)),
    ]
    return events, [make_place("bar", name="Dive bar", audience="adults", location={"address": "5 Murk Road", **bar})]


def test_listings_for_adults_alone_move_nothing_in_the_tree_but_ids_of_releases_and_versions(tmp_path: Path) -> None:
    maple = {"neighborhood": "Maple Hill", "lat": 47.61, "lng": -122.31}
    shown = [make_event("s", name="Puppets", organization={"name": "Library"}, location=maple),
        make_event("t", name="Kite", place={"source_id": "square"})]  # fmt: skip
    trees, released = [], []
    for name, (events, places) in {"plain": ([], []), "with": make_adults_only()}.items():
        city, folder = City(tmp_path / name, has_pages=True), tmp_path / name / "tree"
        city.folder.mkdir()
        city.add_metro("boston", "America/New_York")
        city.write([*events, *shown])
        square = make_place("square", name="Agora", location={"neighborhood": "Heron Flats"})
        city.write([*places, square], feed="places")
        lobster = make_event("l", name="Lobster", organization={"name": "Cabaret"})
        city.write([*events, lobster], feed="b", metro="boston")
        city.build()
        publish(city, FolderHost(folder))
        trees.append(read_tree(folder))
        released.append(city.current.id)
    plain, other = trees
    assert plain.keys() == other.keys()
    differing = [file for file in plain if hide_ids(plain[file], *released) != hide_ids(other[file], *released)]
    assert differing == []
    for word in ("Burlesque", "tassels", "Soggy", "Vesper", "Murk", "Velvet"):
        assert find_word(other, word) == []


def hide_ids(data: bytes, *releases: str) -> bytes:
    """Leave out what a tree's reader sees move: the id of the release, the numbers of versions, and so their hashes."""
    numbers = rb'"(version_id|latest_version_id|next_cursor|size)":\d+|"sha256":"[0-9a-f]{64}"'
    return re.sub("|".join(releases).encode(), b"", re.sub(numbers, b"", data))


def test_a_second_build_writes_only_what_names_its_release(city: City, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    first = publish(city, FolderHost(folder))
    assert set(first.written) == read_tree(folder).keys()
    check_index(folder)
    again = publish(city, FolderHost(folder))
    assert (again.written, again.deleted) == ((), ())
    city.build()
    same = publish(city, FolderHost(folder))
    assert set(same.written) == {INDEX, "v1/seattle/coverage.json"}
    assert read_index(folder)["release"] == city.current.id


def test_of_details_only_those_that_changed_are_written(city: City, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    publish(city, FolderHost(folder))
    events = [make_event(f"e{number}", organization={"name": "Library"}) for number in range(60)]
    events[7] |= {"description": "Another walk."}
    city.write([*events, *(make_place(f"p{number}") for number in range(7))])
    city.build()
    done = publish(city, FolderHost(folder))
    details = [name for name in done.written if name.startswith(("v1/events/", "v1/places/"))]
    assert sorted({name.split("/")[1] for name in details}) == ["events"]
    assert len(details) == 1
    assert len([name for name in done.deleted if name.startswith("v1/places/")]) == 1


def test_a_listings_calendar_gets_a_date_when_builds_list_its_day(tmp_path: Path) -> None:
    city, folder = City(tmp_path, has_pages=True), tmp_path / "tree"
    city.write([make_event("walk", starts_local="2026-11-01T10:00:00", rdates=["2027-09-20T10:00:00"])])
    found = []
    for day in ("2026-08-10", "2026-08-20"):
        city.build(day)
        publish(city, FolderHost(folder), day=day)
        (calendar,) = folder.glob("seattle/events/*/*.ics")
        found.append(calendar.read_bytes().count(b":20270920T"))
    assert found == [0, 1]


@pytest.mark.long
def test_a_full_page_of_changes_stays_and_only_the_last_one_is_written(tmp_path: Path) -> None:
    city, folder = City(tmp_path, has_pages=True), tmp_path / "tree"
    # Names are unlike, so that none is taken for another's repeat. The number of the next version is a digit longer.
    events = [make_event(f"e{number}", name=f"Walk {number}") for number in range(999)]
    city.write(events)
    city.build()
    publish(city, FolderHost(folder))
    feed = dict(list_requests(read_index(folder)))["/v1/changes"]
    assert feed == ["v1/changes.json", *(f"v1/changes/cursor={number}.json" for number in (200, 400, 600, 800))]
    before = read_tree(folder)

    events[0] |= {"description": "Another walk."}
    city.write(events)
    city.build()
    done = publish(city, FolderHost(folder))
    assert [name for name in done.written if "changes" in name] == feed[-1:]
    check_index(folder)
    for file in feed:
        page = json.loads((folder / file).read_bytes())
        assert page["data"] == city.ask(parse_file(file))["data"]
        assert page["meta"]["has_more"] == (file != feed[-1])
        assert (folder / file).read_bytes() == (before[file] if file != feed[-1] else city.ask_bytes(parse_file(file)))

    gone = json.loads(before[feed[1]])["data"][0]
    take_down(city.store, [gone["listing_id"]], reason="asked", now=datetime(2026, 8, 11, tzinfo=UTC), cache=city.cache)
    done = publish(city, FolderHost(folder))
    assert {name for name in done.written if "changes" in name} == {feed[1], feed[-1], "v1/changes/cursor=1000.json"}
    assert [name for name, data in read_tree(folder).items() if gone["slug"].encode() + b'"' in data] == []


@pytest.mark.xdist_group("static")  # one edge for all
def test_the_document_has_the_routes_and_parameters_alone_that_files_answer(sample: tuple[Edge, str, Path]) -> None:
    _, _, folder = sample
    document = json.loads((folder / "openapi.json").read_bytes())
    validate(document)
    sent = {path: set[str]() for path in document["paths"]}
    for request, files in list_requests(read_index(folder)):
        match = match_route(request.partition("?")[0])
        assert match is not None
        for file in files:
            sent[match.route.path].update(name for name, _ in parse_qsl(parse_file(file).partition("?")[2]))
    shared = document["components"]["parameters"]
    for path, item in document["paths"].items():
        named = [
            shared[parameter["$ref"].rpartition("/")[2]] if "$ref" in parameter else parameter
            for parameter in item["get"]["parameters"]
        ]
        assert {item["name"] for item in named if item["in"] == "query"} == sent[path], path
        assert item["get"]["x-file"]["file"] == name_file(item["get"]["x-file"]["request"])
    assert not {"/v1/{metro}/search", "/v1/{metro}/nearby", "/metrics"} & document["paths"].keys()
    assert "security" not in document


@pytest.mark.xdist_group("static")  # one edge for all
def test_headers_say_of_each_file_once_how_long_it_is_good_and_no_longer_than_the_api(
    sample: tuple[Edge, str, Path],
) -> None:
    _, _, folder = sample
    rules = re.findall(r"(/.*)\n  (.*): (.*)\n", (folder / "_headers").read_text())
    assert len(rules) <= 100  # as many as Cloudflare Pages takes
    patterns = [(re.compile(re.sub(r":\w+", "[^/]+", re.escape(path).replace(r"\*", ".*").replace(r"\:", ":"))), *rule)
                for path, *rule in rules]  # fmt: skip
    for file in read_tree(folder):
        rules_of_file = [(name, value) for pattern, name, value in patterns if pattern.fullmatch(f"/{file}")]
        headers = dict(rules_of_file)
        assert len(headers) == len(rules_of_file), file
        assert headers["Access-Control-Allow-Origin"] == "*"
        match = match_route(parse_file(file).partition("?")[0]) if file.startswith("v1/") and file != INDEX else None
        if match is not None and match.route.max_age is None:
            assert headers["Cache-Control"] == "no-cache", file
        elif match is not None:
            most = int(headers["Cache-Control"].removeprefix("public, max-age="))
            assert most == match.route.max_age or (match.route.name.endswith(".slug") and most == 60), file


@pytest.mark.xdist_group("static")  # one edge for all
def test_pages_lead_only_to_files_that_are_there_and_ask_for_no_key(sample: tuple[Edge, str, Path]) -> None:
    _, key, folder = sample
    tree = read_tree(folder)
    pages = {name: data.decode() for name, data in tree.items() if name.endswith("index.html")}
    listings = {name for name in pages if name.startswith(("seattle/", "new-york/"))}
    assert len(listings) > 100
    cities = {f"cities/{slug}/{page}index.html" for slug in ("new-york", "seattle") for page in ("", "numbers/")}
    assert pages.keys() - listings == {"index.html", "explore/index.html", "developers/index.html", *cities}
    for name, text in pages.items():
        for link in re.findall(r'(?:href|src)="(?!https?:|geo:)([^"#?]+)', text):
            target = (folder / name).parent / unescape(link)
            assert (target / "index.html" if link.endswith("/") else target).resolve().is_file(), (name, link)
        assert "X-API-Key" not in text
        assert key not in text


class _SuddenDeath(BaseException):
    """An exception that the program does not catch."""


class _DyingHost(FolderHost):
    """Dies at the step of that number: after so many files are written or deleted."""

    def __init__(self, folder: Path, *, steps: int) -> None:
        super().__init__(folder)
        self._left = steps

    def _step(self, step: Any) -> Any:
        if self._left == 0:
            raise _SuddenDeath
        self._left -= 1
        return step

    def write(self, files: Iterable[HostFile]) -> None:
        super().write(map(self._step, files))

    def delete(self, names: Iterable[str]) -> None:
        super().delete(map(self._step, names))


@pytest.mark.long
def test_a_killed_writer_leaves_whole_files_and_the_next_build_completes_the_tree(city: City, tmp_path: Path) -> None:
    folder, twin = tmp_path / "tree", tmp_path / "twin"
    publish(city, FolderHost(folder))
    old = read_tree(folder)
    city.write([make_event("e1"), make_event("new"), *(make_place(f"p{number}") for number in range(8))])
    city.build(allow_shrink=True)
    steps = 0
    new = _publish_twin(city, twin)
    while True:
        try:
            publish(city, _DyingHost(folder, steps=steps), allow_shrink=True)
        except _SuddenDeath:
            tree = read_tree(folder)
            assert all(data in (old.get(name), new.get(name)) for name, data in tree.items())
            index = json.loads(tree[INDEX])
            if tree[INDEX] == new[INDEX]:  # what is listed is there, and was made before
                assert all(tree[file] == new[file] for _, files in list_requests(index) for file in files)
            steps += 1 + steps // 2
        else:
            break
    assert steps > 10
    assert read_tree(folder) == new


def _publish_twin(city: City, folder: Path) -> dict[str, bytes]:
    """The tree as a build without any before it makes it; the store then knows again what it knew."""
    stored = city.store.get(MANIFEST)
    path = city.folder / "var/store" / MANIFEST
    path.unlink()
    publish(city, FolderHost(folder))
    path.write_bytes(stored)
    return read_tree(folder)


@pytest.mark.long
def test_a_file_that_a_killed_writer_may_have_changed_is_written_again(city: City, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    publish(city, FolderHost(folder))
    before = read_tree(folder)
    with pytest.raises(_SuddenDeath):
        publish(city, _DyingHost(folder, steps=3), day="2026-08-11")
    assert read_tree(folder) != before
    publish(city, FolderHost(folder))
    assert read_tree(folder) == before


def test_a_kind_that_goes_beyond_max_objects_is_left_out_as_a_whole_and_named(city: City, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    done = publish(city, FolderHost(folder), max_objects=130)
    assert any(entry.startswith("seattle: calendar files: ") for entry in done.left_out)
    index = read_index(folder)
    files = {file for _, files in list_requests(index) for file in files}
    assert len(files) <= 130
    assert files <= read_tree(folder).keys()
    assert not [name for name in files if name.endswith(".ics")]
    assert [name for name in files if name.startswith("v1/events/")]


def test_a_tree_that_would_lose_more_than_half_is_not_touched(city: City, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    city.write([make_event(f"e{number}") for number in range(200)])
    city.build()
    publish(city, FolderHost(folder))
    before = read_tree(folder)
    city.write([make_event("e1")])
    city.build(allow_shrink=True)
    with pytest.raises(GuardRefusal, match="files would leave, which is more than half"):
        publish(city, FolderHost(folder))
    assert read_tree(folder) == before
    assert publish(city, FolderHost(folder), allow_shrink=True).deleted


@pytest.mark.long
def test_a_tree_that_somebody_emptied_is_written_whole(city: City, tmp_path: Path) -> None:
    publish(city, FolderHost(tmp_path / "tree"))
    done = publish(city, FolderHost(tmp_path / "other"))
    assert set(done.written) == read_tree(tmp_path / "other").keys()


class _RivalHost(FolderHost):
    """Another build publishes while this one writes its index."""

    def __init__(self, folder: Path, city: City) -> None:
        super().__init__(folder)
        self._city: City | None = city

    def write(self, files: Iterable[HostFile]) -> None:
        super().write(files)
        rival, self._city = self._city, None
        if rival is not None:
            rival.write([make_event(f"e{number}") for number in range(59)])
            rival.build()
            publish(rival, FolderHost(self._folder))


@pytest.mark.long
def test_whoever_is_overtaken_follows_the_newer_release(city: City, tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    publish(city, FolderHost(folder))
    publish(city, _RivalHost(folder, city), day="2026-08-10", requests=("/v1/seattle/events?free=false",))
    assert read_index(folder)["release"] == city.current.id
    tree = read_tree(folder)
    assert all(file in tree for _, files in list_requests(read_index(folder)) for file in files)
    request = "/v1/seattle/events"
    assert tree[name_file(request)] == city.ask_bytes(request)


@pytest.mark.long
@pytest.mark.xdist_group("s3")
def test_a_bucket_has_the_same_bytes_with_their_headers(city: City, tmp_path: Path, s3_endpoint: str) -> None:
    client = boto3.client("s3", endpoint_url=s3_endpoint)
    client.create_bucket(Bucket="tree")
    publish(city, FolderHost(tmp_path / "tree"))
    publish(city, S3Host(S3Store("tree", "open", endpoint_url=s3_endpoint)))
    pages = client.get_paginator("list_objects_v2").paginate(Bucket="tree")
    names = [content["Key"] for page in pages for content in page["Contents"]]
    objects = {name.removeprefix("open/"): client.get_object(Bucket="tree", Key=name) for name in names}
    bodies = {
        name: gzip.decompress(value["Body"].read()) if "ContentEncoding" in value else value["Body"].read()
        for name, value in objects.items()
    }
    assert bodies == read_tree(tmp_path / "tree")
    events = objects["v1/seattle/events.json"]
    assert (events["ContentType"], events["ContentEncoding"]) == ("application/json", "gzip")
    assert events["CacheControl"] == "public, max-age=60"
    assert objects["v1/metros.json"]["CacheControl"] == "public, max-age=3600"
    assert objects["v1/changes.json"]["CacheControl"] == "no-cache"
    assert objects["v1/seattle/events.ics"]["ContentType"].startswith("text/calendar")
    # What is compressed in itself is read in pieces.
    assert "ContentEncoding" not in objects["v1/seattle/export/places.parquet"]
    client.put_bucket_cors(Bucket="tree", CORSConfiguration=json.loads((ROOT / "build/s3/cors.json").read_text()))
    assert client.get_bucket_cors(Bucket="tree")["CORSRules"][0]["AllowedOrigins"] == ["*"]
