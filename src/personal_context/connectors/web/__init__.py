"""Web pages: fetched behind guards, reduced to what a person would read, as Markdown."""
