"""The pages of one metro, beside its snapshot."""

from datetime import date

from outings.answers.counts import count_listings
from outings.contract.query import Entitlement
from outings.pages.site import render_metro
from outings.release.site import MetroSite, SiteSettings, pack_files
from outings.release.snapshot import Snapshot
from pipeline.publish.objects.object_writer import ObjectWriter


def put_metro_site(snapshot: Snapshot, today: date, *, settings: SiteSettings, writer: ObjectWriter) -> MetroSite:
    """A function of the snapshot, the date and the settings."""
    packed, data = pack_files(page.as_file for page in render_metro(snapshot, today=today, settings=settings))
    writer.put(data)
    return MetroSite(counts=count_listings(snapshot, today=today, entitlement=Entitlement()), pages=packed)
