"""`include`: what a key has, what it goes without, and what would permit it."""

import pytest

from outings.contract.errors import ApiError
from outings.contract.pricing_plans import PLANS, Offer, resolve_includes
from outings.contract.query import Entitlement, Query, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import Vocabulary

NONE, SOURCE = Entitlement(), Entitlement(addons=frozenset({"source"}))
EVENT = "/v1/events/3f2b8c1e-5d4a-4b6f-9c7d-0a1b2c3d4e5f"


def parse(target: str) -> Query:
    path, _, query_string = target.partition("?")
    match = match_route(path)
    assert match is not None
    return parse_query(match, query_string.encode(), vocabulary=Vocabulary())


def refuse(target: str, entitlement: Entitlement, *, offer: Offer) -> ApiError:
    with pytest.raises(ApiError) as caught:
        resolve_includes(parse(target), entitlement=entitlement, offer=offer)
    return caught.value


def test_a_request_without_add_ons_is_as_it_was() -> None:
    query = parse("/v1/seattle/events")
    assert resolve_includes(query, entitlement=NONE, offer=Offer()) is query


def test_an_add_on_that_a_key_has_not_is_refused_with_what_would_permit_it() -> None:
    error = refuse(f"{EVENT}?include=related", NONE, offer=Offer())
    assert (error.status, error.code) == (403, "include_not_permitted")
    assert error.details == {
        "param": "include", "include": "related", "plans": ["partner"], "grantable": ["standard"],
    }  # fmt: skip


def test_a_refusal_has_the_deployments_links_and_plans() -> None:
    offer = Offer(
        plans=PLANS | {"standard": PLANS["partner"], "partner": PLANS["free"]}, upgrade_url="https://up.example"
    )
    assert refuse("/v1/seattle/events?include=source", NONE, offer=offer).details == {
        "param": "include", "include": "source", "plans": ["standard"], "grantable": ["partner"],
        "links": {"upgrade": "https://up.example"},
    }  # fmt: skip


def test_the_first_that_is_missing_is_named() -> None:
    target = f"{EVENT}?include=source,related"
    assert refuse(target, SOURCE, offer=Offer()).details["include"] == "related"
    assert refuse(target, NONE, offer=Offer()).details["include"] == parse(target).get_words("include")[0]


def test_a_lenient_request_goes_without_and_is_told_so() -> None:
    offer = Offer(upgrade_url="https://up.example", docs_url="https://docs.example")
    query = resolve_includes(
        parse(f"{EVENT}?include=related,source&include_mode=lenient"), entitlement=NONE, offer=offer
    )
    assert {notice.include for notice in query.notices} == {"related", "source"}
    for notice in query.notices:
        assert (notice.code, notice.param) == ("include_not_permitted", "include")
        assert notice.details == {"plans": ["partner"], "grantable": ["standard"]}
        assert notice.links == {"upgrade": "https://up.example", "docs": "https://docs.example"}


def test_a_deployment_without_links_gives_none() -> None:
    query = resolve_includes(parse(f"{EVENT}?include=source&include_mode=lenient"), entitlement=NONE, offer=Offer())
    assert [notice.links for notice in query.notices] == [None]


@pytest.mark.parametrize("mode", ["", "&include_mode=lenient"])
@pytest.mark.parametrize(
    "path", [f"{EVENT}?", "/v1/seattle/places?", "/v1/classes/slug/clay?", "/v1/seattle/nearby?lat=47&lng=-122&"]
)
def test_a_request_within_the_rights_of_a_key_is_unchanged(path: str, mode: str) -> None:
    query = parse(f"{path}include=source{mode}")
    assert resolve_includes(query, entitlement=SOURCE, offer=Offer()) is query


def test_a_forecast_is_asked_as_the_others_are() -> None:
    query = parse(f"{EVENT}?include=forecast")
    assert resolve_includes(query, entitlement=Entitlement(addons=frozenset({"forecast"})), offer=Offer()) is query
    assert refuse(f"{EVENT}?include=forecast", SOURCE, offer=Offer()).code == "include_not_permitted"


def test_a_mode_without_an_add_on_is_no_other_request() -> None:
    assert parse("/v1/seattle/events?include_mode=lenient").text == parse("/v1/seattle/events").text


def test_a_lenient_request_is_another_than_the_plain_one() -> None:
    lenient = "/v1/seattle/events?include=source&include_mode=lenient"
    assert parse(lenient).text not in (
        parse("/v1/seattle/events").text,
        parse("/v1/seattle/events?include=source").text,
    )
