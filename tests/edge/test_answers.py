"""The sources of an answer, conditional requests, codings, and paging by cursor."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from edge.bodies import render_body
from edge.response_headers import Body
from outings.answers.plan import AnswerPlan
from outings.answers.renderer_version import RENDERER_VERSION
from outings.contract.query import Query
from outings.release.pointer import read_pointer
from outings.release.publishing import publish
from outings.release.root import Part, read_root
from tests.answers.worlds import open_world
from tests.edge.asking import ask, ask_together, read_metrics, send_request
from tests.edge.conftest import Service, make_service
from tests.edge.processes.connections import connect_protocol
from tests.edge.processes.serving import PATIENCE
from tests.edge.publishing import NOW, make_id, make_version, make_world, make_worlds, publish_worlds, put_snapshot
from tests.edge.routes import ANSWERED, READS

LIST = "/v1/harbor/events"
EVENT = f"/v1/events/{make_id('harbor-event-1')}"
TARGETS = [READS[name][0] for name in sorted(ANSWERED)]

STORIES = [f"Story {n} of harbor" for n in range(5)]

MakeService = Callable[..., Service]


def read_counts(service: Service) -> dict[str, int]:
    """Return what was counted, without what the metrics show of the release."""
    numbers = {
        name.removeprefix("outings_").removesuffix("_total"): n for name, n in read_metrics(service.edge).items()
    }
    return {name: int(number) for name, number in numbers.items() if number and not name.startswith("release_")}


def publish_harbor(service: Service, part: Part) -> None:
    current = read_pointer(service.store)
    assert current is not None
    publish(
        service.store, base=read_root(service.store, current.pointer.root), parts={"harbor": part},
        changes=[make_version("harbor", NOW + timedelta(minutes=1))], feeds={}, now=NOW + timedelta(minutes=1),
    )  # fmt: skip
    service.edge.poll()


def publish_vandalized(service: Service, body: bytes, *, answers: str = str(RENDERER_VERSION)) -> None:
    """A release whose pages all hold `body`, which no answer would be."""
    part = put_snapshot(
        service.store,
        open_world(make_worlds()[0], service.folder / "vandal", stamp=NOW + timedelta(minutes=1)),
        days=[NOW.date()],
        vandal=body,
        answers=answers,
    )
    publish_harbor(service, part)


def test_a_default_page_is_the_releases_object_and_all_else_is_computed(make_own: MakeService) -> None:
    service = make_own()
    written = service.get(LIST).body.replace(b"Story", b"Written ahead")
    publish_vandalized(service, written)
    for target in (LIST, "/v1/harbor-city/events?limit=50&page=1"):
        for kind in ("all", "harbor"):
            assert service.get(target, kind=kind).body == written
    for kind, target in (("events", LIST), ("all", f"{LIST}?limit=49"), ("all", f"{LIST}?from=2026-08-10")):
        assert b"Story 1" in service.get(target, kind=kind).body
    service.clock.now += timedelta(days=1)
    assert b"Story 1" in service.get(LIST).body


def test_a_page_that_another_program_wrote_is_computed(make_own: MakeService) -> None:
    """An ETag stands for one body, and is that of the program which answers."""
    service = make_own()
    written = service.get(LIST).body.replace(b"Story", b"Written ahead")
    publish_vandalized(service, written, answers="of another program")
    assert b"Story 1" in service.get(LIST).body


def test_what_is_written_ahead_is_what_would_be_computed(make_own: MakeService) -> None:
    service = make_own()
    stored = [service.get(f"/v1/harbor/{name}") for name in ("events", "classes", "camps", "places")]
    assert read_counts(service) == {"object": 4}
    other = make_own()
    other.store.delete(list(other.store.list("objects/")))
    computed = [other.get(f"/v1/harbor/{name}") for name in ("events", "classes", "camps", "places")]
    assert read_counts(other) == {"computed": 4, "queries": 4}
    assert [(entry.body, entry.headers["etag"]) for entry in stored] == [
        (entry.body, entry.headers["etag"]) for entry in computed
    ]


def test_a_page_that_the_store_spoiled_is_computed(make_own: MakeService) -> None:
    service = make_own()
    for entry in list(service.store.list("objects/")):
        service.store.put(entry.name, b"spoiled")
    assert b"Story 1" in service.get(LIST).body
    assert read_counts(service) == {"computed": 1, "queries": 1}


def test_a_body_is_made_once_for_each_coding(make_own: MakeService) -> None:
    service = make_own()
    params = [(target, coding) for target in (LIST, EVENT, f"{LIST}?limit=2") for coding in ("", "gzip", "br", "zstd")]
    bodies = [service.get(target, accept_encoding=coding).body for target, coding in params]
    made = {"object": 8, "computed": 4, "queries": 4}
    assert read_counts(service) == made
    service.store.delete(list(service.store.list("objects/")))
    assert [service.get(target, accept_encoding=coding).body for target, coding in params] == bodies
    assert read_counts(service) == {**made, "cached": 12}


def test_readers_of_different_rights_never_share_a_body(service: Service) -> None:
    for _ in range(2):
        read = {kind: service.get("/v1/metros", kind=kind).read_json()["data"] for kind in ("all", "harbor", "places")}
        assert {kind: [metro["accessible"] for metro in metros] for kind, metros in read.items()} == {
            "all": [True, True], "harbor": [True, False], "places": [True, True],
        }  # fmt: skip
        assert [read[kind][0]["counts"]["events"] for kind in read] == [5, 5, 0]


def test_many_who_ask_for_the_same_at_once_wait_for_one_answer(make_own: MakeService) -> None:
    service = make_own()
    first, *others = ask_together(service.edge, [f"{LIST}?limit=3"] * 20, key=service.keys["all"])
    assert first.status == 200
    assert {other.body for other in others} == {first.body}
    assert read_counts(service) == {"computed": 1, "queries": 1, "cached": 19}


def test_a_page_by_cursor_is_not_mistaken_for_the_first_page(service: Service) -> None:
    first = service.get(f"{LIST}?limit=2").read_json()
    for _ in range(2):
        second = service.get(f"{LIST}?limit=2&cursor={first['meta']['next_cursor']}").read_json()
        assert [item["name"] for item in second["data"]] == STORIES[2:4]


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Nobody else asks it, so that its counts are those of one test after the other."""
    service = make_service(tmp_path_factory.mktemp("counted"))
    yield service
    service.close()


