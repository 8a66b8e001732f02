"""A file of related words: groups of folded phrases, or what is wrong with which line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.contract.languages.language import RelatedError, join_groups, parse_related


def list_problems(text: str) -> list[str]:
    with pytest.raises(RelatedError) as refused:
        parse_related(text.encode())
    assert str(refused.value) == "; ".join(refused.value.problems)
    return [problem.partition(";")[0] for problem in refused.value.problems]


def test_groups_are_folded_as_words_are() -> None:
    data = "\ufeff# ours\r\nCafé, Coffee-House\r\n\r\n  arts & crafts ,handicraft\r\n".encode()
    assert parse_related(data) == (("cafe", "coffee house"), ("arts and crafts", "handicraft"))
    assert parse_related(b"") == ()


WRONG = [
    ("pottery", [(1, '"pottery" has no other phrase in its group')]),
    ("a,b\n,b", [(2, '"" has no word')]),
    ("boat,!!!", [(1, '"!!!" has no word')]),
    ("boat,Boat", [(1, '"boat" is in it twice')]),
    ("boat,one two three four five", [(1, '"one two three four five" is too long')]),
    (f"boat,{'b' * 61}", [(1, f'"{"b" * 60}…" is too long')]),
    (",".join(f"w{n}" for n in range(21)), [(1, "has 21 phrases")]),
    ("one\ntwo", [(1, '"one" has no other phrase in its group'), (2, '"two" has no other phrase in its group')]),
    ("a,b\n" * 1001, [(0, "has 1001 groups")]),
]


@pytest.mark.parametrize(("text", "problems"), WRONG)
def test_every_problem_is_named_by_its_line(text: str, problems: list[tuple[int, str]]) -> None:
    assert list_problems(text) == [f"line {line}: {problem}" if line else problem for line, problem in problems]


def test_files_are_joined_group_by_group_each_once() -> None:
    shipped, own = (("a", "b"), ("c", "d")), (("b", "e"), ("a", "b"))
    assert join_groups(shipped, own) == (("a", "b"), ("c", "d"), ("b", "e"))
    assert join_groups(shipped, ()) == shipped


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_groups_or_refused(data: bytes) -> None:
    try:
        groups = parse_related(data)
    except RelatedError as refused:
        assert refused.problems  # noqa: PT017
    else:
        assert all(len(set(group)) == len(group) > 1 for group in groups)
