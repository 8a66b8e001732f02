"""Finds the route of a path, and what may be meant by a path that is no route's."""

from functools import lru_cache

from outings.contract.did_you_mean import find_nearest
from outings.contract.errors import not_found
from outings.contract.routes import PATH_WORDS, Match, match_route

# The longest path of the contract has a metro's or a listing's slug in it.
MOST_PATH_CHARACTERS = 2_048
_REMEMBERED = 8_192


@lru_cache(maxsize=_REMEMBERED)
def find_match(path: str) -> Match:
    """Return the route of this path. Raises 404, which is not cached."""
    match = match_route(path) if len(path) <= MOST_PATH_CHARACTERS else None
    if match is None:
        raise not_found("There is no such route.", did_you_mean=suggest_path(path))
    return match


def suggest_path(path: str) -> str | None:
    """Return a route's path that differs from this one in case or slashes alone, or that adds `/v1` or a metro, has
    another last word (`event` for `events`), or a slug in place of an id."""
    if len(path) > MOST_PATH_CHARACTERS:
        return None
    plain = "/" + "/".join(filter(None, path.split("/")))
    lower = plain.lower()
    start, _, last = lower.removeprefix("/v1").rpartition("/")
    near = find_nearest(last, PATH_WORDS) or last
    ends = (f"{start}/{last}", f"{start}/{near}", f"{start or '/{metro}'}/{near}", f"{start}/slug/{last}")
    nearest = (plain, lower, *(f"/v1{end}" for end in ends))
    return next((each for each in nearest if match_route(each) is not None), None)
