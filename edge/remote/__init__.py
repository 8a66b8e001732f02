"""Other people's servers: called over HTTP, within limits of time and size, and not called while they are down."""
