"""The page understands ages and filters in a query as the server does: both read the same tables."""

import json
import re
import subprocess
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest

from outings.answers.search.understanding.locations import Locations
from outings.answers.search.understanding.query import parse_search
from outings.answers.search.understanding.words import QueryWords
from outings.contract.errors import ApiError
from outings.contract.languages.language import read_shipped_language
from outings.contract.vocabulary import Vocabulary
from outings.pages.site import render_words
from outings.release.site import SiteSettings
from tests.conftest import ROOT
from tests.judged.judging import EDITIONS, read_judged, read_parents
from tests.pages.node_index import NODE

TODAY = date(2026, 8, 10)
SPANISH = [
    "gratis el sábado para un niño de 4 años",
    "clase de natación para 7 años por menos de 20 €",
    "campamento de invierno para niños de 6 a 9 años",
    "museos abiertos ahora",
    "talleres el 5 de septiembre",
    "música este fin de semana por la tarde",
    "cine al aire libre los viernes",
    "algo cubierto mañana a partir de las 17:00",
]
ENGLISH = [
    "camps in july under $100", "swim lessons on saturdays after 4pm", "free museums open now",
    "story time december 12", "open friday", "next weekend outdoors", "art that starts next month",
    "weeknights pottery", "may 40", "with openings this morning", "concert sat night", "sat prep",
    "sun morning yoga", "rainy day indoor play",
]  # fmt: skip


def read_query(query: str, words: QueryWords) -> dict[str, Any]:
    try:
        parsed = parse_search(query, places=Locations(), words=words, is_auto=True)
    except ApiError:
        return {"age": None, "filters": []}
    made = [
        words.filters.list_values(phrase, today=TODAY, vocabulary=Vocabulary())
        for phrase, _ in parsed.phrases
        if not phrase.words.is_name
    ]
    age = None if parsed.age is None else [parsed.age.min, parsed.age.max]
    return {"age": age, "filters": [spell(values) for values in made if values]}


def spell(values: Any) -> dict[str, str]:
    return {name: spell_value(value) for name, value in values.items()}


def spell_value(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, time):
        return value.isoformat("minutes")
    text = str(value).lower() if isinstance(value, bool | float) else str(value)
    return text.removesuffix(".0")


def sort_filters(filters: list[dict[str, str]]) -> list[list[tuple[str, list[str]]]]:
    return sorted(sorted((name, sorted(value.split(","))) for name, value in values.items()) for values in filters)


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_page_reads_the_ages_and_filters_of_queries_as_the_server_does(language: str) -> None:
    parents = [judged for edition in EDITIONS for judged in read_parents("working", edition=edition)]
    judged = [entry.q for entry in [*read_judged(), *parents]] if language == "en" else []
    # A postal code is a place on a server that knows it.
    own = [query for query in judged if not re.search(r"\b\d{5}\b", query)]
    queries = list(dict.fromkeys([*(ENGLISH if language == "en" else SPANISH), *own]))
    tables = json.loads(render_words(SiteSettings()).data)
    command = [NODE, Path(__file__).with_name("read_queries.mjs"), ROOT / "site/scripts"]
    sent = {"tables": tables, "queries": queries, "language": language, "today": TODAY.isoformat()}
    done = subprocess.run(command, input=json.dumps(sent), capture_output=True, text=True, timeout=60, check=True)
    words = QueryWords(read_shipped_language(language))
    expected = {query: read_query(query, words) for query in queries}
    assert sum(bool(read["filters"]) for read in expected.values()) >= len(SPANISH) - 1
    for query, read in zip(queries, json.loads(done.stdout), strict=True):
        its = expected[query]
        assert (query, read["age"], sort_filters(read["filters"])) == (query, its["age"], sort_filters(its["filters"]))
