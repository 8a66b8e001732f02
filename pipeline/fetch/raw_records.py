"""Read the raw records of an opened feed, by its format's reader."""

from collections.abc import Iterable, Iterator, Sequence

from outings.configuration import FORMATS, Configuration, FeedTable
from pipeline.fetch.formats import FeedSetting, RawRecord, Reader
from pipeline.fetch.opening import is_remote
from pipeline.fetch.source import FeedError, FeedSource, SettingError, SourceFile, check_unchanged
from pipeline.fetch.text_files import HEAD, refuse_markup


def list_raw_records(
    feed: FeedTable, configuration: Configuration, source: FeedSource, *, reader: Reader, setting: FeedSetting
) -> Iterator[RawRecord]:
    """Yield the feed's raw records in the order of its files.

    Raises FeedError if a file can't be read or changes meanwhile, or if there are more rows than `max_rows` allows.
    """
    for count, raw in enumerate(_read_files(source.files, reader, setting), start=1):
        if count > feed.max_rows:
            raise FeedError(feed.name, feed.url, f"has more than the {feed.max_rows:,} rows that max_rows allows")
        yield raw
    if not is_remote(feed):
        check_unchanged(feed, source.files, configuration.directory)


def _read_files(files: Sequence[SourceFile], reader: Reader, setting: FeedSetting) -> Iterable[RawRecord]:
    if reader.read_together is not None:
        yield from reader.read_together(files, setting)
        return
    assert reader.read is not None, "a reader has one of both"
    for file in files:
        try:
            if not reader.reads_markup:
                with file.path.open("rb") as opened:
                    refuse_markup(opened.read(HEAD))
            for raw in reader.read(file, setting):
                yield raw if len(files) == 1 else raw._replace(file=file.name)
        except OSError as error:
            raise FeedError(setting.feed.name, file.name, f"can't be read: {error.strerror}") from error
        except ValueError as error:
            raise FeedError(setting.feed.name, file.name, str(error)) from error


def find_timezone(feed: FeedTable, configuration: Configuration) -> str:
    """Return the time zone of the feed's metro, "" if its format needs none.

    Raise SettingError if the feed names no metro."""
    if not (FORMATS[feed.format].has_zones or feed.map):
        return ""
    stated = feed.metro or feed.defaults.get("metro")
    metros = (metro for metro in configuration.metros if stated in (metro.slug, *metro.aliases))
    if (metro := next(metros, None)) is not None:
        return metro.timezone
    raise SettingError(feed.name, "metro", f"is missing; {feed.format} does not state its metro")
