"""Find and set query parameters of an address, and leave its other parts unchanged."""

from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

# Characters that are not encoded, because some servers expect them so.
_PLAIN = "$:,*/[]="


def has_parameter(url: str, name: str) -> bool:
    """Return True if the address has the parameter. Case is ignored, as by most servers."""
    return any(_read_name(pair).casefold() == name.casefold() for pair in urlsplit(url).query.split("&"))


def set_parameter(url: str, name: str, value: int | str | None) -> str:
    """Return the address with the parameter set to `value`, or without the parameter if that is None.

    >>> set_parameter("https://x.org/?page=1&q=a%20b", "page", 2)
    'https://x.org/?q=a%20b&page=2'
    """
    parts = urlsplit(url)
    pairs = [pair for pair in parts.query.split("&") if pair and _read_name(pair) != name]
    if value is not None:
        pairs.append(f"{quote(name, safe=_PLAIN)}={quote(str(value), safe=_PLAIN)}")
    return urlunsplit(parts._replace(query="&".join(pairs)))


def _read_name(pair: str) -> str:
    return unquote_plus(pair.partition("=")[0])
