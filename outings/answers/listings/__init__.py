"""Lists and details of listings, with their facets, counts, calendar and relations."""
