"""An operator's colour as one light and one dark variant that can be read on the pages' grounds."""

from collections.abc import Sequence
from functools import cache

from outings.pages.assets import make_asset
from outings.pages.page import Page

Color = tuple[int, int, int]

# The grounds of `site/styles/parts/tokens.css`: page and raised surface of each scheme.
_LIGHT: tuple[Color, Color] = ((0xFD, 0xFD, 0xFC), (0xF3, 0xF4, 0xF2))
_DARK: tuple[Color, Color] = ((0x16, 0x19, 0x1C), (0x1F, 0x23, 0x27))
# What is chosen stands on the page's ground with so much of the colour in it.
_TINT = 0.1
# WCAG 2.2 AA asks for 4.5 : 1 for text.
_CONTRAST = 4.6
_STEPS = 50


@cache
def make_colors(accent: str) -> Page:
    """The style sheet that lays the colour, written as #rrggbb, over the program's own."""
    light = _find_pair(_parse_color(accent), grounds=_LIGHT, towards=(0, 0, 0))
    dark = _find_pair(_parse_color(accent), grounds=_DARK, towards=(255, 255, 255))
    pairs = zip(("accent", "accent-ground"), light, dark, strict=True)
    style = ";".join(f"--{name}:light-dark({_format_color(one)},{_format_color(other)})" for name, one, other in pairs)
    return make_asset("colors.css", f":root{{{style}}}\n".encode())


def _find_pair(color: Color, *, grounds: tuple[Color, Color], towards: Color) -> tuple[Color, Color]:
    """The colour for text, and its tint of the page's ground, on both of which it can be read."""
    tint = _mix(grounds[0], color, share=_TINT)
    return _find_readable(color, grounds=(grounds[1], tint), towards=towards), tint


def find_contrast(first: Color, second: Color) -> float:
    """WCAG's ratio, from 1 to 21."""
    lighter, darker = sorted((_find_luminance(first), _find_luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _find_readable(color: Color, *, grounds: Sequence[Color], towards: Color) -> Color:
    """The colour itself, or as near to it as can be read."""
    mixed = color
    for step in range(_STEPS + 1):
        mixed = _mix(color, towards, share=step / _STEPS)
        if all(find_contrast(mixed, ground) >= _CONTRAST for ground in grounds):
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
