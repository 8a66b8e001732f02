"""Draft the settings and mapping of a feed from a file that nobody has configured yet."""
