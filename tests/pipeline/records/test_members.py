"""The members' table and `docs/records.md` say the same: which members there are, of what kind, which a filter uses."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outings.contract.parameters import PARAMETERS
from outings.contract.vocabulary import Vocabulary
from pipeline.records.kinds import Kind, Members, Table
from pipeline.records.record import make_members
from pipeline.records.values import InvalidValue, RepairedValue

TEXT = (Path(__file__).parents[3] / "docs/records.md").read_text(encoding="utf-8")
MEMBERS = make_members(Vocabulary())
SECTIONS_OF = {
    "organization": ["Every record", "Organization"],
    "place": ["Every record", "Event, class, camp and place", "Place"],
    "event": ["Every record", "Event, class, camp and place", "Event, class and camp", "Event"],
    "class": ["Every record", "Event, class, camp and place", "Event, class and camp", "Class"],
    "camp": ["Every record", "Event, class, camp and place", "Event, class and camp", "Camp"],
}
Row = tuple[bool, str, list[str]]


def read_section(title: str) -> dict[str, Row]:
    """Return for each member of a section whether it has a star, its kind, and the words that its remark names."""
    match = re.search(rf"^### {re.escape(title)}\n(.*?)(?=^##|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    assert match, title
    return read_rows([line for line in match[1].splitlines() if line.startswith("| `")], prefix="")


def read_object(name: str) -> dict[str, Row]:
    """Return the same for the members of an object: of rows with its name before a dot, or of its one row."""
    rows = read_rows([line for line in TEXT.splitlines() if line.startswith(f"| `{name}.")], prefix=rf"{name}\.")
    match = re.search(rf"^\| `{name}` \| (`.* · .*) \|$", TEXT, re.MULTILINE)
    for item in match[1].split(" · ") if match else ():
        ((names, star, kind, words),) = re.findall(r"^((?:`\w+`(?:, )?)+)( ★)? ([^:]+)(?:: (.*))?$", item)
        rows |= {member: (bool(star), kind, re.findall(r"`(\w+)`", words)) for member in re.findall(r"\w+", names)}
    return rows


def read_rows(lines: list[str], *, prefix: str) -> dict[str, Row]:
    return {
        name: ("★" in names, kind.strip(), re.findall(r"`([a-z_]+)`", remark))
        for names, kind, remark in (line.strip("|").split("|") for line in lines)
        for name in re.findall(rf"`{prefix}(\w+)`", names)
    }


def list_tables(members: Members) -> dict[str, Table]:
    tables: dict[str, Table] = {}
    for name, kind in members.items():
        if isinstance(kind, Table):
            tables |= {name: kind, **list_tables(kind.members)}
    return tables


# What a value of each kind may look like, and what not: enough to tell the kinds apart.
EXAMPLES: dict[str, tuple[object, object]] = {
    "line": ("a b", 7),
    "prose": ("a\nb", 7),
    "key": ("a b", 7),
    "word": ("", "no such word"),
    "words": ([], "monday"),
    "address": ("https://example.org", "example.org"),
    "addresses": (["https://example.org"], "https://example.org"),
    "lines": (["a"], "a"),
    "uuid": ("6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21", "6f1f"),
    "slug": ("a-b", "a b"),
    "yes/no": (True, 1),
    "number": (1.5, "1.5"),
    "count": (1, 1.5),
    "age": (120, 121),
    "share": (1, 1.5),
    "year": (2026, 26),
    "date": ("2026-08-10", "2026-08-10T09:00"),
    "local time": ("2026-08-10T09:00", "2026-08-10T09:00Z"),
    "local times": (["2026-08-10T09:00"], ["2026-08-10"]),
    "instant": ("2026-08-10T09:00Z", "2026-08-10T09:00"),
    "clock": ("09:00", "9 am"),
    "zone": ("America/New_York", "Gotham"),
    "currency": ("USD", "$"),
}


def list_unfiltering(members: Members, path: str = "") -> list[str]:
    """List the members that a wrong value does not quarantine, although they are no objects."""
    return [
        member
        for name, kind in members.items()
        for member in (
            list_unfiltering(kind.members, f"{path}{name}.") if isinstance(kind, Table) else [f"{path}{name}"]
        )
        if isinstance(kind, Table) or not kind.filters
    ]


@pytest.mark.parametrize("type_", MEMBERS)
def test_a_wrong_value_that_a_request_would_compare_quarantines_its_record(type_: str) -> None:
    compared = {row.member for row in PARAMETERS.values()}
    assert compared.isdisjoint(list_unfiltering(MEMBERS[type_]))


def is_kind(kind: Kind, message: str) -> bool:
    if isinstance(kind, Table):
        return message == ("objects" if kind.many else "object")
    right, wrong = EXAMPLES[message]
    return reads(kind.parse, right) and not reads(kind.parse, wrong)


def reads(parse: Callable[[Any], Any], value: object) -> bool:
    try:
        parse(value)
    except (InvalidValue, RepairedValue):
        return False
    return True


def compare(members: Members, rows: dict[str, Row]) -> None:
    differing = rows.keys() ^ members.keys()
    assert not differing, f"{sorted(differing)}: not both in docs/records.md and in pipeline/records"
    for name, (starred, kind_name, words) in rows.items():
        kind = members[name]
        uses = "a filter uses it" if kind.filters else "no filter uses it"
        assert kind.filters == starred, f"{name}: {uses}, which a star in docs/records.md says, or its absence"
        assert is_kind(kind, kind_name), f"{name} is no {kind_name}, as docs/records.md says"
        if kind_name == "word" and not isinstance(kind, Table):
            assert [word for word in words if not reads(kind.parse, word)] == [], name


@pytest.mark.parametrize("type_", MEMBERS)
def test_every_type_has_the_members_that_the_page_says(type_: str) -> None:
    rows: dict[str, Row] = {}
    for title in SECTIONS_OF[type_]:
        rows |= read_section(title)
    compare(MEMBERS[type_], rows)


@pytest.mark.parametrize("type_", MEMBERS)
def test_every_object_has_the_members_that_the_page_says(type_: str) -> None:
    for name, table in list_tables(MEMBERS[type_]).items():
        compare(table.members, read_object(name))


def test_the_page_names_no_object_that_there_is_not() -> None:
    named = set(re.findall(r"^\| `(\w+)(?:\.\w+`|` \| `.* · )", TEXT, re.MULTILINE))
    assert named == {name for members in MEMBERS.values() for name in list_tables(members)}
