"""Fetch pictures of listings from the hosts that an operator allows, and make them small."""

import asyncio
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import groupby

import httpx2
from PIL import Image, ImageOps

from outings.configuration import FeedTable
from outings.release.site import Picture, Thumbnail
from outings.retry_policy import TRANSIENT_STATUSES, RetryPolicy
from pipeline.fetch.addresses import find_host
from pipeline.fetch.fetcher import FeedClient, FetchError, TransientFetchError, fetch, open_client
from pipeline.fetch.source import FeedError

# `feed`: all pictures of a metro. What is not here by then is fetched by a later build.
POLICY = RetryPolicy(connect=5.0, silence=10.0, whole=30.0, attempts=2, pause=0.5, rest=5.0, feed=900.0)
# Of a host: requests at once, and how many may fail one after the other before it is left alone.
_AT_ONCE = 4
_MOST_FAILURES = 3
_MOST_BYTES = 10_000_000
# A decoded picture of as many takes 200 MB.
_MOST_PIXELS = 50_000_000
# A smaller one counts readers.
_LEAST_SIDE = 16
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_SMALL, _LARGE = 160, 640
_NUMERIC = re.compile(r"[0-9.:]+\Z")

Put = Callable[[bytes], str]


def fetch_pictures(
    hosts: Collection[str], addresses: Sequence[str], put: Put, *, policy: RetryPolicy = POLICY
) -> dict[str, Picture]:
    """Return those that can be had, by address. `put` writes an object and returns its hash. A host with a name must be
    in the internet; one that is stated by its number may be in the operator's own network."""
    pictures: dict[str, Picture] = {}
    numeric = frozenset(filter(_NUMERIC.match, hosts))
    for allowed in (numeric, frozenset(hosts) - numeric):
        own = [address for address in addresses if find_host(address) in allowed]
        if own:
            with suppress(FeedError):  # it took too long as a whole
                asyncio.run(_fetch_all(own, allowed, put, pictures, allow_private=allowed is numeric, policy=policy))
    return pictures


async def _fetch_all(
    addresses: Sequence[str], allowed: Collection[str], put: Put, pictures: dict[str, Picture], *,
    allow_private: bool, policy: RetryPolicy,
) -> None:  # fmt: skip
    async def refuse_others(request: httpx2.Request) -> None:
        if find_host(str(request.url)) not in allowed:
            raise FetchError("leads to a host that `[site] pictures` does not name")

    feed = FeedTable(name="pictures", format="ndjson", url=addresses[0], allow_private=allow_private)
    async with open_client(feed, policy) as client:
        client.http.event_hooks = {"request": [refuse_others]}
        by_host = groupby(sorted(addresses, key=find_host), key=find_host)
        await asyncio.gather(*(_fetch_host(client, [*own], put, pictures) for _, own in by_host))


async def _fetch_host(client: FeedClient, addresses: Sequence[str], put: Put, pictures: dict[str, Picture]) -> None:
    waiting, failures = iter(addresses), 0

    async def work() -> None:
        nonlocal failures
        for address in waiting:
            if failures >= _MOST_FAILURES:
                return
            target = BytesIO()
            try:
                await fetch(client, address, target=target, most=_MOST_BYTES, bound="which a picture may have")
            except FetchError as error:
                failures += error.status in TRANSIENT_STATUSES or isinstance(error.__context__, TransientFetchError)
                continue
            failures = 0
            made = await asyncio.to_thread(_shrink, target.getvalue())
            if made is not None:
                small, large = (
                    Thumbnail(object=put(data), size=len(data), width=width, height=height)
                    for data, width, height in made
                )
                pictures[address] = Picture(small=small, large=large)

    await asyncio.gather(*(work() for _ in range(_AT_ONCE)))


def _shrink(data: bytes) -> list[tuple[bytes, int, int]] | None:
    """Return the picture in both sizes, without what else its file says; None if it is none."""
    made = []
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as opened:
            if opened.width * opened.height > _MOST_PIXELS or min(opened.size) < _LEAST_SIDE:
                return None
            opened.draft("RGB", (2 * _LARGE, 2 * _LARGE))
            upright = ImageOps.exif_transpose(opened)
            large = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
        for side in (_SMALL, _LARGE):
            copy, target = large.copy(), BytesIO()
            copy.thumbnail((side, side), Image.Resampling.LANCZOS)
            copy.save(target, "WEBP", quality=75, method=4, exif=b"", icc_profile=b"", xmp=b"")
            made.append((target.getvalue(), copy.width, copy.height))
    except Exception:  # noqa: BLE001 - decoders raise anything for bytes of strangers
        return None
    return made
