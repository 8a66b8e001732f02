"""The styles and scripts of a site, with the colours of its own."""

from outings.pages.assets import OFFLINE_SCRIPT, read_assets
from outings.pages.colors import make_colors
from outings.pages.page import Page
from outings.release.site import SiteSettings


def list_assets(settings: SiteSettings) -> list[Page]:
    """Every style and script that pages of the site name."""
    own = [make_colors(settings.accent)] if settings.accent else []
    return [*(page for name, page in read_assets().items() if name != OFFLINE_SCRIPT), *own]
