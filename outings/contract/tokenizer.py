"""Splits a text into words. The snapshot's index and queries use the same rule, otherwise nothing would be found."""

import re
import unicodedata

_APOSTROPHES = re.compile(r"['’‘ʼ`´]")
_WORD = re.compile(r"[^\W_]+")


def split_words(text: str) -> list[str]:
    """Words of letters and digits in order: NFKD without combining marks, case-folded, with "&" read as "and".

    An apostrophe joins (children's → childrens). Every other sign separates (drop-in → drop, in).
    """
    text = _APOSTROPHES.sub("", text).replace("&", " and ")
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        text = "".join(sign for sign in text if not unicodedata.combining(sign))
    return _WORD.findall(text.casefold())
