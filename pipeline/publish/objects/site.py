"""The pages of a release: those of each metro, those of no metro, and hashes of their inputs."""

from collections.abc import Callable, Collection, Mapping
from datetime import date, datetime
from functools import cache, partial
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from outings import contract, pages
from outings.configuration.zones import read_zone
from outings.contract.query import Entitlement
from outings.contract.resources.listings import Counts
from outings.contract.vocabulary import AUDIENCES, Vocabulary
from outings.pages.assets import explain_no_assets, find_guides, find_templates, find_words, list_assets
from outings.pages.settings import MetroFigures, SiteSettingsError
from outings.release.manifest import Manifest, MetroSettings, read_manifest
from outings.release.publishing import SiteObjects
from outings.release.root import Part
from outings.release.site import (
    MetroSite,
    Picture,
    Site,
    SiteFile,
    SiteSettings,
    locate_outlines,
    pack_files,
    read_site,
)
from outings.release.snapshot import Snapshot
from outings.release.store import Store, encode_canonical, hash_of, read_object
from outings.release.tables import PUBLISHED, read_columns
from pipeline.fetch.urls import find_host
from pipeline.fingerprint import hash_sources
from pipeline.publish.metro_plan import FetchPictures
from pipeline.publish.objects.object_writer import ObjectWriter

GEOJSON = "application/geo+json"
NO_OUTLINES = b'{"type":"FeatureCollection","features":[]}'


def compose_site(
    store: Store, settings: SiteSettings | None = None, *, basemap: Path | None = None
) -> Callable[[Mapping[str, Part], str | None], SiteObjects | None]:
    """Return a function that makes the pages of no metro, for `publish`. Without `settings` it takes those of the
    current release; it returns None if there are none or styles are not built. `basemap`: the map file to which
    `settings` refer."""
    # Manifests never change: each is read once, however many attempts to publish there are.
    read = cache(partial(read_manifest, store))

    def make(parts: Mapping[str, Part], current: str | None) -> SiteObjects | None:
        published = None if current is None else read_site(store, current)
        chosen = settings or (None if published is None else published.settings)
        if chosen is None or explain_no_assets() is not None:
            return None
        manifests = {slug: read(part.manifest) for slug, part in sorted(parts.items())}
        figures = [
            make_figures(parts[slug].stamp, manifest.metro, manifest.site.counts)
            for slug, manifest in manifests.items()
            if chosen.shows_data and manifest.site is not None
        ]
        # All metros have the same vocabulary.
        vocabulary = next((manifest.vocabulary for manifest in manifests.values()), Vocabulary())
        values = msgspec.json.encode((chosen, figures, vocabulary), order="sorted")
        inputs = hash_of(b"\n".join((_hash_program().encode(), _hash_documents().encode(), values)))
        if published is not None and published.inputs == inputs:
            assert current is not None
            # Rendering and compressing take a second of processor time, which most builds can do without.
            return SiteObjects(site=current, objects=())
        # Imports templates and the contract, which a build that keeps these pages does not need.
        from outings.pages.site import render_site

        packed, data = pack_files(map(astuple, render_site(chosen, figures, vocabulary=vocabulary)))
        site = encode_canonical(Site(settings=chosen, inputs=inputs, pages=packed))
        # Objects that the current release names exist; others in the store may be about to be pruned.
        cached = set() if published is None else {current, published.pages.object, _name_basemap(published.settings)}
        objects = [encoded for encoded in (data, site) if hash_of(encoded) not in cached]
        if settings is not None and basemap is not None and _name_basemap(settings) not in cached:
            objects.append(basemap.read_bytes())
            if hash_of(objects[-1]) != _name_basemap(settings):
                raise SiteSettingsError(f"[site] basemap: {basemap} changed during the build; run the build again")
        return SiteObjects(site=hash_of(site), objects=tuple(objects))

    return make


def _name_basemap(settings: SiteSettings) -> str | None:
    return None if settings.basemap is None else settings.basemap.object


def read_settings(store: Store, site: str | None) -> SiteSettings | None:
    """Return the settings with which a release's metros made their pages; None if they have none."""
    settings = None if site is None else read_site(store, site).settings
    return settings if settings is not None and settings.shows_data and explain_no_assets() is None else None


