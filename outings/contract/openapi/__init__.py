"""`/openapi.json`: the contract as OpenAPI 3.1."""

from outings.contract.openapi.document import encode_document, make_document
from outings.contract.openapi.static_document import encode_static_document

__all__ = ["encode_document", "encode_static_document", "make_document"]
