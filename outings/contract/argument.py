"""Parses the texts of one parameter into its value, or refuses them with what is allowed."""

from collections.abc import Sequence
from datetime import date, datetime

from outings.contract.errors import ApiError, bad_request
from outings.contract.members import settle_paths
from outings.contract.parameter import Parameter
from outings.contract.parameters import INCLUDES
from outings.contract.suggestions import find_nearest
from outings.contract.values import EARLIEST, KINDS, LATEST, Scalar, Value
from outings.contract.vocabulary import Vocabulary

_SHOWN_CHARACTERS = 60


def parse_argument(
    row: Parameter,
    texts: Sequence[str],
    *,
    vocabulary: Vocabulary,
    paths: frozenset[str] | None = None,
) -> Value:
    """`texts` are all occurrences of the name. `paths` are the names that a parameter of kind `path` may take; None
    allows any.

    Arrays have no duplicates. They are sorted unless their order has a meaning.
    """
    if not row.array:
        if len(texts) > 1:
            raise bad_request(
                param=row.name,
                reason="contradictory",
                message=f"{row.name} takes one value, and was given {len(texts)}.",
            )
        return _parse_one(row, texts[0], vocabulary=vocabulary, paths=paths)
    items = [item.strip() for text in texts for item in text.split(",")]
    parsed = dict.fromkeys(str(_parse_one(row, item, vocabulary=vocabulary, paths=paths)) for item in items)
    if row.most is not None and len(parsed) > row.most:
        raise bad_request(
            param=row.name,
            reason="out_of_range",
            message=f"{row.name} takes at most {row.most} values, and was given {len(parsed)}.",
            max=row.most,
        )
    if row.kind == "path":
        return settle_paths(frozenset(parsed))
    return tuple(parsed) if row.ordered else tuple(sorted(parsed))


def list_allowed(row: Parameter, vocabulary: Vocabulary) -> tuple[str, ...] | None:
    """The closed vocabulary of a parameter, or None if it has none."""
    if row.vocabulary is None:
        return row.allowed
    words: tuple[str, ...] = getattr(vocabulary, row.vocabulary)
    return words


def show_text(text: str) -> str:
    """A client's text as messages show it: quoted and cut short."""
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…")


def _parse_one(row: Parameter, text: str, *, vocabulary: Vocabulary, paths: frozenset[str] | None) -> Scalar:
    kind = KINDS[row.kind]
    value = kind.parse(text) if text.strip() else None
    if value is None:
        raise bad_request(
            param=row.name,
            reason="invalid_value",
            message=f"{row.name} is {show_text(text) if text.strip() else 'empty'}; it takes {kind.expected}.",
            allowed=["true", "false"] if row.kind == "boolean" else None,
        )
    if isinstance(value, str):
        _check_word(row, value, vocabulary=vocabulary, paths=paths)
    _check_bounds(row, value)
    return value


def _check_word(row: Parameter, word: str, *, vocabulary: Vocabulary, paths: frozenset[str] | None) -> None:
    allowed = paths if row.kind == "path" else list_allowed(row, vocabulary)
    if allowed is None or word in allowed:
        return
    if row.name == "include" and word in INCLUDES:
        raise bad_request(
            param="include",
            reason="include_not_supported",
            message=f"include={word} is not for this endpoint.",
            allowed=list(allowed),
        )
    # The members of a resource are too many to list: the documents have them.
    shown = None if row.kind == "path" else list(allowed)
    meant = find_nearest(word, allowed)
    hint = f"allowed: {', '.join(shown)}." if shown else f"did you mean {meant}?" if meant else "/openapi.json has all."
    raise bad_request(
        param=row.name,
        reason="invalid_value",
        message=f"{row.name} has no {show_text(word)}; {hint}",
        allowed=shown,
        did_you_mean=meant,
    )


def _check_bounds(row: Parameter, value: Scalar) -> None:
    if isinstance(value, date):
        day = value.date() if isinstance(value, datetime) else value
        if not EARLIEST <= day <= LATEST:
            raise _out_of_range(row, f"{day}", least=EARLIEST.isoformat(), most=LATEST.isoformat())
    elif isinstance(value, str):
        # A cursor that is too long is no cursor: its own parser says so.
        if row.maximum is not None and len(value) > row.maximum and row.kind != "cursor":
            raise _out_of_range(
                row, f"{len(value)} characters long", least=int(row.minimum or 0), most=int(row.maximum)
            )
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most = row.minimum, row.maximum
        if (least is not None and value < least) or (most is not None and value > most):
            raise _out_of_range(row, f"{value:.12g}", least=least, most=most)


def _out_of_range(row: Parameter, what: str, *, least: object, most: object) -> ApiError:
    return bad_request(
        param=row.name,
        reason="out_of_range",
        message=f"{row.name} is {what}; it takes {least} to {most}.",
        min=least,
        max=most,
    )
