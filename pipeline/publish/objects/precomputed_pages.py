"""Compute the answers that many readers request ahead of time, with the same code that answers requests."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from outings.contract.query import Entitlement, Query, parse_query
from outings.contract.routes import LISTS, match_route
from outings.contract.vocabulary import COLLECTIONS, Vocabulary
from outings.release.manifest import PrecomputedPage
from outings.release.snapshot import Release, Snapshot
from pipeline.publish.objects.object_writer import ObjectWriter

# The page sizes that readers ask for: the default, and the largest, which mirrors use.
PAGE_SIZES = ("", "limit=200")
# First requests of an application: all facets, with the first page or alone.
FACET_SIZES = ("", "&limit=0")
# By name and by count; a metro may have more neighborhoods than one default page holds.
DIRECTORIES = (
    "organizations", "organizations?limit=200", "neighborhoods", "neighborhoods?limit=200", "neighborhoods?sort=count",
)  # fmt: skip
# Today and tomorrow in the metro's time: the pages outlive midnight until the next build.
DAYS = 2
# Months of the calendar, one per request: that of the day and the next two.
MONTHS = 3


def list_pages(snapshot: Snapshot, today: date) -> Iterator[tuple[Query, date]]:
    """Yield every request to answer ahead of time, and the local date of the answer."""
    for day in (today + timedelta(days=number) for number in range(DAYS)):
        for target in (*_list_targets(), *list_months(day)):
            yield parse_target(f"/v1/{snapshot.metro.slug}/{target}", vocabulary=snapshot.vocabulary), day


def _list_targets() -> Iterator[str]:
    for listing_type, collection in COLLECTIONS.items():
        yield from (f"{collection}?{size}" for size in PAGE_SIZES)
        facets = ",".join(LISTS[listing_type].parameters["facets"].allowed or ())
        yield from (f"{collection}?facets={facets}{size}" for size in FACET_SIZES)
    yield from DIRECTORIES


def list_months(day: date) -> Iterator[str]:
    """Yield the path and query of each calendar month from that of `day` on, relative to the metro's path."""
    first = day.replace(day=1)
    for _ in range(MONTHS):
        following = (first + timedelta(days=31)).replace(day=1)
        yield f"events/calendar?from={first}&to={following - timedelta(days=1)}"
        first = following


def parse_target(target: str, *, vocabulary: Vocabulary, aliases: Mapping[str, str] = {}) -> Query:
    """Parse a path of the contract with its query. Raises ApiError.

    >>> parse_target("/v1/seattle/events?age=4", vocabulary=Vocabulary()).text
    '/v1/seattle/events?age=4'
    """
    path, _, query_string = target.partition("?")
    match = match_route(path)
    assert match is not None, target
    return parse_query(match, query_string.encode(), vocabulary=vocabulary, aliases=aliases)


def name_page(query: Query, day: date) -> str:
    """Return the page's name in the manifest: `<canonical request>@<local date>`."""
    return f"{query.text}@{day.isoformat()}"


def put_pages(snapshot: Snapshot, today: date, *, writer: ObjectWriter) -> dict[str, PrecomputedPage]:
    # Engines, which listing these pages does not need.
    from outings.answers.routes import answer
    from pipeline.publish.objects.documents import pack_body

    slug = snapshot.metro.slug
    release = Release(id="", sequence=0, latest_version_id=0, metros={slug: snapshot})
    pages = {}
    for query, day in list_pages(snapshot, today):
        body = b"".join(answer(query, release=release, dates={slug: day}, entitlement=Entitlement()).parts)
        pages[name_page(query, day)] = PrecomputedPage(object=writer.put(pack_body(body)), size=len(body))
    return pages
