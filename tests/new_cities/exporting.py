"""The exports of new cities, and what a person does with one."""

import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from command import main
from outings.configuration import read_configuration
from pipeline.feed_task import read_feed

EXPORTS = Path(__file__).parent / "exports"
# Of those that say no place of theirs, what a person has to say.
OPTIONS = {
    "valladolid-agenda.csv": ("--metro", "Valladolid"),
    "sacramento-recreation.json": (),
    "tucson-parks.json": (),
    "pittsburgh-library.json": ("--metro", "Pittsburgh", "--center", "40.44,-79.99"),
    "santa-fe-winter.xlsx": ("--metro", "Santa Fe", "--center", "35.69,-105.94"),
}
Ask = Callable[[str], Any]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def draft(export: str, folder: Path, *options: str) -> Path:
    """The configuration that init writes for one of the exports."""
    shutil.copy(EXPORTS / export, folder)
    config = folder / "outings.toml"
    done = run("init", str(folder / export), *OPTIONS[export], *options, "--yes", "-c", str(config))
    assert done.exit_code == 0, done.output
    return config


LYON = ("--metro", "Lyon", "--center", "45.76,4.83", "--timezone", "Europe/Paris")


def draft_text(folder: Path, file: str, text: str, *options: str) -> tuple[dict[str, Any], list[Any], str]:
    """Draft a file. Return its mapping, its records, and what init prints."""
    (folder / file).write_text(text)
    config = folder / "outings.toml"
    done = run("init", str(folder / file), *LYON, "--yes", *options, "-c", str(config))
    assert done.exit_code == 0, done.output
    configuration = read_configuration(config, {})
    feed = configuration.feeds[0]
    return (
        tomllib.loads(config.read_text())["feeds"][0]["map"],
        list(read_feed(feed, configuration).records),
        done.stdout,
    )
