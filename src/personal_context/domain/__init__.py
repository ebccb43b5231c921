"""What the product talks about: values and errors, standard library only."""
