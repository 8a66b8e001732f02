"""Run the command line as `python -m command`, like `outings`."""

from command import main

main()
