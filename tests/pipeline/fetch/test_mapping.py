"""A mapping says what becomes of a column without SQL; what it can not read is the record's problem, in plain words."""

import json
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from outings.configuration import ConfigurationError
from outings.contract.resources.shared import AgeRange
from pipeline.clean.feed_read import FeedRead
from pipeline.feed_task import read_feed
from pipeline.fetch.source import SettingError
from pipeline.records.record import Reference, SessionRecord
from tests.pipeline.fetch.settings import Configure

Map = Callable[..., FeedRead]
IDENTITY = 'type = {{ value = "{type_}" }}\nsource_id = "id"\nname = "name"\n'


@pytest.fixture
def read_mapped(configure: Configure, tmp_path: Path) -> Map:
    """Reads rows of a CSV, or JSON objects, by the rules given beside those of an event's identity."""

    def read(rules: str, *rows: Any, type_: str = "event") -> FeedRead:
        if isinstance(rows[0], dict):
            name, content = (
                "t.json",
                json.dumps([{"id": str(place), "name": "n", **row} for place, row in enumerate(rows)]),
            )
        else:
            name, content = (
                "t.csv",
                "\n".join([f"id;name;{rows[0]}", *(f"{place};n;{row}" for place, row in enumerate(rows[1:]))]),
            )
        (tmp_path / name).write_text(content + "\n", encoding="utf-8")
        identity = IDENTITY.format(type_=type_)
        text = f'format = "table"\nmetro = "seattle"\nurl = "{name}"\n[feeds.map]\n{identity}{rules}'
        configuration = configure(text)
        return read_feed(configuration.feeds[0], configuration)

    return read


def list_values(read: FeedRead, path: str) -> list[Any]:
    values = []
    for record in read.records:
        value: Any = record
        for step in path.split("."):
            value = getattr(value, step)
        values.append(value)
    return values


@pytest.mark.parametrize(
    ("rule", "cells", "values"),
    [
        ('"price.min" = "x"', ["12.50", "$12.50", "1,200.00", "12 USD", "0", ""], [12.5, 12.5, 1200, 12, 0, None]),
        (
            '"price.min" = { column = "x", decimal = "," }',
            ["40,41", "1.200,00 €", "12 €", "€3", "1 200,5", "5 euros"],
            [40.41, 1200, 12, 3, 1200.5, 5],
        ),
        (
            '"price.min" = { column = "x", decimal = ",", lookup = { "Gratuíto" = 0, "Consultar" = "" } }',
            ["gratuito", "GRATUÍTO", "Consultar", "2,5"],
            [0, 0, None, 2.5],
        ),
        ('"price.min" = { column = "x", pattern = "(\\\\d+) *a" }', ["De 12 a 24 €", "nada"], [12, None]),
    ],
)
def test_a_number_is_read_as_people_write_it(read_mapped: Map, rule: str, cells: list[str], values: list[Any]) -> None:
    read = read_mapped(rule, "x", *cells)
    assert (list_values(read, "price.min"), read.problems) == (values, ())


@pytest.mark.parametrize(
    ("decimal", "cell", "value"),
    [(".", "12,50", 12.5), (".", "1.200,00", 1200), (",", "12.50", 12.5), (",", "1,200.00", 1200), (".", "free", 0),
     (".", "12-15", 12), (".", "12.50 or 15", 12.5), (",", "1.20", 1.2), (".", "7, 11", 7),
     (".", "$31.4159265", 31.42)],
)  # fmt: skip
def test_a_price_is_what_a_person_reads(read_mapped: Map, decimal: str, cell: str, value: float) -> None:
    read = read_mapped(f'"price.min" = {{ column = "x", decimal = "{decimal}" }}', "x", "3", cell, "4")
    assert (list_values(read, "price.min"), read.problems) == ([3, value, 4], ())


@pytest.mark.parametrize(
    ("decimal", "cell"),
    [(".", "1.200"), (",", "1,200"), (".", "1,20,000"), (".", "ask us")],
)
def test_a_number_of_another_shape_is_the_records_problem_and_never_another_number(
    read_mapped: Map, decimal: str, cell: str
) -> None:
    read = read_mapped(f'"price.min" = {{ column = "x", decimal = "{decimal}" }}', "x", "3", cell, "4")
    assert list_values(read, "price.min") == [3, None, 4]  # a price that can't be read is no lost row
    (problem,) = read.problems
    other = "," if decimal == "." else "."
    assert (problem.line, problem.source_id, problem.field, problem.value) == (3, "1", "price.min", cell)
    assert problem.reason.startswith('wrong_type: column "x" is no number as ')
    assert f'say decimal = "{other}"' in problem.reason


