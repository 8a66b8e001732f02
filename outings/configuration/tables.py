"""The tables of `outings.toml`, their defaults and bounds. `docs/configuration.md` says what each is for."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct, structs

from outings.contract.languages.language import ENGLISH, Group, Language
from outings.contract.pricing_plans import PLANS, PricingPlan
from outings.contract.resources.directories import Bounds, Center
from outings.contract.vocabulary import Vocabulary


class FeedFormat(Struct, frozen=True, kw_only=True):
    """Traits of a feed's format. `has_zones`: times are converted, so the feed must name its metro. `has_select`: a
    SELECT makes records from its rows. `is_paged`: it is fetched page by page from a server, and holds only changes."""

    has_zones: bool = False
    has_select: bool = False
    is_paged: bool = False


FORMATS: Mapping[str, FeedFormat] = {
    "ndjson": FeedFormat(),
    "table": FeedFormat(has_select=True),
    "ics": FeedFormat(has_zones=True),
    "jsonld": FeedFormat(has_zones=True),
    "rpde": FeedFormat(has_zones=True, is_paged=True),
}

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[tuple(FORMATS)]


Count = Annotated[int, Meta(ge=1, description="a whole number from 1")]
First = Annotated[int, Meta(ge=0, description="a whole number from 0")]
# The parameters that most servers know, where a feed names none.
PARAMETERS = {"page": "page", "offset": "offset"}


class PagesTable(Struct, frozen=True, kw_only=True):
    """Settings for a feed of several pages. `by`: how the next page is found. `parameter` takes its number or offset,
    and `size_parameter` takes `size`.

    Other settings are dotted paths into a page's JSON: `path` to the next address, `total` to the count of all rows,
    `last` to the number of the last page, `more` to whether another page follows. `empty`: a text by which a response
    of status 400 to 499 says that there is no such page. `most`: the most rows that the server ever gives."""

    by: Literal["page", "offset", "next", "link"]
    parameter: str = ""
    size_parameter: str = ""
    size: Count | None = None
    first: First = 1
    path: str = ""
    total: str = ""
    last: str = ""
    more: str = ""
    empty: str = ""
    most: Count | None = None

    @property
    def is_counted(self) -> bool:
        """Return True if a page's address follows from its number or offset, without the previous page."""
        return self.by in PARAMETERS


# A metro's slug is a path segment; a feed's name is the first part of `<feed>/<type>/<source_id>`.
_SLUG = "lower-case letters and digits, words joined by a hyphen, at most 63"
_FEED_NAME = "lower-case letters, digits, _ and -, at most 63"
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=63, description=_SLUG)]
FeedName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]*\Z", max_length=63, description=_FEED_NAME)]
Text = Annotated[str, Meta(min_length=1, description="a text that is not empty")]
Quota = Annotated[Count | Literal["unlimited"], Meta(description='a whole number from 1, or "unlimited"')]
Share = Annotated[float, Meta(ge=0, le=1, description="a number from 0 to 1")]
Grant = Literal["source", "forecast", "related", "where"]
# The National Weather Service's own server.
NWS = "https://api.weather.gov"


class StoreTable(Struct, frozen=True, kw_only=True):
    """The store. `url` is `file:<absolute folder>` or `s3://bucket/prefix`."""

    url: Text = "file:var/store"
    keep_days: Count = 7
    endpoint_url: Text | None = None
    region: Text | None = None


class MetroTable(Struct, frozen=True, kw_only=True):
    slug: Slug
    name: Text
    language: Text = ENGLISH
    timezone: Text
    aliases: tuple[Slug, ...] = ()
    center: Center
    bounds: Bounds
    neighborhoods: Path | None = None


Cell = str | int | float | bool
Words = Annotated[Cell | tuple[Cell, ...], Meta(description="a value, or a list of values")]
Columns = Annotated[str | tuple[str, ...], Meta(description="the name of a member, or a list of names")]


class ExpectTable(Struct, frozen=True, kw_only=True):
    """Expectations of a feed. `rows`: their number; `unique` and `not_null`: members of its records, where `starts` is
    any of those with a date; `fresh`: the maximum age of its newest record, or of its file. `otherwise`: what to do if
    one is not met."""

    rows: Annotated[
        str, Meta(pattern=r"^((>=|<=|>|<|=) ?\d+)?\Z", description='a comparison such as ">= 100" or "< 5000"')
    ] = ""
    unique: Columns = ()
    not_null: Columns = ()
    fresh: Annotated[
        str, Meta(pattern=r"^(\d+ ?[hdw])?\Z", description='a number of hours, days or weeks: "36h", "7d", "2w"')
    ] = ""
    otherwise: Literal["warn", "stop"] = "warn"


