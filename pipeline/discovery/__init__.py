"""Find the feed of a website: look at its pages, read what may be a feed, and choose the one that says most."""
