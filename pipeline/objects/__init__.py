"""What readers fetch as it stands: documents in packs, pages, exports."""
