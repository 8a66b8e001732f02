"""A file that nobody has configured yet → a draft of its feed: settings, a mapping, and what was understood."""
