"""OpenActive's Realtime Paged Data Exchange 1.0: a feed of what changed, page after page."""

from collections.abc import Iterable

from pipeline.feeds.raw import RawRecord
from pipeline.feeds.reader import FeedSetting, Reader
from pipeline.feeds.rpde.opening import open_walk
from pipeline.feeds.rpde.reading import read_items
from pipeline.feeds.source import SourceFile

__all__ = ["READER"]


def _read_walk(file: SourceFile, setting: FeedSetting, lines_before: int) -> Iterable[RawRecord]:  # noqa: ARG001
    """A walk is one file."""
    return read_items(file.path, own=file.own, timezone=setting.timezone, vocabulary=setting.vocabulary)


READER = Reader(read_file=_read_walk, open=open_walk)
