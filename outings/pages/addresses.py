"""The addresses of the pages of listings and of lists. A path has no leading slash."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from outings.contract.vocabulary import COLLECTIONS
from outings.release.site import SiteSettings


def locate_listing(item: Mapping[str, Any], settings: SiteSettings) -> str:
    """Return the path of a listing's page. On plain files it is a folder, which every host shows."""
    page = f"{item['metro']}/{COLLECTIONS[item['type']]}/{quote(item['slug'])}"
    return f"{page}/" if settings.is_static else page


def locate_city(metro: str) -> str:
    return f"cities/{metro}/"


def locate_list(metro: str, *names: str, page: int = 1) -> str:
    """Return the path of a page of a list on plain files: of a kind, or of an organization or a neighborhood, which
    `names` has with its slug."""
    folder = f"{metro}/{''.join(f'{quote(name)}/' for name in names)}"
    return folder if page == 1 else f"{folder}{page}.html"


def locate_filtered(item: Mapping[str, Any], settings: SiteSettings, name: str, value: str | None) -> str:
    """Return the path of the list of an item's organization or neighborhood, or of its kind if `value` is None."""
    metro, collection = item["metro"], COLLECTIONS[item["type"]]
    if settings.is_static:
        return locate_list(metro, collection) if value is None else locate_list(metro, name, value)
    filters = {"metro": metro, "type": collection} | ({} if value is None else {name: value})
    return f"explore/?{urlencode(filters)}"


def make_absolute(path: str, settings: SiteSettings) -> str | None:
    """Return the whole address of a page, None if nobody said where the site is."""
    return f"{settings.url}/{settings.folder}{path}" if settings.url else None


def make_webcal(path: str, settings: SiteSettings) -> str | None:
    """Return the address by which calendar programs subscribe to a file, None if nobody said where the site is."""
    return f"webcal:{settings.url.partition(':')[2]}/{path}" if settings.url else None
