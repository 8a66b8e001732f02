"""Write and publish what readers get: objects in the store, releases, static trees, takedowns."""
