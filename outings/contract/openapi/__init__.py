"""`/openapi.json`: the contract as OpenAPI 3.1."""

from outings.contract.openapi.document import encode_document, make_document

__all__ = ["encode_document", "make_document"]
