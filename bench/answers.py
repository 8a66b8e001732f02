"""Tell if a change changed an answer: `python -m bench.answers --keep FOLDER`, before it and after it.

25,000 generated requests of every route, right and wrong, each asked twice in one process by a fixed clock: made and
from memory. The first run leaves in the folder a release and a hash of each answer's status, headers and body; a later
one compares with these, and ends with 1 where one differs. ETags are left out: they name the program.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from random import Random
from subprocess import run

import msgspec
import polars as pl
from msgspec import Struct

from bench.paths import send_request
from bench.servers import OUTINGS, make_key
from command.sample_cities import write_world
from edge.app import Edge
from outings.answers.documents.fields import NamedDocument
from outings.answers.snapshot.reader import open_snapshot
from outings.configuration import read_configuration
from outings.contract.routes import ROUTES, Route
from outings.contract.vocabulary import COLLECTIONS, TYPES
from outings.release.pointer import list_releases
from outings.release.snapshot import open_release
from outings.release.store import open_store
from tests.edge.generated_targets import generate_targets

_DAY = date(2026, 8, 10)
_NOW = datetime(2026, 8, 10, 19, 30, tzinfo=UTC)
_METRO = "seattle"
_IDS = 40
# Of each answer anew, and what names the program that made it.
_MOVING = (b"x-request-id", b"age", b"etag")
_decode = msgspec.json.Decoder(NamedDocument).decode


class Hash(Struct, frozen=True):
    """The hash of an answer to a target, with its status."""

    target: str
    status: int
    sha: str


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description=__doc__)
    parser.add_argument("--keep", type=Path, required=True, help="a folder for the release and the hashes")
    parser.add_argument("--listings", type=int, default=3_000, help="in each of two metros")
    parser.add_argument("--requests", type=int, default=25_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    config, known = options.keep / "outings.toml", options.keep / "hashes.json"
    if not config.exists():
        write_world(config, today=_DAY, size=options.listings)
        run([*OUTINGS, "build", "-c", str(config), "--as-of", f"{_DAY}"], check=True, capture_output=True)
    hashes = asyncio.run(hash_answers(config, requests=options.requests, seed=options.seed))
    statuses = Counter(answer.status for answer in hashes)
    print(f"{len(hashes):,} answers: {', '.join(f'{statuses[status]:,} × {status}' for status in sorted(statuses))}")
    if not known.exists():
        known.write_bytes(msgspec.json.encode(hashes))
        print(f"written to {known}")
        return
    before = msgspec.json.decode(known.read_bytes(), type=list[Hash])
    different = [one for one, other in zip(hashes, before, strict=True) if one != other]
    print(f"{len(different):,} differ from {known}")
    print(*(f"  {entry.status} {entry.target}\n" for entry in different[:20]), sep="", end="")
    sys.exit(bool(different))


async def hash_answers(config: Path, *, requests: int, seed: int) -> list[Hash]:
    configuration = read_configuration(config, {})
    store = open_store(configuration.store.url)
    paths, ids = list_paths(config)
    targets = generate_targets(requests, seed=seed, paths=paths, ids=ids)
    edge = Edge(store, cache=configuration.edge.cache, clock=lambda: _NOW)
    headers = ((b"x-api-key", make_key(config).encode()), (b"accept-encoding", b"identity"), (b"x-trace-id", b"t"))
    edge.poll()
    try:
        return [await hash_answer(edge, target, headers) for target in targets for _ in range(2)]
    finally:
        edge.close()


async def hash_answer(edge: Edge, target: str, headers: Sequence[tuple[bytes, bytes]]) -> Hash:
    _, sent = await send_request(edge, target, headers)
    start, *parts = sent
    own = dict(start["headers"])[b"x-request-id"]
    kept = [pair for pair in start["headers"] if pair[0] not in _MOVING]
    body = b"".join(part.get("body", b"") for part in parts).replace(own, b"own")
    return Hash(target, start["status"], sha256(repr((start["status"], kept, body)).encode()).hexdigest())


def list_paths(config: Path) -> tuple[Mapping[str, Sequence[str]], Sequence[str]]:
    """Return the path of each route that needs a key, by the route's name, with ids filled in."""
    configuration = read_configuration(config, {})
    store = open_store(configuration.store.url)
    release = open_release(store, next(list_releases(store)), cache=configuration.edge.cache)
    snapshot = release.metros[_METRO]
    opened, random = open_snapshot(snapshot), Random(1)
    frame = pl.read_parquet(snapshot.tables["listings"].path, columns=["row", "type"])
    known: dict[str, list[NamedDocument]] = {}
    for code, name in enumerate(TYPES):
        rows = random.sample(frame.filter(pl.col("type") == code)["row"].to_list(), k=_IDS)
        known[name] = [_decode(document) for row in rows if (document := opened.read_document(row))]
    organizations = pl.read_parquet(snapshot.tables["organizations"].path, columns=["id"])["id"].to_list()[:_IDS]
    ids = [listing.id for listings in known.values() for listing in listings]
    paths = {
        route.name: list(_fill_path(route, known, {"organization": organizations, "listing": ids}))
        for route in ROUTES
        if route.needs_key
    }
    return paths, ids + organizations


def _fill_path(
    route: Route, known: Mapping[str, Sequence[NamedDocument]], ids: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    path = route.path.replace("{metro}", _METRO).replace("{file}", "events.jsonl")
    if "{slug}" in path:
        yield from (path.replace("{slug}", entry.slug) for entry in known[route.type or ""])
    elif "{id}" not in path:
        yield path
    elif path.startswith(("/v1/organizations/", "/v1/listings/")):
        yield from (path.replace("{id}", row_id) for row_id in ids[path.split("/")[2][:-1]])
    else:
        owner = next(name for name, collection in COLLECTIONS.items() if path.startswith(f"/v1/{collection}/"))
        yield from (path.replace("{id}", entry.id) for entry in known[owner])


if __name__ == "__main__":
    main()
