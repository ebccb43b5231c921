"""The door for people and scripts: page and REST."""
