"""The explorer's field turns a line of words into filters, and leaves to the search what is none."""

import json
import subprocess
from pathlib import Path

import pytest

from outings.pages.site import render_words
from outings.release.site import SiteSettings
from tests.conftest import ROOT
from tests.pages.node_index import NODE


def read_line(line: str) -> tuple[dict[str, str], str]:
    """Return the filters of a line, and the words that are left."""
    command = [NODE, Path(__file__).with_name("read_lines.mjs"), ROOT / "site/scripts"]
    tables = json.loads(render_words(SiteSettings()).data)
    sent = json.dumps({"tables": tables, "language": "en", "today": "2026-11-28", "lines": [line]})
    done = subprocess.run(command, input=sent, capture_output=True, text=True, timeout=60, check=True)
    [read] = json.loads(done.stdout)
    return read["filters"], read["q"]


@pytest.mark.parametrize(
    ("line", "filters", "words"),
    [
        ("indoor playground open now", {"open": "now"}, "indoor playground"),
        ("playground indoors", {"indoor": "true"}, "playground"),
        ("somewhere indoors that is open now", {"open": "now", "indoor": "true"}, ""),
    ],
)
def test_a_word_within_a_kind_of_place_is_no_filter_of_its_own(line: str, filters: dict[str, str], words: str) -> None:
    assert read_line(line) == (filters, words)
