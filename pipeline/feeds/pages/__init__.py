"""A table that a server gives page after page → one file with all of its rows, or nothing where none has changed."""