@pytest.mark.parametrize(
    ("formats", "cell", "expected"),
    [
        ("%d/%m/%Y %H:%M", "12/08/2026 9:30", datetime(2026, 8, 12, 9, 30)),
        ("%m/%d/%Y %I:%M %p", "8/12/2026 6:30 p.m.", datetime(2026, 8, 12, 18, 30)),
        ("%m/%d/%Y %I:%M %p", "8/12/2026 6:30 P. M.", datetime(2026, 8, 12, 18, 30)),
        ("%d de %B de %Y %H:%M", "3 de Agosto de 2026 18:00", datetime(2026, 8, 3, 18)),
        ("%A, %d de %B de %Y, %H:%M", "miércoles, 12 de agosto de 2026, 18:00", datetime(2026, 8, 12, 18)),
        ("%d-%b-%Y %H:%M", "03-ago-2026 18:00", datetime(2026, 8, 3, 18)),
        ("%d %b %Y %H:%M", "3 sept. 2026 18:00", datetime(2026, 9, 3, 18)),
        ("%B %d, %Y %I:%M %p", "December 5, 2026 12:00 PM", datetime(2026, 12, 5, 12)),
        ("%b %d, %Y %I:%M%p", "Dec. 5, 2026 7am", None),
        ("%b %d, %Y %I%p", "Dec. 5, 2026 7am", datetime(2026, 12, 5, 7)),
        ("%d/%m/%Y a las %H:%M h", "12/08/2026 a las 18:30 h", datetime(2026, 8, 12, 18, 30)),
        ("%d/%m/%Y %H:%M", "2026-08-12T18:30:00.000", datetime(2026, 8, 12, 18, 30)),
        ("%d/%m/%Y %H:%M", "2026-08-13T01:30:00Z", datetime(2026, 8, 12, 18, 30)),
        ("%d/%m/%Y %H:%M", "2026-08-12T21:30:00-04:00", datetime(2026, 8, 12, 18, 30)),
        ("unix_ms", "1786584600000", datetime(2026, 8, 12, 18, 30)),
        ("unix", "1786584600", datetime(2026, 8, 12, 18, 30)),
    ],
)
def test_a_time_is_read_as_people_write_it(
    read_mapped: Map, formats: str, cell: str, expected: datetime | None
) -> None:
    read = read_mapped(f'starts_local = {{ column = "x", format = "{formats}" }}', {"x": cell})
    if expected is None:
        (problem,) = read.problems
        assert problem.reason.startswith(f'wrong_type: column "x" is not written as {formats}')
        return
    assert (list_values(read, "starts_local"), read.problems) == ([expected], ())


def test_a_date_and_a_time_in_two_columns_are_one_time_and_a_date_alone_is_a_day(read_mapped: Map) -> None:
    rules = """
        starts_local = { join = ["day", "clock"], format = ["%d/%m/%Y %H:%M", "%d/%m/%Y"] }
        ends_local = { join = ["last", "until"], format = ["%d/%m/%Y %H:%M", "%d/%m/%Y"] }
    """
    rows = ["12/08/2026;18:00;12/08/2026;19:30", "12/08/2026;;14/08/2026;", "12/08/2026;;;", ";;;"]
    rows += ["12/08/2026;18:00;12/08/2026;", "12/08/2026;18:00;13/08/2026;"]
    read = read_mapped(rules, "day;clock;last;until", *rows)
    assert read.problems == ()
    evening = datetime(2026, 8, 12, 18)
    assert list_values(read, "starts_local") == [evening, None, None, None, evening, evening]
    assert list_values(read, "date_on") == [None, date(2026, 8, 12), date(2026, 8, 12), None, None, None]
    ends = [datetime(2026, 8, 12, 19, 30), datetime(2026, 8, 15), None, None, None, datetime(2026, 8, 14)]
    assert list_values(read, "ends_local") == ends


@pytest.mark.parametrize(
    "cell", ["31/11/2026 18:00", "12/13/2026 18:00", "mañana", "12/08/26 18:00", "12/08/2026 25:00"]
)
def test_a_time_that_is_none_is_the_records_problem(read_mapped: Map, cell: str) -> None:
    read = read_mapped('starts_local = { column = "x", format = "%d/%m/%Y %H:%M" }', "x", cell)
    (problem,) = read.problems
    assert (read.quarantined, problem.line, problem.field) == (1, 2, "starts_local")
    assert 'column "x"' in problem.reason


