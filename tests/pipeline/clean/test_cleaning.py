"""A raw record becomes a typed one; what is wrong quarantines it or is left out, by what a filter uses."""

from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import msgspec
import pytest

from outings.contract.resources.shared import Location
from outings.contract.vocabulary import PRICE_UNITS, Vocabulary
from pipeline.clean.cleaning import CleaningResult
from pipeline.records.kinds import Leaf, Members, Table
from pipeline.records.record import RECORDS, make_members
from tests.pipeline.clean.record_cleaning import clean, clean_member

UUID = "6f1f8a0e-5d0a-5c43-9a58-1d5b7c0e4f21"


def read_member(cleaned: CleaningResult, path: str) -> Any:
    node: Any = cleaned.record
    for name in path.split("."):
        node = getattr(node, {"from": "from_"}.get(name, name.removesuffix("[]")))
        node = node[0] if name.endswith("[]") else node
    return node


@pytest.mark.parametrize(
    ("type_", "path", "raw", "read"),
    [
        ("event", "name", "  Story \t\n time ", "Story time"),
        ("event", "name", "Tea &amp; <b>Cake</b>", "Tea & Cake"),
        ("event", "name", "5 < 6 & 7 > 3", "5 < 6 & 7 > 3"),
        ("event", "name", "a\x00b\ufeffc\x85d", "a b c d"),
        ("event", "description", "<p>One<br>two</p><p>three&nbsp;&lt;3</p>", "One\ntwo\n\nthree <3"),
        ("event", "description", "One\r\n\r\n\r\n\r\ntwo\u2028three", "One\n\ntwo\nthree"),
        ("event", "description", " \n ", None),
        ("event", "id", f" {UUID.upper()} ", UUID),
        ("event", "slug", "story-time-2", "story-time-2"),
        ("event", "status", "Draft", "draft"),
        ("event", "categories", ["swim_water", "Swim_Water", "food_cooking"], ("swim_water", "food_cooking")),
        ("event", "categories", [], ()),
        ("event", "categories", None, ()),
        ("event", "confidence", 1, 1.0),
        ("event", "verified_at", "2026-08-10T09:00:00-07:00", datetime(2026, 8, 10, 16, tzinfo=UTC)),
        ("event", "created_at", "2026-08-10 09:00:00.123+00", datetime(2026, 8, 10, 9, tzinfo=UTC)),
        ("event", "source.verification.status", "clear", "clear"),
        ("event", "starts_local", "2026-08-10T09:00", datetime(2026, 8, 10, 9)),
        ("event", "starts_local", "2026-08-10 09:00:30.5", datetime(2026, 8, 10, 9, 0, 30)),
        ("event", "exdates", ["2026-08-10T09:00"], (datetime(2026, 8, 10, 9),)),
        ("event", "date_on", "2024-02-29", date(2024, 2, 29)),
        ("event", "timezone", "Europe/Berlin", "Europe/Berlin"),
        ("event", "rrule", "FREQ=WEEKLY;BYDAY=MO", "FREQ=WEEKLY;BYDAY=MO"),
        ("event", "price.min", 0, 0.0),
        ("event", "price.currency", "usd", "USD"),
        ("event", "ages.min", 0, 0),
        ("event", "ages.max", 5.0, 5),
        ("event", "location", {"lat": -90, "lng": 180}, Location(lat=-90.0, lng=180.0)),
        ("event", "image_url", " HTTPS://example.org/a%20b?c=d#e ", "HTTPS://example.org/a%20b?c=d#e"),
        ("event", "image_url", "http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("event", "image_url", "", None),
        ("event", "organization.id", UUID.upper(), UUID),
        ("event", "place.source_id", "p 1", "p 1"),
        ("place", "images", ["https://example.org/1", "https://example.org/1"], ("https://example.org/1",)),
        ("place", "hours.monday", "9 to 5", "9 to 5"),
        ("class", "schedule.days", ["Monday", "sunday"], ("monday", "sunday")),
        ("class", "schedule.start_time", "09:00", "09:00:00"),
        ("class", "schedule.start_time", "23:59:59.9", "23:59:59"),
        ("class", "tuition.from", 12, 12.0),
        ("class", "registration.opens_at", "2026-08-10T09:00:00+02:00", "2026-08-10T07:00:00Z"),
        ("class", "sections[].term.starts_on", "2026-09-01", date(2026, 9, 1)),
        ("camp", "year", 2026, 2026),
        ("camp", "sessions[].price.max", 10.5, 10.5),
    ],
)  # fmt: skip
def test_a_right_value_is_read_and_made_tidy(type_: str, path: str, raw: object, read: object) -> None:
    cleaned = clean_member(type_, path, raw)
    assert cleaned.problems == ()
    assert read_member(cleaned, path) == read


@pytest.mark.parametrize(
    ("type_", "path", "raw", "reason"),
    [
        ("event", "type", "concert", "unknown_word: expected one of organization, event, class, camp, place"),
        ("event", "type", 7, "wrong_type: expected a text"),
        ("event", "type", " ", "missing: expected one of organization, place, event, class, camp"),
        ("event", "source_id", 7, "wrong_type: expected a text"),
        ("event", "source_id", "x" * 1001, "too_long: expected at most 1000 characters"),
        ("event", "source_id", None, "missing: expected a text"),
        ("event", "source_id", " ", "missing: expected a text"),
        ("event", "name", None, "missing: expected a text"),
        ("event", "name", "<b></b>", "missing: expected a text"),
        ("event", "name", ["x"], "wrong_type: expected a text"),
        ("event", "id", "12", f"wrong_type: expected a uuid such as {UUID}"),
        ("event", "status", "hidden", "unknown_word: expected one of published, archived, draft"),
        ("event", "adults_only", "yes", "wrong_type: expected true or false"),
        ("event", "adults_only", 1, "wrong_type: expected true or false"),
        ("event", "confidence", 1.1, "out_of_range: expected a number from 0 to 1"),
        ("event", "confidence", -0.1, "out_of_range: expected a number from 0"),
        ("event", "categories", "swim_water", "wrong_type: expected a list"),
        ("event", "categories", ["swim_water", 7], "wrong_type: expected a text"),
        ("event", "categories", ["swim_water"] * 1001, "too_long: expected at most 1000 entries"),
        ("event", "teams", {"a": 1}, "wrong_type: expected a list"),
        ("event", "starts_local", "2026-08-10", "wrong_type: expected a local time, YYYY-MM-DDTHH:MM:SS"),
        ("event", "starts_local", "2026-08-10T09:00:00Z",
         "wrong_type: expected a local time without an offset, YYYY-MM-DDTHH:MM:SS"),
        ("event", "starts_local", "2026-08-10T09:00:00-07:00",
         "wrong_type: expected a local time without an offset, YYYY-MM-DDTHH:MM:SS"),
        ("event", "starts_local", "2026-08-10T24:00", "out_of_range: no such date or time"),
        ("event", "starts_local", "2026-02-30T09:00", "out_of_range: no such date or time"),
        ("event", "starts_local", "1026-08-10T09:00", "out_of_range: expected a year from 1900 to 2200"),
        ("event", "starts_local", 1786374000, "wrong_type: expected a text"),
        ("event", "date_on", "8/10/2026", "wrong_type: expected a date, YYYY-MM-DD"),
        ("event", "date_on", "2026-08-10T00:00:00", "wrong_type: expected a date, YYYY-MM-DD"),
        ("event", "date_on", "２０２６-08-10", "wrong_type: expected a date, YYYY-MM-DD"),
        ("event", "exdates", ["2026-08-10"], "wrong_type: expected a local time, YYYY-MM-DDTHH:MM:SS"),
        ("event", "timezone", "Seattle",
         "unknown_word: expected a name of the IANA database, such as America/New_York"),
        ("event", "price", "free", "wrong_type: expected an object"),
        ("event", "price.type", "cheap",
         "unknown_word: expected one of free, fixed, range, from, donation, varies, unknown"),
        ("event", "price.min", "5", "wrong_type: expected a number"),
        ("event", "price.min", True, "wrong_type: expected a number"),
        ("event", "price.min", -1, "out_of_range: expected a number from 0"),
        ("event", "price.min", 10**400, "out_of_range: expected a finite number"),
        ("event", "ages.min", 2.5, "wrong_type: expected a whole number"),
        ("event", "ages.max", 121, "out_of_range: expected an age from 0 to 120"),
        ("event", "location.zip", 98101, "wrong_type: expected a text"),
        ("event", "organization", "SPL", "wrong_type: expected an object"),
        ("event", "place.id", "p1", f"wrong_type: expected a uuid such as {UUID}"),
        ("event", "is_indoor", "false", "wrong_type: expected true or false"),
        ("place", "type_hint", "castle", "unknown_word: expected one of " + ", ".join(Vocabulary().type_hints)),
        ("place", "birthday_parties.available", "yes", "wrong_type: expected true or false"),
        ("class", "schedule.days", ["monday", "mon"],
         "unknown_word: expected one of monday, tuesday, wednesday, thursday, friday, saturday, sunday"),
        ("class", "schedule.start_time", "9:00", "wrong_type: expected a clock time, HH:MM or HH:MM:SS"),
        ("class", "schedule.start_time", "24:00", "wrong_type: expected a clock time, HH:MM or HH:MM:SS"),
        ("class", "sections", {"id": "1"}, "wrong_type: expected a list of objects"),
        ("class", "sections", ["1"], "wrong_type: expected an object"),
        ("class", "sections[].tuition.amount", "$5", "wrong_type: expected a number"),
        ("class", "registration.spots_remaining", -1, "out_of_range: expected a number from 0"),
        ("class", "program.enrollment_type", "walk_in",
         "unknown_word: expected one of drop_in, registration, membership, unknown"),
        ("camp", "year", 26, "out_of_range: expected a year from 1900 to 2200"),
        ("camp", "sessions[].starts_on", "July", "wrong_type: expected a date, YYYY-MM-DD"),
    ],
)  # fmt: skip
def test_a_wrong_value_that_a_filter_uses_quarantines_the_record(
    type_: str, path: str, raw: object, reason: str
) -> None:
    cleaned = clean_member(type_, path, raw)
    (problem,) = cleaned.problems
    assert cleaned.record is None
    assert problem.quarantined
    assert problem.reason == reason
    assert (problem.feed, problem.line) == ("spl", 7)
    assert str(problem.field).split("[")[0].split(".")[0] == path.split("[")[0].split(".")[0]
    assert problem.source_id == (None if path == "source_id" else "x1")


LINK = "wrong_type: expected a complete address with http:// or https://, without a user, a password or a backslash"


@pytest.mark.parametrize(
    "url",
    [
        "https://user:password@tickets.example/1", "https://good.example@evil.example/", "https://:@evil.example/",
        r"https://evil.example\@good.example/", r"https://good.example\.evil.example/", r"https:\\evil.example/",
        r"https://good.example/\evil.example", r"https:/\evil.example", "https://evil.example\t.good.example/",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "path",
    [
        "event.image_url", "event.registration_url", "event.ticket_url", "event.source.url", "class.registration.url",
        "camp.image_url", "place.website_url", "place.images", "place.birthday_parties.booking_url",
        "place.classes.registration_url", "organization.website_url",
    ],
)  # fmt: skip
def test_a_link_that_browsers_read_otherwise_or_with_a_password_is_left_out_and_reported(path: str, url: str) -> None:
    type_, _, member = path.partition(".")
    cleaned = clean_member(type_, member, [url] if member == "images" else url)
    assert [(problem.reason, problem.quarantined) for problem in cleaned.problems] == [(LINK, False)]
    assert cleaned.record is not None
    assert "example" not in repr(getattr(cleaned.record, member.partition(".")[0]))


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example",
        "HTTP://A.example:8080/@user",
        "https://a.example/x?to=me@b.example",
        "http://[::1]:80/",
        r"https://a.example/?q=a\b",
        "https://a.example/x#\\",
        "https://ä.example/ü?ß#@",
    ],
)
def test_any_other_link_is_kept_as_it_is(url: str) -> None:
    cleaned = clean_member("event", "ticket_url", url)
    assert cleaned.problems == ()
    assert read_member(cleaned, "ticket_url") == url


