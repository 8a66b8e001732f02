"""How much a key and its client may ask for: the rule, and two stores of what they have asked for."""
