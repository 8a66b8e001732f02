"""Read tables as cities publish them: CSV, JSON, XML, GeoJSON, Parquet, spreadsheets, SQLite, packed or not."""

from pipeline.fetch.formats import Reader
from pipeline.fetch.table.reading import read_tables
from pipeline.fetch.table.targets import explain_problems

READER = Reader(read_together=read_tables, explain=explain_problems)