@pytest.mark.parametrize(
    ("type_", "path", "raw", "kept", "reason"),
    [
        ("event", "image_url", "www.example.org/x.jpg", None,
         LINK),
        ("event", "image_url", "javascript:alert(1)", None,
         LINK),
        ("event", "image_url", "https://exa mple.org", None,
         LINK),
        ("event", "image_url", "https://", None,
         LINK),
        ("event", "image_url", "https://example.org/" + "x" * 2000, None, "too_long: expected at most 2000 characters"),
        ("event", "image_url", 7, None, "wrong_type: expected a text"),
        ("event", "description", {"en": "x"}, None, "wrong_type: expected a text"),
        ("event", "slug", "Story Time", None,
         "wrong_type: expected lower-case letters and digits, words joined by a hyphen, at most 200"),
        ("event", "verified_at", "2026-08-10T09:00:00", None,
         "wrong_type: expected an instant with its offset, YYYY-MM-DDTHH:MM:SSZ"),
        ("event", "created_at", "2026-08-32T09:00:00Z", None, "out_of_range: no such date or time"),
        ("event", "ends_local", "2026-08-11T1:00", None,
         "wrong_type: expected a local time, YYYY-MM-DDTHH:MM:SS"),
        ("event", "replaced_by", "that one", None, f"wrong_type: expected a uuid such as {UUID}"),
        ("event", "reason", "rain", None,
         "unknown_word: expected one of archived, cancelled, expired, duplicate, withdrawn, unpublished"),
        ("event", "is_sold_out", "no", None, "wrong_type: expected true or false"),
        ("event", "price.unit", "each", None, "unknown_word: expected one of " + ", ".join(PRICE_UNITS)),
        ("event", "price.currency", "$", None, "wrong_type: expected three letters of ISO 4217, such as USD"),
        ("event", "source.verification", "clear", None, "wrong_type: expected an object"),
        ("event", "categories", ["swim_water", "swimming", "food_cooking"], ("swim_water", "food_cooking"),
         "unknown_word: expected one of " + ", ".join(Vocabulary().categories)),
        ("event", "seasons", ["autumn"], (), "unknown_word: expected one of spring, summer, fall, winter"),
        ("event", "keywords", ["chess", 7], ("chess",), "wrong_type: expected a text"),
        ("event", "name", "x" * 1001, "x" * 1000, "too_long: cut to 1000 characters"),
        ("event", "description", "x" * 20_001, "x" * 20_000, "too_long: cut to 20000 characters"),
        ("place", "hours", [], None, "wrong_type: expected an object"),
        ("place", "images", ["https://example.org/1", "2.jpg"], ("https://example.org/1",),
         LINK),
        ("class", "schedule.timezone", "PST8PDT9", None,
         "unknown_word: expected a name of the IANA database, such as America/New_York"),
        ("class", "registration.status", "maybe", None,
         "unknown_word: expected one of open, upcoming, waitlist, full, closed, unknown"),
        ("camp", "camp_type", "tent", None, "unknown_word: expected one of day, half_day, overnight, virtual, unknown"),
    ],
)  # fmt: skip
def test_a_wrong_value_that_no_filter_uses_is_left_out_and_reported(
    type_: str, path: str, raw: object, kept: object, reason: str
) -> None:
    cleaned = clean_member(type_, path, raw)
    (problem,) = cleaned.problems
    assert (problem.field, problem.reason, problem.quarantined) == (path, reason, False)
    if "." not in path and path not in ("hours",):
        assert read_member(cleaned, path) == kept
    assert cleaned.record is not None


