"""Read the bytes of a metro's file of neighborhoods. A build hashes them before it parses the polygons."""

from pathlib import Path

from pipeline.fetch.source import FeedError


def name_source(metro: str) -> str:
    """Return the name under which problems and errors report the file, in place of a feed's name."""
    return f"neighborhoods of {metro}"


def read_bytes(metro: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FeedError(name_source(metro), str(path), f"can't be read: {error.strerror}") from error
