"""The peer: Datasette over one SQLite file. `uvicorn bench.peers.datasette:make_app --factory --workers 2`."""

import os

from datasette.app import Datasette
from starlette.types import ASGIApp

from bench.peers.queries import QUERIES


def make_app() -> ASGIApp:
    """The file is immutable, so Datasette counts nothing anew, and its pages stay in memory."""
    site = Datasette(
        immutables=[os.environ["BENCH_SQLITE"]],
        metadata={"databases": {"bench": {"queries": {name: {"sql": text} for name, text in QUERIES.items()}}}},
        settings={
            "num_sql_threads": 3,
            "max_returned_rows": 1000,
            "sql_time_limit_ms": 20_000,
            "cache_size_kb": 400_000,
            "suggest_facets": False,
            "allow_download": False,
            "default_cache_ttl": 0,
        },
    )
    app: ASGIApp = site.app()
    return app
