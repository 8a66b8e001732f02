"""Write the objects that readers get unchanged: documents in packs, pages and exports."""
