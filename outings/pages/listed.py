"""The listings of a metro in the order of its lists: what one can go to comes first, and what is over last."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import msgspec
import polars as pl
from msgspec import Struct

from outings.answers.rows.filters import list_audiences
from outings.contract.routes import LISTS
from outings.contract.vocabulary import TYPES
from outings.pages.facts import is_full
from outings.release.snapshot import Snapshot
from outings.release.tables import OCCURRENCE_TABLES, PUBLISHED, read_columns

# The groups of a list: what one can go to, what is full or begun, what states no date, what is over, and what is too
# uncertain for the API's default lists.
GROUPS = ("ahead", "closed", "dateless", "over", "uncertain")
_AHEAD, _CLOSED, _DATELESS, _OVER, _UNCERTAIN = range(len(GROUPS))
# What has dates on so many of the next days runs: on a day, what is dated comes before it.
RUNS_DAYS = 6
_NEXT_DAYS = 7
_COLUMNS = (
    "row", "type", "id", "status", "audience", "confidence", "slug", "name", "name_key", "hash", "has_date",
    "beyond_starts_local", "neighborhood", "neighborhood_slug", "organization_id", "created_at",
    "updated_at", "pack", "offset", "length",
)  # fmt: skip
# Where a row is placed, and the next date of an event as it is expanded.
_PLACED = ("group", "day", "time", "runs", "starts_local", "ends_local")
_NO_MOMENT = {name: pl.lit(None, pl.Datetime("us")) for name in ("starts_local", "ends_local")}
_ORDER = ["type", "group", "day", "runs", "time", "name_key", "id"]


class _SoldOut(Struct, frozen=True):
    is_sold_out: bool | None = None


class _Part(Struct, frozen=True):
    registration: dict[str, Any] = {}


class _Offered(Struct, frozen=True):
    """A listing as far as it says whether one can sign up: itself, its sections or its sessions."""

    registration: dict[str, Any] = {}
    sections: tuple[_Part, ...] = ()
    sessions: tuple[_Part, ...] = ()

    def list_full(self, listing_type: str) -> list[bool]:
        """Return for each section or session whether it is full. One that does not say so is as its listing."""
        parts = self.sections if listing_type == "class" else self.sessions
        stated = [part.registration if _says_spots(part.registration) else self.registration for part in parts]
        return [is_full(registration) for registration in stated or [self.registration]]


def _says_spots(registration: Mapping[str, Any]) -> bool:
    names = ("status", "spots_remaining", "has_spots_available")
    return any(registration.get(name) is not None for name in names)


class Listed:
    """The published listings of a metro that are not for adults alone, for its local date.

    Attributes:
        rows: one row for each listing, in the order of lists. `group` is an index of GROUPS, `day` the next date from
            today on or the first day of a class or camp, `time` its seconds of the day, `runs` true for what is on for
            weeks or has begun, `organization` and `organization_slug` those of its organization.
        dates: the dates of events in the next days, by `row`.
    """

    def __init__(self, snapshot: Snapshot, today: date) -> None:
        self.snapshot, self.today = snapshot, today
        listings = read_columns(snapshot.tables["listings"], "listings", _COLUMNS)
        is_shown = (pl.col("status") == PUBLISHED) & pl.col("audience").is_in(list_audiences(("not_adults",)))
        listings = listings.filter(is_shown)
        of_type = {name: listings.filter(pl.col("type") == TYPES.index(name)) for name in TYPES}
        occurrences = read_columns(
            snapshot.tables.get("occurrences"), "occurrences",
            ("row", "starts_at", "starts_local", "ends_local", "date", "time"),
        ).filter(pl.col("date") >= today)  # fmt: skip
        self.dates = occurrences.filter(pl.col("date") < today + timedelta(days=_NEXT_DAYS)).sort("starts_at")
        parts = [
            self._place_events(of_type["event"], occurrences),
            *(self._place_offers(of_type[name], name) for name in ("class", "camp")),
            of_type["place"].with_columns(
                group=pl.lit(_AHEAD),
                day=pl.lit(None, pl.Date()),
                time=pl.lit(None, pl.Int32()),
                runs=pl.lit(value=False),
                **_NO_MOMENT,
            ),
        ]
        organizations = read_columns(snapshot.tables["organizations"], "organizations", ("id", "name", "slug"))
        self.rows = (
            pl.concat(part.with_columns(group=_demote(name)) for name, part in zip(TYPES, parts, strict=True))
            .sort(_ORDER, nulls_last=True)
            .join(
                organizations.unique("id").rename({"name": "organization", "slug": "organization_slug"}),
                left_on="organization_id", right_on="id", how="left", maintain_order="left",
            )
        )  # fmt: skip

    def read_document(self, row: Mapping[str, Any]) -> Any:
        """Return a listing's document."""
        return msgspec.json.decode(self.snapshot.read_document(row["pack"], row["offset"], row["length"]))

    def _place_events(self, events: pl.DataFrame, occurrences: pl.DataFrame) -> pl.DataFrame:
        near = pl.col("date") < self.today + timedelta(days=_NEXT_DAYS)
        following = occurrences.sort("starts_at").group_by("row", maintain_order=True).agg(
            pl.col("date", "time", "starts_local", "ends_local").first(), runs=near.sum() >= RUNS_DAYS
        )  # fmt: skip
        beyond = pl.from_epoch("beyond_starts_local").cast(pl.Datetime("us"))
        events = (
            events.join(following, on="row", how="left")
            .with_columns(starts_local=pl.coalesce("starts_local", beyond), runs=pl.col("runs").fill_null(value=False))
            .with_columns(day=pl.coalesce("date", pl.col("starts_local").cast(pl.Date())))
        )
        decode = msgspec.json.Decoder(_SoldOut).decode
        places = events.select(pl.col("day").is_not_null(), "pack", "offset", "length").rows()
        sold_out = pl.Series(
            "is_sold_out",
            [ahead and bool(decode(self.snapshot.read_document(*place)).is_sold_out) for ahead, *place in places],
            dtype=pl.Boolean(),
        )
        group = (
            pl.when(sold_out).then(_CLOSED).when(pl.col("day").is_not_null()).then(_AHEAD)
            .when(pl.col("has_date").fill_null(value=False)).then(_OVER).otherwise(_DATELESS)
        )  # fmt: skip
        return events.with_columns(group=group).select(*_COLUMNS, *_PLACED)

    def _place_offers(self, listings: pl.DataFrame, listing_type: str) -> pl.DataFrame:
        """Place classes or camps by their best section or session: one that can be joined, the soonest."""
        table = OCCURRENCE_TABLES[listing_type]
        offers = read_columns(self.snapshot.tables.get(table), table, ("row", "starts_on", "ends_on", "days", "time"))
        offers = offers.join(listings.select("row"), on="row", how="semi", maintain_order="left")
        decode = msgspec.json.Decoder(_Offered).decode
        places = listings.select("row", "pack", "offset", "length").rows()
        full = {row: decode(self.snapshot.read_document(*place)).list_full(listing_type) for row, *place in places}
        flags = [flag for row in offers["row"].unique(maintain_order=True) for flag in full[row]]
        last = pl.coalesce("ends_on", "starts_on") if listing_type == "camp" else pl.col("ends_on")
        has_begun = (pl.col("starts_on") < self.today).fill_null(value=False)
        # One may still join a course that has begun, but not a camp.
        is_missed = has_begun if listing_type == "camp" else pl.lit(value=False)
        group = (
            pl.when((last < self.today).fill_null(value=False)).then(_OVER)
            .when(pl.all_horizontal(pl.col("starts_on", "ends_on", "days").is_null())).then(_DATELESS)
            .when(pl.col("is_full") | is_missed).then(_CLOSED).otherwise(_AHEAD)
        )  # fmt: skip
        best = (
            offers.with_columns(is_full=pl.Series(flags, dtype=pl.Boolean()))
            .with_columns(
                group=group, day=pl.when(~has_begun).then("starts_on"),
                runs=has_begun | pl.col("starts_on").is_null(), **_NO_MOMENT,
            )
            .sort("group", "runs", "day", "time", nulls_last=True)
            .group_by("row", maintain_order=True)
            .agg(pl.col(*_PLACED).first())
        )  # fmt: skip
        return (
            listings.join(best, on="row", how="left")
            .with_columns(pl.col("group").fill_null(_DATELESS), pl.col("runs").fill_null(value=False))
            .select(*_COLUMNS, *_PLACED)
        )


def _demote(listing_type: str) -> pl.Expr:
    """Return the groups, with what the API's default lists leave out as uncertain in the last."""
    least = LISTS[listing_type].parameters["min_confidence"].default
    assert isinstance(least, float | int)
    return pl.when(pl.col("confidence") < least).then(_UNCERTAIN).otherwise("group").cast(pl.Int32())
