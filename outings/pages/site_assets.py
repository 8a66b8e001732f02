"""The styles and scripts of a site, with the colours of its own."""

from outings.pages.assets import read_assets
from outings.pages.colors import make_colors
from outings.pages.page import Page
from outings.release.site import SiteSettings


def list_assets(settings: SiteSettings) -> list[Page]:
    """Every style and script that pages of the site name."""
    own = [make_colors(settings.accent)] if settings.accent else []
    return [*read_assets().values(), *own]
