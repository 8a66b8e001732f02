"""A feed is its records, each once, and the sum of what became of every line."""

import json
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outings.configuration import read_configuration
from pipeline.clean.reading import apply_defaults
from pipeline.feed_task import read_feed
from pipeline.fetch.source import FeedError, SelectError, SettingError, check_unchanged, hash_feed, list_files
from tests.pipeline.fetch.settings import Configure, ReadNdjson
from tests.settings import format_metro


def event(source_id: str = "1", **members: Any) -> dict[str, Any]:
    return {"type": "event", "source_id": source_id, "name": "Storytime", **members}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_of_the_same_source_id_the_last_wins_and_the_others_are_merged(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(lines(event("1", name="A"), event("2"), event("1", name="B"), event("1", name="C")))
    assert [(record.source_id, record.name, record.line) for record in read.records] == [
        ("2", "Storytime", 2),
        ("1", "C", 4),
    ]
    assert (read.read, read.merged, read.quarantined) == (4, 2, 0)


def test_a_wrong_record_does_not_win_over_a_good_one(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(lines(event(name="A"), event(name=7)))
    assert [record.name for record in read.records] == ["A"]
    assert (read.read, read.merged, read.quarantined) == (2, 0, 1)


def test_records_of_two_types_may_share_a_source_id(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(lines(event(), {**event(), "type": "place"}))
    assert [record.type for record in read.records] == ["event", "place"]


def test_an_organization_of_one_feed_may_be_in_two_metros_and_a_place_in_one(read_ndjson: ReadNdjson) -> None:
    records = [
        {**event(), "type": type_, "metro": metro}
        for type_ in ("organization", "place")
        for metro in ("seattle", "new-york")
    ]
    read = read_ndjson(lines(*records), settings="")
    assert [(record.type, record.metro) for record in read.records] == [
        ("organization", "seattle"), ("organization", "new-york"), ("place", "new-york"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "stated", "metro", "reason"),
    [
        ('metro = "seattle"', None, "seattle", None),
        ('metro = "seattle"', "seattle", "seattle", None),
        ('metro = "seattle"', "sea", "seattle", None),
        ("", "sea", "seattle", None),
        ("", "new-york", "new-york", None),
        ("", None, None, "missing: expected one of new-york, seattle"),
        ("", "boston", None, "unknown_word: expected one of new-york, seattle"),
        ('metro = "seattle"', "new-york", None, "contradictory: the feed belongs to seattle"),
        ("", 7, None, "wrong_type: expected a text"),
    ],
)
def test_a_record_is_of_its_own_metro_or_its_feeds(
    read_ndjson: ReadNdjson, settings: str, stated: object, metro: str | None, reason: str | None
) -> None:
    read = read_ndjson(lines(event(metro=stated)), settings=settings)
    assert [record.metro for record in read.records] == ([] if metro is None else [metro])
    problems = [(problem.field, problem.reason) for problem in read.problems]
    assert problems == ([] if reason is None else [("metro", reason)])


def test_a_delta_removes_by_type_and_source_id(read_ndjson: ReadNdjson) -> None:
    content = lines(event("1"), {"type": "event", "source_id": "1", "deleted": True, "starts_local": "rubbish"})
    read = read_ndjson(content, settings='metro = "seattle"\nmode = "delta"\ndefaults = { description = "x" }')
    assert [(record.source_id, record.deleted, record.name) for record in read.records] == [("1", True, "")]
    assert (read.read, read.merged, read.quarantined) == (2, 1, 0)


def test_in_a_full_feed_deleted_is_a_contradiction(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(lines({"type": "event", "source_id": "1", "deleted": True}))
    assert [(problem.field, problem.reason) for problem in read.problems] == [
        ("deleted", "contradictory: only a delta feed removes like this")
    ]


def test_a_record_overrides_defaults(read_ndjson: ReadNdjson) -> None:
    settings = """metro = "seattle"
    [feeds.defaults]
    organization = { name = "SPL" }
    price = { type = "free", currency = "USD" }
    categories = ["dance_gymnastics"]
    """
    read = read_ndjson(
        lines(
            event("1"),
            event("2", price={"type": "fixed", "min": 5}, categories=["swim_water"]),
            event("3", organization={"source_id": "o1"}, price=None, categories=None),
            event("4", organization={"name": None}),
            {"type": "place", "source_id": "5", "name": "Pool"},
        ),
        settings=settings,
    )
    stated = [msgspec.to_builtins(record) for record in read.records]
    references = [{name: value for name, value in item["organization"].items() if value} for item in stated]
    assert references == [{"name": "SPL"}, {"name": "SPL"}, {"source_id": "o1"}, {"name": "SPL"}, {"name": "SPL"}]
    prices = [(record["price"]["type"], record["price"]["min"], record["price"]["currency"]) for record in stated[:4]]
    assert prices == [("free", None, "USD"), ("fixed", 5.0, "USD"), ("free", None, "USD"), ("free", None, "USD")]
    assert [list(record["categories"]) for record in stated[:3]] == [
        ["dance_gymnastics"], ["swim_water"], ["dance_gymnastics"],
    ]  # fmt: skip
    assert read.unknown == {}


@pytest.mark.parametrize(
    ("own", "defaults", "joined"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": None}, {"a": 1}, {"a": 1}),
        ({"a": 0}, {"a": 1}, {"a": 0}),
        ({"a": {"x": {"y": 1}}}, {"a": {"x": {"z": 2}, "w": 3}}, {"a": {"x": {"y": 1, "z": 2}, "w": 3}}),
        ({"a": "text"}, {"a": {"x": 1}}, {"a": "text"}),
        ({"place": {"slug": "s"}}, {"place": {"id": "i"}}, {"place": {"slug": "s"}}),
    ],
)
def test_objects_are_joined_member_by_member(
    own: dict[str, Any], defaults: dict[str, Any], joined: dict[str, Any]
) -> None:
    assert apply_defaults(own, defaults) == joined


def test_a_default_that_no_record_has_is_a_wrong_setting(read_ndjson: ReadNdjson) -> None:
    with pytest.raises(SettingError, match=r"feed spl: defaults\.categoris: .*the nearest: categories"):
        read_ndjson(b"", settings='metro = "seattle"\ndefaults = { categoris = ["x"] }')


def test_unknown_members_are_left_out_and_counted_by_path(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(
        lines(
            event("1", colour="red", price={"min": 1, "vat": 2, "is_free": False}),
            event("2", colour="blue", shade=None, tuition={"amount": None}, sections=[], term={}),
            {"type": "class", "source_id": "3", "name": "Ballet", "sections": [{"room": 1}, {"room": 2}]},
        )
    )
    assert len(read.records) == 3
    assert read.unknown == {"colour": 2, "price.is_free": 1, "price.vat": 1, "sections[].room": 2}


def test_of_very_many_unknown_members_the_frequent_are_named_and_all_are_counted(read_ndjson: ReadNdjson) -> None:
    many = {f"id{number}": 1 for number in range(500)}
    read = read_ndjson(lines(event(**many), event("2", colour="red"), event("3", colour="red")))
    assert len(read.unknown) == 51
    assert read.unknown["colour"] == 2
    assert sum(read.unknown.values()) == 502
    assert read.unknown["(others)"] == 451


def test_a_value_nested_as_deep_as_can_be_read_is_quarantined(read_ndjson: ReadNdjson) -> None:
    nested = [b'{"type": "event", "source_id": "1", "%%s": %s%s}' % (b"[" * n, b"]" * n) for n in range(1, 1200, 7)]
    read = read_ndjson(b"\n".join(line % b"name" for line in nested))
    assert read.read == read.quarantined == len(nested)
    read = read_ndjson(b"\n".join(line % b"colour" for line in nested))
    assert read.read == read.quarantined == len(nested)  # they have no name


def test_defaults_may_be_dates_as_toml_writes_them(read_ndjson: ReadNdjson) -> None:
    settings = 'metro = "seattle"\ndefaults = { date_on = 2026-08-10, ends_local = 2026-08-11T09:00:00 }'
    (record,) = read_ndjson(lines(event()), settings=settings).records
    assert (str(record.date_on), str(record.ends_local)) == ("2026-08-10", "2026-08-11 09:00:00")  # type: ignore[attr-defined]


def test_a_glob_is_one_feed_whose_problems_name_the_file(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "b.ndjson").write_bytes(lines(event("1"), "no object", event("2")))
    (tmp_path / "a.ndjson").write_bytes(lines(event("1", name="of the first file")) + b"\n")
    (tmp_path / "c.ndjson").write_bytes(b"")
    (tmp_path / "d.ndjson").write_bytes(b"\n\nbroken")
    configuration = configure('format = "ndjson"\nurl = "file:*.ndjson"\nmetro = "seattle"')
    read = read_feed(configuration.feeds[0], configuration)
    assert [(record.source_id, record.name) for record in read.records] == [("1", "Storytime"), ("2", "Storytime")]
    assert [(problem.file, problem.line) for problem in read.problems] == [("b.ndjson", 2), ("d.ndjson", 3)]
    assert (read.read, read.merged, read.quarantined) == (5, 1, 2)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("gone.ndjson", r"feed spl: gone\.ndjson: can't be read: No such file or directory"),
        ("gone/*.ndjson", r"feed spl: gone/\*\.ndjson: no file matches"),
        ("folder", "feed spl: folder: is a folder"),
        ("/dev/zero", "feed spl: /dev/zero: is not a file"),
    ],
)
def test_a_source_that_is_not_there_fails_with_its_path(
    configure: Configure, tmp_path: Path, url: str, message: str
) -> None:
    (tmp_path / "folder").mkdir()
    configuration = configure(f'format = "ndjson"\nurl = "{url}"\nmetro = "seattle"')
    with pytest.raises(FeedError, match=message):
        read_feed(configuration.feeds[0], configuration)


def test_a_missing_select_is_a_wrong_setting(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    configuration = configure('format = "table"\nurl = "t.csv"\nselect = "gone.sql"\nmetro = "seattle"')
    with pytest.raises(SelectError, match=r"gone\.sql: can't be read: No such file"):
        read_feed(configuration.feeds[0], configuration)


def test_a_file_that_changes_while_it_is_read_is_no_feed(configure: Configure, tmp_path: Path) -> None:
    feed = configure('format = "ndjson"\nurl = "*.ndjson"\nmetro = "seattle"').feeds[0]
    (tmp_path / "a.ndjson").write_bytes(lines(event()))
    files = list_files(feed, tmp_path)
    check_unchanged(feed, files, tmp_path)
    (tmp_path / "a.ndjson").write_bytes(lines(event(), event("2")))
    with pytest.raises(FeedError, match="changed while it was read"):
        check_unchanged(feed, files, tmp_path)


def test_a_file_whose_name_looks_like_a_pattern_is_read(configure: Configure, tmp_path: Path) -> None:
    (tmp_path / "feed[1].ndjson").write_bytes(lines(event()))
    configuration = configure('format = "ndjson"\nurl = "feed[1].ndjson"\nmetro = "seattle"')
    assert read_feed(configuration.feeds[0], configuration).read == 1


def test_the_hash_does_not_move_with_the_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    def hash_of(name: str = "f.ndjson") -> str:
        folder = tmp_path_factory.mktemp("feed")
        (folder / name).write_bytes(b"{}")
        feed = '\n[[feeds]]\nname = "spl"\nformat = "ndjson"\nurl = "*.ndjson"\n'
        (folder / "outings.toml").write_text(format_metro("seattle") + feed)
        configuration = read_configuration(folder / "outings.toml", {})
        return hash_feed(configuration.feeds[0], configuration)

    assert hash_of() == hash_of() != hash_of("g.ndjson")


def test_the_hash_of_what_was_read_is_the_one_asked_for_before(read_ndjson: ReadNdjson, tmp_path: Path) -> None:
    read = read_ndjson(lines(event()))
    configuration = read_configuration(tmp_path / "outings.toml", {})
    assert read.hash == hash_feed(configuration.feeds[0], configuration)


def test_what_is_read_and_what_fails_comes_back_whole_from_another_process(read_ndjson: ReadNdjson) -> None:
    read = read_ndjson(lines(event(), 7))
    assert pickle.loads(pickle.dumps(read)) == read
    for error in (FeedError("spl", "x", "gone"), SelectError("spl", "x", "wrong"), SettingError("spl", "x", "wrong")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.feed) == (type(error), str(error), "spl")


MEMBERS = st.dictionaries(
    st.sampled_from(
        ["type", "source_id", "name", "metro", "deleted", "price", "ages", "sections", "place", "starts_local", "x"]
    ),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
        | st.sampled_from(["event", "class", "seattle", "1", "2", "2026-08-10T09:00:00"]),
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["min", "max", "id", "days", "x"]), inner, max_size=3),
        max_leaves=6,
    ),
)  # fmt: skip
GOOD_EVENTS = st.builds(event, st.sampled_from("123"))
LINES = st.one_of(
    st.binary(max_size=30).filter(lambda line: b"\n" not in line),
    st.one_of(MEMBERS, GOOD_EVENTS, st.builds(lambda good, fuzz: {**good, **fuzz}, GOOD_EVENTS, MEMBERS)).map(
        lambda record: json.dumps(record).encode("utf-8")
    ),
)


@given(content=st.lists(LINES, max_size=12).map(b"\n".join), mode=st.sampled_from(["full", "delta"]))
def test_whatever_a_feed_holds_it_is_read_and_its_sum_adds_up(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, mode: str
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "feed.ndjson").write_bytes(content)
    feed = f'\n[[feeds]]\nname = "spl"\nformat = "ndjson"\nurl = "feed.ndjson"\nmetro = "seattle"\nmode = "{mode}"\n'
    defaults = 'defaults = { price = { currency = "USD" }, organization = { name = "SPL" } }\n'
    (folder / "outings.toml").write_text(format_metro("seattle") + feed + defaults)
    configuration = read_configuration(folder / "outings.toml", {})
    read = read_feed(configuration.feeds[0], configuration)
    assert read.read == sum(bool(line.strip()) for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"))
    assert read.read == len(read.records) + read.merged + read.quarantined
    set_aside = [problem for problem in read.problems if problem.quarantined]
    assert len(set_aside) == read.quarantined == len({problem.line for problem in set_aside})
    assert len({(record.type, record.source_id) for record in read.records}) == len(read.records)
    assert all(record.metro == "seattle" for record in read.records)
