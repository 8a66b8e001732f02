"""API keys: their text, the registry of them in the store, and operators' changes to it."""
