"""Polars, imported when something of it is first used. A server answers from mapped tables, which need none of it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:

    class _LazyPolars:
        def __getattr__(self, name: str) -> Any:
            import polars

            value = getattr(polars, name)
            setattr(self, name, value)
            return value

    pl = _LazyPolars()

__all__ = ["pl"]
