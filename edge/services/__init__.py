"""Geocoders and weather services of others, as a server calls them."""
