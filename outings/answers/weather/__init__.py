"""What the weather will be: a metro's forecast, and what is said of it in the calendar and of events."""
