"""One question over HTTP: bounded in time and size, tried again where that may help."""

import logging
import time

import httpx2
import stamina
from msgspec import Struct

MOST_REST_SECONDS = 300.0


class Patience(Struct, frozen=True, kw_only=True):
    """In seconds: of a connection, of a silence, of one question whole; `attempts` in all, the second after `pause`."""

    connect: float = 2.0
    silence: float = 2.0
    whole: float = 3.0
    attempts: int = 2
    pause: float = 0.1


class Unreached(Exception):  # noqa: N818 - the name says it
    """`rest`: seconds after which the server wants to be asked again. Its text names nothing of the question."""

    def __init__(self, reason: str, *, rest: float | None = None) -> None:
        super().__init__(reason)
        self.rest = rest


class Broken(Unreached):
    """Asking again would bring the same."""


class Fetcher:
    """Of one server. `headers` go with every question; `refusing` are the statuses by which the server says that the
    question is at fault, `most_bytes` the longest answer that is read."""

    def __init__(
        self,
        url: str,
        *,
        headers: dict[str, str],
        patience: Patience,
        refusing: frozenset[int] = frozenset(),
        most_bytes: int = 2**20,
    ) -> None:
        self._url = url.rstrip("/")
        self._patience = patience
        self._refusing = refusing
        self._most_bytes = most_bytes
        timeout = httpx2.Timeout(patience.silence, connect=patience.connect)
        self._client = httpx2.Client(timeout=timeout, headers={"Accept-Encoding": "identity", **headers})
        for name in ("httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)  # below, URLs are logged, with the question in them

    def fetch(self, path: str, parameters: dict[str, str] | None = None) -> bytes | None:
        """Blocks. None where the question is at fault. Raises `Unreached`."""
        patience = self._patience
        for attempt in stamina.retry_context(
            on=lambda error: isinstance(error, Unreached) and not isinstance(error, Broken),
            attempts=patience.attempts, timeout=None, wait_initial=patience.pause, wait_jitter=patience.pause,
        ):  # fmt: skip
            with attempt:
                return self._fetch_once(self._url + path, parameters)
        raise AssertionError("the last attempt raises")

    def close(self) -> None:
        self._client.close()

    def _fetch_once(self, url: str, parameters: dict[str, str] | None) -> bytes | None:
        end = time.monotonic() + self._patience.whole
        try:
            with self._client.stream("GET", url, params=parameters) as response:
                if response.status_code in self._refusing:
                    return None
                _check_status(response)
                return self._read_body(response, end=end)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            # Not chained: its text may name the URL.
            raise Unreached(type(error).__name__) from None

    def _read_body(self, response: httpx2.Response, *, end: float) -> bytes:
        """A timeout of each silence alone lets a server take for ever."""
        body = b""
        for piece in response.iter_raw():
            body += piece
            if len(body) > self._most_bytes:
                raise Broken(f"its answer has more than {self._most_bytes} bytes")
            if time.monotonic() > end:
                raise Unreached("it takes too long")
        return body


def _check_status(response: httpx2.Response) -> None:
    status = response.status_code
    if status == 429 or status >= 500:
        stated = response.headers.get("retry-after", "")
        rest = min(float(stated), MOST_REST_SECONDS) if stated.isascii() and stated.isdigit() else None
        kind = Unreached if rest is None and status != 429 else Broken
        raise kind(f"status {status}", rest=rest)
    if status != 200:
        raise Broken(f"status {status}")
