"""What all measurements share; each row of the table is a module beside this folder."""