@pytest.mark.xdist_group("counted")  # one worker makes the service
@pytest.mark.parametrize("target", TARGETS)
def test_a_matching_tag_is_304_with_no_body_and_no_query(counted: Service, target: str) -> None:
    service = counted
    tag = service.get(target).headers["etag"]
    counts = {"not_modified": 0, **read_counts(service)}
    for number, header in enumerate((tag, tag.removeprefix("W/"), f'"other", {tag}', "*"), start=1):
        got = service.get(target, if_none_match=header, accept_encoding="gzip")
        assert (got.status, got.body) == (304, b"")
        assert got.headers["etag"] == tag
        assert got.headers["cache-control"].startswith("private, ")
        assert got.headers["x-release"]
        assert got.headers["vary"] == "X-API-Key, Authorization, Accept-Encoding"
        assert not {"content-type", "content-length", "content-encoding"} & got.headers.keys()
        assert read_counts(service) == {**counts, "not_modified": counts["not_modified"] + number}
    assert service.get(target, if_none_match=tag, method="HEAD").status == 304
    assert service.get(target, if_none_match='W/"other"').status == 200


@pytest.mark.parametrize("header", ["*", 'W/"x"'])
def test_what_is_not_there_or_not_allowed_is_never_304(service: Service, header: str) -> None:
    for target, status in (
        ("/v1/nowhere/events", 404), (f"/v1/events/{make_id('nobody')}", 404), ("/v1/lakeside/events", 403),
        (f"{LIST}?limit=0", 400), (f"{LIST}?near_zip=98101", 501),
    ):  # fmt: skip
        got = service.get(target, kind="harbor", if_none_match=header)
        assert got.status == status
    assert ask(service.edge, LIST, if_none_match=header).status == 401


def test_every_coding_has_one_tag(service: Service) -> None:
    for target in TARGETS:
        plain = service.get(target)
        for accepted in ("gzip", "br", "zstd", "*", "gzip;q=0.1, br;q=0.2"):
            got = service.get(target, accept_encoding=accepted)
            assert got.read_body() == plain.body
            assert got.headers["etag"] == plain.headers["etag"]
            assert int(got.headers["content-length"]) == len(got.body)
    assert service.get(LIST, accept_encoding="br").headers["content-encoding"] == "br"
    assert "content-encoding" not in service.get(LIST, accept_encoding="deflate").headers


