"""Call servers of others: limited in time and size, retried if that helps, paused while they fail."""

import logging
import time
from collections.abc import Callable
from math import ceil

import httpx2
import stamina

from outings.retry_policy import TRANSIENT_STATUSES, RetryPolicy, read_retry_after


class RemoteError(Exception):
    """A call failed. `rest`: the seconds that the server asks to wait. The message contains nothing of the request."""

    def __init__(self, reason: str, *, rest: float | None = None) -> None:
        super().__init__(reason)
        self.rest = rest


class PermanentRemoteError(RemoteError):
    """A call failed, and a retry would fail in the same way."""


# The most bytes of one answer.
MOST_BYTES = 2**20


def check_proxies() -> None:
    """Raise ValueError if the environment names a proxy that the HTTP client can't use."""
    try:
        httpx2.Client().close()
    except (ImportError, ValueError) as error:
        raise ValueError(str(error)) from error


class Fetcher:
    """Sends GET requests to one server, with `headers`. `refusing`: the statuses by which it says that the request
    itself is wrong."""

    def __init__(
        self, url: str, *, headers: dict[str, str], policy: RetryPolicy, refusing: frozenset[int] = frozenset()
    ) -> None:
        self._url = url.rstrip("/")
        self._policy = policy
        self._refusing = refusing
        timeout = httpx2.Timeout(policy.silence, connect=policy.connect)
        self._client = httpx2.Client(timeout=timeout, headers={"Accept-Encoding": "identity", **headers})
        for name in ("httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)  # below, URLs are logged, with the question in them

    def fetch(self, path: str, parameters: dict[str, str] | None = None) -> bytes | None:
        """Return the response's body, or None if the server refuses the request as wrong. Retries. Raises RemoteError.
        Blocks."""
        policy = self._policy
        for attempt in stamina.retry_context(
            on=lambda error: isinstance(error, RemoteError) and not isinstance(error, PermanentRemoteError),
            attempts=policy.attempts, timeout=None, wait_initial=policy.pause, wait_jitter=policy.pause,
        ):  # fmt: skip
            with attempt:
                return self._fetch_once(self._url + path, parameters)
        raise AssertionError("the last attempt raises")

    def close(self) -> None:
        self._client.close()

    def _fetch_once(self, url: str, parameters: dict[str, str] | None) -> bytes | None:
        end = time.monotonic() + self._policy.whole
        try:
            with self._client.stream("GET", url, params=parameters) as response:
                if response.status_code in self._refusing:
                    return None
                self._check_status(response)
                return self._read_body(response, end=end)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            # Not chained, because its text may contain the URL.
            raise RemoteError(type(error).__name__) from None

    def _check_status(self, response: httpx2.Response) -> None:
        """Raise an error for a failed response, with the seconds to wait if the server states them or is overloaded."""
        status = response.status_code
        if status == 200:
            return
        if status not in TRANSIENT_STATUSES:
            raise PermanentRemoteError(f"status {status}")
        rest = read_retry_after(response.headers.get("retry-after"), time.time())
        if rest:
            raise PermanentRemoteError(f"status {status}", rest=min(rest, self._policy.rest))
        raise (PermanentRemoteError if status == 429 else RemoteError)(f"status {status}")

    def _read_body(self, response: httpx2.Response, *, end: float) -> bytes:
        """Read the body, until the time `end`. A time-out between bytes alone would let a server take forever."""
        body = b""
        for piece in response.iter_raw():
            body += piece
            if len(body) > MOST_BYTES:
                raise PermanentRemoteError(f"its answer has more than {MOST_BYTES} bytes")
            if time.monotonic() > end:
                raise RemoteError("it takes too long")
        return body


class CircuitBreaker:
    """Stops calls to a failing server. It opens for `rest` seconds after `failures` in a row. Then it is half-open: one
    call every `trial` seconds passes, until one succeeds and closes it. For one thread; `clock` in seconds.

    Existing libraries hold a lock while they call (pybreaker), or do not say how long is left.
    """

    def __init__(
        self, *, clock: Callable[[], float], failures: int = 5, rest: float = 30.0, trial: float = 10.0
    ) -> None:
        self._clock = clock
        self._most = failures
        self._rest = rest
        self._trial = trial
        self._failed = 0
        self._open_until = float("-inf")

    def enter(self) -> int | None:
        """Return None if a call may be made now, else the whole seconds to wait, at least 1. After the call, report
        whether it succeeded."""
        left = self._open_until - self._clock()
        if left > 0:
            return ceil(left)
        if self._failed >= self._most:
            self._open_until = self._clock() + self._trial
        return None

    def note_success(self) -> None:
        self._failed = 0
        self._open_until = float("-inf")

    def note_failure(self, *, rest: float | None = None) -> int:
        """Count a failure and return the whole seconds to wait now, at least 1. `rest`: seconds that the server itself
        asked for."""
        self._failed += 1
        if rest is not None or self._failed >= self._most:
            self._failed = max(self._failed, self._most)
            self._open_until = self._clock() + (self._rest if rest is None else rest)
        return max(1, ceil(self._open_until - self._clock())) if self._failed >= self._most else 1
