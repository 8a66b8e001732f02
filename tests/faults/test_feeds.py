"""Broken feeds, neighborhoods and settings: what is told of them, by which exit code, and what is left alone."""

import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from outings.release.folder import FolderStore
from tests.faults.commands import CommandResult, build, run
from tests.faults.whole import Whole, read_whole
from tests.faults.worlds import clock_of, copy_world, feed_of, read_feed, write_feed

LINE = 20
BIG = 10 * 1024 * 1024
Damage = Callable[[dict[str, Any]], bytes]


@pytest.fixture
def world(built: Path, tmp_path: Path) -> Path:
    """A world whose feeds stop a build when they fail."""
    world = copy_world(built, tmp_path / "world")
    world.write_text(
        re.sub("^confidence = ", 'on_error = "stop"\nconfidence = ', world.read_text(), flags=re.MULTILINE)
    )
    return world


def read_current(config: Path) -> Whole:
    whole = read_whole(FolderStore(config.parent / "var/store"))
    assert whole is not None
    return whole


def change(**members: Any) -> Damage:
    return lambda record: json.dumps({**record, **members}).encode()


def cut(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()[:-20]


def spoil(record: dict[str, Any]) -> bytes:
    return json.dumps({**record, "name": "Café"}, ensure_ascii=False).encode("latin-1")


def nest(_: dict[str, Any]) -> bytes:
    return b'{"a":' * 100_000


# What a line becomes, the field that is named, words of the reason, and whether it still says whose line it is.
LINES = [
    pytest.param(cut, None, "unreadable", False, id="broken JSON"),
    pytest.param(spoil, None, "UTF-8", False, id="not UTF-8"),
    pytest.param(nest, None, "unreadable", False, id="nested without end"),
    pytest.param(lambda _: b"[1, 2]", None, "object", False, id="no object"),
    pytest.param(change(name=5), "name", "5", True, id="a name that is a number"),
    pytest.param(change(name=None), "name", "", True, id="no name"),
    pytest.param(change(type="party"), "type", "party", True, id="an unknown type"),
    pytest.param(change(starts_local="soon", date_on=None), "starts_local", "soon", True, id="a time that is none"),
    pytest.param(change(price="five dollars"), "price", "five dollars", True, id="a price that is no object"),
    pytest.param(change(ages={"min": "three"}), "ages.min", "three", True, id="an age that is a word"),
    pytest.param(change(description="x" * BIG), None, "too_long", False, id="a line of 10 MB"),
]


@pytest.mark.long
@pytest.mark.parametrize(("damage", "field", "reason", "is_known"), LINES)
def test_a_broken_line_is_set_aside_with_its_feed_line_field_and_reason(
    damage: Damage, field: str | None, reason: str, is_known: bool, world: Path
) -> None:
    path = feed_of(world, "seattle")
    lines = path.read_bytes().splitlines()
    record = json.loads(lines[LINE - 1])
    assert record["type"] == "event"
    lines[LINE - 1] = damage(record)
    path.write_bytes(b"\n".join(lines) + b"\n")
    before = read_current(world)

    ended = build(world, "--metro", "seattle", as_of=clock_of(1))
    assert ended.code == 0, ended.err
    report = json.loads(ended.out)
    records = report["records"]
    assert records["read"] == records["listings"] + records["merged"] + records["quarantined"]
    assert records["quarantined"] == 1
    (problem,) = [json.loads(line) for line in Path(report["quarantine"]).read_text().splitlines()]
    assert (problem["feed"], problem["line"]) == ("seattle-samples", LINE)
    assert (problem["field"], problem["source_id"]) == (field, record["source_id"] if is_known else None)
    assert reason in f"{problem['reason']} {problem['value']}"
    assert len(json.dumps(problem)) < 2_000

    # The other lines are built. A record whose line still says whose it is keeps its last good version.
    after = FolderStore(world.parent / "var/store")
    shown = run("releases", "diff", f"1-{before.sha[:8]}", report["release"], "--json", config=world)
    kinds = [
        difference["kind"] for difference in json.loads(shown.out)["differences"] if difference["metro"] == "seattle"
    ]
    assert kinds.count("updated") > 30
    assert kinds.count("removed") == (3 if is_known else 4), "three are gone from the feed itself"
    assert after.exists("current.json")


def check_refusal(ended: CommandResult, *, code: int, expected: Sequence[str]) -> None:
    """Check that standard error names what is wrong, in one line or some, and nothing else."""
    assert (ended.code, ended.out) == (code, ""), ended.err
    _, marker, message = ended.err.partition("Error: ")
    assert marker, ended.err
    assert all(word in message for word in expected), ended.err
    assert "Traceback" not in message
    assert "--traceback" not in message  # which is said of faults of ours
    assert len(message) < 2_000


def refuse(world: Path, *, code: int, expected: Sequence[str], words: Sequence[str] = ()) -> None:
    """The build ends with that code and message, and the release before is as it was."""
    before = read_current(world)
    check_refusal(build(world, *words, as_of=clock_of(1)), code=code, expected=expected)
    assert read_current(world) == before


def lose_feed(world: Path) -> None:
    feed_of(world, "seattle").unlink()


def lose_folder(world: Path) -> None:
    shutil.rmtree(world.parent / "data")


def put_folder_for_feed(world: Path) -> None:
    lose_feed(world)
    feed_of(world, "seattle").mkdir()


def lose_neighborhoods(world: Path) -> None:
    (world.parent / "data/seattle-neighborhoods.geojson").unlink()


def break_neighborhoods(world: Path) -> None:
    (world.parent / "data/seattle-neighborhoods.geojson").write_text('{"type": "Feature')


def put_other_json_for_neighborhoods(world: Path) -> None:
    (world.parent / "data/seattle-neighborhoods.geojson").write_text("[1, 2]")


GONE = [
    pytest.param(lose_feed, ("seattle-samples", "data/seattle.ndjson", "No such file"), id="a feed's file"),
    pytest.param(lose_folder, ("seattle", "No such file"), id="the folder of all feeds"),
    pytest.param(put_folder_for_feed, ("seattle-samples", "data/seattle.ndjson", "is a folder"), id="a folder instead"),
    pytest.param(lose_neighborhoods, ("neighborhoods of seattle", "geojson", "No such file"), id="neighborhoods"),
    pytest.param(break_neighborhoods, ("neighborhoods of seattle", "geojson", "no JSON"), id="broken neighborhoods"),
    pytest.param(
        put_other_json_for_neighborhoods, ("neighborhoods of seattle", "FeatureCollection"), id="other neighborhoods"
    ),
]


@pytest.mark.parametrize(("damage", "message"), GONE)
def test_what_is_gone_or_no_such_thing_is_exit_1(
    damage: Callable[[Path], None], message: tuple[str, ...], world: Path
) -> None:
    damage(world)
    refuse(world, code=1, expected=message)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_gone_feed_says_the_same_with_more_workers(workers: str, world: Path) -> None:
    lose_feed(world)
    ended = run("build", "--json", "--workers", workers, "--as-of", clock_of(1), config=world)
    check_refusal(ended, code=1, expected=("seattle-samples", "data/seattle.ndjson"))


def add_table(world: Path, *, table: str, select: str | None) -> None:
    """One more feed of Seattle, of a CSV."""
    (world.parent / "data/classes.csv").write_text(table)
    if select is not None:
        (world.parent / "data/classes.sql").write_text(select)
    with world.open("a") as config:
        config.write(
            '\n[[feeds]]\nname = "classes"\nmetro = "seattle"\nformat = "table"\n'
            'url = "data/classes.csv"\nselect = "data/classes.sql"\n'
        )


TABLE = "number,title\n1,Pottery ~1~\n2,Drawing ~1~\n"
SELECT = "SELECT 'class' AS type, number AS source_id, title AS name FROM feed"

WRONG_SQL = [
    pytest.param("SELEC * FROM feed", ("syntax error",), id="no SQL"),
    pytest.param("SELECT heading AS name FROM feed", ("heading",), id="a column that the file has not"),
    pytest.param(SELECT.replace("AS name", "AS nmae"), ("nmae", "name"), id="a column that no record has"),
    pytest.param("SELECT * FROM read_csv('/etc/passwd')", ("read_csv",), id="another file"),
    pytest.param("DROP TABLE feed", ("SELECT",), id="no SELECT"),
    pytest.param(f"{SELECT}; {SELECT}", ("one",), id="two"),
    pytest.param("SELECT 'class' AS type, random() AS source_id, title AS name FROM feed", ("random",), id="chance"),
    pytest.param(None, ("can't be read",), id="no file"),
]


@pytest.mark.parametrize(("select", "message"), WRONG_SQL)
def test_wrong_sql_is_exit_2(select: str | None, message: tuple[str, ...], world: Path) -> None:
    add_table(world, table=TABLE, select=select)
    refuse(world, code=2, expected=("classes", "classes.sql", *message))


def test_right_sql_is_built(world: Path) -> None:
    """This shows that the wrong queries are refused for what is wrong in them."""
    add_table(world, table=TABLE, select=SELECT)
    ended = build(world, as_of=clock_of(1))
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["changes"]["created"] == 2


def test_a_row_of_a_table_with_too_many_cells_is_set_aside_with_its_line(world: Path) -> None:
    add_table(world, table=TABLE + "3,Dance,extra,cells\n", select=SELECT)
    ended = build(world, as_of=clock_of(1))
    assert ended.code == 0, ended.err
    report = json.loads(ended.out)
    records = report["records"]
    assert records["read"] == records["listings"] + records["merged"] + records["quarantined"]
    (problem,) = [json.loads(line) for line in Path(report["quarantine"]).read_text().splitlines()]
    assert (problem["feed"], problem["line"]) == ("classes", 4)
    assert "Dance" in f"{problem['reason']} {problem['value']}"


def test_a_feed_that_shrank_too_much_is_exit_3_unless_it_is_allowed(world: Path) -> None:
    write_feed(world, "seattle", read_feed(world, "seattle")[:10])
    refuse(world, code=3, expected=("seattle-samples", "max_shrink", "--allow-shrink"))
    assert build(world, "--allow-shrink", as_of=clock_of(1)).code == 0
    assert read_current(world).sequence == 2


RING = [[-122.39, 47.66], [-122.37, 47.66], [-122.37, 47.68], [-122.39, 47.68], [-122.39, 47.66]]
CROSSED = [RING[at] for at in (0, 2, 1, 3, 0)]
POLYGONS = [
    pytest.param({"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}, id="a ring of two points"),
    pytest.param({"type": "Polygon", "coordinates": "here"}, id="coordinates that are a text"),
    pytest.param({"type": "Polygon", "coordinates": [[["a", "b"]] * 5]}, id="coordinates that are no numbers"),
    pytest.param({"type": "Point", "coordinates": [-122.3, 47.6]}, id="a point"),
    pytest.param(None, id="no geometry"),
    pytest.param({"type": "Polygon", "coordinates": [CROSSED]}, id="one that crosses itself"),
]


@pytest.mark.long
@pytest.mark.parametrize("geometry", POLYGONS)
def test_a_bad_polygon_is_reported_by_its_number_and_name_and_the_others_are_used(
    geometry: dict[str, Any] | None, world: Path
) -> None:
    path = world.parent / "data/seattle-neighborhoods.geojson"
    collection = json.loads(path.read_text())
    collection["features"][2]["geometry"] = geometry
    name = collection["features"][2]["properties"]["name"]
    path.write_text(json.dumps(collection))
    ended = build(world, "--metro", "seattle", as_of=clock_of(1))
    assert ended.code == 0, ended.err
    report = json.loads(ended.out)
    assert report["records"]["quarantined"] == 0
    (problem,) = report["problems"]
    assert problem["feed"] == "neighborhoods of seattle"
    assert "feature 3" in problem["example"]["reason"]
    assert name in problem["example"]["reason"]
    assert read_current(world).sequence == 2


WRONG_SETTINGS = [
    pytest.param(
        ('timezone = "America/Los_Angeles"', 'timezone = "America/Seattle"'),
        ('format = "ndjson"', 'format = "nd-json"'),
        ("metros.seattle.timezone", "America/Seattle", "feeds.seattle-samples.format", "nd-json", "ndjson"),
        id="a zone and a format",
    ),
    pytest.param(
        ("[store]", '[store]\nkeep_days = "many"'),
        ("lat = 47.6062", "lat = 147.6062"),
        ("store.keep_days", "metros.seattle.center", "147.6062"),
        id="a number and a place",
    ),
    pytest.param(
        ('slug = "new-york"', 'slug = "search"'),
        ("[store]", "[stoer]"),
        ("search", "stoer", "store"),
        id="a reserved slug and an unknown table",
    ),
]


@pytest.mark.parametrize(("one", "other", "message"), WRONG_SETTINGS)
@pytest.mark.parametrize("command", [("build",), ("check",), ("releases", "list")], ids=" ".join)
def test_every_error_of_a_configuration_is_reported_at_once_and_is_exit_2(
    command: tuple[str, ...], one: tuple[str, str], other: tuple[str, str], message: tuple[str, ...], world: Path
) -> None:
    before, text = read_current(world), world.read_text()
    for old, new in (one, other):
        assert old in text
        text = text.replace(old, new, 1)
    world.write_text(text)
    ended = run(*command, "--json", config=world)
    check_refusal(ended, code=2, expected=(str(world), *message))
    assert read_current(world) == before


def test_a_configuration_that_is_no_toml_is_exit_2_with_its_line(world: Path) -> None:
    with world.open("a") as config:
        config.write("\n[[feeds]\n")
    count = world.read_text().count("\n")
    refuse(world, code=2, expected=(str(world), str(count)))
