"""`/v1/{metro}/search`: which listings fit a query's words, how well, and in what order they are shown."""
