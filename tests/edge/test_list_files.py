"""Every list as CSV, and those of things that are somewhere as GeoJSON, with the rows and the pages of the JSON."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.app import Edge
from tests.edge.asking import ask
from tests.edge.sample_edge import add_client, make_edge

LISTS = (
    "/v1/seattle/events", "/v1/seattle/classes", "/v1/seattle/camps", "/v1/seattle/places", "/v1/seattle/organizations",
    "/v1/seattle/neighborhoods", "/v1/metros", "/v1/changes", "/v1/seattle/export",
)  # fmt: skip


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Edge, str]]:
    folder: Path = tmp_path_factory.mktemp("edge")
    edge = make_edge(folder)
    yield edge, add_client(folder, edge, plan="partner")
    edge.close()


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("path", LISTS)
def test_a_list_is_a_table_with_the_rows_of_its_json(sample: tuple[Edge, str], path: str) -> None:
    edge, key = sample
    query = "?limit=20" if path not in ("/v1/metros", "/v1/seattle/export") else ""
    got, items = ask(edge, f"{path}.csv{query}", key=key), ask(edge, path + query, key=key).read_json()["data"]
    assert got.headers["content-type"] == "text/csv; charset=utf-8"
    rows = read_csv(got.read_body().decode())
    assert len(rows) == len(items) > 0
    for name in {"id", "slug", "name", "version_id", "starts_local"} & items[0].keys():
        assert [row[name] for row in rows] == ["" if item[name] is None else str(item[name]) for item in items]


def test_members_of_objects_are_columns_of_their_path_and_lists_are_joined(sample: tuple[Edge, str]) -> None:
    edge, key = sample
    rows = read_csv(ask(edge, "/v1/seattle/events.csv?limit=50", key=key).read_body().decode())
    items = ask(edge, "/v1/seattle/events?limit=50", key=key).read_json()["data"]
    for row, item in zip(rows, items, strict=True):
        assert row["categories"].split(";") == item["categories"]
        assert row["location.lat"] == ("" if item["location"]["lat"] is None else str(item["location"]["lat"]))
        assert row["price.is_free"] == {True: "true", False: "false", None: ""}[item["price"]["is_free"]]
        assert row["place.name"] == ((item["place"] or {}).get("name") or "")
        assert row["occurrence.next_starts_local"] == (item.get("occurrence", {}).get("next_starts_local") or "")
        assert row["links.self"] == item["links"]["self"]


def test_fields_choose_the_columns(sample: tuple[Edge, str]) -> None:
    edge, key = sample
    text = ask(edge, "/v1/seattle/events.csv?fields=name,price.min&limit=2", key=key).read_body().decode()
    assert text.split("\r\n", 1)[0] == "id,type,name,price.min"
    assert text.count("\r\n") == 3


def test_the_header_link_leads_from_page_to_page(sample: tuple[Edge, str]) -> None:
    edge, key = sample
    request, ids = "/v1/seattle/events.csv?limit=7", []
    while request:
        got = ask(edge, request, key=key)
        ids += [row["id"] for row in read_csv(got.read_body().decode())]
        links = [link for link in got.headers["link"].split(", <") if 'rel="next"' in link]
        request = links[0].partition(">")[0].lstrip("<") if links else ""
    assert ids == [item["id"] for item in ask(edge, "/v1/seattle/events?limit=200", key=key).read_json()["data"]]
    assert len(ids) > 7


def test_a_list_of_things_that_are_somewhere_is_a_map(sample: tuple[Edge, str]) -> None:
    edge, key = sample
    for path in ("events", "classes", "camps", "places", "nearby"):
        query = "?limit=20" if path != "nearby" else "?lat=47.65&lng=-122.36&limit=20"
        got = ask(edge, f"/v1/seattle/{path}.geojson{query}", key=key)
        assert got.headers["content-type"] == "application/geo+json"
        collection = json.loads(got.read_body())
        items = ask(edge, f"/v1/seattle/{path}{query}", key=key).read_json()["data"]
        assert collection["type"] == "FeatureCollection"
        assert [feature["properties"] for feature in collection["features"]] == items
        for feature, item in zip(collection["features"], items, strict=True):
            where = item["location"]
            point = None if where["lat"] is None else {"type": "Point", "coordinates": [where["lng"], where["lat"]]}
            assert (feature["id"], feature["geometry"]) == (item["id"], point)
        assert any(feature["geometry"] for feature in collection["features"])


def test_what_is_no_list_has_no_other_format_and_a_list_keeps_its_rules(sample: tuple[Edge, str]) -> None:
    edge, key = sample
    statuses = [
        ask(edge, request, key=key).status
        for request in (
            "/v1/seattle/organizations.geojson", "/v1/seattle/coverage.csv", "/v1/seattle/around.csv?lat=47&lng=-122",
            "/v1/seattle/events.csv?limit=201", "/v1/nowhere/events.csv",
        )
    ]  # fmt: skip
    assert statuses == [404, 404, 404, 400, 404]
    assert ask(edge, "/v1/seattle/events.csv").status == 401
    etag = ask(edge, "/v1/seattle/events.csv", key=key).headers["etag"]
    assert ask(edge, "/v1/seattle/events.csv", key=key, if_none_match=etag).status == 304