def test_what_means_the_same_has_one_tag_and_what_does_not_has_another(service: Service) -> None:
    first = service.get(f"{LIST}?category=animals_farms&category=swim_water&limit=50").headers["etag"]
    for same in ("category=swim_water,animals_farms", "page=1&category=swim%5Fwater%2Canimals_farms"):
        assert service.get(f"{LIST}?{same}").headers["etag"] == first
    for other in ("category=swim_water", "category=swim_water,animals_farms&limit=49"):
        assert service.get(f"{LIST}?{other}").headers["etag"] != first
    assert service.get(LIST).headers["etag"] != service.get(LIST, kind="events").headers["etag"]


def test_the_local_date_turns_the_page_at_midnight_of_the_metro(make_own: MakeService) -> None:
    service = make_own()
    service.clock.now = NOW.replace(hour=23, minute=59)

    def read_today(metro: str) -> str:
        from_: str = service.get(f"/v1/{metro}/events").read_json()["meta"]["window"]["from"]
        return from_

    assert (read_today("harbor"), read_today("lakeside")) == ("2026-08-10", "2026-08-10")
    service.clock.now = NOW.replace(day=11, hour=4, minute=0)
    assert (read_today("harbor"), read_today("lakeside")) == ("2026-08-11", "2026-08-10")
    service.clock.now = NOW.replace(day=11, hour=6, minute=59, second=59)
    assert read_today("lakeside") == "2026-08-10"
    service.clock.now = NOW.replace(day=11, hour=7, minute=0)
    assert read_today("lakeside") == "2026-08-11"


def follow_pages(
    service: Service, target: str, *, between: Callable[[int], None] = lambda _: None
) -> tuple[list[str], set[str]]:
    """Names of all rows by `next_cursor`, and the releases that answered."""
    names, releases, cursor, pages = [], set(), "", 0
    while True:
        got = service.get(target + (f"&cursor={cursor}" if cursor else ""))
        body = got.read_json()
        names += [item["name"] for item in body["data"]]
        releases.add(got.headers["x-release"])
        cursor, pages = body["meta"]["next_cursor"], pages + 1
        if cursor is None:
            return names, releases
        between(pages)


def test_paging_gives_each_row_once(service: Service) -> None:
    assert follow_pages(service, f"{LIST}?limit=2")[0] == STORIES


def test_paging_stays_in_its_release_and_date_while_others_are_published(make_own: MakeService) -> None:
    service = make_own()
    service.clock.now = NOW.replace(day=11, hour=3, minute=58)  # two minutes before the metro's midnight

    def interfere(pages: int) -> None:
        world = make_world("harbor", timezone="America/New_York", events=pages)
        publish_worlds(service.store, [world], folder=service.folder, stamp=NOW + timedelta(minutes=pages))
        service.edge.poll()
        service.clock.now += timedelta(minutes=2)

    names, releases = follow_pages(service, f"{LIST}?limit=1", between=interfere)
    assert names == STORIES
    assert len(releases) == 1
    assert service.get(LIST).headers["x-release"] not in releases


def test_a_cursor_from_another_server_with_a_newer_release_is_followed_there(make_own: MakeService) -> None:
    late = make_own()
    world = make_world("harbor", timezone="America/New_York", events=7)
    publish_worlds(late.store, [world], folder=late.folder, stamp=NOW + timedelta(minutes=1))
    early = late.start_another()
    cursor = early.get(f"{LIST}?limit=6").read_json()["meta"]["next_cursor"]
    got = late.get(f"{LIST}?limit=6&cursor={cursor}")
    assert [item["name"] for item in got.read_json()["data"]] == ["Story 6 of harbor"]
    assert got.headers["x-release"] == early.get(LIST).headers["x-release"]


