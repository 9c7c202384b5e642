"""Bytes: the sessions of a port or of standard input and output, and the way to engines elsewhere."""
