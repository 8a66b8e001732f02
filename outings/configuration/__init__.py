"""The operator's settings, `outings.toml`, read once and checked as a whole."""

from outings.configuration.decoder import ConfigurationError, ConfigurationProblem
from outings.configuration.reader import read_configuration
from outings.configuration.tables import (
    FORMATS,
    Configuration,
    EdgeTable,
    FeedTable,
    MetroTable,
    PlanTable,
    StoreTable,
    read_size,
    split_secrets,
)
from outings.configuration.zones import is_zone, list_american, list_countries, read_zone

__all__ = [
    "FORMATS", "Configuration", "ConfigurationError", "ConfigurationProblem", "EdgeTable", "FeedTable",
    "MetroTable", "PlanTable", "StoreTable", "is_zone", "list_american", "list_countries",
    "read_configuration", "read_size", "read_zone", "split_secrets",
]  # fmt: skip
