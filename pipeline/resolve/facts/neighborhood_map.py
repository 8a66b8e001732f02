"""A metro's file of neighborhoods: read, with what was repaired or left out of it."""

from pathlib import Path

import polars as pl
from msgspec import structs

from outings.release.tables import NEIGHBORHOODS
from pipeline.fetch.source import FeedError
from pipeline.records.record import Problem
from pipeline.resolve.facts.geography import GeographyError, Neighborhoods, read_neighborhoods
from pipeline.resolve.facts.neighborhood_file import name_source, read_bytes


def read_metro_neighborhoods(metro: str, path: Path | None) -> tuple[Neighborhoods, tuple[Problem, ...]]:
    """Return None where the metro has no file. Raises `FeedError` where it can't be read or is no GeoJSON."""
    if path is None:
        return Neighborhoods({}), ()
    try:
        neighborhoods, wrong = read_neighborhoods(read_bytes(metro, path))
    except GeographyError as error:
        raise FeedError(name_source(metro), str(path), str(error)) from error
    problems = [
        Problem(
            feed=name_source(metro), file=path.name, line=0, source_id=None, field=None, reason=reason,
            quarantined=False,
        )
        for reason in wrong
    ]  # fmt: skip
    return neighborhoods, tuple(problems)


def tabulate_neighborhoods(neighborhoods: Neighborhoods) -> pl.DataFrame:
    rows = sorted((structs.asdict(neighborhood) for neighborhood in neighborhoods), key=lambda row: str(row["slug"]))
    return pl.DataFrame(rows, schema=dict(NEIGHBORHOODS))
