"""Answers: a query and a snapshot in, a body out. `routes.py` names the plan that answers each route."""
