"""What a build changes: rows beside those of the release before, and the versions this makes."""
