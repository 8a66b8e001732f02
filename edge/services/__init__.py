"""Other people's servers: geocoders and weather services."""