def test_words_are_looked_up_and_split(read_mapped: Map) -> None:
    rules = """
        categories = { column = "x", split = ["/", ","], lookup = { "Cine" = "theater_shows", "Música y danza" = \
["music_movement", "dance_gymnastics"], "Otros" = "" } }
        keywords = { column = "x", split = "/" }
    """
    read = read_mapped(rules, "x", "cine / MUSICA Y DANZA", "Otros", "", "Cine/Toros")
    assert list_values(read, "categories") == [
        ("theater_shows", "music_movement", "dance_gymnastics"), (), (), ("theater_shows",),
    ]  # fmt: skip
    assert list_values(read, "keywords")[0] == ("cine", "MUSICA Y DANZA")
    (problem,) = read.problems
    assert (problem.line, problem.quarantined, problem.value) == (5, False, "Toros")
    assert problem.reason.startswith('unknown_word: column "x" has a word that is none of ours')


def test_what_a_lookup_does_not_have_may_be_something_else(read_mapped: Map) -> None:
    rule = '"price.type" = { column = "x", lookup = { "Gratis" = "free" }, other = "fixed" }'
    assert list_values(read_mapped(rule, "x", "gratis", "12 €", ""), "price.type") == ["free", "fixed", None]


def test_yes_and_no_have_words(read_mapped: Map) -> None:
    assert list_values(read_mapped('is_sold_out = "x"', "x", "Sí", "no", "", "TRUE"), "is_sold_out") == [
        True,
        False,
        None,
        True,
    ]
    read = read_mapped(
        'is_sold_out = { column = "x", yes = ["Agotado"], no = ["Quedan"] }', "x", "agotado", "quedan", "?"
    )
    assert list_values(read, "is_sold_out") == [True, False, None]
    (problem,) = read.problems
    assert problem.reason == 'wrong_type: column "x" is no yes and no no; name your file\'s words in yes and no'


def test_a_path_leads_into_objects_lists_and_json_in_a_text(read_mapped: Map) -> None:
    rules = """
        starts_local = "start.dateTime"
        "location.lat" = "where.latitude"
        "location.lng" = "geometry.coordinates[0]"
        "location.address" = { join = ["where.human.address", "where.human.city"], with = ", " }
        keywords = "tags[].name"
    """
    where = {"latitude": "47.5", "human": json.dumps({"address": "1 Main", "city": "X"})}
    row = {"start": {"dateTime": "2026-08-12T18:30:00-07:00"}, "where": where, "tags": [{"name": "a"}, {"name": "b"}],
           "geometry": {"coordinates": [-122.25, 47.5]}}  # fmt: skip
    read = read_mapped(rules, row, {"where": {"latitude": None, "human": "no json"}})
    assert read.problems == ()
    assert list_values(read, "starts_local") == [datetime(2026, 8, 12, 18, 30), None]
    location = read.records[0].location  # type: ignore[attr-defined]
    assert (location.lat, location.lng, location.address) == (47.5, -122.25, "1 Main, X")
    assert list_values(read, "keywords") == [("a", "b"), ()]


def test_columns_that_are_joined_may_have_labels_and_an_empty_one_has_none(read_mapped: Map) -> None:
    read = read_mapped(
        'description = { join = ["season", "mon", "tue"], labels = ["", "Mon", "Tue"], with = ", " }',
        "season;mon;tue", "Summer;9-17;9-14", ";;8-12", "Winter;;", ";;",
    )  # fmt: skip
    assert list_values(read, "description") == ["Summer, Mon 9-17, Tue 9-14", "Tue 8-12", "Winter", None]


def test_a_row_may_refer_to_a_place_of_another_feed_by_number_or_name(read_mapped: Map) -> None:
    rules = '"place.source_id" = "number"\n"place.feed" = { value = "branches" }\n"place.name" = "where"'
    read = read_mapped(rules, "number;where", "7;", ";Central Library", ";")
    assert list_values(read, "place") == [
        Reference(feed="branches", source_id="7"), Reference(name="Central Library"), None,
    ]  # fmt: skip


def test_a_constant_in_an_object_holds_where_the_object_says_anything_else(read_mapped: Map) -> None:
    rules = '"price.min" = "x"\n"price.currency" = { value = "EUR" }\nseasons = { value = ["winter"] }'
    read = read_mapped(rules, "x", "3", "")
    assert list_values(read, "price.currency") == ["EUR", None]
    assert list_values(read, "seasons") == [("winter",), ("winter",)]


