"""The contract of the API: what a request may say and what an answer may contain. Declarations only: no I/O, and no
import from the program's other packages."""
