"""`[site]` of a configuration → the settings that pages are made with."""

import tomllib
from pathlib import Path

from outings.configuration.tables import SiteTable
from outings.failures import WrongSetting
from outings.pages.assets import explain_no_assets
from outings.pages.words import list_unknown
from outings.release.site import SiteSettings


class SiteSettingsError(WrongSetting):
    """The file of words can't be read, or has what no page shows."""


def make_settings(table: SiteTable | None) -> SiteSettings | None:
    """Return the settings of the pages, or None where a release has no pages: they are turned off, or their styles and
    scripts were not built. Without the table there are only the pages that show no listing.

    Raises:
        SiteSettingsError: The file of words is wrong.
    """
    if (table is not None and not table.enabled) or explain_no_assets() is not None:
        return None
    if table is None:
        return SiteSettings()
    return SiteSettings(
        name=table.name,
        key=table.key,
        language=table.language,
        words={} if table.words is None else _read_words(table.words),
        accent=table.colors.accent,
        shows_data=True,
    )


def _read_words(path: Path) -> dict[str, dict[str, str]]:
    try:
        words = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SiteSettingsError(f"[site] words: {path} can't be read as TOML: {error}") from error
    unknown = list(list_unknown(words))
    if unknown:
        raise SiteSettingsError(
            f"[site] words: {path} has {', '.join(unknown)}, which no page shows as text; the tables and names that "
            "there are stand in site/words/en.toml of the program"
        )
    return words