def make_figures(stamp: datetime, metro: MetroSettings, counts: Counts) -> MetroFigures:
    """Return what pages show of a metro. `stamp`: when it last changed; `counts`: its listings of each type."""
    changed_on = stamp.astimezone(read_zone(metro.timezone)).date()
    return MetroFigures(
        slug=metro.slug, name=metro.name, timezone=metro.timezone, bounds=metro.bounds, counts=counts,
        changed_on=changed_on,
    )  # fmt: skip


def put_metro_site(
    snapshot: Snapshot, today: date, *, settings: SiteSettings, outlines: bytes | None,
    pictures: Mapping[str, Picture] = {}, fetch_pictures: FetchPictures | None = None, writer: ObjectWriter,
) -> MetroSite:  # fmt: skip
    """Write the pages of a metro, its outlines and its pictures: a function of these, the snapshot, the date and the
    settings. `pictures`: those of the previous release, by id."""
    # Imports engines and templates, which a build without a change does not need.
    from outings.answers.live_counts import count_listings
    from outings.pages.site import render_metro

    files = [*map(astuple, render_metro(snapshot, today=today, settings=settings))]
    files.append((locate_outlines(snapshot.metro.slug), GEOJSON, outlines or NO_OUTLINES))
    packed, data = pack_files(files)
    writer.put(data)
    addresses = _find_addresses(snapshot, settings.pictures) if settings.pictures else {}
    by_address = _put_pictures(addresses, pictures, fetch_pictures, writer=writer)
    shown = {listing: by_address[address] for listing, address in addresses.items() if address in by_address}
    return MetroSite(
        counts=count_listings(snapshot, today=today, entitlement=Entitlement()),
        pages=packed,
        pictures=shown,
        missing_pictures=len(addresses) - len(shown),
    )


class _ImageAddress(Struct, frozen=True):
    image_url: str | None


def _find_addresses(snapshot: Snapshot, hosts: Collection[str]) -> dict[str, str]:
    """Return the picture's address of each published listing that has a page, by id, if its host is allowed."""
    names = ("id", "status", "audience", "pack", "offset", "length")
    columns = read_columns(snapshot.tables["listings"], "listings", names)
    decode = msgspec.json.Decoder(_ImageAddress).decode
    addresses = {
        row_id: decode(snapshot.read_document(*place)).image_url
        for row_id, status, audience, *place in columns.iter_rows()
        if status == PUBLISHED and audience != AUDIENCES.index("adults")
    }
    return {row_id: address for row_id, address in addresses.items() if address and find_host(address) in hosts}


def _put_pictures(
    addresses: Mapping[str, str], previous: Mapping[str, Picture], fetch: FetchPictures | None, *, writer: ObjectWriter
) -> dict[str, Picture]:
    """Keep the previous pictures of these addresses, fetch and write the others, and return all by address."""
    wanted = set(addresses.values())
    pictures = {picture.address: picture for picture in previous.values() if picture.address in wanted}
    for picture in pictures.values():
        writer.keep(picture.small.object)
        writer.keep(picture.large.object)
    unknown = sorted(wanted - pictures.keys())
    if unknown and fetch is not None:
        pictures |= fetch(unknown, writer.put)
    return pictures


def read_outlines(store: Store, manifest: Manifest) -> bytes | None:
    """Return the outlines that a metro has in a release, or None. Raises NotFound, Corrupt and StoreError."""
    pages = None if manifest.site is None else manifest.site.pages
    extents = None if pages is None else pages.files.get(locate_outlines(manifest.metro.slug))
    if pages is None or extents is None:
        return None
    return SiteFile(extents=extents, packed=read_object(store, pages.object)).read(b"")


def hash_metro_site(settings: SiteSettings | None) -> str:
    """Hash the settings and the program of a metro's pages. Return an empty text if it has no pages."""
    if settings is None or not settings.shows_data:
        return ""
    return hash_of(_hash_program().encode() + msgspec.json.encode(settings, order="sorted"))


@cache
def _hash_program() -> str:
    """Hash the code, templates and words of pages, and the styles and scripts that they name by hash."""
    assert pages.__file__ is not None
    assets = [page.path for page in list_assets(SiteSettings())]
    sources = hash_sources(
        (Path(pages.__file__).parent, find_words(), find_templates()), suffixes=(".py", ".toml", ".html", ".xml")
    )
    return hash_of("\n".join((sources, *assets)).encode())


@cache
def _hash_documents() -> str:
    """Hash the sources of the reference and the guides."""
    assert contract.__file__ is not None
    folders = (Path(contract.__file__).parent, find_guides())
    return hash_sources(folders, suffixes=(".py", ".toml", ".json", ".md"))
