"""The page for an address at which there is none."""

from outings.pages.page import Page
from outings.release.site import SiteSettings

# Many static hosts show the file of this name for such an address.
PATH = "404.html"


def render_missing_page(settings: SiteSettings) -> Page:
    """Its links begin with a slash, because it is shown at any depth."""
    from outings.pages.layout import render_page  # a server, which only places the page, has no templates

    return render_page(
        PATH, "missing_page.html", settings=settings, page_words="missing_page", link=lambda target: f"/{target}"
    )


def place_page(data: bytes, *, depth: int) -> bytes:
    """With relative links, so that they are right behind a proxy that serves the site below a folder. `depth`: how many
    folders the address lies in."""
    return data.replace(b'="/', b'="' + (b"../" * depth or b"./"))
