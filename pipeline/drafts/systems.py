"""An address of a known system → its feed, as its preset fills it in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from outings.configuration import ConfigurationError, FeedTable
from outings.configuration.decoder import Decoder
from outings.configuration.presets import apply_presets, recognize_preset

# Instead of a preset's name: an address is not taken for one of a known system.
NO_PRESET = "none"


def make_feed(
    name: str, url: str, *, preset: str, allow_private: bool, config: Path, environ: Mapping[str, str]
) -> FeedTable:
    """`preset`: what a person says, else what the address tells. Raises ConfigurationError."""
    preset = "" if preset == NO_PRESET else preset or recognize_preset(url) or ""
    raw: dict[str, Any] = {"name": name, "url": url, "allow_private": allow_private}
    if not preset:
        return FeedTable(**raw, format="ndjson")
    document = {"feeds": [{**raw, "preset": preset}]}
    decoder = Decoder(config, environ)
    for key, wrong in apply_presets(document, environ):
        decoder.report(key, wrong)
    values = decoder.decode_table(document["feeds"][0], FeedTable, f"feeds.{name}")
    if decoder.problems:
        raise ConfigurationError(tuple(decoder.problems))
    return msgspec.convert(values, FeedTable)
