"""Makes the row of a listing or organization, a file a type."""
