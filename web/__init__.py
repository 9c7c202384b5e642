"""The pages: runs as they are played, finished runs, boards."""
