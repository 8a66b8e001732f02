"""A mirror of a key equals what the key may read, whatever the API does on the way."""

import gzip
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from command import main
from command.mirror.client import ATTEMPTS, ApiClient, Connection, HttpResponse, MirrorError
from command.mirror.sync import MirroredRecord, MirrorFile, catch_up, check_mirror
from edge.app import Edge
from pipeline.records.ids import make_id
from tests.command.conftest import CONFIGURATION
from tests.edge.asking import ask
from tests.edge.conftest import Clock
from tests.edge.publishing import add_keys
from tests.loopback import run_server
from tests.pipeline.city import City, make_event, make_place

URL = "http://api.example"
KEYS: dict[str, dict[str, object]] = {
    "all": {}, "seattle": {"metros": ("seattle",)}, "events": {"types": ("events",)},
}  # fmt: skip
MOVING = {"occurrence", "counts", "categories", "metros"}


class Api:
    """An edge over a city, asked without a wire. `faults` are what is answered first: a reply, or an error."""

    def __init__(self, city: City) -> None:
        self.city = city
        self.edge = Edge(city.store, cache=city.folder / "edge", clock=Clock())
        self.keys: dict[str, str] = {}
        self.requests: list[str] = []
        self.waited: list[float] = []
        self.faults: list[HttpResponse | Exception] = []
        self.before: Callable[[str], None] = lambda _: None
        self.files = ExitStack()

    def open(self, kind: str = "all") -> ApiClient:
        if not self.keys:
            self.keys = add_keys(self.city.store, KEYS)
        self.edge.poll()

        def send(target: str) -> HttpResponse:
            self.requests.append(target)
            self.before(target)
            if self.faults:
                fault = self.faults.pop(0)
                if isinstance(fault, Exception):
                    raise fault
                return fault
            got = ask(self.edge, target, key=self.keys[kind])
            return HttpResponse(status=got.status, headers=got.headers, data=got.read_body())

        return ApiClient(send, wait=self.waited.append)


def write(city: City, number: int) -> None:
    """Three rounds of two metros: names change, listings leave, come back, and go to the other metro."""
    gone = {"status": "archived"} if number == 1 else {}
    mover = make_event("mover", id="0d5c0000-0000-4000-8000-0000000000aa")
    for metro in ("seattle", "boston"):
        records = [make_event(f"{metro} {n}", name=f"Event {n} of round {number}") for n in range(6)]
        records += [make_event(f"{metro} weekly", rrule="FREQ=WEEKLY"), make_event(f"{metro} comes", **gone)]
        records += [make_place(f"{metro} hall"), make_event(f"{metro} adults", audience="adults", confidence=0.1)]
        chain = {"type": "organization", "source_id": "chain", "id": "0d5c0000-0000-4000-8000-0000000000bb"}
        records.append({**chain, "name": f"Chain {number}"})
        if metro == ("seattle", "boston", "seattle")[number]:
            records.append(mover)
        city.write(records, feed=metro, metro=metro)


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    city = City(tmp_path)
    city.add_metro("boston", "America/New_York")
    write(city, 0)
    city.build()
    api = Api(city)
    with api.files:
        yield api


def open_file(api: Api, name: str = "mirror.sqlite") -> MirrorFile:
    return api.files.enter_context(closing(MirrorFile(api.city.folder / name)))


def read_records(api: Api, name: str = "mirror.sqlite") -> dict[str, Any]:
    with closing(sqlite3.connect(api.city.folder / name)) as database:
        rows = database.execute("SELECT id, document FROM records").fetchall()
    return {row_id: json.loads(document) for row_id, document in rows}


def read_details(api: Api, kind: str) -> dict[str, Any]:
    """Return the details of all listings ever published that the key may read."""
    details = {}
    for version in api.city.read_versions():
        collection = {"event": "events", "place": "places", "organization": "organizations"}[version.type]
        got = ask(api.edge, f"/v1/{collection}/{version.listing_id}", key=api.keys[kind])
        if got.status == 200:
            data = got.read_json()["data"]
            moving = MOVING if data["type"] == "organization" else {"occurrence"}
            details[version.listing_id] = {name: value for name, value in data.items() if name not in moving}
    return details


@pytest.mark.long
@pytest.mark.parametrize("kind", KEYS)
def test_a_mirror_equals_what_the_key_may_read_after_each_build(api: Api, kind: str) -> None:
    file = open_file(api)
    for number in range(3):
        write(api.city, number)
        api.city.build()
        client = api.open(kind)
        catch_up(client, file, url=URL)
        assert read_records(api) == read_details(api, kind)
        assert check_mirror(client, file, url=URL) == []


