"""Make the row of a place: its members and columns. A place has no dates."""

from outings.contract.resources.listings import Place, PlaceLinks
from pipeline.records.record import PlaceRecord
from pipeline.resolve.listings.columns import make_columns, make_members, make_row
from pipeline.resolve.listings.resolved_record import MetroContext, ResolvedRecord
from pipeline.resolve.listings.rows import Row


def make_place_row(resolved: ResolvedRecord[PlaceRecord], setting: MetroContext) -> Row:
    itself = f"/v1/places/{resolved.id}"
    members = Place(
        **make_members(
            resolved,
            setting,
            is_sensory_friendly=resolved.facts.is_sensory_friendly,
            links=PlaceLinks(self=itself, **{name: f"{itself}/{name}" for name in ("events", "classes", "camps")}),
        )
    )
    return make_row(resolved.record, make_columns(resolved, setting, members), members)
