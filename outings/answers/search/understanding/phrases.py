"""Phrases of a query whose words mean together what they do not mean alone; on `line.Line.text`."""

import re

_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"
_GAP = "[ -]"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_DATE = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_CLOCK = r"[0-9]{1,2}(?::[0-9]{2})?"
_HALF = r" ?(?:[ap]\.?m|oclock)"


def _compile(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w])(?:{'|'.join(alternatives)})(?![\w])")


# Names of what one does there, whatever their words say elsewhere. Their filler words stay filler.
NAMES = _compile(
    r"(?:4th|fourth)[ -]of[ -]july", r"july[ -](?:4th|4)",
    r"(?:black|good|freaky|first|second|third|fourth|1st|2nd|3rd|4th)[ -]fridays?",
    r"(?:first|second|third|fourth|1st|2nd|3rd|4th)[ -](?:mon|tues|wednes|thurs|satur|sun)days?",
    r"(?:ash[ -]wednesday|(?:fat|giving)[ -]tuesday|(?:palm|easter|super[ -]bowl)[ -]sunday|holy[ -]saturday)",
    r"sunday[ -]school", r"may[ -](?:day|pole)",
    r"(?:alcohol|allergy|car|cruelty|dairy|drug|gluten|hands|latex|nut|peanut|plastic|screen|smoke|sugar|tech|waste)"
    r"[ -]free",
    r"(?:golf|obstacle|ropes)[ -]courses?",
    r"child[ -]care", r"kiddie[ -]pool", r"(?:dads|kids|moms|parents)[ -]night[ -]out",
    r"(?:mothers|fathers|grandparents|parents|childrens|family)[ -]day",
)  # fmt: skip

PRICES = re.compile(
    r"(?:(?<!\w)(?:under|below|less[ -]than|up[ -]to|over|max|maximum)[ -])?"
    rf"(?:[$€£] ?{_NUMBER}(?: ?(?:-|to) ?[$€£]? ?{_NUMBER})?"
    rf"|(?<![\w$€£.,])(?:{_NUMBER} ?(?:-|to) ?)?{_NUMBER}(?: ?[$€£]|[ -]?(?:dollars?|bucks?|usd|euros?|cents)\b))"
    r"|(?<!\w)(?:low|no)[ -]cost\b|(?<!\w)pay[ -]what[ -]you[ -](?:can|want|wish)\b"
)

TIMES = _compile(
    rf"(?:(?:at|after|before|by|from|until|till)[ -])?(?:{_CLOCK}(?:{_HALF})? ?(?:-|to) ?)?{_CLOCK}{_HALF}",
    rf"(?:after|before|until|till)[ -](?:{_CLOCK}|noon|midnight)",
    r"at[ -](?:noon|midnight|night)",
    r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}",
    rf"{_MONTHS}\.?[ -]{_DATE}(?:,? ?20[0-9]{{2}})?", rf"{_DATE}[ -](?:of[ -])?{_MONTHS}(?:,? ?20[0-9]{{2}})?",
    rf"{_MONTHS}[ -]20[0-9]{{2}}",
    rf"(?:in|this|next|early|late|mid|until|during)[ -]{_MONTHS}",
    rf"(?:this|next|last|coming|every|each|on|any)[ -](?:sat|sun|{_DAYS})(?:[ -](?:and|or|night)[ -]?(?:sat|sun)?)?",
    r"sat[ -/]+(?:(?:and|or)[ -])?sun",
    r"(?:this|next|last|coming|every|each|all)[ -](?:weeks?|months?|years?|days?|nights?)",
    rf"(?:{_DAYS}|tomorrow|late|week)[ -]nights?",
    r"(?:early|late|mid)[ -](?:morning|afternoon|evening)s?",
    r"(?:right|open)[ -]now", r"last[ -]minute",
)  # fmt: skip

AUDIENCE = _compile(
    r"(?:kids?|child|children|family|parents?)[ -]friendly",
    r"(?:little|young)[ -](?:ones?|people|children|child|kids?|folks)",
    r"all[ -]ages", r"grown[ -]ups?", r"adults?[ -]only",
)  # fmt: skip

FILLERS = _compile(r"i[ -]am", r"(?:show|tell)[ -]me", r"going[ -]on", r"check[ -]out", r"hang[ -]out", r"next[ -]to")
