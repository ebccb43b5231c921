"""Markdown to sections to vectors."""
