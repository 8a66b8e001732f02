"""Texts of listings with the audience that a reader took from them, and how the audience check does on them.

`python -m tests.judged.audiences` prints the tables of docs/audiences.md.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct

from outings.contract.languages.language import ENGLISH, SHIPPED, read_shipped_language
from outings.contract.vocabulary import AUDIENCES
from pipeline.records.record import EventRecord
from pipeline.resolve.facts.audience import ADULTS, Verdict, read_classifier

_FILE = Path(__file__).with_name("audiences.csv")
_LANGUAGES = {"en": "English", "es": "Spanish", "de": "German, by English rules"}


class LabelledText(Struct, frozen=True, kw_only=True):
    """`second`: what an independent second reading said; empty for those outside of its sample."""

    language: str
    source: str
    audience: str
    second: str
    name: str
    keywords: str
    text: str


class AudienceMeasures(Struct, frozen=True, kw_only=True):
    """`precision`: the share of what the check calls so that is so; `recall`: the share of what is so that it finds."""

    labelled: int
    precision: float
    recall: float


def read_labelled() -> list[LabelledText]:
    with _FILE.open(encoding="utf-8", newline="") as file:
        return [LabelledText(**row) for row in csv.DictReader(file)]


@cache
def judge_text(text: LabelledText) -> Verdict:
    """Return the audience of a text in a metro of its language, or in an English one if that language is not
    shipped."""
    own = text.language if text.language in SHIPPED else ENGLISH
    keywords = tuple(filter(None, text.keywords.split(";")))
    record = EventRecord(
        feed="f", line=1, type="event", source_id="1", name=text.name, keywords=keywords, description=text.text or None
    )
    return read_classifier(read_shipped_language(own)).judge(record)


def measure_audiences(texts: Iterable[LabelledText]) -> dict[str, AudienceMeasures]:
    """Return the share of correct audiences by class, and under `all` for all texts."""
    pairs = Counter((text.audience, judge_text(text).audience) for text in texts)
    measured = {audience: _measure_class(pairs, audience) for audience in AUDIENCES}
    right = sum(count for (label, guess), count in pairs.items() if label == guess) / pairs.total()
    return {**measured, "all": AudienceMeasures(labelled=pairs.total(), precision=right, recall=right)}


def _measure_class(pairs: Mapping[tuple[str, str], int], audience: str) -> AudienceMeasures:
    labelled = sum(count for (label, _), count in pairs.items() if label == audience)
    guesses = sum(count for (_, guess), count in pairs.items() if guess == audience)
    right = pairs.get((audience, audience), 0)
    return AudienceMeasures(labelled=labelled, precision=right / (guesses or 1), recall=right / (labelled or 1))


def list_shown(texts: Iterable[LabelledText]) -> list[LabelledText]:
    """Texts for adults that the check would show to families."""
    return [text for text in texts if text.audience == ADULTS and judge_text(text).audience != ADULTS]


def measure_agreement(texts: Sequence[LabelledText]) -> tuple[int, float]:
    """Return how many texts were judged twice, and the share on which both judgments agree."""
    twice = [text for text in texts if text.second]
    return len(twice), sum(text.second == text.audience for text in twice) / (len(twice) or 1)


def format_measures(texts: Sequence[LabelledText]) -> Iterator[str]:
    """Yield lines of Markdown, as the document has them."""
    yield "| Language | Class | Texts | Precision | Recall |"
    yield "|---|---|---|---|---|"
    for code, language in _LANGUAGES.items():
        measured = measure_audiences(text for text in texts if text.language == code)
        for audience, value in measured.items():
            yield f"| {language} | `{audience}` | {value.labelled:,} | {value.precision:.3f} | {value.recall:.3f} |"
    yield ""
    adults = sum(text.audience == "adults" for text in texts)
    yield f"Shown to families: {len(list_shown(texts))} of {adults} texts for adults."
    twice, agreeing = measure_agreement(texts)
    yield f"Read twice: {twice} texts; both readings agree on {agreeing:.1%}."


if __name__ == "__main__":
    print("\n".join(format_measures(read_labelled())))
