"""The address that a page names as that of the next one."""

from urllib.parse import SplitResult, parse_qsl, urljoin, urlsplit, urlunsplit

from pipeline.feeds.remote.feed_url import SCHEMES, show_url

_MOST_URL = 2_000
_PORTS = {"http": 80, "https": 443}


class WalkError(Exception):
    """A walk through pages can't go on. `url`: of the page at fault."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(reason)
        self.url = url


def resolve_next(stated: str, url: str) -> str:
    """The whole address of the next page that the page at `url` states, with the password of that one. ValueError for
    another server: an answer must not choose whom we ask."""
    try:
        here, there = urlsplit(url), urlsplit(urljoin(url, stated.strip()))
        if here.scheme == "https" and there.scheme == "http" and there.hostname == here.hostname:
            there = there._replace(scheme="https", netloc=there.netloc.removesuffix(":80"))  # a proxy between them lied
        same = (there.hostname, _find_port(there)) == (here.hostname, _find_port(here))
    except ValueError:
        raise ValueError("names a next page that is not an address") from None
    if there.scheme not in SCHEMES or not same or len(stated) > _MOST_URL or not stated.isprintable():
        raise ValueError(f"names a next page of another server, {show_url(stated[:_MOST_URL])}")
    return urlunsplit(there._replace(netloc=here.netloc, fragment=""))


def normalize_url(url: str) -> tuple[str, ...]:
    """Two spellings of one page's address are one."""
    parts = urlsplit(url)
    pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
    return parts.path or "/", *(text for pair in pairs for text in pair)


def _find_port(parts: SplitResult) -> int | None:
    """None for its scheme's own, written or not."""
    return None if parts.port == _PORTS.get(parts.scheme) else parts.port
