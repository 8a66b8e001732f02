"""Other people's servers: geocoders and weather services, as a server asks them."""
