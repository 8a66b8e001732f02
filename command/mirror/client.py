"""A client of the API that waits and retries as the server asks."""

import os
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import orjson
from msgspec import Struct

from outings.failures import OperatorError
from outings.retry_policy import TRANSIENT_STATUSES, read_retry_after

# The environment variable with the key.
KEY = "OUTINGS_KEY"
# Tries of a request. Without a Retry-After, waits double from one second.
ATTEMPTS = 6
# Longer waits end the mirror: the month's allowance is spent.
LONGEST_WAIT = 900.0
_TIMEOUT = 60.0
_ANSWERS = (200, 400, 403, 404)


class MirrorError(OperatorError):
    """A fault after which the mirror can't continue."""


def read_key(path: Path | None, *, configured: Path | None = None) -> str:
    """Return the key from the file `path`, else from OUTINGS_KEY, else from `configured`. Raises MirrorError."""
    if path is None and not os.environ.get(KEY, "").strip():
        path = configured
    try:
        key = os.environ.get(KEY, "") if path is None else path.read_text()
    except OSError as error:
        raise MirrorError(f"{path}: {error.strerror}") from None
    if not key.strip():
        raise MirrorError(f"no key: give --key-file, or set {KEY}")
    return key.strip()


class ApiResponse(Struct, frozen=True, kw_only=True):
    """A response of the API: `body` is parsed JSON, `release` the id of the release that it shows."""

    status: int
    body: Any
    release: str | None


class HttpResponse(Struct, frozen=True, kw_only=True):
    """An HTTP response: header names in lower case, `data` decompressed."""

    status: int
    headers: dict[str, str]
    data: bytes


class Connection:
    """A connection to the API at `url`, without `/v1`. A call sends GET. Thread-safe. Raises httpx2.HTTPError."""

    def __init__(self, url: str, *, key: str = "") -> None:
        if not url.startswith(("http://", "https://")):
            raise MirrorError(f"url {url!r}: expected an address with http:// or https://")
        self._client = httpx2.Client(
            base_url=url,
            headers={"X-API-Key": key} if key else {},
            timeout=_TIMEOUT,
            trust_env=False,
            verify=ssl.create_default_context(),  # the machine's certificates
        )

    def __call__(self, target: str) -> HttpResponse:
        response = self._client.get(target)
        return HttpResponse(status=response.status_code, headers=dict(response.headers), data=response.content)

    def close(self) -> None:
        self._client.close()


class ApiClient:
    """A client that retries. `send` requests a path with its query; `wait` sleeps; errors contain `url`."""

    def __init__(
        self, send: Callable[[str], HttpResponse], *, wait: Callable[[float], None] = time.sleep, url: str = ""
    ) -> None:
        self._send = send
        self._wait = wait
        self._url = url

    def ask(self, path: str, **params: str | int) -> ApiResponse:
        """Return the API's response if its status is 200, 400, 403 or 404. Raises MirrorError for another
        status, after retries if it may pass."""
        target = f"{path}{'?' if params else ''}{urlencode(params)}"
        reason = ""
        for attempt in range(ATTEMPTS):
            delay = float(2**attempt)
            try:
                reply = self._send(target)
                if reply.status in _ANSWERS:
                    body = orjson.loads(reply.data)
                    return ApiResponse(status=reply.status, body=body, release=reply.headers.get("x-release"))
            except orjson.JSONDecodeError:
                reason = "the answer is not JSON"
            except (OSError, httpx2.HTTPError) as error:
                reason = str(error) or type(error).__name__
            else:
                reason = _explain(reply)
                rest = read_retry_after(reply.headers.get("retry-after"), time.time())
                delay = delay if rest is None else rest
                if reply.status not in TRANSIENT_STATUSES or delay > LONGEST_WAIT:
                    break
            if attempt < ATTEMPTS - 1:
                self._wait(delay)
        raise MirrorError(f"{self._url}{target}: {reason}")


def _explain(reply: HttpResponse) -> str:
    try:
        return f"{reply.status} {orjson.loads(reply.data)['error']['message']}"
    except (orjson.JSONDecodeError, KeyError, TypeError):
        moved = reply.headers.get("location")
        return f"status {reply.status}" + (f", moved to {moved}: give that address" if moved else "")
