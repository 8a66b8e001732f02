"""The evaluator over a snapshot's Parquet tables: conditions as SQL, which DuckDB runs."""
