"""What a query asks for, as values: filters, window, order, and who finds the rows."""
