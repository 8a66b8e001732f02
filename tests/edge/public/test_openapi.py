"""`/openapi.json` as it is served: without a key, made ahead, in the words of the release."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from outings.contract.openapi.document import encode_document
from outings.contract.parameters import ZIPS
from outings.contract.vocabulary import Vocabulary
from outings.release.pointer import read_pointer
from outings.release.publishing import publish
from outings.release.root import read_root
from tests.answers.worlds import open_world
from tests.edge.asking import ask
from tests.edge.conftest import Service
from tests.edge.publishing import NOW, make_version, make_worlds, put_snapshot

PATH = "/openapi.json"


def test_it_is_the_contracts_document_and_needs_no_key(service: Service) -> None:
    got = ask(service.edge, PATH)
    assert got.status == 200
    assert got.body == encode_document(Vocabulary(), refused=ZIPS)
    assert got.headers["content-type"] == "application/json"
    assert got.headers["cache-control"] == "private, max-age=3600"
    assert ask(service.edge, PATH, key="wrong").body == got.body


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_it_is_sent_in_the_coding_that_is_asked_for(service: Service, coding: str) -> None:
    got = ask(service.edge, PATH, accept_encoding=coding)
    assert got.headers["content-encoding"] == coding
    assert len(got.body) == int(got.headers["content-length"]) < 100_000
    assert got.read_body() == encode_document(Vocabulary(), refused=ZIPS)


def test_an_unchanged_one_is_304(service: Service) -> None:
    etag = ask(service.edge, PATH).headers["etag"]
    assert etag.startswith('W/"')
    got = ask(service.edge, PATH, if_none_match=etag)
    assert (got.status, got.body, got.headers["etag"]) == (304, b"", etag)
    assert ask(service.edge, PATH, if_none_match='W/"another"').status == 200


def test_head_and_options_work(service: Service) -> None:
    got = ask(service.edge, PATH, method="HEAD")
    assert (got.status, got.body) == (200, b"")
    assert int(got.headers["content-length"]) == len(encode_document(Vocabulary(), refused=ZIPS))
    assert ask(service.edge, PATH, method="OPTIONS").status == 204
    assert ask(service.edge, PATH, method="POST").status == 405


def test_before_the_first_release_its_words_are_not_known(make_own: Callable[..., Service]) -> None:
    got = ask(make_own(published=False).edge, PATH)
    assert (got.status, got.error["code"]) == (503, "unavailable")


def test_a_release_with_other_words_brings_another_document(make_own: Callable[..., Service]) -> None:
    service = make_own()
    before = ask(service.edge, PATH)
    later = NOW + timedelta(minutes=1)
    own = Vocabulary(teams=("mets", "liberty"))
    parts = {
        world.slug: put_snapshot(
            service.store,
            replace(open_world(world, service.folder / f"{world.slug}-own", stamp=later), vocabulary=own),
            days=(),
        )
        for world in make_worlds()
    }
    current = read_pointer(service.store)
    assert current is not None
    publish(
        service.store, base=read_root(service.store, current.pointer.root), parts=parts,
        changes=[make_version(slug, later) for slug in parts], feeds={}, now=later,
    )  # fmt: skip
    assert ask(service.edge, PATH).body == before.body
    service.edge.poll()
    after = ask(service.edge, PATH)
    assert after.headers["etag"] != before.headers["etag"]
    words = json.loads(after.body)["components"]["schemas"]["Team"]["enum"]
    assert words == ["mets", "liberty"]
    refused = service.get("/v1/harbor/events?team=kraken")
    assert refused.error["details"]["allowed"] == words
