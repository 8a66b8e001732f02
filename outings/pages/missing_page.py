"""The page for an unknown address, and the content policy of pages. Servers use both without loading templates."""

from urllib.parse import urlsplit

from outings.pages.assets import Page
from outings.release.site import SiteSettings

# What a page may fetch and run: what the site itself has. Who serves it says the same in a header, with
# `frame-ancestors`, which a page cannot say of itself.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)


# Many static hosts show the file of this name for such an address.
PATH = "404.html"


def render_missing_page(settings: SiteSettings) -> Page:
    """Render the page with links that begin with a slash, because it is shown at any depth. On plain files below a
    path, only the site's address tells where they lead."""
    root = urlsplit(settings.url).path if settings.is_static else ""
    from outings.pages.layout import render_page  # a server, which only places the page, has no templates

    return render_page(
        PATH, "missing_page.html", settings=settings, page_words="missing_page", link=lambda target: f"{root}/{target}"
    )


def place_page(data: bytes, *, depth: int) -> bytes:
    """Make the page's links relative, so that they work behind a proxy that serves the site below a folder. `depth`:
    how many folders deep the address is."""
    return data.replace(b'="/', b'="' + (b"../" * depth or b"./"))
