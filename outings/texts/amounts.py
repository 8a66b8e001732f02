"""Read amounts of money: "$25 - $60", "ab 62 €", "Kinder 3 €, Erwachsene 6 €", "Payant", "suggested donation".

Several amounts are the lowest and the highest. A donation is not a price, and "paid" is not free.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from outings.texts.tokens import END, NUMBER, WORD, Scanner, Token, fold, make_roles, order_languages, read_words

# Thousands are in groups of three; "15.-" and "5,-" have no cents.
_NUMBER = (
    r"(?<!\d)(?<!\d[.,])\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?(?!\d)(?:[.,]-+)?"
    r"|(?<!\d)(?<!\d[.,])\d++(?:[.,]\d++)?+(?![.,]\d)(?:[.,]-+)?"
)
_SIGNS = frozenset("$€£¥")
_CODES = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "£": "GBP", "gbp": "GBP", "chf": "CHF", "fr": "CHF",
    "usd": "USD", "us$": "USD", "r$": "BRL", "mxn": "MXN", "cad": "CAD", "c$": "CAD", "aud": "AUD",
}  # fmt: skip
# Of ages, which are no amounts: "free for children under 6 years".
_AGES = ("years", "months", "people", "under", "over")
_NUMERAL = "numeral:"
_CONDITIONS = frozenset({"conditions", "under", "over", "people", "from", "up_to"})
_MOST = 10.0**9
# Its numbers are no amounts.
_DATE = re.compile(r"(?<!\d)(?:\d{1,2}([/.-])\d{1,2}\1(?:19|20)\d\d|(?:19|20)\d\d([/.-])\d{1,2}\2\d{1,2})(?!\d)")
_DIGITS = re.compile(r"[^\d.,]")


class Amount(NamedTuple):
    """A price. `min` or `max` None: that end is not stated. `kind`: `priced` with an amount, or `free`,
    `paid` or `donation`, which state none. `currency`: of ISO 4217, where a text tells it. `is_swapped`: the text has
    the greater one first."""

    min: float | None
    max: float | None
    kind: Literal["priced", "free", "paid", "donation"] = "priced"
    currency: str | None = None
    is_swapped: bool = False


class _Money(NamedTuple):
    """An amount of a text, at its token. `bound`: "from" or "up_to" if it is one end; `has_currency`: with a sign."""

    value: float
    at: int
    end: int
    has_currency: bool
    bound: str


def read_amount(text: str, language: str | None = None, *, decimal: str | None = None) -> Amount | None:
    """Read a text that states a price; None if it states none.

    `decimal`: the sign before the decimals where a text could mean both: "1.200". If None, the language tells.

    >>> read_amount("1.200 €", "de")
    Amount(min=1200.0, max=1200.0, kind='priced', currency='EUR', is_swapped=False)
    """
    return _read(text.strip(), language, decimal) if len(text) <= 500 else None


@lru_cache(maxsize=4096)
def _read(text: str, language: str | None, decimal: str | None) -> Amount | None:
    return _open_reader(language).read(text, decimal or ("." if language in (None, "en") else ","))


@cache
def _open_reader(language: str | None) -> "_AmountReader":
    return _AmountReader(order_languages(language))


class _AmountReader:
    def __init__(self, languages: Sequence[str]) -> None:
        words = [read_words(language) for language in languages]
        self._scanner = Scanner(
            make_roles(
                [
                    {WORD: ",".join(own["months"])},
                    own["shared"],
                    _list_numerals(own),
                    {role: own["ages"][role] for role in _AGES},
                    own["amounts"],
                ]
                for own in words
            ),
            _NUMBER,
        )

    def read(self, text: str, decimal: str) -> Amount | None:
        tokens = self._scanner.scan(_DATE.sub(" ", fold(text)))
        roles = {token.role for token in tokens}
        if "donation" in roles and not ("free" in roles and tokens[0].role == "free"):
            return Amount(None, None, "donation")
        amounts = list(self._find(tokens, decimal))
        if any(money.has_currency for money in amounts):
            amounts = [money for n, money in enumerate(amounts) if money.has_currency or _is_beside(amounts, n, tokens)]
        elif any(token.role == WORD or token.role.startswith(_NUMERAL) for token in tokens):
            amounts = []  # bare numbers among other words
        if "no_price" in roles and not amounts[1:] and "%" not in text:
            return None
        currency = next((code for token in tokens if (code := _CODES.get(token.text))), None)
        is_free = self._is_free(tokens, has_amounts=bool(amounts))
        if not amounts:
            return Amount(0.0, 0.0, "free") if is_free else Amount(None, None, "paid") if "paid" in roles else None
        price, (first, *others) = _join(amounts, is_free="free" in roles, currency=currency), amounts
        if len(others) != 1 or first.value <= others[0].value or price.min != others[0].value:
            return price
        between = [token for token in tokens[first.end : others[0].at] if not _is_currency(token)]
        is_span = bool(between) and all(token.role in ("to", "up_to") or token.text == "-" for token in between)
        return price._replace(is_swapped=is_span)

    def _find(self, tokens: Sequence[Token], decimal: str) -> Iterator[_Money]:
        at = 0
        while (token := tokens[at]).role != END:
            if token.role.startswith(_NUMERAL) and _is_currency(tokens[at + 1]):
                yield _Money(float(token.role.removeprefix(_NUMERAL)), at, at + 2, has_currency=True, bound="")
            money = self._parse(tokens, at, decimal) if token.role == NUMBER else None
            if money is not None:
                yield money
            at = at + 1 if money is None else money.end

    def _parse(self, tokens: Sequence[Token], at: int, decimal: str) -> _Money | None:
        behind, before = tokens[at + 1], tokens[at - 1]
        # No currency has three decimals: "1.250 €" is a thousand.
        is_money = _is_currency(before) or _is_currency(behind)
        value = _read_number(tokens[at].text, "" if is_money else decimal)
        if value is None or behind.role in ("years", "months") or behind.text in "%:":
            return None
        is_clock = before.text == ":" and before.start and tokens[at - 2].role == NUMBER
        if is_clock or (behind.text == "-" and _is_counted(tokens, at + 1)):
            return None
        end, has_currency = at + 1, _is_currency(before)
        first = at - has_currency
        after = tokens[at + 2]
        is_next = after.role == NUMBER and (has_currency or _is_before(behind, after))
        if _is_currency(behind) and not is_next:
            has_currency, end = True, at + 2
            is_glued = after.start == behind.end and after.role == NUMBER
            if is_glued and len(after.text) == 2 and value == int(value):
                value, end = value + int(after.text) / 100, end + 1
        # A minus in front of the first number: no amount is below 0.
        if first == 1 and tokens[0].text == "-" and before.end == tokens[at].start:
            return None
        while tokens[first - 1].role == "fill":
            first -= 1
        lead, tail = tokens[first - 1], tokens[end]
        bound = lead.role if lead.role in ("from", "up_to") else ""
        if tail.role == "up" or tail.text == "+":
            bound = "from"
        if tail.role == "up_to" and not (tokens[end + 1].role == NUMBER or _is_currency(tokens[end + 1])):
            bound = "up_to"
        return _Money(value, at, end, has_currency, bound)

    def _is_free(self, tokens: Sequence[Token], *, has_amounts: bool) -> bool:
        """Return True if a word for free holds for everybody: no condition follows it, and no other word is first."""
        for at, token in enumerate(tokens):
            if token.role == "free" and not has_amounts and tokens[at - 1].role != WORD:
                behind = tokens[at + 1]
                # "until all seats are taken" is no condition, "up to 6 years" is one.
                if behind.role in ("from", "up_to") and not any(token.role == NUMBER for token in tokens[at:]):
                    return True
                return behind.role not in _CONDITIONS
            if token.role == NUMBER or token.role == WORD:
                return False
        return False


def _list_numerals(words: Mapping[str, Any]) -> dict[str, str]:
    return {f"{_NUMERAL}{number}": word for number, word in enumerate(words["numbers"].split())}


def _join(amounts: Sequence[_Money], *, is_free: bool, currency: str | None) -> Amount:
    values = [money.value for money in amounts]
    low, high = min(values), max(values)
    low = 0.0 if is_free else low
    if high == 0:
        return Amount(0.0, 0.0, "free")
    bounds = [money.bound for money in amounts]
    if len(amounts) == 1 and bounds == ["up_to"]:
        return Amount(0.0 if is_free else None, high, currency=currency)
    if bounds[-1] == "from" and len(amounts) == 1:
        return Amount(low, None, currency=currency)
    return Amount(low, high, currency=currency)


def _is_beside(amounts: Sequence[_Money], number: int, tokens: Sequence[Token]) -> bool:
    """Return True for an amount without a sign in a range or a list whose other amount has one: "$25-60"."""
    for one, other in ((number - 1, number), (number, number + 1)):
        if one >= 0 and other < len(amounts) and amounts[one].has_currency != amounts[other].has_currency:
            between = tokens[amounts[one].end : amounts[other].at]
            joints = [token for token in between if token.role != "fill" and not _is_currency(token)]
            if "," in [token.text for token in joints] and len(joints) < len(between):
                continue  # "$9, kids 3-12"
            if joints and all(token.role in ("to", "and", "or", "up_to") or token.text in "-/,;" for token in joints):
                return True
    return False


def _is_counted(tokens: Sequence[Token], dash: int) -> bool:
    """Return True for "10-class pass"."""
    word = tokens[dash + 1]
    is_glued = tokens[dash - 1].end == tokens[dash].start and tokens[dash].end == word.start
    return is_glued and word.text[0].isalpha() and not _is_currency(word)


def _is_before(sign: Token, number: Token) -> bool:
    return sign.text in "$£" and sign.end == number.start


def _is_currency(token: Token) -> bool:
    return token.role == "currency" or token.text in _SIGNS


def _read_number(text: str, decimal: str) -> float | None:
    digits = _DIGITS.sub("", text.rstrip(".,-"))
    whole, sign, cents = digits.rpartition(max(".,", key=digits.rfind))
    is_thousand = (
        bool(sign)
        and len(cents) == 3
        and (sign in whole or (sign != decimal and "." not in whole and "," not in whole))
    )
    plain = re.sub(r"[.,]", "", digits) if not sign or is_thousand else f"{re.sub('[.,]', '', whole) or 0}.{cents}"
    value = float(plain)
    return round(value, 2) if value < _MOST else None
