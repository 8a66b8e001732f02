"""Where templates, words and built assets are: in a checkout, or beside this program where it is installed."""

from pathlib import Path

_PROGRAM = Path(__file__).parents[1]
_CHECKOUT = _PROGRAM.parent


def find_templates() -> Path:
    """Of pages, and of the reports on builds."""
    return _find("templates")


def find_words() -> Path:
    """A file for each language."""
    return _find("words")


def find_guides() -> Path:
    """In Markdown."""
    installed = _PROGRAM / "site" / "guides"
    return installed if installed.is_dir() else _CHECKOUT / "docs" / "guides"


def find_assets() -> Path:
    """Styles and scripts as `tools/build_site` makes them. The folder is missing in a checkout where it has not run."""
    installed = _PROGRAM / "site" / "assets"
    return installed if installed.is_dir() else _CHECKOUT / "dist" / "site"


def _find(name: str) -> Path:
    installed = _PROGRAM / "site" / name
    return installed if installed.is_dir() else _CHECKOUT / "site" / name
