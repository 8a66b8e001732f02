"""Addresses → points, by what an operator names: nothing, the release itself, or a geocoder of somebody else's."""
