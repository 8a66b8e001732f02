"""Find the files of the site, and name pages, styles and scripts by their hash. Check an operator's colors."""

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from outings.failures import OperatorError
from outings.release.site import ASSETS, SiteSettings

_PROGRAM = Path(__file__).parents[1]


def find_templates() -> Path:
    """Return the folder of the templates for pages and for reports on builds."""
    return _find("templates", "site/templates")


def find_words() -> Path:
    """Return the folder with the texts of the pages, one file per language."""
    return _find("words", "site/words")


def find_guides() -> Path:
    """Return the folder of the guides in Markdown."""
    return _find("guides", "docs/guides")


def find_assets() -> Path:
    """Styles and scripts as `tools/build_site` makes them. The folder is missing in a checkout where it has not run."""
    return _find("assets", "dist/site")


def _find(name: str, in_checkout: str) -> Path:
    installed = _PROGRAM / "site" / name
    return installed if installed.is_dir() else _PROGRAM.parent / in_checkout


HTML = "text/html; charset=utf-8"


class Page(Struct, frozen=True, kw_only=True):
    """A page or another file of the site. `path`: the address after the first slash: "" is the home page, `reference/`
    a folder with a page, `assets/site.1f3a.css` a file."""

    path: str
    media: str = HTML
    data: bytes


# By the ending of a file's name.
_MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".png": "image/png",
}
# Browsers and readers of feeds request it by this path, whatever a page says.
_FAVICON = "favicon.ico"
_HASH_DIGITS = 10


class AssetsError(OperatorError):
    """The checkout has older styles and scripts than the program."""


def explain_no_assets() -> str | None:
    """Return why there can be no pages and what to do, or None if their styles and scripts were built."""
    folder = find_assets()
    if (folder / "site.css").is_file():
        return None
    return (
        f"pages are left out: {folder} has no styles and scripts. `make install` builds them in a checkout; elsewhere "
        "install the program again where npm's registry can be reached. `[site] enabled = false` turns pages off"
    )


@cache
def read_assets() -> Mapping[str, Page]:
    """Return the styles and scripts by the name that templates use, such as `site.css`."""
    files = sorted(path for path in find_assets().glob("*") if path.suffix in _MEDIA)
    return {path.name: make_asset(path.name, path.read_bytes()) for path in files}


def find_asset(name: str) -> Page:
    """Return a style or script by its name. Raises AssetsError."""
    asset = read_assets().get(name)
    if asset is None:
        raise AssetsError(f"{find_assets()} was built before {name} was written; `make install` builds it again")
    return asset


def make_asset(name: str, data: bytes) -> Page:
    """Return the file under a name with the hash of its bytes: `assets/site.1f3a5c7e9b.css`. The favicon keeps its
    own."""
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]
    path = name if name == _FAVICON else f"{ASSETS}{stem}.{digest}.{suffix}"
    return Page(path=path, media=_MEDIA[f".{suffix}"], data=data)


# Red, green and blue.
Color = bytes

# The grounds of `site/styles/parts/tokens.css`: page and raised surface of each scheme.
_LIGHT = (bytes.fromhex("fdfdfc"), bytes.fromhex("f3f4f2"))
_DARK = (bytes.fromhex("16191c"), bytes.fromhex("1f2327"))
# The share of the accent colour in the background of chosen items.
_TINT = 0.1
# WCAG 2.2 AA asks for 4.5 : 1 for text.
_CONTRAST = 4.6
_STEPS = 50


@cache
def make_colors(accent: str) -> Page:
    """Return the style sheet that replaces the program's colors by this one, written as #rrggbb."""
    color = bytes.fromhex(accent[1:])
    light = _find_pair(color, grounds=_LIGHT, towards=bytes.fromhex("000000"))
    dark = _find_pair(color, grounds=_DARK, towards=bytes.fromhex("ffffff"))
    pairs = zip(("accent", "accent-ground"), light, dark, strict=True)
    style = ";".join(f"--{name}:light-dark(#{one.hex()},#{other.hex()})" for name, one, other in pairs)
    return make_asset("colors.css", f":root{{{style}}}\n".encode())


def _find_pair(color: Color, *, grounds: tuple[Color, Color], towards: Color) -> tuple[Color, Color]:
    """Return the color for text, and a tint of it for the page's ground. The text is the color itself, or the nearest
    one that can be read on both."""
    tint = _mix(grounds[0], color, share=_TINT)
    mixes = (_mix(color, towards, share=step / _STEPS) for step in range(_STEPS))
    behind = (grounds[1], tint)
    text = (mixed for mixed in mixes if all(find_contrast(mixed, ground) >= _CONTRAST for ground in behind))
    return next(text, towards), tint


def find_contrast(first: Color, second: Color) -> float:
    """WCAG's ratio, from 1 to 21."""
    lighter, darker = sorted((_find_luminance(first), _find_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _mix(color: Color, other: Color, *, share: float) -> Color:
    return bytes(round(own + (its - own) * share) for own, its in zip(color, other, strict=True))


def _find_luminance(color: Color) -> float:
    red, green, blue = (_linearize(part / 255) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linearize(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def list_assets(settings: SiteSettings) -> list[Page]:
    """Every style and script that pages of the site name."""
    own = [make_colors(settings.accent)] if settings.accent else []
    return [*read_assets().values(), *own]
