"""Records that the example's SQL makes of Seattle's two files, compared row by row with the files."""

import re
from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from tests.examples.cities import Row, Rows

CODES = {"M": "monday", "Tu": "tuesday", "W": "wednesday", "Th": "thursday", "F": "friday"}
CODES |= {"Sa": "saturday", "Su": "sunday"}


@pytest.fixture(scope="module")
def activities(records: Rows) -> dict[int, Row]:
    return {int(record["source_id"]): record for record in records("seattle-activities")}


@pytest.fixture(scope="module")
def rows(export: Rows) -> dict[int, Row]:
    return {row["Activity_ID"]: row for row in export("seattle-activities")}


@pytest.fixture(scope="module")
def centers(records: Rows) -> dict[str, Row]:
    return {record["name"]: record for record in records("seattle-centers")}


def read_schedule(record: Row) -> Row:
    """Read the schedule of a class, or of a camp's one session."""
    return record["schedule"] or record["sessions"][0]


def is_announced_later(row: Row) -> bool:
    return re.search(r"DAYS (&|and) TIMES TBA", row["Description"]) is not None


def test_every_row_is_one_class_or_camp(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    assert len(rows) == 2228
    assert activities.keys() == rows.keys()
    assert {id_: record["name"] for id_, record in activities.items() if record["type"] == "camp"} == {
        67792: "Rowing - GL Exp Boys Presidents Day Camp",
        67793: "Rowing - GL Exp Girls Presidents Day Camp",
        68112: "Nature Camp - Mid-winter Break",
        68325: "Robotics & Coding Camp",
        70357: "High School Tennis Camp (14-17)",
    }
    # Camp Long is a park.
    assert activities[70782]["name"] == "International Day of Forests, Evergreen Walk at Camp Long"
    assert activities[70782]["type"] == "class"


def test_a_camp_is_one_session_and_has_no_class_members(activities: dict[int, Row]) -> None:
    camp = activities[68112]
    (session,) = camp["sessions"]
    assert (session["starts_on"].isoformat(), session["ends_on"].isoformat()) == ("2025-02-18", "2025-02-21")
    assert session["days"] == ["tuesday", "wednesday", "thursday", "friday"]
    assert (session["start_time"], session["end_time"]) == ("09:00:00", "16:00:00")
    assert (session["ages"]["min"], session["ages"]["max"]) == (6, 11)
    assert (camp["camp_type"], camp["year"], session["price"]["min"]) == ("day", 2025, 312)
    assert session["registration"]["spots_remaining"] == 30 - 21
    class_only = ("term", "schedule", "tuition", "program", "program_key", "occasions")
    assert [camp[member] for member in class_only] == [None] * 6
    assert {record["sessions"] for record in activities.values() if record["type"] == "class"} == {None}
    assert activities[68325]["camp_type"] == "half_day"  # 11:00 to 15:00


def test_the_upper_age_is_the_first_that_is_too_old_and_0_is_none(
    activities: dict[int, Row], rows: dict[int, Row]
) -> None:
    for id_, row in rows.items():
        ages = activities[id_]["ages"]
        assert ages["max"] == (row["AgesMax"] - 1 if row["AgesMax"] else None)
        stated = row["AgesMin"] or row["AgesMinMonth"] or row["AgesMax"]
        assert ages["min"] == (row["AgesMin"] if stated else None)
    assert activities[67414]["ages"] == {"min": 7, "max": 11, "text": None}
    assert activities[67505]["ages"] == {"min": 50, "max": None, "text": None}
    assert activities[68123]["ages"] == {"min": None, "max": None, "text": None}  # lap swim: 0 to 0
    assert activities[70357]["ages"] == {"min": 13, "max": 17, "text": "from 13 years 6 months"}


def test_ages_agree_with_those_in_the_names(activities: dict[int, Row]) -> None:
    stated = [
        (int(match[1]), record["ages"]["max"])
        for record in activities.values()
        if (match := re.search(r"\(\d+ ?- ?(\d+) ?(?:yrs?)?\)", record["name"]))
    ]
    assert len(stated) == 161
    assert sum(upper != in_name for in_name, upper in stated) == 2


def test_a_term_has_the_rows_dates(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, row in rows.items():
        dated = activities[id_]["term"] or activities[id_]["sessions"][0]
        assert dated["starts_on"] == datetime.strptime(row["BeginningDate"], "%m/%d/%Y").date()
        assert dated["ends_on"] == datetime.strptime(row["EndingDate"], "%m/%d/%Y").date()
    assert activities[67414]["term"]["name"] == "Winter 2025: Term 2"
    assert activities[67414]["term"]["total_classes"] == 8
    assert {tuple(record["seasons"]) for record in activities.values()} == {("winter",)}


def test_days_are_the_rows_codes_in_the_weeks_order(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, row in rows.items():
        codes = list(CODES) if row["WeekDays"] == "Every day" else row["WeekDays"].split()
        days = [name for code, name in CODES.items() if code in codes]
        assert read_schedule(activities[id_])["days"] == ([] if is_announced_later(row) else days)
    assert read_schedule(activities[68123])["days"] == list(CODES.values())
    assert sum(is_announced_later(row) for row in rows.values()) == 270


def test_times_are_the_rows_clocks_unless_they_are_fillers(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    without = []
    for id_, row in rows.items():
        starts, ends = (datetime.strptime(row[f"{part}ingTime"], "%I:%M %p").time() for part in ("Start", "End"))
        schedule = read_schedule(activities[id_])
        if is_announced_later(row) or starts.hour < 5:
            assert (schedule["start_time"], schedule["end_time"]) == (None, None)
            without.append(row["StartingTime"])
            continue
        assert schedule["start_time"] == starts.isoformat()
        if starts < ends:
            assert schedule["end_time"] == ends.isoformat()
    # 239 youth leagues and a social at half past and at midnight; of 31 more the text says that it is not known.
    assert Counter(without) == {"12:30 AM": 239, "4:30 PM": 31, "12:00 AM": 1}


def test_an_end_before_the_start_is_kept_only_where_the_hours_say_next_day(activities: dict[int, Row]) -> None:
    late = read_schedule(activities[67301])  # 1,170 hours on 234 dates
    assert (late["start_time"], late["end_time"], late["duration_minutes"]) == ("19:00:00", "00:00:00", 300)
    night = read_schedule(activities[68571])
    assert (night["start_time"], night["end_time"], night["duration_minutes"]) == ("18:00:00", "10:00:00", 960)
    for id_ in (71371, 67766, 68397, 66535):  # the days differ, and the row does not say how
        assert read_schedule(activities[id_])["end_time"] is None


def test_a_length_is_given_where_clocks_and_hours_agree(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, record in activities.items():
        row = rows[id_]
        if record["schedule"] and record["schedule"]["duration_minutes"] is not None:
            assert abs(row["NumberOfHours"] * 60 / row["NumberOfDates"] - record["schedule"]["duration_minutes"]) < 1
    assert activities[67414]["schedule"]["duration_minutes"] == 60
    assert activities[68316]["schedule"]["duration_minutes"] is None  # 18:30 to 20:00, but an hour a date


def test_seats_left_are_the_limit_less_the_enrolled(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, row in rows.items():
        registration = activities[id_]["registration"]
        if row["EnrollMax"] == "Unlimited":
            assert {registration[member] for member in ("spots_remaining", "has_spots_available", "status")} == {None}
            continue
        left = row["EnrollMax"] - row["NumberEnrolled"]
        assert registration["spots_remaining"] == max(left, 0)
        assert registration["has_spots_available"] is (left > 0)
        assert registration["status"] == ("full" if left <= 0 else None)
    assert sum(row["EnrollMax"] == "Unlimited" for row in rows.values()) == 167


@pytest.mark.parametrize(
    ("activity", "expected"),
    [
        # (type, min, max), tuition's amount; read by hand from FeeSummary
        (67414, (("fixed", 190, 190), 190)),  # Standard charge: $190.00
        (68101, (("free", 0, 0), 0)),  # Free
        (67505, (("free", 0, 0), 0)),  # Standard charge: Free
        (71371, (("range", 150, 300), None)),  # Member: $150.00. Non-member: $300.00
        (70357, (("range", 88, 97.33), None)),  # Resident: $88.00. Non-resident: $97.33
        (68261, (("fixed", 120, 120), 120)),  # Member: Free. Non-member: $120.00
        (68272, (("range", 60, 120), None)),  # Member: $60.00. Non-member: … 6 up to 17 years old: $120.00
        (67040, (("from", 40, None), None)),  # $40.00 every 30 minutes for lessons from 30 to 60 minutes
        (67595, (("fixed", 500, 500), 500)),
        (68418, (("range", 5, 15), None)),  # youth $5, teen and adult $15, senior $10
        (67385, (None, None)),  # Standard charge: No Online Registration
        (68387, (None, None)),  # blank
    ],
)
def test_a_price_is_what_the_fees_say(activities: dict[int, Row], activity: int, expected: tuple[Any, Any]) -> None:
    record = activities[activity]
    price = record["price"] and tuple(record["price"][member] for member in ("type", "min", "max"))
    tuition = record["tuition"]["amount"] if record["tuition"] else None
    assert (price, tuition) == (expected if record["type"] == "class" else (expected[0], None))


def test_every_amount_of_the_fees_is_within_the_price(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, row in rows.items():
        price = activities[id_]["price"]
        written = re.findall(r"\$([\d,]+\.\d\d)", row["FeeSummary"])
        amounts = sorted(float(amount.replace(",", "")) for amount in written)
        if amounts:
            assert price["min"] == amounts[0]
            assert price["max"] in (amounts[-1], None)
            assert (price["max"] is None) is ("every 30 minutes" in row["FeeSummary"])
        elif "Free" in row["FeeSummary"]:
            assert (price["type"], price["max"]) == ("free", 0)
        else:
            assert price is None


def test_a_place_is_the_center_that_the_location_names(
    activities: dict[int, Row], rows: dict[int, Row], centers: dict[str, Row]
) -> None:
    odd = {
        "Jefferson Community Center": "Jefferson Park Community Center",
        "International District/Chinatown C.C.": "International District Community Center",
        "Rainier Beach Pool & Community Center": "Rainier Beach Community Center",
        "Magnuson Community Center (bldg 47)": "Magnuson Community Center",
        "Meet at Ravenna Eckstein Community Center at 2pm": "Ravenna-Eckstein Community Center",
        "Garfield Community Center Garden": "Garfield Community Center",
    }
    matched = Counter()
    for id_, row in rows.items():
        whole = row["ActivityLocation"]
        site = odd.get(whole) or odd.get(whole.rpartition(" at ")[2]) or ""
        if not site and (center := centers.get(whole.rpartition(" at ")[2])) and "pick-up" not in whole:
            site = center["name"]
        record = activities[id_]
        assert (record["place"] or {"name": ""})["name"] == site
        matched[site] += 1
        if site:
            assert site in centers
            assert record["location"] is None
        else:
            address = None if whole in ("Location unspecified", "various") else " ".join(whole.split())
            assert (record["location"] or {"address": None})["address"] == address
    assert matched[""] == 1034
    assert matched["Rainier Beach Community Center"] == 139


def test_lost_letters_are_put_back(activities: dict[int, Row]) -> None:
    names = {record["name"] for record in activities.values()}
    assert "Tiny Tots: Red Ball (4½ - 5yrs)" in names
    assert "Learn to Swim - Three-Year-Old Aquatics" in names
    assert "All Level Yoga - Flow with Breath" in names
    assert "Learn To Swim - Adult Beginning/Intermediate (Mon 6:30pm)" in names
    assert [name for name in names if "?" in name] == ["Shuttlecock Kicking (?Ã\x81 C?U)"]  # what it was can't be told
    assert "Together we’ll navigate" in activities[68112]["description"]
    texts = [record["description"] for record in activities.values() if record["description"]]
    assert [text for text in texts if "Want to shoot some hoops? " in text]  # a question stays a question


def test_one_program_is_one_key_over_sites_terms_and_hours(activities: dict[int, Row]) -> None:
    keys: dict[str, set[str]] = {}
    for record in activities.values():
        if record["type"] == "class":
            keys.setdefault(record["program_key"], set()).add(record["name"])
    assert len(keys) == 639
    (swim,) = [names for names in keys.values() if "Learn To Swim-Beginning" in names]
    assert {"Learn to Swim - Beginning", "Learn To Swim - Beginning Mon 6:00 PM"} <= swim
    assert not [name for name in swim if "dvanced" in name or "Adult" in name]
    (basketball,) = [names for names in keys.values() if "Boys Basketball - Ballard (10 yrs)" in names]
    assert len(basketball) == 22
    assert all(re.fullmatch(r"Boys Basketball - .+ \(10 ?yrs\)", name) for name in basketball)
    (level,) = [names for names in keys.values() if "Mathletics Level 1" in names]
    assert level == {"Mathletics Level 1"}


def test_the_citys_words_are_keywords(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, row in rows.items():
        words = [row["CategoryName"], row["OtherCategoryName"], "" if row["Type"] == "Activity" else row["Type"]]
        assert activities[id_]["keywords"] == [word for word in words if word]
    in_water = [record for id_, record in activities.items() if rows[id_]["CategoryName"] == "Aquatics"]
    assert all("swim_water" in record["categories"] for record in in_water)
    assert activities[68112]["categories"] == ["nature_outdoors"]
    assert activities[68325]["categories"] == ["stem_discovery"]


def test_drop_ins_take_no_registration(activities: dict[int, Row], rows: dict[int, Row]) -> None:
    for id_, record in activities.items():
        offline = "No Online Registration" in rows[id_]["FeeSummary"]
        assert record["registration"]["url"] == (None if offline else rows[id_]["PublicURL"])
        if rows[id_]["CategoryName"] == "Drop-In Activities":
            assert (record["program"]["enrollment_type"], record["schedule"]["type"]) == ("drop_in", "drop_in")


def test_every_center_is_a_place_with_a_name_of_its_own(centers: dict[str, Row], export: Rows) -> None:
    assert len(export("seattle-centers")) == len(centers) == 29
    assert len({center["source_id"] for center in centers.values()}) == 29
    for row in export("seattle-centers"):
        location = centers[row["name"]]["location"]
        assert (location["lat"], location["lng"]) == (row["Latitude"] or None, row["Longitude"] or None)
        assert (location["city"], location["state"]) == ("Seattle", "WA")
    assert centers["Lake City Community Center"]["location"]["lat"] is None  # 0, 0 in the file
    assert centers["Langston Hughes Cultural Arts Center"]["location"]["street_address"] == "104 17th Ave S"


def test_hours_are_those_of_the_season_and_closed_is_not_unknown(centers: dict[str, Row]) -> None:
    bitter_lake = centers["Bitter Lake Community Center"]["hours"]
    assert (bitter_lake["monday"], bitter_lake["sunday"]) == ("8am-9pm", "10am-5pm")
    assert bitter_lake["exceptions"] is None
    hutchinson = centers["Hutchinson Community Center"]["hours"]
    assert (hutchinson["monday"], hutchinson["sunday"]) == (None, "Closed")
    assert centers["Delridge Community Center"]["hours"]["exceptions"] == (
        "Summer Hours, Mon 7:30am-7:00pm, Tue 7:30am-7:00pm, Wed 7:30am-7:00pm, Thu 7:30am-7:00pm, "
        "Fri 7:30am-7:00pm, Sat 9:30am-6:00pm"
    )
    assert centers["Magnolia Community Center"]["hours"]["monday"] == "Closed"
    assert centers["Magnolia Community Center"]["type_hint_notes"] == "Closed for Construction until approx. Fall 2025"
