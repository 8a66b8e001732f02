"""Tables as cities publish them: CSV, JSON, GeoJSON, Parquet, spreadsheets, SQLite, packed or not."""

from pipeline.feeds.reader import Reader
from pipeline.feeds.table.reading import read_tables
from pipeline.feeds.table.targets import explain_problems

READER = Reader(read_together=read_tables, explain=explain_problems)
