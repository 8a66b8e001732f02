"""Fetch pictures of listings from the hosts that an operator allows, and reduce them."""

import asyncio
import os
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import groupby

import httpx2
from msgspec import Struct, field
from PIL import Image, ImageOps, features

from outings.configuration import FeedTable
from outings.release.site import Picture, Thumbnail
from outings.retry_policy import TRANSIENT_STATUSES, RetryPolicy
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.http_client import FeedClient, FetchError, TransientFetchError, fetch, open_client
from pipeline.fetch.source import FeedError
from pipeline.fetch.urls import find_host

# `feed`: all pictures of a metro. Later builds fetch the rest.
POLICY = RetryPolicy(connect=5.0, silence=10.0, whole=30.0, attempts=2, pause=0.5, rest=5.0, feed=900.0)
# Of a host: requests at once, and how many may fail one after the other before the host is left alone.
_AT_ONCE = 4
_MOST_FAILURES = 3
_MOST_BYTES = 10_000_000
# Reduced in one child process: to fork a build takes as much of a processor as to reduce a picture.
_BATCH = 8
# A decoded picture of as many takes 200 MB, and a copy in other colors as many again.
_MOST_PIXELS = 50_000_000
_MOST_MEMORY, _MOST_SECONDS = 1 << 30, 60
# A smaller one counts readers.
_LEAST_SIDE = 16
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
_SMALL, _LARGE = 160, 640
_NUMERIC = re.compile(r"[0-9.:]+\Z")

Put = Callable[[bytes], str]
Reduced = tuple[bytes, int, int]


class _Work(Struct, frozen=True, kw_only=True):
    """A fetch of pictures, with its client and its results. `decoding`: lets one batch for each processor be decoded at
    a time."""

    client: FeedClient
    put: Put
    pictures: dict[str, Picture]
    decoding: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(os.cpu_count() or 1))


def fetch_pictures(
    hosts: Collection[str], addresses: Sequence[str], put: Put, *, policy: RetryPolicy = POLICY
) -> dict[str, Picture]:
    """Return the pictures that could be fetched, by address. `put` writes an object and returns its hash. A host that
    is stated by name must be on the internet; one that is stated as an IP address may be in the operator's network."""
    features.check("webp")  # imports the encoder, once for all children
    pictures: dict[str, Picture] = {}
    numeric = frozenset(filter(_NUMERIC.match, hosts))
    for allowed in (numeric, frozenset(hosts) - numeric):
        own = [address for address in addresses if find_host(address) in allowed]
        if own:
            with suppress(FeedError):  # the time for all is over
                asyncio.run(_fetch_all(own, allowed, put, pictures, allow_private=allowed is numeric, policy=policy))
    return pictures


async def _fetch_all(
    addresses: Sequence[str], allowed: Collection[str], put: Put, pictures: dict[str, Picture], *,
    allow_private: bool, policy: RetryPolicy,
) -> None:  # fmt: skip
    async def refuse_others(request: httpx2.Request) -> None:
        if find_host(str(request.url)) not in allowed:
            raise FetchError("leads to a host that `[site] pictures` does not name")

    feed = FeedTable(
        name="pictures", format="ndjson", url=addresses[0], allow_private=allow_private, max_memory=_MOST_MEMORY,
        max_seconds=_MOST_SECONDS,
    )  # fmt: skip
    async with open_client(feed, policy) as client:
        client.http.event_hooks = {"request": [refuse_others]}
        work = _Work(client=client, put=put, pictures=pictures)
        by_host = groupby(sorted(addresses, key=find_host), key=find_host)
        await asyncio.gather(*(_fetch_host(work, [*own]) for _, own in by_host))


async def _fetch_host(work: _Work, addresses: Sequence[str]) -> None:
    waiting, failures = iter(addresses), 0

    async def fetch_batch() -> dict[str, bytes]:
        nonlocal failures
        batch: dict[str, bytes] = {}
        while len(batch) < _BATCH and failures < _MOST_FAILURES and (address := next(waiting, None)):
            target = BytesIO()
            try:
                await fetch(work.client, address, target=target, most=_MOST_BYTES, bound="which a picture may have")
            except FetchError as error:
                failures += error.status in TRANSIENT_STATUSES or isinstance(error.__context__, TransientFetchError)
            else:
                failures = 0
                batch[address] = target.getvalue()
        return batch

    async def fetch_next() -> None:
        while batch := await fetch_batch():
            async with work.decoding:
                made = await asyncio.to_thread(_reduce_bounded, [*batch.values()], work.client.feed)
            for address, reduced in zip(batch, made, strict=True):
                if reduced is not None:
                    small, large = (
                        Thumbnail(object=work.put(data), size=len(data), width=width, height=height)
                        for data, width, height in reduced
                    )
                    work.pictures[address] = Picture(address=address, small=small, large=large)

    await asyncio.gather(*(fetch_next() for _ in range(_AT_ONCE)))


def _reduce_bounded(files: Sequence[bytes], feed: FeedTable) -> list[tuple[Reduced, Reduced] | None]:
    """Reduce pictures in a child process: a decoder that a hostile file makes crash, or take a lot of memory or time,
    costs no more than that picture."""
    try:
        return run_bounded(lambda: [_reduce(data) for data in files], feed)
    except FeedError:
        return [None] if len(files) == 1 else [made for data in files for made in _reduce_bounded([data], feed)]


def _reduce(data: bytes) -> tuple[Reduced, Reduced] | None:
    """Return the picture in both sizes, without the metadata of its file, or None if it is no picture."""
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as picture:
            if picture.width * picture.height > _MOST_PIXELS or min(picture.size) < _LEAST_SIDE:
                return None
            picture.draft("RGB", (2 * _LARGE, 2 * _LARGE))
            ImageOps.exif_transpose(picture, in_place=True)
            upright = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
        large = _encode(upright, _LARGE)
        return _encode(upright, _SMALL), large
    except Exception:  # noqa: BLE001 - decoders raise anything for bytes of strangers
        return None


def _encode(picture: Image.Image, side: int) -> Reduced:
    """Reduce `picture` itself, so that the next smaller size takes less."""
    target = BytesIO()
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    picture.save(target, "WEBP", quality=75, method=4, exif=b"", icc_profile=b"", xmp=b"")
    return target.getvalue(), picture.width, picture.height
