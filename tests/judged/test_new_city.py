"""Searches of a made-up city find what its judge meant, whose words are filters more often than words."""

from pathlib import Path
from statistics import fmean

from tests.judged.new_city import list_records, measure, open_city, open_valladolid, read_valladolid


def test_words_that_are_filters_find_what_was_meant(tmp_path: Path) -> None:
    """0.42 before words became filters, 0.93 since."""
    sources = {record["name"]: record["source_id"] for record in list_records()}
    with open_city(tmp_path) as client:
        measured = measure(client, "queries.toml", "portland", sources)
    assert len(measured) == 48
    assert fmean(measured.values()) > 0.92


def test_so_they_do_in_spanish(tmp_path: Path) -> None:
    with open_valladolid(tmp_path) as client:
        measured = measure(client, "valladolid.toml", "valladolid", read_valladolid())
    assert len(measured) == 13
    assert fmean(measured.values()) > 0.83
