"""Languages: the words by which queries, audiences, categories and addresses are read. A folder of data for each."""
