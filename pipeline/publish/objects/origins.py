"""What a metro's listings were made of, kept with its release: the next build need not make the same again."""

from io import BytesIO

import polars as pl

from outings.release.manifest import Origins
from outings.release.store import Corrupt, NotFound, Store, read_object
from pipeline.publish.objects.object_writer import ObjectWriter
from pipeline.resolve.listings.rows import ORIGINS


def put_origins(origins: pl.DataFrame, program: str, writer: ObjectWriter) -> Origins:
    """`origins`: the columns of ORIGINS, by row."""
    target = BytesIO()
    origins.select(*ORIGINS).write_parquet(target, compression="uncompressed", statistics=False)
    return Origins(program=program, object=writer.put(target.getvalue()))


def read_origins(store: Store, origins: Origins, *, rows: int) -> pl.DataFrame | None:
    """None where they are gone, or are not those of so many rows. StoreError."""
    try:
        frame = pl.read_parquet(BytesIO(read_object(store, origins.object)))
    except (NotFound, Corrupt, pl.exceptions.PolarsError):
        return None
    return frame if frame.schema == ORIGINS and frame.height == rows else None
