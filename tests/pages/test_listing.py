"""The page of a listing, and its calendar."""

import json
from datetime import date, datetime

import pytest
from icalendar import Calendar

from outings.pages.listing import list_times, render_calendar, render_listing
from outings.pages.settings import lay_words
from outings.release.site import SiteSettings
from tests.answers import documents
from tests.answers.documents import Document, make_uuid

ENGLISH = lay_words("en", {})["listing"]


def render(item: Document, *, language: str = "en", outlines: bytes | None = None) -> str:
    settings = SiteSettings(shows_data=True, language=language)
    page = render_listing(item, settings=settings, locate_asset=lambda name: f"assets/{name}", outlines=outlines)
    return page.decode()


def test_a_listing_is_on_a_small_map_among_the_neighborhoods_around_it_without_script() -> None:
    around = [[-122.31, 47.59], [-122.29, 47.59], [-122.29, 47.61], [-122.31, 47.61], [-122.31, 47.59]]
    far = [[lng + 1, lat] for lng, lat in around]
    outlines = json.dumps(
        {
            "features": [
                {"properties": {"name": name, "at": at}, "geometry": {"type": "MultiPolygon", "coordinates": [[ring]]}}
                for name, at, ring in (("Here", [47.606, -122.30], around), ("There", [47.6, -121.3], far))
            ]
        }
    ).encode()
    place = documents.make_place(make_uuid(1))
    place["location"] |= {"lat": 47.6, "lng": -122.3, "neighborhood": "Here"}
    page = render(place, outlines=outlines)
    # A square of 1.5 by 2.2 km: 0.096 pixels a metre, around the middle.
    assert '<path class="own" d="M168 227l144 0 0 -214 -144 0 0 214z"/>' in page
    assert '<text x="240" y="56">Here</text>' in page
    assert '<circle cx="240" cy="120" r="7"/>' in page
    assert "There" not in page
    assert "<svg" not in render(place)
    place["location"] |= {"lat": None, "lng": None}
    assert "<svg" not in render(place, outlines=outlines)


def make_weekly(**members: object) -> Document:
    item = documents.make_class(
        make_uuid(1), name="Tumbling", term=documents.make_term(starts_on="2026-08-10", ends_on="2026-08-31")
    )
    item["schedule"] |= {"days": ["tuesday", "thursday"], "start_time": "18:00:00", "end_time": "18:45:00"}
    item["schedule"]["timezone"] = "America/Los_Angeles"
    return {**item, **members}


def test_a_class_says_its_days_its_hours_and_its_term() -> None:
    assert [*list_times(make_weekly(), ENGLISH)] == [
        "Tuesday, Thursday · 6:00\N{NO-BREAK SPACE}pm – 6:45\N{NO-BREAK SPACE}pm",
        "Monday 10 August – Monday 31 August 2026",
    ]


def test_the_calendar_of_a_class_repeats_until_the_last_day_of_its_term() -> None:
    calendar = Calendar.from_ical(render_calendar(make_weekly()) or b"")
    (event,) = calendar.walk("VEVENT")
    assert event["dtstart"].dt.replace(tzinfo=None) == datetime(2026, 8, 11, 18)
    assert event["rrule"]["BYDAY"] == ["TU", "TH"]
    # The last moment of 31 August in Los Angeles: an evening class of that day belongs to it.
    assert event["rrule"]["UNTIL"][0].isoformat() == "2026-09-01T06:59:59+00:00"


def test_the_calendar_of_a_camp_has_its_sessions_as_whole_days() -> None:
    session = documents.make_session("a", starts_on="2026-08-10", ends_on="2026-08-14")
    calendar = Calendar.from_ical(render_calendar(documents.make_camp(make_uuid(1), sessions=[session])) or b"")
    (event,) = calendar.walk("VEVENT")
    assert (event["dtstart"].dt, event["dtend"].dt) == (date(2026, 8, 10), date(2026, 8, 15))


