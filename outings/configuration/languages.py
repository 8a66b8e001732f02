"""`[languages]` and a metro's `language`: the operator's own languages, read with the configuration."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from Stemmer import algorithms

from outings.configuration.decoder import Decoder, name_entry
from outings.contract.did_you_mean import suggest
from outings.contract.languages.language import FILES, SHIPPED, Language, LanguageError, find_stems, parse_language


def read_languages(decoder: Decoder, tables: Mapping[str, Any]) -> dict[str, Language]:
    """By name; what is wrong in their folders, or names none, is reported to `decoder`."""
    folders: dict[str, Path] = tables.get("languages", {})
    read = {code: _read_language(decoder, code, folder) for code, folder in folders.items()}
    known = sorted({*SHIPPED, *folders})
    for number, metro in enumerate(tables.get("metros", ())):
        code = metro.get("language")
        if code is not None and code not in known:
            key = f"{name_entry('metros', number, metro)}.language"
            near = suggest(code, known)
            decoder.report(key, f'is "{code}"{near}; allowed: {", ".join(known)}, and what [languages] names')
    return {code: language for code, language in read.items() if language is not None}


def _read_language(decoder: Decoder, code: str, folder: Path) -> Language | None:
    key = f"languages.{code}"
    try:
        contents = {name: (folder / name).read_bytes() for name in FILES if (folder / name).exists()}
        if not contents:
            decoder.report(key, f"names {folder}, where no words are; allowed: a folder with any of {', '.join(FILES)}")
            return None
        return _check_stems(decoder, key, parse_language(code, contents))
    except OSError as error:
        decoder.report(key, f"names {folder}, which can't be read: {error.strerror}")
    except LanguageError as error:
        decoder.report(key, f"names {folder}: {error}")
    return None


def _check_stems(decoder: Decoder, key: str, language: Language) -> Language:
    stems, known = find_stems(language), sorted(algorithms())
    if stems and stems not in known:
        near = suggest(stems, known)
        decoder.report(key, f'search.toml: stems is "{stems}"{near}; allowed: {", ".join(known)}, or none')
    return language
