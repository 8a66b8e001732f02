"""An oracle of how well a name matches a search for organizations, computed entry by entry as docs/readers.md says.
Slow, and shares no code with the program."""

import re
import unicodedata
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise

ENDINGS = {
    "llc", "inc", "incorporated", "co", "company", "corp", "corporation", "ltd", "limited", "lp", "llp", "pllc", "pc",
    "plc", "com", "org", "net",
}  # fmt: skip
EMPTY = {
    "a", "an", "and", "at", "by", "de", "el", "for", "in", "la", "las", "le", "les", "los", "of", "on", "or", "the",
    "to", "with", "y",
}  # fmt: skip
# A way to meet a word that comes after two typos.
BEGUN = 3
ORDER = ["exact_name", "exact_domain", "name", "domain", "fuzzy"]


def split(text: str) -> list[str]:
    """For names without dots, and without addresses."""
    text = unicodedata.normalize("NFKD", text.replace("'", "").replace("&", " and ")).casefold()
    text = "".join(sign for sign in text if not unicodedata.combining(sign))
    return re.findall(r"[a-z0-9]+", text)


def strip(words: list[str]) -> list[str]:
    words = list(words)
    while words and words[-1] in ENDINGS:
        del words[-1]
        if words and words[-1] == "and":
            del words[-1]
    return words


def count_typos(one: str, other: str) -> int:
    """Letters put in, left out, changed, or two neighbours swapped, none of them touched again."""
    rows = [list(range(len(other) + 1))]
    for at, first in enumerate(one, 1):
        row = [at]
        for to, second in enumerate(other, 1):
            best = min(rows[-1][to] + 1, row[-1] + 1, rows[-1][to - 1] + (first != second))
            if at > 1 and to > 1 and first == other[to - 2] and one[at - 2] == second:
                best = min(best, rows[-2][to - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def forgive(typed: str, other: str, *, least: int = 5) -> int | None:
    """The typos between, None where they are too many. `least`: the letters of a word that may have one."""
    if typed == other:
        return 0
    allowed = (len(typed) >= least) + (len(typed) >= 9)
    if not allowed or len(other) < 4 or not (typed + other).isalpha() or typed[0] != other[0]:
        return None
    typos = count_typos(typed, other)
    return typos if typos <= allowed else None


def rate(name: str, site: str | None, question: str) -> tuple[Decimal, str] | None:
    """Score and match; None where it is not met. `site`: the site's host without its ending, of one label."""
    typed = strip(split(question))
    wanted = [word for word in dict.fromkeys(typed) if word not in EMPTY]
    if not wanted:
        return None
    words = strip(split(name)) or split(name)
    weights = {word: 0 if word in EMPTY else len(word) for word in words}
    if not any(weights.values()):
        weights = {word: len(word) for word in words}
    total = max(sum(weights[word] for word in words), 1)
    joined, whole = "".join(typed), "".join(words)
    ratings: list[tuple[Decimal, str]] = []
    if joined == whole:
        ratings.append((Decimal(1), "exact_name"))
    if site is not None and joined == site:
        ratings.append((Decimal("0.9"), "domain"))
    for other, letters in ((whole, total), (site or "", len(site or ""))):
        typos = forgive(joined, other) if other else None
        if typos:
            ratings.append((_round(Decimal("0.5"), Decimal("0.29"), letters - typos, letters), "fuzzy"))
    met = [_meet(word, typed, words, weights) for word in wanted]
    # Beside others the first word of four letters that nothing meets may have a typo too.
    short = next((at for at, word in enumerate(wanted) if met[at] is None and len(word) == 4), None)
    if short is not None and len(wanted) > 1:
        met[short] = _meet(wanted[short], typed, words, weights, least=4)
    if all(value is not None for value in met):
        begun = any(value[0] == BEGUN for value in met if value)
        typos = sum(value[0] for value in met if value and value[0] != BEGUN)
        letters = min(sum(value[1] for value in met if value), total)
        if typos or begun:
            ratings.append((_round(Decimal("0.5"), Decimal("0.29"), letters - typos, total), "fuzzy"))
        else:
            ratings.append((_round(Decimal("0.8"), Decimal("0.15"), letters, total), "name"))
    return min(ratings, key=lambda rating: (-rating[0], ORDER.index(rating[1])), default=None)


def _meet(
    word: str, typed: list[str], words: list[str], weights: dict[str, int], *, least: int = 5
) -> tuple[int, int] | None:
    """Typos and letters of the best way to meet a word: fewest typos, then most letters."""
    ways = []
    for own in dict.fromkeys(words):
        typos = forgive(word, own, least=least)
        if typos is not None:
            ways.append((typos, words.count(own) * weights[own]))
    pairs = list(pairwise(words))
    for first, second in pairs:
        typos = forgive(word, first + second, least=least)
        if typos is not None:
            same = sum(weights[a] + weights[b] for a, b in pairs if a + b == first + second)
            ways.append((typos, same))
    for first, second in pairwise(typed):
        if word in (first, second) and first + second in words:
            ways.append((0, words.count(first + second) * weights[first + second] if word == first else 0))
    if word == typed[-1] and len(word) >= 3:
        ways += [(BEGUN, min(words.count(own) * weights[own], len(word))) for own in words if own.startswith(word)]
    return min(ways, key=lambda way: (way[0], -way[1]), default=None)


def _round(least: Decimal, most: Decimal, part: int, whole: int) -> Decimal:
    exact = least + most * max(part, 0) / whole
    return exact.quantize(Decimal("0.001"), rounding=ROUND_HALF_UP)
