"""Polars, imported at the first use of a name in it: a cloud function, which reads mapped tables, never imports it."""

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
