"""Golden answers: the bytes of some 2,000 answers stay, or the renderer's number rises."""

from collections import Counter
from pathlib import Path

import pytest

from outings.answers.renderer_version import RENDERER_VERSION
from outings.contract.routes import ROUTES, match_route
from tests.edge.sample_edge import add_client
from tests.golden.answers import FILE, Golden, explain_difference, hash_answers, read_golden, write_golden
from tests.golden.world import hash_world, make_edge

STORED = read_golden(FILE.read_text())
# Their bodies are hashes of files that libraries write, or addresses with a key's name in them.
NOT_GOLDEN = {"export", "events.ics.address"}


@pytest.mark.xdist_group("golden")
def test_no_body_changes_without_a_new_number_and_no_number_without_a_changed_body(tmp_path: Path) -> None:
    edge = make_edge(tmp_path)
    key = add_client(tmp_path, edge, plan="partner")
    hashes = hash_answers(edge, key, list(STORED.hashes))
    edge.close()
    assert explain_difference(STORED, Golden(RENDERER_VERSION, hash_world(tmp_path), hashes)) is None


def test_every_route_has_golden_answers() -> None:
    matches = (match_route(request.partition("?")[0]) for request in STORED.hashes)
    counts = Counter(match.route.name for match in matches if match is not None)
    expected = {route.name for route in ROUTES if route.needs_key} - NOT_GOLDEN
    assert expected <= counts.keys()
    assert counts.total() >= 2000


def test_a_changed_body_alone_is_refused() -> None:
    old = Golden(4, "world", {"/v1/metros": "a", "/v1/x/events": "b"})
    explained = explain_difference(old, Golden(4, "world", {"/v1/metros": "a", "/v1/x/events": "c"}))
    assert explained is not None
    assert "1 bodies changed" in explained
    assert "/v1/x/events" in explained


def test_a_changed_number_alone_is_refused() -> None:
    old = Golden(4, "world", {"/v1/metros": "a"})
    explained = explain_difference(old, old._replace(version=5))
    assert explained is not None
    assert "no body differs" in explained


def test_a_changed_body_with_a_raised_number_has_to_be_written_down() -> None:
    old = Golden(4, "world", {"/v1/metros": "a"})
    explained = explain_difference(old, Golden(5, "world", {"/v1/metros": "b"}))
    assert explained is not None
    assert "run `python -m tests.golden`" in explained


def test_the_file_holds_what_was_written() -> None:
    golden = Golden(7, "0123", {"/v1/metros": "aa", "/v1/x/search?q=a b": "bb"})
    assert read_golden(write_golden(golden)) == golden
