"""Conditions in SQL, which a reader sends as `where`: checked here, and answered by DuckDB."""
