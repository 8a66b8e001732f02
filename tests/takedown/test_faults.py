"""A takedown that is killed, signed, followed by a mirror or met by a walk."""

import json
import signal
from contextlib import closing
from typing import Any

import pytest

from command.mirror.client import ApiClient, HttpResponse
from command.mirror.sync import MirrorFile, catch_up, check_mirror
from edge.app import Edge
from tests.edge.asking import ask
from tests.edge.conftest import Clock
from tests.faults.commands import Meets, run
from tests.release.doubles import Act, kill
from tests.release.signing import ONE, OTHER, make_reader, sign, write_keys
from tests.takedown.towns import CLUB, HALL, KITE, POTTERY, Town, find_words

pytestmark = pytest.mark.xdist_group("takedown")  # one worker builds the town

ALL = (KITE, POTTERY, HALL, CLUB)


def kill_at_put(operation: str, act: Act) -> Any:
    return kill(operation, act) if operation == "put" else act()


def kill_at_put_many(operation: str, act: Act) -> Any:
    return kill(operation, act) if operation == "put_many" else act()


def kill_at_swap(operation: str, act: Act) -> Any:
    return kill(operation, act) if operation == "put_if" else act()


@pytest.mark.long
def test_killed_before_it_is_in_force_it_did_nothing_and_can_be_run_again(town: Town) -> None:
    before = town.list_ids()
    for watch in (kill_at_put, kill_at_put_many, kill_at_swap):
        ended = run("takedown", *ALL, config=town.config, meets=Meets(operations=watch))
        assert (ended.code, ended.out) == (-signal.SIGKILL, "")
        assert town.list_ids() == before
        assert town.get(f"/v1/events/{KITE}").status == 200
    town.run("takedown", *ALL)
    town.prune()
    assert find_words(town.city.store) == []
    town.run("releases", "verify")


def test_a_signed_store_is_signed_on(town: Town) -> None:
    town.config.write_text(town.config.read_text() + write_keys(town.config.parent))
    town.run("releases", "sign")
    town.run("takedown", *ALL)
    pointer = json.loads((town.config.parent / "var/store/current.json").read_text())
    assert pointer == sign(pointer, key=ONE)
    town.prune()
    assert find_words(town.city.store) == []
    assert "which is trusted" in town.run("releases", "verify").stdout
    cache = town.config.parent / "signed"
    with closing(Edge(town.city.store, cache=cache, clock=Clock(), trust=make_reader())) as edge:
        edge.poll()
        assert ask(edge, f"/v1/events/{KITE}", key=town.keys["all"]).status == 404
    write_keys(town.config.parent, key=OTHER)
    assert "key" in town.run("takedown", KITE, "--undo", code=1).stderr


@pytest.mark.long
def test_a_mirror_that_reads_on_equals_what_can_be_read(town: Town) -> None:
    def send(target: str) -> HttpResponse:
        got = town.get(target)
        return HttpResponse(status=got.status, headers=got.headers, data=got.read_body())

    client, waited = ApiClient(send, wait=lambda _: None), "http://api.example"
    with closing(MirrorFile(town.config.parent / "mirror.sqlite")) as file:
        catch_up(client, file, url=waited)
        town.run("takedown", *ALL)
        assert catch_up(client, file, url=waited).changes > len(ALL)
        assert check_mirror(client, file, url=waited) == []
        town.build()
        assert check_mirror(client, file, url=waited) == []
        town.run("takedown", *ALL, "--undo")
        town.build()
        assert check_mirror(client, file, url=waited) == []


@pytest.mark.long
@pytest.mark.parametrize("name", ["events", "events?occurrences=expand", "nearby?lat=47.6&lng=-122.3"])
def test_paging_goes_on_without_withdrawn_listings(town: Town, name: str) -> None:
    joined = f"/v1/seattle/{name}{'&' if '?' in name else '?'}limit=2"
    pages = [town.get(joined).read_json()]
    town.run("takedown", *ALL)
    while pages[-1]["meta"]["next_cursor"] is not None:
        got = town.get(f"{joined}&cursor={pages[-1]['meta']['next_cursor']}")
        assert got.status == 200
        pages.append(got.read_json())
    items = [item["id"] for page in pages[1:] for item in page["data"]]
    assert items
    assert not set(ALL).intersection(items)


def test_the_cursor_of_a_search_expires(town: Town) -> None:
    joined = "/v1/seattle/search?q=walk&limit=2"
    cursor = town.get(joined).read_json()["meta"]["next_cursor"]
    town.run("takedown", *ALL)
    got = town.get(f"{joined}&cursor={cursor}")
    assert (got.status, got.error["details"]["reason"]) == (400, "cursor_expired")