def test_a_mirror_keeps_what_another_feed_claims(api: Api) -> None:
    """The listing stays in its own metro, and in the other one."""
    mirror = open_file(api)
    catch_up(api.open(), mirror, url=URL)
    before = read_records(api)
    for metro in ("seattle", "boston"):
        ids = [make_id(feed, "event", f"{feed} {number}") for feed in ("seattle", "boston") for number in range(2)]
        claims = [make_event(f"fake {number}", id=row_id, name="Fake") for number, row_id in enumerate(ids)]
        api.city.write([*claims, make_event(f"true {metro}")], feed=f"other-{metro}", metro=metro)
    api.city.build()
    client = api.open()
    assert catch_up(client, mirror, url=URL).changes == 2
    after = read_records(api)
    assert {row_id: after[row_id] for row_id in before} == before
    assert check_mirror(client, mirror, url=URL) == []


def test_a_mirror_goes_on_where_it_was_stopped_and_asks_for_nothing_twice(api: Api) -> None:
    client = api.open()
    assert catch_up(client, open_file(api), url=URL).changes > 0
    api.requests.clear()
    assert catch_up(client, open_file(api), url=URL).changes == 0
    assert len(api.requests) == 1
    write(api.city, 1)
    api.city.build(metros=frozenset({"boston"}))
    catch_up(api.open(), open_file(api), url=URL)
    assert read_records(api) == read_details(api, "all")


def test_a_mirror_stopped_at_any_request_is_whole_when_it_goes_on(api: Api) -> None:
    catch_up(api.open(), open_file(api, "whole.sqlite"), url=URL)
    requests = len(api.requests)
    for stop in range(1, requests + 1):
        name = f"{stop}.sqlite"
        left = [stop]

        def fall(_: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        api.before = fall
        with pytest.raises(KeyboardInterrupt):
            catch_up(api.open(), open_file(api, name), url=URL)
        api.before = lambda _: None
        catch_up(api.open(), open_file(api, name), url=URL)
        assert read_records(api, name) == read_records(api, "whole.sqlite")


def test_releases_that_come_in_the_middle_are_followed_to_the_end(api: Api) -> None:
    rounds = [1, 2]

    def publish(target: str) -> None:
        if rounds and "ids=" in target:
            write(api.city, rounds.pop(0))
            api.city.build()
            api.edge.poll()

    api.before = publish
    client, file = api.open(), open_file(api)
    assert check_mirror(client, file, url=URL) == []
    assert not rounds
    assert read_records(api) == read_details(api, "all")


def make_reply(status: int, **headers: str) -> HttpResponse:
    body = {"error": {"code": "x", "message": "no", "request_id": "1"}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status=status, headers=named, data=json.dumps(body).encode())


def test_a_mirror_waits_as_it_is_reported_and_tries_again_what_may_pass(api: Api) -> None:
    client = api.open()
    over = "Sun, 06 Nov 1994 08:49:37 GMT"
    api.faults = [
        make_reply(429, retry_after="7"), make_reply(503), ConnectionResetError("reset"), TimeoutError(),
        make_reply(503, retry_after=over),
    ]  # fmt: skip
    catch_up(client, open_file(api), url=URL)
    assert api.waited == [7.0, 2.0, 4.0, 8.0, 0.0]
    assert read_records(api) == read_details(api, "all")


@pytest.mark.long
@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ([make_reply(401)], "401 no"),
        ([make_reply(500)] * ATTEMPTS, "500 no"),
        ([ConnectionResetError("reset")] * ATTEMPTS, "reset"),
        ([make_reply(429, retry_after="86400")], "429 no"),
        ([HttpResponse(status=200, headers={}, data=b"<html>")] * ATTEMPTS, "not JSON"),
    ],
)
def test_what_stays_wrong_is_reported_and_the_file_is_as_it_was(api: Api, faults: list[Any], message: str) -> None:
    catch_up(api.open(), open_file(api), url=URL)
    before = read_records(api)
    api.faults, waits = list(faults), len(faults) - 1
    api.waited.clear()
    with pytest.raises(MirrorError, match=message):
        catch_up(api.open(), open_file(api), url=URL)
    assert len(api.waited) == waits, "nobody waits to be told that it stays wrong"
    assert read_records(api) == before


