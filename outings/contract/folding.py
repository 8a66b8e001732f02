"""Compares names without regard to case, accents and punctuation: neighborhoods and organizations."""

import unicodedata


def fold_text(text: str) -> str:
    """Returns the text in NFKD without combining marks and punctuation, case-folded, with single spaces between words.

    Two texts are the same name if their folded forms are equal. Symbols stay: "C+ Kids" is not "C Kids".
    """
    if text.isascii():
        # Four of five names: no table of characters is needed to know that they have no accents. Most have no signs
        # either: to know that takes a third of the time of looking for each.
        if not text.replace(" ", "").isalnum():
            text = text.translate(_ASCII_PUNCTUATION)
        return " ".join(text.lower().split())
    # Case-folding can bring new combining marks (İ), and NFKD new capitals (℡): fold until both are gone.
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = (sign for sign in decomposed if not unicodedata.combining(sign) and not _is_punctuation(sign))
    return " ".join("".join(kept).casefold().split())


def _is_punctuation(sign: str) -> bool:
    return unicodedata.category(sign).startswith("P")


_ASCII_PUNCTUATION = {code: None for code in range(128) if _is_punctuation(chr(code))}
