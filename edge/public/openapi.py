"""`/openapi.json`: the contract with the deployment's vocabulary. Needs no key."""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from edge.bodies.content_coding import CODINGS, IDENTITY, choose_coding, encode_body
from edge.releases import Releases
from edge.request import Request
from edge.response import (
    Body,
    Lines,
    Response,
    make_body,
    make_etag,
    make_head,
    make_not_modified,
    make_success,
    matches_etag,
)
from outings.contract.errors import unavailable
from outings.contract.openapi.document import encode_document
from outings.contract.routes import ROUTES
from outings.contract.vocabulary import Vocabulary

(MAX_AGE,) = (route.max_age for route in ROUTES if route.name == "openapi")


class EncodedDocument(Struct, frozen=True, kw_only=True):
    """The document, in each coding."""

    etag: bytes
    head: Lines
    bodies: Mapping[bytes, Body]


class OpenApi:
    """The document. `prepare` makes it beside the event loop, once for each vocabulary."""

    def __init__(self, releases: Releases) -> None:
        self._releases = releases
        self._prepared: EncodedDocument | None = None

    def prepare(self) -> None:
        """Takes up the words of the current release."""
        served = self._releases.current
        if served is not None:
            self._prepared = prepare_document(served.vocabulary)

    def answer(self, request: Request) -> Response:
        prepared = self._prepared
        if prepared is None:
            raise unavailable()
        if matches_etag(request.if_none_match, prepared.etag):
            return make_not_modified(request, prepared.head)
        return make_success(request, prepared.head, prepared.bodies[choose_coding(request.accept_encoding)])


@lru_cache(maxsize=2)
def prepare_document(vocabulary: Vocabulary) -> EncodedDocument:
    body = encode_document(vocabulary)
    etag = make_etag(body)
    return EncodedDocument(
        etag=etag,
        head=make_head(etag=etag, max_age=MAX_AGE, release=None),
        bodies={coding: make_body(encode_body(body, coding), coding) for coding in (IDENTITY, *CODINGS)},
    )
