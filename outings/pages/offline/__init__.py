"""A metro's explorer as a folder that needs no server: a page, a script, and the listings in Parquet."""
