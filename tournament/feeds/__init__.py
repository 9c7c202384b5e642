"""Feeds: a run for those who follow it elsewhere."""
