"""Compile SQL that takes one end of a range of ages, prices, times or days, as people write it in seven languages."""

import re
from functools import cache

from outings.sql_quoting import literal
from pipeline.words import merge_words

CURRENCY = r"(?i:us\$|r\$|[$€£¥]|usd|eur|gbp|cad|mxn|euros?|dollars?|dolares|pesos?)"
# What no range is made of: an instant's offset looks like the end of one.
_INSTANT = r"\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?[+-]\d{2}(:?\d{2})?"


@cache
def _list_alternatives(key: str) -> str:
    """Return the words of all languages for a part of ranges, such as `to`, as a regular expression."""
    return "|".join(sorted(merge_words("ranges")[key], key=len, reverse=True))


def take_range(sql: str, kind: str, end: str) -> str:
    """Return SQL for the `start` or `end` of the range in a text. `kind`: `ages`, `amount` or `time`."""
    take = {"ages": _take_age, "amount": _take_amount, "time": _take_time}[kind]
    return f"list_transform([{sql}], lambda whole: {take(end)})[1]"


_FOLDED = "lower(strip_accents(whole))"


def _take_age(end: str) -> str:
    """Return SQL for one end of an age range, in whole years. The text has to state ages and nothing else."""
    up, to, up_to, down, years = (_list_alternatives(key) for key in ("up", "to", "up_to", "down", "years"))
    lead, unit = rf"(?:(?:{_list_alternatives('from')})\b|[+:.\s])*", rf"(?:\s*(?:{years})\b|[\s.])*"
    rest = rf"(?:[,;(].*|(?:{_list_alternatives('rest')}) .*)?"
    between = rf"(?:-|–|/|&|(?:{to})\b)\s*(?:(?:los|dos|ans|ai)\b\s*)?"
    least = rf"^{lead}(\d\d?){unit}(?:\+|(?:{up})(?:\b|\W*$)|{between}(\d\d?){unit})?\+?{rest}$"
    if end == "start":
        # "Doors 7pm/19+" says one age, whatever stands beside it.
        alone = f"nullif(regexp_extract({_count_years(_FOLDED)}, {literal(least)}, 1), '')"
        return rf"coalesce({alone}, nullif(regexp_extract(whole, '(?:^|\D)(\d\d)\+', 1), ''))"
    most = rf"^(?:{up_to})\s+(?:los |aos |ai )?(\d\d?){unit}{rest}$"
    # A German "ab 6" and a Spanish "de 6" begin as a range does, and "bis 6" ends one.
    forms = ((least, 2), (most, 1), (rf"^{lead}(\d\d?){unit}(?:{down}){unit}{rest}$", 1))
    taken = (f"nullif(regexp_extract({_count_years(_FOLDED)}, {literal(form)}, {group}), '')" for form, group in forms)
    return f"coalesce({', '.join(taken)})"


def _count_years(text: str) -> str:
    """Return SQL for the text with ages of up to three years in whole years instead of months: `18 months`."""
    months, dash = rf"\s*(?:{_list_alternatives('months')})\b\.?", rf"\s*(?:-|–|(?:{_list_alternatives('to')})\b)\s*"
    first = literal(rf"\b(\d\d?)({dash}\d\d?{months})")  # "6-18 months"
    text = f"regexp_replace({text}, {first}, '\\1 months\\2')"
    for number, years in (("36", 3), (r"2[4-9]|3[0-5]", 2), (r"1[2-9]|2[0-3]", 1), (r"\d|1[01]", 0)):
        counted = literal(rf"\b(?:{number}){months}")
        text = f"regexp_replace({text}, {counted}, '{years}', 'g')"
    return text