class FeedTable(Struct, frozen=True, kw_only=True):
    """A feed, with the settings of its `preset` filled in. `url` is as written, not made absolute, so that stored state
    does not depend on this machine's folders."""

    name: FeedName
    metro: str | None = None
    preset: str = ""
    format: FormatName
    url: Text
    pages: PagesTable | None = None
    mode: Literal["full", "delta"] = "full"
    max_shrink: Share = 0.5
    spans: Literal["daily", "first"] = "daily"
    confidence: Literal["stated", "computed"] = "stated"
    on_error: Literal["keep", "stop"] = "keep"
    expect: ExpectTable = ExpectTable()
    defaults: dict[str, Any] = {}
    select: Path | None = None
    map: dict[str, Any] = {}
    encoding: Text = "auto"
    records: str = ""
    references: dict[str, str] = {}
    venues: bool = False
    follow: str = ""
    skip: First = 0
    sheet: str = ""
    table: str = ""
    file: str = ""
    max_bytes: Count = 1 << 29
    max_rows: Count = 5_000_000
    max_columns: Count = 1_000
    max_seconds: Count = 600
    max_memory: Count = 4 << 30
    headers: dict[str, str] = {}
    allow_private: bool = False
    keep: dict[str, Words] = {}
    drop: dict[str, Words] = {}


class BuildTable(Struct, frozen=True, kw_only=True):
    """Settings of builds. `report` is a folder and `metrics` a file; None writes neither."""

    lock: Path = Path("var/lock")
    quarantine: Path = Path("var/quarantine")
    report: Path | None = None
    metrics: Path | None = None


Secrets = Annotated[str | tuple[str, ...], Meta(description="a text, or a list of texts")]


Size = Annotated[
    str, Meta(pattern=r"^$|^[0-9]+(\.[0-9]+)? (MB|GB)$", description='a number of MB or GB, such as "2 GB", or empty')
]


class EdgeTable(Struct, frozen=True, kw_only=True):
    """Settings of the server. `calendar_secrets` may hold several, as a list or separated by blanks or commas, since an
    environment variable is one text."""

    rate_storage: Text = "local"
    state: Path = Path("var/state")
    cache: Path = Path("var/cache")
    trusted_proxies: tuple[Text, ...] = ("127.0.0.1",)
    upgrade_url: str = ""
    docs_url: str = ""
    usage_metrics: bool = False
    calendar_secrets: Secrets = ""
    metros: tuple[Text, ...] = ()
    memory: Size = ""


def read_size(text: str) -> int:
    """Parse a `Size` such as "2 GB" into bytes."""
    number, unit = text.split()
    return int(float(number) * {"MB": 10**6, "GB": 10**9}[unit])


def split_secrets(secrets: str | tuple[str, ...]) -> tuple[str, ...]:
    text = secrets if isinstance(secrets, str) else ",".join(secrets)
    return tuple(filter(None, re.split(r"[\s,]+", text)))


class GeocoderTable(Struct, frozen=True, kw_only=True):
    """Settings of the geocoder, which locates addresses in requests and, with `build`, in records. `max_requests`: the
    most calls of the service in a build."""

    provider: Literal["none", "local", "nominatim", "photon", "census"] = "local"
    url: str = ""
    build: bool = False
    max_requests: Count = 1000


class WeatherTable(Struct, frozen=True, kw_only=True):
    provider: Literal["none", "nws", "file"] = "none"
    url: str = NWS
    contact: str = ""
    path: Path | None = None


class ZipTable(Struct, frozen=True, kw_only=True):
    centroids: Path | None = None


class PlanTable(Struct, frozen=True, kw_only=True):
    """Changes to a pricing plan. Settings left out are those of the built-in plan."""

    per_minute: Count | None = None
    monthly_quota: Quota | None = None
    grants: tuple[Grant, ...] | None = None

    def change(self, plan: PricingPlan) -> PricingPlan:
        quota = self.monthly_quota
        return structs.replace(
            plan,
            per_minute=plan.per_minute if self.per_minute is None else self.per_minute,
            per_month=plan.per_month if quota is None else None if quota == "unlimited" else quota,
            addons=plan.addons if self.grants is None else frozenset(self.grants),
        )


class SearchTable(Struct, frozen=True, kw_only=True):
    related_words: Path | None = None


class SigningTable(Struct, frozen=True, kw_only=True):
    """Keys for signing releases: each a path of a PEM file, or the PEM itself; empty for none."""

    key: str = ""
    public_key: str = ""


