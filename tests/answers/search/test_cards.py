"""A program that came as several class listings is one result."""

from pathlib import Path

from outings.release.snapshot import Release
from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.search.searching import Document, find, search
from tests.answers.worlds import World, open_release


def make_class(number: int, name: str, *, starts_on: str | None = None, **members: object) -> Document:
    return documents.make_class(make_uuid(number), name=name, term=documents.make_term(starts_on=starts_on), **members)


def open_program(folder: Path, *listings: Document, program: str | None = "swim") -> Release:
    programs = {} if program is None else {listing["id"]: program for listing in listings}
    return open_release([World(listings=list(listings), programs=programs)], folder)


def test_of_those_that_match_the_one_that_starts_first_is_the_card(tmp_path: Path) -> None:
    release = open_program(
        tmp_path, make_class(1, "Swim A", starts_on="2026-09-01"), make_class(2, "Swim B", starts_on="2026-08-20"),
        make_class(3, "Dive", starts_on="2026-08-12"),
    )  # fmt: skip
    body = search(release, "swim")
    assert [item["name"] for item in body["data"]] == ["Swim B"]
    assert body["meta"]["match_counts"] == {"all_terms": 1, "related": 0, "partial": 0}
    assert (body["meta"]["count"], body["meta"]["count_estimate"]) == (1, 1)


def test_ties_go_to_the_smaller_id(tmp_path: Path) -> None:
    release = open_program(tmp_path, make_class(2, "Swim B"), make_class(1, "Swim A"))
    assert list(find(release, "swim")) == ["Swim A"]


def test_filters_come_first(tmp_path: Path) -> None:
    cheap, dear = documents.make_price(min=5.0), documents.make_price(min=50.0)
    release = open_program(
        tmp_path, make_class(1, "Swim A", starts_on="2026-08-12", price=dear),
        make_class(2, "Swim B", starts_on="2026-08-20", price=cheap),
    )  # fmt: skip
    assert list(find(release, "swim")) == ["Swim A"]
    assert list(find(release, "swim", {"max_price": "10"})) == ["Swim B"]


def test_starts_are_looked_for_from_the_windows_first_date(tmp_path: Path) -> None:
    release = open_program(
        tmp_path, make_class(1, "Swim A", starts_on="2026-08-12"), make_class(2, "Swim B", starts_on="2026-08-20")
    )
    assert list(find(release, "swim")) == ["Swim A"]
    assert list(find(release, "swim", {"from": "2026-08-15"})) == ["Swim B"]


def test_starts_are_looked_for_from_a_first_date_that_is_past(tmp_path: Path) -> None:
    """Starts are found as for lists. Today is 2026-08-10."""
    release = open_program(
        tmp_path, make_class(1, "Swim A", starts_on="2026-08-12"), make_class(2, "Swim B", starts_on="2026-08-05")
    )
    assert list(find(release, "swim")) == ["Swim A"]
    assert list(find(release, "swim", {"from": "2026-08-01"})) == ["Swim B"]


def test_a_program_has_its_best_level(tmp_path: Path) -> None:
    """The card is not hidden by a listing of its program that starts earlier but only mentions the word."""
    release = open_program(
        tmp_path, make_class(1, "Dive", starts_on="2026-08-12", description="Far from it. " * 100 + "Swim."),
        make_class(2, "Swim B", starts_on="2026-08-20"),
    )  # fmt: skip
    assert find(release, "swim") == {"Swim B": "all_terms"}
    assert list(find(release, "swim", {"match": "all_terms"})) == ["Swim B"]


def test_listings_of_no_program_and_of_another_stay_single(tmp_path: Path) -> None:
    release = open_program(tmp_path, make_class(1, "Swim A"), make_class(2, "Swim B"), program=None)
    assert list(find(release, "swim")) == ["Swim A", "Swim B"]


def test_sync_mode_knows_no_cards(tmp_path: Path) -> None:
    release = open_program(tmp_path, make_class(1, "Swim A"), make_class(2, "Swim B"))
    assert list(find(release, "swim", {"changed_since": "2020-01-01T00:00:00Z"})) == ["Swim A", "Swim B"]


def test_of_two_listings_that_start_on_one_day_the_smaller_id_is_the_card(tmp_path: Path) -> None:
    """Cards are chosen as for lists: by the earliest day, then by id."""
    late, early = (documents.make_schedule(days=["friday"], start_time=time) for time in ("17:00:00", "09:00:00"))
    release = open_program(tmp_path, make_class(1, "Swim A", schedule=late), make_class(2, "Swim B", schedule=early))
    assert list(find(release, "swim")) == ["Swim A"]
