"""What everybody may read without a key: the words of vocabularies with labels, and where the API begins."""

import pytest

from outings.contract.languages.language import SHIPPED, read_labels
from tests.edge.asking import ask
from tests.edge.conftest import Service


def read_labels_of(service: Service, name: str, query: str = "") -> dict[str, str]:
    got = ask(service.edge, f"/v1/vocabulary{query}")
    assert got.status == 200
    return {term["value"]: term["label"] for term in got.read_json()["data"]["vocabularies"][name]}


def test_each_word_has_a_label_for_people_by_language(service: Service) -> None:
    assert read_labels_of(service, "categories")["stem_discovery"] == "Science and discovery"
    assert read_labels_of(service, "categories", "?language=es")["stem_discovery"] == "Ciencia y descubrimiento"
    assert read_labels_of(service, "seasons", "?language=es")["fall"] == "Otoño"
    assert read_labels_of(service, "type_hints")["zoo_aquarium"] == "Zoo or aquarium"
    assert read_labels_of(service, "audiences")["all_ages"] == "All ages"


def test_a_word_of_a_deployment_is_shown_without_underscores(service: Service) -> None:
    assert read_labels_of(service, "teams", "?language=es")["mariners"] == "Mariners"


def test_every_label_is_of_a_word_and_a_translation_has_all(service: Service) -> None:
    vocabularies = ask(service.edge, "/v1/vocabulary").read_json()["data"]["vocabularies"]
    words = {term["value"] for terms in vocabularies.values() for term in terms}
    for code in SHIPPED:
        assert set(read_labels(code)) <= words, code
    assert words - set(read_labels("es")) == {term["value"] for term in vocabularies["teams"]}


def test_an_answer_without_a_key_has_an_etag_and_refuses_what_it_does_not_know(service: Service) -> None:
    for path in ("/v1", "/v1/vocabulary", "/v1/vocabulary?language=es"):
        first = ask(service.edge, path)
        assert first.headers["cache-control"].endswith("max-age=3600"), path
        assert ask(service.edge, path, if_none_match=first.headers["etag"]).status == 304
    for query, reason in (("language=tlh", "invalid_value"), ("q=x", "parameter_not_supported")):
        got = ask(service.edge, f"/v1/vocabulary?{query}")
        assert (got.status, got.error["details"]["reason"]) == (400, reason)


def test_the_links_of_the_directory_lead_to_routes(service: Service) -> None:
    links = ask(service.edge, "/v1").read_json()["data"]["links"]
    assert links["events"] == "/v1/{metro}/events"
    assert service.get(links["metros"]).status == 200
    metro = service.get("/v1/harbor").read_json()["data"]
    listed = next(row for row in service.get("/v1/metros").read_json()["data"] if row["slug"] == "harbor")
    assert {**metro, "links": listed["links"]} == listed
    assert metro["links"] == {
        name: path.replace("{metro}", "harbor") for name, path in links.items() if "{metro}" in path
    }
    for name in ("places", "coverage", "export", "neighborhoods"):
        assert service.get(metro["links"][name]).status == 200
    assert ask(service.edge, "/v1/harbor").status == 401


@pytest.mark.parametrize("path", ["/v1/", "/v1/vocabulary/", "/v1/%76ocabulary"])
def test_a_public_route_has_one_spelling(service: Service, path: str) -> None:
    assert ask(service.edge, path).status == 404
