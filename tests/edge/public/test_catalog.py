"""`/.well-known/api-catalog` leads a program that knows only the host to the API, without a key (RFC 9727)."""

from tests.edge.asking import ask
from tests.edge.conftest import Service

PATH = "/.well-known/api-catalog"


def test_it_leads_to_the_contract_and_needs_no_key(service: Service) -> None:
    got = ask(service.edge, PATH)
    assert (got.status, got.headers["content-type"]) == (200, "application/linkset+json")
    (link,) = got.read_json()["linkset"]
    assert ask(service.edge, link["anchor"]).status == 200
    assert ask(service.edge, link["service-desc"][0]["href"]).read_json()["openapi"] == "3.1.0"
    assert ask(service.edge, link["service-meta"][0]["href"]).status == 200
    assert ask(service.edge, PATH, if_none_match=got.headers["etag"]).status == 304
    assert ask(service.edge, PATH, method="POST").status == 405
