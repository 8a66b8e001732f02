"""Strange records never stop a build: each is built or quarantined, and `check` finds the same.
`OUTINGS_TEST_CASES=2500 pytest tests/pipeline/test_strange.py` tries 100,000 records."""

import json
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from command import main
from tests.pipeline.city import City, make_event
from tests.pipeline.fetch.web import Page, Web, serve_web
from tests.pipeline.strange import write_calendar, write_documents, write_lines, write_page
from tests.settings import format_metro

FEEDS = """
[store]
url = "file:store"

[[feeds]]
name = "ndjson"
metro = "seattle"
format = "ndjson"
url = "feed.ndjson"

[[feeds]]
name = "spanning"
format = "ndjson"
url = "spanning.ndjson"

[[feeds]]
name = "ics"
metro = "seattle"
format = "ics"
url = "feed.ics"

[[feeds]]
name = "jsonld"
metro = "seattle"
format = "jsonld"
url = "feed.json"

[[feeds]]
name = "rpde"
metro = "seattle"
format = "rpde"
mode = "delta"
url = "{url}/feed"
allow_private = true
"""
A_CASE = 40  # records
MOST = 2_000


def run(folder: Path, *words: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*words, "-c", str(folder / "outings.toml"), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def write_feeds(folder: Path, web: Web, size: int, random: Random) -> None:
    share = size // 5
    metros = format_metro("seattle") + format_metro("boston")
    (folder / "outings.toml").write_text(metros + FEEDS.format(url=web.url))
    (folder / "feed.ndjson").write_bytes(write_lines(0, share, random))
    (folder / "spanning.ndjson").write_bytes(write_lines(0, share, random, metros=("seattle", "boston")))
    (folder / "feed.ics").write_bytes(write_calendar(share, random))
    (folder / "feed.json").write_bytes(write_documents(0, share, random))
    web.pages["/feed"] = Page(write_page(0, share, "/feed?p=2", random))
    web.pages["/feed?p=2"] = Page(b'{"next": "/feed?p=2", "items": []}')


def list_accounts(message: dict[str, Any]) -> dict[str, tuple[int, int, int, int]]:
    accounts = {
        feed["feed"]: tuple(feed[name] for name in ("read", "listings", "merged", "quarantined"))
        for feed in message["feeds"]
    }
    for read, listings, merged, quarantined in accounts.values():
        assert read == listings + merged + quarantined
    return accounts


def list_problems(message: dict[str, Any]) -> set[tuple[str, str | None, str, bool, int]]:
    """Save for what depends on the day: a check is made today."""
    return {
        (problem["feed"], problem["field"], problem["code"], problem["quarantined"], problem["count"])
        for problem in message["problems"]
        if problem["code"] != "recurrence_truncated"
    }


@pytest.mark.parametrize("step", ["pipeline.clean.reading.clean_record", "pipeline.resolve.row_maker.score_confidence"])
def test_a_fault_of_ours_costs_the_record_that_meets_it_and_its_last_good_version_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    city = City(tmp_path)
    city.write([make_event("a"), make_event("b", name="Walk b")])
    city.build()
    module, name = import_module(step.rpartition(".")[0]), step.rpartition(".")[2]
    take = getattr(module, name)

    def fail_on_storms(record: Any, *more: Any, **others: Any) -> Any:
        if "Storm" in str(record):
            raise ZeroDivisionError("no wind")
        return take(record, *more, **others)

    monkeypatch.setattr(step, fail_on_storms)
    city.write([make_event("a"), make_event("b", name="Storm b"), make_event("c")])
    built = city.build("2026-08-11")
    (feed,) = built.feeds
    assert (feed.memory.read, feed.memory.listings, feed.memory.quarantined) == (3, 2, 1)
    (problem,) = feed.problems
    assert (problem.feed, problem.line, problem.source_id, problem.quarantined) == ("samples", 2, "b", True)
    assert problem.reason.endswith("which is a fault of the program: ZeroDivisionError: no wind")
    shown = [item["name"] for item in city.ask("/v1/seattle/events", day="2026-08-11")["data"]]
    assert sorted(shown) == ["Event a", "Event c", "Walk b"]
    checked = run(tmp_path, "check")
    assert checked["records"] == {"read": 3, "listings": 2, "merged": 0, "quarantined": 1}
    assert [problem["example"]["line"] for problem in checked["problems"] if problem["quarantined"]] == [2]


_NAMES = ("Walk", "Storm", "Run")
_EVENTS = "".join(
    f"BEGIN:VEVENT\r\nUID:{name}\r\nSUMMARY:{name}\r\nDTSTART:20260812\r\nEND:VEVENT\r\n" for name in _NAMES
)


@pytest.mark.parametrize(
    ("step", "name", "content"),
    [
        (f"pipeline.fetch.ics.reading.{verb}", "feed.ics", f"BEGIN:VCALENDAR\r\n{_EVENTS}END:VCALENDAR\r\n")
        for verb in ("make_entry", "list_members")
    ]
    + [("pipeline.fetch.jsonld.reading.list_event_members", "feed.jsonld", json.dumps([
        {"@type": "Event", "@id": f"https://a.example/{name}", "name": name} for name in _NAMES
    ]))],
    ids=["a VEVENT as it is entered", "its members", "a node"],
)  # fmt: skip
def test_a_fault_of_ours_in_a_reader_costs_the_record_that_meets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, name: str, content: str
) -> None:
    module, _, verb = step.rpartition(".")
    make = getattr(import_module(module), verb)

    def fail_on_storms(what: Any, *others: Any) -> Any:
        if "Storm" in str(vars(what) if hasattr(what, "__dict__") else what):
            raise ZeroDivisionError("no wind")
        return make(what, *others)

    monkeypatch.setattr(step, fail_on_storms)
    feed = f'[[feeds]]\nname = "a"\nmetro = "seattle"\nformat = "{name.partition(".")[2]}"\nurl = "{name}"\n'
    (tmp_path / "outings.toml").write_text(format_metro("seattle") + feed)
    (tmp_path / name).write_text(content, newline="")
    checked = run(tmp_path, "check")
    assert checked["records"] == {"read": 3, "listings": 2, "merged": 0, "quarantined": 1}
    (problem,) = checked["problems"]
    assert problem["example"]["reason"].endswith("which is a fault of the program: ZeroDivisionError: no wind")
    assert problem["example"]["source_id"].endswith("Storm")


@pytest.mark.slow("a build and a check of hundreds of strange records")
def test_no_record_of_any_feed_stops_a_build_and_check_finds_the_same(tmp_path: Path, cases: int) -> None:
    left, number = cases * A_CASE, 0
    while left:
        size, number = min(left, MOST), number + 1
        left -= size
        folder = tmp_path / f"{number}"
        folder.mkdir()
        with serve_web() as web:
            write_feeds(folder, web, size, Random(number))
            checked = run(folder, "check")
            built = run(folder, "build", "--as-of", "2026-08-10", "--workers", "1")
        assert list_accounts(built) == list_accounts(checked)
        assert list_problems(built) == list_problems(checked)
