"""REST: operations with declared parameters, bodies and answers, and the OpenAPI made of them."""
