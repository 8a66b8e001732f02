"""Find what no family looks for: rows that are no listings, and closings and meetings, which `drop` leaves out."""

import re
from collections.abc import Sequence

from msgspec import Struct

from outings.configuration import FeedTable
from outings.texts.tokens import LANGUAGES
from pipeline.drafts.drafting import FeedDraft
from pipeline.fetch.keep_and_drop import compile_words
from pipeline.fetch.table.mapping import list_used
from pipeline.records.record import PlaceRecord, Record
from pipeline.words import fold, read_words


class Proposal(Struct, frozen=True, kw_only=True):
    """A proposal to drop `count` of `total` records by the patterns `words` in `column`, "" if the format has none."""

    count: int
    total: int
    example: str
    column: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        verb = "is a closing or a meeting" if self.count == 1 else "are closings or meetings"
        return f"{self.count:,} of {self.total:,} {verb}, such as “{self.example}”"


def propose_drop(feed: FeedTable, records: Sequence[Record], *, language: str) -> Proposal | None:
    """Return the proposal for a feed's records, None if none of them is unwanted. `language`: of their names."""
    spoken = [code for code in (language, "en") if code in LANGUAGES]
    words = dict.fromkeys(word for code in spoken for word in read_words(code)["websites"]["unwanted"])
    names = [record.name for record in records if record.name]
    folded = {name: fold(" ".join(name.split())) for name in names}
    patterns = {word: re.compile(compile_words(word)) for word in words}
    found = {word: [name for name in names if pattern.fullmatch(folded[name])] for word, pattern in patterns.items()}
    unwanted = list(dict.fromkeys(name for matches in found.values() for name in matches))
    if not unwanted:
        return None
    return Proposal(
        count=sum(name in unwanted for name in names), total=len(records), example=unwanted[0],
        column=_find_column(feed), words=tuple(word for word, matches in found.items() if matches),
    )  # fmt: skip


def _find_column(feed: FeedTable) -> str:
    """Return the column of names, as `drop` has it."""
    if feed.format == "ics":
        return "summary"
    return next(iter(list_used({"name": feed.map["name"]})), "") if "name" in feed.map else ""


def is_no_listing(draft: FeedDraft, records: Sequence[Record]) -> bool:
    """Return True if a draft takes rows for places although none has an address or a point: products, posts."""
    is_guessed = draft.own.get("type") == {"value": "place"}
    places = [record for record in records if isinstance(record, PlaceRecord)]
    return is_guessed and bool(places) and all(place.location is None for place in places)