def _take_amount(end: str) -> str:
    """Return SQL for one end of a range of amounts, or for a single one. A word for free is 0."""
    lead = rf"(?:(?:{_list_alternatives('from')})\b\s*)?"
    # An amount below 0 is passed on, so that it is its record's problem.
    one = rf"-?(?:{CURRENCY}\s*)?-?\d(?:[\d.,'\x{{A0}}\x{{202F}}]| \d)*(?:\s*{CURRENCY})?"
    shape = rf"(?i)^({lead})({one})(?:\s*(?:[-–—]|(?:{_list_alternatives('to')})\b)\s*({one}))?(\+?)$"
    parts = f"regexp_extract(trim(strip_accents(whole)), {literal(shape)}, ['lead', 'low', 'high', 'more'])"
    single = "CASE WHEN _part.lead = '' AND _part.more = '' THEN nullif(_part.low, '') END"
    taken = "nullif(_part.low, '')" if end == "start" else f"coalesce(nullif(_part.high, ''), {single})"
    free, conditions = ("|".join(map(re.escape, merge_words("words")[key])) for key in ("free", "conditions"))
    stated, limited = literal(rf"^(?:{free})(?:[^a-z0-9].*)?$"), literal(rf"^(?:{free})\W+(?:{conditions})\b")
    is_free = f"regexp_matches({_FOLDED}, {stated}) AND NOT regexp_matches({_FOLDED}, {limited})"
    read = f"CASE WHEN _part.low = '' THEN {_take_among_words(end)} ELSE {taken} END"
    return f"CASE WHEN {is_free} THEN '0' ELSE list_transform([{parts}], lambda _part: {read})[1] END"


# An amount beside one of these is no price.
_NO_PRICE = (
    "off|discount|deposit|refund|save|rabatt|nachlass|kaution|spende|descuento|fianza|remise|caution|sconto|"
    "cauzione|korting|borg"
)


def _take_among_words(end: str) -> str:
    """Return SQL for the least or greatest of the amounts with a currency that stand among words:
    `Erwachsene 9 €, Kinder 5 €`, `20 €/mes`."""
    number = r"\d+(?:[.,']\d{3})*(?:[.,]\d{1,2})?"
    amount = literal(rf"(?i)(?:{CURRENCY}\s*{number}|{number}(?:,-)?\s*{CURRENCY}\b|{number}(?:,-)?\s*[€£$])")
    key = r"try_cast(replace(regexp_extract(amount, '\d[\d.,]*\d|\d'), ',', '.') AS DOUBLE)"
    pair = f"{{size: {key}, amount: replace(amount, ',-', '')}}"
    pairs = f"list_transform(regexp_extract_all(whole, {amount}), lambda amount: {pair})"
    ordered = f"list_sort(list_filter({pairs}, lambda _pair: _pair.size IS NOT NULL))"
    chosen = f"{ordered}[{1 if end == 'start' else -1}].amount"
    return f"CASE WHEN NOT regexp_matches({_FOLDED}, '\\b(?:{_NO_PRICE})') THEN {chosen} END"


def _take_time(end: str) -> str:
    """Return SQL for one end of a range of clock times, as `HH:MM` after its day, or else of a range of days."""
    text = "strip_accents(whole)"
    hours, to, unit = (_list_alternatives(key) for key in ("hours", "to", "behind_clock"))
    half = r"([ap])\.?\s?m\b\.?"
    clock = rf"(\d{{1,2}})(?:[:.h](\d{{2}}))?(?::\d{{2}})?\s*(?:(h|{unit})\b\.?)?\s*"
    before, behind = r"(?i)^(.*[^\d.:/h-]|)", r"(?:|[^\d.:/-].*|[.:/-](?:\D.*)?)$"
    gap = rf"\s*(?:-|–|—|(?:{to})\b)\s*(?:(?:{hours})\s+)?"
    span = f"regexp_extract({text}, {literal(f'{before}{clock}(?:{half})?{gap}{clock}(?:{half})?{behind}')}, "
    span += "['day', 'h', 'm', 'unit', 'half', 'h2', 'm2', 'unit2', 'half2'])"
    # "7pm/19+": behind the half of a day stands no more of the time. "05.12." is a day.
    singles = [f"{before}{clock}{half}(?:|\\W.*)$", f"{before}{clock}()(?:|[^\\d.:/-].*|[:/-](?:\\D.*)?)$"]
    moment = _write_moment(_write_clock("_one.h", "_one.m", "_one.half")).replace("_part.", "_one.")
    alone = ", ".join(
        f"list_transform([regexp_extract({text}, {literal(single)}, ['day', 'h', 'm', 'unit', 'half'])], "
        f"lambda _one: CASE WHEN concat(_one.m, _one.unit, _one.half) <> '' THEN {moment} END)[1]"
        for single in singles
    )
    # "6 - 8 PM" is one half of the day, and "11 - 1 PM" is two.
    first_half = (
        "CASE WHEN _part.half <> '' OR _part.half2 = '' THEN _part.half "
        "WHEN _part.h::INT % 12 > _part.h2::INT % 12 THEN replace(replace(lower(_part.half2), 'p', 'x'), 'a', 'p') "
        "ELSE _part.half2 END"
    )
    if end == "start":
        taken, otherwise = _write_clock("_part.h", "_part.m", first_half), f"coalesce({alone}, {_take_day(end)})"
    else:
        taken = _write_clock("_part.h2", "_part.m2", "_part.half2")
        otherwise = f"CASE WHEN coalesce({alone}) IS NULL THEN {_take_day(end)} END"
    is_span = "concat(_part.m, _part.unit, _part.half, _part.m2, _part.unit2, _part.half2) <> ''"
    case = f"CASE WHEN {is_span} THEN {_write_moment(taken)} ELSE {otherwise} END"
    read = f"list_transform([{span}], lambda _part: {case})[1]"
    kept = "whole" if end == "start" else "NULL"
    return f"CASE WHEN regexp_full_match(whole, '{_INSTANT}') THEN {kept} ELSE {read} END"