@pytest.mark.parametrize("member", ["price", "ages"])
def test_two_ends_the_wrong_way_round_are_put_right_and_reported(member: str) -> None:
    result = clean({"type": "event", "source_id": "1", "name": "X", member: {"min": 5, "max": 4}})
    assert (read_member(result, f"{member}.min"), read_member(result, f"{member}.max")) == (4, 5)
    (problem,) = result.problems
    assert (problem.field, problem.quarantined) == (f"{member}.min", False)
    assert problem.reason == "contradictory: was above max, 4; they are swapped"


@pytest.mark.parametrize(
    ("type_", "members", "field", "reason"),
    [
        ("event", {"location": {"lat": 47.6}}, "location.lat", "contradictory: is given without lng"),
        ("event", {"location": {"lng": -122}}, "location.lng", "contradictory: is given without lat"),
        ("event", {"location": {"lat": 122.3, "lng": 47}}, "location.lat",
         "out_of_range: expected degrees from -90 to 90"),
    ],
)  # fmt: skip
def test_members_that_filters_use_and_that_contradict_each_other_quarantine(
    type_: str, members: dict[str, Any], field: str, reason: str
) -> None:
    cleaned = clean({"type": type_, "source_id": "1", "name": "X", **members})
    assert cleaned.record is None
    assert (cleaned.problems[0].field, cleaned.problems[0].reason.split(" (also")[0]) == (field, reason)


