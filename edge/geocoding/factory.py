"""`[geocoder]` → a geocoder."""

from edge.geocoding.census import CENSUS
from edge.geocoding.geocoder import Geocoder, NoGeocoder
from edge.geocoding.local import LocalGeocoder
from edge.geocoding.nominatim import NOMINATIM
from edge.geocoding.photon import PHOTON
from outings.configuration.tables import GeocoderTable

SERVICES = {service.name: service for service in (NOMINATIM, PHOTON, CENSUS)}


def open_geocoder(table: GeocoderTable) -> Geocoder:
    if table.provider == "none":
        return NoGeocoder()
    if table.provider == "local":
        return LocalGeocoder()
    from edge.geocoding.remote import RemoteGeocoder  # with an HTTP client, which takes an eighth of all imports

    return RemoteGeocoder(SERVICES[table.provider], url=table.url)
