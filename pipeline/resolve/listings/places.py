"""Make the row of a place: its members and columns. A place has no dates."""

import msgspec

from outings.contract.resources.listings import Place, PlaceLinks
from outings.contract.vocabulary import WEEKDAYS
from outings.texts.opening import write_week
from pipeline.records.record import PlaceRecord
from pipeline.resolve.listings.columns import locate_page, make_columns, make_members, make_row
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row


def make_place_row(resolved: ResolvedRecord[PlaceRecord], setting: MetroContext) -> Row:
    itself = f"/v1/places/{resolved.id}"
    members = Place(
        **make_members(
            resolved,
            setting,
            **msgspec.structs.asdict(resolved.facts),
            links=PlaceLinks(
                self=itself,
                page=locate_page(resolved, setting),
                **{name: f"{itself}/{name}" for name in ("events", "classes", "camps")},
            ),
        )
    )
    language = None if setting.language is None else setting.language.code
    hours = write_week(msgspec.structs.asdict(members.hours), WEEKDAYS, language)
    columns = make_columns(resolved, setting, members) | {"opening_hours": hours}
    return make_row(resolved.record, columns, members)
