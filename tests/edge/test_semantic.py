"""A server that was given a model ranks searches by it; one that was not does not."""

from pathlib import Path

from edge.app import Edge
from outings.answers.semantic.model import Model
from tests.answers.semantic.networks import write_model
from tests.edge.asking import Response, ask
from tests.edge.conftest import Clock
from tests.edge.publishing import add_keys
from tests.pipeline.city import City, make_event


def serve(city: City, folder: Path, *, model: Model | None) -> Response:
    """What it answers the same request with, twice."""
    (key,) = add_keys(city.store, {"any": {}}).values()
    edge = Edge(city.store, cache=folder, clock=Clock(), model=model)
    try:
        edge.poll()
        target = "/v1/seattle/search?q=pottery"
        first, second = (ask(edge, target, key=key) for _ in range(2))
        assert first.read_body() == second.read_body()
        assert ask(edge, target, key=key, if_none_match=first.headers["etag"]).status == 304
        return first
    finally:
        edge.close()


def test_searches_are_ranked_by_the_model_that_the_server_was_given(tmp_path: Path) -> None:
    city = City(tmp_path)
    city.model = write_model(tmp_path / "tiny")
    city.write([make_event("a", name="Ceramics", description=None), make_event("b", name="Robots", description=None)])
    city.build()
    hybrid = serve(city, tmp_path / "one", model=Model(city.model))
    lexical = serve(city, tmp_path / "other", model=None)
    assert hybrid.headers["etag"] != lexical.headers["etag"]
    assert [each.read_json()["meta"]["ranking"] for each in (hybrid, lexical)] == ["hybrid", "lexical"]
    (item,) = hybrid.read_json()["data"]
    assert (item["name"], item["match"]) == ("Ceramics", "related")
