"""Read a candidate as a build reads a feed, from its first page, and count what its records say."""

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from outings.configuration import Configuration, ConfigurationError, FeedTable, MetroTable
from outings.contract.resources.directories import Bounds, Center
from outings.contract.resources.shared import AgeRange, Price
from outings.failures import OperatorError
from pipeline.discovery.candidates import Candidate
from pipeline.discovery.visitor import NotVisitedError, Visitor
from pipeline.drafts.drafting import OpenedFile, draft_feed, make_feed, open_files
from pipeline.drafts.metro import MetroDraft, Point
from pipeline.feed_task import read_feed
from pipeline.fetch.bounded_task import run_bounded
from pipeline.fetch.linked_pages import list_linked
from pipeline.fetch.pages import make_page_address, read_page
from pipeline.fetch.urls import choose_suffix, fill_days
from pipeline.records.record import EventRecord, Record
from pipeline.records.spans import find_last_day

# What is counted of a candidate's events: the more of it they say, the better.
SHARES = ("hours", "place", "ages", "price")
# Linked pages that are read to learn whether they have events.
_TRIED = 3
_UNTIL = re.compile(r"UNTIL=(\d{4})(\d\d)(\d\d)")


class Counts(Struct, frozen=True, kw_only=True):
    """Counts of a candidate's records. `events` were read, of `total` that its server states; `upcoming`: those
    still to come; `shares`: of the events, how many have hours, place, ages, price."""

    events: int = 0
    total: int = 0
    upcoming: int = 0
    places: int = 0
    first: date | None = None
    last: date | None = None
    shares: Mapping[str, float] = {}
    points: tuple[Point, ...] = ()

    @property
    def score(self) -> float:
        """Return how much is said of events to come: each counts once, and once more for each thing that it says."""
        estimated = self.upcoming * max(1.0, self.total / max(self.events, 1))
        return estimated * (1 + sum(self.shares.values()))


class Reading(Struct, frozen=True, kw_only=True):
    """A candidate that was read: its opened first page and counts, or the reason why it is no feed."""

    candidate: Candidate
    opened: OpenedFile | None = None
    counts: Counts = Counts()
    refusal: str = ""


class Question(Struct, frozen=True, kw_only=True):
    """The metro, clock and folder with which the candidates of a site are read."""

    metro: MetroDraft
    config: Path
    environ: Mapping[str, str]
    scratch: Path
    today: date

    @property
    def configuration(self) -> Configuration:
        (south, west, north, east), center = self.metro.bounds, self.metro.center
        metro = MetroTable(
            slug=self.metro.slug, name=self.metro.name, timezone=self.metro.timezone, language=self.metro.language,
            center=Center(lat=center[0], lng=center[1]), bounds=Bounds(south=south, west=west, north=north, east=east),
        )  # fmt: skip
        return Configuration(directory=self.scratch, metros=(metro,))


def read_candidate(candidate: Candidate, name: str, visitor: Visitor, question: Question) -> Reading:
    """Fetch the first page of a candidate and read it."""
    try:
        feed = make_feed(
            name, candidate.url, preset=candidate.preset or "none", allow_private=visitor.allow_private,
            config=question.config, environ=question.environ,
        )  # fmt: skip
        feed = replace(feed, follow=candidate.follow)
        saved, total = (_save_linked if candidate.follow else _save_page)(feed, visitor, question)
        (opened,) = open_files([saved], question.scratch, Path(saved.url).parent)
        draft = draft_feed(opened, question.metro, question.configuration)
        records = read_feed(draft.feed, question.configuration, run=run_bounded).records
    except ConfigurationError as error:
        return Reading(candidate=candidate, refusal="; ".join(problem.message for problem in error.problems))
    except (NotVisitedError, OperatorError, ValueError) as error:
        return Reading(candidate=candidate, refusal=_shorten(error, name))
    counts = count_records(records, today=question.today, total=total)
    feed = replace(feed, venues=bool(counts.points))
    reading = Reading(candidate=candidate, opened=replace(opened, feed=_restore(opened, feed)), counts=counts)
    if not counts.events:
        return replace(reading, refusal="has no dates of events: a list of products or posts is no listing")
    return reading if counts.upcoming else replace(reading, refusal="has no event that is still to come")


