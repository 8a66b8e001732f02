"""A geocoder over HTTP: bounded in time and size, tried again, remembered, and left alone while it is down."""

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial

import httpx2
import stamina
import structlog
from msgspec import Struct

from edge.bounded import Bounded
from edge.computing import Computing
from edge.geocoding.breaker import Breaker
from edge.geocoding.geocoder import lies_within, refuse_address
from edge.geocoding.service import Service
from outings.contract.errors import ApiError, unavailable
from outings.contract.resources.metro import Center
from outings.release.snapshot import MetroSettings, Snapshot

log = structlog.get_logger()

MOST_BYTES = 2**20
MOST_REMEMBERED = 10_000
# An address that was found or not found yesterday is asked for anew.
REMEMBERED_SECONDS = 86_400
MOST_REST_SECONDS = 300.0
# Nominatim's terms want one that says who asks.
_HEADERS = {"User-Agent": "outings/1", "Accept-Encoding": "identity"}


class Patience(Struct, frozen=True, kw_only=True):
    """In seconds: of a connection, of a silence, of one question whole; `attempts` in all, the second after `pause`."""

    connect: float = 2.0
    silence: float = 2.0
    whole: float = 3.0
    attempts: int = 2
    pause: float = 0.1


class Unreached(Exception):  # noqa: N818 - the name says it
    """`rest`: seconds after which the server wants to be asked again. Its text names no address."""

    def __init__(self, reason: str, *, rest: float | None = None) -> None:
        super().__init__(reason)
        self.rest = rest


class Broken(Unreached):
    """Asking again would bring the same."""


class RemoteGeocoder:
    """Of what was asked lately it remembers the answer, also that there is none."""

    def __init__(
        self,
        service: Service,
        *,
        url: str,
        clock: Callable[[], float] = time.monotonic,
        patience: Patience = Patience(),
    ) -> None:
        self._service = service
        self._url = url.rstrip("/") + service.path
        self._clock = clock
        self._patience = patience
        self._breaker = Breaker(clock=clock)
        self._known: Bounded[tuple[str, str, int], tuple[Center | None]] = Bounded(MOST_REMEMBERED)
        # They only wait.
        self._computing = Computing(threads=4, queue=64)
        timeout = httpx2.Timeout(patience.silence, connect=patience.connect)
        self._client = httpx2.Client(timeout=timeout, headers=_HEADERS)
        for name in ("httpx2", "httpcore2"):
            logging.getLogger(name).setLevel(logging.WARNING)  # below, URLs are logged, with the address in them

    async def find_address(self, address: str, *, snapshot: Snapshot) -> Center:
        metro = snapshot.metro
        text = " ".join(address.split())
        name = (metro.slug, text.casefold(), int(self._clock() // REMEMBERED_SECONDS))
        known = self._known.get(name)
        if known is None:
            known = (await self._ask(text, metro),)
            self._known.put(name, known)
        if known[0] is None:
            raise refuse_address(metro.name)
        return known[0]

    def close(self) -> None:
        self._computing.close()
        self._client.close()

    async def _ask(self, text: str, metro: MetroSettings) -> Center | None:
        wait = self._breaker.enter()
        if wait is not None:
            raise unavailable(wait)
        try:
            # Each try ends by itself, but where headers come byte by byte.
            async with asyncio.timeout((self._patience.whole + self._patience.connect) * self._patience.attempts):
                found = await self._computing.run(partial(self._find, text, metro))
        except Unreached as failure:
            raise self._give_up(str(failure), rest=failure.rest) from None
        except TimeoutError:
            raise self._give_up("it takes too long") from None
        self._breaker.note_success()
        return found

    def _give_up(self, reason: str, *, rest: float | None = None) -> ApiError:
        wait = self._breaker.note_failure(rest=rest)
        log.warning("geocoder_failed", provider=self._service.name, reason=reason, retry_after=wait)
        return unavailable(wait)

    def _find(self, text: str, metro: MetroSettings) -> Center | None:
        """Blocks. Raises `Unreached`."""
        patience = self._patience
        for attempt in stamina.retry_context(
            on=lambda error: isinstance(error, Unreached) and not isinstance(error, Broken),
            attempts=patience.attempts, timeout=None, wait_initial=patience.pause, wait_jitter=patience.pause,
        ):  # fmt: skip
            with attempt:
                return self._find_once(text, metro)
        raise AssertionError("the last attempt raises")

    def _find_once(self, text: str, metro: MetroSettings) -> Center | None:
        body = self._fetch(self._service.make_parameters(text, metro.bounds))
        try:
            points = [] if body is None else list(self._service.read_points(body))
        except ValueError:
            raise Broken(f"its answer is none of {self._service.name}'s") from None
        return next((_round(point) for point in points if lies_within(point, metro.bounds)), None)

    def _fetch(self, parameters: dict[str, str]) -> bytes | None:
        """None where it says that the question is at fault."""
        end = time.monotonic() + self._patience.whole
        try:
            with self._client.stream("GET", self._url, params=parameters) as response:
                if response.status_code == 400:
                    return None
                _check_status(response)
                return _read_body(response, end=end)
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            # Not chained: its text may name the URL.
            raise Unreached(type(error).__name__) from None


def _check_status(response: httpx2.Response) -> None:
    status = response.status_code
    if status == 429 or status >= 500:
        stated = response.headers.get("retry-after", "")
        rest = min(float(stated), MOST_REST_SECONDS) if stated.isascii() and stated.isdigit() else None
        kind = Unreached if rest is None and status != 429 else Broken
        raise kind(f"status {status}", rest=rest)
    if status != 200:
        raise Broken(f"status {status}")


def _read_body(response: httpx2.Response, *, end: float) -> bytes:
    """A timeout of each silence alone lets a server take for ever."""
    body = b""
    for piece in response.iter_raw():
        body += piece
        if len(body) > MOST_BYTES:
            raise Broken(f"its answer has more than {MOST_BYTES} bytes")
        if time.monotonic() > end:
            raise Unreached("it takes too long")
    return body


def _round(point: Center) -> Center:
    """To 0.1 m."""
    return Center(lat=round(point.lat, 6), lng=round(point.lng, 6))