def test_a_key_of_another_scope_makes_it_starts_again(api: Api) -> None:
    catch_up(api.open("all"), open_file(api), url=URL)
    catch_up(api.open("seattle"), open_file(api), url=URL)
    assert read_records(api) == read_details(api, "seattle")


def test_another_api_needs_another_file(api: Api) -> None:
    file = open_file(api)
    catch_up(api.open(), file, url=URL)
    with pytest.raises(MirrorError, match=r"mirror of http://api\.example"):
        catch_up(api.open(), file, url="http://other.example")


def test_a_store_that_was_started_again_is_noticed(api: Api, tmp_path: Path) -> None:
    catch_up(api.open(), open_file(api), url=URL)
    (tmp_path / "other").mkdir()
    young = City(tmp_path / "other")
    young.write([make_event("a")])
    young.build()
    with pytest.raises(MirrorError, match="Start with a new file"):
        catch_up(Api(young).open(), open_file(api), url=URL)


def test_a_mirror_that_differs_is_reported_apart_by_metro_and_type(api: Api) -> None:
    client, file = api.open(), open_file(api)
    catch_up(client, file, url=URL)
    progress = file.read_progress()
    assert progress is not None
    (row_id, document) = next((key, record) for key, record in read_records(api).items() if record["type"] == "place")
    old = MirroredRecord(
        id=row_id, type="place", metro=document["metro"], updated_at="2026-01-01T00:00:00Z", document="{}"
    )  # fmt: skip
    file.apply(put=[old], dropped=[], progress=progress)
    (difference,) = check_mirror(client, file, url=URL)
    assert (difference.metro, difference.type) == (document["metro"], "place")
    assert difference.here != difference.there


@pytest.mark.parametrize("cut", [3, 12, 25])
def test_an_answer_whose_gzip_ends_early_is_asked_for_again(cut: int) -> None:
    packed = gzip.compress(b'{"data": [' + b" " * 300 + b"]}")
    bodies = [packed[:cut], b"\x1f\x8b\x08" + b"\xff" * 40, packed]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = bodies.pop(0)
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None: ...

    with run_server(HTTPServer(("127.0.0.1", 0), Handler)) as url:
        waits: list[float] = []
        with closing(Connection(url, key="k")) as connection:
            assert ApiClient(connection, wait=waits.append).ask("/v1/metros").body == {"data": []}
    assert waits == [1.0, 2.0]


def test_the_command_takes_the_address_and_the_key_from_a_configuration(tmp_path: Path) -> None:
    """An answer that no second try would mend ends it at once, and shows which address was asked and with which key."""
    calls: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            calls.append((self.path, self.headers["X-API-Key"]))
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None: ...

    config = tmp_path / "outings.toml"
    words = ["mirror", str(tmp_path / "held.sqlite"), "-c", str(config)]
    with run_server(HTTPServer(("127.0.0.1", 0), Handler)) as url:
        config.write_text(CONFIGURATION + f'[mirror]\nurl = "{url}/"\nkey_file = "key.txt"\n')
        missing = CliRunner().invoke(main, words, env={"OUTINGS_KEY": ""})
        assert (missing.exit_code, str(tmp_path / "key.txt") in missing.stderr) == (1, True)
        (tmp_path / "key.txt").write_text("abc\n")
        refused = CliRunner().invoke(main, words, env={"OUTINGS_KEY": ""})
    assert refused.exit_code == 1
    assert [(path.split("?")[0], key) for path, key in calls] == [("/v1/changes", "abc")], refused.stderr


def test_the_command_says_what_it_lacks(tmp_path: Path) -> None:
    nowhere = CliRunner().invoke(main, ["mirror", str(tmp_path / "held.sqlite")])
    assert (nowhere.exit_code, "--url" in nowhere.stderr) == (2, True)


def test_the_command_compares_once_or_follows(tmp_path: Path) -> None:
    words = ["mirror", str(tmp_path / "held.sqlite"), "--url", "http://127.0.0.1:1", "--check", "--follow", "60"]
    both = CliRunner().invoke(main, words, env={"OUTINGS_KEY": "abc"})
    assert (both.exit_code, "give one of them" in both.stderr) == (2, True)


def test_the_command_leaves_a_file_that_is_no_mirror_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("no database " * 100)
    ended = CliRunner().invoke(main, ["mirror", str(file), "--url", "http://127.0.0.1:1"], env={"OUTINGS_KEY": "abc"})
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"Error: {file}: file is not a database; a mirror is")
    assert file.read_text() == "no database " * 100
