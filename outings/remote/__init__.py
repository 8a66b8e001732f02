"""Other people's servers: how to call one, and what geocoding services understand."""
