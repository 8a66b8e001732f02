"""All pages of a release: those that belong to no metro, and those of one metro."""

from collections.abc import Sequence
from datetime import date

from outings.contract.vocabulary import Vocabulary
from outings.pages.city import render_city
from outings.pages.explorer import render_explorer
from outings.pages.home import render_home
from outings.pages.metro_figures import MetroFigures
from outings.pages.missing_page import render_missing_page
from outings.pages.page import Page
from outings.pages.reference import render_reference
from outings.pages.site_assets import list_assets
from outings.release.site import SiteSettings
from outings.release.snapshot import Snapshot


def render_site(
    settings: SiteSettings, metros: Sequence[MetroFigures], *, vocabulary: Vocabulary = Vocabulary()
) -> tuple[Page, ...]:
    """Every page that belongs to no metro, with the styles and scripts of all. A pure function. `metros` are those of
    the release, by slug; what they show is there only where the settings say so. `vocabulary` is the deployment's."""
    return render_home_page(settings, metros), *_render_standing(settings, vocabulary)


def render_static_site(settings: SiteSettings, metros: Sequence[MetroFigures]) -> tuple[Page, ...]:
    """Render the pages of no metro that a host of files can show, with the styles and scripts of all."""
    return render_home_page(settings, metros), render_missing_page(settings), *list_assets(settings)


def render_home_page(settings: SiteSettings, metros: Sequence[MetroFigures]) -> Page:
    """The only one of them that shows the metros."""
    return render_home(settings, tuple(metros) if settings.shows_data else ())


def _render_standing(settings: SiteSettings, vocabulary: Vocabulary) -> tuple[Page, ...]:
    # What reads Markdown is not for those that render a metro's pages alone, as each process of a build does.
    from outings.pages.guides import render_guides

    with_data = (render_explorer(settings),) if settings.shows_data else ()
    return (
        *with_data,
        render_reference(settings, vocabulary),
        *render_guides(settings),
        render_missing_page(settings),
        *list_assets(settings),
    )


def render_metro(snapshot: Snapshot, *, today: date, settings: SiteSettings) -> tuple[Page, ...]:
    """The pages of one metro, from its snapshot alone, on the metro's local date. Called only where the site shows
    listings."""
    return (render_city(snapshot, today=today, settings=settings),)
