"""What lifts a result in `match=auto` and decides nothing: words for lessons, and for whom."""

from pathlib import Path

import pytest

from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, open_listings, score

AUTO = {"match": "auto"}


def name_classes(*names: str) -> list[Document]:
    return [documents.make_class(make_uuid(number), name=name) for number, name in enumerate(names, 1)]


@pytest.mark.parametrize("q", ["swim lessons", "swim lesson", "swim les"])
def test_who_looks_for_lessons_finds_what_says_learn_first(tmp_path: Path, q: str) -> None:
    release = open_listings(tmp_path, *name_classes("Lap Swim", "Learn to Swim", "Swim Lesson"))
    assert list(find(release, q, AUTO)) == ["Swim Lesson", "Learn to Swim", "Lap Swim"]


def test_only_auto_knows_that_learning_is_a_lesson(tmp_path: Path) -> None:
    release = open_listings(tmp_path, *name_classes("Lap Swim", "Learn to Swim"))
    assert score(release, "swim lessons") == {"Lap Swim": 0.931, "Learn to Swim": 0.915}


def test_for_children_what_begins_in_their_teens_comes_behind(tmp_path: Path) -> None:
    listings = name_classes("Clay", "Clay glazes", "Clay wheels", "Clay kilns")
    ages = ({"min": 16}, {"min": 13, "max": 18}, {"min": 12}, {})
    for listing, own in zip(listings, ages, strict=True):
        listing["ages"] = documents.make_ages(**own)
    release = open_listings(tmp_path, *listings)
    assert list(find(release, "clay for kids", AUTO)) == ["Clay wheels", "Clay kilns", "Clay", "Clay glazes"]
    # An age that is stated says more, and families are of all ages.
    for q in ("clay for kids 16 and up", "clay for families"):
        assert next(iter(find(release, q, AUTO))) == "Clay"
    assert next(iter(find(release, "clay for kids"))) == "Clay"
