"""Read schema.org objects in JSON-LD, as pages and files write them."""

from collections.abc import Iterable

from pipeline.fetch.formats import FeedSetting, RawRecord, Reader
from pipeline.fetch.jsonld.reading import read_documents
from pipeline.fetch.source import SourceFile

__all__ = ["READER", "read_documents"]


def _read(file: SourceFile, setting: FeedSetting) -> Iterable[RawRecord]:
    return read_documents(
        file.path.read_bytes(), timezone=setting.timezone, vocabulary=setting.vocabulary, address=file.name,
        charset=file.charset,
    )  # fmt: skip


READER = Reader(read=_read, reads_markup=True)
