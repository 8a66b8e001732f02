"""Text → words, as a snapshot's index holds them and as a query is read: the same for both, or nothing is found."""

import re
import unicodedata

_APOSTROPHES = re.compile(r"['’‘ʼ`´]")
_WORD = re.compile(r"[^\W_]+")


def split_words(text: str) -> list[str]:
    """Words of letters and digits, in order: NFKD without combining marks, case-folded, "&" read as "and".

    An apostrophe joins (children's → childrens), every other sign parts (drop-in → drop, in).
    """
    text = _APOSTROPHES.sub("", text).replace("&", " and ")
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
        text = "".join(sign for sign in text if not unicodedata.combining(sign))
    return _WORD.findall(text.casefold())
