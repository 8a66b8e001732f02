"""Geocoders: find the point of an address, with the release itself or with a server that the operator names."""