def test_a_row_may_be_the_one_session_of_its_camp(read_mapped: Map) -> None:
    rules = '"sessions.starts_on" = { column = "x", format = "%m/%d/%Y" }\n"sessions.ages.min" = "y"'
    read = read_mapped(rules, "x;y", "8/3/2026;5", ";", type_="camp")
    assert list_values(read, "sessions") == [(SessionRecord(starts_on=date(2026, 8, 3), ages=AgeRange(min=5)),), ()]


def test_columns_are_found_whatever_their_case_accents_and_blanks(read_mapped: Map) -> None:
    read = read_mapped('"location.address" = "direccion postal"', "DIRECCIÓN_POSTAL", "Calle Mayor, 1")
    assert list_values(read, "location.address") == ["Calle Mayor, 1"]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (
            '"location.address" = "preco"',
            'map.location.address: names the column "preco", which the file does not have; it has: precio',
        ),
        ('price = "precio"', "map.price: is an object; name its members: price.type, price.min"),
        ('"price.mim" = "precio"', "map.price.mim: is no member of a record; the nearest: price.min"),
        ('titel = "precio"', "map.titel: is no member of a record; the nearest: "),
        ('"name.first" = "precio"', "map.name.first: goes on behind name, which is no object"),
        ('seasons = { value = "winter" }', "map.seasons.value: is one value; allowed: a list of them"),
    ],
)
def test_a_rule_that_meets_nothing_is_named(read_mapped: Map, rule: str, message: str) -> None:
    with pytest.raises(SettingError) as wrong:
        read_mapped(rule, "precio", "3")
    assert f"feed spl: {message}" in str(wrong.value)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('"price.min" = { colum = "x" }', "feeds.spl.map.price.min.colum: is no word of a rule; did you mean column?"),
        ('"price.min" = { column = "x", value = 3 }', "feeds.spl.map.price.min: has both column and value"),
        (
            '"price.min" = { decimal = "," }',
            "feeds.spl.map.price.min: has no source; allowed: one of column, first, join, value",
        ),
        ('"price.min" = { column = "x", decimal = ";" }', "feeds.spl.map.price.min.decimal: is wrong"),
        ('"price.min" = { column = "x", pattern = "(" }', "feeds.spl.map.price.min.pattern: is no pattern"),
        ('"price.min" = { column = "x", pattern = "(a)(b)" }', "feeds.spl.map.price.min.pattern: has 2 groups"),
        (
            'starts_local = { column = "x", format = "dd/mm/yyyy" }',
            'feeds.spl.map.starts_local.format: "dd/mm/yyyy" says no day',
        ),
        ('starts_local = { column = "x", format = "%d/%q" }', "has %q, which is none"),
        ('"price.min" = { column = "x", with = "-" }', "feeds.spl.map.price.min.with: is given without join"),
        ('description = { join = ["x", "y"], labels = ["X"] }', "map.description.labels: has 1 and join has 2"),
        ('description = { column = "x", labels = ["X"] }', "map.description.labels: has 1 and join has 0"),
        ('"price.min" = 3', "feeds.spl.map.price.min: is no rule"),
    ],
)
def test_a_rule_with_a_slip_stops_before_anything_is_read(read_mapped: Map, rule: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as wrong:
        read_mapped(rule, "x", "3")
    assert message in str(wrong.value.problems[0])


def test_members_of_an_object_may_be_written_without_quotes(read_mapped: Map) -> None:
    assert list_values(read_mapped('price.min = "x"\nprice.max = "x"', "x", "3"), "price.max") == [3]


def test_a_column_may_have_any_name_beside_a_range(read_mapped: Map) -> None:
    rule = 'starts_local = { column = "x", range = "start" }\nprice = { min = { column = "y", range = "start" } }'
    read = read_mapped(rule, "x;y;part;one;days;entry;whole", "2026-08-10 9-11 am;$5-$7;a;b;c;d;e")
    assert (read.problems, list_values(read, "price.min")) == ((), [5])
    assert list_values(read, "starts_local") == [datetime(2026, 8, 10, 9)]


def test_a_module_that_is_missing_is_not_looked_for_in_each_row_nor_a_module_afterwards(
    read_mapped: Map, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB looks for pandas once for each value that a function returns. What ends that must not stay: polars and
    others take what stands among the modules for one."""
    searches: list[str] = []

    class Searches:
        @staticmethod
        def find_spec(name: str, *_: Any) -> None:
            searches.append(name)

    monkeypatch.setattr(sys, "meta_path", [Searches, *sys.meta_path])
    rows = [f"2026-08-10 9-11 am;${row}" for row in range(1, 101)]
    read = read_mapped('starts_local = { column = "x", range = "start" }\n"price.min" = "y"', "x;y", *rows)
    assert len(read.records) == len(rows)
    assert searches.count("pandas") < len(rows)
    assert sys.modules.get("pandas", sys) is not None


def test_an_error_of_a_spreadsheet_is_never_published(read_mapped: Map) -> None:
    read = read_mapped('description = "x"\n"price.min" = "y"', "x;y", "#REF!;1", "fine;#N/D", "fine;2")
    assert list_values(read, "description") == [None, "fine", "fine"]
    assert [(problem.line, problem.field, problem.quarantined) for problem in read.problems] == [
        (2, "description", False), (3, "price.min", False),
    ]  # fmt: skip


def test_a_missing_name_is_reported_with_its_column(read_mapped: Map) -> None:
    read = read_mapped('description = "x"', "x", "a")
    assert read.problems == ()
    read = read_mapped('slug = "x"', {"x": None, "name": " "})
    assert [problem.reason for problem in read.problems] == ['missing: column "name" is empty']


def test_the_first_column_that_says_something_counts_and_the_file_may_lack_others(read_mapped: Map) -> None:
    rows = [{"a": None, "b": "B", "tags": []}, {"a": "A", "b": "B", "tags": ["t"]}]
    read = read_mapped('description = { first = ["none", "a", "b"] }\nkeywords = { first = ["tags", "b"] }', *rows)
    assert list_values(read, "description") == ["B", "A"]
    assert list_values(read, "keywords") == [("B",), ("t",)]
    (problem,) = read_mapped('"price.min" = { first = ["none", "a"] }', {"a": "much"}).problems
    assert 'column "none" or "a" is no number' in problem.reason
    with pytest.raises(SettingError, match="which the file does not have"):
        read_mapped('description = { first = ["none", "nothing"] }', *rows)


def test_a_column_that_is_optional_may_be_missing_or_lead_nowhere(read_mapped: Map) -> None:
    rules = """
    description = { column = "none", optional = true }
    "price.min" = { first = ["none", "venue.fee"], optional = true }
    "location.address" = { join = ["venue.name", "a"], optional = true }
    keywords = { column = "none[].name", optional = true }
    """
    read = read_mapped(rules, {"a": "A", "venue": []}, {"a": "A", "venue": []})
    assert (list_values(read, "location.address"), read.problems) == (["A", "A"], ())
    assert list_values(read, "description") == [None, None]
    mixed = read_mapped(rules, {"a": "A", "venue": []}, {"a": "A", "venue": {"name": "V", "fee": 5}})
    assert list_values(mixed, "location.address") == ["A", "V A"]
    assert list_values(mixed, "price.min") == [None, 5]


@pytest.mark.parametrize(
    ("rule", "member", "cells", "values"),
    [
        ('"price.min" = { column = "x", range = "start" }', "price.min", ["$25 - $60", "Free", "ask"], [25, 0, None]),
        ('"price.max" = { column = "x", range = "end" }', "price.max", ["$2 - $6", "from $5", "$12"], [6, None, 12]),
        ('"ages.min" = { column = "x", range = "start" }', "ages.min", ["ages 6-12", "19+", "6 months"], [6, 19, 0]),
        ('"ages.max" = { column = "x", range = "end" }', "ages.max", ["6 à 12 ans", "bis 6", "9+"], [12, 6, None]),
        ('description = { column = "x", fallback = "None" }', "description", ["Boots", ""], ["Boots", "None"]),
        ('"price.min" = { column = "x", decimal = ",", fallback = 2.5 }', "price.min", ["1,20", ""], [1.2, 2.5]),
        (
            "description = { column = 'x', pattern = '(?P<low>\\d+) of (?P<b>\\d+)', group = 'b' }", "description",
            ["3 of 12 left"], ["12"],
        ),
        (
            'image_url = { column = "x", prefix = "https://" }', "image_url",
            ["www.e.example/a.jpg", "http://e.example/b.jpg"], ["https://www.e.example/a.jpg", "http://e.example/b.jpg"],
        ),
        (
            'starts_local = { column = "x", range = "start", format = "%m/%d/%Y %H:%M" }', "starts_local",
            ["12/05/2026 7:00 PM – 9:00 PM", "12/05/2026 6 - 8 pm"],
            [datetime(2026, 12, 5, 19), datetime(2026, 12, 5, 18)],
        ),
        (
            "starts_local = { column = 'x', heading = '^\\D+ \\d{4}$', format = '%A %d %B %Y' }", "date_on",
            ["Dezember 2026", "So 06.", "Sa 12.", "Januar 2027", "Di 05."],
            [date(2026, 12, 6), date(2026, 12, 12), date(2027, 1, 5)],
        ),
    ],
)  # fmt: skip
def test_what_people_put_into_one_cell_is_taken_apart(
    read_mapped: Map, rule: str, member: str, cells: list[str], values: list[Any]
) -> None:
    read = read_mapped(rule, "x", *cells)
    assert (list_values(read, member), read.problems) == (values, ())


def test_headings_are_counted_and_are_no_records(read_mapped: Map) -> None:
    read = read_mapped(
        'starts_local = { column = "x", heading = "^M", format = "%d %B %Y" }', "x", "May 2026", "5", "6"
    )
    assert (read.read, read.passed_over, len(read.records)) == (2, {"heading": 1}, 2)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ('{ column = "x", range = "start" }', "is given for what has no range; allowed: times, ages and amounts"),
        ('{ column = "x", pattern = "(a)(b)" }', "name the one to take, as (?P<years>…)"),
        ('{ column = "x", pattern = "(?P<a>a)", group = "b" }', 'has no group "b"; it has: a'),
        ('{ column = "x", fallback = { column = "x", rage = "end" } }', "is no word of a rule"),
    ],
)
def test_a_wrong_word_of_a_rule_is_refused(read_mapped: Map, rule: str, message: str) -> None:
    with pytest.raises((ConfigurationError, SettingError)) as caught:
        read_mapped(f"description = {rule}", "x", "1")
    assert message in str(caught.value)


def test_rows_are_kept_and_dropped_by_column_and_value(configure: Configure, tmp_path: Path) -> None:
    rows = ["id;kind;place;name", "1;KIDS;Central;a", "2;Adults;Central;b", "3;Family;East;c", "4;Kíds ;Central Hall;d"]
    (tmp_path / "t.csv").write_text("\n".join([*rows, "5;;Central;e"]) + "\n")
    choice = 'keep = { kind = ["Kids", "Family"] }\ndrop = { place = "e*t" }\n'
    rules = IDENTITY.format(type_="event") + 'image_url = "name"\n'
    text = f'format = "table"\nmetro = "seattle"\nurl = "t.csv"\n{choice}[feeds.map]\n{rules}'
    configuration = configure(text)
    read = read_feed(configuration.feeds[0], configuration)
    assert [record.name for record in read.records] == ["a", "d"]
    assert (read.read, read.passed_over) == (2, {"keep kind": 2, "drop place": 1})
    # A problem still names its line in the file.
    assert {problem.line for problem in read.problems} == {2, 5}
    wrong = configure(text.replace("kind =", "sort =", 1))
    with pytest.raises(SettingError, match=r'keep.sort: names the column "sort", which the file does not have'):
        read_feed(wrong.feeds[0], wrong)


def test_events_of_a_calendar_are_kept_by_property_and_value(configure: Configure, tmp_path: Path) -> None:
    kinds = {"1": "Kids,Crafts", "2": "Board", "3": ""}
    events = "".join(
        f"BEGIN:VEVENT\nUID:{uid}\nSUMMARY:n\nDTSTART:20261205T100000\nCATEGORIES:{kind}\nEND:VEVENT\n"
        for uid, kind in kinds.items()
    )
    (tmp_path / "t.ics").write_text(f"BEGIN:VCALENDAR\n{events}END:VCALENDAR\n")
    configuration = configure('format = "ics"\nmetro = "seattle"\nurl = "t.ics"\nkeep = { category = "kids" }\n')
    read = read_feed(configuration.feeds[0], configuration)
    assert ([record.source_id for record in read.records], read.passed_over) == (["1"], {"keep category": 2})


def test_other_formats_keep_no_rows(configure: Configure) -> None:
    with pytest.raises(
        ConfigurationError, match='keep: is set together with format "ndjson"; allowed: only with table'
    ):
        configure('format = "ndjson"\nurl = "a"\nkeep = { a = "b" }\n')
