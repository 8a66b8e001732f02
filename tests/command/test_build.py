"""Reports and metrics that `outings build` leaves for operators."""

import json
import re
from collections.abc import Callable
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from prometheus_client.parser import text_string_to_metric_families

from command import main
from command.sample_cities import write_world

DAY = date(2026, 8, 10)
Build = Callable[..., Result]
METROS = {"seattle", "new-york"}


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration of two metros with a report and metrics; read-only."""
    config = write_world(tmp_path_factory.mktemp("world") / "outings.toml", today=DAY, size=12)
    config.write_text(config.read_text() + '\n[build]\nreport = "var/report"\nmetrics = "var/metrics/outings.prom"\n')
    return config


@pytest.fixture
def folder(world: Path, tmp_path: Path) -> Path:
    for path in [world, *(world.parent / "data").iterdir()]:
        copy = tmp_path / path.relative_to(world.parent)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return tmp_path


@pytest.fixture
def build(folder: Path) -> Build:
    def call(*words: str, code: int = 0) -> Result:
        fixed = ["build", "-c", str(folder / "outings.toml"), "--workers", "1", "--as-of", DAY.isoformat()]
        done = CliRunner().invoke(main, [*fixed, *words])
        assert done.exit_code == code, done.stderr
        return done

    return call


def stop_on_errors(folder: Path) -> None:
    config = folder / "outings.toml"
    config.write_text(
        config.read_text().replace('confidence = "computed"', 'confidence = "computed"\non_error = "stop"')
    )


def read_report(folder: Path, name: str = "var/report") -> dict[str, Any]:
    report: dict[str, Any] = json.loads((folder / name / "build.json").read_text())
    return report


class Page(HTMLParser):
    """The text of a page, its elements, and where it would load anything from."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def read_page(folder: Path) -> Page:
    return Page(folder / "var/report/index.html")


def read_metrics(folder: Path, name: str = "var/metrics/outings.prom") -> dict[str, dict[tuple[str, ...], float]]:
    text = (folder / name).read_text()
    return {
        family.name.removeprefix("outings_last_build_"): {
            tuple(sample.labels.values()): sample.value for sample in family.samples
        }
        for family in text_string_to_metric_families(text)
    }


def spoil(folder: Path, metro: str, change: Callable[[list[str]], list[str]]) -> None:
    path = folder / f"data/{metro}.ndjson"
    path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")


def write_odd_words(lines: list[str]) -> list[str]:
    odd = {**json.loads(lines[-1]), "price": {"min": "<img src=x onerror=alert(1)> | *five*"}}
    return [*lines[:-1], json.dumps(odd)]


def test_quarantine_is_where_the_configuration_says(folder: Path, build: Build) -> None:
    config = folder / "outings.toml"
    config.write_text(config.read_text().replace("[build]\n", '[build]\nquarantine = "aside"\n'))
    spoil(folder, "seattle", write_odd_words)
    path = Path(json.loads(build("--json").stdout)["quarantine"])
    assert path.parent == folder / "aside"
    assert len(path.read_text().splitlines()) == 1


def test_a_build_of_little_work_starts_no_workers_unless_it_is_told_to(folder: Path) -> None:
    words = ["build", "-c", str(folder / "outings.toml"), "--as-of", DAY.isoformat()]
    first = CliRunner().invoke(main, words)
    assert first.exit_code == 0
    assert "feeds to read: 2, in this process\n" in first.stderr
    assert "metros to build: 2, in this process\n" in first.stderr
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 0
    assert "process" not in again.stderr  # nothing changed


def test_a_report_is_what_was_printed_as_json_as_markdown_and_as_a_page(folder: Path, build: Build) -> None:
    spoil(folder, "seattle", write_odd_words)
    printed = json.loads(build("--json").stdout)
    report = read_report(folder)
    assert report["build"] == printed
    assert (report["outcome"], report["exit_code"], report["error"], report["read"]) == ("published", 0, None, None)
    assert (set(report["metros"]), report["as_of"]) == (METROS, "2026-08-10")
    assert report["started_at"] <= report["ended_at"]
    assert {path.name for path in (folder / "var/report").iterdir()} == {"build.json", "build.md", "index.html"}

    page, text = read_page(folder), (folder / "var/report/build.md").read_text()
    total = printed["records"]
    assert total["quarantined"] == 1
    assert Path(printed["quarantine"]).parent == folder / "var/quarantine"
    for form in (page.text, text):
        assert printed["release"] in form
        assert "wrong_type" in form.replace("\\", "")
    said = [line for lines in printed["notes"].values() for line in lines]
    assert any("hidden because they are" in line for line in said)  # as `outings check` says it
    assert [line for line in said if " ".join(line.split()) not in " ".join(page.text.split())] == []
    assert [line for line in said if line not in text.replace("\\", "")] == []
    assert re.search(r"all\s*" + r"\s*".join(str(total[name]) for name in total), page.text)
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.count("|") == 6]
    counts = [row for row in rows if row[0].endswith("samples")][:2]
    assert sum(int(row[1]) for row in counts) == total["read"]
    # A feed's words are shown, and not obeyed.
    assert "<img src=x onerror=alert(1)>" in page.text
    assert not {"img", "script"} & {*page.elements}
    assert page.loads == []
    assert r"\<img src=x onerror=alert\(1\)\> \| \*five\*" in text


