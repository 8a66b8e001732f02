"""Reports on a build, for people and for machines."""
