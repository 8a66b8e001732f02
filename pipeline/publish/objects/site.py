"""The site of a release: its pages that belong to no metro, when the root is composed."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from outings.configuration.zones import read_zone
from outings.contract.vocabulary import Vocabulary
from outings.pages.assets import explain_no_assets
from outings.pages.metro_figures import MetroFigures
from outings.release.manifest import Manifest, read_manifest
from outings.release.objects import Corrupt, hash_of, read_object
from outings.release.publishing import SiteObjects
from outings.release.root import Part
from outings.release.site import CodedFile, Site, SiteSettings, encode_site, pack_files, read_coded, read_site
from outings.release.store import NotFound, Store
from pipeline.publish.objects.site_inputs import hash_inputs


def compose_site(
    store: Store, settings: SiteSettings | None = None
) -> Callable[[Mapping[str, Part], str | None], SiteObjects | None]:
    """Return what makes the site for `publish`. Without `settings` those of the current release hold, and without a
    current site or built styles there is none."""
    # Manifests never change: each is read once, however many attempts to publish there are.
    read = cache(partial(read_manifest, store))

    def make(parts: Mapping[str, Part], current: str | None) -> SiteObjects | None:
        published = None if current is None else read_site(store, current)
        chosen = settings or (None if published is None else published.settings)
        if chosen is None or explain_no_assets() is not None:
            return None
        figures = _read_figures(read, parts) if chosen.shows_data else []
        vocabulary = _read_vocabulary(read, parts)
        inputs = hash_inputs(chosen, figures, vocabulary)
        if published is not None and published.inputs == inputs:
            assert current is not None
            # Rendering and compressing take a second of processor time, which most builds can do without.
            return SiteObjects(site=current, objects=())
        same = hash_inputs(chosen, [], vocabulary)
        kept = {} if published is None or published.standing != same else _read_files(store, published)
        files = [_render_home(chosen, figures)] if kept else _render_files(chosen, figures, vocabulary)
        packed, data = pack_files(files, kept)
        site = encode_site(Site(settings=chosen, inputs=inputs, standing=same, pages=packed))
        # What the current release names is there; anything else of this name may be about to be pruned.
        known = set() if published is None else {current, published.pages.object}
        objects = tuple(each for each in (data, site) if hash_of(each) not in known)
        return SiteObjects(site=hash_of(site), objects=objects)

    return make


def read_settings(store: Store, site: str | None) -> SiteSettings | None:
    """The settings with which a release's metros made their pages; None where they have none."""
    settings = None if site is None else read_site(store, site).settings
    return settings if settings is not None and settings.shows_data and explain_no_assets() is None else None


def _read_vocabulary(read: Callable[[str], Manifest], parts: Mapping[str, Part]) -> Vocabulary:
    """All metros of a deployment have the same one."""
    first = min(parts, default=None)
    return Vocabulary() if first is None else read(parts[first].manifest).vocabulary


def _read_figures(read: Callable[[str], Manifest], parts: Mapping[str, Part]) -> list[MetroFigures]:
    """By slug, of metros whose builds made pages."""
    manifests = ((part, read(part.manifest)) for _, part in sorted(parts.items()))
    return [figures for part, manifest in manifests if (figures := _make_figures(part, manifest)) is not None]


def _make_figures(part: Part, manifest: Manifest) -> MetroFigures | None:
    if manifest.site is None:
        return None
    metro = manifest.metro
    changed = part.stamp.astimezone(read_zone(metro.timezone))
    return MetroFigures(slug=metro.slug, name=metro.name, counts=manifest.site.counts, changed_on=changed.date())


def _read_files(store: Store, site: Site) -> dict[str, CodedFile]:
    """None where they are gone."""
    try:
        return read_coded(site.pages, read_object(store, site.pages.object))
    except (NotFound, Corrupt):
        return {}


def _render_home(settings: SiteSettings, figures: list[MetroFigures]) -> tuple[str, str, bytes]:
    from outings.pages.site import render_home_page

    return render_home_page(settings, figures).as_file


def _render_files(
    settings: SiteSettings, figures: list[MetroFigures], vocabulary: Vocabulary
) -> list[tuple[str, str, bytes]]:
    # Templates, and the contract that they explain: a build after which these pages stay needs neither.
    from outings.pages.site import render_site

    return [page.as_file for page in render_site(settings, figures, vocabulary=vocabulary)]
