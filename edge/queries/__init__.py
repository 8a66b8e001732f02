"""From a request to a plan: its route, its release, its query, and how its answer is made."""
