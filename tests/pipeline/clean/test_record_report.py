"""The report shows where every record went, and why; the quarantine file has a line for each set aside."""

import os
from pathlib import Path
from typing import Any

import msgspec

from pipeline.clean.quarantine_file import KEPT_FILES, write_quarantine
from pipeline.clean.record_report import FeedCount, format_report, make_report, sum_counts
from pipeline.records.record import Problem

COUNTS = [
    FeedCount(feed="spl", read=1200, listings=1190, merged=4, quarantined=6),
    FeedCount(feed="parks", read=3, listings=3, merged=0, quarantined=0),
]


def problem(field: str | None, reason: str, *, line: int, feed: str = "spl", **more: Any) -> Problem:
    return Problem(feed=feed, line=line, source_id=f"s{line}", field=field, reason=reason, value="free", **more)


PROBLEMS = [
    problem("image_url", "wrong_type: expected an address", line=1, quarantined=False),
    problem("price.min", "wrong_type: expected a number", line=2),
    problem("sections[3].ages.min", "wrong_type: expected a number", line=5),
    problem("sections[0].ages.min", "wrong_type: expected a whole number", line=4),
    problem("price.min", "out_of_range: expected a number from 0", line=6),
    problem("price.min", "wrong_type: expected a number (also wrong: name)", line=3),
    problem("image_url", "wrong_type: expected an address", line=7, quarantined=False),
    problem(None, "unreadable: not UTF-8", line=8, feed="parks", file="b.ndjson"),
]


def test_problems_are_grouped_by_feed_field_and_code_with_the_first_as_example() -> None:
    groups = make_report([], PROBLEMS, {}).problems
    assert [
        (group.feed, group.field, group.code, group.count, group.quarantined, group.example.line) for group in groups
    ] == [
        ("spl", "price.min", "wrong_type", 2, True, 2),
        ("spl", "sections[].ages.min", "wrong_type", 2, True, 5),
        ("parks", None, "unreadable", 1, True, 8),
        ("spl", "price.min", "out_of_range", 1, True, 6),
        ("spl", "image_url", "wrong_type", 2, False, 1),
    ]


def test_the_sum_is_over_all_feeds() -> None:
    assert sum_counts(COUNTS) == {"read": 1203, "listings": 1193, "merged": 4, "quarantined": 6}
    assert sum_counts([]) == {"read": 0, "listings": 0, "merged": 0, "quarantined": 0}


def test_the_text_shows_the_sum_of_each_feed_and_an_example_of_each_problem() -> None:
    text = format_report(make_report(COUNTS, PROBLEMS, {"spl": {"colour": 1200}, "parks": {}}))
    assert text.splitlines() == [
        "spl    1,200 read = 1,190 listings + 4 merged + 6 quarantined",
        "parks      3 read = 3 listings",
        "all    1,203 read = 1,193 listings + 4 merged + 6 quarantined",
        "",
        "What readers do not see by default, and what was not taken:",
        "  spl: 4 merged into a later record with the same source_id (give each its own source_id)",
        "",
        "Quarantined records:",
        '  spl: price.min: 2 × wrong_type: expected a number; as line 2 (s2): "free"',
        '  spl: sections[].ages.min: 2 × wrong_type: expected a number; as line 5 (s5): "free"',
        '  parks: 1 × unreadable: not UTF-8; as b.ndjson line 8 (s8): "free"',
        '  spl: price.min: 1 × out_of_range: expected a number from 0; as line 6 (s6): "free"',
        "",
        "Values left out of records that were kept:",
        '  spl: image_url: 2 × wrong_type: expected an address; as line 1 (s1): "free"',
        "",
        "Unknown members that were left out:",
        "  spl: colour (1,200)",
    ]


def test_a_report_without_problems_is_the_sum_alone() -> None:
    assert format_report(make_report(COUNTS[1:], [], {})) == "parks  3 read = 3 listings"


def test_of_one_feed_there_is_no_sum_and_what_is_zero_is_not_told() -> None:
    empty = FeedCount(feed="spl", read=0, listings=0, merged=0, quarantined=0)
    assert format_report(make_report([empty], [], {})) == "spl  0 read"


def test_the_quarantine_has_a_line_for_each_record_set_aside_and_no_other(tmp_path: Path) -> None:
    path = write_quarantine(PROBLEMS, folder=tmp_path / "quarantine", name="7-abc")
    assert path == tmp_path / "quarantine/7-abc.ndjson"
    assert [value.name for value in path.parent.iterdir()] == ["7-abc.ndjson"]
    lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    assert [line["line"] for line in lines] == [2, 5, 4, 6, 3, 8]
    assert list(lines[0]) == ["feed", "line", "source_id", "field", "reason", "value"]
    assert lines[0] == {
        "feed": "spl", "line": 2, "source_id": "s2", "field": "price.min", "reason": "wrong_type: expected a number",
        "value": "free",
    }  # fmt: skip
    assert lines[-1]["file"] == "b.ndjson"


def test_more_files_than_are_kept_go_the_oldest_first(tmp_path: Path) -> None:
    for number in range(KEPT_FILES + 3):
        path = write_quarantine([], folder=tmp_path / "quarantine", name=f"{number}-x")
        os.utime(path, (number, number))
    names = {value.name for value in path.parent.iterdir()}
    assert names == {f"{number}-x.ndjson" for number in range(3, KEPT_FILES + 3)}


def test_a_problem_that_is_on_no_line_has_no_example() -> None:
    problem = Problem(feed="parks", line=0, source_id=None, field=None, reason="stale", value=None, quarantined=False)
    text = format_report(make_report([], [problem], {}))
    assert text.splitlines()[-1] == "  parks: 1 × stale"
