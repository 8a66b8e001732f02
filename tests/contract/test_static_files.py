"""The file of a request: one for each, found from the request alone, under a name that every host takes."""

import re
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.query import parse_query
from outings.contract.routes import match_route
from outings.contract.static_files import name_file, spell_request
from outings.contract.vocabulary import Vocabulary
from tests.contract.static_requests import parse_file

PLACE = "3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"
# Canonical requests as `Query.text` writes them: escapes where a value needs them, and those alone.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4) | st.sampled_from(
    ["con", "NUL", "com1.txt", ".", "..", "a.", "Ballard", "é", "a!b", "!2e", "a,b", "x=y&z", "1:0", "e.ics", ".ics"]
)
VALUES = st.lists(TEXTS, min_size=1, max_size=2).map(lambda value: ",".join(quote(text, safe=":") for text in value))
PAIRS = st.lists(st.tuples(st.sampled_from(["age", "category", "page", "q"]), VALUES), max_size=2)
REQUESTS = st.tuples(st.lists(TEXTS.map(lambda text: quote(text, safe="")), min_size=1, max_size=4), PAIRS).map(
    lambda value: f"/{'/'.join(value[0])}" + ("?" if value[1] else "") + "&".join(f"{k}={v}" for k, v in value[1])
)
NAME = re.compile(r"[a-z0-9_!-](?:[a-z0-9._!=&,-]*[a-z0-9_!=&,-])?")
DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


@given(REQUESTS)
def test_a_file_leads_back_to_its_request(request: str) -> None:
    name = name_file(request)
    assert parse_file(name) == request
    for part in name.split("/"):
        assert NAME.fullmatch(part), part
        assert not DEVICE.fullmatch(part), part
        assert len(part) <= 255


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("/v1/metros", "v1/metros.json"),
        ("/v1/seattle/events", "v1/seattle/events.json"),
        ("/v1/seattle/events?page=2&category=arts_creative", "v1/seattle/events/category=arts_creative&page=2.json"),
        ("/v1/nyc/events?facets=weekday,category&limit=0", "v1/nyc/events/facets=category,weekday&limit=0.json"),
        ("/v1/seattle/events?start_after=10:00", "v1/seattle/events/start_after=10!3a00.json"),
        ("/v1/seattle/places?neighborhood=Capitol%20Hill", "v1/seattle/places/neighborhood=!43apitol!20!48ill.json"),
        (f"/v1/places/{PLACE}/events", f"v1/places/{PLACE}/events.json"),
        (f"/v1/places/{PLACE.upper()}/events?place_id={PLACE}", f"v1/places/{PLACE}/events.json"),
        ("/v1/seattle/events.ics", "v1/seattle/events.ics"),
        ("/v1/seattle/events.ics?free=true", "v1/seattle/events/free=true.ics"),
        ("/v1/seattle/export/camps.parquet", "v1/seattle/export/camps.parquet"),
        ("/v1/changes?cursor=200", "v1/changes/cursor=200.json"),
        ("/v1/events/slug/story-time?metro=seattle", "v1/events/slug/story-time/metro=seattle.json"),
    ],
)  # fmt: skip
def test_requests_that_mean_the_same_have_one_file(request_: str, name: str) -> None:
    path, _, query_string = request_.partition("?")
    match = match_route(path)
    assert match is not None
    spelt = spell_request(parse_query(match, query_string.encode(), vocabulary=Vocabulary()))
    assert name_file(spelt) == name
    assert parse_file(name) == spelt


def test_a_parameter_that_a_route_ignores_has_no_file() -> None:
    match = match_route("/v1/seattle/places")
    assert match is not None
    query = parse_query(match, b"free=true", vocabulary=Vocabulary())
    with pytest.raises(ValueError, match="has a parameter that the route ignores"):
        name_file(spell_request(query))
