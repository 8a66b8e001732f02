"""Search with a model: it may add to `related` and break ties, and without it nothing changes."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from outings.answers.plan import AnswerContext
from outings.answers.routes import answer, make_plan
from outings.answers.semantic.model import Model
from outings.contract.errors import ApiError
from outings.contract.query import Entitlement, Query, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import Vocabulary
from outings.release.snapshot import Release
from tests.answers.semantic.networks import write_model
from tests.contract.conformance import check_success
from tests.pipeline.city import City, make_event

PATH = "/v1/seattle/search"
EVERY = "match=all_terms,related,partial"
MEANINGS = {
    "[UNK]": (0, 0, 0), "a": (0.1, 0.1, 0.1), "oboe": (1, 0, 0), "bassoon": (0.9, 0.1, 0), "trumpet": (0.8, 0.6, 0),
    "zither": (0, 1, 0), "deep": (0, 0, 1), "dive": (0, 0, 0.9),
}  # fmt: skip


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> City:
    city = City(tmp_path_factory.mktemp("city"))
    city.model = write_model(city.folder / "tiny", MEANINGS)
    names = ("Bassoon", "Trumpet", "Zither", "Oboe", "Quiet Dive", "Quiet Oboe")
    events = [make_event(name, name=name, description=None) for name in names]
    city.write([*events, make_event("late", name="Bassoon", description=None, adults_only=True)])
    city.build()
    return city


@pytest.fixture(scope="module")
def release(city: City) -> Release:
    return city.open()


@pytest.fixture(scope="module")
def model(city: City) -> Model:
    assert city.model is not None
    return Model(city.model)


def parse(params: str) -> Query:
    match = match_route(PATH)
    assert match is not None
    return parse_query(match, params.encode(), vocabulary=Vocabulary())


def search(release: Release, params: str, model: Model | None) -> Any:
    dates = dict.fromkeys(release.metros, date(2026, 8, 10))
    results = answer(parse(params), release=release, dates=dates, entitlement=Entitlement(), model=model)
    body = b"".join(results.parts)
    check_success(f"{PATH}?{params}", body, vocabulary=Vocabulary())
    return json.loads(body)


def tag(release: Release, params: str, model: Model | None) -> str:
    dates = dict.fromkeys(release.metros, date(2026, 8, 10))
    about = AnswerContext(release=release, dates=dates, entitlement=Entitlement(), model=model)
    return make_plan(parse(params), about).etag


def show(body: Any) -> list[tuple[str, str, float]]:
    return [(item["name"], item["match"], item["score"]) for item in body["data"]]


def test_near_listings_are_related_below_those_that_have_the_word(release: Release, model: Model) -> None:
    body = search(release, "q=oboe", model)
    assert body["meta"]["ranking"] == "hybrid"
    names = [(name, match) for name, match, _ in show(body)]
    assert names == [
        ("Oboe", "all_terms"), ("Quiet Oboe", "all_terms"), ("Bassoon", "related"), ("Trumpet", "related"),
    ]  # fmt: skip
    assert body["meta"]["match_counts"] == {"all_terms": 2, "related": 2, "partial": 0}


def test_all_terms_are_what_they_are_without_a_model(release: Release, model: Model) -> None:
    without = search(release, "q=oboe", None)
    assert without["meta"]["ranking"] == "lexical"
    assert show(without) == [each for each in show(search(release, "q=oboe", model)) if each[1] == "all_terms"]


def test_a_score_is_six_tenths_of_the_similarity(release: Release, model: Model) -> None:
    scores = {name: score for name, _, score in show(search(release, "q=oboe", model))}
    assert scores["Bassoon"] == pytest.approx(0.6 * 0.9 / (0.81 + 0.01) ** 0.5, abs=0.006)
    assert scores["Trumpet"] == pytest.approx(0.6 * 0.8, abs=0.006)


def test_what_a_filter_or_a_default_hides_stays_hidden(release: Release, model: Model) -> None:
    """The adults' bassoon is near too."""
    shown = show(search(release, "q=oboe&audience=all", model))
    assert [name for name, _, _ in shown].count("Bassoon") == 2
    assert show(search(release, "q=oboe&from=2026-09-01", model)) == []


def test_equals_are_in_the_order_of_nearness(release: Release, model: Model) -> None:
    """Both have one of the two words, in a name of two: the dive is what goes deep."""
    with_model = show(search(release, f"q=quiet+deep&{EVERY}", model))
    assert with_model[0][:2] == ("Quiet Dive", "related")
    without = show(search(release, f"q=quiet+deep&{EVERY}", None))
    assert {(match, score) for _, match, score in without} == {("partial", without[0][2])}


def test_an_age_alone_asks_no_model(release: Release, model: Model) -> None:
    assert show(search(release, "q=5+year+olds", model)) == show(search(release, "q=5+year+olds", None))


def test_another_model_or_none_is_another_answer_with_another_tag(
    release: Release, model: Model, tmp_path: Path
) -> None:
    other = Model(write_model(tmp_path / "other"))
    assert tag(release, "q=oboe", other) == tag(release, "q=oboe", None) != tag(release, "q=oboe", model)
    assert search(release, "q=oboe", other) == search(release, "q=oboe", None)


def test_a_walk_ends_where_the_ranking_changes(release: Release, model: Model) -> None:
    for first, then in ((model, None), (None, model)):
        cursor = search(release, "q=oboe&limit=1", first)["meta"]["next_cursor"]
        assert len(show(search(release, f"q=oboe&limit=1&cursor={cursor}", first))) == 1
        with pytest.raises(ApiError) as refused:
            search(release, f"q=oboe&limit=1&cursor={cursor}", then)
        assert refused.value.details["reason"] == "cursor_expired"


def test_a_walk_gives_each_result_once(release: Release, model: Model) -> None:
    whole = [item["id"] for item in search(release, "q=oboe", model)["data"]]
    walked, cursor = [], ""
    for _ in whole:
        body = search(release, f"q=oboe&limit=1{cursor}", model)
        walked += [item["id"] for item in body["data"]]
        cursor = f"&cursor={body['meta']['next_cursor']}"
    assert walked == whole
    assert body["meta"]["next_cursor"] is None
