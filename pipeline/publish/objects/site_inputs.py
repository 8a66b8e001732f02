"""Hashes of all that pages are made of, so that pages stay where nothing of it changed."""

from functools import cache
from pathlib import Path

import msgspec

from outings import contract, pages
from outings.contract.vocabulary import Vocabulary
from outings.pages.folders import find_guides, find_templates, find_words
from outings.pages.metro_figures import MetroFigures
from outings.pages.site_assets import list_assets
from outings.release.objects import hash_of
from outings.release.site import SiteSettings
from pipeline.program_hash import hash_sources


def hash_metro_site(settings: SiteSettings | None) -> str:
    """Return the hash of all that makes a metro's pages of its snapshot, or an empty text where it has none."""
    if settings is None or not settings.shows_data:
        return ""
    return hash_of(_hash_program().encode() + msgspec.json.encode(settings, order="sorted"))


@cache
def _hash_program() -> str:
    """Of the code, templates and words of pages, and of the styles and scripts that they name by hash."""
    assert pages.__file__ is not None
    assets = [page.path for page in list_assets(SiteSettings())]
    sources = hash_sources(
        (Path(pages.__file__).parent, find_words(), find_templates()), suffixes=(".py", ".toml", ".html")
    )
    return hash_of("\n".join((sources, *assets)).encode())


def hash_inputs(settings: SiteSettings, figures: list[MetroFigures], vocabulary: Vocabulary) -> str:
    """Of all that the pages that belong to no metro follow from."""
    values = msgspec.json.encode((settings, figures, vocabulary), order="sorted")
    return hash_of(b"\n".join((_hash_program().encode(), _hash_documents().encode(), values)))


@cache
def _hash_documents() -> str:
    """Of what the reference and the guides are made of."""
    assert contract.__file__ is not None
    folders = (Path(contract.__file__).parent, find_guides())
    return hash_sources(folders, suffixes=(".py", ".toml", ".json", ".md"))
