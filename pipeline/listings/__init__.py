"""Records → rows of the release: references followed, identities kept, columns filled."""
