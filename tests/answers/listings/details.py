"""Two metros with listings of every type and status, by the ids that their details are read by."""

from datetime import datetime

from tests.answers import documents
from tests.answers.documents import make_uuid
from tests.answers.worlds import World

EVENT, SERIES, CLASS, PLACE, ADULT, OLD, DRAFT, ELSEWHERE, TWIN, OTHER_TWIN = map(make_uuid, range(1, 11))


def make_worlds() -> list[World]:
    harbor = World(
        listings=[
            documents.make_event(EVENT, name="Dateless", slug="dateless"),
            documents.make_event(
                SERIES, is_recurring=True, has_date=True, starts_local="2026-08-03T09:00:00",
                starts_at="2026-08-03T13:00:00Z", has_time=True, start_time="09:00:00",
            ),
            documents.make_class(CLASS, slug="swim"),
            documents.make_place(PLACE, slug="swim", location=documents.make_location(city="Harbor", lat=40.5)),
            documents.make_place(ADULT, audience="adults", confidence=0.0),
            documents.make_camp(OLD, status="archived", slug="old-camp"),
            documents.make_camp(DRAFT, status="draft", slug="draft-camp"),
            documents.make_place(TWIN, slug="zoo"),
        ],
        dates={SERIES: [datetime(2026, 8, day, 9) for day in (3, 10, 17)]},
    )  # fmt: skip
    hills = World(
        slug="hills",
        listings=[
            documents.make_place(ELSEWHERE, slug="barn", metro="hills"),
            documents.make_place(OTHER_TWIN, slug="zoo", metro="hills"),
        ],
    )
    return [harbor, hills]
