"""What a build did, for people and for machines."""
