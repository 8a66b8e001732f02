"""When things happen: rules and zones, expanded into local dates and instants."""
