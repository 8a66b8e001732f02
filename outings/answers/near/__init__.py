"""What is near a point: `nearby`, `around` and `activity`."""
