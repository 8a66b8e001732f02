"""Read what people write: ages, amounts of money, hours and days, in the languages that ship. Pure functions."""
