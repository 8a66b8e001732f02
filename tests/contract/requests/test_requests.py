"""Requests that somebody wrote by hand from the contract, who had not read the code: each is answered as expected.

They are sent to the demo's cities. What surprised at first was mended, or ruled; such a request says so.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from command.sample_cities import write_world
from edge.app import Edge
from outings.configuration import read_configuration
from outings.release.store import open_store
from pipeline.building import build_release
from pipeline.clock import AsOf
from pipeline.executors.local import InlineExecutor
from pipeline.plan import Build
from tests.contract.requests.access import ACCESS
from tests.contract.requests.events import EVENTS
from tests.contract.requests.finding import FINDING
from tests.contract.requests.lists import LISTS
from tests.contract.requests.reads import READS
from tests.contract.requests.written_request import Answer, WrittenRequest
from tests.edge.asking import ask
from tests.edge.publishing import add_keys

TODAY = date(2026, 8, 10)
NOON = datetime(2026, 8, 10, 19, tzinfo=UTC)
KEYS: Mapping[str, Mapping[str, object]] = {
    "partner": {},
    "free": {"plan": "free"},
    "seattle_events": {"metros": ("seattle",), "types": ("events",)},
}
REQUESTS = [*EVENTS, *LISTS, *READS, *FINDING, *ACCESS]

pytestmark = pytest.mark.xdist_group("requests")


@dataclass
class Deployment:
    edge: Edge
    keys: dict[str, str]
    known: dict[str, str]

    def ask(self, written: WrittenRequest) -> Answer:
        method, _, target = written.request.rpartition(" ")
        key = {"none": None, "wrong": "nobody-has-this-one"}.get(written.key, self.keys.get(written.key))
        got = ask(self.edge, fill_in(target, self.known), method=method or "GET", key=key, **written.headers)
        body = got.read_body()
        return Answer(
            status=got.status, headers=got.headers, body=json.loads(body) if body else None, today=TODAY.isoformat(),
            days=name_day, known=self.known,
        )  # fmt: skip


def name_day(number: int) -> str:
    return (TODAY + timedelta(days=number)).isoformat()


def fill_in(target: str, known: Mapping[str, str]) -> str:
    """`{d+7}` is the date in a week, `{event}` an event's id."""
    target = re.sub(r"\{d\+(\d+)\}", lambda match: name_day(int(match[1])), target)
    return re.sub(r"\{(\w+)\}", lambda match: known[match[1]], target)


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("cities")
    configuration = read_configuration(write_world(folder / "outings.toml", today=TODAY, size=200), {})
    store = open_store(configuration.store.url)
    build_release(Build(configuration=configuration, as_of=AsOf(day=TODAY)), store=store, executor=InlineExecutor())
    keys = add_keys(store, KEYS)
    edge = Edge(store, cache=folder / "cache", clock=lambda: NOON)
    edge.poll()
    yield Deployment(edge, keys, find_known(edge, keys["partner"]))
    edge.close()


def find_known(edge: Edge, key: str) -> dict[str, str]:
    """Return values for the placeholders of the requests."""

    def read(path: str) -> Any:
        return ask(edge, path, key=key).read_json()["data"]

    events = read("/v1/seattle/events?limit=200")
    hosted = next(event for event in events if has_all(event))
    firsts = {name: read(f"/v1/seattle/{path}?limit=1")[0] for name, path in LISTED.items()}
    known = {name: first["id"] for name, first in firsts.items()} | {
        f"{name}_slug": first["slug"] for name, first in firsts.items()
    }
    return known | {
        "event": events[0]["id"], "event2": events[1]["id"], "EVENT": events[0]["id"].upper(),
        "event_slug": events[0]["slug"], "series": next(event["id"] for event in events if event["is_recurring"]),
        "event_place": hosted["place"]["id"], "event_organization": hosted["organization"]["id"],
        "neighborhood": hosted["location"]["neighborhood_slug"], "year": str(TODAY.year), "long": "x" * 201,
        "organization_name": firsts["organization"]["name"].replace(" ", "+").replace("&", "%26"),
        "new_york_event": read("/v1/new-york/events?limit=1")[0]["id"],
    }  # fmt: skip


def has_all(event: Any) -> bool:
    return bool(event["place"] and event["organization"]["id"] and event["location"]["neighborhood"])


LISTED = {"class": "classes", "camp": "camps", "place": "places", "organization": "organizations"}


@pytest.mark.parametrize("written", REQUESTS, ids=lambda written: written.request)
def test_a_request_is_answered_as_the_contract_lets_expect(deployment: Deployment, written: WrittenRequest) -> None:
    answer = deployment.ask(written)
    assert answer.status == written.status, answer.body
    assert written.holds(answer), answer.body
