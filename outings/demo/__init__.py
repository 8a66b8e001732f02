"""Sample metros: real geography, made-up listings, always about now. Tests and benches use the same generator."""

from outings.demo.geography import METROS, DemoMetro
from outings.demo.records import generate_records
from outings.demo.world import is_world, write_world

__all__ = ["METROS", "DemoMetro", "generate_records", "is_world", "write_world"]
