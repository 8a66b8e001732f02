"""One listing by id or slug, with what is related to it."""
