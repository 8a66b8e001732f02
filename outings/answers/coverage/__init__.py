"""How much data a metro has, how fresh and how clean it is."""
