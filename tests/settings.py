"""The metros of the configurations that tests write."""

# Time zone, centre and bounds. Every other metro lies where Seattle does.
_PLACES = {
    "porto": ("Europe/Lisbon", (41.15, -8.61), (41.0, -8.8, 41.3, -8.4)),
    "seattle": ("America/Los_Angeles", (47.6, -122.3), (47.3, -122.6, 47.9, -121.9)),
    "valladolid": ("Europe/Madrid", (41.65, -4.72), (41.5, -4.9, 41.8, -4.5)),
}


def format_metro(slug: str = "seattle", **more: str) -> str:
    """Return the table of a metro in TOML. `more`: further settings that are texts, such as `language`."""
    timezone, (lat, lng), (south, west, north, east) = _PLACES.get(slug, _PLACES["seattle"])
    settings = {"slug": slug, "name": slug.title(), "timezone": timezone, **more}
    return "\n".join(
        [
            "",
            "[[metros]]",
            *(f'{name} = "{value}"' for name, value in settings.items()),
            f"center = {{ lat = {lat}, lng = {lng} }}",
            f"bounds = {{ south = {south}, west = {west}, north = {north}, east = {east} }}",
            "",
        ]
    )
