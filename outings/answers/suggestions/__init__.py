"""`/v1/{metro}/suggest`: what the letters that somebody has typed may become."""
