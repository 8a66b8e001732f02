"""How to ask a geocoding service and how to read its answers. Pure; `remote` makes the requests."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from outings.contract.resources.metro import Bounds, Center

Parameters = dict[str, str]


class GeocodingService(Struct, frozen=True, kw_only=True):
    """`path`: behind the operator's URL. `read_points`: a 200's body → points, the best first; ValueError (msgspec's
    errors are such) where it is no answer of this kind."""

    name: str
    path: str
    make_parameters: Callable[[str, Bounds], Parameters]
    read_points: Callable[[bytes], Iterable[Center]]
