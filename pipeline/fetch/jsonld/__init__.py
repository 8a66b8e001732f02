"""Read schema.org objects in JSON-LD, as pages and files write them."""

from pipeline.fetch.formats import Reader
from pipeline.fetch.jsonld.reading import read_documents

READER = Reader(read=read_documents, reads_markup=True)
