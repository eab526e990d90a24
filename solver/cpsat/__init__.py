"""What is handed to CP-SAT: scopes, the encoding of a problem, one stage as a model."""
