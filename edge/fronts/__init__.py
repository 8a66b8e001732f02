"""Fronts: programs that stand between readers and servers, and the configuration that each of them needs."""
