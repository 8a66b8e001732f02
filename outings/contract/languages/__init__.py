"""The words by which queries, audiences, categories and addresses are read: one folder of data for each language."""
