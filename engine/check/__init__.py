"""`engine check`: whether an engine keeps the rules of its protocol, step by step."""
