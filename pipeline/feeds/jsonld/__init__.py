"""schema.org in JSON-LD, as pages and files write it."""

from pipeline.feeds.jsonld.documents import count_lines
from pipeline.feeds.jsonld.reading import read_documents

__all__ = ["count_lines", "read_documents"]