@pytest.mark.parametrize(
    ("day", "said"),
    [
        (
            "2030-01-01",
            r"seattle-samples: none of \d+ listings? with a date is today or later; the last was on 20\d\d-",
        ),
        ("2020-01-01", r"seattle-samples: none of \d+ listings? with a date is in the next 30 days, so lists without"),
    ],
)
def test_a_report_says_that_default_lists_are_empty_because_no_date_is_near(
    folder: Path, build: Build, day: str, said: str
) -> None:
    spoil(folder, "seattle", lambda lines: [line for line in lines if '"event"' in line and "rrule" not in line])
    built = build("--as-of", day)
    forms = [built.stdout, (folder / "var/report/build.md").read_text().replace("\\", ""), read_page(folder).text]
    assert [form for form in forms if not re.search(said, form)] == []
    notes = read_report(folder)["build"]["notes"].values()
    assert any(re.match(said, line) for lines in notes for line in lines)


@pytest.mark.parametrize(("code", "outcome"), [(1, "failed"), (2, "wrong")])
def test_a_build_that_fails_or_is_reported_wrong_is_reported(
    folder: Path, build: Build, code: int, outcome: str
) -> None:
    if code == 1:
        stop_on_errors(folder)
        (folder / "data/seattle.ndjson").unlink()
    printed = build(*(["--metro", "atlantis"] if code == 2 else []), "--report", str(folder / "told"), code=code).stderr
    report = read_report(folder, "told")
    assert (report["outcome"], report["exit_code"]) == (outcome, code)
    assert report["error"] in printed


def test_a_configuration_that_is_wrong_is_reported_where_the_command_says(folder: Path, build: Build) -> None:
    (folder / "outings.toml").write_text("[stor]\n")
    build("--report", str(folder / "told"), code=2)
    report = read_report(folder, "told")
    assert (report["outcome"], report["metros"]) == ("wrong", [])
    assert "stor" in report["error"]


def test_a_configuration_that_is_wrong_is_reported_where_the_environment_says(
    folder: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTINGS_BUILD_REPORT", "told")
    monkeypatch.setenv("OUTINGS_BUILD_METRICS", "told/outings.prom")
    build()
    before = read_metrics(folder, "told/outings.prom")
    (folder / "outings.toml").write_text("feeds = [")
    build(code=2)
    assert read_report(folder, "told")["outcome"] == "wrong"
    after = read_metrics(folder, "told/outings.prom")
    assert after["exit_code"] == {(): 2}
    kept = ("success_timestamp_seconds", "records", "release_number")
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}


def test_a_build_after_one_whose_clock_was_ahead_says_so(folder: Path, build: Build) -> None:
    assert "was ahead" not in build("--as-of", "2030-01-01T00:00:00Z").stderr
    printed = build("--as-of", "2026-08-10T12:00:00Z").stderr
    assert "the clock says 2026-08-10T12:00:00Z, and an earlier build's was ahead" in printed
    assert "this release is dated 2030-01-01T00:00:01Z" in printed


def test_a_feed_that_left_the_configuration_is_reported_once(folder: Path, build: Build) -> None:
    build()
    config = folder / "outings.toml"
    whole, feed = config.read_text(), '[[feeds]]\nname = "seattle-samples"'
    config.write_text(whole.replace(feed, feed.replace("seattle-samples", "others")))
    message = "feed seattle-samples: no longer in the configuration, so all of its listings leave"
    assert message not in build("--metro", "new-york").stderr
    assert message in build().stderr
    assert message not in build().stderr
    config.write_text(whole)
    assert "feed others: no longer in the configuration" in build().stderr


