"""What may be asked and what may be answered: declarations only, no I/O, nothing else of ours imported."""
