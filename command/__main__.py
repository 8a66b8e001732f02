"""`python -m command` is `outings`."""

from command import main

main()
