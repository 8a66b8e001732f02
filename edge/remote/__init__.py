"""Other people's servers: asked over HTTP, within bounds, and left alone while they are down."""
