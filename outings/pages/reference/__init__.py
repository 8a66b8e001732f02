"""The reference: every route, parameter, member, code, header and limit, from the tables that the program reads."""

from outings.pages.reference.page import render_reference

__all__ = ["render_reference"]
