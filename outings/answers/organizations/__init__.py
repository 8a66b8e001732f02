"""One organization by id: its copies in the key's metros, merged."""
