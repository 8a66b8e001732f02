"""`[search] related_words`: the operator's own groups, read with the configuration."""

from pathlib import Path
from typing import Any

from outings.configuration.decoder import Decoder
from outings.contract.related import Group, RelatedError, parse_related

_KEY = "search.related_words"


def read_groups(decoder: Decoder, search: dict[str, Any]) -> tuple[Group, ...]:
    """Empty where no file is named; what is wrong in it is reported to `decoder`."""
    path: Path | None = search.get("related_words")
    if path is None:
        return ()
    try:
        return parse_related(path.read_bytes())
    except OSError as error:
        decoder.report(_KEY, f"names {path}, which can't be read: {error.strerror}")
    except RelatedError as error:
        for problem in error.problems:
            decoder.report(_KEY, f"names {path}: {problem}")
    return ()