def test_what_has_no_dates_has_no_calendar() -> None:
    assert render_calendar(documents.make_place(make_uuid(1))) is None
    assert render_calendar(documents.make_camp(make_uuid(1))) is None


@pytest.mark.parametrize(
    ("registration", "text"),
    [
        ({"spots_remaining": 2}, "2 spots left"),
        ({"spots_remaining": 1}, "1 spot left"),
        ({"spots_remaining": 0}, "No spots left"),
        ({"status": "full"}, "Full"),
        ({"has_spots_available": True}, "Spots left"),
    ],
)
def test_a_page_says_whether_there_are_places_left(registration: Document, text: str) -> None:
    item = make_weekly()
    item["registration"] |= registration
    assert f'<p class="spots">{text}</p>' in render(item)
    assert 'class="spots"' not in render(make_weekly())


@pytest.mark.parametrize(
    ("bounds", "text"), [((60.0, None), "$60"), ((12.5, 1500000.0), "$12.50 – $1500000"), ((0.0, 8.0), "$0 – $8")]
)
def test_a_page_says_the_price_as_people_write_it(bounds: tuple[float, float | None], text: str) -> None:
    item = make_weekly()
    item["price"] |= {"is_free": False, "min": bounds[0], "max": bounds[1], "currency": "USD", "note": None}
    assert f"<bdi>{text}</bdi>" in render(item)


@pytest.mark.parametrize(
    ("point", "targets"),
    [
        ((47.6, -122.3), ("geo:47.6,-122.3?q=47.6,-122.3(Tumbling)", "directions?to=47.6%2C-122.3")),
        ((None, None), ("geo:0,0?q=1%20Main%20St%2C%20Seattle", "search?query=1%20Main%20St%2C%20Seattle")),
    ],
)
def test_directions_lead_to_the_point_or_else_to_the_address(
    point: tuple[float | None, ...], targets: tuple[str, str]
) -> None:
    item = make_weekly(place=None)
    item["location"] |= {"lat": point[0], "lng": point[1], "address": "1 Main St, Seattle"}
    assert f'href="{targets[0]}"' in render(item)
    assert f'href="https://www.openstreetmap.org/{targets[1]}"' in render(item)


def test_nothing_of_a_feed_is_read_as_html() -> None:
    page = render(make_weekly(name="</script><script>alert(1)</script>", description="<b>bold</b>"))
    assert "<script>alert" not in page
    assert "<b>bold" not in page


def test_a_listing_that_names_no_organization_is_by_nobody() -> None:
    page = render(make_weekly(organization={"id": None, "name": None, "slug": None}))
    assert "None" not in page
    assert '"provider"' not in page
    assert '"name": "Tumble House"' in render(
        make_weekly(organization={"id": None, "name": "Tumble House", "slug": None})
    )


def test_a_page_declares_its_language() -> None:
    page = render(make_weekly(), language="es")
    assert "martes, jueves · 18:00 – 18:45" in page


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("09:00-17:00", "9:00\xa0am – 5:00\xa0pm"),
        ("9am - 12pm, 1pm - 5:30pm", "9:00\xa0am – 12:00\xa0pm, 1:00\xa0pm – 5:30\xa0pm"),
        ("Closed", "Closed"),
        ("9-17, members only", "9-17, members only"),
    ],
)
def test_opening_hours_are_in_the_style_of_the_pages_clock(written: str, shown: str) -> None:
    place = documents.make_place(make_uuid(1))
    place["hours"]["monday"] = written
    assert f"<dd>{shown}</dd>" in render(place)


def test_a_place_has_what_a_script_needs_to_say_that_it_is_open() -> None:
    place = documents.make_place(make_uuid(1))
    place["hours"]["monday"] = "9am-5pm"
    settings = SiteSettings(shows_data=True, language="en")
    page = render_listing(place, settings=settings, locate_asset=str, timezone="America/New_York").decode()
    assert 'id="open-now" hidden data-timezone="America/New_York"' in page
    assert '"monday": "9am-5pm"' in page
