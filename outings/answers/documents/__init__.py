"""Documents of listings as stored, and what is made of their bytes: members added, fields chosen, cards."""
