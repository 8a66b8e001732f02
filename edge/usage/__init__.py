"""What was asked and answered, counted and logged."""
