"""The files of a city's export, read as a reader checks them."""

import hashlib
import zlib

from outings.release.manifest import Export, read_manifest
from outings.release.store import object_name
from tests.pipeline.city import City


def read_exports(city: City) -> dict[str, Export]:
    return dict(read_manifest(city.store, city.current.root.parts["seattle"].manifest).exports)


def read_file(city: City, name: str) -> bytes:
    """Read a file, and compare its size and hash."""
    export = read_exports(city)[name]
    data = city.store.get(object_name(export.object))
    assert (export.object, export.packed) == (hashlib.sha256(data).hexdigest(), len(data))
    data = zlib.decompress(data, wbits=31) if export.coding else data
    assert (export.sha256, export.size) == (hashlib.sha256(data).hexdigest(), len(data))
    return data
