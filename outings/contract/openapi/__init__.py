"""`/openapi.json`: the contract as OpenAPI 3.1."""

from outings.contract.openapi.document import encode_document, make_document
from outings.contract.openapi.responses import METRICS_TYPE

__all__ = ["METRICS_TYPE", "encode_document", "make_document"]
