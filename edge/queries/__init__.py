"""What a request asks for: its route, its release, its query and the plan of its answer."""