@pytest.mark.parametrize(
    ("members", "path", "reason"),
    [
        ({"starts_local": "2026-08-10T09:00", "ends_local": "2026-08-10T08:00"}, "ends_local",
         "contradictory: is before the start, 2026-08-10T09:00:00"),
        ({"date_on": "2026-08-10", "ends_local": "2026-08-09T08:00"}, "ends_local",
         "contradictory: is before the start, 2026-08-10T00:00:00"),
        ({"ends_local": "2026-08-10T08:00"}, "ends_local", "contradictory: is given without starts_local or date_on"),
        ({"starts_local": "2026-08-10T09:00", "date_on": "2026-08-11"}, "date_on",
         "contradictory: starts_local is 2026-08-10T09:00:00"),
    ],
)  # fmt: skip
def test_an_end_before_the_start_is_left_out(members: dict[str, Any], path: str, reason: str) -> None:
    cleaned = clean({"type": "event", "source_id": "1", "name": "X", **members})
    (problem,) = cleaned.problems
    assert (problem.field, problem.reason, problem.quarantined) == (path, reason, False)
    assert read_member(cleaned, path) is None


def test_an_end_before_the_start_is_left_out_of_terms_and_sessions() -> None:
    dates = {"starts_on": "2026-08-10", "ends_on": "2026-08-09"}
    camp = clean({"type": "camp", "source_id": "1", "name": "X", "sessions": [dates]})
    class_ = clean({"type": "class", "source_id": "1", "name": "X", "term": dates})
    assert [problem.field for problem in (*camp.problems, *class_.problems)] == ["sessions[0].ends_on", "term.ends_on"]
    assert read_member(camp, "sessions[].ends_on") is None
    assert read_member(class_, "term.starts_on") == date(2026, 8, 10)


