"""Styles and scripts: what a template names is there, or the message says how it comes there."""

import pytest

from outings.pages.assets import AssetsError, find_asset, list_assets
from outings.release.site import SiteSettings


def test_an_asset_is_named_by_its_own_bytes() -> None:
    asset = find_asset("site.css")
    stem, digest, suffix = asset.path.removeprefix("assets/").split(".")
    assert (stem, len(digest), suffix) == ("site", 10, "css")


def test_the_message_about_a_missing_asset_says_how_to_build_it() -> None:
    with pytest.raises(AssetsError, match=r"nowhere\.css.*make install"):
        find_asset("nowhere.css")


def test_the_favicon_has_the_path_that_browsers_request() -> None:
    icon = find_asset("favicon.ico")
    assert (icon.path, icon.media, icon.data[:4]) == ("favicon.ico", "image/x-icon", b"\0\0\1\0")
    assert icon in list_assets(SiteSettings())