def test_a_report_that_cant_be_written_is_reported_and_the_release_is_in_force(folder: Path, build: Build) -> None:
    (folder / "var").mkdir()
    (folder / "var/report").write_text("a file where the folder is to be")
    done = build("--json")
    assert "can't be written" in done.stderr
    assert json.loads(done.stdout)["release"].startswith("1-")


def test_a_report_that_cant_be_written_takes_no_metrics_away(folder: Path, build: Build) -> None:
    (folder / "var/lock/builds.jsonl").mkdir(parents=True)
    (folder / "var/report").write_text("a file where the folder is to be")
    assert build().stderr.count("can't be written: ") == 2
    assert read_metrics(folder)["exit_code"] == {(): 0}


def test_the_metrics_say_when_each_metro_was_last_built(folder: Path, build: Build) -> None:
    printed = json.loads(build("--json").stdout)
    first = read_metrics(folder)
    assert first["exit_code"] == {(): 0}
    assert {labels[0] for labels in first["success_timestamp_seconds"]} == METROS
    assert first["timestamp_seconds"][()] == first["success_timestamp_seconds"]["seattle",]
    assert first["release_number"] == {(): 1}
    assert sum(first["records"].values()) == printed["records"]["read"]
    assert {kind: first["changes"][kind,] for kind in printed["changes"]} == printed["changes"]

    build("--metro", "seattle")
    second = read_metrics(folder)
    assert second["success_timestamp_seconds"]["seattle",] > first["success_timestamp_seconds"]["seattle",]
    assert second["success_timestamp_seconds"]["new-york",] == first["success_timestamp_seconds"]["new-york",]
    assert second["records"].keys() == first["records"].keys()


def test_a_refused_build_is_reported_and_moves_only_what_is_of_attempts(folder: Path, build: Build) -> None:
    stop_on_errors(folder)
    build()
    before = read_metrics(folder)
    spoil(folder, "seattle", lambda lines: lines[:3])
    refused = build("--json", code=3)
    report = read_report(folder)
    assert (report["outcome"], report["exit_code"], report["build"]) == ("refused", 3, None)
    assert report["error"] in refused.stderr
    assert "max_shrink" in read_page(folder).text
    assert report["read"]["records"] == {"read": 3, "listings": 3, "merged": 0, "quarantined": 0}
    after = read_metrics(folder)
    attempts = {"timestamp_seconds", "exit_code", "duration_seconds"}
    assert {name: after[name] for name in after.keys() - attempts} == {
        name: before[name] for name in before.keys() - attempts
    }
    assert after["exit_code"] == {(): 3}
    assert after["timestamp_seconds"][()] > before["timestamp_seconds"][()]


@pytest.mark.parametrize("expected", ["", "no metrics\x00 at all {", 'outings_last_build_records{who="me"} 3\n'])
def test_a_metrics_file_of_anything_else_is_written_again(folder: Path, build: Build, expected: str) -> None:
    (folder / "var/metrics").mkdir(parents=True)
    (folder / "var/metrics/outings.prom").write_text(expected)
    build("--metro", "atlantis", code=2)
    assert read_metrics(folder).keys() == {"exit_code", "timestamp_seconds", "duration_seconds"}


def test_a_feed_that_keeps_its_version_is_exit_4_with_its_age_in_report_and_metrics(folder: Path, build: Build) -> None:
    build()
    (folder / "data/seattle.ndjson").unlink()
    built = build("--json", "--as-of", "2026-08-13", code=4)
    assert json.loads(built.stdout)["release"].startswith("2-")
    reason = "its version of 2026-08-10 07:00 UTC stays, 3 days old"
    assert re.search(rf"Error: release 2-\w+ is published, but feed seattle-samples: .*; {reason}", built.stderr)
    assert built.stderr.count("No such file or directory") == 1
    report = read_report(folder)
    assert (report["outcome"], report["exit_code"]) == ("kept", 4)
    (failed,) = (feed for feed in report["build"]["feeds"] if "failure" in feed)
    assert (failed["feed"], failed["read_at"]) == ("seattle-samples", "2026-08-10T07:00:00Z")
    assert "What is published is its version of 2026-08-10" in Page(folder / "var/report/index.html").text
    metrics = (folder / "var/metrics/outings.prom").read_text()
    times = {
        sample.labels["feed"]: sample.value
        for family in text_string_to_metric_families(metrics)
        for sample in family.samples
        if family.name == "outings_last_build_feed_read_timestamp_seconds"
    }
    assert times["new-york-samples"] - times["seattle-samples"] == 3 * 86_400