class MirrorTable(Struct, frozen=True, kw_only=True):
    """Defaults for the options of `outings mirror`."""

    url: str = ""
    key_file: Path | None = None


class ColorsTable(Struct, frozen=True, kw_only=True):
    """Colors of the pages. An empty one is the program's default."""

    accent: Annotated[
        str, Meta(pattern=r"^(#[0-9A-Fa-f]{6})?\Z", description="a colour as #rrggbb, such as #0b6e4f")
    ] = ""


Host = Annotated[
    str,
    Meta(
        pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\Z",
        description='the name of a host in lower case without https://, such as "images.example.org"',
    ),
]


# A path may follow, as at GitHub Pages; no slash at the end, no user, no query.
Origin = Annotated[
    str,
    Meta(
        pattern=r"^(https?://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*)?\Z",
        description='an address without a slash at the end, such as "https://example.org/outings"',
    ),
]


class SiteTable(Struct, frozen=True, kw_only=True):
    """Settings of the pages. `url`: where they are, for the addresses that must be absolute. `enabled`: False
    builds releases without pages. `languages`: those of the pages, the first at `/`; empty: `language` alone. `key`:
    the API key of all visitors, with `key_per_minute` requests for each address. `words`: a file of replaced texts.
    `basemap`: a PMTiles file for the explorer's map. `pictures`: hosts of listings' pictures that the build fetches."""

    enabled: bool = True
    name: str = ""
    url: Origin = ""
    key: str = ""
    key_per_minute: Count = 120
    language: Literal["en", "es"] = "en"
    languages: tuple[Literal["en", "es"], ...] = ()
    words: Path | None = None
    basemap: Path | None = None
    pictures: tuple[Host, ...] = ()
    colors: ColorsTable = ColorsTable()


class StaticTable(Struct, frozen=True, kw_only=True):
    """Settings of the tree of static files. `url`: a folder or bucket, as for the store. `metros`: empty for all.
    `requests`: additional requests whose answers are written."""

    url: Text = "file:var/public"
    metros: tuple[Slug, ...] = ()
    requests: tuple[Text, ...] = ()
    days: Annotated[int, Meta(ge=0, le=366, description="a whole number from 0 to 366")] = 15
    max_objects: Count = 200_000


class PlansTable(Struct, frozen=True, kw_only=True):
    free: PlanTable = PlanTable()
    standard: PlanTable = PlanTable()
    partner: PlanTable = PlanTable()

    def make_plans(self) -> Mapping[str, PricingPlan]:
        """Return the built-in pricing plans with the deployment's changes."""
        return {name: getattr(self, name).change(plan) for name, plan in PLANS.items()}


# Members of `Configuration` that no setting gives.
DERIVED = ("directory", "related", "own_languages")

# Settings of earlier versions, and the error of a configuration that still has one.
REMOVED = {
    "edge.front_secret": "is no setting any more, since fronts send the files of [static] that they have, and pass the "
    "rest on without a secret; remove it, and write the front's configuration again (outings front nginx)",
    "edge.connections_per_address": "is no setting any more, since a server that others reach without a proxy has no "
    "TLS; remove it, and limit addresses in the proxy (nginx: limit_conn)",
}


class Configuration(Struct, frozen=True, kw_only=True):
    """All settings, checked as a whole. Paths are absolute; `directory` is the folder of `outings.toml`.

    `related`: the groups in the file `search.related_words`; `own_languages`: the contents of the folders in
    `languages`. Without `site` no pages show listings; without `static` no static files are written.
    """

    directory: Path
    related: tuple[Group, ...] = ()
    own_languages: dict[str, Language] = {}
    store: StoreTable = StoreTable()
    metros: tuple[MetroTable, ...] = ()
    feeds: tuple[FeedTable, ...] = ()
    build: BuildTable = BuildTable()
    edge: EdgeTable = EdgeTable()
    geocoder: GeocoderTable = GeocoderTable()
    weather: WeatherTable = WeatherTable()
    zip: ZipTable = ZipTable()
    plans: PlansTable = PlansTable()
    search: SearchTable = SearchTable()
    signing: SigningTable = SigningTable()
    mirror: MirrorTable = MirrorTable()
    site: SiteTable | None = None
    static: StaticTable | None = None
    languages: dict[str, Path] = {}
    vocabulary: Vocabulary = Vocabulary()

    @property
    def metro_slugs(self) -> Mapping[str, str]:
        """Return the slug of each metro by the slug itself and by its aliases."""
        return {name: metro.slug for metro in self.metros for name in (metro.slug, *metro.aliases)}
