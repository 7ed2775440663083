"""The networks, one file a family."""
