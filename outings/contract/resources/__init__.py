"""The JSON objects of the API, as structs. The order of fields is the order in JSON.

The parameter `fields` and OpenAPI are made from these structs. Members that depend on date, key or other rows come
last, so that an answer is a stored document with bytes inserted before its closing bracket.
"""
