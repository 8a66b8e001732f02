"""Measure the cost of half-typed words: `python -m bench.suggest`.

The body of `/v1/{metro}/suggest`, made in this process, for beginnings of names by how many letters they have. No
answer is asked for twice. Time is this thread's own, so that neighbours do not count.
"""

import argparse
import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import polars as pl

from bench.peers.world import METRO, World, make_world
from outings.answers.plan import AnswerContext
from outings.answers.routes import make_plan
from outings.contract.query import Entitlement, parse_query
from outings.contract.routes import match_route
from outings.contract.text import split_words
from outings.contract.vocabulary import Vocabulary

LETTERS = (1, 2, 3, 5, 8, 12)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.suggest", description=__doc__)
    parser.add_argument("--listings", type=int, default=100_000)
    parser.add_argument("--keep", help="a folder for the release, used again by the next run of the same day")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="outings-bench-") as scratch:
        world = make_world(Path(options.keep or scratch), listings=options.listings)
        suggest = open_route(world)
        suggest("a")  # works out what is live on this day
        names = pl.read_parquet(world.snapshot.tables["listings"].path)["name"].unique().sort().to_list()
        print(f"{options.listings:,} listings; milliseconds\n")
        print("| Letters | Beginnings | Median | 99 % | Most |\n|---|---|---|---|---|")
        for letters in LETTERS:
            texts = list(draw_beginnings(names, letters=letters))
            gc.collect()  # what drawing them left behind is not the answer's
            times = sorted(measure(suggest, text) for text in texts)
            cells = (statistics.median(times), times[int(len(times) * 0.99)], times[-1])
            print(f"| {letters} | {len(times)} | {' | '.join(f'{cell:.2f}' for cell in cells)} |", flush=True)


def open_route(world: World) -> Callable[[str], bytes]:
    context = AnswerContext(release=world.release, dates={METRO.slug: world.today}, entitlement=Entitlement())
    match = match_route(f"/v1/{METRO.slug}/suggest")
    assert match is not None
    route = match

    def suggest(text: str) -> bytes:
        query = parse_query(route, f"q={quote(text)}".encode(), vocabulary=Vocabulary())
        return b"".join(make_plan(query, context).render())

    return suggest


def measure(suggest: Callable[[str], bytes], text: str) -> float:
    began = time.thread_time()
    suggest(text)
    return (time.thread_time() - began) * 1e3


def draw_beginnings(names: list[str], *, letters: int) -> Iterator[str]:
    """Draw beginnings of words anywhere in the names, each once."""
    beginnings = {" ".join(split_words(name)[at:])[:letters] for name in names for at in range(len(split_words(name)))}
    long = sorted(text for text in beginnings if len(text) == letters)
    yield from random.Random(1).sample(long, min(len(long), 400))


if __name__ == "__main__":
    main()
