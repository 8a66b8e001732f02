"""schema.org in JSON-LD, as pages and files write it."""

from collections.abc import Iterable

from pipeline.feeds.jsonld.documents import count_lines
from pipeline.feeds.jsonld.reading import read_documents
from pipeline.feeds.reader import FeedSetting, RawRecord, Reader
from pipeline.feeds.source import SourceFile

__all__ = ["READER", "count_lines", "read_documents"]


def _read_file(file: SourceFile, setting: FeedSetting, lines_before: int) -> Iterable[RawRecord]:
    return read_documents(
        file.path.read_bytes(), timezone=setting.timezone, vocabulary=setting.vocabulary, address=file.name,
        charset=file.charset, lines_before=lines_before,
    )  # fmt: skip


READER = Reader(read_file=_read_file, count_lines=count_lines, reads_markup=True)
