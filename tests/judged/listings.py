"""Listings that the judged queries search, by identity, and those of them that a search may show. Identities come from
the exports through the example's SQL, ids as docs/feeds.md defines them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tests.examples.cities import Ask, select_records
from tests.examples.reckoning import make_id
from tests.judged.judging import METROS, JudgedQuery
from tests.judged.measures import DEPTH, QueryGrades, fold_things

FEEDS = {"new-york": ("nyc-events", "nyc-places"), "seattle": ("seattle-centers", "seattle-activities")}
ORGANIZATIONS = {"new-york": "NYC Parks", "seattle": "Seattle Parks and Recreation"}


@dataclass(frozen=True)
class City:
    """A city by id: identities of all listings in the exports, which of them are the same thing, and texts of those
    that a search may show, in the lists' order."""

    identities: Mapping[str, str]
    things: Mapping[str, str]
    texts: Mapping[str, tuple[str, str]]

    @cached_property
    def exported(self) -> list[str]:
        return self.fold(self.identities)

    @cached_property
    def shown(self) -> list[str]:
        return self.fold(self.texts)

    def fold(self, ids: Iterable[str]) -> list[str]:
        """The identities of results in their order, one thing once."""
        return [self.identities[fold_thing] for fold_thing in fold_things(ids, self.things)]


def read_cities(ask: Ask, begins: Mapping[str, str]) -> dict[str, City]:
    """`begins`: metro → the `from` of its queries."""
    return {metro: _read_city(metro, ask, begins[metro]) for metro in METROS}


def grade_results(judged: JudgedQuery, ids: Sequence[str], city: City) -> QueryGrades:
    grades = {value: judged.grade(value) for value in set(city.exported)}
    results = city.fold(ids)
    return QueryGrades(
        grades=[grades[result] for result in results],
        exported=[grades[value] for value in city.exported],
        shown=[grades[value] for value in city.shown],
        expects_nothing=judged.nothing is not None,
        unjudged=sum(not judged.is_judged(result) for result in results[:DEPTH]),
    )


def list_shown(ask: Ask, metro: str, begin: str) -> list[str]:
    """The ids of what the four lists hold by default; classes one by one, no cards."""
    since = f"&from={begin}"
    params = {"events": since, "classes": f"{since}&expand=sessions", "camps": since, "places": ""}
    targets = [f"/v1/{metro}/{route}?limit=200&fields=id{more}" for route, more in params.items()]
    return [item["id"] for target in targets for item in ask(target)]


def _read_city(metro: str, ask: Ask, begin: str) -> City:
    rows = {make_id(feed, row["type"], row["source_id"]): row for feed in FEEDS[metro] for row in select_records(feed)}
    shown = list_shown(ask, metro, begin)
    return City(
        identities={name: name_listing(row) for name, row in rows.items()},
        things={name: name_thing(row) for name, row in rows.items()},
        texts={value: _write_text(rows[value], ORGANIZATIONS[metro]) for value in shown},
    )


def name_listing(row: Mapping[str, Any]) -> str:
    """Return a listing's identity as README.md defines it. 294 school playgrounds share one name, so their addresses
    are part of it."""
    if row["name"] == "School playground":
        return f"place:School playground, {row['location']['address']}"
    return f"{row['type']}:{row.get('program_key') or row['name']}"


def name_thing(row: Mapping[str, Any]) -> str:
    """A program is one thing; of all else, what has one name, place and ages. Each feed is one organization's."""
    if row.get("program_key"):
        return name_listing(row)
    location, ages = row.get("location") or {}, row.get("ages") or {}
    where = (location.get("lat"), location.get("lng")) if location.get("lat") else location.get("address")
    return repr((name_listing(row).casefold(), row.get("place"), where, ages.get("min"), ages.get("max")))


def _write_text(row: Mapping[str, Any], organization: str) -> tuple[str, str]:
    """The name, and everything else that is searched."""
    location, place = row.get("location") or {}, row.get("place") or {}
    words = [category.replace("_", " ") for category in row["categories"]] + list(row["keywords"])
    rest = [row.get("description"), *words, organization, place.get("name"), location.get("address")]
    return row["name"], ". ".join(value for value in rest if value)
