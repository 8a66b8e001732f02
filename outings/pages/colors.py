"""An operator's colour as one light and one dark variant that can be read on the pages' grounds."""

from functools import cache

from outings.pages.assets import make_asset
from outings.pages.page import Page

# The grounds of `site/styles/parts/tokens.css`: page and raised surface of each scheme, the harder one for contrast.
_LIGHT_GROUND = (0xF3, 0xF4, 0xF2)
_DARK_GROUND = (0x1F, 0x23, 0x27)
# WCAG 2.2 AA asks for 4.5 : 1 for text.
_CONTRAST = 4.6
_STEPS = 50

Color = tuple[int, int, int]


@cache
def make_colors(accent: str) -> Page:
    """The style sheet that lays the colour, written as #rrggbb, over the program's own."""
    light = _find_readable(_parse_color(accent), ground=_LIGHT_GROUND, towards=(0, 0, 0))
    dark = _find_readable(_parse_color(accent), ground=_DARK_GROUND, towards=(255, 255, 255))
    style = f":root{{--accent:light-dark({_format_color(light)},{_format_color(dark)})}}\n"
    return make_asset("colors.css", style.encode())


def find_contrast(first: Color, second: Color) -> float:
    """WCAG's ratio, from 1 to 21."""
    lighter, darker = sorted((_find_luminance(first), _find_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _find_readable(color: Color, *, ground: Color, towards: Color) -> Color:
    """The colour itself, or as near to it as can be read."""
    mixed = color
    for step in range(_STEPS + 1):
        mixed = _mix(color, towards, share=step / _STEPS)
        if find_contrast(mixed, ground) >= _CONTRAST:
            break
    return mixed


def _mix(color: Color, other: Color, *, share: float) -> Color:
    red, green, blue = (round(own + (its - own) * share) for own, its in zip(color, other, strict=True))
    return red, green, blue


def _find_luminance(color: Color) -> float:
    red, green, blue = (_linearize(each / 255) for each in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linearize(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4


def _parse_color(text: str) -> Color:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _format_color(color: Color) -> str:
    return "#" + "".join(f"{each:02x}" for each in color)
