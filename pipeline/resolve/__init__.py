"""Makes rows of records: settles ids, follows references, works out what no feed states."""
