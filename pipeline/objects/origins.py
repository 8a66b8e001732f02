"""What a metro's listings were made of, kept with its release: the next build need not make the same again."""

from io import BytesIO

import polars as pl

from outings.release.manifest import Origins
from outings.release.objects import Corrupt, read_object
from outings.release.store import NotFound, Store
from pipeline.objects.object_writer import ObjectWriter

_COLUMN = "origin"


def put_origins(origins: pl.Series, program: str, writer: ObjectWriter) -> Origins:
    """`origins`: by row, null of a listing that is to be made anew."""
    target = BytesIO()
    origins.alias(_COLUMN).to_frame().write_parquet(target, compression="uncompressed", statistics=False)
    return Origins(program=program, object=writer.put(target.getvalue()))


def read_origins(store: Store, origins: Origins, *, rows: int) -> pl.Series | None:
    """None where they are gone, or are no such hashes of so many rows. StoreError."""
    try:
        frame = pl.read_parquet(BytesIO(read_object(store, origins.object)))
    except (NotFound, Corrupt, pl.exceptions.PolarsError):
        return None
    if frame.schema != {_COLUMN: pl.Binary()} or frame.height != rows:
        return None
    return frame[_COLUMN]
