"""The page understands an age in a query as the server does: both read the same tables."""

import json
import subprocess
from pathlib import Path

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import parse_search
from outings.contract.errors import ApiError
from outings.pages.site import render_words
from outings.release.site import SiteSettings
from tests.conftest import ROOT
from tests.judged.judging import EDITIONS, read_judged, read_parents
from tests.pages.node_index import NODE


def read_age(query: str) -> list[int | None] | None:
    try:
        age = parse_search(query, places=Locations()).age
    except ApiError:
        return None
    return None if age is None else [age.min, age.max]


def test_the_page_reads_the_ages_of_the_judged_queries_as_the_server_does() -> None:
    parents = [judged for edition in EDITIONS for judged in read_parents("working", edition=edition)]
    queries = list(dict.fromkeys(judged.q for judged in [*read_judged(), *parents]))
    tables = json.loads(render_words(SiteSettings()).data)
    words = [NODE, Path(__file__).with_name("read_ages.mjs"), ROOT / "site/scripts"]
    sent = json.dumps({"tables": tables, "queries": queries})
    done = subprocess.run(words, input=sent, capture_output=True, text=True, timeout=60, check=True)
    expected = {query: read_age(query) for query in queries}
    assert sum(age is not None for age in expected.values()) > 40
    assert dict(zip(queries, json.loads(done.stdout), strict=True)) == expected
