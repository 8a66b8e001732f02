"""Read `outings.toml` and the environment into one `Configuration`, or report every problem."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from outings.configuration.checks import check_tables, locate_url, read_languages
from outings.configuration.decoder import ConfigurationError, Decoder, overlay_environment
from outings.configuration.presets import apply_presets
from outings.configuration.tables import Configuration, SigningTable
from outings.contract.languages.language import Group, RelatedError, parse_related

_RELATED = "search.related_words"


def read_configuration(path: Path, environ: Mapping[str, str]) -> Configuration:
    """Read the file at `path`, overridden by `environ`. Raises `ConfigurationError` with all problems."""
    decoder = Decoder(path, environ)
    document = decoder.read_document()
    for variable, wrong in overlay_environment(document, environ):
        decoder.report(variable, wrong)
    for key, wrong in apply_presets(document, environ):
        decoder.report(key, wrong)
    tables = decoder.decode_table(document, Configuration)
    check_tables(decoder, tables)
    related = _read_groups(decoder, tables.get("search", {}))
    languages = read_languages(decoder, tables)
    if decoder.problems:
        raise ConfigurationError(tuple(decoder.problems))
    derived = {"directory": decoder.directory, "related": related, "own_languages": languages}
    read = msgspec.convert(tables | derived, Configuration)
    store, static = (
        table and structs.replace(table, url=locate_url(table.url, decoder.directory))
        for table in (read.store, read.static)
    )
    return structs.replace(read, store=store, static=static, signing=_locate_keys(read.signing, decoder.directory))


def _read_groups(decoder: Decoder, search: dict[str, Any]) -> tuple[Group, ...]:
    """Read the operator's file of related words, if any, and report its problems."""
    path: Path | None = search.get("related_words")
    if path is None:
        return ()
    try:
        return parse_related(path.read_bytes())
    except OSError as error:
        decoder.report(_RELATED, f"names {path}, which can't be read: {error.strerror}")
    except RelatedError as error:
        for problem in error.problems:
            decoder.report(_RELATED, f"names {path}: {problem}")
    return ()


def _locate_keys(signing: SigningTable, directory: Path) -> SigningTable:
    """Return the table with absolute paths. Inline PEM keys are unchanged."""
    key, public_key = (
        pem if not pem or is_pem(pem) else str(directory / pem) for pem in (signing.key, signing.public_key)
    )
    return SigningTable(key=key, public_key=public_key)


def is_pem(text: str) -> bool:
    """Return True if a setting is an inline PEM key, as environment variables have, not a path."""
    return text.lstrip().startswith("-----BEGIN ")
