"""What the build adds to a record: ages, suitability, confidence, neighborhoods, slugs, statements."""
