"""Answers that many ask for, computed ahead by the code that computes the rest (design.md §1)."""

from collections.abc import Iterator
from datetime import date, timedelta

from outings.answers.answer import answer
from outings.contract.entitlement import Entitlement
from outings.contract.query import Query, parse_query
from outings.contract.routes import match_route
from outings.contract.vocabulary import COLLECTIONS
from outings.release.snapshot import Page, Release, Snapshot
from pipeline.documents import pack_body
from pipeline.objects import ObjectWriter

# The page sizes that readers ask for: the default, and the largest, which mirrors use.
QUERIES = (b"", b"limit=200")
# Today and tomorrow in the metro's time: the pages outlive midnight until the next build.
DAYS = 2


def list_pages(snapshot: Snapshot, today: date) -> Iterator[tuple[Query, date]]:
    """Every request that is answered ahead, and the local date that it is answered for."""
    for collection in COLLECTIONS.values():
        match = match_route(f"/v1/{snapshot.metro.slug}/{collection}")
        assert match is not None
        for query_string in QUERIES:
            query = parse_query(match, query_string, vocabulary=snapshot.vocabulary)
            for day in range(DAYS):
                yield query, today + timedelta(days=day)


def name_page(query: Query, day: date) -> str:
    """How the manifest and the edge name it: `<canonical request>@<local date>`."""
    return f"{query.text}@{day.isoformat()}"


def put_pages(snapshot: Snapshot, today: date, *, writer: ObjectWriter) -> dict[str, Page]:
    slug = snapshot.metro.slug
    release = Release(id="", sequence=0, latest_version_id=0, metros={slug: snapshot})
    pages = {}
    for query, day in list_pages(snapshot, today):
        body = b"".join(
            answer(query, release=release, dates={slug: day}, entitlement=Entitlement()).parts
        )
        pages[name_page(query, day)] = Page(object=writer.put(pack_body(body)), size=len(body))
    return pages
