"""Events as iCalendar (RFC 5545): for any filtered list, and for the export."""
