"""Turns a request into a plan and a plan into a body, with headers and content coding."""
