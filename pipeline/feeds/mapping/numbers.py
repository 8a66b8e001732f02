"""SQL that reads numbers and yes or no as people write them. A text that is neither stays a text."""

from collections.abc import Sequence

from outings.configuration.mapping import Rule
from outings.sql_quoting import literal
from pipeline.feeds.mapping.columns import fold
from pipeline.feeds.mapping.targets import Target

# Words that say yes or no by themselves, in the languages that ship.
YES = ("yes", "y", "true", "t", "1", "x", "si", "s", "verdadero")
NO = ("no", "n", "false", "f", "0", "falso")
_CURRENCY = r"(?i:us\$|[$€£¥]|usd|eur|gbp|cad|mxn|euros?|dollars?|dolares|pesos?)"
_GAP = r"[\s\x{A0}\x{202F}]"


def compile_flag(name: str, rule: Rule) -> str:
    yes, no = (
        ", ".join(literal(fold(word)) for word in words)
        for words in (rule.yes or _without(YES, rule.no), rule.no or _without(NO, rule.yes))
    )
    folded = f"lower(strip_accents({name}))"
    cases = f"WHEN {folded} IN ({yes}) THEN to_json(true) WHEN {folded} IN ({no}) THEN to_json(false)"
    return f"CASE {cases} ELSE to_json({name}) END"


def _without(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [word for word in words if word not in [fold(other) for other in others]]


def compile_number(name: str, rule: Rule, target: Target) -> str:
    """The whole text has to be a number as it is written there, or 12.50 would be read as 1250 and 1.200 as 1.2: so an
    amount has no three decimals."""
    point = rf"\{rule.decimal}"
    group = rf"(?:[{'.' if rule.decimal == ',' else ','}']|{_GAP})"
    if target.kind == "decimal":
        shape = rf"-?\d+({point}\d+)?"
    else:
        whole = rf"(\d{{1,3}}({group}\d{{3}})+|\d+)"
        shape = rf"({_CURRENCY}{_GAP}*)?-?{whole}({point}(\d\d?|\d\d00))?({_GAP}*{_CURRENCY})?"
    plain = f"regexp_replace({name}, '[^0-9{rule.decimal}-]', '', 'g')"
    number = f"replace({plain}, ',', '.')" if rule.decimal == "," else plain
    fits = f"regexp_full_match({name}, {literal(shape)})"
    return f"CASE WHEN {fits} THEN to_json({number}::DOUBLE) ELSE to_json({name}) END"