def _save_page(feed: FeedTable, visitor: Visitor, question: Question) -> tuple[FeedTable, int]:
    """Fetch the feed's first page to a file. Return the feed of that file, and how many rows the server says it has."""
    asked = replace(feed, url=fill_days(feed.url, question.today))
    answer = visitor.get(asked.url if feed.pages is None else make_page_address(asked, feed.pages))
    total = 0
    if feed.pages is not None:
        page = read_page(answer.content, feed, feed.pages, charset=answer.charset)
        total = page.total or (page.last or 0) * len(page.rows)
    folder = question.scratch / f"candidate-{visitor.requests}"
    folder.mkdir(parents=True)
    path = folder / f"page{choose_suffix(answer.url, answer.content_type)}"
    path.write_bytes(answer.content)
    return replace(feed, url=str(path), pages=None, headers={}), total


def _save_linked(feed: FeedTable, visitor: Visitor, question: Question) -> tuple[FeedTable, int]:
    """Fetch the first pages that the feed's list links to. Return the feed of these files, and how many there are."""
    listed = visitor.get(feed.url)
    linked = list(list_linked(listed.content, listed.url, feed.follow))
    folder = question.scratch / f"candidate-{visitor.requests}"
    folder.mkdir(parents=True)
    for number, url in enumerate(linked[:_TRIED]):
        (folder / f"page{number}.html").write_bytes(visitor.get(url).content)
    return replace(feed, url=f"{folder}/*.html", follow=""), len(linked)


def _restore(opened: OpenedFile, feed: FeedTable) -> FeedTable:
    """Return the settings that were found in the saved page, with the address to fetch."""
    return replace(
        opened.feed, url=feed.url, pages=feed.pages, headers=feed.headers, follow=feed.follow, venues=feed.venues
    )


def count_records(records: list[Record], *, today: date, total: int = 0) -> Counts:
    events = [record for record in records if isinstance(record, EventRecord) and record.status != "draft"]
    dated = [(record, begins.date()) for record in events if (begins := record.begins) is not None]
    said = {
        "hours": sum(record.has_time for record, _ in dated), "place": sum(map(_is_placed, events)),
        "ages": sum(event.ages != AgeRange() for event in events),
        "price": sum(event.price != Price() for event in events),
    }  # fmt: skip
    return Counts(
        events=len(dated), total=max(total, len(dated)), places=sum(record.type == "place" for record in records),
        upcoming=sum(_find_last_date(record, day) >= today for record, day in dated),
        first=min((day for _, day in dated), default=None), last=max((day for _, day in dated), default=None),
        shares={name: count / max(len(events), 1) for name, count in said.items()}, points=find_record_points(records),
    )  # fmt: skip


def find_record_points(records: list[Record]) -> tuple[Point, ...]:
    located = (getattr(record, "location", None) for record in records)
    return tuple((where.lat, where.lng) for where in located if where is not None and where.lat and where.lng)


def _is_placed(event: EventRecord) -> bool:
    where = event.location
    return event.place is not None or (where is not None and bool(where.address or where.lat))


def _find_last_date(record: EventRecord, day: date) -> date:
    if record.rrule:
        until = _UNTIL.search(record.rrule)
        return date(*map(int, until.groups())) if until else date.max
    return max(find_last_day(record) or day, *(moment.date() for moment in record.rdates), day)


def _shorten(error: Exception, name: str) -> str:
    """Return the reason alone: the address is shown beside it."""
    reason: Any = error.args[2] if len(error.args) == 3 else error
    return re.sub(rf"^feed {re.escape(name)}: ", "", " ".join(str(reason).split()))[:200]
