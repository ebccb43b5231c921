"""What can be wrong in a database file, and how it is set right: what is derived is made anew."""
