"""Slugs: made of names, unique, and where they were published they stay."""

from collections.abc import Mapping
from random import Random
from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.resolve.facts.slugs import SlugRequest, assign_slugs, slugify


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Toddler Storytime", "toddler-storytime"),
        ("  Kids' Café & Play!  ", "kids-cafe-play"),
        ("Kid’s Day", "kids-day"),
        ("O`Dea", "odea"),
        ("Ages 3-5", "ages-3-5"),
        ("3.5 miles", "3-5-miles"),
        ("North Beach/Blue Ridge", "north-beach-blue-ridge"),
        ("snake_case", "snake-case"),
        ("Straße", "strasse"),
        ("Smørrebrød på Łódź", "smorrebrod-pa-lodz"),
        ("讲故事", "jianggushi"),
        ("Детский театр", "detskiy-teatr"),
        ("—", ""),
        ("", ""),
        ("a" * 90, "a" * 80),
        ("word " * 30, "word-" * 15 + "word"),
    ],
)
def test_a_text_becomes_a_slug(text: str, slug: str) -> None:
    assert slugify(text) == slug


@given(st.text())
def test_a_slug_is_of_lower_case_words_joined_by_hyphens(text: str) -> None:
    slug = slugify(text)
    assert len(slug) <= 80
    assert slug == "" or all(word and set(word) <= set(ascii_lowercase + digits) for word in slug.split("-"))
    assert slugify(slug) == slug


def assign(
    *wishes: tuple[str, str] | tuple[str, str, str | None], before: Mapping[str, str] | None = None
) -> dict[str, str]:
    """`wishes`: (id, name) or (id, name, own slug)."""
    made = [
        SlugRequest(id=wish[0], type="event", name=wish[1], slug=wish[2] if len(wish) > 2 else None) for wish in wishes
    ]
    return assign_slugs(made, previous=before or {})


CASES: list[tuple[str, list[tuple[str, str] | tuple[str, str, str | None]], dict[str, str], dict[str, str]]] = [
    ("made of the name", [("1", "Art Day")], {}, {"1": "art-day"}),
    ("numbered by id", [("3", "Swim"), ("1", "Swim"), ("2", "swim!")], {}, {"1": "swim", "2": "swim-2", "3": "swim-3"}),
    ("a number that a name has taken is left out", [("1", "Swim 2"), ("2", "Swim"), ("3", "Swim")], {},
     {"1": "swim-2", "2": "swim", "3": "swim-3"}),
    ("of a name without letters: type and id", [("12345678-9", "★")], {}, {"12345678-9": "event-12345678"}),
    ("the own slug goes before names", [("1", "Swim"), ("2", "Dive", "swim")], {}, {"1": "swim-2", "2": "swim"}),
    ("an own slug is written as slugs are", [("1", "Swim", "My Swim")], {}, {"1": "my-swim"}),
    ("an own slug without letters is none", [("1", "Swim", "!")], {}, {"1": "swim"}),
    ("a new name does not move it", [("1", "Dive")], {"1": "swim"}, {"1": "swim"}),
    ("a newcomer with a lesser id does not move it", [("0", "Swim"), ("1", "Swim")], {"1": "swim"},
     {"0": "swim-2", "1": "swim"}),
    ("a row that left keeps its slug", [("2", "Swim")], {"1": "swim"}, {"2": "swim-2"}),
    ("and has it when it is back", [("1", "Swim"), ("2", "Swim")], {"1": "swim", "2": "swim-2"},
     {"1": "swim", "2": "swim-2"}),
    ("the first of two goes, the second does not move up", [("2", "Swim")], {"1": "swim", "2": "swim-2"},
     {"2": "swim-2"}),
    ("another own slug moves it", [("1", "Swim", "dive")], {"1": "swim"}, {"1": "dive"}),
    ("a first own slug moves it", [("1", "Swim", "plunge")], {"1": "swim"}, {"1": "plunge"}),
    ("an own slug that goes leaves it", [("1", "Swim")], {"1": "plunge"}, {"1": "plunge"}),
    ("the same own slug again, taken by another, does not move it", [("1", "A", "swim"), ("2", "B", "swim")],
     {"1": "swim", "2": "swim-2"}, {"1": "swim", "2": "swim-2"}),
    ("also when that other is gone", [("2", "B", "swim")], {"1": "swim", "2": "swim-2"}, {"2": "swim-2"}),
    ("a shorter own slug moves it where it is free", [("1", "Camp", "camp")], {"1": "camp-2026"}, {"1": "camp"}),
    ("an own slug that a row holds gets a number", [("1", "A"), ("2", "B", "swim")], {"1": "swim"},
     {"1": "swim", "2": "swim-2"}),
    ("own slugs may be swapped", [("1", "A", "b"), ("2", "B", "a")], {"1": "a", "2": "b"}, {"1": "b", "2": "a"}),
]  # fmt: skip


@pytest.mark.parametrize(("wishes", "before", "slugs"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_slugs_are_unique_and_stay(
    wishes: list[tuple[str, str] | tuple[str, str, str | None]], before: dict[str, str], slugs: dict[str, str]
) -> None:
    assert assign(*wishes, before=before) == slugs


NAMES = st.sampled_from(["Swim", "swim", "Swim 2", "Swim 3", "Art", "★", ""])
ROWS = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(NAMES, st.sampled_from([None, "swim", "art", "swim-2"])))


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_over_many_builds_no_two_rows_ever_share_a_slug_and_none_moves_by_itself(
    builds: list[dict[str, tuple[str, str | None]]],
) -> None:
    published: dict[str, str] = {}
    own: dict[str, str | None] = {}
    for rows in builds:
        slugs = assign(*[(key, name, slug) for key, (name, slug) in rows.items()], before=published)
        assert set(slugs) == set(rows)
        everyone = published | slugs
        assert len(set(everyone.values())) == len(everyone)
        for key, slug in slugs.items():
            if key in published and (rows[key][1] is None or rows[key][1] == own[key] == published[key]):
                assert slug == published[key]
        published = everyone
        own.update({key: slug for key, (_, slug) in rows.items()})


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_the_feeds_does_not_count(rows: dict[str, tuple[str, str | None]], random: Random) -> None:
    wishes = [(key, name, slug) for key, (name, slug) in rows.items()]
    shuffled = list(wishes)
    random.shuffle(shuffled)
    assert assign(*shuffled) == assign(*wishes)


def test_ten_thousand_of_one_name_are_counted_once() -> None:
    slugs = assign(*[(f"{number:05}", "Swimming Lessons") for number in range(10_000)])
    assert (slugs["00000"], slugs["00001"], slugs["09999"]) == (
        "swimming-lessons", "swimming-lessons-2", "swimming-lessons-10000",
    )  # fmt: skip
