"""The explorer: a page whose script reads the API as any client does, with the site's key or the reader's own."""

from outings.contract.vocabulary import COLLECTIONS, TIME_BLOCKS, WEEKDAYS
from outings.pages.layout import name_words, render_page
from outings.pages.page import Page
from outings.release.site import SiteSettings

PATH = "explore/"
VIEWS = ("list", "map", "calendar")
# What the choice of a price sends: nothing, `free=true`, or `max_price`.
PRICES = ("", "free", "20", "50", "100")


def render_explorer(settings: SiteSettings) -> Page:
    """Without any listing: it depends on the settings alone."""
    values = {
        "script_words": _gather_words(settings),
        "types": tuple(COLLECTIONS.values()),
        "views": VIEWS,
        "prices": PRICES,
        "times": ("", *TIME_BLOCKS),
        "weekdays": WEEKDAYS,
    }
    return render_page(PATH, "explorer.html", settings=settings, page_words="explorer", values=values)


def _gather_words(settings: SiteSettings) -> dict[str, str]:
    """What the script says: its own words, and what members are called, which the history of a listing names."""
    members = name_words(settings, "members").list_prefixed("")
    own = name_words(settings, "explorer").list_prefixed("script_")
    return {**{f"word_{name}": text for name, text in members.items()}, **own}
