"""Styles and scripts: what a template names is there, or the message says how it comes there."""

import pytest

from outings.pages.assets import AssetsError, find_asset


def test_an_asset_is_named_by_its_own_bytes() -> None:
    found = find_asset("site.css")
    stem, digest, suffix = found.path.removeprefix("assets/").split(".")
    assert (stem, len(digest), suffix) == ("site", 10, "css")


def test_of_one_that_was_not_built_the_message_says_how_to_build_it() -> None:
    with pytest.raises(AssetsError, match=r"nowhere\.css.*make install"):
        find_asset("nowhere.css")
