"""Read the weekdays on which courses meet: `Mon/Wed`, `montags`, `lunes y miércoles`, `MWF`, `Mo-Fr`."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from outings.contract.vocabulary import WEEKDAYS
from pipeline.drafts.columns import Column
from pipeline.words import LANGUAGES, fold, list_weekdays, merge_words, read_words

_SEPARATORS = ("/", ",", ";", "&", "+", "|", "\n", " ")


@cache
def _number_days(language: str) -> Mapping[str, int]:
    words = read_words(language)["words"]
    named = [*enumerate(list_weekdays(language)), *enumerate(sign.split("|") for sign in words["weekday_signs"])]
    return {name: day for day, names in reversed(named) for name in names}


@cache
def _list_beside() -> tuple[frozenset[str], str]:
    """Return the words to ignore beside weekdays, and a pattern of words like "to" in a range."""
    beside = frozenset(merge_words("words")["beside_weekdays"])
    ends = [word for word in merge_words("ranges")["to"] if word not in beside]
    return beside, "|".join(map(re.escape, ends))


def read_days(text: str, language: str) -> tuple[int, ...] | None:
    """Return the numbers of the weekdays that a text names, from 0 for Monday; None if it says anything else."""
    known, (beside, ends) = _number_days(language), _list_beside()
    folded = re.sub(r"-feiras?\b|[.ªº]", " ", fold(text))
    days: set[int] = set()
    for piece in re.split(r"[/,;&+|\n]", re.sub(rf"\s+(?:{ends})\s+|\s*[-–]\s*", "-", folded)):
        words = [word for word in piece.split() if word not in beside or word in known]
        for word in words:
            read = _read_word(word, known)
            if read is None:
                return None
            days.update(read)
    return tuple(sorted(days)) or None


def _read_word(word: str, numbers: Mapping[str, int]) -> Sequence[int] | None:
    first, dash, last = word.partition("-")
    if dash:
        one, other = _find_day(first, numbers), _find_day(last, numbers)
        if one is None or other is None:
            return None
        # "L-X" are two days, and "L-V" five.
        if len(first) == len(last) == 1 and other - one == 2:
            return one, other
        return [(one + step) % 7 for step in range((other - one) % 7 + 1)]
    day = _find_day(word, numbers)
    if day is not None:
        return (day,)
    signs = re.findall("th|sa|su|tu|[mtwrflxjvsd]", word)
    if "".join(signs) == word and all(sign in numbers for sign in signs):  # "MWF"
        return [numbers[sign] for sign in signs]
    return None


def _find_day(word: str, days: Mapping[str, int]) -> int | None:
    """Return the number of a weekday, also for plurals: "montags", "Mondays"."""
    return days.get(word, days.get(word.removesuffix("s")))


def find_language(values: Sequence[str]) -> str | None:
    """Return the language in which nearly all texts name weekdays, or None."""
    counts = {language: sum(read_days(value, language) is not None for value in values) for language in LANGUAGES}
    best = max(counts, key=lambda language: counts[language])
    # "M" and "F" alone are as likely anything else.
    is_sure = any(len(value.strip()) > 1 for value in values)
    return best if is_sure and counts[best] >= 0.8 * len(values) else None


def draft_days(column: Column) -> dict[str, object]:
    """Return a rule that maps a cell's words to weekdays, or whole cells if any has a range."""
    values = column.distinct
    language = find_language(values) or LANGUAGES[0]
    read = {value: read_days(value, language) for value in values}
    pattern = "[" + re.escape("".join(_SEPARATORS)) + "]+"
    words = {word: read_days(word, language) for value in values for word in re.split(pattern, value) if word}
    parts = {value: {day for word in re.split(pattern, value) for day in words.get(word) or ()} for value in values}
    split = {}
    if not column.many and all(set(days or ()) == parts[value] for value, days in read.items()):
        split, read = {"split": list(_SEPARATORS)}, words
    named = {text: [WEEKDAYS[day] for day in days] for text, days in read.items() if days}
    lookup = {text: days if len(days) > 1 else days[0] for text, days in named.items()}
    return {"column": column.path, **split, "lookup": lookup, "other": ""}
