"""Client of the API or of a static tree, which waits and retries as the server says."""

import gzip
import http.client
import os
import time
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson
from msgspec import Struct

from outings.failures import OperatorError
from outings.retry_policy import TRANSIENT_STATUSES, read_retry_after

# The variable that has a key.
KEY = "OUTINGS_KEY"
# Tries of what fails without a word of how long; the waits between them double from a second.
ATTEMPTS = 6
# A wait that the API asks for and nobody sits through: the month's allowance is spent.
LONGEST_WAIT = 900.0
_TIMEOUT = 60.0
_ANSWERS = (200, 400, 403, 404)


class MirrorError(OperatorError):
    """A fault after which the mirror can't continue."""


def read_key(path: Path | None, *, configured: Path | None = None) -> str:
    """Return the key in a file, else in the variable, else in the configured file. Raises MirrorError without one."""
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
    """`body` is parsed JSON; `release` the one that answered."""

    status: int
    body: Any
    release: str | None


class HttpResponse(Struct, frozen=True, kw_only=True):
    """Header names in lower case; `data` unpacked."""

    status: int
    headers: dict[str, str]
    data: bytes


class Connection:
    """`url`: where `/v1` is. Threads may call it, each then has a connection of its own. A call raises OSError or
    http.client.HTTPException."""

    def __init__(self, url: str, *, key: str = "") -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise MirrorError(f"url {url!r}: expected an address with http:// or https://")
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._open = partial(kind, parts.hostname, parts.port, timeout=_TIMEOUT)
        self._idle: list[http.client.HTTPConnection] = []
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Accept-Encoding": "gzip"} | ({"X-API-Key": key} if key else {})

    def __call__(self, target: str) -> HttpResponse:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._open()
        try:
            connection.request("GET", f"{self._prefix}{target}", headers=self._headers)
            response = connection.getresponse()
            data = response.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            raise
        self._idle.append(connection)
        headers = {name.lower(): value for name, value in response.getheaders()}
        if headers.get("content-encoding") == "gzip":
            try:
                data = gzip.decompress(data)
            except (EOFError, zlib.error) as error:
                raise OSError(f"the answer's gzip is broken: {error}") from None
        return HttpResponse(status=response.status, headers=headers, data=data)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class ApiClient:
    """`send` gives what the server says to a path with its query; `wait` sleeps so many seconds. Errors name `url`."""

    def __init__(
        self, send: Callable[[str], HttpResponse], *, wait: Callable[[float], None] = time.sleep, url: str = ""
    ) -> None:
        self._send = send
        self.wait = wait
        self.url = url

    def ask(self, path: str, **params: str | int) -> ApiResponse:
        """Return the parsed answer of the API. Raises MirrorError as `fetch` does."""
        target = f"{path}{'?' if params else ''}{urlencode(params)}"
        reply = self.fetch(target)
        return ApiResponse(status=reply.status, body=_parse(reply.data, target), release=reply.headers.get("x-release"))

    def fetch(self, target: str) -> HttpResponse:
        """Return the answer if its status is 200, 400, 403 or 404. Raises MirrorError if another status stays, and
        for an unknown key."""
        reason = ""
        for attempt in range(ATTEMPTS):
            delay = float(2**attempt)
            try:
                reply = self._send(target)
            except (OSError, http.client.HTTPException) as error:
                reason = str(error) or type(error).__name__
            else:
                if reply.status in _ANSWERS:
                    return reply
                reason = _explain(reply)
                rest = read_retry_after(reply.headers.get("retry-after"), time.time())
                delay = delay if rest is None else rest
                if reply.status not in TRANSIENT_STATUSES or delay > LONGEST_WAIT:
                    break
            if attempt < ATTEMPTS - 1:
                self.wait(delay)
        raise MirrorError(f"{self.url}{target}: {reason}")


def _parse(data: bytes, target: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        raise MirrorError(f"{target}: the answer is not JSON") from None


def _explain(reply: HttpResponse) -> str:
    try:
        return f"{reply.status} {orjson.loads(reply.data)['error']['message']}"
    except (orjson.JSONDecodeError, KeyError, TypeError):
        moved = reply.headers.get("location")
        return f"status {reply.status}" + (f", moved to {moved}: give that address" if moved else "")
