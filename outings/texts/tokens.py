"""Split a text into numbers, signs, and phrases of a language with their roles, which the readers' grammars take."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from outings.contract.languages.word_lists import expand

LANGUAGES = ("en", "es", "fr", "de", "pt", "it", "nl", "ca")
WORD, SIGN, NUMBER, END = "word", "sign", "number", "end"
# Grammars look so many tokens ahead, and so many tokens of the role END stand behind a text's own.
AHEAD = 4
_MARKS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['’‘ʼ`´]")
# Letters before an apostrophe that say nothing: "d'abril", "l'1".
_ELISIONS = re.compile(r"\b[dl]['’](?=\w)", re.IGNORECASE)
_DASHES = re.compile("[\u2010-\u2015\u2212]")
# What becomes two letters in lower case, or is a sign for letters that no keyboard has.
_LETTERS = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae", "⁄": "/"})
_PIECE = re.compile(r"[a-z]+|\d+|[^\sa-z\d]")


class Token(NamedTuple):
    """A piece of a folded text. `role`: of its phrase, or WORD, SIGN, NUMBER or END; `start`, `end`: its characters."""

    role: str
    text: str
    start: int
    end: int


Roles = Mapping[tuple[str, ...], str]


def fold(text: str) -> str:
    """Write in lower case without accents and apostrophes, with one kind of dash."""
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", _DASHES.sub("-", text).translate(_LETTERS)))
        text = text.translate(_LETTERS)
    return _APOSTROPHES.sub("", _ELISIONS.sub("", text)).lower()


@cache
def read_words(language: str) -> Mapping[str, Any]:
    """Return the words of a language that ships; those of an unknown one are empty."""
    path = files("outings.contract.languages").joinpath(language, "texts.toml")
    return tomllib.loads(path.read_text("utf-8")) if language in LANGUAGES else {}


def make_roles(
    languages: Iterable[Sequence[Mapping[str, str]]], weak: Iterable[Mapping[str, str]] = ()
) -> dict[tuple[str, ...], str]:
    """Return the role of each phrase, by its pieces. `languages`: the tables of each, the surest language first; in one
    language a later table and a later role win, and what only fills a text loses. `weak`: tables that lose to all."""
    roles: dict[tuple[str, ...], str] = {}
    for tables in (*languages, *([table] for table in weak)):
        own: dict[tuple[str, ...], str] = {}
        pairs = [pair for table in tables for pair in table.items()]
        for role, phrases in sorted(pairs, key=lambda pair: pair[0] != "fill"):
            own |= {tuple(_PIECE.findall(fold(phrase))): role for phrase in expand(phrases)}
        roles = own | roles
    return roles


def order_languages(language: str | None, *, alone: bool = False) -> tuple[str, ...]:
    """Return the languages whose words count, the surest first. `alone`: no others."""
    if alone and language in LANGUAGES:
        return (str(language),)
    return tuple(dict.fromkeys(code for code in (language, *LANGUAGES) if code in LANGUAGES))


class Scanner:
    """Splits folded texts. `number`: the expression for a number in texts of this kind. `behind_numbers`: the roles of
    phrases that mean something else there: `mar 5` is a Tuesday, and `5 mar` in March."""

    def __init__(self, roles: Roles, number: str, behind_numbers: Roles | None = None) -> None:
        self._roles, self._behind_numbers = roles, behind_numbers or {}
        self._most: dict[str, int] = {}
        for phrase in roles:
            self._most[phrase[0]] = max(len(phrase), self._most.get(phrase[0], 0))
        self._piece = re.compile(rf"(?P<number>{number})|[a-z]+|[^\sa-z]")

    def has_role(self, word: str, role: str) -> bool:
        return self._roles.get((word,)) == role

    def scan(self, text: str) -> list[Token]:
        """Return the tokens of a text, and AHEAD more of the role END, so that one before the first has it, too."""
        pieces = [(match[0], match.start(), match.end(), match.lastgroup) for match in self._piece.finditer(text)]
        tokens, at = list[Token](), 0
        while at < len(pieces):
            piece, start, end, is_number = pieces[at]
            for length in range(min(self._most.get(piece, 0), len(pieces) - at), 0, -1):
                phrase = tuple(part[0] for part in pieces[at : at + length])
                role = self._roles.get(phrase)
                if role is not None:
                    if tokens and tokens[-1].role == NUMBER and (len(tokens) == 1 or tokens[-2].text != ":"):
                        role = self._behind_numbers.get(phrase, role)
                    end = pieces[at + length - 1][2]
                    tokens.append(Token(role, text[start:end], start, end))
                    at += length
                    break
            else:
                role = NUMBER if is_number else WORD if piece[0].isalpha() else SIGN
                tokens.append(Token(role, piece, start, end))
                at += 1
        return tokens + [Token(END, "\0", len(text) + 1, len(text) + 1)] * AHEAD
