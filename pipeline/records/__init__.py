"""Says what a record is: its members, their kinds, how each value is read, and the ids that follow from it."""
