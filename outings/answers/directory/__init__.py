"""The directories: a metro's organizations and neighborhoods, with how many listings each has."""
