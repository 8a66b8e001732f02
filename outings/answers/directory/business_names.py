"""Names of businesses and web addresses, folded so that what is written differently is the same: case, accents,
punctuation, spacing, and the endings that say what kind of firm or site it is."""

import re

from msgspec import Struct

from outings.contract.tokenizer import split_words

# At the end of a name they are no part of it; "& Co" goes as a whole.
ENDINGS = frozenset(
    (
        "llc", "inc", "incorporated", "co", "company", "corp", "corporation", "ltd", "limited", "lp", "llp", "pllc",
        "pc", "plc", "com", "org", "net",
    )
)  # fmt: skip
# Of a name written as a site's: "Pottery.io". Of those in ENDINGS too, however they are joined to it.
SITE_ENDINGS = ("com", "org", "net", "edu", "gov", "us", "io", "info", "biz", "co", "club", "fun", "kids", "school")
# They need not be met, and count as nothing of a name; the last three are what an address may begin with.
STOP_WORDS = frozenset(
    (
        "a", "an", "and", "at", "by", "de", "el", "for", "in", "la", "las", "le", "les", "los", "of", "on", "or", "the",
        "to", "with", "y", "www", "http", "https",
    )
)  # fmt: skip
# What stands before a country in addresses that are registered one level further down: "co.uk".
SECOND_LEVELS = frozenset(("ac", "co", "com", "edu", "gov", "net", "org"))

# L.L.C., Y.M.C.A.
_INITIALS = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}[^\W\d_]?(?![^\W_])")
_SITE_ENDING = re.compile(rf"(?<=[^\W_])\.(?:{'|'.join(SITE_ENDINGS)})\W*$", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+-]*:)?(?P<slashes>//)?(?:[^/?#@\s]*@)?(?P<host>[^/:?#@\s]+)(?::\d*)?(?P<rest>[/?#].*)?",
    re.IGNORECASE | re.DOTALL,
)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_](?:[\w-]{0,61}[^\W_])")


class Title(Struct, frozen=True, kw_only=True):
    """What was asked for. `words`: without endings; `host`: of a web address, as `fold_host` has it."""

    words: tuple[str, ...]
    host: str | None = None

    @property
    def joined(self) -> str:
        return "".join(self.words)

    def list_significant(self) -> list[str]:
        """Each once; empty where there is no name to look for."""
        return list(dict.fromkeys(word for word in self.words if word not in STOP_WORDS))


def parse_title(text: str) -> Title:
    """Of an address the words are its site's own name; what only might be one is read as it is: St.Mary."""
    match = _ADDRESS.fullmatch(text.strip())
    host = None if match is None else fold_host(match["host"])
    if match is None or host is None:
        return Title(words=fold_title(text))
    site = name_site(host)
    ending = host.removeprefix(site)[1:]
    is_written = match["slashes"] or match["rest"] or match["host"].lower().startswith("www.")
    is_address = is_written or ending in SITE_ENDINGS or "." in ending
    return Title(words=fold_title(site if is_address else text), host=host)


def fold_title(name: str) -> tuple[str, ...]:
    """A name's words without its endings; empty where it has nothing else."""
    name = _INITIALS.sub(lambda match: match[0].replace(".", ""), name)
    words = split_words(_SITE_ENDING.sub("", name))
    while words and words[-1] in ENDINGS:
        words.pop()
        if words[-1:] == ["and"]:
            words.pop()
    return tuple(words)


def fold_host(text: str) -> str | None:
    """In lower case, without `www.`, in the letters that the domain name system knows; None for what is no host."""
    host = text.casefold().strip(".").removeprefix("www.")
    if not _HOST.fullmatch(host) or not name_site(host):
        return None
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return None


def name_site(host: str) -> str:
    """A host without its ending: "ymca" of ymca.org and of ymca.co.uk; empty where it is nothing else."""
    *labels, country = host.split(".")
    if len(country) == 2 and len(labels) > 1:
        is_state = country == "us" and len(labels[-1]) == 2  # seattle.wa.us
        if is_state or labels[-1] in SECOND_LEVELS:
            labels.pop()
    return ".".join(labels)


def list_parents(host: str) -> list[str]:
    """The hosts above one, down to the one that is registered: of a.b.ymca.org, b.ymca.org and ymca.org."""
    labels, own = host.split("."), name_site(host).split(".")
    return [".".join(labels[at:]) for at in range(1, len(own))]