def _write_clock(hour: str, minute: str, half: str) -> str:
    number = (
        f"CASE WHEN lower({half}) = 'p' AND {hour}::INT < 12 THEN {hour}::INT + 12 "
        f"WHEN lower({half}) = 'a' AND {hour} = '12' THEN 0 ELSE {hour}::INT END"
    )
    return f"printf('%02d:%02d', {number}, CASE WHEN {minute} = '' THEN 0 ELSE {minute}::INT END)"


def _write_moment(clock: str) -> str:
    """Return SQL that joins the day before a clock time (`_part.day`) and `clock`, without the words between them."""
    words = rf"(?i)(?:[\s,;|·]|\b(?:{_list_alternatives('hours')}|{_list_alternatives('from')})\b:?)+$"
    return f"trim(concat(regexp_replace(_part.day, {literal(words)}, ''), ' ', {clock}))"


def _take_day(end: str) -> str:
    """Return SQL for one of two days, with the month or year that only one of them states: `5.–7. Dezember 2026`."""
    dash, side = rf"(?:-|–|—|(?:{_list_alternatives('to')}|al)\b)", "low" if end == "start" else "high"
    lead, between = r"(?i)^(?:(?:du|vom|von|del|de|dal|from|van)\s+)?", rf"\s*{dash}\s*"
    # "Jan 11 - Feb 15, 2027": the year stands at the end alone.
    year = "CASE WHEN regexp_matches(_days.low, '[0-9]{4}') THEN '' ELSE regexp_extract(_days.high, ',? [0-9]{4}$') END"
    whole = f"concat(_days.low, {year})" if end == "start" else "_days.high"
    shapes = [
        (rf"{lead}(\d{{1,2}}\.?){between}(\d{{1,2}}\.?)(\s+\D.*)$", "['low', 'high', 'rest']",
         f"concat(_days.{side}, _days.rest)"),
        (rf"(?i)^(\D+\s)(\d{{1,2}}){between}(\d{{1,2}})(,?\s+\d{{4}}.*)$", "['front', 'low', 'high', 'rest']",
         f"concat(_days.front, _days.{side}, _days.rest)"),
        (rf"{lead}(.*\d.*?)\s+{dash}\s+(.*\d.*)$", "['low', 'high']", whole),
    ]  # fmt: skip
    cases = [
        f"list_transform([regexp_extract(strip_accents(whole), {literal(shape)}, {groups})], "
        f"lambda _days: CASE WHEN _days.low <> '' THEN {text} END)[1]"
        for shape, groups, text in shapes
    ]
    return f"coalesce({', '.join([*cases, 'whole' if end == 'start' else 'NULL'])})"
