"""OpenActive's Realtime Paged Data Exchange 1.0: a feed of what changed, page after page."""
