"""Shared by all measurements; each row of the table is a module beside this folder."""
