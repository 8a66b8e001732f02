"""Make rows from records: assign ids, resolve references, and compute facts that no feed states."""
