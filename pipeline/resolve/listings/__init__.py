"""Make the row of a listing or organization, in one module for each type."""
