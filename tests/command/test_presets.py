"""`outings presets` lists the known systems, and shows a feed of one that can be copied."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from command import main
from outings.configuration import read_configuration
from outings.configuration.presets import read_presets
from tests.settings import format_metro


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["presets", *words])


def test_every_system_is_listed_with_its_title() -> None:
    listed = run().stdout.splitlines()
    assert [line.split()[0] for line in listed[: len(read_presets())]] == list(read_presets())
    assert "socrata              Socrata, now Data & Insights of Tyler" in listed


def test_what_is_shown_of_a_system_is_a_feed_and_what_it_fills_in(tmp_path: Path) -> None:
    shown = run("the-events-calendar").stdout
    (tmp_path / "outings.toml").write_text(format_metro("seattle") + shown.replace('…"', 'seattle"', 1))
    (feed,) = read_configuration(tmp_path / "outings.toml", {}).feeds
    assert (feed.preset, feed.format, feed.records) == ("the-events-calendar", "table", "events")
    assert '# records = "events"' in shown


def test_a_program_reads_the_systems_as_json() -> None:
    (preset,) = json.loads(run("libcal", "--json").stdout)["presets"]
    assert (preset["name"], preset["feed"]["pages"]["most"]) == ("libcal", 500)


def test_a_name_that_is_none_is_reported_with_those_that_are() -> None:
    result = run("songkick")
    assert result.exit_code == 2
    assert "there is no preset songkick; allowed: arcgis, bibliocommons" in result.stderr
