"""The layers that a request goes down, first to last, and what they alone need."""