def test_a_crash_is_500_in_the_envelope_and_tells_nothing(
    make_own: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_own()

    def fail(*_: object) -> None:
        raise ValueError("not json at all")

    monkeypatch.setattr("edge.planner.make_plan", fail)
    for target in (f"{EVENT}?fields=name", f"{LIST}?fields=name"):
        got = service.get(target)
        assert (got.status, got.error["code"]) == (500, "internal")
        assert set(got.error) == {"code", "message", "request_id"}
        assert got.headers["cache-control"] == "no-store"
        assert "json" not in json.dumps(got.error).lower()
    monkeypatch.undo()
    assert service.get("/v1/lakeside/events").status == 200


def test_keys_take_turns_and_what_nobody_waits_for_is_not_computed(
    make_own: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, go, begun = make_own(), threading.Event(), threading.Event()
    rendered: list[str] = []

    def render(plan: AnswerPlan, coding: bytes, query: Query) -> Body:
        begun.set()
        go.wait(PATIENCE)
        body = render_body(plan, coding, query)
        rendered.append(json.loads(body.data)["meta"]["applied_filters"]["max_price"])
        return body

    monkeypatch.setattr("edge.bodies.render_body", render)
    monkeypatch.setattr("edge.bodies.is_quick", lambda _: False)

    async def ask_for(price: int, *, kind: str) -> int:
        got = await send_request(service.edge, f"{LIST}?max_price={price}", key=service.keys[kind])
        return got.status

    async def run() -> None:
        greedy = [asyncio.create_task(ask_for(price, kind="all")) for price in range(10, 30)]
        await asyncio.to_thread(begun.wait, PATIENCE)
        wire, _ = connect_protocol(service)
        head = f"GET {LIST}?max_price=90 HTTP/1.1\r\nHost: a\r\nX-API-Key: {service.keys['harbor']}\r\n\r\n"
        wire.data_received(head.encode())
        modest = [asyncio.create_task(ask_for(price, kind="other")) for price in (50, 51)]
        for _ in range(10):
            await asyncio.sleep(0)
        wire.connection_lost(None)
        go.set()
        assert set(await asyncio.gather(*greedy, *modest)) == {200}
        await asyncio.gather(*wire.tasks)

    asyncio.run(run())
    assert [rendered.index(price) for price in (10, 50, 51)] == [0, 2, 4]
    assert 90 not in rendered


@pytest.mark.parametrize("target", [f"{LIST}?max_price=%d", "/v1/harbor/suggest?q=s%d", "/v1/harbor/search?q=swim+%d"])
def test_what_is_cached_does_not_wait_for_what_another_key_asked_for_at_once(service: Service, target: str) -> None:
    """Nor does a new request of a third key wait for more than the turn of each other key."""
    service.get(LIST, kind="harbor")
    done: list[str] = []

    async def ask_for(target: str, *, kind: str) -> None:
        got = await send_request(service.edge, target, key=service.keys[kind])
        assert got.status == 200
        done.append(kind)

    async def run() -> None:
        requested = [ask_for(target % number, kind="all") for number in range(3_000, 3_040)]
        requested += [ask_for(LIST, kind="harbor"), ask_for(f"{LIST}?max_price=2999", kind="other")]
        await asyncio.gather(*requested)

    asyncio.run(run())
    assert done.index("harbor") <= 2
    assert done.index("other") <= 4


def test_whoever_leaves_while_waiting_for_a_turn_holds_nobody_up(service: Service) -> None:
    async def run() -> None:
        tasks = [
            asyncio.create_task(send_request(service.edge, f"{LIST}?max_price={price}", key=service.keys["all"]))
            for price in range(4_000, 4_010)
        ]
        for left in range(1, 9):
            await asyncio.sleep(0)
            tasks[left].cancel()
        got = await asyncio.gather(*tasks, return_exceptions=True)
        assert [getattr(entry, "status", None) for entry in (got[0], got[-1])] == [200, 200]

    asyncio.run(asyncio.wait_for(run(), PATIENCE))


def test_a_large_body_takes_no_place_of_others(make_own: MakeService) -> None:
    """A tenth of the cache is for any body, and those that are requested stay."""
    size = len(make_own().get(f"{LIST}?limit=1").body) + 1_000
    service = make_own(memory=int(size * 9.9 / 0.75))
    for _ in range(2):
        service.get(f"{LIST}?limit=1")
    assert "cached" not in read_counts(service)
    service = make_own(memory=int(size * 10.5 / 0.75))
    popular, others = f"{LIST}?limit=1", [f"{LIST}?limit=1&max_price={price}" for price in range(20)]
    for other in others:
        service.get(popular)
        service.get(other)
    assert read_counts(service)["cached"] == len(others) - 1
