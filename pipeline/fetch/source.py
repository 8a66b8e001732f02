"""Find the files of a feed, hash them, and find whether a release has their records already."""

import hashlib
from collections.abc import Sequence
from datetime import date, datetime
from glob import glob, has_magic
from pathlib import Path
from stat import S_ISREG

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import Configuration, FeedTable
from outings.failures import OperatorError, WrongSetting
from outings.release.folder import FileState, name_state
from outings.release.root import FeedMemory
from outings.release.store import Store, object_name
from pipeline import fingerprint

# The separator between a listing's id and the id of its part.
PART = "#"
# Of a feed in a bucket.
BUCKET_SCHEME = "s3://"


def find_item(source_id: str) -> str:
    """Return the id of the item to which a record belongs: its `source_id` without the part after `#`."""
    return source_id.partition(PART)[0]


_LEAST_SCRATCH = 1 << 30


class _PlacedError(Exception):
    # All of its arguments are kept as given, so that it comes back whole from another process.
    def __init__(self, feed: str, place: str, message: str) -> None:
        super().__init__(feed, place, message)
        self.feed = feed

    def __str__(self) -> str:
        return "feed {}: {}: {}".format(*self.args)


class FeedError(_PlacedError, OperatorError):
    """A feed can't be read at all, and nothing new of it is published. `place`: its address."""


class SettingError(_PlacedError, WrongSetting):
    """A feed's setting, the `place`, is wrong in a way that shows only when it is used, before anything is built."""


class SelectError(SettingError):
    """The SQL of a table's `select` is wrong. `place` names its file."""


class SourceFile(Struct, frozen=True, kw_only=True):
    """A file of a feed. `name`: as the url gives it; `state` changes when the file does. `charset`: as the server
    states it; `etag`, `last_modified`: its validators of a page that a list links to. `has_rows`: it has rows gathered
    from pages, one a line. `cut`: why rows may be missing."""

    name: str
    path: Path
    state: FileState
    charset: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    has_rows: bool = False
    cut: str | None = None


class FeedSource(Struct, frozen=True, kw_only=True):
    """The files of a feed in one build. `hash`: from `hash_feed`.

    `question`: hash of the address, the settings and this program. A later build reuses what it remembers only if this
    is the same. `unchanged`: the stored object of the feed's records, if they are the same; `before`: that object, if
    something did; `pages`: the stored object of the pages that its list links to. Of a feed in pages: `next` is where
    the next build reads on, `walked_at` when the pages were read, and `is_whole` whether all of them were. `failure`:
    why this is the feed's last good version. `day`: when it is read.
    """

    hash: str
    files: tuple[SourceFile, ...] = ()
    question: str | None = None
    unchanged: str | None = None
    before: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    pages: str | None = None
    next: str | None = None
    walked_at: datetime | None = None
    is_whole: bool = False
    failure: str | None = None
    day: date | None = None


def list_files(feed: FeedTable, directory: Path) -> tuple[SourceFile, ...]:
    """Return the files that the feed's url matches, sorted by name. Raises `FeedError` if there is none."""
    url = feed.url.removeprefix("file:")
    if url.startswith("///"):
        url = url[2:]
    if (directory / url).exists() or not has_magic(url):
        names = [url]
    else:
        paths = glob(url, root_dir=directory, recursive=True)  # noqa: PTH207 Path.glob takes no absolute pattern
        names = sorted(name for name in paths if (directory / name).is_file())
    if not names:
        raise FeedError(feed.name, url, "no file matches")
    files = tuple(look_at(feed, name, directory / name) for name in names)
    if sum(file.state[1] for file in files) > feed.max_bytes:
        raise FeedError(feed.name, url, f"has more than the {feed.max_bytes:,} bytes that max_bytes allows")
    return files


def limit_scratch(feed: FeedTable) -> int:
    """Return the largest size of the feed's scratch files, in bytes: rows as JSON are longer than in most formats."""
    return max(4 * feed.max_bytes, _LEAST_SCRATCH)


def look_at(feed: FeedTable, name: str, path: Path) -> SourceFile:
    try:
        if path.is_dir():
            raise FeedError(feed.name, name, f"is a folder; {name}/*.ndjson names the files in it")
        status = path.stat()
        if not S_ISREG(status.st_mode):
            raise FeedError(feed.name, name, "is not a file: it would never end")
    except OSError as error:
        raise FeedError(feed.name, name, f"can't be read: {error.strerror}") from error
    return SourceFile(name=name, path=path, state=name_state(status))


def name_neighborhoods(metro: str) -> str:
    """Return the name under which problems and errors report a metro's file of neighborhoods, in place of a feed's."""
    return f"neighborhoods of {metro}"


def read_file(path: Path, *, source: str) -> bytes:
    """Read a file of the configuration. Raises FeedError, with `source` in place of a feed's name."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FeedError(source, str(path), f"can't be read: {error.strerror}") from error


def hash_feed(feed: FeedTable, configuration: Configuration, files: Sequence[SourceFile] | None = None) -> str:
    """Hash the feed's records by its files, as `fingerprint` says. Raises `FeedError`, `SelectError`."""
    described = []
    for file in list_files(feed, configuration.directory) if files is None else files:
        try:
            with file.path.open("rb") as opened:
                content = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise FeedError(feed.name, file.name, f"can't be read: {error.strerror}") from error
        described.append((content, file.name, file.path.suffix, file.charset, file.has_rows, file.cut))
    return fingerprint.hash_records(feed, configuration, select=_read_own_select(feed), files=described)


def _read_own_select(feed: FeedTable) -> str:
    return "" if feed.select is None else read_select(feed.name, feed.select)


def read_select(feed: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SelectError(feed, f"select {path}", f"can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SelectError(feed, f"select {path}", f"is not UTF-8 (byte {error.start})") from error


def check_unchanged(feed: FeedTable, files: Sequence[SourceFile], directory: Path) -> None:
    """Raise `FeedError` if a file changed since `files` were listed, because two versions would be mixed."""
    if list_files(feed, directory) != tuple(files):
        raise FeedError(feed.name, feed.url, "changed while it was read; run the command again when nothing changes it")


def keep_known(
    feed: FeedTable,
    configuration: Configuration,
    files: tuple[SourceFile, ...],
    *,
    source: FeedSource,
    known: FeedMemory | None,
) -> FeedSource:
    """Return the source with the stored records: as `unchanged` if `files` have the same hash, else as `before`."""
    own = hash_feed(feed, configuration, files)
    records = {} if known is None else {"unchanged" if known.hash == own else "before": known.records}
    return replace(source, hash=own, files=files, **records)


def choose_known(memory: FeedMemory | None, *, question: str) -> FeedMemory | None:
    return memory if memory is not None and memory.question == question and memory.records is not None else None


def hash_question(feed: FeedTable, configuration: Configuration, *, names: Sequence[str] = ()) -> str:
    """Hash the feed's question, as `fingerprint` says. Answers to another one are not reused. Raises `SelectError`."""
    return fingerprint.hash_question(feed, configuration, select=_read_own_select(feed), names=names)


def check_memory(memory: FeedMemory | None, store: Store | None) -> FeedMemory | None:
    """Return the memory, None if its stored records are missing, as in a store that was copied in part."""
    if memory is None or store is None:
        return None
    return memory if memory.records is None or store.exists(object_name(memory.records)) else None