def test_an_end_at_the_start_is_kept() -> None:
    cleaned = clean(
        {"type": "event", "source_id": "1", "name": "X", "starts_local": "2026-08-10T09:00",
         "ends_local": "2026-08-10T09:00"}
    )  # fmt: skip
    assert cleaned.problems == ()


@pytest.mark.parametrize("empty", [None, {}, {"source_id": None, "name": None}])
def test_an_object_that_states_nothing_is_not_stated(empty: object) -> None:
    cleaned = clean({"type": "event", "source_id": "1", "name": "X", "organization": empty, "location": empty})
    assert (read_member(cleaned, "organization"), read_member(cleaned, "location")) == (None, None)


def test_a_quarantined_record_is_one_problem_that_names_all_its_wrong_fields() -> None:
    cleaned = clean(
        {"type": "event", "source_id": "1", "name": "X", "price": {"min": "5"}, "ages": 5, "image_url": 7,
         "starts_local": "noon"}
    )  # fmt: skip
    (problem,) = cleaned.problems
    assert problem.field == "price.min"
    assert problem.value == "5"
    assert problem.reason == "wrong_type: expected a number (also wrong: ages, starts_local)"


@pytest.mark.parametrize("raw", [None, 7, "x", [], [{"type": "event"}]])
def test_what_is_no_object_is_quarantined(raw: object) -> None:
    cleaned = clean(raw)
    assert [(problem.field, problem.reason) for problem in cleaned.problems] == [
        (None, "wrong_type: expected a JSON object")
    ]


