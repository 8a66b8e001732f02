"""What an answer depends on beside its query."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from outings.contract.entitlement import Entitlement
from outings.release.snapshot import Release


class Circumstances(Struct, frozen=True, kw_only=True):
    """`dates`: metro → local date, of every metro in the release."""

    release: Release
    dates: Mapping[str, date]
    entitlement: Entitlement
