"""The members of each resource, as structs whose field order is the order in JSON.

`fields`, OpenAPI, the documents and the tests read these declarations; rendering encodes them.
The member that moves with the day, the key or other rows stands last, so that a stored document
is completed by splicing bytes before its closing bracket.
"""