def test_without_a_type_the_source_id_is_still_reported() -> None:
    unknown: Counter[str] = Counter()
    cleaned = clean({"source_id": "1", "name": "X", "colour": "red"}, unknown)
    (problem,) = cleaned.problems
    assert (problem.source_id, problem.field) == ("1", "type")
    assert problem.reason == "missing: expected one of organization, place, event, class, camp"
    assert not unknown


def test_a_long_value_is_shown_cut() -> None:
    (problem,) = clean_member("event", "starts_local", "x" * 10_000).problems
    assert problem.value == "x" * 200 + "…"


def list_paths(members: Members, prefix: str = "") -> list[tuple[str, Leaf]]:
    paths = []
    for name, kind in members.items():
        if isinstance(kind, Table):
            paths += list_paths(kind.members, f"{prefix}{name}{'[]' if kind.many else ''}.")
        else:
            paths.append((prefix + name, kind))
    return paths


@pytest.mark.parametrize("type_", RECORDS)
def test_the_table_of_members_has_every_member_of_a_record(type_: str) -> None:
    """Save what the reader fills in (feed, line), what is computed (is_free), and an organization's address."""

    def compare(struct: Any, members: Members) -> None:
        fields = {field.encode_name for field in msgspec.structs.fields(struct)}
        assert fields - set(members) <= {"feed", "line", "is_free", "address"}
        assert set(members) <= fields
        for kind in members.values():
            if isinstance(kind, Table) and isinstance(kind.make, type):
                compare(kind.make, kind.members)

    compare(RECORDS[type_], make_members(Vocabulary())[type_])


@pytest.mark.parametrize("type_", RECORDS)
def test_a_value_of_no_kind_is_refused_in_every_member(type_: str) -> None:
    """An object where a value belongs, and a value where an object does: quarantined or left out, as the row says."""
    for path, kind in list_paths(make_members(Vocabulary())[type_]):
        if path == "type":
            continue
        cleaned = clean_member(type_, path, {"no": "kind"})
        assert [problem.quarantined for problem in cleaned.problems] == [kind.filters], path
        assert (cleaned.record is None) == kind.filters, path


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("CANCELLED: Storytime", "archived"), ("[Canceled] Chess Club", "archived"), ("CANCELLED Chess", "archived"),
        ("Storytime - CANCELLED", "archived"), ("Lesung (abgesagt!)", "archived"), ("Annulé : Conte", "archived"),
        ("¡CANCELADO! Cuentacuentos", "archived"), ("Cancelled - Tumbling", "archived"),
        ("Teen Concert CANCELLED", "archived"), ("Conte pour enfants ANNULÉ !", "archived"),
        ("How I Cancelled", "published"), ("STAMPS CANCELLED", "published"),
        ("Cancelled Flight", "published"), ("All cancelled stamps", "published"), ("CANCELLED STAMPS", "published"),
    ],
)  # fmt: skip
def test_a_title_that_says_cancelled_is_a_status(name: str, status: str) -> None:
    record = clean({"type": "event", "source_id": "1", "name": name}).record
    assert record is not None
    assert (record.status, record.reason) == (status, "cancelled" if status == "archived" else None)


@pytest.mark.parametrize(
    ("location", "keywords"),
    [
        ({"address": "Zoom"}, ("chess", "online")), ({"address": "Online, Main Library"}, ("chess", "online")),
        ({"address": "https://us02web.zoom.us/j/1"}, ("chess", "online")),
        ({"address": "En línea"}, ("chess", "online")),
        ({"address": "Virtual Reality Lab"}, ("chess",)),
        ({"address": "Online", "lat": 47.6, "lng": -122.3}, ("chess",)),
        (None, ("chess",)),
    ],
)  # fmt: skip
def test_an_event_on_the_web_is_marked(location: object, keywords: tuple[str, ...]) -> None:
    event = {"type": "event", "source_id": "1", "name": "Chess", "location": location, "keywords": ["chess"]}
    record = clean(event).record
    assert record is not None
    assert record.keywords == keywords


def test_a_stated_status_overrides_the_title() -> None:
    record = clean({"type": "event", "source_id": "1", "name": "CANCELLED: Chess", "status": "published"}).record
    assert record is not None
    assert record.status == "published"
