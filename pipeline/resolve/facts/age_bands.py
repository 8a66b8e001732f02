"""Ages: the bands that a stated range touches."""

from msgspec.structs import asdict

from outings.contract.resources.shared import AgeRange, Ages
from outings.contract.vocabulary import AGE_BANDS


def complete_ages(ages: AgeRange, *, audience: str) -> Ages:
    """Add the age bands. `min` and `max` are whole years, null if that end is open; without both there is no band.

    `audience` of the result is `adults` for an adult-only listing, else null.
    """
    adults = "adults" if audience == "adults" else None
    return Ages(**asdict(ages), audience=adults, bands=list_bands(ages.min, ages.max))


def list_bands(low: int | None, high: int | None) -> tuple[str, ...]:
    """Return the vocabulary's age bands that overlap the range. Both ends of range and bands are inclusive."""
    if low is None and high is None:
        return ()
    return tuple(
        band
        for band, (first, last) in AGE_BANDS.items()
        if (low is None or low <= last) and (high is None or high >= first)
    )
