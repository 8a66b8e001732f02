"""Closed vocabularies with their defaults. A deployment may replace those in `Vocabulary`."""

from msgspec import Struct

TYPES = ("event", "class", "camp", "place")
COLLECTIONS = {"event": "events", "class": "classes", "camp": "camps", "place": "places"}
STATUSES = ("published", "archived", "draft")
AUDIENCES = ("kids", "families", "teens", "adults", "all_ages")
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SEASONS = ("spring", "summer", "fall", "winter")

# Whole years, both ends inclusive; a listing is in every band that its ages overlap.
AGE_BANDS = {"baby": (0, 1), "toddler": (1, 3), "young_kids": (4, 6), "bigger_kids": (7, 12), "teens": (13, 18)}

# The least price in each band. `free` has what is free, whatever price it states.
PRICE_BANDS = {"free": None, "under_20": 0, "20_to_50": 20, "50_to_100": 50, "100_plus": 100}
# The hour of the local day at which each block begins.
TIME_BLOCKS = {"early_morning": 0, "morning": 9, "afternoon": 12, "evening": 17}
FACETS = ("category", "weekday", "time_block", "price_band", "age_band", "organization")
# The value of a facet for listings that state none.
UNSPECIFIED = "unspecified"

PRICE_TYPES = ("free", "fixed", "range", "from", "donation", "varies", "unknown")
PRICE_SCOPES = ("admission", "program", "session", "materials", "membership", "unknown")
PRICE_UNITS = (
    "per_person", "per_child", "per_adult", "per_family", "per_session", "per_class",
    "per_day", "per_week", "per_month", "per_term", "per_group",
)  # fmt: skip
REGISTRATION_STATUSES = ("open", "upcoming", "waitlist", "full", "closed", "unknown")
SCHEDULE_TYPES = ("weekly", "one_time", "multi_day", "drop_in", "ongoing", "unknown")
ENROLLMENT_TYPES = ("drop_in", "registration", "membership", "unknown")
CAMP_TYPES = ("day", "half_day", "overnight", "virtual", "unknown")
REMOVAL_REASONS = ("archived", "cancelled", "expired", "duplicate", "withdrawn", "unpublished")
CHANGE_KINDS = ("created", "updated", "removed", "restored")
VERIFICATION_STATUSES = (
    "clear", "changed", "flagged", "unverifiable", "unreachable", "gone",
)  # fmt: skip
SCORE_BASES = ("verified", "baseline")
DATE_HEALTHS = ("ok", "stale", "past", "conflicting", "missing")
SOURCE_HEALTHS = ("ok", "redirected", "slow", "unreachable", "gone")

# The add-ons.
INCLUDES = ("source", "forecast", "related")
# What a plan or key may be granted: add-ons, and the parameter `where`.
GRANTS = (*INCLUDES, "where")

RESERVED_METRO_SLUGS = frozenset(
    {
        "events", "classes", "camps", "places", "organizations", "changes", "metros",
        "listings", "releases", "export", "openapi", "search", "docs", "health", "vocabulary",
    }
)  # fmt: skip


# Fields of `Vocabulary` of whose words a listing may have several. Its member has the same name.
SETS = ("categories", "seasons", "occasions", "teams")


class Vocabulary(Struct, frozen=True, kw_only=True):
    """The vocabularies that a deployment may replace. Their order is the bit order of the snapshot's bit sets, so each
    has at most 63 words."""

    categories: tuple[str, ...] = (
        "arts_creative", "sports_active_play", "storytime_books", "music_movement",
        "social_play_spaces", "stem_discovery", "nature_outdoors", "animals_farms",
        "museums_exhibits", "theater_shows", "dance_gymnastics", "swim_water",
        "food_cooking", "festivals_seasonal", "language_culture", "parent_baby",
    )  # fmt: skip
    seasons: tuple[str, ...] = SEASONS
    occasions: tuple[str, ...] = (
        "halloween", "thanksgiving", "hanukkah", "christmas", "kwanzaa", "new_year",
        "lunar_new_year", "valentines_day", "st_patricks_day", "passover", "easter",
        "ramadan_eid", "mothers_day", "fathers_day", "juneteenth", "independence_day",
        "back_to_school", "diwali", "birthday",
    )  # fmt: skip
    teams: tuple[str, ...] = ("mariners", "seahawks", "kraken", "sounders", "storm")
    type_hints: tuple[str, ...] = (
        "museum", "library", "park", "playground", "indoor_play", "zoo_aquarium", "farm",
        "theater", "studio", "pool", "sports_center", "community_center", "store_cafe",
        "attraction", "other",
    )  # fmt: skip
