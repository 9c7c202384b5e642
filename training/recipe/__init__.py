"""Recipes, the systems that they name, and the interface of both."""
