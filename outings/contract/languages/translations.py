"""What words of one language are in another, of those that ship: each with English, by `english.csv` of its folder."""

from functools import cache
from importlib.resources import files

from msgspec import Struct

from outings.contract.languages.language import ENGLISH, SHIPPED
from outings.contract.related import Group, parse_related


class Translation(Struct, frozen=True, kw_only=True):
    """Of the language `code` to a metro's. `groups` are phrases that are the same in both; `phrases` those of the
    language itself, and `known` the metro's."""

    code: str
    groups: tuple[Group, ...]
    phrases: frozenset[str]
    known: frozenset[str]


@cache
def list_translations(code: str) -> tuple[Translation, ...]:
    """Of the languages in which a metro of language `code` is also searched."""
    if code == ENGLISH:
        return tuple(_make_translation(each) for each in SHIPPED if each != ENGLISH)
    if code in SHIPPED:
        other = _make_translation(code)
        return (Translation(code=ENGLISH, groups=other.groups, phrases=other.known, known=other.phrases),)
    return ()


def _make_translation(code: str) -> Translation:
    """To English."""
    assert __package__ is not None
    groups = parse_related(files(__package__).joinpath(code, "english.csv").read_bytes())
    english = (phrase for _, *others in groups for phrase in others)
    return Translation(code=code, groups=groups, phrases=frozenset(own for own, *_ in groups), known=frozenset(english))
