"""A program that came as several class listings: one card, the others under `sessions`."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.answers import documents
from tests.answers.asking import fetch
from tests.answers.documents import make_uuid
from tests.answers.generated import TODAY
from tests.answers.worlds import World, open_release

A, B, C = map(make_uuid, (1, 2, 3))


def make_class(row_id: str, *, days: tuple[str, ...] = (), **members: Any) -> dict[str, Any]:
    span = {name: members.pop(name, None) for name in ("starts_on", "ends_on")}
    return documents.make_class(
        row_id, term=documents.make_term(**span), schedule=documents.make_schedule(days=list(days)), **members
    )


def list_cards(
    folder: Path, *listings: dict[str, Any], params: dict[str, str] | None = None, today: date = TODAY
) -> dict[str, list[str]]:
    """Id of each card → the ids under its `sessions`."""
    world = World(listings=list(listings), programs={listing["id"]: "swim" for listing in listings})
    data = fetch(open_release([world], folder), "/v1/harbor/classes", params, today=today)["data"]
    return {item["id"]: [card["id"] for card in item["sessions"]] for item in data}


# TODAY, 2026-08-10, is a Monday.
CASES = [
    ("its term's first day, where no days are stated", {"starts_on": "2026-08-20"}, {"starts_on": "2026-08-15"}),
    ("a first day today", {"starts_on": "2026-08-11"}, {"starts_on": "2026-08-10"}),
    (
        "its next meeting, where they are",
        {"starts_on": "2026-08-12"},
        {"starts_on": "2026-08-01", "days": ("tuesday",)},
    ),
    ("a meeting today", {"starts_on": "2026-08-11"}, {"days": ("monday",)}),
    (
        "a first meeting not before the term",
        {"starts_on": "2026-08-16"},
        {"starts_on": "2026-08-11", "days": ("friday",)},
    ),
    (
        "a meeting before the term is over",
        {"starts_on": "2026-08-01", "ends_on": "2026-08-12", "days": ("sunday",)},
        {"starts_on": "2026-09-20"},
    ),
]


@pytest.mark.parametrize(("later", "earlier"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_card_is_the_listing_with_the_earliest_start(
    tmp_path: Path, later: dict[str, Any], earlier: dict[str, Any]
) -> None:
    assert list_cards(tmp_path / "1", make_class(A, **later), make_class(B, **earlier)) == {B: [A]}
    assert list_cards(tmp_path / "2", make_class(B, **later), make_class(A, **earlier)) == {A: [B]}


def test_ties_go_to_the_smaller_id(tmp_path: Path) -> None:
    assert list_cards(tmp_path, make_class(B), make_class(A), make_class(C)) == {A: [B, C]}


def test_a_term_that_began_before_the_window_has_no_start_in_it(tmp_path: Path) -> None:
    begun, coming = make_class(A, starts_on="2026-08-01"), make_class(B, starts_on="2026-11-01")
    assert list_cards(tmp_path, begun, coming) == {B: [A]}


def test_meetings_are_looked_for_from_the_windows_first_date(tmp_path: Path) -> None:
    monday, tuesday = make_class(A, days=("monday",)), make_class(B, days=("tuesday",))
    assert list_cards(tmp_path / "1", monday, tuesday) == {A: [B]}
    assert list_cards(tmp_path / "2", monday, tuesday, params={"from": "2026-08-11"}) == {B: [A]}
    assert list_cards(tmp_path / "3", monday, tuesday, today=date(2026, 8, 11)) == {B: [A]}


def test_filters_choose_the_card_and_sessions_show_the_others_all_the_same(tmp_path: Path) -> None:
    cheap, dear = (make_class(row_id, price=documents.make_price(min=price)) for row_id, price in ((A, 5.0), (B, 50.0)))
    assert list_cards(tmp_path / "1", cheap, dear, params={"max_price": "10"}) == {A: [B]}
    assert list_cards(tmp_path / "2", dear, cheap, params={"max_price": "1"}) == {}


def test_sessions_are_published_and_pass_audience_and_confidence(tmp_path: Path) -> None:
    others = [
        make_class(B, audience="adults"), make_class(C, confidence=0.1), make_class(make_uuid(4), status="archived"),
        make_class(make_uuid(5)),
    ]  # fmt: skip
    assert list_cards(tmp_path / "1", make_class(A), *others) == {A: [make_uuid(5)]}
    everything = {"audience": "all", "min_confidence": "0"}
    assert list_cards(tmp_path / "2", make_class(A), *others, params=everything) == {A: [B, C, make_uuid(5)]}


def test_a_detail_knows_no_cards(tmp_path: Path) -> None:
    world = World(listings=[make_class(A), make_class(B)], programs={A: "swim", B: "swim"})
    release = open_release([world], tmp_path)
    assert fetch(release, f"/v1/classes/{A}")["data"]["sessions"] == []


def test_fields_choose_members_of_the_cards(tmp_path: Path) -> None:
    world = World(listings=[make_class(A), make_class(B)], programs={A: "swim", B: "swim"})
    release = open_release([world], tmp_path)
    [item] = fetch(release, "/v1/harbor/classes", {"fields": "sessions.slug"})["data"]
    assert item == {"id": A, "type": "class", "sessions": [{"slug": world.get(B)["slug"]}]}
