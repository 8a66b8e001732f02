"""Sample metros: real geography, made-up listings, always about now. Tests and benches use the same generator."""

from command.sample_cities.geography import METROS, DemoMetro
from command.sample_cities.records import generate_records
from command.sample_cities.world import is_world, write_world

__all__ = ["METROS", "DemoMetro", "generate_records", "is_world", "write_world"]
