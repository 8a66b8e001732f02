"""Read the weekdays on which courses meet: `Mon/Wed`, `montags`, `lunes y miércoles`, `MWF`, `Mo-Fr`."""

import re
from collections.abc import Sequence
from functools import partial

from outings.contract.vocabulary import WEEKDAYS
from outings.texts.days import WEEKDAYS as CODES
from outings.texts.days import read_weekdays
from outings.texts.tokens import LANGUAGES
from pipeline.drafts.columns import Column

# So many texts tell whether others are worth reading, and what they are.
_FIRST, _MOST = 10, 200
_SEPARATORS = ("/", ",", ";", "&", "+", "|", "\n", " ")


def find_language(values: Sequence[str]) -> str | None:
    """Return the language in which nearly all texts name weekdays, or None."""
    if len(values) > _FIRST and find_language(values[:_FIRST]) is None:
        return None
    values = values[:_MOST]
    signs, words = (
        {code: sum(bool(read_weekdays(value, code, alone=True, are_signs=are)) for value in values)
         for code in LANGUAGES}
        for are in (True, False)
    )  # fmt: skip
    best = max(LANGUAGES, key=lambda code: (words[code] > 0, signs[code]))
    # "M" and "F" alone are as likely anything else; beside "Tu/Th" they are days.
    is_sure = any(len(value.strip()) > 1 and re.search(r"[^\W\d]", value) for value in values)
    return best if is_sure and words[best] * 3 >= len(values) and signs[best] >= 0.8 * len(values) else None


def draft_days(column: Column) -> dict[str, object]:
    """Return a rule that maps a cell's words to weekdays, or whole cells if any has a range."""
    values = column.distinct
    pattern = "[" + re.escape("".join(_SEPARATORS)) + "]+"
    named = dict.fromkeys(word for value in values for word in re.split(pattern, value) if re.search(r"[^\W\d]", word))
    language = find_language(values) or find_language([*named]) or LANGUAGES[0]
    read_days = partial(read_weekdays, language=language, alone=True, are_signs=True)
    read = {value: read_days(value) for value in values}
    words = {word: read_days(word) for value in values for word in re.split(pattern, value) if word}
    parts = {value: {day for word in re.split(pattern, value) for day in words.get(word) or ()} for value in values}
    split = {}
    # Of "Mo., 11.01.2027" the words alone tell.
    if not column.many and all(not days or set(days) == parts[value] for value, days in read.items()):
        split, read = {"split": list(_SEPARATORS)}, words
    meant = {text: [WEEKDAYS[CODES.index(day)] for day in days] for text, days in read.items() if days}
    lookup = {text: days if len(days) > 1 else days[0] for text, days in meant.items()}
    return {"column": column.path, **split, "lookup": lookup, "other": ""}
