"""What feeds say, cleaned: a record, or a problem with its line, member and reason."""
