"""The API's contract: what a request may contain and what an answer may contain. Only declarations, without I/O and
imports from the program's other packages."""
