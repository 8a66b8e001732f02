"""Lists of listings, with their facets, calendars and densities, and the lists of a place or an organization."""
