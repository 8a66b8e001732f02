"""`/openapi.json`: the contract as OpenAPI 3.1."""
