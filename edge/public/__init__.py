"""Routes that need no key: probes, metrics, the OpenAPI document."""
