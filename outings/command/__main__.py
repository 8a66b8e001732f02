"""`python -m outings.command` is `outings`."""

from outings.command import main

main()
