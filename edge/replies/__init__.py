"""Request → plan → body, with the headers and codings of what is sent."""
